"""The way between a page and an application, which a test may cut: servers that end and come back, lost replies."""

import json
import socket
import threading
from typing import Any, NamedTuple

import uvicorn

from pipeline.serve.server import door


class Exchange(NamedTuple):
    """A request to the API, and the status of its reply; None where that was lost on the way."""

    path: str
    asked: dict[str, Any]
    status: int | None
    answer: dict[str, Any]


class Wire:
    """The way to an application: it notes what goes over it, may lose replies, and may answer itself.

    losing    how many replies to moves get lost
    refusing  statuses of the next replies to moves, which do not get to the application
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        self.exchanges: list[Exchange] = []
        self.losing = 0
        self.refusing: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, as ASGI has it."""
        if not scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        body = b""
        more = scope["method"] == "POST"
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        asked = json.loads(body or "{}")
        path = scope["path"].removeprefix("/api/")
        replies: list[dict[str, Any]] = []

        async def keep(message: dict[str, Any]) -> None:
            replies.append(message)

        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> dict[str, Any]:
            return messages.pop() if messages else {"type": "http.disconnect"}

        moves = path == "study/moves"
        if moves and self.refusing:
            content, status = b'{"detail": "no", "kept": 0}', self.refusing.pop(0)
            headers = [(b"content-type", b"application/json")]
            replies.append({"type": "http.response.start", "status": status, "headers": headers})
            replies.append({"type": "http.response.body", "body": content})
        else:
            await self.app(scope, again, keep)
        status = replies[0]["status"]
        answer = json.loads(b"".join(message.get("body", b"") for message in replies[1:]))
        lost = moves and self.losing > 0
        self.exchanges.append(Exchange(path, asked, None if lost else status, answer))
        if lost:
            self.losing -= 1
            headers = [(b"content-length", b"9"), (b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            return  # the connection is closed in the middle of the reply
        for message in replies:
            await send(message)

    def paths(self) -> list[str]:
        """What was asked for."""
        return [exchange.path for exchange in self.exchanges]

    def given(self) -> dict[str, Any]:
        """What was last said of the puzzle that comes next."""
        return next(
            answer for path, _, status, answer in reversed(self.exchanges) if (path, status) == ("study/next", 200)
        )

    def acts(self, number: int) -> list[dict[str, Any]]:
        """The acts of an attempt that the server has confirmed, each with its time; the last person's."""
        found: list[dict[str, Any]] = []
        secret = next(each.answer["secret"] for each in reversed(self.exchanges) if each.path == "study/consent")
        for path, asked, status, answer in self.exchanges:
            if path != "study/moves" or asked["secret"] != secret or asked["number"] != number:
                continue
            if status not in (200, None) or "kept" not in answer:
                continue
            assert asked["first"] <= len(found), "a gap"
            for place, act in enumerate(asked["acts"], asked["first"]):
                if place < len(found):
                    assert found[place] == act
                else:
                    found.append(act)
        assert [act["at"] for act in found] == sorted(act["at"] for act in found)
        return found

    def done(self, number: int) -> list[tuple[str, list[int], str]]:
        """The same without the times."""
        return [(act["kind"], act["cells"], act["values"]) for act in self.acts(number)]


class Running(NamedTuple):
    server: uvicorn.Server
    thread: threading.Thread


class Place:
    """A server that can be ended, and started again at the same address."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.port = 0
        self.running: Running | None = None
        self.start()

    def start(self) -> None:
        opened: socket.socket = door("127.0.0.1", self.port)
        self.port = opened.getsockname()[1]
        config = uvicorn.Config(
            self.wire, lifespan="off", log_level="critical", http="h11", ws="none", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([opened],))
        thread.start()
        self.running = Running(server, thread)

    def stop(self) -> None:
        if self.running:
            self.running.server.should_exit = True
            self.running.thread.join()
            self.running = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"
