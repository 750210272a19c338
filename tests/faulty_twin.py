"""The twin with fault injection: it counts requests and fails on demand."""

import itertools
import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from random import Random
from threading import Lock
from typing import NamedTuple

from scrapers.twin import Archive, TwinServer
from scrapers.twin.replies import Ask, Page, webpbn_page
from scrapers.twin.twin_server import TwinHandler

KINDS: tuple[str, ...] = (
    "429",
    "429-date",
    "500",
    "503-burst",
    "reset",
    "slow",
    "truncated",
    "wrong-length",
    "wrong-encoding",
    "redirect-circle",
    "html-error",
    "login-page",
)
"""The kinds of faults; `Faults` describes them."""

BURST = 3
"""Replies with status 503 in a row."""

DRIPS = 8
"""Pieces in which a slow reply comes."""

PAGES = {
    "html-error": ("Software error", "<p>The server has met a problem. Please try again later.</p>"),
    "login-page": ("Please log in", "<form method=post action=/login.cgi><input name=password type=password></form>"),
}
"""Pages with status 200 that are no puzzles: title and content."""


class Faults(NamedTuple):
    """Faults at random: the same seed makes the same sequence, whatever is asked for.

    rate          share of the replies at which a fault begins, 0 to 1. /robots.txt is always right
    kinds         what happens then, each as likely as the others:
                  429, 429-date     status 429 with Retry-After in seconds or as a date, which cuts off part of a second
                  500               status 500
                  503-burst         status 503, and for the next two requests as well
                  reset             the connection is reset without a reply
                  slow              the body comes in eight pieces
                  truncated         the connection is closed before the end of the body
                  wrong-length      Content-Length is less than the body has, so the reply seems to be complete
                  wrong-encoding    the body is in UTF-16, or is as always and declared so
                  redirect-circle   a redirect into a circle
                  html-error        an error page with status 200
                  login-page        a login form with status 200
    seed          of the random numbers
    retry_after   seconds, for 429
    pause         seconds between the pieces of a slow body
    """

    rate: float
    kinds: tuple[str, ...] = KINDS
    seed: int = 0
    retry_after: int = 1
    pause: float = 0.05

    def sequence(self) -> Iterator[tuple[str, float] | None]:
        """What happens to one request after the other: a kind and a number below 1 for its extent; None is no fault."""
        random = Random(self.seed)
        while True:
            if random.random() >= self.rate:
                yield None
                continue
            kind, extent = random.choice(self.kinds), random.random()
            yield from itertools.repeat((kind, extent), BURST if kind == "503-burst" else 1)


@dataclass(frozen=True)
class Counts:
    """What a twin has been asked, readable at any time.

    asked      requests, by what they asked for: webpbn/N, nonograms/N and nonograms2/N for puzzles, else `Ask.what`
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
    faults: Faults = Faults(0.0),  # noqa: B008
    crawl_delay: float | None = None,
    counts: Counts | None = None,
) -> Iterator[str]:
    """A twin while the block lasts; yields its address."""
    with FaultyTwin(archive, port, crawl_delay, faults, counts or Counts()).running() as address:
        yield address


class FaultyTwin(TwinServer):
    """A twin with faults and counts."""

    def __init__(self, archive: Archive, port: int, crawl_delay: float | None, faults: Faults, counts: Counts) -> None:
        super().__init__(archive, port, crawl_delay)
        self._faults, self._counts, self._lock = faults, counts, Lock()
        self._sequence = faults.sequence()

    def answer(self, handler: TwinHandler, ask: Ask) -> None:
        name = f"{ask.what}/{ask.number}" if ask.what in ("webpbn", "nonograms", "nonograms2") else ask.what
        if handler.path.startswith("/circle/"):
            handler.respond(302, b"", {"Location": "/circle/2" if handler.path.endswith("1") else "/circle/1"})
            return
        with self._lock:
            fault = None if ask.what == "robots" else next(self._sequence)
            self._counts.asked[name] += 1
            if fault:
                self._counts.faults[fault[0]] += 1
            else:
                self._counts.answered[name] += 1
        if fault:
            self._misbehave(handler, self.page(ask), *fault)
        else:
            super().answer(handler, ask)

    def _misbehave(self, handler: TwinHandler, page: Page, kind: str, extent: float) -> None:
        """Answer wrongly where the page would have been right."""
        after, size = self._faults.retry_after, len(page.body)
        match kind:
            case "429":
                handler.respond(429, b"Too many requests\n", {"Retry-After": str(after)})
            case "429-date":
                date = formatdate(time.time() + after, usegmt=True)
                handler.respond(429, b"Too many requests\n", {"Retry-After": date})
            case "500":
                handler.respond(500, b"Internal server error\n", {})
            case "503-burst":
                handler.respond(503, b"Service unavailable\n", {})
            case "reset":
                _reset(handler)
            case "slow":
                _drip(handler, page, self._faults.pause)
            case "truncated":
                _break_off(handler, page, size, int(extent * size))
            case "wrong-length":
                _break_off(handler, page, int(extent * size), size)
            case "wrong-encoding":
                handler.send(_misencoded(page, lying=extent < 0.5))
            case "redirect-circle":
                handler.respond(302, b"", {"Location": "/circle/2"})
            case _:
                handler.send(webpbn_page(*PAGES[kind])._replace(tag=""))


def _reset(handler: TwinHandler) -> None:
    """Reset the connection: to linger for no time makes closing it a reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    os.close(handler.connection.detach())  # close() would wait for the files that were made of the socket


def _break_off(handler: TwinHandler, page: Page, declared: int, sent: int) -> None:
    """Declare a length, send part of the body, close the connection.

    That is announced, or the client might use the connection for another request in this moment.
    """
    handler.send_response(page.status)
    for name, value in {"Content-Type": page.kind, "Content-Length": str(declared), "Connection": "close"}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(page.body[:sent])


def _drip(handler: TwinHandler, page: Page, pause: float) -> None:
    handler.send_response(page.status)
    handler.send_header("Content-Type", page.kind)
    handler.send_header("Content-Length", str(len(page.body)))
    handler.end_headers()
    size = -(-len(page.body) // DRIPS)
    for start in range(0, len(page.body), size):
        handler.wfile.write(page.body[start : start + size])
        handler.wfile.flush()
        time.sleep(pause)


def _misencoded(page: Page, lying: bool) -> Page:
    if lying:
        return page._replace(kind=f"{page.kind.partition(';')[0]}; charset=utf-16", tag="")
    encoding = "utf-8" if "utf-8" in page.kind else "cp1252"
    return page._replace(body=page.body.decode(encoding).encode("utf-16"), tag="")
