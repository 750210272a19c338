"""Small puzzles that a worker solves together: each has its own answer, whatever the others are."""

import asyncio
import json
from typing import Any

import msgspec
import numpy as np
import pytest
from serving import DIAGONAL, PLUS, long_puzzle, record

from nonocensus.pipeline.serve.jobs import PuzzleJob
from nonocensus.pipeline.serve.pool import DIED, WorkerPool
from nonocensus.pipeline.serve.solve_tasks import solve_batch, solve_puzzle
from nonocensus.pipeline.serve.task_budget import Deferred, TaskBudget

pytestmark = pytest.mark.slow

TRIED = TaskBudget(0.5, True, lambda: None)


def asked(puzzle: dict[str, Any]) -> dict[str, Any]:
    return {"puzzle": json.dumps(puzzle).encode(), "solutions": 2, "grade": False, "begun": None}


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if not name.startswith(("cpu_", "wall_"))}


def test_batch_returns_the_same_answers_as_single_tasks() -> None:
    rng = np.random.default_rng(3)
    several = [asked(record(rng.random((6, 7)) < 0.5)) for _ in range(6)]
    several += [asked(PLUS), asked(DIAGONAL), asked(PLUS), asked({"rows": [[[9, 1]]], "columns": [[[1, 1]]]})]
    for together, each in zip(solve_batch(several, TRIED), several, strict=True):
        assert isinstance(together, dict)
        assert untimed(together) == untimed(solve_puzzle(each, TRIED))


def test_refused_and_long_puzzles_do_not_affect_their_batch() -> None:
    """The others are answered."""
    long = long_puzzle()
    found = solve_batch([asked(PLUS), asked({"rows": 1}), asked(long), asked(PLUS)], TRIED)
    assert [type(each) for each in found[::3]] == [dict, dict]
    assert isinstance(found[1], ValueError)
    assert isinstance(found[2], Deferred)
    assert all(isinstance(each, ValueError) for each in solve_batch([asked({}), asked({})], TRIED))


def test_only_the_puzzle_that_kills_a_worker_fails() -> None:
    """Each is tried alone, and only the one that it dies over has failed."""
    good = msgspec.msgpack.encode(asked(PLUS))

    async def main() -> list[PuzzleJob]:
        pool = WorkerPool(2)
        await pool.start()
        try:
            jobs = [PuzzleJob("solve", what, 5.0, is_batchable=True) for what in (good, b"\xc1", good)]
            for job in jobs:
                pool.submit(job)
            await asyncio.wait_for(asyncio.gather(*(job.finished_event.wait() for job in jobs)), 120)
            assert pool.replaced >= 2
            assert not pool.unfinished
            return jobs
        finally:
            await pool.close()

    assert [(job.state, job.error) for job in asyncio.run(main())] == [("done", ""), ("failed", DIED), ("done", "")]


def test_cancelled_job_does_not_affect_its_batch() -> None:
    """The others go on."""

    async def main() -> list[str]:
        pool = WorkerPool(2)
        await pool.start()
        try:
            jobs = [PuzzleJob("solve", msgspec.msgpack.encode(asked(PLUS)), 5.0, is_batchable=True) for _ in range(3)]
            for job in jobs:
                pool.submit(job)
            while jobs[1].state == "queued":
                await asyncio.sleep(0)
            pool.cancel(jobs[1])
            await asyncio.wait_for(asyncio.gather(*(job.finished_event.wait() for job in jobs)), 120)
            while pool.unfinished:
                await asyncio.sleep(0)
            assert pool.replaced == 0
            return [job.state for job in jobs]
        finally:
            await pool.close()

    assert asyncio.run(main()) == ["done", "cancelled", "done"]
