"""How far a puzzle that is decided by cubes (solver.learning.cubes) has come: what is waiting, what has been found."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from solver.learning.cubes import Answer, Cube, conquer
from solver.learning.tail import cube_turns
from solver.model.views import views


class Conquest(NamedTuple):
    """A puzzle as far as its cubes have been decided.

    start         bool[height x width, palette]: the colours that cells may have in any solution; empty if all
    solutions     uint8[height x width] each, row by row, a palette entry each: those found so far, at most two
    waiting       cubes to decide, the next one first. With those at work they hold all other solutions
    cpu_seconds   of all cubes so far, in whichever process
    conflicts     of clause learning, likewise
    engine        the learner that was last at work; None if none was
    kissat_failed whether Kissat failed on any of them
    """

    start: np.ndarray
    solutions: list[np.ndarray]
    waiting: list[Cube]
    cpu_seconds: float = 0.0
    conflicts: int = 0
    engine: str | None = None
    kissat_failed: bool = False


ON_ITS_OWN = (1, 2)
"""A core, and more cubes than that: none is split for want of cubes."""

Conqueror = Callable[[pa.RecordBatch, Conquest, float], Conquest]
"""What takes a conquest of a batch's one puzzle further, in so many CPU seconds: `conquered`, or one over processes."""


def take_in(conquest: Conquest, answer: Answer) -> Conquest:
    """A conquest after one of its cubes, which is no longer waiting, has been answered."""
    known = [solution.tobytes() for solution in conquest.solutions]
    new = [solution for solution in answer.solutions if solution.tobytes() not in known]
    return conquest._replace(
        solutions=[*conquest.solutions, *new][:2],
        waiting=[*answer.parts, *conquest.waiting],
        cpu_seconds=conquest.cpu_seconds + answer.cpu_seconds,
        conflicts=conquest.conflicts + answer.conflicts,
        engine=answer.engine or conquest.engine,
        kissat_failed=answer.kissat_failed or conquest.kissat_failed,
    )


def conquered(batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
    """Decide one cube after the other, until two solutions are known, none is left, or time is out."""
    puzzle = views(batch)
    while conquest.waiting and len(conquest.solutions) < 2 and conquest.cpu_seconds < cpu_limit:
        cube, *others = conquest.waiting
        left = cpu_limit - conquest.cpu_seconds
        answer = conquer(
            puzzle, cube, conquest.solutions, conquest.start, left, cube_turns(len(cube.splits), *ON_ITS_OWN)
        )
        conquest = take_in(conquest._replace(waiting=others), answer)
    return conquest
