"""The twin with fault injection and request counts."""

import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from threading import Lock
from typing import NamedTuple

from misbehaving import answer, then_close

from nonocensus.scrapers.formats.nonograms_org import missing_page
from nonocensus.scrapers.twin import TwinArchive, TwinServer
from nonocensus.scrapers.twin.replies import TwinReply, webpbn_page
from nonocensus.scrapers.twin.twin_server import TwinHandler

KINDS = ("500", "reset", "slow", "truncated", "wrong-length", "html-error", "login-page")
"""The kinds of faults; `Faults` describes them. tests/scrapers/http has every other way to misbehave."""

DRIPS = 8
"""Writes of a slow reply."""

PAGES = {
    "html-error": ("Software error", "<p>The server has met a problem. Please try again later.</p>"),
    "login-page": ("Please log in", "<form method=post action=/login.cgi><input name=password type=password></form>"),
}
"""Pages with status 200 without a puzzle: title and content."""


NOTICE = b'<div class="error_block">There is no such page.</div>'
DELETED = missing_page().replace(NOTICE, b'<div style="color:red;font-size:16px;">The puzzle is deleted.</div>')
ADULT = missing_page().replace(NOTICE, b'<h1><span class="nonogram_title_adult">For adults</span></h1>')
"""Pages of nonograms.org in place of a puzzle, sent with status 200."""


def unpublished(*numbers: int) -> dict[str, bytes]:
    """Return what webpbn sends in place of these puzzles."""
    return {f"webpbn/{number}": f"Puzzle {number} has not been published\n".encode() for number in numbers}


class Faults(NamedTuple):
    """Random faults; the sequence depends only on the seed.

    rate          ratio of replies with a fault, 0 to 1; /robots.txt has none
    kinds         kinds of faults, equally likely:
                  500            status 500
                  reset          the connection is reset without a reply
                  slow           the body is sent in eight writes
                  truncated      the connection is closed before the end of the body
                  wrong-length   Content-Length is less than the body, so the reply seems complete
                  html-error     an error page with status 200
                  login-page     a login form with status 200
    seed          of the random numbers
    pause         seconds between the writes of a slow body
    """

    rate: float
    kinds: tuple[str, ...] = KINDS
    seed: int = 0
    pause: float = 0.05

    def sequence(self) -> Iterator[tuple[str, float] | None]:
        """Yield the fault of each request: a kind and an extent below 1, or None."""
        random = Random(self.seed)
        while True:
            if random.random() >= self.rate:
                yield None
            else:
                yield random.choice(self.kinds), random.random()


@contextmanager
def serve(
    archive: TwinArchive,
    port: int = 0,
    faults: Faults = Faults(0.0),  # noqa: B008
    crawl_delay: float | None = None,
    counts: Counter[str] | None = None,
    pages: Mapping[str, bytes] | None = None,
) -> Iterator[str]:
    """Serve a twin within the block; yield its URL.

    counts   requests by page, as `reply_to` names them
    pages    by their names those that replace the twin's
    """
    with FaultyTwin(archive, port, crawl_delay, faults, counts, pages or {}).running() as address:
        yield address


class FaultyTwin(TwinServer):
    """A twin with faults and counts."""

    def __init__(
        self,
        archive: TwinArchive,
        port: int,
        crawl_delay: float | None,
        faults: Faults,
        counts: Counter[str] | None,
        pages: Mapping[str, bytes],
    ) -> None:
        super().__init__(archive, port, crawl_delay)
        self._faults, self._pages, self._lock = faults, pages, Lock()
        self._counts = Counter[str]() if counts is None else counts
        self._sequence = faults.sequence()

    def answer(self, handler: TwinHandler, path: str, fields: dict[str, str]) -> None:
        page, reply = self.reply(path, fields)
        if page in self._pages:
            reply = TwinReply(self._pages[page], "text/html; charset=utf-8", 200, "")
        with self._lock:
            fault = None if page == "robots" else next(self._sequence)
            self._counts[page] += 1
        if fault:
            self._misbehave(handler, reply, *fault)
        else:
            handler.send(reply)

    def _misbehave(self, handler: TwinHandler, reply: TwinReply, kind: str, extent: float) -> None:
        """Send a faulty version of a reply."""
        body, size = reply.body, len(reply.body)
        part, step = int(extent * size), -(-size // DRIPS)
        match kind:
            case "500":
                handler.respond(500, b"Internal server error\n", {})
            case "reset":
                _reset(handler)
            case "slow":
                handler.connection.sendall(answer(reply.status, Content_Length=str(size)))
                for start in range(0, size, step):
                    handler.connection.sendall(body[start : start + step])
                    time.sleep(self._faults.pause)
            case "truncated" | "wrong-length":
                sent, declared = (body[:part], size) if kind == "truncated" else (body, part)
                # announced, else the client might just send another request
                broken = answer(reply.status, sent, Content_Length=str(declared), Connection="close")
                then_close(broken)(handler.connection)
                handler.close_connection = True
            case _:
                handler.send(webpbn_page(*PAGES[kind])._replace(tag=""))


def _reset(handler: TwinHandler) -> None:
    """Reset the connection: closing it with a linger time of 0 sends RST."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    os.close(handler.connection.detach())  # close() waits for the files made of the socket
