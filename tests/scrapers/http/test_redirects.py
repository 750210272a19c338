"""Redirects that are followed, and those that are not."""

import pytest
from misbehaving import Site, Time, answer, fetch, polite, timed

from nonocensus.scrapers.http import Request, RequestFailed


def test_redirects_are_followed(site: Site) -> None:
    site.answers |= {
        "/a": [answer(301, b"moved", Location="b#there")],
        "/b": [answer(302, Location=f"{site.url}/c")],
        "/c": [answer(303, Location="/d%20e f")],
        "/d%20e%20f": [answer(200, b"here")],
    }
    reply = fetch(site)
    assert (reply.url, reply.body) == (f"{site.url}/d%20e%20f", b"here")
    assert {asked.connection for asked in site.asked} == {1}


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_redirect_keeps_form_only_with_307_and_308(site: Site, status: int, method: str) -> None:
    site.answers |= {"/a": [answer(status, Location="/b")], "/b": [answer(200)]}
    with polite() as session:
        session.fetch(Request(f"{site.url}/a", {"id": "1"}))
    assert (site.asked[-1].path, site.asked[-1].method) == ("/b", method)
    assert site.asked[-1].body == (b"id=1" if method == "POST" else b"")


def test_redirect_to_itself_with_cookie_is_followed(site: Site) -> None:
    site.answers["/a"] = [answer(302, Location="/a", Set_Cookie="visit=1"), answer(200, b"here")]
    assert fetch(site).body == b"here"


def test_endless_redirects_fail(site: Site) -> None:
    site.answers |= {"/a": [answer(302, Location="/b")], "/b": [answer(302, Location="/a")]}
    with pytest.raises(RequestFailed, match=r"/a: redirects in a circle$") as failed:
        fetch(site)
    assert failed.value.status == 302
    assert len(site.paths()) == 6
    site.answers |= {f"/{number}": [answer(302, Location=f"/{number + 1}")] for number in range(9)}
    with pytest.raises(RequestFailed, match=r"/0: more than 5 redirects$"):
        fetch(site, "/0")


@pytest.mark.parametrize(
    "location",
    [
        "http://other.test/login",
        "//other.test/",
        "http://127.0.0.1:9/",
        "ftp://127.0.0.1/",
        "mailto:me",
        "http://[",
        "http://127.0.0.1:99999/",
        "http://other.test/\x1b[31m",
        "http://other.test/\xff",
    ],
)
def test_redirect_to_other_site_fails(site: Site, location: str) -> None:
    site.answers["/a"] = [answer(302, Location=location)]
    with pytest.raises(RequestFailed, match=r"/a: redirected to [ -~]* \(a login page\?\)$") as failed:
        fetch(site)
    assert (failed.value.attempts, failed.value.status) == (1, 302)


@pytest.mark.parametrize(("old", "new"), [("puzzles.test", "www.puzzles.test"), ("www.puzzles.test", "Puzzles.test")])
def test_redirect_between_www_and_bare_host_is_followed(site: Site, times: Time, old: str, new: str) -> None:
    site.answers |= {"/a": [answer(301, Location=f"http://{new}:{site.port}/b")], "/b": [answer(200, b"here")]}
    with timed(times, rate=1.5) as session:
        reply = session.fetch(Request(f"http://{old}:{site.port}/a"))
    assert reply.body == b"here"
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/robots.txt", "/b"]


def test_redirect_without_location_is_returned(site: Site) -> None:
    site.answers |= {"/a": [answer(302, b"?")], "/b": [answer(300, Location="/c")]}
    assert fetch(site).status == 302
    assert fetch(site, "/b").status == 300


@pytest.mark.parametrize("rate", [0.0, 1.5])
def test_redirect_from_loopback_to_other_host_fails(site: Site, times: Time, rate: float) -> None:
    """Or else a rate that is for this machine alone would be kept elsewhere."""
    site.answers["/a"] = [answer(302, Location=f"http://www.localhost:{site.port}/b")]
    with (
        timed(times, rate=rate) as session,
        pytest.raises(RequestFailed, match=r"redirected to http://www\.localhost:"),
    ):
        session.fetch(Request(f"http://localhost:{site.port}/a"))
    assert site.paths() == ["/a"]
