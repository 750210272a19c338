"""The session as a whole: replies, its connection, bodies too long, cut or packed, and trouble that passes."""

import gzip
import random
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from misbehaving import PASSING, Site, answer, fetch, polite, then_close

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


def test_requests_share_one_connection(site: Site) -> None:
    chunked = answer(200, b"2\r\nab\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length="")
    pages = {"/a": answer(200, b"x"), "/b": chunked, "/c": answer(304), "/d": answer(404, b"none")}
    site.answers |= {path: [page] for path, page in pages.items()}
    with polite() as session:
        bodies = [session.fetch(Request(site.url + path)).body for path in pages]
    assert bodies == [b"x", b"ab", b"", b"none"]
    assert {asked.connection for asked in site.asked} == {1}


def test_request_with_form_is_a_post(site: Site) -> None:
    with polite() as session:
        session.fetch(Request(f"{site.url}/export", {"id": "7", "fmt": "xml & more"}))
    assert site.asked[-1].method == "POST"
    assert site.asked[-1].body == b"id=7&fmt=xml+%26+more"


def test_cookies_are_kept_and_netrc_is_not_read(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    site.answers["/a"] = [answer(200, Set_Cookie="visit=1"), answer(200)]
    with polite() as session:
        session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/a"))
    assert site.asked[-1].headers["cookie"] == "visit=1"
    assert not any("authorization" in asked.headers for asked in site.asked)


def test_session_keeps_newest_cookies_within_bounds(site: Site) -> None:
    """Else a site's own cookies, a few in each reply, would soon make requests of megabytes."""
    replies = [f"n{number}={'v' * 500}" for number in range(30)] + [f"short{number}=v" for number in range(15)]
    site.answers["/a"] = [answer(200, Set_Cookie=cookie) for cookie in [*replies, "long=" + "v" * 5000, "last=v"]]
    with polite() as session:
        for _ in range(48):
            session.fetch(Request(f"{site.url}/a"))
    longest = max(len(asked.headers.get("cookie", "")) for asked in site.asked)
    assert 3500 < longest < 4200
    sent = [cookie.partition("=")[0] for cookie in site.asked[-1].headers["cookie"].split("; ")]
    assert sorted(sent) == sorted(
        [*(f"n{number}" for number in range(26, 30)), *(f"short{n}" for n in range(15)), "last"]
    )


def test_bytes_beyond_content_length_do_not_leak_into_next_reply(site: Site) -> None:
    # the first one can't be seen to be truncated; the next must not begin with its rest
    site.answers |= {"/a": [answer(200, b"whole", Content_Length="3")], "/b": [answer(200, b"next")]}
    with polite() as session:
        assert session.fetch(Request(f"{site.url}/a")).body == b"who"
        assert session.fetch(Request(f"{site.url}/b")).body == b"next"


@pytest.mark.parametrize(
    "reply",
    [
        answer(200, b"", Content_Length="1001"),
        answer(200, b"", Content_Length="9" * 3000),
        answer(200, b"x" * 1001, Content_Length=""),
        answer(200, b"3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length=""),
        answer(200, gzip.compress(bytes(100_000)), Content_Encoding="gzip"),
        answer(200, gzip.compress(bytes(501)) * 2, Content_Encoding="gzip"),
        answer(302, b"x" * 1001, Location="/b"),
    ],
    ids=["length", "long length", "no length", "chunked", "gzip", "two members of gzip", "redirect"],
)
def test_reply_larger_than_limit_fails_without_retry(site: Site, reply: bytes) -> None:
    site.answers |= {"/a": [then_close(reply)], "/b": [answer(200, b"x" * 1000)]}
    with polite(max_bytes=1000) as session:
        with pytest.raises(RequestFailed, match=r"/a: reply larger than 1,000 bytes$") as failed:
            session.fetch(Request(f"{site.url}/a"))
        assert failed.value.attempts == 1
        assert len(session.fetch(Request(f"{site.url}/b")).body) == 1000
    assert site.paths() == ["/a", "/b"]


def test_default_size_limit_is_16_mb(site: Site) -> None:
    site.answers["/a"] = [answer(200, Content_Length=str(1 + (16 << 20)))]
    with pytest.raises(RequestFailed, match=r"/a: reply larger than 16 MB$"):
        fetch(site)


def test_only_gzip_is_decompressed(site: Site) -> None:
    site.answers |= {
        "/a": [answer(200, gzip.compress(b"body"), Content_Encoding="gzip")],
        "/b": [answer(200, b"?", Content_Encoding="br")],
        "/c": [answer(200, zlib.compress(b"?"), Content_Encoding="deflate")],
    }
    assert fetch(site).body == b"body"
    assert site.asked[-1].headers["accept-encoding"] == "gzip"
    with pytest.raises(RequestFailed, match=r"/b: unsupported content encoding: 'br'$"):
        fetch(site, "/b")
    with pytest.raises(RequestFailed, match=r"/c: unsupported content encoding: 'deflate'$"):
        fetch(site, "/c")


@pytest.mark.parametrize("lengths", [[5, 0, 7], [0], [4096, 1, 100_000], [70_000] * 9])
def test_concatenated_gzip_members_are_all_read(site: Site, lengths: list[int]) -> None:
    """Wherever they begin: a reply is unpacked in pieces."""
    parts = [random.Random(k).randbytes(length) for k, length in enumerate(lengths)]
    packed = b"".join(map(gzip.compress, parts)) + bytes(9)  # padding, as gzip itself ignores it
    site.answers["/a"] = [answer(200, packed, Content_Encoding="gzip")]
    assert fetch(site).body == b"".join(parts)


def test_many_gzip_members_take_linear_time(site: Site) -> None:
    """Nothing is copied for each: that would be half a terabyte here."""
    packed = gzip.compress(b"") * 200_000 + gzip.compress(b"body")
    site.answers["/a"] = [answer(200, packed, Content_Encoding="gzip")]
    assert fetch(site).body == b"body"
