"""What no caller gets round: who asks, and how often."""

import math

import pytest
from misbehaving import Site, Time, answer, polite, timed

from nonocensus.scrapers.http import PoliteSession, Request
from nonocensus.scrapers.http.messages import is_loopback
from nonocensus.solver import __version__


@pytest.mark.parametrize(
    "contact",
    [
        "",
        "  ",
        "x",
        "me@example.org\r\nX: y",
        "mé",
        "me@example",
        "@example.org",
        "me@mé.org",
        "a b@example.org",
        "https://",
        "ftp://example.org",
        "https://example.org/a b",
        "https://example.org/(a)",
        "x" * 5000,
    ],
)
def test_invalid_contact_is_refused(contact: str) -> None:
    with pytest.raises(ValueError, match="contact must be an e-mail address like") as error:
        PoliteSession(contact)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    "contact",
    [" me@example.org ", "me.too+puzzles@mail.example.org", "https://example.org/~me?a=1", "http://localhost"],
)
def test_valid_contact_is_sent(site: Site, contact: str) -> None:
    with PoliteSession(contact, rate=0) as session:
        session.fetch(Request(f"{site.url}/a"))
    for asked in site.asked:
        assert asked.headers["user-agent"] == f"nonocensus/{__version__} (+{contact.strip()})"


@pytest.mark.parametrize("rate", [-1.0, -1e-9, math.nan, math.inf, -math.inf, 1e300, 86_401])
def test_invalid_rate_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate must be from 0 to 86,400 seconds, not "):
        polite(rate=rate)


@pytest.mark.parametrize("rate", [0.0, 0.1, 1.49999])
@pytest.mark.parametrize("host", ["puzzles.test", "WWW.puzzles.test", "127.0.0.1@puzzles.test"])
def test_short_rate_is_refused_for_other_hosts(site: Site, rate: float, host: str) -> None:
    with (
        polite(rate=rate) as session,
        pytest.raises(ValueError, match=r"rate must be at least 1\.5 s for .*puzzles\.test:\d+, not [01]"),
    ):
        session.fetch(Request(f"http://{host}:{site.port}/a"))
    assert site.connections == []


def test_shortest_rate_is_accepted_for_other_hosts(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(200, b"here")]
    with timed(times, rate=1.5) as session:
        assert session.fetch(Request(f"http://puzzles.test:{site.port}/a")).body == b"here"
    assert times.slept == [1.5]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.8.7", "[::1]", "localhost", "LOCALHOST", "me@127.0.0.1"])
def test_loopback_names_are_recognized(host: str) -> None:
    assert is_loopback(f"http://{host}:8000/a")


@pytest.mark.parametrize(
    "host", ["128.0.0.1", "127.0.0.1.example.org", "localhost.example.org", "0.0.0.0", "[::]", "[fe80::1]", "10.0.0.1"]
)
def test_other_names_are_not_loopback(host: str) -> None:
    assert not is_loopback(f"http://{host}:8000/a")
