"""The polite session against a site on the loopback that misbehaves in every way it can think of."""

import contextlib
import gzip
import random
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scrapers.http import Failed, Forbidden, Polite, Reply, Request, Unreachable
from solver import __version__

NAMES = {"127.0.0.1", "puzzles.test", "www.puzzles.test", "other.test"}
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
            elif connection.recv(1, socket.MSG_PEEK) == b"\x16":  # somebody wants TLS
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


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def times() -> Time:
    return Time()


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def known(host: Any, *others: Any, **more: Any) -> Any:
        if host not in NAMES:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real("127.0.0.1", *others, **more)

    monkeypatch.setattr(socket, "getaddrinfo", known)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def polite(**settings: Any) -> Polite:
    return Polite("me@example.org", **({"rate": 0.0, "base": 0.0} | settings))


def timed(times: Time, **settings: Any) -> Polite:
    return polite(**({"sleep": times.sleep, "clock": times.clock} | settings))


def fetch(site: Site, path: str = "/a", **settings: Any) -> Reply:
    with polite(**settings) as session:
        return session.fetch(Request(site.url + path))


def test_a_reply(site: Site) -> None:
    site.answers["/a"] = [answer(200, b"<puzzle/>", ETag='"1"', Content_Type="text/xml")]
    reply = fetch(site)
    assert reply[:2] == (f"{site.url}/a", 200)
    assert reply.headers == {"content-length": "9", "etag": '"1"', "content-type": "text/xml"}
    assert reply.body == b"<puzzle/>"
    assert timedelta() <= datetime.now(UTC) - reply.fetched_at < timedelta(seconds=10)
    assert 0 < reply.seconds < 10


def test_our_name_and_address(site: Site) -> None:
    fetch(site)
    for asked in site.asked:
        assert asked.headers["user-agent"] == f"nonocensus/{__version__} (+me@example.org)"


@pytest.mark.parametrize("contact", ["", "  ", "me@example.org\r\nX: y", "mé"])
def test_no_contact_no_session(contact: str) -> None:
    with pytest.raises(ValueError, match="contact must be an e-mail or web address"):
        Polite(contact)


@pytest.mark.parametrize("settings", [{"tries": 0}, {"rate": -1.0}, {"rate": float("nan")}, {"rate": float("inf")}])
def test_senseless_numbers(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="tries must be at least 1"):
        polite(**settings)


@pytest.mark.parametrize("url", ["puzzles.test/1", "file:///etc/passwd", "http://", "http://[", "http://a:b:c/"])
def test_no_address_of_http(url: str) -> None:
    with polite() as session, pytest.raises(ValueError, match="is no http or https address"):
        session.fetch(Request(url))


