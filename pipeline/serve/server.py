"""The server process: its socket, connections, and shutdown."""

import asyncio
import errno
import os
import socket

import uvicorn

from nonocensus.pipeline.errors import NetworkError, UserError
from nonocensus.pipeline.serve.catalog import Catalog
from nonocensus.pipeline.serve.guard import Guard
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.serve_limits import IDLE_SECONDS, MAX_CONNECTIONS, REPLY_PIECE, REPLY_SECONDS
from nonocensus.pipeline.serve.server_app import application

BACKLOG = 256
"""Length of the queue of connections to accept."""

DRAIN_SECONDS, SHUTDOWN_SECONDS = 5, 8
"""At shutdown: time for jobs that clients wait for, and for all replies; Docker kills after 10 seconds."""


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
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux: each connection is aborted if nothing is read for so long
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * REPLY_SECONDS))
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
        http="h11",
        lifespan="off",
        log_level="critical",  # the guard prints errors
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
