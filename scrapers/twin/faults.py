"""How the twin misbehaves: replies of every wrong kind, at random."""

import asyncio
import itertools
import socket
import struct
import time
from collections.abc import Iterator
from email.utils import formatdate
from random import Random
from typing import NamedTuple

from aiohttp import web

from scrapers.twin.replies import Page, webpbn_page

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
"""The ways of misbehaving; `Faults` says what they are."""

BURST = 3
"""Replies with status 503 in a row."""

DRIPS = 8
"""Pieces in which a slow reply comes."""


class Faults(NamedTuple):
    """How the twin misbehaves, at random: the same seed makes the same sequence, whatever is asked for.

    rate          share of the replies at which trouble begins, 0 to 1. /robots.txt is always right
    kinds         what happens then, each as likely as the others:
                  429, 429-date     status 429 with Retry-After in seconds or as a date, which cuts off part of a second
                  500               status 500
                  503-burst         status 503, and for the next two requests as well
                  reset             the connection is reset without a reply
                  slow              the body comes in eight pieces
                  truncated         the connection is closed before the end of the body
                  wrong-length      Content-Length is less than the body has, so the reply seems to be complete
                  wrong-encoding    the body is in UTF-16, or is as always and said to be
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


class Trouble(NamedTuple):
    """A fault, and a random number below 1 that says how it goes."""

    kind: str
    chance: float


def checked(faults: Faults) -> Faults:
    """The faults. Raises ValueError for kinds that there are not, and numbers that make no sense."""
    unknown = sorted(set(faults.kinds) - set(KINDS))
    if unknown or not faults.kinds:
        raise ValueError(f"faults are of the kinds {', '.join(KINDS)}, not {', '.join(unknown) or 'none'}")
    if not 0 <= faults.rate <= 1:
        raise ValueError(f"the rate of faults is a share from 0 to 1, not {faults.rate}")
    if not (faults.retry_after >= 0 and faults.pause >= 0):
        raise ValueError(f"faults can't wait for {min(faults.retry_after, faults.pause):g} seconds")
    return faults


def troubles(faults: Faults) -> Iterator[Trouble | None]:
    """What happens to one request after the other; None is no trouble."""
    random = Random(faults.seed)
    while True:
        if random.random() >= faults.rate:
            yield None
            continue
        trouble = Trouble(random.choice(faults.kinds), random.random())
        yield from itertools.repeat(trouble, BURST if trouble.kind == "503-burst" else 1)


async def misbehave(request: web.BaseRequest, page: Page, trouble: Trouble, faults: Faults) -> web.StreamResponse:
    """Answer a request wrongly, where the page would have been right."""
    body = page.body
    match trouble.kind:
        case "429":
            return _refusal(429, "Too many requests", str(faults.retry_after))
        case "429-date":
            return _refusal(429, "Too many requests", formatdate(time.time() + faults.retry_after, usegmt=True))
        case "500":
            return _refusal(500, "Internal server error")
        case "503-burst":
            return _refusal(503, "Service unavailable")
        case "reset":
            return _broken_off(request, b"", reset=True)
        case "slow":
            return await _slow(request, page, faults.pause)
        case "truncated":
            return _broken_off(request, _head(page, len(body)) + body[: int(trouble.chance * len(body))])
        case "wrong-length":
            return _broken_off(request, _head(page, int(trouble.chance * len(body))) + body)
        case "wrong-encoding":
            return _wrongly_encoded(page, lying=trouble.chance < 0.5)
        case "redirect-circle":
            return redirect(1)
        case "html-error":
            what = "<p>The server has met a problem. Please try again later.</p>"
            return _untagged("Software error", what)
        case _:
            what = "<form method=post action=/login.cgi><input name=user><input name=password type=password></form>"
            return _untagged("Please log in", what)


def _refusal(status: int, words: str, retry_after: str | None = None) -> web.Response:
    return web.Response(status=status, text=f"{words}\n", headers={"Retry-After": retry_after} if retry_after else {})


def _untagged(title: str, content: str) -> web.Response:
    return web.Response(body=webpbn_page(title, content), headers={"Content-Type": "text/html"})


def _head(page: Page, length: int) -> bytes:
    """What goes before the body, with a length that may not be its own.

    It announces that the connection will be closed, or the client might use it for another request in this moment.
    """
    words = "OK" if page.status == 200 else "Not Found"
    lines = (
        f"HTTP/1.1 {page.status} {words}",
        f"Content-Type: {page.kind}",
        f"Content-Length: {length}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode("ascii")


def _broken_off(request: web.BaseRequest, sent: bytes, reset: bool = False) -> web.Response:
    """Sends these bytes and nothing after them, behind the back of the library."""
    transport = request.transport
    if transport is not None:
        transport.write(sent)
        if reset:
            # to linger for no time means: what is not sent is lost, and the other side is told so
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        else:
            transport.close()
    return web.Response()  # which the library finds no connection for


async def _slow(request: web.BaseRequest, page: Page, pause: float) -> web.StreamResponse:
    response = web.StreamResponse(status=page.status, headers={"Content-Type": page.kind})
    response.content_length = len(page.body)
    await response.prepare(request)
    size = -(-len(page.body) // DRIPS)
    for start in range(0, len(page.body), size):
        await response.write(page.body[start : start + size])
        await asyncio.sleep(pause)
    await response.write_eof()
    return response


def _wrongly_encoded(page: Page, lying: bool) -> web.Response:
    if lying:
        kind = f"{page.kind.partition(';')[0]}; charset=utf-16"
        return web.Response(status=page.status, body=page.body, headers={"Content-Type": kind})
    body = page.body.decode(page.encoding).encode("utf-16")
    return web.Response(status=page.status, body=body, headers={"Content-Type": page.kind})


def redirect(place: int) -> web.Response:
    """From one place of the circle, 1 or 2, to the other."""
    return web.Response(status=302, headers={"Location": f"/circle/{3 - place}"})
