"""The server under load: small solves a second, what long ones do to them, bad requests, slow clients, memory."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import psutil

from pipeline.findings.figures_page import Table
from pipeline.serve.records import puzzle_record
from solver.puzzle import from_picture

SECONDS = 10.0
RATE = 200
"""Solves a second that are asked for."""

BAD = 10_000
SLOW = 50
PUZZLES = 200
JSON = {"content-type": "application/json"}
BYTES = {"content-type": "application/octet-stream"}

HEADING = ["load", "solves", "a second", "median ms", "p99 ms", "most ms", "refused"]


def run(archive: Path) -> list[Table]:  # noqa: ARG001
    with serving() as (process, address):
        return asyncio.run(measured(process, address))


@contextmanager
def serving() -> Iterator[tuple[psutil.Process, str]]:
    """A server of its own process, and its address."""
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


async def measured(process: psutil.Process, address: str) -> list[Table]:
    connector = aiohttp.TCPConnector(limit=100)
    async with aiohttp.ClientSession(address, connector=connector) as session:
        await steady(session, RATE, 2.0)  # everything has been done once
        rows = [
            ["15x15, as many as asked for", *await steady(session, RATE, SECONDS)],
            ["15x15, 16 clients, each as soon as it can", *await eager(session, 16, SECONDS)],
        ]
        jobs = [await (await session.post("/api/solve", json={"puzzle": long_puzzle()})).json() for _ in range(4)]
        await asyncio.sleep(1)
        rows.append(["the same rate while four long ones wait or run", *await steady(session, RATE // 4, SECONDS)])
        for job in jobs:
            await session.delete(f"/api/jobs/{job['id']}")
        before = process.memory_info().rss
        slow = [opened(address) for _ in range(SLOW)]
        statuses = await bad_requests(session)
        rows.append(["after the bad requests, slow clients still there", *await steady(session, RATE // 4, SECONDS)])
        after = process.memory_info().rss
        for connection in slow:
            connection.close()
    answers = [[status, count] for status, count in sorted(statuses.items())]
    memory = [["server", round(before / 2**20, 1), round(after / 2**20, 1)]]
    return [
        Table(f"Small puzzles: {RATE} a second, or a quarter of it, or eagerly", HEADING, rows),
        Table(
            f"{BAD:,} bad requests, {SLOW} clients that send a byte and wait: answers", ["status", "replies"], answers
        ),
        Table("Its memory, MiB (workers apart)", ["process", "before", "after"], memory),
    ]


async def steady(session: aiohttp.ClientSession, rate: int, seconds: float) -> list[object]:
    """Solves begun at a rate, whether those before have ended or not."""
    puzzles = small_puzzles()
    times: list[float] = []
    tasks = []
    began = time.perf_counter()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(solve(session, puzzles[number % PUZZLES], times)))
    await asyncio.gather(*tasks)
    return figures(times, len(tasks), time.perf_counter() - began)


async def eager(session: aiohttp.ClientSession, clients: int, seconds: float) -> list[object]:
    """Clients that ask again as soon as they are answered."""
    puzzles = small_puzzles()
    times: list[float] = []
    asked = 0
    began = time.perf_counter()

    async def client() -> None:
        nonlocal asked
        while time.perf_counter() - began < seconds:
            asked += 1
            await solve(session, puzzles[asked % PUZZLES], times)

    await asyncio.gather(*(client() for _ in range(clients)))
    return figures(times, asked, time.perf_counter() - began)


async def solve(session: aiohttp.ClientSession, puzzle: dict[str, Any], times: list[float]) -> None:
    began = time.perf_counter()
    async with session.post("/api/solve?wait=20", json={"puzzle": puzzle}) as reply:
        answer = await reply.json()
    if answer.get("state") == "done":
        times.append(time.perf_counter() - began)


def figures(times: list[float], asked: int, seconds: float) -> list[object]:
    milliseconds = 1000 * np.array(times)
    spread = [round(float(np.quantile(milliseconds, q)), 1) for q in (0.5, 0.99, 1.0)]
    return [len(times), round(len(times) / seconds, 1), *spread, asked - len(times)]


async def bad_requests(session: aiohttp.ClientSession) -> dict[int, int]:
    """Requests of every wrong kind, fifty at a time; how often each status came."""
    kinds: list[Callable[[], Awaitable[Any]]] = [
        lambda: session.post("/api/solve", data=b"{" * 1000, headers=JSON),
        lambda: session.post("/api/solve", json={"puzzle": {"rows": [[[9, 9]]], "columns": []}}),
        lambda: session.post("/api/solve", data=b"x", headers={"content-type": "text/plain"}),
        lambda: session.post("/api/solve", json={}, headers={"origin": "http://evil.example"}),
        lambda: session.get("/api/about", headers={"host": "evil.example"}),
        lambda: session.get("/../../etc/passwd"),
        lambda: session.get("/api/jobs/none"),
        lambda: session.post("/api/parse", data=os.urandom(1000), headers=BYTES),
        lambda: session.post("/api/image", data=b"\x89PNG\r\n\x1a\n" + bytes(100), headers=BYTES),
        lambda: session.put("/api/about", data=b"", headers=JSON),
    ]
    statuses: dict[int, int] = {}

    async def one(number: int) -> None:
        async with await kinds[number % len(kinds)]() as reply:
            await reply.read()
            statuses[reply.status] = statuses.get(reply.status, 0) + 1

    for first in range(0, BAD, SLOW):
        await asyncio.gather(*(one(number) for number in range(first, first + SLOW)))
    return statuses


def opened(address: str) -> socket.socket:
    """A client that begins a request and says no more."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(b"G")
    return connection


def small_puzzles() -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [record(rng.random((15, 15)) < 0.55) for _ in range(PUZZLES)]


def long_puzzle() -> dict[str, Any]:
    """One that takes longer than the server's limit."""
    return record(np.random.default_rng(7).random((60, 60)) < 0.4)


def record(cells: np.ndarray) -> dict[str, Any]:
    made = puzzle_record(from_picture(cells.astype(np.uint8)))
    del made["goal"]
    return made
