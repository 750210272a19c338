"""The pool of workers: what a task may use, and what a worker's end does to its job and to others."""

import asyncio
import json
from typing import Any

import pytest
from serving import PLUS

from nonocensus.pipeline.serve.jobs import PuzzleJob
from nonocensus.pipeline.serve.pool import DIED, open_pool

pytestmark = pytest.mark.slow

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
