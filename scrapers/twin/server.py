"""The twin as a server on the loopback."""

import asyncio
import os
import signal
import socket
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from aiohttp import web

from scrapers.twin.faults import Faults, checked, misbehave, redirect, troubles
from scrapers.twin.puzzles import Archive
from scrapers.twin.replies import Ask, Page, ask_for, name_of, right_reply

HOST = "127.0.0.1"
"""The only address the twin listens at: it is no site for others."""

CACHE_BYTES = 32 << 20
"""Room for finished replies. Most have 5 to 10 KB."""

CACHE_OVERHEAD = 1000
"""Bytes, about, that a reply takes in the cache besides its body."""

PATIENCE = 0.05
"""Seconds that replies on their way are given when the twin is stopped."""


@dataclass(frozen=True)
class Counts:
    """What a twin has been asked, to be looked at any time.

    asked      requests, by what they asked for: webpbn/N, nonograms/N and nonograms2/N for puzzles, otherwise find,
               list, list2, search, form (export.cgi without go), robots, circle, nowhere
    answered   those of them that got a right reply
    faults     wrong replies, by kind
    """

    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


@contextmanager
def serve(
    archive: Archive,
    port: int = 0,
    faults: Faults | None = None,
    crawl_delay: float | None = None,
    counts: Counts | None = None,
) -> Iterator[str]:
    """The twin in a thread of its own as long as the block lasts; yields its address, such as http://127.0.0.1:8000.

    Port 0 takes one that is free. `crawl_delay` (seconds) is what robots.txt asks for. `counts` is kept up to date.
    Raises OSError if the port can't be had, ValueError for faults that can't be.
    """
    with _door(port) as door:
        twin = _Twin(archive, _address(door), faults, crawl_delay, counts or Counts())
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="twin", daemon=True)
        thread.start()
        try:
            runner = asyncio.run_coroutine_threadsafe(_opened(twin, door), loop).result()
            try:
                yield twin.base
            finally:
                asyncio.run_coroutine_threadsafe(_close(runner), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


def run_forever(
    archive: Archive,
    port: int,
    faults: Faults | None = None,
    crawl_delay: float | None = None,
    counts: Counts | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """The twin until Ctrl-C or SIGTERM; for the main thread only. `ready` is told the address once it listens.

    The rest is as for `serve`.
    """
    with _door(port) as door:
        twin = _Twin(archive, _address(door), faults, crawl_delay, counts or Counts())
        asyncio.run(_until_stopped(twin, door, ready))


async def _until_stopped(twin: "_Twin", door: socket.socket, ready: Callable[[str], None] | None) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    runner = await _opened(twin, door)
    try:
        if ready:
            ready(twin.base)
        await stopped.wait()
    finally:
        await _close(runner)


def _door(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise OSError(f"there is no port {port}")
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise OSError(f"can't listen at {HOST}:{port}: {os.strerror(error.errno or 0).lower()}") from None


def _address(door: socket.socket) -> str:
    return f"http://{HOST}:{door.getsockname()[1]}"


async def _opened(twin: "_Twin", door: socket.socket) -> web.ServerRunner:
    # not an Application: nothing of its router is needed
    runner = web.ServerRunner(web.Server(twin.answer, access_log=None), shutdown_timeout=PATIENCE)
    await runner.setup()
    await web.SockSite(runner, door).start()
    return runner


async def _close(runner: web.ServerRunner) -> None:
    await runner.cleanup()
    # the library has cancelled what it would not wait for, but not seen to its end
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class _Twin:
    """The state of a running twin: replies made so far, the faults to come, counts."""

    def __init__(
        self, archive: Archive, base: str, faults: Faults | None, crawl_delay: float | None, counts: Counts
    ) -> None:
        self.base = base
        self._archive, self._crawl_delay, self._counts = archive, crawl_delay, counts
        self._faults = checked(faults or Faults(0.0))
        self._troubles = troubles(self._faults)
        self._cache: OrderedDict[Ask, Page] = OrderedDict()
        self._cached_bytes = 0

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """The reply to a request, right or wrong."""
        ask = ask_for(request.path, await _form(request))
        name = name_of(ask)
        self._counts.asked[name] += 1
        if ask.what == "circle":
            return redirect(ask.number)
        trouble = None if ask.what == "robots" else next(self._troubles)
        if trouble:
            self._counts.faults[trouble.kind] += 1
            return await misbehave(request, self._page(ask), trouble, self._faults)
        self._counts.answered[name] += 1
        return _response(self._page(ask), request.headers.get("If-None-Match", ""))

    def _page(self, ask: Ask) -> Page:
        """The right reply, from the cache if it is there."""
        page = self._cache.get(ask)
        if page is not None:
            self._cache.move_to_end(ask)
            return page
        page = right_reply(ask, self._archive, self.base, self._crawl_delay)
        self._cache[ask] = page
        self._cached_bytes += len(page.body) + CACHE_OVERHEAD
        while self._cached_bytes > CACHE_BYTES:
            self._cached_bytes -= len(self._cache.popitem(last=False)[1].body) + CACHE_OVERHEAD
        return page


async def _form(request: web.BaseRequest) -> dict[str, str]:
    """The fields of the query and of a form. Both scripts of webpbn take them from either."""
    form = (await request.read()).decode("latin-1") if request.can_read_body else ""
    return {**request.query, **dict(parse_qsl(form, keep_blank_values=True))}


def _response(page: Page, known: str) -> web.Response:
    """The page, or 304 if the client has it. So it is for forms too, though HTTP means it for GET only."""
    headers = {"Content-Type": page.kind} | ({"ETag": page.tag} if page.tag else {})
    if page.tag and page.tag in (tag.strip().removeprefix("W/") for tag in known.split(",")):
        return web.Response(status=304, headers={"ETag": page.tag})
    return web.Response(status=page.status, body=page.body, headers=headers)
