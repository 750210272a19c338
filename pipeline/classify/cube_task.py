"""What tasks do with cubes (solver.cubes) of a run's puzzle: decide one, or write the row when all are decided."""

from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.classify.conquer import conquer_cube
from pipeline.classify.task import (
    GRACE,
    CannotReadError,
    Job,
    TaskStatistics,
    Unfit,
    Unreadable,
    Unwritable,
    backstop,
    chunks_of,
    stamped,
    unfit_for,
)
from pipeline.errors import StorageError
from pipeline.run.results import Piece, results_file, write_statistics
from pipeline.store.folder import folder
from pipeline.store.lock import borrowed
from pipeline.store.parts import Part
from pipeline.store.spans import Spans
from solver.api import classify
from solver.conquest import Conquest
from solver.cubes import Answer, Cube
from solver.ladder.question import FROM_NOTHING


def decide_cube(
    rows: dict[str, Spans],
    parts: dict[str, Part],
    limit: float,
    job: Job,
    beside: tuple[str, ...],
    cube: Cube,
    known: list[np.ndarray],
    among: tuple[int, int],
) -> Answer | Unreadable | Unfit:
    """One task: a cube of the one puzzle that stands in `rows`, with `limit` CPU seconds (solver.cubes.conquer)."""
    if (unfit := unfit_for(job)) is not None:
        return unfit
    try:
        ((_, batch),) = chunks_of(rows, parts, job, beside)
    except CannotReadError as error:
        return Unreadable(*error.args)
    with backstop(limit + GRACE, job):
        return conquer_cube(batch, cube, known, FROM_NOTHING, limit, among)


def write_conquered(
    rows: dict[str, Spans],
    parts: dict[str, Part],
    limit: float,
    name: str,
    job: Job,
    beside: tuple[str, ...],
    ended: Conquest,
    wall: float,
) -> Piece | Unreadable | Unwritable | Unfit | None:
    """One task: write a file of results with the row of a puzzle whose cubes are decided.

    It goes up the ladder once more, so that its row has all that other rows have; in the place of the clause learners
    stands what the cubes have come to.

    wall    seconds by the wall that the puzzle has taken so far

    Returns None, and writes nothing, if that makes no verdict: what the ladder says does not agree, or time was out.
    """
    if (unfit := unfit_for(job)) is not None:
        return unfit
    place = folder(job.run) / "results"
    try:
        made = TaskStatistics(name)
        (chunk,) = chunks_of(rows, parts, job, beside)
        with backstop(limit + GRACE, job):
            row = classify(chunk.batch, **job.settings, conquer=lambda _, begun, __: agreed(begun, ended))
        if row["status"][0].as_py() != "ok":
            return None
        made.solver = row["cpu_seconds"][0].as_py()
        made.cpu -= ended.cpu_seconds
        made.wall -= wall
        row = stamped(row, {"wall_seconds": pa.array([row["wall_seconds"][0].as_py() + wall])})
        nobody = np.zeros(1, np.bool_)
        with results_file(place, name) as writer:
            writer.write_batch(made.noted(chunk, row, nobody, nobody, job))
        with borrowed(job.lease):
            return write_statistics(place, made.piece(limit, parts))
    except CannotReadError as error:
        return Unreadable(*error.args)
    except OSError as error:
        return Unwritable(f"{place.name} can't be written: {error.strerror or error}")
    except StorageError as error:
        return Unwritable(str(error))


def agreed(begun: Conquest, ended: Conquest) -> Conquest:
    """What cubes have come to, if it agrees with the solutions that the ladder knows; else a conquest that is open."""
    known: list[Any] = [solution.tobytes() for solution in ended.solutions]
    if len(known) < 2 and any(solution.tobytes() not in known for solution in begun.solutions):
        return begun
    return ended
