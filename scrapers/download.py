"""Download of one file, as politely as a crawl, kept in memory only.

Only https is allowed, except for this machine: the file becomes puzzles attributed to that site.
"""

from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from nonocensus.scrapers.archives.source_file import clean_name, name_in_url
from nonocensus.scrapers.http import (
    HostUnreachable,
    HttpLimits,
    PoliteSession,
    Reply,
    Request,
    RequestFailed,
)
from nonocensus.scrapers.http.messages import format_status, is_loopback, normalize_url
from nonocensus.scrapers.http.polite_session import contact_for
from nonocensus.scrapers.http.throttle import MIN_RATE
from nonocensus.scrapers.url import Url, redact

MAX_DOWNLOAD = 128 << 20
"""Bytes of a file. webpbn.com's whole archive is 0.3 GB of XML, a tenth of that compressed."""

LIMITS = HttpLimits(attempts=3, total_timeout=900.0, max_wait=60.0, max_bytes=MAX_DOWNLOAD)
"""128 MiB in a quarter of an hour are one megabit a second."""


class DownloadError(Exception):
    """A file that can't be downloaded: the URL and the reason in one line, without secrets."""

    def __init__(self, message: str) -> None:
        super().__init__(redact(message))


def check_url(url: str, contact: str | None) -> str:
    """Return the contact for a URL. Raises ValueError if the URL or the contact is not allowed."""
    normalize_url(url)
    if not _is_allowed(url):
        raise ValueError(f"{url[:200]}: files are downloaded by https only")
    return contact_for([url], contact)


def download(url: str, contact: str | None) -> tuple[str, bytes]:
    """Return a file's name and bytes.

    The name is that of Content-Disposition, or the last part of the final URL. Redirects may lead to other sites, as
    those of releases and mirrors do, but not from https to http, and not to this machine.

    Raises:
        DownloadError: There is no file, or it can't be fetched.

    """
    try:
        checked_contact = check_url(url, contact)
        rate = 0.0 if is_loopback(url) else MIN_RATE
        with PoliteSession(checked_contact, rate=rate, limits=LIMITS, can_redirect=_can_redirect) as session:
            reply = session.fetch(Request(Url(url).secret))
    except (RequestFailed, HostUnreachable, ValueError) as error:
        raise DownloadError(str(error)) from error
    if reply.status != 200:
        raise DownloadError(f"{reply.url}: {format_status(reply.status)}")
    return _file_name(reply), reply.body


def _file_name(reply: Reply) -> str:
    headers = Message()
    headers["content-disposition"] = reply.headers.get("content-disposition", "")
    return PurePosixPath(clean_name(headers.get_filename() or "")).name or name_in_url(reply.url)


def _is_allowed(url: str) -> bool:
    return urlsplit(url).scheme.lower() == "https" or is_loopback(url)


def _can_redirect(old: str, new: str) -> bool:
    return _is_allowed(new) and is_loopback(old) == is_loopback(new)
