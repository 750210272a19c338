"""A puzzle's cubes (solver.cubes) as tasks, over all cores that there are."""

from typing import Any

import pyarrow as pa

from pipeline.errors import ClusterError
from pipeline.executors.crew import NODE, Crew, Fault
from pipeline.executors.processes import processes
from solver.conquest import Conqueror, Conquest, take_in
from solver.cubes import Answer, Cube, conquer
from solver.ladder.warm import warm_up
from solver.views import views

TRIES = 3
"""A cube may lose its worker so often."""


def conquer_over(crew: Crew, batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
    """Take a conquest of a batch's one puzzle further: as `solver.conquest.conquered`, with a cube a core at a time.

    cpu_limit   CPU seconds of all cubes together; those at work when it is over are waited for

    Raises ClusterError if a cube loses its worker time and again. Ends at once with two solutions; then tasks may still
    be under way.
    """
    flying: dict[Any, tuple[Cube, int]] = {}
    again: list[tuple[Cube, int]] = []
    while len(conquest.solutions) < 2:
        left = cpu_limit - conquest.cpu_seconds
        while len(flying) < crew.cpus() and left > 0 and (again or conquest.waiting):
            if not again:
                again.append((conquest.waiting[0], 0))
                conquest = conquest._replace(waiting=conquest.waiting[1:])
            cube, tries = again.pop()
            ticket = crew.submit(conquer_cube, batch, cube, conquest.solutions, conquest.start, left)
            flying[ticket] = cube, tries
        if not flying:
            break
        for ticket, outcome in crew.wait(1.0):
            cube, tries = flying.pop(ticket)
            if isinstance(outcome, Fault):
                tries += outcome.kind != NODE
                if tries >= TRIES:
                    raise ClusterError(f"a part of {batch['puzzle_id'][0]} was lost {TRIES} times: {outcome.reason}")
                again.append((cube, tries))
            else:
                conquest = take_in(conquest, outcome)
    waiting = [*(cube for cube, _ in (*flying.values(), *again)), *conquest.waiting]
    return conquest._replace(waiting=waiting)


def conqueror(cpus: int) -> Conqueror:
    """What conquers over so many processes of this machine, which are started when a puzzle needs them."""

    def conquer_here(batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
        with processes(cpus) as crew:
            return conquer_over(crew, batch, conquest, cpu_limit)

    return conquer_here


def conquer_cube(batch: pa.RecordBatch, cube: Cube, known: list[Any], start: Any, cpu_limit: float) -> Answer:
    """What one task does: a cube of a batch's one puzzle, as `solver.cubes.conquer`."""
    puzzle = views(batch)
    warm_up(puzzle, ("line", "search", "tail"))  # which is no puzzle's CPU time
    return conquer(puzzle, cube, known, start, cpu_limit)
