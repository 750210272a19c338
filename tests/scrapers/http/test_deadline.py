"""Replies that come in drips."""

import contextlib
import socket
import threading
import time
from pathlib import Path

import pytest
from misbehaving import Answer, Site, answer, dripping, fetch, polite

from nonocensus.scrapers.http import Request, RequestFailed, RobotsDisallowed

HEADERS = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Drips: "
SLOW = {
    "length": (answer(200, Content_Length="4000"), 200),
    "chunk": (answer(200, b"fa0\r\n", Transfer_Encoding="chunked", Content_Length=""), 200),
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
            pytest.raises(RobotsDisallowed, match="not complete after 1 s;"),
        ):
            session.fetch(Request(f"https://127.0.0.1:{door.getsockname()[1]}/a"))
    assert time.monotonic() - begun < 15


def drip_tls(door: socket.socket) -> None:
    """The head of a server's hello, and its rest in drips."""
    connection, _ = door.accept()
    with connection, contextlib.suppress(OSError):
        dripping(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03", 1000, 0.02)(connection)


class Jumps:
    """A clock of deadlines that runs as always, but for jumps."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def jumps(monkeypatch: pytest.MonkeyPatch) -> Jumps:
    jumps = Jumps()
    monkeypatch.setattr("nonocensus.scrapers.http.connection.time", jumps)
    return jumps


def slow(jumps: Jumps, seconds: float, body: bytes) -> Answer:
    """Headers that take so long, and a body of four bytes of which the first takes as long again."""

    def act(connection: socket.socket) -> bytes | None:
        headers = answer(200, Content_Length="4")
        connection.sendall(headers[:20])
        jumps.ahead += seconds
        connection.sendall(headers[20:])
        jumps.ahead += seconds
        if len(body) == 4:
            return body
        connection.sendall(body)
        connection.recv(1)  # until the other side has had enough
        return None

    return act


def test_total_timeout_covers_headers_and_body(site: Site, jumps: Jumps) -> None:
    """Either alone would be in time."""
    site.answers["/a"] = [slow(jumps, 65, b"b")]
    with (
        polite(attempts=1, read_timeout=5) as session,
        pytest.raises(RequestFailed, match=r"reply not complete after 120 s$"),
    ):
        session.fetch(Request(f"{site.url}/a"))


def test_total_timeout_is_per_exchange(site: Site, jumps: Jumps) -> None:
    site.answers["/a"] = [slow(jumps, 25, b"body")]
    with polite() as session:
        for _ in range(4):
            assert session.fetch(Request(f"{site.url}/a")).body == b"body"
            jumps.ahead += 200
    assert {asked.connection for asked in site.asked} == {1}
