"""One HTTP connection: requests with a total deadline, bodies of bounded size.

The libraries' timeouts apply to each read, so a site that sends a byte now and then could keep a request open for
ever. Here every read, of headers and bodies, gets no more time than is left of the exchange.
"""

import io
import math
import socket
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from http.client import HTTPResponse
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import ConnectionPool

from nonocensus.scrapers.http.messages import FailedAttempt, HttpLimits, Request, format_size, host_of

READ_BYTES = 1 << 16
"""Largest read from a connection."""

DECOMPRESS_BYTES = 1 << 12
"""Compressed bytes per call of zlib."""

GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
"""zlib's window size that detects the header."""

_deadline: ContextVar[float] = ContextVar("monotonic time at which the exchange must end", default=math.inf)


@contextmanager
def deadline_after(seconds: float) -> Iterator[None]:
    """Limit the exchange in this block."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def is_past_deadline() -> bool:
    """Check whether the current exchange has used up its time."""
    return time.monotonic() >= _deadline.get()


class Connection:
    """A connection with cookies, opened on demand and reopened after the site has closed it."""

    def __init__(self, user_agent: str, limits: HttpLimits) -> None:
        self._session = _session(user_agent)
        self._timeouts = min(limits.connect_timeout, limits.total_timeout), limits.read_timeout
        self._environments: dict[str, Mapping[str, Any]] = {}  # by host

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def send(self, request: Request, headers: Mapping[str, str]) -> requests.Response:
        """Send a request and return the response with its body unread."""
        method = "GET" if request.form is None else "POST"
        session = self._session
        prepared = session.prepare_request(requests.Request(method, request.url, headers=headers, data=request.form))
        settings = self._environment(request.url)
        # session.send would read the body of a redirect without limits
        response = session.get_adapter(request.url).send(
            prepared,
            stream=True,
            timeout=self._timeouts,
            verify=settings["verify"] or True,
            proxies=settings["proxies"],
        )
        _acknowledge(response)
        # some sites begin a new session for every request without their cookie
        extract_cookies_to_jar(session.cookies, prepared, response.raw)  # type: ignore[no-untyped-call]
        return response

    def _environment(self, url: str) -> Mapping[str, Any]:
        """Return the environment's proxies and certificates, cached since the lookup takes 0.3 ms."""
        host = host_of(url)
        if host not in self._environments:
            self._environments[host] = self._session.merge_environment_settings(url, {}, True, None, None)
        return self._environments[host]


def _session(user_agent: str) -> requests.Session:
    session = requests.Session()
    # urllib3 detects a damaged gzip stream but not a truncated one, so read_body decompresses, and only gzip
    session.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
    session.auth = lambda prepared: prepared  # else passwords of ~/.netrc would be sent
    for scheme in ("http://", "https://"):
        session.mount(scheme, _DeadlineAdapter(pool_maxsize=1))
    return session


def _acknowledge(response: requests.Response) -> None:
    """Acknowledge the headers at once.

    A server that sends headers and body separately, as Python's http.server does, may hold the body until then
    (Nagle's algorithm), while Linux delays the ACK by 40 ms: 22 replies a second from the loopback instead of 1,800.
    """
    sock = getattr(response.raw.connection, "sock", None)
    if sock is not None and hasattr(socket, "TCP_QUICKACK"):
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


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
    if size == 0 and has_no_length and status == 200:
        # this is how a reply looks that was cut off in its headers
        return FailedAttempt("reply broke off", status)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if size == 0 or encoding in ("", "identity"):
        return b"".join(parts)
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return FailedAttempt(f"unsupported content encoding: {encoding[:40]!r}", status, can_retry=False)
    return _decompress(b"".join(parts), max_bytes, too_large)


def _decompress(compressed: bytes, max_bytes: int, too_large: FailedAttempt) -> bytes | FailedAttempt:
    """Decompress all concatenated gzip members (RFC 1952, 2.2); anything else between them is damage.

    Works in small chunks: zlib copies what follows a member, and there may be a million empty ones.
    """
    decompressor = zlib.decompressobj(GZIP_OR_ZLIB)
    parts: list[bytes] = []
    left = max_bytes
    for start in range(0, len(compressed), DECOMPRESS_BYTES):
        chunk = compressed[start : start + DECOMPRESS_BYTES]
        while chunk:
            if decompressor.eof:
                decompressor = zlib.decompressobj(GZIP_OR_ZLIB)
            try:
                parts.append(decompressor.decompress(chunk, left + 1))
            except zlib.error:
                return too_large._replace(reason="reply damaged", can_retry=True)
            left -= len(parts[-1])
            if left < 0:
                return too_large
            chunk = decompressor.unused_data
    if not decompressor.eof:
        return too_large._replace(reason="reply broke off", can_retry=True)
    return b"".join(parts)


class _DeadlineAdapter(HTTPAdapter):
    """The adapter of requests with connections that keep the deadline."""

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> ConnectionPool:
        """Return the connection pool of a host."""
        pool = super().get_connection_with_tls_context(*arguments, **options)
        assert isinstance(pool, HTTPConnectionPool)
        pool.ConnectionCls = _DeadlineHttpsConnection if pool.scheme == "https" else _DeadlineHttpConnection
        return pool


class _DeadlineReader(io.RawIOBase):
    """Reads of a socket, each limited by the socket's timeout and the deadline."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        self._sock, self._raw = sock, raw
        self._timeout = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = _deadline.get() - time.monotonic()
        if left <= 0:
            raise TimeoutError("the exchange took too long")
        self._sock.settimeout(left if self._timeout is None else min(self._timeout, left))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _DeadlineResponse(HTTPResponse):
    """A response read through _DeadlineReader."""

    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp = io.BufferedReader(_DeadlineReader(sock, self.fp.detach()))


class _DeadlineHttpConnection(HTTPConnection):
    response_class = _DeadlineResponse


class _DeadlineHttpsConnection(HTTPSConnection):
    response_class = _DeadlineResponse
