"""The session as a whole: replies, and trouble that passes."""

from datetime import UTC, datetime, timedelta

import pytest
from misbehaving import PASSING, Site, answer, fetch, polite

from nonocensus.scrapers.http import Request, RequestFailed


def test_reply_has_all_fields(site: Site) -> None:
    site.answers["/a"] = [answer(200, b"<puzzle/>", ETag='"1"', Content_Type="text/xml")]
    reply = fetch(site)
    assert reply[:2] == (f"{site.url}/a", 200)
    assert reply.headers == {"content-length": "9", "etag": '"1"', "content-type": "text/xml"}
    assert reply.body == b"<puzzle/>"
    assert timedelta() <= datetime.now(UTC) - reply.fetched_at < timedelta(seconds=10)
    assert 0 < reply.seconds < 10


@pytest.mark.parametrize("url", ["puzzles.test/1", "file:///etc/passwd", "http://", "http://[", "http://a:b:c/"])
def test_url_that_is_not_http_is_refused(url: str) -> None:
    with polite() as session, pytest.raises(ValueError, match="is not an http or https address"):
        session.fetch(Request(url))


def test_conditional_request_gets_304(site: Site) -> None:
    site.answers["/a"] = [answer(200, b"x", ETag='W/"1"', Last_Modified="then"), answer(304, Content_Encoding="gzip")]
    with polite() as session:
        first = session.fetch(Request(f"{site.url}/a"))
        second = session.fetch(Request(f"{site.url}/a"), first.headers)
    assert (second.status, second.body) == (304, b"")
    assert "if-none-match" not in site.asked[-2].headers
    assert site.asked[-1].headers["if-none-match"] == 'W/"1"'
    assert site.asked[-1].headers["if-modified-since"] == "then"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_4xx_replies_are_returned(site: Site, status: int) -> None:
    site.answers["/a"] = [answer(status, b"no")]
    reply = fetch(site)
    assert (reply.status, reply.body) == (status, b"no")
    assert len(site.paths()) == 1


@pytest.mark.parametrize("name", PASSING)
def test_transient_failure_is_retried(site: Site, name: str) -> None:
    site.answers["/a"] = [PASSING[name], PASSING[name], answer(200, b"whole")]
    assert fetch(site).body == b"whole"
    assert len(site.paths()) == 3


def test_last_of_several_failures_is_named(site: Site) -> None:
    site.answers["/a"] = [answer(503)]
    with pytest.raises(RequestFailed, match=r"/a: 503 Service Unavailable$"):
        fetch(site, attempts=1)
    site.answers["/a"] = [answer(503), answer(500)]
    with pytest.raises(RequestFailed, match=r"/a: 500 Internal Server Error, the last of 3 attempts$"):
        fetch(site, attempts=3)
