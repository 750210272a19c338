"""Checks of every request: origin, size and speed; the security headers of every reply; access log and metrics.

A page of another site must not use the server through a user's browser (CSRF): the Host has to be this machine's (else
an attacker could point a name of their own here, DNS rebinding), a POST's Origin that of the page, and its content type
one for which browsers send a preflight request across sites. Only the validator accepts forms, for which browsers send
an Origin.
"""

import asyncio
import ipaddress
import logging
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from fastapi.responses import JSONResponse

from nonocensus.pipeline.prometheus import Histogram
from nonocensus.pipeline.serve.serve_limits import BODY_SECONDS, MAX_BODY, MAX_HELD, MAX_REQUESTS, REPLY_PIECE
from nonocensus.scrapers.url import redact

LOG = logging.getLogger("nonocensus.serve")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

CHANGING = ("POST", "PUT", "PATCH", "DELETE")
CONTENT_TYPES = ("application/json", "application/octet-stream")

VALIDATOR, FORMS = "/validate", ("application/x-www-form-urlencoded",)
"""The path that accepts forms, as pbnsolve.cgi did. A GET starts work there too."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

TOO_LARGE = f"the request is too large: at most {MAX_BODY >> 20} MiB"

DISCONNECTED = 499
"""Status, as of nginx, of a request whose client has disconnected before a reply."""

BUSY, RETRY = "the server is busy", {"Retry-After": "2"}
"""The detail and the header of a 503 reply."""

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 60.0)
"""Bucket bounds of request durations, in seconds."""


class RequestMetrics:
    """Counts and durations of the requests that a server has replied to."""

    def __init__(self) -> None:
        self.requests = Counter[tuple[str, str]]()
        self.durations: dict[str, Histogram] = {}

    def observe(self, route: str, status: int, started: float) -> float:
        """Count a request that began at a time of the monotonic clock; returns its seconds."""
        seconds = time.monotonic() - started
        self.requests[route, str(status)] += 1
        self.durations.setdefault(route, Histogram(BOUNDS)).observe(seconds)
        return seconds


class Guard:
    """An ASGI application behind these checks; `names` are the server's host names in lower case."""

    def __init__(self, app: Application, names: frozenset[str], metrics: RequestMetrics) -> None:
        self.app = app
        self.names = names
        self.metrics = metrics
        self.requests = 0
        self.held = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, sent = time.monotonic(), DISCONNECTED, 0

        async def reply(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), *HEADERS]
            body = memoryview(message.pop("body", b""))
            sent += len(body)
            while len(body) > REPLY_PIECE:
                await send({"type": "http.response.body", "body": body[:REPLY_PIECE], "more_body": True})
                body = body[REPLY_PIECE:]
            await send({**message, "body": body})

        try:
            await self._handle(scope, receive, reply, lambda: status != DISCONNECTED)
        finally:
            route = getattr(scope.get("route"), "path", "")
            seconds = self.metrics.observe(route, status, started)
            client, path = (scope.get("client") or ["-"])[0], ascii(scope["path"])[1:-1]
            LOG.info("%s %s %s %d %d bytes %.3f s", client, scope["method"], path, status, sent, seconds)

    async def _handle(self, scope: Message, receive: Receive, reply: Send, has_started: Callable[[], bool]) -> None:
        """Check a request, and let the application reply to it."""
        self.requests += 1
        body = bytearray()
        try:
            if self.requests > MAX_REQUESTS:
                raise HTTPException(503, BUSY, RETRY)
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            self._check(scope["method"], scope["path"], headers)
            if scope["method"] in CHANGING:
                try:
                    async with asyncio.timeout(BODY_SECONDS):
                        await self._read(body, headers.get("content-length", "0"), receive)
                except TimeoutError:
                    raise HTTPException(408, f"the request was not received within {BODY_SECONDS:g} seconds") from None
            await self.app(scope, _replay(bytes(body), receive), reply)
        except HTTPException as refused:
            await self._refuse(refused, scope, receive, reply)
        except ConnectionError:
            return  # the client has disconnected
        except Exception:
            print(
                f"nonocensus serve: {scope['method']} failed\n{redact(traceback.format_exc())}", file=sys.stderr, end=""
            )
            if not has_started():
                await self._refuse(HTTPException(500, "internal error"), scope, receive, reply)
        finally:
            self.requests -= 1
            self.held -= len(body)

    @staticmethod
    async def _refuse(refused: HTTPException, scope: Message, receive: Receive, reply: Send) -> None:
        """Send the reason as JSON and close the connection: the rest of the body is not read."""
        headers = {"connection": "close", **(refused.headers or {})}
        await JSONResponse({"detail": refused.detail}, refused.status_code, headers)(scope, receive, reply)

    def _check(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Raise HTTPException for a wrong host, origin or content type."""
        host = headers.get("host", "")
        if not self._is_known(host):
            raise HTTPException(421, "unknown host: use localhost or an address; --host gives the server a name")
        if method not in CHANGING and path != VALIDATOR:
            return
        origin = headers.get("origin")
        if (origin is not None and urlsplit(origin).netloc != host) or headers.get("sec-fetch-site") == "cross-site":
            raise HTTPException(403, "pages of other sites may not use this server")
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        known = FORMS if path == VALIDATOR else CONTENT_TYPES
        if method in CHANGING and method != "DELETE" and kind not in known:
            raise HTTPException(415, f"the content type must be {' or '.join(known)}")

    def _is_known(self, host: str) -> bool:
        """Return whether a Host is a name of this server, or an address, which needs no DNS."""
        found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^\[\]:@/]+))(?::\d{1,5})?", host)
        if not found:
            return False
        name = (found[1] or found[2]).lower()
        with suppress(ValueError):
            return name in self.names or ipaddress.ip_address(name) is not None
        return False

    async def _read(self, body: bytearray, length: str, receive: Receive) -> None:
        """Read a request's body, within MAX_BODY, and MAX_HELD for all bodies.

        Raises HTTPException beyond these, and ConnectionError if the client disconnects.
        """
        if not re.fullmatch(r"\d{1,12}", length) or int(length) > MAX_BODY:
            raise HTTPException(413, TOO_LARGE)
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            part = message.get("body", b"")
            if len(body) + len(part) > MAX_BODY:
                raise HTTPException(413, TOO_LARGE)
            if self.held + len(part) > MAX_HELD:
                raise HTTPException(503, BUSY, RETRY)
            body += part
            self.held += len(part)
            more = message.get("more_body", False)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first returns the body, then what the server receives."""
    is_sent = False

    async def messages() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return messages