def test_one_connection_is_kept(site: Site) -> None:
    chunked = answer(200, b"2\r\nab\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length="")
    pages = {"/a": answer(200, b"x"), "/b": chunked, "/c": answer(304), "/d": answer(404, b"none")}
    site.answers |= {path: [page] for path, page in pages.items()}
    with polite() as session:
        bodies = [session.fetch(Request(site.url + path)).body for path in pages]
    assert bodies == [b"x", b"ab", b"", b"none"]
    assert {asked.connection for asked in site.asked} == {1}


def test_a_form_is_posted(site: Site) -> None:
    with polite() as session:
        session.fetch(Request(f"{site.url}/export", {"id": "7", "fmt": "xml & more"}))
    assert site.asked[-1].method == "POST"
    assert site.asked[-1].body == b"id=7&fmt=xml+%26+more"


def test_cookies_are_kept_and_netrc_is_not_read(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    site.answers["/a"] = [answer(200, Set_Cookie="visit=1"), answer(200)]
    with polite() as session:
        session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/a"))
    assert site.asked[-1].headers["cookie"] == "visit=1"
    assert not any("authorization" in asked.headers for asked in site.asked)


def test_nothing_new(site: Site) -> None:
    site.answers["/a"] = [answer(200, b"x", ETag='W/"1"', Last_Modified="then"), answer(304, Content_Encoding="gzip")]
    with polite() as session:
        first = session.fetch(Request(f"{site.url}/a"))
        second = session.fetch(Request(f"{site.url}/a"), first.headers)
    assert (second.status, second.body) == (304, b"")
    assert "if-none-match" not in site.asked[-2].headers
    assert site.asked[-1].headers["if-none-match"] == 'W/"1"'
    assert site.asked[-1].headers["if-modified-since"] == "then"


def test_no_waiting_for_the_body_behind_the_headers(site: Site) -> None:
    def apart(connection: socket.socket) -> bytes:
        connection.sendall(answer(200, Content_Length="4"))
        return b"body"

    site.answers["/a"] = [apart]
    with polite() as session:
        session.fetch(Request(f"{site.url}/a"))
        begun = time.monotonic()
        for _ in range(50):
            assert session.fetch(Request(f"{site.url}/a")).body == b"body"
        assert time.monotonic() - begun < 1.5  # with the delayed ACKs of Linux, 2.2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_the_caller_judges_refusals(site: Site, status: int) -> None:
    site.answers["/a"] = [answer(status, b"no")]
    reply = fetch(site)
    assert (reply.status, reply.body) == (status, b"no")
    assert len(site.paths()) == 1


# ---- trouble that passes, trouble that stays ----


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
    "gzip and zeros": answer(200, gzip.compress(b"half") + bytes(9), Content_Encoding="gzip"),
    "gzip and half of another": answer(
        200, gzip.compress(b"half") + gzip.compress(b"other half")[:-3], Content_Encoding="gzip"
    ),
    "truncated headers": then_close(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "no HTTP": then_close(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "two lengths": answer(200, b"half", Content_Length="4, 7"),
}


@pytest.mark.parametrize("name", PASSING)
def test_passing_trouble_is_tried_again(site: Site, name: str) -> None:
    site.answers["/a"] = [PASSING[name], PASSING[name], answer(200, b"whole")]
    assert fetch(site).body == b"whole"
    assert len(site.paths()) == 3


@pytest.mark.parametrize(
    ("name", "line", "status"),
    [
        ("429", "429 Too Many Requests, 5 times", 429),
        ("503", "503 Service Unavailable, 5 times", 503),
        ("520", "520, 5 times", 520),
        ("reset", "connection reset, 5 times", None),
        ("reset in the body", "connection reset, 5 times", 200),
        ("closed", "connection closed without a reply, 5 times", None),
        ("truncated", "reply broke off, 5 times", 200),
        ("truncated in a chunk", "reply broke off, 5 times", 200),
        ("truncated between chunks", "reply broke off, 5 times", 200),
        ("truncated gzip", "reply broke off, 5 times", 200),
        ("truncated headers", "reply broke off, 5 times", 200),
        ("damaged gzip", "reply damaged, 5 times", 200),
        ("gzip and more", "reply damaged, 5 times", 200),
        ("gzip and zeros", "reply damaged, 5 times", 200),
        ("gzip and half of another", "reply broke off, 5 times", 200),
        ("no HTTP", "no reply of HTTP (BadStatusLine), 5 times", None),
    ],
)
def test_lasting_trouble(site: Site, name: str, line: str, status: int | None) -> None:
    site.answers["/a"] = [PASSING[name]]
    with pytest.raises(Failed) as failed:
        fetch(site)
    assert str(failed.value) == f"{site.url}/a: {line}"
    assert (failed.value.tries, failed.value.status) == (5, status)
    assert len(site.paths()) == 5


def test_one_try_and_troubles_of_several_kinds(site: Site) -> None:
    site.answers["/a"] = [answer(503)]
    with pytest.raises(Failed, match=r"/a: 503 Service Unavailable$"):
        fetch(site, tries=1)
    site.answers["/a"] = [answer(503), answer(500)]
    with pytest.raises(Failed, match=r"/a: 500 Internal Server Error, the last of 3 tries$"):
        fetch(site, tries=3)


def test_other_pages_go_on_after_a_failure(site: Site) -> None:
    site.answers |= {"/a": [then_reset(b"")], "/b": [answer(200, b"fine")]}
    with polite(tries=2) as session:
        with pytest.raises(Failed):
            session.fetch(Request(f"{site.url}/a"))
        assert session.fetch(Request(f"{site.url}/b")).body == b"fine"


def test_more_than_the_length_says(site: Site) -> None:
    # nobody can see that the first one was cut; the next must not begin with its rest
    site.answers |= {"/a": [answer(200, b"whole", Content_Length="3")], "/b": [answer(200, b"next")]}
    with polite() as session:
        assert session.fetch(Request(f"{site.url}/a")).body == b"who"
        assert session.fetch(Request(f"{site.url}/b")).body == b"next"


def test_silence(site: Site) -> None:
    site.answers["/a"] = [dripping(b"", 0, 0), lambda _: time.sleep(0.3)]
    with pytest.raises(Failed, match=r"no answer in time, the last of 2 tries$"):
        fetch(site, tries=2, read_timeout=0.1)


@pytest.mark.parametrize("kind", ["length", "chunk", "until it closes"])
def test_drips(site: Site, kind: str) -> None:
    start = {
        "length": answer(200, Content_Length="4000"),
        "chunk": answer(200, b"fa0\r\n", Transfer_Encoding="chunked", Content_Length=""),
        "until it closes": answer(200, Content_Length=""),
    }[kind]
    site.answers["/a"] = [dripping(start, 30, 0.02)]
    begun = time.monotonic()
    with pytest.raises(Failed, match=r"reply not complete after 1 s, 2 times$") as failed:
        fetch(site, tries=2, total_timeout=0.1)
    assert failed.value.status == 200
    assert time.monotonic() - begun < 0.9


@pytest.mark.parametrize(
    "reply",
    [
        answer(200, b"", Content_Length="1001"),
        answer(200, b"", Content_Length="9" * 3000),
        answer(200, b"x" * 1001, Content_Length=""),
        answer(200, b"3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length=""),
        answer(200, gzip.compress(bytes(100_000)), Content_Encoding="gzip"),
        answer(200, gzip.compress(bytes(501)) * 2, Content_Encoding="gzip"),
        answer(302, b"x" * 1001, Location="/b"),
    ],
    ids=["length", "long length", "no length", "chunked", "gzip", "two members of gzip", "redirect"],
)
def test_too_large(site: Site, reply: bytes) -> None:
    site.answers |= {"/a": [then_close(reply)], "/b": [answer(200, b"x" * 1000)]}
    with polite(most_bytes=1000) as session:
        with pytest.raises(Failed, match=r"/a: reply larger than 1,000 bytes$") as failed:
            session.fetch(Request(f"{site.url}/a"))
        assert failed.value.tries == 1
        assert len(session.fetch(Request(f"{site.url}/b")).body) == 1000
    assert site.paths() == ["/a", "/b"]


def test_larger_than_16_mb(site: Site) -> None:
    site.answers["/a"] = [answer(200, Content_Length=str(1 + (16 << 20)))]
    with pytest.raises(Failed, match=r"/a: reply larger than 16 MB$"):
        fetch(site)


def test_gzip(site: Site) -> None:
    site.answers |= {
        "/a": [answer(200, gzip.compress(b"body"), Content_Encoding="gzip")],
        "/b": [answer(200, b"?", Content_Encoding="br")],
    }
    assert fetch(site).body == b"body"
    assert site.asked[-1].headers["accept-encoding"] == "gzip"
    with pytest.raises(Failed, match=r"/b: reply in an encoding that was not asked for: 'br'$"):
        fetch(site, "/b")


@pytest.mark.parametrize("lengths", [[5, 0, 7], [0], [4096, 1, 100_000], [70_000] * 9])
def test_several_members_of_gzip(site: Site, lengths: list[int]) -> None:
    """Wherever they begin: a reply is unpacked in pieces."""
    parts = [random.Random(k).randbytes(length) for k, length in enumerate(lengths)]
    packed = b"".join(map(gzip.compress, parts))
    site.answers["/a"] = [answer(200, packed, Content_Encoding="gzip")]
    assert fetch(site).body == b"".join(parts)


@pytest.mark.timeout(60)
def test_very_many_members_of_gzip(site: Site) -> None:
    """Nothing is copied for each: that would be half a terabyte here."""
    packed = gzip.compress(b"") * 200_000 + gzip.compress(b"body")
    site.answers["/a"] = [answer(200, packed, Content_Encoding="gzip")]
    assert fetch(site).body == b"body"


# ---- waits ----


def test_backoff_doubles_at_random(site: Site, times: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: (low + high) / 2)
    site.answers["/a"] = [answer(503)]
    with timed(times, base=1.0, tries=6, longest_wait=6.0) as session, pytest.raises(Failed):
        session.fetch(Request(f"{site.url}/a"))
    assert times.slept == [0.5, 1, 2, 3, 3]


def test_backoff_is_scattered(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(503)]
    with timed(times, base=1.0) as session, pytest.raises(Failed):
        session.fetch(Request(f"{site.url}/a"))
    assert all(0 < slept <= most for slept, most in zip(times.slept, [1, 2, 4, 8], strict=True))


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [answer(status, Retry_After="30"), answer(status, Retry_After=" 2 "), answer(200)]
    told: list[str] = []
    with timed(times, base=1.0, listen=told.append) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert times.slept == [30, 2]
    assert told == [f"127.0.0.1:{site.port} asks to wait 30 s"]


def test_retry_after_as_a_date(site: Site, times: Time) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = "Sun, 06 Nov 1994 08:49:37 GMT"
    site.answers["/a"] = [answer(429, Retry_After=then), answer(429, Retry_After=past), answer(200)]
    with timed(times, base=1.0) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert times.slept == [pytest.approx(29, abs=1.5)]


@pytest.mark.parametrize("senseless", ["soon", "-5", "1.5", "9" * 5000, "Sun, 99 Nov 99999 08:49:37 GMT"])
def test_a_senseless_retry_after(site: Site, times: Time, senseless: str) -> None:
    site.answers["/a"] = [answer(429, Retry_After=senseless), answer(200)]
    with timed(times, base=1.0) as session:
        assert session.fetch(Request(f"{site.url}/a")).status == 200
    assert sum(times.slept) <= 1


def test_retry_after_holds_for_the_next_request_too(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(429, Retry_After="30")]
    with timed(times, tries=1) as session:
        with pytest.raises(Failed, match=r"/a: 429 Too Many Requests, asks to wait 30 s$"):
            session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/b"))
    assert times.slept == [30]


def test_too_long_a_retry_after(site: Site, times: Time) -> None:
    site.answers["/a"] = [answer(503, Retry_After="90000")]
    with timed(times) as session:
        with pytest.raises(Failed, match=r"/a: 503 Service Unavailable, asks to wait 90,000 s$") as failed:
            session.fetch(Request(f"{site.url}/a"))
        assert (failed.value.tries, failed.value.status) == (1, 503)
    assert times.slept == []


def test_the_listener_is_told_of_long_waits(site: Site, times: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda _, high: high)
    host = f"127.0.0.1:{site.port}"
    site.answers["/a"] = [*[answer(503)] * 4, answer(200)]
    told: list[str] = []
    with timed(times, base=1.0, listen=told.append) as session:
        session.fetch(Request(f"{site.url}/a"))
    assert told == [f"{host}: 503 Service Unavailable, trying again in 8 s"]
    with timed(times, rate=7.0, listen=told.append) as session:
        session.fetch(Request(f"{site.url}/b"))
    assert told[1:] == [f"{host}: 7 s between requests"]


def test_ctrl_c_in_a_wait(site: Site) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    site.answers["/a"] = [answer(503), answer(200)]
    with polite(base=1.0, sleep=interrupted) as session, pytest.raises(KeyboardInterrupt):
        session.fetch(Request(f"{site.url}/a"))


def test_the_pause_begins_when_a_reply_has_ended(site: Site, times: Time) -> None:
    site.answers |= {"/a": [times.late(1.0, answer(200))]}
    with timed(times, rate=2.0) as session:
        session.fetch(Request(f"{site.url}/a"))
        times.now += 0.5
        session.fetch(Request(f"{site.url}/a"))
        times.now += 5.0
        session.fetch(Request(f"{site.url}/a"))
    assert times.slept == [2.0, 1.5]


def test_the_delay_follows_the_latency(site: Site, times: Time) -> None:
    site.answers["/a"] = [times.late(seconds, answer(200)) for seconds in (6.0, 0.0, 0.0, 500.0, 500.0)]
    with timed(times, rate=2.0) as session:
        assert session.delay == 2.0
        delays = []
        for _ in range(5):
            assert session.fetch(Request(f"{site.url}/a")).seconds in (0.0, 6.0, 500.0)
            delays.append(session.delay)
    assert delays == [4.0, 2.0, 2.0, 60.0, 60.0]


@pytest.mark.parametrize("status", [400, 403, 410])
def test_refusals_never_lower_the_delay(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [times.late(9.0, answer(status)), times.late(0.0, answer(status))]
    with timed(times, rate=1.0) as session:
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 5.0
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 5.0


@pytest.mark.parametrize("status", [200, 204, 304, 404])
def test_good_replies_lower_it(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [times.late(9.0, answer(200)), answer(status)]
    with timed(times, rate=1.0) as session:
        session.fetch(Request(f"{site.url}/a"))
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 2.5


@pytest.mark.parametrize("status", [429, 500, 503])
def test_errors_double_it(site: Site, times: Time, status: int) -> None:
    site.answers["/a"] = [answer(status)]
    with timed(times, rate=2.0, longest_delay=20.0) as session:
        with pytest.raises(Failed):
            session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 20.0
    assert times.slept == [2.0, 4.0, 8.0, 16.0, 20.0]


def test_with_rate_0_there_are_no_waits(site: Site, times: Time) -> None:
    site.answers["/a"] = [times.late(9.0, answer(200)), answer(503), answer(403), answer(200)]
    with timed(times) as session:
        for _ in range(50):
            session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 0.0
    assert times.slept == []


# ---- redirects ----


def test_redirects(site: Site) -> None:
    site.answers |= {
        "/a": [answer(301, b"moved", Location="b#there")],
        "/b": [answer(302, Location=f"{site.url}/c")],
        "/c": [answer(303, Location="/d%20e f")],
        "/d%20e%20f": [answer(200, b"here")],
    }
    reply = fetch(site)
    assert (reply.url, reply.body) == (f"{site.url}/d%20e%20f", b"here")
    assert {asked.connection for asked in site.asked} == {1}


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_forms_and_redirects(site: Site, status: int, method: str) -> None:
    site.answers |= {"/a": [answer(status, Location="/b")], "/b": [answer(200)]}
    with polite() as session:
        session.fetch(Request(f"{site.url}/a", {"id": "1"}))
    assert (site.asked[-1].path, site.asked[-1].method) == ("/b", method)
    assert site.asked[-1].body == (b"id=1" if method == "POST" else b"")


def test_a_page_that_only_wants_to_set_a_cookie(site: Site) -> None:
    site.answers["/a"] = [answer(302, Location="/a", Set_Cookie="visit=1"), answer(200, b"here")]
    assert fetch(site).body == b"here"


def test_redirects_that_do_not_end(site: Site) -> None:
    site.answers |= {"/a": [answer(302, Location="/b")], "/b": [answer(302, Location="/a")]}
    with pytest.raises(Failed, match=r"/a: redirects in a circle$") as failed:
        fetch(site)
    assert failed.value.status == 302
    assert len(site.paths()) == 6
    site.answers |= {f"/{number}": [answer(302, Location=f"/{number + 1}")] for number in range(9)}
    with pytest.raises(Failed, match=r"/0: more than 5 redirects$"):
        fetch(site, "/0")


@pytest.mark.parametrize(
    "location",
    [
        "http://other.test/login",
        "//other.test/",
        "http://127.0.0.1:9/",
        "ftp://127.0.0.1/",
        "mailto:me",
        "http://[",
        "http://127.0.0.1:99999/",
        "http://other.test/\x1b[31m",
        "http://other.test/\xff",
    ],
)
def test_redirects_elsewhere(site: Site, location: str) -> None:
    site.answers["/a"] = [answer(302, Location=location)]
    with pytest.raises(Failed, match=r"/a: redirected to [ -~]* \(a login page\?\)$") as failed:
        fetch(site)
    assert (failed.value.tries, failed.value.status) == (1, 302)


@pytest.mark.parametrize(("old", "new"), [("puzzles.test", "www.puzzles.test"), ("www.puzzles.test", "Puzzles.test")])
def test_www_makes_no_difference(site: Site, old: str, new: str) -> None:
    site.answers |= {"/a": [answer(301, Location=f"http://{new}:{site.port}/b")], "/b": [answer(200, b"here")]}
    with polite() as session:
        reply = session.fetch(Request(f"http://{old}:{site.port}/a"))
    assert reply.body == b"here"
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/robots.txt", "/b"]


def test_a_redirect_without_an_address_is_a_reply(site: Site) -> None:
    site.answers |= {"/a": [answer(302, b"?")], "/b": [answer(300, Location="/c")]}
    assert fetch(site).status == 302
    assert fetch(site, "/b").status == 300


# ---- robots.txt ----


def robots(*lines: str) -> bytes:
    return answer(200, "\n".join(lines).encode())


def test_robots_txt_is_read_once_and_first(site: Site) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /private")]
    with polite() as session:
        for path in ("/a", "/b"):
            session.fetch(Request(site.url + path))
        for _ in range(2):
            with pytest.raises(Forbidden, match=r"/private/1: http://.*/robots\.txt does not allow it$"):
                session.fetch(Request(f"{site.url}/private/1"))
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/b"]


def test_robots_txt_is_read_again_every_day(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *"), robots("User-agent: *", "Disallow: /")]
    with timed(times) as session:
        for hours in (0, 1, 22):
            times.now += 3600 * hours
            session.fetch(Request(f"{site.url}/a"))
        times.now += 3600 * 2
        with pytest.raises(Forbidden):
            session.fetch(Request(f"{site.url}/a"))
    assert [asked.path for asked in site.asked] == ["/robots.txt", "/a", "/a", "/a", "/robots.txt"]


@pytest.mark.parametrize("path", ["/a/../private/1", "/a/%2e%2e/private/1", "/%70rivate/1", "/private/1#there"])
def test_no_way_around_robots_txt(site: Site, path: str) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /private")]
    with pytest.raises(Forbidden):
        fetch(site, path)
    site.answers["/a"] = [answer(302, Location=site.url + path)]
    with pytest.raises(Forbidden):
        fetch(site)
    assert site.paths() == ["/a"]


def test_rules_for_us_alone(site: Site) -> None:
    site.answers["/robots.txt"] = [
        robots("\ufeffUser-agent: nonocensus", "Allow: /a", "Disallow: /", "", "User-agent: *", "Disallow: /a")
    ]
    assert fetch(site).status == 404
    with pytest.raises(Forbidden):
        fetch(site, "/b")


def test_redirects_are_asked_about_too(site: Site) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /b")]
    site.answers["/a"] = [answer(302, Location="/b")]
    with pytest.raises(Forbidden, match="/b: "):
        fetch(site)
    assert site.paths() == ["/a"]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_no_robots_txt_allows_everything(site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": [answer(status, b"User-agent: *\nDisallow: /")], "/a": [answer(200, b"x")]}
    assert fetch(site).body == b"x"


def test_robots_txt_may_have_moved(site: Site) -> None:
    site.answers |= {
        "/robots.txt": [answer(301, Location="/private/robots")],
        "/private/robots": [robots("User-agent: *", "Disallow: /private")],
    }
    with pytest.raises(Forbidden, match="/private/1: "):
        fetch(site, "/private/1")


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (answer(503), "503 Service Unavailable, 5 times"),
        (answer(429), "429 Too Many Requests, 5 times"),
        (then_reset(b""), "connection reset, 5 times"),
        (answer(302, Location="http://other.test/"), r"redirected to http://other.test/ \(a login page\?\)"),
        (answer(304), "304 Not Modified"),
    ],
    ids=["503", "429", "reset", "redirect", "304"],
)
def test_an_unreadable_robots_txt_is_a_no(site: Site, reply: Answer, line: str) -> None:
    site.answers["/robots.txt"] = [reply]
    with polite() as session:
        for _ in range(2):
            with pytest.raises(Forbidden, match=rf"^{site.url}/robots\.txt: {line}; as long as it can't be read"):
                session.fetch(Request(f"{site.url}/a"))
    assert site.paths() == []
    assert len(site.asked) in (1, 5)


def test_robots_txt_is_tried_again(site: Site) -> None:
    site.answers["/robots.txt"] = [answer(503), then_reset(b""), robots("User-agent: *", "Disallow: /b")]
    assert fetch(site).status == 404


def test_crawl_delay(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Crawl-delay: 4")]
    site.answers["/a"] = [answer(200), times.late(20.0, answer(200)), answer(200)]
    with timed(times, rate=1.0) as session:
        assert session.delay == 1.0
        for _ in range(5):
            session.fetch(Request(f"{site.url}/a"))
    assert times.slept == [4, 4, 12, 6, 4]


def test_crawl_delay_with_rate_0_and_beyond_the_longest_delay(site: Site, times: Time) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Crawl-delay: 70.5")]
    with timed(times) as session:
        session.fetch(Request(f"{site.url}/a"))
        assert session.delay == 70.5
    assert times.slept == [70.5]


def test_a_crawl_delay_that_means_no(site: Site) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Crawl-delay: 86400")]
    with pytest.raises(Forbidden, match="asks for 86,400 s between requests"):
        fetch(site)


# ---- no connection ----


def test_connection_refused(site: Site) -> None:
    site.close()
    slept: list[float] = []
    with polite(base=1.0, sleep=slept.append) as session, pytest.raises(Unreachable) as unreachable:
        session.fetch(Request(f"{site.url}/a"))
    line = f"127.0.0.1:{site.port}: connection refused, 5 times; the site seems to be down, try later"
    assert str(unreachable.value) == line
    assert len(slept) == 4


def test_unknown_name() -> None:
    with polite() as session, pytest.raises(Unreachable) as unreachable:
        session.fetch(Request("https://nonocensus.invalid/a"))
    assert str(unreachable.value) == (
        "nonocensus.invalid: its name can't be looked up, 5 times; check the name, and this machine's network"
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (TimeoutError("timed out"), "no connection in time"),
        (OSError(101, "Network is unreachable"), r"no connection \(Network is unreachable\)"),
    ],
)
def test_no_network(monkeypatch: pytest.MonkeyPatch, error: OSError, line: str) -> None:
    def connect(*_: Any) -> None:
        raise error

    monkeypatch.setattr(socket.socket, "connect", connect)
    with polite() as session, pytest.raises(Unreachable, match=f"^puzzles.test: {line}, 5 times; check this"):
        session.fetch(Request("http://puzzles.test/a"))


def test_no_proxy_there(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://nonocensus.invalid:3128")
    with pytest.raises(Unreachable, match="the proxy does not let us through, 5 times; check HTTP_PROXY"):
        fetch(site)


def test_no_tls(site: Site) -> None:
    site.answers["/a"] = [answer(301, Location=f"https://127.0.0.1:{site.port}/b")]
    with pytest.raises(Unreachable) as unreachable:
        fetch(site)
    assert str(unreachable.value).startswith(f"127.0.0.1:{site.port}: no secure connection (TLS: ")
    assert str(unreachable.value).endswith("), 5 times; check that the site is served by https")


@pytest.fixture
def secure_site(tmp_path: Path) -> Iterator[tuple[Site, Path]]:
    """With the path of the certificate to be trusted."""
    if not (openssl := shutil.which("openssl")):
        pytest.skip("there is no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]
    name = ["-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([openssl, "req", "-x509", *curve, "-out", certificate, *name], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    site = Site(tls)
    yield site, certificate
    site.close()


def test_an_untrusted_certificate(secure_site: tuple[Site, Path]) -> None:
    with pytest.raises(Unreachable, match=r"its certificate can't be trusted \(self.signed certificate\); check"):
        fetch(secure_site[0])
    assert len(secure_site[0].connections) == 1


def test_from_http_to_https(site: Site, secure_site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    secure, certificate = secure_site
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    site.answers["/a"] = [answer(301, Location=f"{secure.url}/a")]
    secure.answers["/a"] = [answer(200, b"secure")]
    assert fetch(site).body == b"secure"
    secure.answers["/b"] = [answer(301, Location=f"{site.url}/a")]
    with pytest.raises(Failed, match="/b: redirected to http://"):
        fetch(secure, "/b")
