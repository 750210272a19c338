"""Solve one hard puzzle on all cores: clause learners on the whole formula, and on its cubes (solver.learning.cubes).

Which of the two is faster can't be predicted: cubes lose the clauses that a single learner would share among them. So
the whole formula has one core, as if there were no others, and cubes have the rest. Kissat loses little by a few cubes:
with it the whole only has to find the first solution, then its core takes cubes as well.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import ClusterError
from nonocensus.pipeline.executors.executor import NODE, Executor, Resources, TaskFailure, open_executor
from nonocensus.solver.ladder.ladder_kernels import warm_up
from nonocensus.solver.learning.cubes import Conqueror, Conquest, Cube, CubeResult, add_result, solve_cube
from nonocensus.solver.learning.tail import cube_turns, default_turns, has_kissat
from nonocensus.solver.model.views import views

TRIES = 3
"""Attempts at a cube whose worker dies."""


class CubeTask(NamedTuple):
    """A running cube, and when it was submitted (seconds of the monotonic clock)."""

    cube: Cube
    submitted: float


@contextmanager
def conqueror(cpus: int) -> Iterator[Conqueror]:
    """Conquer on `cpus` cores of this machine while the block runs; Ray starts with the first puzzle."""
    with ExitStack() as stack:
        executors: list[Executor] = []

        def conquer_here(batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
            if not executors:
                executors.append(stack.enter_context(open_executor(Resources(cpus=cpus))))
            return conquer_over(executors[0], batch, conquest, cpu_limit)

        yield conquer_here


def conquer_over(executor: Executor, batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
    """Continue the conquest of a batch's single puzzle, with the whole on one core and a cube on each of the others.

    Ends with two solutions, a proof by the whole, the last cube, or `cpu_limit` CPU seconds per core. Tasks still
    running then are cancelled; their wall seconds count as CPU seconds. Raises ClusterError if a cube loses its worker
    TRIES times.
    """
    running: dict[Any, CubeTask] = {}
    ended = _conquer(executor, batch, conquest, cpu_limit, running)
    now = time.monotonic()
    for ticket in running:
        executor.cancel(ticket)
    return ended._replace(cpu_seconds=ended.cpu_seconds + sum(now - task.submitted for task in running.values()))


def _conquer(
    executor: Executor,
    batch: pa.RecordBatch,
    conquest: Conquest,
    cpu_limit: float,
    running: dict[Any, CubeTask],
) -> Conquest:
    """Run the loop of `conquer_over`; leaves unfinished tasks in `running`."""
    whole = Cube((), conquest.start)
    cores = executor.cpus()
    shared = cores > 1 and has_kissat()
    retries = [] if shared and conquest.solutions else [whole]
    lost = Counter[tuple[tuple[int, int, bool], ...]]()  # by a cube's splits; the whole has none
    begun = conquest.cpu_seconds
    while len(conquest.solutions) < 2:
        left = cpu_limit - (conquest.cpu_seconds - begun) / cores
        if left <= 0:
            return conquest._replace(waiting=[whole])
        while len(running) < cores and (retries or conquest.waiting):
            if not retries:
                retries.append(conquest.waiting[0])
                conquest = conquest._replace(waiting=conquest.waiting[1:])
            cube = retries.pop()
            with_whole = sum(task.cube is whole for task in running.values())
            cubes = len(conquest.waiting) + len(running) - with_whole + 1
            among = None if cube is whole else (max(cores - with_whole, 1), cubes)
            ticket = executor.submit(conquer_cube, batch, cube, conquest.solutions, conquest.start, left, among)
            running[ticket] = CubeTask(cube, time.monotonic())
        open_cubes = [*conquest.waiting, *retries, *(task.cube for task in running.values())]
        if all(cube is whole for cube in open_cubes):
            break
        for ticket, outcome in executor.wait(1.0):
            if ticket not in running:
                continue  # cancelled, of the previous puzzle
            cube = running.pop(ticket).cube
            if isinstance(outcome, TaskFailure):
                lost[cube.splits] += outcome.kind != NODE
                if lost[cube.splits] == TRIES:
                    raise ClusterError(f"a part of {batch['puzzle_id'][0]} was lost {TRIES} times: {outcome.reason}")
                retries.append(cube)
            elif cube is whole:
                conquest = add_result(conquest, outcome._replace(parts=[]))
                if not outcome.parts:
                    return conquest._replace(waiting=[])
                if not outcome.solutions:
                    return conquest._replace(waiting=[whole])
                if not shared:
                    retries.append(whole)
            else:
                conquest = add_result(conquest, outcome)
    return conquest


def conquer_cube(
    batch: pa.RecordBatch,
    cube: Cube,
    known: list[np.ndarray],
    start: np.ndarray,
    cpu_limit: float,
    among: tuple[int, int] | None,
) -> CubeResult:
    """Run one task: a cube of a batch's single puzzle, as `solver.learning.cubes.solve_cube`.

    among   (cores that work on cubes of the puzzle, cubes including this one); None for the whole
    """
    puzzle = views(batch)
    warm_up(puzzle, ("line", "search", "tail"))  # compiling is not the puzzle's CPU time
    turns = default_turns() if among is None else cube_turns(len(cube.splits), *among)
    return solve_cube(puzzle, cube, known, start, cpu_limit, turns)
