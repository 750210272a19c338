"""A puzzle over all cores: clause learners on the whole of it, and beside them its cubes (solver.learning.cubes).

Which of the two is quicker can't be foreseen: cubes lose what one learner would have learned once for all of them. So
the whole has one core, as if there were no others, and the cubes have the rest. But Kissat loses little by a few cubes:
where it is at work, the whole has only to find the first solution, and then its core takes cubes as well.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.errors import ClusterError
from pipeline.executors.crew import NODE, Crew, Fault
from pipeline.executors.resources import Resources, open_crew
from solver.ladder.ladder_kernels import warm_up
from solver.learning.conquest import Conqueror, Conquest, take_in
from solver.learning.cubes import Answer, Cube, conquer
from solver.learning.tail import cube_turns, splits_well, usual_turns
from solver.model.views import views

TRIES = 3
"""A cube may lose its worker so often."""


@contextmanager
def conqueror(cpus: int) -> Iterator[Conqueror]:
    """Conquer over `cpus` cores of this machine for as long as the block lasts; Ray starts when a puzzle needs it."""
    with ExitStack() as stack:
        crews: list[Crew] = []

        def conquer_here(batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
            if not crews:
                crews.append(stack.enter_context(open_crew(Resources(cpus=cpus))))
            return conquer_over(crews[0], batch, conquest, cpu_limit)

        yield conquer_here


def conquer_over(crew: Crew, batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
    """Take a conquest of a batch's one puzzle further, with the whole on one core and a cube on each of the others.

    cpu_limit   CPU seconds that each core has. When these are spent, it ends

    Two solutions, the proof of the whole or the last cube's decide. Tasks still running then are cancelled; the wall
    seconds that they had count as CPU seconds. Raises ClusterError if a cube loses its worker TRIES times.
    """
    running: dict[Any, tuple[Cube, float]] = {}
    ended = _conquered(crew, batch, conquest, cpu_limit, running)
    now = time.monotonic()
    for ticket in running:
        crew.cancel(ticket)
    return ended._replace(cpu_seconds=ended.cpu_seconds + sum(now - begun for _, begun in running.values()))


def _conquered(
    crew: Crew,
    batch: pa.RecordBatch,
    conquest: Conquest,
    cpu_limit: float,
    running: dict[Any, tuple[Cube, float]],
) -> Conquest:
    """As `conquer_over`; `running` has the tasks that have not ended, each with its cube and when it was submitted."""
    whole = Cube((), conquest.start)
    cores = crew.cpus()
    shared = cores > 1 and splits_well()
    again = [] if shared and conquest.solutions else [whole]
    lost = Counter[tuple[tuple[int, int, bool], ...]]()  # of the whole, which has no splits, and of each cube
    begun = conquest.cpu_seconds
    while len(conquest.solutions) < 2:
        left = cpu_limit - (conquest.cpu_seconds - begun) / cores
        if left <= 0:
            return conquest._replace(waiting=[whole])
        while len(running) < cores and (again or conquest.waiting):
            if not again:
                again.append(conquest.waiting[0])
                conquest = conquest._replace(waiting=conquest.waiting[1:])
            cube = again.pop()
            with_whole = sum(other is whole for other, _ in running.values())
            cubes = len(conquest.waiting) + len(running) - with_whole + 1
            among = None if cube is whole else (max(cores - with_whole, 1), cubes)
            ticket = crew.submit(conquer_cube, batch, cube, conquest.solutions, conquest.start, left, among)
            running[ticket] = cube, time.monotonic()
        cubes_left = [*conquest.waiting, *again, *(cube for cube, _ in running.values())]
        if all(cube is whole for cube in cubes_left):
            break
        for ticket, outcome in crew.wait(1.0):
            if ticket not in running:
                continue  # cancelled, of the puzzle before
            cube, _ = running.pop(ticket)
            if isinstance(outcome, Fault):
                lost[cube.splits] += outcome.kind != NODE
                if lost[cube.splits] == TRIES:
                    raise ClusterError(f"a part of {batch['puzzle_id'][0]} was lost {TRIES} times: {outcome.reason}")
                again.append(cube)
            elif cube is whole:
                conquest = take_in(conquest, outcome._replace(parts=[]))
                if not outcome.parts:
                    return conquest._replace(waiting=[])
                if not outcome.solutions:
                    return conquest._replace(waiting=[whole])
                if not shared:
                    again.append(whole)
            else:
                conquest = take_in(conquest, outcome)
    return conquest


def conquer_cube(
    batch: pa.RecordBatch,
    cube: Cube,
    known: list[np.ndarray],
    start: np.ndarray,
    cpu_limit: float,
    among: tuple[int, int] | None,
) -> Answer:
    """What one task does: a cube of a batch's one puzzle, as `solver.learning.cubes.conquer`.

    among   how many cores decide cubes of the puzzle, and how many cubes there are with this one; None for the whole
    """
    puzzle = views(batch)
    warm_up(puzzle, ("line", "search", "tail"))  # which is no puzzle's CPU time
    turns = usual_turns() if among is None else cube_turns(len(cube.splits), *among)
    return conquer(puzzle, cube, known, start, cpu_limit, turns)
