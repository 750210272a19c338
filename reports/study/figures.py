"""What a study says in numbers: how many people tried, how they fared at each grade, how that goes with measures."""

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.batch import STUDIED_FIELDS
from reports.beside import keys
from reports.ratings import NORMAL_95
from reports.study.attempts import Studied
from reports.study.relations import ERRORS, OBSERVED, TIME, UNSOLVED, Relation, observed, relations, tries
from reports.study.tables import ATTEMPTS, OUTCOMES, SOLVED

CLASSES = 2
"""Classes of difficulty to a unit of it, which is a tenfold of work: a study without grades is balanced over them."""


class Share(NamedTuple):
    """A share from 0 to 1 with its 95 % interval."""

    value: float
    low: float
    high: float


class Level(NamedTuple):
    """The puzzles of a grade, or of a class of difficulty, and the attempts at them."""

    name: str  # of the grade, or of the class: "0.5–1"; "none" for puzzles without
    puzzles: int
    attempts: int
    solved: int
    seconds: float | None  # median active seconds of those that were solved
    unsolved: Share | None  # of the attempts, given up or left; None without attempts
    errors: float | None  # of the contents given to cells; None without any


class Tried(NamedTuple):
    """A puzzle that somebody has tried."""

    puzzle_id: str
    grade: int | None
    difficulty: float | None
    attempts: int
    solved: int
    seconds: float | None  # active seconds for somebody of average speed; None where it can't be said
    errors: float | None  # of the contents given to cells
    unsolved: float  # of the attempts


class StudyFigures(NamedTuple):
    """Everything that a report says of a study in numbers."""

    puzzles: int  # that it has
    people: int  # with an attempt that has ended
    attempts: int
    outcomes: dict[str, int]  # attempts of each that occurs
    graded: bool  # whether the levels are grades, else classes of difficulty
    levels: tuple[Level, ...]  # from the easiest; none without attempts
    tried: tuple[Tried, ...]  # by id
    known: dict[str, int]  # puzzles of which each of OBSERVED is known
    relations: tuple[Relation, ...]  # of each of OBSERVED the strongest first


def study_figures(studied: Studied, measured: pa.Table) -> StudyFigures:
    """What a study says.

    measured   columns STUDIED_FIELDS of reports.census: each of the study's puzzles
    """
    attempts = studied.attempts
    outcomes = Counter(attempts["outcome"].to_pylist())
    puzzle = _puzzle_of(attempts, measured)
    those = tries(attempts, puzzle)
    seen = observed(those, len(measured))
    graded = measured["grade"].null_count < len(measured)
    return StudyFigures(
        puzzles=len(studied.puzzles),
        people=pc.count_distinct(attempts["participant"]).as_py(),
        attempts=len(attempts),
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES if outcomes[outcome]},
        graded=graded,
        levels=_levels(attempts, puzzle, measured["grade" if graded else "difficulty"], graded),
        tried=_tried(attempts, puzzle, measured, seen),
        known={of: int(np.count_nonzero(~np.isnan(seen[of]))) for of in OBSERVED},
        relations=relations(those, measured),
    )


def attempts_beside(studied: Studied, measured: pa.Table) -> pa.Table:
    """The attempts, each with the measures of its puzzle: the columns of ATTEMPTS, then those of STUDIED_FIELDS."""
    puzzle = _puzzle_of(studied.attempts, measured)
    names = [name for name in STUDIED_FIELDS if name not in ATTEMPTS.names]
    beside = measured.select(names).take(pa.array(puzzle))
    schema = pa.schema([*ATTEMPTS, *beside.schema], ATTEMPTS.metadata)
    return pa.Table.from_arrays([*studied.attempts.columns, *beside.columns], schema=schema)


def wilson(part: int, whole: int) -> Share:
    """A share with its 95 % interval (Wilson, Probable inference, JASA 22, 1927), of at least one."""
    share, spread = part / whole, NORMAL_95**2 / whole
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return Share(share, max(0.0, middle - half), min(1.0, middle + half))


def _puzzle_of(attempts: pa.Table, measured: pa.Table) -> np.ndarray:
    """The puzzle of each attempt: its place in `measured`, int64[attempts]."""
    places = pc.index_in(keys(attempts), value_set=keys(measured).combine_chunks())
    return np.asarray(places.to_numpy(), np.int64)


def _levels(attempts: pa.Table, puzzle: np.ndarray, measure: pa.ChunkedArray, graded: bool) -> tuple[Level, ...]:
    """The puzzles by grade, or by class of difficulty, those without at the end."""
    if not len(attempts):
        return ()
    values = measure.to_numpy().astype(np.float64)
    classes = values if graded else np.floor(values * CLASSES) / CLASSES
    made = []
    for value in np.unique(classes).tolist():  # NaN last
        inside = np.isnan(classes) if math.isnan(value) else classes == value
        name = "none" if math.isnan(value) else f"{value:g}" if graded else f"{value:g}–{value + 1 / CLASSES:g}"
        made.append(_level(name, int(inside.sum()), attempts.filter(pa.array(inside[puzzle]))))
    return tuple(made)


def _level(name: str, puzzles: int, attempts: pa.Table) -> Level:
    """What the attempts at some puzzles come to."""
    solved = attempts.filter(pc.equal(attempts["outcome"], SOLVED))
    errors, given = (pc.sum(attempts[column]).as_py() or 0 for column in ("errors", "cells_set"))
    return Level(
        name,
        puzzles,
        len(attempts),
        len(solved),
        float(np.median(solved["active_seconds"].to_numpy())) if len(solved) else None,
        wilson(len(attempts) - len(solved), len(attempts)) if len(attempts) else None,
        errors / given if given else None,
    )


def _tried(
    attempts: pa.Table, puzzle: np.ndarray, measured: pa.Table, seen: dict[str, np.ndarray]
) -> tuple[Tried, ...]:
    """The puzzles that somebody has tried, with what is observed of them."""
    solved = pc.equal(attempts["outcome"], SOLVED).to_numpy()
    counts = (np.bincount(puzzle[rows], minlength=len(measured)).tolist() for rows in (slice(None), solved))
    about = measured.select(["puzzle_id", "grade", "difficulty"]).to_pylist()
    seconds = pa.array(np.exp(seen[TIME]), from_pandas=True).to_pylist()
    errors = pa.array(seen[ERRORS], from_pandas=True).to_pylist()
    rows = zip(about, *counts, seconds, errors, seen[UNSOLVED].tolist(), strict=True)
    made = [Tried(*row.values(), *rest) for row, *rest in rows if rest[0]]
    return tuple(sorted(made, key=lambda one: one.puzzle_id))
