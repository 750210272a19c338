"""One deadline for a whole exchange.

The libraries' timeouts are for each piece that is read, so a site that sends a byte now and then could go on for ever.
Here every read from a connection, of headers as of bodies, has no more time than is left.
"""

import io
import math
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http.client import HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import ConnectionPool

_end: ContextVar[float] = ContextVar("the monotonic time at which an exchange has to end", default=math.inf)


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    """An exchange, which has so many seconds."""
    token = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(token)


def is_over() -> bool:
    """Whether the exchange under way has used up its time."""
    return time.monotonic() >= _end.get()


class DeadlineAdapter(HTTPAdapter):
    """The adapter of requests with connections that keep to the deadline."""

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> ConnectionPool:
        """The pool of connections to a host."""
        pool = super().get_connection_with_tls_context(*arguments, **options)
        assert isinstance(pool, HTTPConnectionPool)
        pool.ConnectionCls = _SecureConnection if pool.scheme == "https" else _Connection
        return pool


class _Reader(io.RawIOBase):
    """What comes from a socket; each piece has as long as the socket has, and no longer than the exchange."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        self._sock, self._raw = sock, raw
        self._patience = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = _end.get() - time.monotonic()
        if left <= 0:
            raise TimeoutError("the exchange took too long")
        self._sock.settimeout(left if self._patience is None else min(self._patience, left))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """Headers and body by a `_Reader`."""

    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp = io.BufferedReader(_Reader(sock, self.fp.detach()))


class _Connection(HTTPConnection):
    response_class = _Response


class _SecureConnection(HTTPSConnection):
    response_class = _Response
