"""The server process: its socket, connections, their timeouts, and shutdown."""

import asyncio
import errno
import os
import socket
from asyncio import TimerHandle, Transport

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from nonocensus.pipeline.errors import NetworkError, UserError
from nonocensus.pipeline.serve.catalog import Catalog
from nonocensus.pipeline.serve.guard import Guard
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.serve_limits import (
    HEADER_SECONDS,
    IDLE_SECONDS,
    MAX_CONNECTIONS,
    REPLY_PIECE,
    REPLY_SECONDS,
)
from nonocensus.pipeline.serve.server_app import application

BACKLOG = 256
"""Length of the queue of connections to accept."""

DRAIN_SECONDS, SHUTDOWN_SECONDS = 5, 8
"""At shutdown: time for jobs that clients wait for, and for all replies; Docker kills after 10 seconds."""


class TimedProtocol(H11Protocol):
    """A connection that is aborted if its client takes too long to send a request's headers, or to read a reply.

    uvicorn has no such timeouts. The transport keeps no more of a reply than the piece that was sent last.
    """

    limit: float | None = None
    timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request; writing is paused while anything is unread."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request's headers, or no longer."""
        super().data_received(data)
        self._update_timer()

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._update_timer()

    def resume_writing(self) -> None:
        """Wait for the next request if the reply is complete."""
        super().resume_writing()
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._set_timer(None)
        super().connection_lost(exc)

    def _update_timer(self) -> None:
        """Time what the client has to do next; a timer for the same thing runs on."""
        is_awaiting = self.cycle is None or self.cycle.response_complete
        limit = REPLY_SECONDS if self.flow.write_paused else HEADER_SECONDS if is_awaiting else None
        if limit != self.limit:
            self._set_timer(limit)

    def _set_timer(self, limit: float | None) -> None:
        if self.timer:
            self.timer.cancel()
        self.limit = limit
        self.timer = None if limit is None else self.loop.call_later(limit, self.transport.abort)


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
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REPLY_PIECE)  # of each connection
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


def run(
    opened: socket.socket, names: frozenset[str], catalog: Catalog | None, pool: WorkerPool, cpu_limit: float
) -> None:
    """Serve on a bound socket with a started pool until Ctrl-C or a termination signal.

    At the end, requests get their replies, and jobs that take longer than DRAIN_SECONDS are cancelled. Raises
    KeyboardInterrupt then: uvicorn raises the signal again after its shutdown.
    """
    asyncio.run(_serve(opened, pool, application(pool, catalog, cpu_limit, names)))


async def _serve(opened: socket.socket, pool: WorkerPool, guard: Guard) -> None:
    config = uvicorn.Config(
        guard,
        http=TimedProtocol,
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        loop="asyncio",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    sweeping = asyncio.create_task(pool.sweep())
    await DrainingServer(config, pool).serve([opened])
    sweeping.cancel()
