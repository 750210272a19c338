"""Requests, replies, URLs and the errors in place of a reply, with their wording."""

import ipaddress
import math
import socket
import ssl
from collections.abc import Iterator, Sequence
from datetime import datetime
from http.client import HTTPException, IncompleteRead, RemoteDisconnected, responses
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import requests
import urllib3
from requests.utils import requote_uri
from urllib3.exceptions import NewConnectionError
from urllib3.util import parse_url

CONNECTION_ERRORS = (OSError, HTTPException, urllib3.exceptions.HTTPError)
"""Raised by the libraries when an exchange fails; requests' own exceptions are OSErrors."""

YEAR = 365 * 24 * 3600
"""Seconds."""


class Request(NamedTuple):
    """A request: POST if it has a form, else GET."""

    url: str
    form: dict[str, str] | None = None


class Reply(NamedTuple):
    """A reply with any status but 429 and 5xx that is not a followed redirect.

    url       the final URL after redirects
    headers   by name in lower case; may mention gzip, though the body is decompressed
    seconds   latency, from sending the request to the last header
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    fetched_at: datetime
    seconds: float


class RequestFailed(Exception):
    """A request without a usable reply after all attempts; other requests may succeed.

    attempts      requests sent
    status        the last HTTP status, None without one
    retry_after   seconds that the site asked to wait, None if it did not
    """

    def __init__(
        self, message: str, attempts: int, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.status = status
        self.retry_after = retry_after


class RobotsDisallowed(RequestFailed):
    """A URL that robots.txt disallows, so no request was sent."""


class HostUnreachable(Exception):
    """A host that can't be reached, or whose robots.txt can't be read, so that further requests are pointless."""


class HttpLimits(NamedTuple):
    """Limits of a session; times are in seconds.

    attempts          per request
    connect_timeout   per address of a host, TLS handshake included
    read_timeout      between two reads of a reply
    total_timeout     of a whole exchange, from connecting to the last byte
    max_bytes         of a body, compressed or not
    max_delay         of the adaptive delay; a longer rate or Crawl-delay is still kept
    max_wait          for Retry-After (longer raises RequestFailed) and for backoff
    """

    attempts: int = 5
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    total_timeout: float = 120.0
    max_bytes: int = 16 << 20
    max_delay: float = 60.0
    max_wait: float = 900.0


DEFAULT_LIMITS = HttpLimits()


class FailedAttempt(NamedTuple):
    """Why an exchange brought no reply.

    can_retry     whether another attempt may succeed
    retry_after   seconds requested by Retry-After
    advice        what to do, set where no connection was made
    """

    reason: str
    status: int | None = None
    can_retry: bool = True
    retry_after: float | None = None
    advice: str | None = None


def normalize_url(url: str) -> str:
    """Return the URL as it is sent, with percent-encoded dots resolved, so that robots.txt rules match.

    Raises ValueError unless it is an http or https URL.
    """
    try:
        # the second pass resolves .. that the first one decoded from %2e%2e
        normal = parse_url(requote_uri(parse_url(url).url)).url
        if _is_http(urlsplit(normal)):
            return normal
    except (ValueError, requests.RequestException):
        pass
    raise ValueError(f"{url[:200]!r} is not an http or https address")


def host_of(url: str) -> str:
    """Return the host of a URL, with its port if it has one."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_loopback(url: str) -> bool:
    """Check for localhost, 127.0.0.0/8 and ::1 without looking up a name."""
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def is_same_site(old: str, new: str) -> bool:
    """Check for the same host, with or without www., and the same port, or an upgrade from http to https."""
    try:
        before, after = urlsplit(old), urlsplit(new)
        ports = [parts.port or {"http": 80, "https": 443}.get(parts.scheme) for parts in (before, after)]
    except ValueError:
        return False
    if not _is_http(after) or _bare_host(before) != _bare_host(after) or is_loopback(old) != is_loopback(new):
        return False
    return (before.scheme, after.scheme) == ("http", "https") or (before.scheme, ports[0]) == (after.scheme, ports[1])


