"""One HTTP connection: requests with a total deadline, bodies and cookies of bounded size.

The libraries' timeouts apply to each read, so a site that sends a byte now and then could keep a request open for
ever. Here a timer shuts the socket down when the time of the exchange is over, so that a blocked read returns.
"""

import gzip
import io
import os
import socket
import threading
import zlib
from contextlib import suppress
from contextvars import ContextVar
from http.cookiejar import CookieJar
from typing import Any, Self

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import ConnectionPool

from nonocensus.scrapers.http.messages import FailedAttempt, format_size

READ_BYTES = 1 << 16
"""Largest read from a connection."""

MAX_COOKIES, MAX_COOKIE_BYTES = 20, 4096
"""Cookies of a session, and the bytes of their names and values together; sites refuse longer headers."""


class Deadline:
    """The deadline of the exchange in a block, from connecting to the last byte."""

    def __init__(self, seconds: float) -> None:
        self.is_past = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._token = _deadline.set(self)
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        _deadline.reset(self._token)

    def watch(self, sock: socket.socket) -> None:
        """Shut this socket down at the deadline. Connecting has a timeout of its own."""
        self._socket = sock
        self.check()

    def check(self) -> None:
        """Raise TimeoutError after the deadline: what was read until then may look complete."""
        if self.is_past:
            raise TimeoutError("the exchange took too long")

    def _end(self) -> None:
        self.is_past = True
        if self._socket is not None:
            # a duplicate, since shutdown of a TLS socket changes its state under the thread that reads
            with suppress(OSError), socket.socket(fileno=os.dup(self._socket.fileno())) as duplicate:
                duplicate.shutdown(socket.SHUT_RDWR)


_deadline: ContextVar[Deadline] = ContextVar("deadline of the current exchange")


def open_session(user_agent: str) -> requests.Session:
    """Return a session with one connection to each host, whose requests are sent within a `Deadline`."""
    session = _Session()
    # urllib3 detects a damaged gzip stream but not a truncated one, so read_body decompresses, and only gzip
    session.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
    session.auth = lambda prepared: prepared  # else passwords of ~/.netrc would be sent
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(pool_maxsize=1))
    return session


class _Session(requests.Session):
    """A session that neither follows redirects nor reads their bodies, which requests does without limits."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 (its name is the library's)
        return


class _Adapter(HTTPAdapter):
    """The adapter of requests with connections that keep the deadline."""

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> ConnectionPool:
        """Return the connection pool of a host."""
        pool = super().get_connection_with_tls_context(*arguments, **options)
        assert isinstance(pool, HTTPConnectionPool)
        pool.ConnectionCls = _SecureConnection if pool.scheme == "https" else _PlainConnection
        return pool


class _PlainConnection(HTTPConnection):
    """A connection whose headers come before the deadline."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as urllib3's own
        deadline = _deadline.get()
        deadline.watch(self.sock)
        response = super().getresponse()
        deadline.check()
        return response


class _SecureConnection(_PlainConnection, HTTPSConnection):
    """The same over TLS."""


def limit_cookies(cookies: CookieJar) -> None:
    """Drop the oldest cookies beyond MAX_COOKIES and MAX_COOKIE_BYTES."""
    count = size = 0
    for cookie in reversed(list(cookies)):
        longer = size + len(cookie.name) + len(cookie.value or "")
        if count < MAX_COOKIES and longer <= MAX_COOKIE_BYTES:
            count, size = count + 1, longer
        else:
            cookies.clear(cookie.domain, cookie.path, cookie.name)


def read_body(response: requests.Response, max_bytes: int) -> bytes | FailedAttempt:
    """Return the whole body, decompressed. Raises the libraries' exceptions if the connection fails."""
    status = response.status_code
    too_large = FailedAttempt(f"reply larger than {format_size(max_bytes)}", status, can_retry=False)
    raw, parts, size = response.raw, [], 0
    has_no_length = raw.length_remaining is None and not raw.chunked
    if (raw.length_remaining or 0) > max_bytes:
        return too_large
    # read1 returns what has arrived, while read and stream wait for the full size
    while part := raw.read1(READ_BYTES, decode_content=False):
        size += len(part)
        if size > max_bytes:
            return too_large
        parts.append(part)
    _deadline.get().check()
    if size == 0 and has_no_length and status == 200:
        # this is how a reply looks that was cut off in its headers
        return FailedAttempt("reply broke off", status)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if size == 0 or encoding in ("", "identity"):
        return b"".join(parts)
    if encoding not in ("gzip", "x-gzip"):
        return FailedAttempt(f"unsupported content encoding: {encoding[:40]!r}", status, can_retry=False)
    return _decompress(b"".join(parts), max_bytes, too_large)


def _decompress(compressed: bytes, max_bytes: int, too_large: FailedAttempt) -> bytes | FailedAttempt:
    """Decompress all concatenated gzip members (RFC 1952, 2.2); anything but zeros between them is damage."""
    try:
        with gzip.open(io.BytesIO(compressed)) as stream:
            body = stream.read(max_bytes + 1)
    except EOFError:
        return too_large._replace(reason="reply broke off", can_retry=True)
    except (OSError, zlib.error):
        return too_large._replace(reason="reply damaged", can_retry=True)
    return body if len(body) <= max_bytes else too_large
