"""Replies that come in drips."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from misbehaving import Answer, Site, answer, dripping, fetch, polite

from nonocensus.scrapers.http import HostUnreachable, Request, RequestFailed

HEADERS = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Drips: "
SLOW = {
    "length": (answer(200, Content_Length="4000"), 200),
    "chunk": (answer(200, b"fa0\r\n", Transfer_Encoding="chunked", Content_Length=""), 200),
    "line of a chunk": (answer(200, b"1;", Transfer_Encoding="chunked", Content_Length=""), 200),
    "trailer": (answer(200, b"1\r\na\r\n0\r\nX: ", Transfer_Encoding="chunked", Content_Length=""), 200),
    "until it closes": (answer(200, Content_Length=""), 200),
    "status line": (b"HTTP/1.1 20", None),
    "headers": (HEADERS, None),
    "many headers": (b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + b"HTTP/1.1 200 OK\r\nX: ", None),
}


@pytest.mark.parametrize(("start", "status"), SLOW.values(), ids=SLOW)
def test_slow_reply_ends_at_total_timeout(site: Site, start: bytes, status: int | None) -> None:
    """Whether headers or the body are slow."""
    site.answers["/a"] = [dripping(start, 3000, 0.02)]
    begun = time.monotonic()
    with pytest.raises(RequestFailed, match=r"reply not complete after 1 s, 2 times$") as failed:
        fetch(site, attempts=2, total_timeout=1.0 if status else 0.2)
    assert failed.value.status == status
    assert time.monotonic() - begun < 30


def test_slow_headers_over_tls_end_at_total_timeout(
    secure_site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    secure, certificate = secure_site
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    secure.answers["/a"] = [dripping(HEADERS, 3000, 0.02)]
    with pytest.raises(RequestFailed, match=r"reply not complete after 1 s$"):
        fetch(secure, attempts=1, total_timeout=1.0)


def test_slow_tls_handshake_ends_at_total_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=drip_tls, args=(door,), daemon=True).start()
        begun = time.monotonic()
        with (
            polite(attempts=1, total_timeout=0.5) as session,
            pytest.raises(HostUnreachable, match="not complete after 1 s;"),
        ):
            session.fetch(Request(f"https://127.0.0.1:{door.getsockname()[1]}/a"))
    assert time.monotonic() - begun < 15


def drip_tls(door: socket.socket) -> None:
    """The head of a server's hello, and its rest in drips."""
    connection, _ = door.accept()
    with connection, contextlib.suppress(OSError):
        dripping(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03", 1000, 0.02)(connection)


class Timer:
    """A timer of a deadline; `advance` runs those that are due."""

    running: ClassVar[list["Timer"]] = []

    def __init__(self, seconds: float, function: Callable[[], None]) -> None:
        self.left, self.function = seconds, function

    def start(self) -> None:
        self.running.append(self)

    def cancel(self) -> None:
        self.running.remove(self)


def advance(seconds: float) -> None:
    for timer in Timer.running:
        timer.left -= seconds
        if timer.left <= 0:
            timer.function()


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Timer, "running", [])
    monkeypatch.setattr("nonocensus.scrapers.http.connection.threading.Timer", Timer)


def slow(seconds: float) -> Answer:
    """Headers that take so long, and a body that takes as long again."""

    def act(connection: socket.socket) -> bytes:
        headers = answer(200, Content_Length="4")
        connection.sendall(headers[:20])
        advance(seconds)
        connection.sendall(headers[20:])
        advance(seconds)
        return b"body"

    return act


@pytest.mark.usefixtures("timers")
def test_total_timeout_covers_headers_and_body(site: Site) -> None:
    """Either alone would be in time."""
    site.answers["/a"] = [slow(65)]
    with pytest.raises(RequestFailed, match=r"reply not complete after 120 s$"):
        fetch(site, attempts=1, total_timeout=120.0)


@pytest.mark.usefixtures("timers")
def test_total_timeout_is_per_exchange(site: Site) -> None:
    site.answers["/a"] = [slow(25)]
    with polite(total_timeout=120.0) as session:
        for _ in range(4):
            assert session.fetch(Request(f"{site.url}/a")).body == b"body"
            advance(200)
    assert {asked.connection for asked in site.asked} == {1}