def _is_http(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _bare_host(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")


def is_refusal(status: int) -> bool:
    """Check for 429 and 5xx, with which a site declines for now."""
    return status == 429 or status >= 500


def error_of_attempts(url: str, attempts: Sequence[FailedAttempt]) -> RequestFailed | HostUnreachable:
    """Return the exception for a request that is given up."""
    last, count = attempts[-1], len(attempts)
    reason = last.reason
    if count > 1:
        is_same = all(attempt.reason == last.reason for attempt in attempts)
        reason += f", {count} times" if is_same else f", the last of {count} attempts"
    if last.retry_after:
        reason += f", asks to wait {format_seconds(last.retry_after)}"
    if last.advice is not None:
        return HostUnreachable(f"{host_of(url)}: {reason}; {last.advice}")
    return RequestFailed(f"{url}: {reason}", count, last.status, last.retry_after)


def attempt_without_reply(error: Exception) -> FailedAttempt:
    """Describe an exchange that failed before its headers, with advice if no connection was made."""
    causes = list(_causes(error))
    if _first(causes, requests.exceptions.ProxyError):
        return FailedAttempt("the proxy refuses the connection", advice="check HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
    if _first(causes, socket.gaierror):
        return FailedAttempt("its name can't be looked up", advice="check the name, and this machine's network")
    if untrusted := _first(causes, ssl.SSLCertVerificationError):
        reason = f"its certificate can't be trusted ({untrusted.verify_message})"
        return FailedAttempt(reason, can_retry=False, advice="check this machine's clock and REQUESTS_CA_BUNDLE")
    if insecure := _first(causes, ssl.SSLError):
        detail = (insecure.reason or "no reason given").replace("_", " ").lower()
        return FailedAttempt(f"no secure connection (TLS: {detail})", advice="check that the site is served by https")
    if _first(causes, requests.exceptions.ConnectTimeout):
        return FailedAttempt("no connection in time", advice="check this machine's network, or try later")
    if _first(causes, ConnectionRefusedError):
        return FailedAttempt("connection refused", advice="the site seems to be down, try later")
    if refusal := _first(causes, NewConnectionError):
        detail = refusal.__cause__.strerror if isinstance(refusal.__cause__, OSError) else None
        return FailedAttempt(f"no connection ({detail or 'no reason given'})", advice="check this machine's network")
    return FailedAttempt(describe_connection_error(error))


def describe_connection_error(error: Exception) -> str:
    """Describe a failure of an open connection."""
    causes = list(_causes(error))
    if _first(causes, requests.exceptions.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
        return "no answer in time"
    if _first(causes, IncompleteRead):
        return "reply broke off"
    if _first(causes, RemoteDisconnected):
        return "connection closed without a reply"
    if _first(causes, ConnectionError):
        return "connection reset"
    if invalid := _first(causes, HTTPException):
        return f"invalid HTTP reply ({type(invalid).__name__})"
    return f"no reply ({' '.join(str(error).split())[:200]})"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes, in whichever attribute the libraries keep them."""
    queue, seen = [error], set[int]()
    while queue:
        cause = queue.pop(0)
        if id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            linked = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
            queue += [each for each in linked if isinstance(each, BaseException)]


def _first(causes: list[BaseException], *kinds: type[BaseException]) -> Any:
    return next((cause for cause in causes if isinstance(cause, kinds)), None)


def format_status(status: int) -> str:
    """Format as 404 Not Found."""
    return f"{status} {responses.get(status, '')}".strip()


def format_seconds(seconds: float) -> str:
    """Format as whole seconds, rounded up."""
    return f"{math.ceil(seconds):,} s" if seconds <= YEAR else "more than a year"


def format_size(count: int) -> str:
    """Format as bytes or MB."""
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count:,} bytes"
