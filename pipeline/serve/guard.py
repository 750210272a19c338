"""What stands before every request: who may ask, how much and how fast, and what every reply says to browsers.

A page of another site may not use the server through somebody's browser: the Host has to be this machine's (or else a
name of an attacker's could be pointed here, DNS rebinding), a POST's Origin that of the page, and its content type one
that browsers ask for before they send it across sites. The validator alone takes forms, whose Origin browsers tell.
"""

import asyncio
import ipaddress
import json
import re
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from pipeline.serve.serve_limits import BODY_SECONDS, MOST_BODY, MOST_HELD, MOST_REQUESTS, REPLY_SECONDS

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

CHANGING = ("POST", "PUT", "PATCH", "DELETE")
CONTENT_TYPES = ("application/json", "application/octet-stream")

VALIDATOR, FORMS = "/validate", ("application/x-www-form-urlencoded",)
"""Where forms are sent, as programs did to pbnsolve.cgi. A GET does work there too."""

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

TOO_LARGE = f"a request may have {MOST_BODY >> 20} MiB"

RETRY_SECONDS = 2
"""What a client is asked to wait for where the server is busy."""


class Refused(Exception):
    """A request that is not answered: its status, and why, in a line."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Guard:
    """An application behind the rules above. `names` are the hosts that the server is known by, in small letters."""

    def __init__(self, app: Application, names: frozenset[str]) -> None:
        self.app = app
        self.names = names
        self.requests = 0
        self.held = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def reply(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", []), *HEADERS]
            async with asyncio.timeout(REPLY_SECONDS):
                await send(message)

        self.requests += 1
        body = bytearray()
        try:
            if self.requests > MOST_REQUESTS:
                raise Refused(503, "the server is busy")
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            self._check(scope["method"], scope["path"], headers)
            if scope["method"] in CHANGING:
                async with asyncio.timeout(BODY_SECONDS):
                    await self._read(body, headers.get("content-length", "0"), receive)
            await self.app(scope, _again(bytes(body), receive), reply)
        except Refused as refused:
            await _refuse(reply, refused.status, str(refused))
        except TimeoutError:
            if not begun:
                await _refuse(reply, 408, f"the request has not come within {BODY_SECONDS:g} seconds")
        except ConnectionError:
            return  # the client has gone
        except Exception:
            print(f"nonocensus serve: {scope['method']} failed\n{traceback.format_exc()}", file=sys.stderr, end="")
            if not begun:
                await _refuse(reply, 500, "the server has failed; its log says where")
        finally:
            self.requests -= 1
            self.held -= len(body)

    def _check(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Raise Refused unless a request may come from where it does."""
        host = headers.get("host", "")
        if not self._known(host):
            raise Refused(421, "this server is asked by an address of its own or as localhost; --host gives it a name")
        if method not in CHANGING and path != VALIDATOR:
            return
        origin = headers.get("origin")
        if (origin is not None and urlsplit(origin).netloc != host) or headers.get("sec-fetch-site") == "cross-site":
            raise Refused(403, "pages of other sites may not ask this server")
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        known = FORMS if path == VALIDATOR else CONTENT_TYPES
        if method in CHANGING and method != "DELETE" and kind not in known:
            raise Refused(415, f"the content type has to be {' or '.join(known)}")

    def _known(self, host: str) -> bool:
        """Whether a Host is a name of this server, or an address, for which no DNS is asked."""
        found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^\[\]:@/]+))(?::\d{1,5})?", host)
        if not found:
            return False
        name = (found[1] or found[2]).lower()
        if name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _read(self, body: bytearray, length: str, receive: Receive) -> None:
        """Read a request's body, no more of it than is allowed, and not if all bodies together are too much.

        Raises Refused, and ConnectionError if the client goes away.
        """
        if not re.fullmatch(r"\d{1,12}", length):
            raise Refused(400, "the content length is no number")
        if int(length) > MOST_BODY:
            raise Refused(413, TOO_LARGE)
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            part = message.get("body", b"")
            if len(body) + len(part) > MOST_BODY:
                raise Refused(413, TOO_LARGE)
            if self.held + len(part) > MOST_HELD:
                raise Refused(503, "the server is busy")
            body += part
            self.held += len(part)
            more = message.get("more_body", False)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body for the application, and after it whatever comes."""
    told = False

    async def messages() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return messages


async def _refuse(send: Send, status: int, reason: str) -> None:
    """One line as JSON. The connection is closed: what the client still sends is not read."""
    content = json.dumps({"detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    headers.append((b"connection", b"close"))
    if status == 503:
        headers.append((b"retry-after", str(RETRY_SECONDS).encode()))
    try:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})
    except (TimeoutError, ConnectionError):
        return
