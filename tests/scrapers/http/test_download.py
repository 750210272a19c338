"""Files from addresses: what they are called, and every way in which there is none."""

import re
from pathlib import Path

import pytest
from archived import tar_of, zip_of
from misbehaving import Site, answer, robots, then_close

from nonocensus.scrapers import download
from nonocensus.scrapers.archives.source_file import SourceFile, is_url, name_in_url
from nonocensus.scrapers.download import check_url
from nonocensus.scrapers.files import count_files, files_in

ARCHIVE = zip_of({"a.non": b"a"})


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LIMITS", download.LIMITS._replace(attempts=1, max_bytes=1 << 20))


def found_at(url: str, contact: str | None = None) -> list[SourceFile]:
    return list(files_in([url], contact))


def error_at(url: str, contact: str | None = None) -> str:
    (file,) = found_at(url, contact)
    assert file.data is None
    return file.error or ""


@pytest.mark.parametrize(
    ("path", "headers", "name"),
    [
        ("/sub/set.zip?key=1", {}, "set.zip"),
        ("/s%C3%A9t.zip", {}, "sét.zip"),
        ("/", {}, "127.0.0.1:"),
        ("/get", {"Content_Disposition": 'attachment; filename="set.zip"'}, "set.zip"),
        ("/get", {"Content_Disposition": "attachment; filename*=UTF-8''s%C3%A9t.zip"}, "sét.zip"),
        ("/get", {"Content_Disposition": 'attachment; filename="../../etc/passwd"'}, "passwd"),
        ("/get", {"Content_Disposition": "inline"}, "get"),
    ],
)
def test_archive_is_named_by_reply_or_url(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, headers: dict[str, str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    site.answers[path] = [answer(200, ARCHIVE, **headers)]
    (file,) = found_at(site.url + path)
    assert file.name.startswith(name)
    assert (file.name.rpartition("/")[2], file.data) == ("a.non", b"a")
    assert count_files([site.url + path]) is None
    assert list(tmp_path.iterdir()) == []
    assert [asked.path for asked in site.asked] == ["/robots.txt", path]


def test_urls_and_local_files_can_be_mixed(site: Site, tmp_path: Path) -> None:
    (tmp_path / "b.non").write_bytes(b"b")
    site.answers |= {"/a.non": [answer(200, b"a")], "/c.tgz": [answer(200, tar_of({"c.non": b"c"}, "w:gz"))]}
    found = list(files_in([f"{site.url}/a.non", tmp_path / "b.non", f"{site.url}/c.tgz"]))
    assert found == [SourceFile("a.non", b"a"), SourceFile("b.non", b"b"), SourceFile("c.tgz/c.non", b"c")]


def test_redirects_are_followed(site: Site) -> None:
    other = Site()
    site.answers["/a"] = [answer(302, Location=f"http://localhost:{other.port}/real.zip")]
    other.answers["/real.zip"] = [answer(200, ARCHIVE)]
    assert found_at(f"{site.url}/a") == [SourceFile("real.zip/a.non", b"a")]
    other.close()
    site.answers["/a"] = [answer(302, Location="https://other.test/real.zip")]
    assert error_at(f"{site.url}/a") == f"{site.url}/a: redirected to https://other.test/real.zip (a login page?)"


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [
        ("https://a.test/x", "https://b.test/x", True),
        ("https://a.test/x", "http://a.test/x", False),
        ("https://a.test/x", "http://127.0.0.1/x", False),
        ("https://a.test/x", "https://localhost/x", False),
        ("http://127.0.0.1:1/x", "http://localhost:2/x", True),
        ("http://127.0.0.1:1/x", "https://a.test/x", False),
        ("https://a.test/x", "an address that is not http or https", False),
    ],
)
def test_redirects_leave_neither_https_nor_this_machine(old: str, new: str, may: bool) -> None:
    assert download._can_redirect(old, new) is may


def test_redirect_from_https_to_http_is_refused(
    secure_site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, certificate = secure_site
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    monkeypatch.setattr(download, "_is_allowed", lambda url: url.startswith("https:"))
    site.answers |= {"/a.zip": [answer(200, ARCHIVE)], "/b": [answer(301, Location="http://127.0.0.1/b.zip")]}
    assert found_at(f"{site.url}/a.zip") == [SourceFile("a.zip/a.non", b"a")]
    assert error_at(f"{site.url}/b") == f"{site.url}/b: redirected to http://127.0.0.1/b.zip (not https)"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (answer(404), "404 Not Found"),
        (answer(503), "503 Service Unavailable"),
        (answer(204), "204 No Content"),
        (answer(200, bytes((1 << 20) + 1)), "reply larger than 1 MB"),
        (then_close(answer(200, ARCHIVE[:-9], Content_Length=str(len(ARCHIVE)))), "reply broke off"),
        (then_close(b""), "connection closed without a reply"),
    ],
)
def test_failed_download_gives_reason(site: Site, reply: bytes, error: str) -> None:
    site.answers["/a.zip"] = [reply]
    assert found_at(f"{site.url}/a.zip") == [SourceFile("a.zip", None, f"{site.url}/a.zip: {error}")]


def test_download_honours_robots_txt(site: Site) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /")]
    assert error_at(f"{site.url}/a.zip").endswith(f"disallowed by {site.url}/robots.txt")
    assert site.paths() == []


def test_invalid_url_or_contact_is_refused() -> None:
    for url, contact, error in [
        ("http://other.test/a.zip", "me@example.org", "http://other.test/a.zip: files are downloaded by https only"),
        ("https://other.test/a.zip", None, "give --contact, or set NONOCENSUS_CONTACT: an e-mail or web address"),
        ("https://other.test/a.zip", "me", "contact must be an e-mail address"),
        ("https://", "me@example.org", "'https://' is not an http or https address"),
        ("https://[::1/a.zip", "me@example.org", "'https://[::1/a.zip' is not an http or https address"),
    ]:
        with pytest.raises(ValueError, match=re.escape(error)):
            check_url(url, contact)
        assert error_at(url, contact).startswith(error)
    assert error_at("https://unknown.test/a.zip", "me@example.org").startswith(
        "unknown.test: its name can't be looked up"
    )


def test_only_http_and_https_are_urls() -> None:
    assert [path for path in ("https://a/b", "HTTP://a", "s3://a/b", "a.zip", "https:/a") if is_url(path)] == [
        "https://a/b",
        "HTTP://a",
    ]
    assert not is_url(Path("https://a/b"))
    assert name_in_url("https://a.test/x/..%2f..%2f\x1b[31m") == "\ufffd[31m"
