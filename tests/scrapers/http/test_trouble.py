"""Trouble that stays, in words."""

import socket
import time
from pathlib import Path
from typing import Any

import pytest
from misbehaving import PASSING, Site, Time, answer, dripping, fetch, polite, robots, timed

from nonocensus.scrapers.http import HostUnreachable, Request, RequestFailed, RobotsDisallowed
from nonocensus.scrapers.http.polite_session import MAX_ROBOTS_BYTES


@pytest.mark.parametrize(
    ("name", "line", "status"),
    [
        ("429", "429 Too Many Requests, 5 times", 429),
        ("503", "503 Service Unavailable, 5 times", 503),
        ("520", "520, 5 times", 520),
        ("reset", "connection reset, 5 times", None),
        ("reset in the body", "connection reset, 5 times", 200),
        ("closed", "connection closed without a reply, 5 times", None),
        ("truncated", "reply broke off, 5 times", 200),
        ("truncated in a chunk", "reply broke off, 5 times", 200),
        ("truncated between chunks", "reply broke off, 5 times", 200),
        ("truncated gzip", "reply broke off, 5 times", 200),
        ("truncated headers", "reply broke off, 5 times", 200),
        ("damaged gzip", "reply damaged, 5 times", 200),
        ("gzip and more", "reply damaged, 5 times", 200),
        ("gzip and half of another", "reply broke off, 5 times", 200),
        ("no HTTP", "invalid HTTP reply (BadStatusLine), 5 times", None),
    ],
)
def test_lasting_failure_gives_reason_and_count(site: Site, name: str, line: str, status: int | None) -> None:
    site.answers["/a"] = [PASSING[name]]
    with pytest.raises(RequestFailed) as failed:
        fetch(site)
    assert str(failed.value) == f"{site.url}/a: {line}"
    assert (failed.value.attempts, failed.value.status) == (5, status)
    assert len(site.paths()) == 5


def test_silent_site_times_out(site: Site) -> None:
    site.answers["/a"] = [dripping(b"", 0, 0), lambda _: time.sleep(0.3)]
    with pytest.raises(RequestFailed, match=r"no answer in time, the last of 2 attempts$"):
        fetch(site, attempts=2, read_timeout=0.1)


def test_refused_connection_is_unreachable(site: Site) -> None:
    site.close()
    slept: list[float] = []
    with polite(sleep=slept.append) as session, pytest.raises(HostUnreachable) as unreachable:
        session.fetch(Request(f"{site.url}/a"))
    line = f"127.0.0.1:{site.port}: connection refused, 5 times; the site seems to be down, try later"
    assert str(unreachable.value) == line
    assert len(slept) == 4


def test_unknown_host_is_unreachable(times: Time) -> None:
    with timed(times, rate=1.5) as session, pytest.raises(HostUnreachable) as unreachable:
        session.fetch(Request("https://nonocensus.invalid/a"))
    assert str(unreachable.value) == (
        "nonocensus.invalid: its name can't be looked up, 5 times; check the name, and this machine's network"
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (TimeoutError("timed out"), "no connection in time"),
        (OSError(101, "Network is unreachable"), r"no connection \(Network is unreachable\)"),
    ],
)
def test_missing_network_is_unreachable(
    times: Time, monkeypatch: pytest.MonkeyPatch, error: OSError, line: str
) -> None:
    def connect(*_: Any) -> None:
        raise error

    monkeypatch.setattr(socket.socket, "connect", connect)
    with (
        timed(times, rate=1.5) as session,
        pytest.raises(HostUnreachable, match=f"^puzzles.test: {line}, 5 times; check this"),
    ):
        session.fetch(Request("http://puzzles.test/a"))


def test_missing_proxy_is_unreachable(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://nonocensus.invalid:3128")
    with pytest.raises(HostUnreachable, match="the proxy refuses the connection, 5 times; check HTTP_PROXY"):
        fetch(site)


def test_site_without_tls_is_unreachable(site: Site) -> None:
    reason = rf"127\.0\.0\.1:{site.port}: no secure connection \(TLS: .*\), 5 times; check that the site is served by"
    with polite() as session, pytest.raises(HostUnreachable, match=rf"^{reason}"):
        session.fetch(Request(f"https://127.0.0.1:{site.port}/b"))
    site.answers["/a"] = [answer(301, Location=f"https://127.0.0.1:{site.port}/b")]
    with pytest.raises(RequestFailed, match=rf"^{site.url}/a: after a redirect: {reason}"):
        fetch(site)


def test_untrusted_certificate_is_not_retried(secure_site: tuple[Site, Path]) -> None:
    with pytest.raises(HostUnreachable, match=r"its certificate can't be trusted \(self.signed certificate\); check"):
        fetch(secure_site[0])
    assert len(secure_site[0].connections) == 1


def test_redirect_from_http_to_https_is_followed(
    site: Site, secure_site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    secure, certificate = secure_site
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    site.answers["/a"] = [answer(301, Location=f"{secure.url}/a")]
    secure.answers["/a"] = [answer(200, b"secure")]
    assert fetch(site).body == b"secure"
    secure.answers["/b"] = [answer(301, Location=f"{site.url}/a")]
    with pytest.raises(RequestFailed, match="/b: redirected to http://"):
        fetch(secure, "/b")


def test_robots_txt_is_parsed_up_to_500_kib(site: Site) -> None:
    """Without the line at the limit, of which only a beginning is within."""
    rules = ["User-agent: *", "Disallow: /private", "#"]
    rules[-1] += "x" * (MAX_ROBOTS_BYTES - len("\n".join([*rules, "Disallow: /"])))
    site.answers["/robots.txt"] = [robots(*rules, "Disallow: /a", *["Disallow: /b"] * 100_000)]
    assert [fetch(site, path).status for path in ("/a", "/b", "/c")] == [404] * 3
    with pytest.raises(RobotsDisallowed):
        fetch(site, "/private")


def test_robots_txt_with_many_robots_and_rules_disallows(site: Site) -> None:
    """Protego would take minutes, and gigabytes."""
    site.answers["/robots.txt"] = [
        robots(*(f"User-agent: {k}" for k in range(9000)), *(f"Allow: /{k}" for k in range(9000)))
    ]
    with pytest.raises(HostUnreachable, match=r"/robots\.txt: too many robots and rules; treated as disallowed$"):
        fetch(site)


@pytest.mark.parametrize("delay", ["nan", "-5", "-inf", "inf", "soon"])
def test_crawl_delay_that_is_no_time_is_ignored(site: Site, delay: str) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", f"Crawl-delay: {delay}")]
    with polite() as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 404
        assert session.delay == 0.0
