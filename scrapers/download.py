"""One file from an address that somebody names, asked for as politely as a site is crawled.

It is kept in memory, and nowhere else. Only https will do: what comes is read as puzzles of whoever the address names.
This machine itself may be asked by http.
"""

from email.message import Message
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from scrapers.archives.member_names import clean
from scrapers.http import Failed, Forbidden, Limits, Polite, Reply, Request, Unreachable
from scrapers.http.addresses import is_loopback, normal
from scrapers.http.manners import SHORTEST_RATE, contact_for
from scrapers.http.wording import status_in_words

MOST_DOWNLOADED = 128 << 20
"""Bytes of a file. webpbn.com's whole archive has 0.3 GB as XML, a tenth of that packed."""

LIMITS = Limits(tries=3, total_timeout=900.0, longest_wait=60.0, most_bytes=MOST_DOWNLOADED)
"""A quarter of an hour for 128 MiB is a megabit a second."""


class NotDownloaded(Exception):
    """There is no file; one line says where and why."""


def is_address(path: str | Path) -> bool:
    """Whether a path is an address of the web, to be downloaded or refused, and no file, folder or store."""
    return isinstance(path, str) and path.lower().startswith(("https://", "http://"))


def check_address(url: str, contact: str | None) -> str:
    """The contact that the site of an address is told. Raises ValueError if either will not do; one line says why."""
    normal(url)
    if not _may_be_asked(url):
        raise ValueError(f"{url[:200]}: files are downloaded by https only")
    return contact_for([url], contact)


def download(url: str, contact: str | None) -> tuple[str, bytes]:
    """The name and the bytes of the file at an address. Raises NotDownloaded.

    Its name is what the reply calls it, or else the last part of the address that it was found at. Redirects may lead
    to other sites, as those of releases and mirrors do, but neither away from https nor to this machine.
    """
    try:
        told = check_address(url, contact)
        rate = 0.0 if is_loopback(url) else SHORTEST_RATE
        with Polite(told, rate=rate, limits=LIMITS, may_lead=_may_lead) as session:
            reply = session.fetch(Request(url))
    except (Failed, Forbidden, Unreachable, ValueError) as error:
        raise NotDownloaded(str(error)) from error
    if reply.status != 200:
        raise NotDownloaded(f"{reply.url}: {status_in_words(reply.status)}")
    return _name(reply), reply.body


def name_at(url: str) -> str:
    """The name of the file at an address, as far as the address tells: its last part, or its host."""
    host, _, path = url.partition("://")[2].partition("/")
    last = unquote(path.partition("?")[0].partition("#")[0].rpartition("/")[2])
    return clean(last).rpartition("/")[2] or clean(host)


def _name(reply: Reply) -> str:
    headers = Message()
    headers["content-disposition"] = reply.headers.get("content-disposition", "")
    return PurePosixPath(clean(headers.get_filename() or "")).name or name_at(reply.url)


def _may_be_asked(url: str) -> bool:
    return urlsplit(url).scheme.lower() == "https" or is_loopback(url)


def _may_lead(old: str, new: str) -> bool:
    return _may_be_asked(new) and is_loopback(old) == is_loopback(new)
