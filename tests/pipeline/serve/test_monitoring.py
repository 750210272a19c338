"""What an operator sees of a server: /healthz, /metrics, the access log, its end; and what a worker may use."""

import asyncio
import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from serving import PLUS, SECONDS, Server, long_puzzle, running, until

from nonocensus.pipeline.serve.monitoring import SERVER_METRICS
from nonocensus.pipeline.serve.pool import DIED, PuzzleJob, ServerBusy, WorkerPool, open_pool
from nonocensus.pipeline.serve.server import application

pytestmark = pytest.mark.slow


OPTIONS = ("--cpus", "1", "--log-level", "info")


def metrics(server: Server) -> dict[str, float]:
    """Return the values of /metrics by series."""
    reply = server.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in reply.text.splitlines() if not line.startswith("#")]
    return {series: float(value) for series, value in (line.rsplit(" ", 1) for line in lines)}


def test_metrics_count_requests_and_jobs(server: Server) -> None:
    server.post("/api/solve?wait=20", json={"puzzle": PLUS})
    server.get("/api/jobs/none")
    server.get("/no%0Asuch/path")
    server.get("/", headers={"host": "evil.example"})
    found = metrics(server)
    requests = "nonocensus_http_requests_total"
    assert found[f'{requests}{{route="/api/solve",status="200"}}'] == 1
    assert found[f'{requests}{{route="/api/jobs/{{job_id}}",status="404"}}'] == 1
    assert found[f'{requests}{{route="",status="404"}}'] == found[f'{requests}{{route="",status="421"}}'] == 1
    assert found['nonocensus_http_request_seconds_count{route="/api/solve"}'] == 1
    assert found['nonocensus_jobs_total{task="solve",state="done"}'] == 1
    assert found['nonocensus_workers{state="ready"}'] == 3
    names = {re.sub(r"(_bucket|_sum|_count)?[{].*", "", series) for series in found}
    assert names == {metric.name for metric in SERVER_METRICS}


def test_health_depends_on_workers(server: Server) -> None:
    assert (server.get("/healthz").status_code, server.get("/healthz").text) == (200, "ok\n")
    without = TestClient(application(WorkerPool(2), None, 1.0, frozenset({"testserver"})))
    assert (without.get("/healthz").status_code, without.get("/healthz").text) == (503, "no worker is ready\n")
    assert 'nonocensus_workers{state="missing"} 3\n' in without.get("/metrics").text


def test_drain_waits_for_jobs_that_are_waited_for() -> None:
    async def drained(finish: bool, seconds: float) -> PuzzleJob:
        pool = WorkerPool(2)
        pool.free = asyncio.Semaphore(0)  # the job stays in the queue
        job = pool.submit(PuzzleJob("solve", {}, 0, 1.0))
        job.waiters = 1
        draining = asyncio.create_task(pool.drain(seconds))
        await asyncio.sleep(0)
        with pytest.raises(ServerBusy):
            pool.submit(PuzzleJob("solve", {}, 0, 1.0))
        if finish:
            del pool.unfinished[job]
            job.finish("done")
        await draining
        assert not pool.unfinished
        return job

    assert asyncio.run(drained(True, 600.0)).state == "done"
    job = asyncio.run(drained(False, 0.1))
    assert (job.state, job.error) == ("cancelled", "the server stops")


def test_sigterm_ends_requests_and_is_logged() -> None:
    with running("--cpus", "1", "--log-level", "info") as server, ThreadPoolExecutor(1) as threads:
        server.get("/no%0Asuch/path?query")
        asked = threads.submit(server.post, "/api/solve?wait=20", json={"puzzle": long_puzzle()})
        until(lambda: metrics(server)["nonocensus_jobs_running"] > 0)
        server.process.send_signal(signal.SIGTERM)
        _, log = server.process.communicate(timeout=SECONDS)
        assert (server.process.returncode, asked.result().json()["state"]) == (0, "cancelled")
    lines = [re.sub(r"^\S+ \S+ ", "", line) for line in log.splitlines()]
    assert re.fullmatch(r"INFO nonocensus.serve: 127.0.0.1 GET /no\\nsuch/path 404 \d+ bytes [\d.]+ s", lines[0])
    assert re.fullmatch(r"INFO nonocensus.serve: 127.0.0.1 POST /api/solve 200 \d+ bytes [\d.]+ s", lines[-1])


SOLVE: dict[str, Any] = {"puzzle": json.dumps(PLUS).encode(), "solutions": 2, "grade": False, "begun": None}


def finished(*jobs: PuzzleJob) -> int:
    """Run jobs to their end; returns how many workers were replaced."""

    async def main() -> int:
        for job in jobs:
            pool.submit(job)
        await asyncio.gather(*(job.finished_event.wait() for job in jobs))
        while pool.ready < pool.workers:
            await asyncio.sleep(0.1)
        assert not pool.unfinished
        return pool.replaced

    with open_pool(2) as pool:
        return asyncio.run(main())


def test_file_that_takes_long_to_read_is_refused_and_its_worker_stays() -> None:
    slow = PuzzleJob("parse", {"name": "", "data": b"\n" * (4 << 20)}, 0, 0.05)
    solved = PuzzleJob("solve", SOLVE, 0, 5.0)
    assert finished(slow, solved) == 0
    assert (slow.state, slow.error) == ("refused", "it takes more time than this server allows")
    assert solved.state == "done"


def test_task_that_exceeds_its_memory_fails_and_its_worker_is_replaced() -> None:
    greedy = PuzzleJob("clues", {"width": 1, "cells": "0", "palette": Greedy(), "title": None}, 0, 5.0)
    solved = [PuzzleJob("solve", SOLVE, 0, 5.0) for _ in range(20)]
    assert finished(greedy, *solved) == 1
    assert (greedy.state, greedy.error) == ("failed", DIED)
    assert all(job.state == "done" for job in solved)


class Greedy:
    """Takes more memory than a worker has, where it is read."""

    def __iter__(self) -> None:
        bytearray(1 << 40)
