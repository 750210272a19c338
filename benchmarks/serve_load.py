"""The server under load: small solves a second, what long ones do to them, bad requests, slow clients, memory."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, connection_from_url

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.serve.records import puzzle_record
from nonocensus.solver.model.puzzle import from_picture

SECONDS = 10.0
RATE = 200
"""Solves a second that are asked for."""

CLIENTS = 100
"""Connections at most."""

BAD = 10_000
SLOW = 50
PUZZLES = 200
JSON = {"content-type": "application/json"}
BYTES = {"content-type": "application/octet-stream"}

HEADING = ["load", "solves", "a second", "median ms", "p99 ms", "most ms", "refused"]


def run(archive: Path) -> list[FigureTable]:  # noqa: ARG001
    with serving() as (process, address):
        return measured(process, address)


@contextmanager
def serving() -> Iterator[tuple[psutil.Process, str]]:
    """Run a server in a subprocess; yields its address."""
    command = [sys.executable, "-m", "nonocensus", "serve", "--port", "0", "--cpus", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    ) as server:
        assert server.stdout
        found = re.match(r"(\S+)/ is ready", server.stdout.readline())
        if not found:
            raise SystemExit("the server does not start")
        try:
            yield psutil.Process(server.pid), found[1]
        finally:
            server.send_signal(signal.SIGINT)


def measured(process: psutil.Process, address: str) -> list[FigureTable]:
    with connection_from_url(address, maxsize=CLIENTS, block=True, retries=False) as server:
        steady(server, RATE, 2.0)  # everything has been done once
        rows = [
            ["15x15, at a fixed rate", *steady(server, RATE, SECONDS)],
            ["15x15, 16 clients, each without pause", *eager(server, 16, SECONDS)],
        ]
        jobs = [server.request("POST", "/api/solve", json={"puzzle": long_puzzle()}).json() for _ in range(4)]
        time.sleep(1)
        rows.append(["a quarter of the rate while four long jobs wait or run", *steady(server, RATE // 4, SECONDS)])
        for job in jobs:
            server.request("DELETE", f"/api/jobs/{job['id']}")
        before = process.memory_info().rss
        slow = [opened(address) for _ in range(SLOW)]
        statuses = bad_requests(server)
        rows.append(["a quarter of the rate, slow clients connected", *steady(server, RATE // 4, SECONDS)])
        after = process.memory_info().rss
        for connection in slow:
            connection.close()
    answers = [[status, count] for status, count in sorted(statuses.items())]
    memory = [["server", round(before / 2**20, 1), round(after / 2**20, 1)]]
    return [
        FigureTable(f"Small puzzles: {RATE} a second, a quarter of it, or without pause", HEADING, rows),
        FigureTable(
            f"{BAD:,} bad requests, {SLOW} clients that send a byte and wait: answers", ["status", "replies"], answers
        ),
        FigureTable("Its memory, MiB (workers apart)", ["process", "before", "after"], memory),
    ]


def steady(server: HTTPConnectionPool, rate: int, seconds: float) -> list[object]:
    """Solves begun at a rate, whether those before have ended or not."""
    puzzles = small_puzzles()
    times: list[float] = []
    asked = int(rate * seconds)
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(asked):
            time.sleep(max(0.0, began + number / rate - time.perf_counter()))
            clients.submit(solve, server, puzzles[number % PUZZLES], times)
    return figures(times, asked, time.perf_counter() - began)


def eager(server: HTTPConnectionPool, clients: int, seconds: float) -> list[object]:
    """Clients that ask again as soon as they are answered."""
    puzzles = small_puzzles()
    times: list[float] = []
    began = time.perf_counter()

    def client(first: int) -> int:
        asked = first
        while time.perf_counter() - began < seconds:
            solve(server, puzzles[asked % PUZZLES], times)
            asked += 1
        return asked - first

    with ThreadPoolExecutor(clients) as threads:
        asked = sum(threads.map(client, range(clients)))
    return figures(times, asked, time.perf_counter() - began)


def solve(server: HTTPConnectionPool, puzzle: dict[str, Any], times: list[float]) -> None:
    began = time.perf_counter()
    answer = server.request("POST", "/api/solve?wait=20", json={"puzzle": puzzle}).json()
    if answer.get("state") == "done":
        times.append(time.perf_counter() - began)


def figures(times: list[float], asked: int, seconds: float) -> list[object]:
    milliseconds = 1000 * np.array(times)
    spread = [round(float(np.quantile(milliseconds, q)), 1) for q in (0.5, 0.99, 1.0)]
    return [len(times), round(len(times) / seconds, 1), *spread, asked - len(times)]


def bad_requests(server: HTTPConnectionPool) -> Counter[int]:
    """Requests of every wrong kind, fifty at a time; how often each status came."""
    kinds: list[Callable[[], BaseHTTPResponse]] = [
        lambda: server.request("POST", "/api/solve", body=b"{" * 1000, headers=JSON),
        lambda: server.request("POST", "/api/solve", json={"puzzle": {"rows": [[[9, 9]]], "columns": []}}),
        lambda: server.request("POST", "/api/solve", body=b"x", headers={"content-type": "text/plain"}),
        lambda: server.request("POST", "/api/solve", json={}, headers={"origin": "http://evil.example"}),
        lambda: server.request("GET", "/api/about", headers={"host": "evil.example"}),
        lambda: server.request("GET", "/../../etc/passwd"),
        lambda: server.request("GET", "/api/jobs/none"),
        lambda: server.request("POST", "/api/parse", body=os.urandom(1000), headers=BYTES),
        lambda: server.request("POST", "/api/image", body=b"\x89PNG\r\n\x1a\n" + bytes(100), headers=BYTES),
        lambda: server.request("PUT", "/api/about", body=b"", headers=JSON),
    ]
    with ThreadPoolExecutor(SLOW) as clients:
        return Counter(clients.map(lambda number: kinds[number % len(kinds)]().status, range(BAD)))


def opened(address: str) -> socket.socket:
    """Return a client that begins a request and says no more."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(b"G")
    return connection


def small_puzzles() -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [record(rng.random((15, 15)) < 0.55) for _ in range(PUZZLES)]


def long_puzzle() -> dict[str, Any]:
    """Return one that takes longer than the server's limit."""
    return record(np.random.default_rng(7).random((60, 60)) < 0.4)


def record(cells: np.ndarray) -> dict[str, Any]:
    made = puzzle_record(from_picture(cells.astype(np.uint8)))
    del made["goal"]
    return made
