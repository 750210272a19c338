"""The server process: its socket, connections, header timeout and shutdown."""

import asyncio
import errno
import os
import socket
from asyncio import TimerHandle, Transport
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from nonocensus.pipeline.errors import NetworkError, UserError
from nonocensus.pipeline.serve.catalog import Catalog
from nonocensus.pipeline.serve.guard import Guard
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.serve_limits import HEADER_SECONDS, IDLE_SECONDS, MAX_CONNECTIONS
from nonocensus.pipeline.serve.server_app import application

App = tuple[WorkerPool, Guard]
"""The workers, and the application over them."""

BACKLOG = 256
"""Length of the queue of connections to accept."""

DRAIN_SECONDS, SHUTDOWN_SECONDS = 5, 8
"""At shutdown: time for jobs that clients wait for, and for all replies; Docker kills after 10 seconds."""


class TimedProtocol(H11Protocol):
    """A connection that closes unless a request's headers arrive within HEADER_SECONDS; uvicorn has no such timeout."""

    headers_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        """Start or stop the timer."""
        super().data_received(data)
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _update_timer(self) -> None:
        """Run the timer while headers are incomplete, or before the first request."""
        awaited = self.cycle is None or self.cycle.response_complete
        if not awaited:
            self._stop_timer()
        elif self.headers_timer is None:
            self.headers_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self.headers_timer is not None:
            self.headers_timer.cancel()
            self.headers_timer = None


class DrainingServer(uvicorn.Server):
    """A server that lets jobs end before it stops, within DRAIN_SECONDS."""

    def __init__(self, config: uvicorn.Config, pool: WorkerPool) -> None:
        super().__init__(config)
        self.pool = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and reply to the requests that are open."""
        draining = asyncio.create_task(self.pool.drain(DRAIN_SECONDS))
        try:
            await super().shutdown(sockets)
        finally:
            draining.cancel()


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any free one. Raises UserError or NetworkError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise UserError(f"--host {host}: not an address of this machine: {error.strerror or error}") from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        option = "--host" if error.errno == errno.EADDRNOTAVAIL else "--port"
        raise NetworkError(
            f"can't listen at {host}:{port}: {os.strerror(error.errno or 0).lower()}; choose another {option}"
        ) from None
    return opened


def host_names(host: str) -> frozenset[str]:
    """Return the names of a server that is bound to a host, addresses aside."""
    names = {"localhost", host, socket.gethostname(), socket.getfqdn()}
    return frozenset(name.lower() for name in names)


def run(opened: socket.socket, app: AbstractAsyncContextManager[App], on_ready: Callable[[], None]) -> None:
    """Serve an application on a bound socket until Ctrl-C or a termination signal; `on_ready` comes before requests.

    At the end, requests get their replies, and jobs that take longer than DRAIN_SECONDS are cancelled.

    Raises what `app` raises, and KeyboardInterrupt if it is interrupted before it is ready.
    """
    has_started = False

    def on_start() -> None:
        nonlocal has_started
        has_started = True
        on_ready()

    try:
        asyncio.run(_serve(opened, app, on_start))
    except KeyboardInterrupt:  # uvicorn raises the signal again after its shutdown
        if not has_started:
            raise


@asynccontextmanager
async def open_app(host: str, catalog: Catalog | None, cpus: int, cpu_limit: float) -> AsyncIterator[App]:
    """Start the workers; return them and the application. Raises StorageError if a worker does not start."""
    pool = WorkerPool(cpus)
    await pool.start()
    try:
        yield pool, application(pool, catalog, cpu_limit, host_names(host))
    finally:
        await pool.close()


async def _serve(opened: socket.socket, app: AbstractAsyncContextManager[App], on_ready: Callable[[], None]) -> None:
    async with app as (pool, guard):
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
            guard,
            http=TimedProtocol,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            **settings,
        )
        on_ready()
        await DrainingServer(config, pool).serve([opened])
