"""The one connection: who asks, forms, cookies, and no waiting."""

from pathlib import Path

import pytest
from misbehaving import Site, answer, polite

from nonocensus.scrapers.http import Request


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
