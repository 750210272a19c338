"""The server on its address: connections, time for headers, and a clean end."""

import asyncio
import os
import socket
from asyncio import TimerHandle, Transport
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pipeline.errors import NetworkError, UserError
from pipeline.serve.catalog import Catalog
from pipeline.serve.guard import Guard
from pipeline.serve.pool import Pool
from pipeline.serve.serve_limits import HEADER_SECONDS, IDLE_SECONDS, MOST_CONNECTIONS
from pipeline.serve.server_app import application

BACKLOG = 256
"""Connections that wait to be accepted."""

END_SECONDS = 3
"""How long replies on their way are given at the end."""


class Prompt(H11Protocol):
    """A connection that is closed unless each request's headers come within HEADER_SECONDS; uvicorn waits for ever."""

    headers_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """A connection has been opened."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """A connection has ended."""
        self._disarm()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Have the clock run while headers are awaited of which something has come, or no request came yet."""
        awaited = self.cycle is None or self.cycle.response_complete
        if not awaited:
            self._disarm()
        elif self.headers_timer is None:
            self.headers_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _disarm(self) -> None:
        if self.headers_timer is not None:
            self.headers_timer.cancel()
            self.headers_timer = None


def door(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 takes a free one. A UserError says why it can't be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise UserError(f"--host {host} is no address of this machine: {error.strerror or error}") from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        raise NetworkError(
            f"can't listen at {host}:{port}: {os.strerror(error.errno or 0).lower()}; choose another --port"
        ) from None
    return opened


def names_of(host: str) -> frozenset[str]:
    """The names that a server at this host may be asked by, addresses aside."""
    names = {"localhost", host, socket.gethostname(), socket.getfqdn()}
    return frozenset(name.lower() for name in names)


def run(opened: socket.socket, held: AbstractAsyncContextManager[Guard], ready: Callable[[], None]) -> None:
    """Serve an application at an opened door until Ctrl-C or a terminate signal. `ready` is called once it can answer.

    Raises what `held` raises, KeyboardInterrupt if it is to end before it is ready.
    """
    served = False

    def ready_now() -> None:
        nonlocal served
        served = True
        ready()

    try:
        asyncio.run(_serve(opened, held, ready_now))
    except KeyboardInterrupt:  # uvicorn raises the signal anew once it has ended
        if not served:
            raise


@asynccontextmanager
async def solving(host: str, catalog: Catalog | None, cpus: int, cpu_limit: float) -> AsyncIterator[Guard]:
    """The application over a pool of workers. Raises StorageError if workers can't be had."""
    pool = Pool(cpus)
    await pool.start()
    try:
        yield application(pool, catalog, cpu_limit, names_of(host))
    finally:
        await pool.close()


async def _serve(opened: socket.socket, held: AbstractAsyncContextManager[Guard], ready: Callable[[], None]) -> None:
    async with held as served:
        settings: dict[str, Any] = {
            "lifespan": "off",
            "log_level": "error",
            "access_log": False,
            "server_header": False,
            "proxy_headers": False,
            "ws": "none",
            "loop": "asyncio",
        }
        config = uvicorn.Config(
            served,
            http=Prompt,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
            **settings,
        )
        ready()
        await uvicorn.Server(config).serve([opened])
