"""A server as a process of its own, and puzzles to ask it for."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import psutil
from runs import run_of

import nonocensus as nc
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.kernel_compilation import PALETTE
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.serve.records import puzzle_record
from nonocensus.solver.model.puzzle import Puzzle, from_picture

SECONDS = 120.0
"""A machine may be busy."""

BYTES = {"content-type": "application/octet-stream"}
"""Headers of a file that is sent."""


class Server(NamedTuple):
    address: str
    process: "subprocess.Popen[str]"
    client: httpx.Client
    ready: str

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    @property
    def workers(self) -> list[psutil.Process]:
        """Its worker processes."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):  # it has just ended, or is a zombie
                if "spawn_main" in " ".join(child.cmdline()):
                    found.append(child)
        return found

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.client.post(path, **options)

    def job(self, task: str, wait: float = 20, **asked: Any) -> dict[str, Any]:
        """Return a job after it has ended."""
        reply = self.post(f"/api/{task}", params={"wait": wait}, json=asked)
        assert reply.status_code in (200, 202), reply.text
        job: dict[str, Any] = reply.json()
        while job["state"] in ("queued", "running", "compiling"):
            job = self.get(f"/api/jobs/{job['id']}", params={"wait": 20}).json()
        return job

    def solves(self) -> bool:
        """Return whether a puzzle is solved as usual."""
        return bool(self.job("solve", puzzle=PLUS)["state"] == "done")

    def parse(self, data: bytes, name: str = "", **asked: Any) -> httpx.Response:
        return self.post("/api/parse", params={"name": name, **asked}, content=data, headers=BYTES)

    def raw(self, sent: bytes) -> bytes:
        """Return bytes as they are, and all that is answered until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(sent)
            answer = b""
            while received := connection.recv(1 << 16):
                answer += received
            return answer


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    limit = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


@contextmanager
def running(*arguments: str) -> Iterator[Server]:
    """nonocensus serve on a free port."""
    command = [sys.executable, "-m", "nonocensus", "serve", "--port", "0", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+)/ is ready", line)
        assert found, (line, process.stderr.read())
        with httpx.Client(base_url=found[1], timeout=SECONDS, trust_env=False) as client:
            try:
                yield Server(found[1], process, client, line)
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate()


def record(picture: Any) -> dict[str, Any]:
    """Return the puzzle of a picture, as the API takes it, without the picture."""
    cells = np.asarray(picture, np.uint8)
    made = puzzle_record(from_picture(cells, PALETTE[: max(2, int(cells.max()) + 1)]))
    del made["goal"]
    return made


DIAGONAL = record(np.eye(2))
"""Two solutions."""

ASSUMED = [[1, 1, 0, 1, 0], [1, 0, 1, 1, 1], [0, 0, 0, 0, 1], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1]]
"""A picture whose puzzle needs an assumption, and 17 steps in all."""

COLORED = [[0, 1, 1, 1], [0, 0, 2, 1], [0, 2, 1, 0], [2, 1, 2, 2]]
"""One whose first step only rules a colour out."""

NONE: dict[str, Any] = {"rows": [[[2, 1]], []], "columns": [[[2, 1]], []]}
"""No picture fits these clues."""

PLUS = record([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
TWO_NON = b"width 2\nheight 2\nrows\n1\n1\ncolumns\n1\n1\n"
"""DIAGONAL as a file."""

PLUS_NON = b"width 3\nheight 3\n\nrows\n1\n3\n1\n\ncolumns\n1\n3\n1\n"


def disc(side: int, holes: int = 3) -> np.ndarray:
    """A picture: a disc with a grid of holes."""
    y, x = np.mgrid[:side, :side]
    middle = (side - 1) / 2
    inside: np.ndarray = (x - middle) ** 2 + (y - middle) ** 2 < (side / 2.2) ** 2
    return inside & ((x // holes + y // holes) % 3 > 0)


def titled_puzzles() -> Iterator[Puzzle]:
    """Puzzles of two sites, to find by what is known of them."""
    pages = "https://webpbn.com/play.cgi?id={}", "https://www.nonograms.org/nonograms2/i/{}"
    for source, number, title, author, quality, picture in (
        ("webpbn", 27215, "Round window", "Ada", 5.0, disc(15, 2)),
        ("webpbn", 7, "Moon", "Ada", 2.0, disc(15)),
        ("nonograms", 7, "Café", "Émile", 9.0, disc(20)),
        ("nonograms", 15, "Lantern", "Bo", 2.4, 1 + np.tri(10)),
        ("webpbn", 2, None, None, None, np.eye(2)),
    ):
        url = pages[source == "nonograms"].format(number)
        about = {"title": title, "author": author, "site_quality": quality, "url": url}
        cells = np.asarray(picture, np.uint8)
        palette = PALETTE[: max(2, int(cells.max()) + 1)]
        yield from_picture(cells, palette, puzzle_id=f"{source}/{number}", source=source, **about)


def titled_run(place: Path) -> Run:
    """A graded run of the titled puzzles."""
    run = run_of(place, list(titled_puzzles()))
    nc.grade_run(run.folder.uri, resources=Resources(serial=True))
    return run


def long_puzzle() -> dict[str, Any]:
    """Return a puzzle that takes minutes."""
    return record(np.random.default_rng(1).random((60, 60)) < 0.42)
