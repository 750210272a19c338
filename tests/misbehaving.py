"""A site on the loopback that misbehaves in every way it can think of, and sessions to ask it with."""

import contextlib
import gzip
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from nonocensus.scrapers.http import HttpLimits, PoliteSession, Reply, Request

NAMES = {"127.0.0.1", "localhost", "www.localhost", "puzzles.test", "www.puzzles.test", "other.test"}
"""Names of the loopback; others are not known, and no name server is asked."""

Answer = bytes | Callable[[socket.socket], bytes | None]
"""What is sent, or what is done with the connection; after nothing is sent it is closed."""


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int


class Site:
    """A web site with a script: for each path a list of answers, of which the last stays."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.answers: dict[str, list[Answer]] = {"/robots.txt": [answer(404)]}
        self.asked: list[Asked] = []
        self.connections: list[socket.socket] = []
        self.tls = tls
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self.open, daemon=True).start()

    def open(self) -> None:
        while True:
            try:
                connection, _ = self.door.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection, len(self.connections)), daemon=True).start()

    def serve(self, connection: socket.socket, number: int) -> None:
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            elif connection.recv(1, socket.MSG_PEEK) == b"\x16":  # TLS handshake
                connection.recv(1 << 16)
                connection.sendall(answer(400))
                connection.close()
                return
            with connection, connection.makefile("rb") as lines:
                while len(first := lines.readline().decode("latin-1").split()) == 3:
                    headers = dict(iter(lambda: header(lines.readline()), ("", "")))
                    body = lines.read(int(headers.get("content-length", "0")))
                    self.asked.append(Asked(*first[:2], headers, body, number))
                    if not (reply := self.answer(first[1], connection)):
                        return
                    connection.sendall(reply)
        except (OSError, ValueError):
            return

    def answer(self, path: str, connection: socket.socket) -> bytes | None:
        answers = self.answers.get(path) or [answer(404)]
        now = answers.pop(0) if len(answers) > 1 else answers[0]
        return now if isinstance(now, bytes) else now(connection)

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.door.shutdown(socket.SHUT_RDWR)  # or else the thread would go on accepting
        self.door.close()
        for connection in self.connections:
            connection.close()


def header(line: bytes) -> tuple[str, str]:
    name, _, value = line.decode("latin-1").partition(":")
    return name.strip().lower(), value.strip()


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    headers = {"Content-Length": str(len(body))} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in headers.items() if value), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def then_close(reply: bytes) -> Answer:
    def act(connection: socket.socket) -> None:
        connection.sendall(reply)
        connection.shutdown(socket.SHUT_RDWR)

    return act


def then_reset(reply: bytes) -> Answer:
    def act(connection: socket.socket) -> None:
        connection.sendall(reply)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return act


def dripping(reply: bytes, drips: int, seconds: float) -> Answer:
    def act(connection: socket.socket) -> None:
        connection.sendall(reply)
        for _ in range(drips):
            connection.sendall(b"drip")
            time.sleep(seconds)

    return act


class Time:
    """A clock that only sleeping and the site move on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds

    def late(self, seconds: float, reply: bytes) -> Answer:
        def act(_: socket.socket) -> bytes:
            self.now += seconds
            return reply

        return act


def polite(**settings: Any) -> PoliteSession:
    """Return a session without pauses; limits go by their names."""
    limits = HttpLimits(**{name: settings.pop(name) for name in HttpLimits._fields if name in settings})
    return PoliteSession("me@example.org", **({"rate": 0.0, "limits": limits} | settings))


def timed(times: Time, **settings: Any) -> PoliteSession:
    return polite(**({"sleep": times.sleep, "clock": times.clock} | settings))


def fetch(site: Site, path: str = "/a", **settings: Any) -> Reply:
    with polite(**settings) as session:
        return session.fetch(Request(site.url + path))


def robots(*lines: str) -> bytes:
    return answer(200, "\n".join(lines).encode())


PASSING = {
    **{str(status): answer(status, b"busy") for status in (429, 500, 502, 503, 504, 520)},
    "no length": then_close(answer(503, b"busy", Content_Length="")),
    "reset": then_reset(b""),
    "reset in the body": then_reset(answer(200, b"hal", Content_Length="7")),
    "closed": then_close(b""),
    "truncated": then_close(answer(200, b"hal", Content_Length="7")),
    "truncated in a chunk": then_close(answer(200, b"7\r\nhal", Transfer_Encoding="chunked", Content_Length="")),
    "truncated between chunks": then_close(
        answer(200, b"3\r\nhal\r\n", Transfer_Encoding="chunked", Content_Length="")
    ),
    "truncated gzip": then_close(
        answer(200, gzip.compress(b"halves")[:-3], Content_Encoding="gzip", Content_Length="")
    ),
    "damaged gzip": answer(200, b"no gzip", Content_Encoding="gzip"),
    "gzip and more": answer(200, gzip.compress(b"half") + b"no gzip", Content_Encoding="gzip"),
    "gzip and half of another": answer(
        200, gzip.compress(b"half") + gzip.compress(b"other half")[:-3], Content_Encoding="gzip"
    ),
    "truncated headers": then_close(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "no HTTP": then_close(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "two lengths": answer(200, b"half", Content_Length="4, 7"),
}
