"""Untrusted requests: wrong hosts and origins, broken HTTP, slow clients; and the headers of every reply."""

import json
import socket
from contextlib import suppress

import psutil
import pytest
from serving import PLUS, Server, until

from nonocensus.pipeline.serve.serve_limits import MAX_BODY, MAX_HELD, MAX_SOLUTIONS, REPLY_PIECE

JSON = {"content-type": "application/json"}


OPTIONS = ("--cpus", "1", "--cpu-limit", "2")


@pytest.mark.parametrize(
    ("status", "host"),
    [
        *((421, host) for host in ("evil.example", "evil.example:80", "localhost.evil.example", "", "a@localhost")),
        (421, "::::"),
        *((200, host) for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80", "192.168.1.5")),
    ],
)
def test_only_own_names_and_addresses_are_served(server: Server, status: int, host: str) -> None:
    """An attacker may point a name of their own here: DNS rebinding."""
    for path in ("/", "/api/about"):
        assert server.get(path, headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        *({"origin": origin} for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "https://localhost")),
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_cross_origin_post_is_403(server: Server, headers: dict[str, str]) -> None:
    assert server.post("/api/solve", json={"puzzle": PLUS}, headers=headers).status_code == 403
    assert server.client.delete("/api/jobs/x", headers=headers).status_code == 403
    assert server.post("/api/solve", json={"puzzle": PLUS}, headers={"origin": server.address}).status_code == 202


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_content_type_of_a_form_is_415(server: Server, kind: str) -> None:
    reply = server.post("/api/solve", content=json.dumps({"puzzle": PLUS}), headers={"content-type": kind})
    assert reply.status_code == 415


@pytest.mark.parametrize(
    "path", ["/", "/page.js", "/page.css", "/api/about", "/api/openapi.json", "/nothing", "/api/jobs/x", "/favicon.ico"]
)
def test_every_reply_has_security_headers(server: Server, path: str) -> None:
    headers = server.get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/templates/", "/page.js/..", "/static",
     "/docs", "/redoc", "/api", "/api/puzzles/../../etc/passwd", "/browser.css", "/\0"],
)  # fmt: skip
def test_paths_outside_the_page_are_not_served(server: Server, path: str) -> None:
    answer = server.raw(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
    assert answer.split(b" ")[1] in (b"404", b"400", b"405"), answer
    assert b"root:" not in answer
    assert b"Traceback" not in answer


BROKEN = [
    b"nonsense\r\n\r\n",
    b"GET / HTTP/9.9\r\nconnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 1_000_000 + b"\r\n\r\n",
    b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n",
    b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999\r\n\r\n",
    b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
    b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"\0" * 100_000,
]


@pytest.mark.parametrize("sent", BROKEN, ids=range(len(BROKEN)))
def test_broken_http_is_refused_and_the_server_survives(server: Server, sent: bytes) -> None:
    try:
        answer = server.raw(sent)
    except ConnectionError:
        answer = b""
    assert answer == b"" or answer.split(b" ")[1][:1] == b"4", answer[:200]
    assert server.solves()


BODIES = [
    b"", b"{", b"null", b"[]", b'"x"', b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b'{"puzzle": 1}', b"1e999",
    b'{"puzzle": {"rows": [], "columns": []}}',
    b'{"puzzle": {"rows": [[[1]]], "columns": [[[1, 1]]]}}',
    b'{"puzzle": {"rows": [[[1, 1]]], "columns": [[[1, 1]]], "palette": [["a", "b", "\\ud800"], ["", "", ""]]}}',
    b'{"puzzle": {"rows": [[[1, 1]]], "columns": [[[1, 1]]], "fetched_at": "never"}}',
    b'{"puzzle": {"rows": [[[1, 1]]], "columns": [[[1, 1]]]}, "cpu_limit": NaN}',
    b'{"puzzle": {"rows": [[[1, 1]]], "columns": [[[1, 1]]]}, "cpu_limit": -1}',
    b'{"puzzle": {"rows": [[[1, 1]]], "columns": [[[1, 1]]]}, "solutions": 1e9}',
    b'{"puzzle": {"rows": [' + b"[[1, 1]]," * 1022 + b'[[1, 1]]], "columns": [' + b"[]," * 1022 + b"[]]}}",
]  # fmt: skip


@pytest.mark.parametrize("path", ["/api/solve?wait=20", "/api/write", "/api/clues"])
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_malformed_bodies_are_refused_in_one_line(server: Server, path: str, body: bytes) -> None:
    """A refusal in a line, or a job that is refused; never a failure of the server."""
    reply = server.post(path, content=body, headers=JSON)
    if reply.status_code == 200:
        assert reply.json()["state"] == "refused"
        line = reply.json()["error"]
    else:
        assert reply.status_code in (400, 422)
        line = reply.json()["detail"]
    assert line
    assert "\n" not in line
    assert len(line) < 1000


@pytest.mark.slow
def test_unread_replies_take_no_memory_and_are_cut(server: Server) -> None:
    puzzle = {"rows": [[[1, 1]]] * 60, "columns": [[[1, 1]]] * 60}
    job = server.post("/api/solve", params={"wait": 20}, json={"puzzle": puzzle, "solutions": MAX_SOLUTIONS}).json()
    path = f"/api/jobs/{job['id']}"
    server.get(path, params={"wait": 20})
    sizes = {asked: len(server.get(asked).content) for asked in (path, "/page.js")}  # the second one fits into buffers
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss

    def unread(path: str) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        return connection

    slow = [(unread(asked), size) for asked, size in sizes.items() for _ in range(200)]
    ports = {connection.getsockname()[1] for connection, _ in slow}
    assert server.solves()
    most = 0

    def are_cut() -> bool:
        nonlocal most
        most = max(most, process.memory_info().rss)
        return not any(each.raddr and each.raddr.port in ports for each in process.net_connections("tcp"))

    until(are_cut)
    assert most - before < len(slow) * 4 * REPLY_PIECE < 200 * sizes[path]
    for connection, size in slow:
        received = 0
        with suppress(ConnectionError):
            while part := connection.recv(1 << 16):
                received += len(part)
        assert received < size
        connection.close()


def test_memory_of_unfinished_bodies_is_bounded(server: Server) -> None:
    """Announced bodies take no memory; once received ones use all of it, others are refused as busy."""
    head = "POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream\r\n"
    head += f"content-length: {MAX_BODY}\r\n\r\n"

    def announced() -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(head.encode())
        return connection

    held = [announced() for _ in range(50)]
    assert server.solves()
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    for connection in held:
        with suppress(ConnectionError):  # it has been refused, and closed
            connection.sendall(bytes(MAX_BODY - 1))
    while (busy := server.parse(bytes(MAX_BODY))).status_code != 503:  # two that came together were both refused
        held.append(announced())
        with suppress(ConnectionError):
            held[-1].sendall(bytes(MAX_BODY - 1))
    assert int(busy.headers["retry-after"]) > 0
    assert process.memory_info().rss - before < 2 * MAX_HELD
    for connection in held:
        connection.close()
    while server.parse(bytes(MAX_BODY)).status_code == 503:
        pass
    assert server.solves()


@pytest.mark.slow
def test_bad_requests_leak_no_memory(server: Server) -> None:
    process = psutil.Process(server.process.pid)

    def ask(count: int) -> None:
        for k in range(count):
            server.post("/api/solve", content=BODIES[k % 5], headers=JSON)
            server.get(f"/api/jobs/{k}")
            server.parse(b"nothing" * k)

    ask(100)
    before = process.memory_info().rss
    ask(400)
    assert process.memory_info().rss - before < 32 << 20
    assert server.solves()
