"""Bodies: too long, cut, packed."""

import gzip
import random
import zlib

import pytest
from misbehaving import Site, answer, fetch, polite, then_close

from nonocensus.scrapers.http import Request, RequestFailed


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
