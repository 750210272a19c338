"""Which puzzles of a run a study gives to people: balanced over how hard and how large they are, or named by id.

Fit are puzzles with exactly one solution, of at most MOST_SIDE cells a side, each picture once, however it is turned,
mirrored or coloured. The same run gives the same puzzles.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import InputError, UserError
from pipeline.run.folder import Run
from pipeline.run.grades import read_grades
from pipeline.run.pairs import pairs
from pipeline.run.sample import Candidates, balanced, difficulty_class, gathered
from pipeline.study.folder import MOST_SIDE, STUDY_PUZZLES, Chosen, unfit
from pipeline.study.text import read_text
from reports.batch import size_class
from reports.beside import Found, first_bits, indexed
from reports.graded import finished, grades_beside
from solver.effort import difficulty
from solver.tables import PUZZLES

RESULT_COLUMNS = ["puzzle_id", "clue_hash", "solutions", "line_solves", "conflicts"]
PUZZLE_COLUMNS = ["width", "height", "canonical_hash"]

NAMED = 5
"""Ids that an error names, of many."""


class Selection(NamedTuple):
    """The puzzles of a study: how they were chosen, and the table of them (STUDY_PUZZLES)."""

    chosen: Chosen
    puzzles: pa.Table


def choose_balanced(run: Run, count: int) -> Selection:
    """So many puzzles of a run, or all that are fit if there are fewer, balanced over grades and size classes.

    In a run without grades, over classes of difficulty. A UserError says if none is fit.
    """
    grades = finished(read_grades(run))
    there = candidates(run, indexed(grades) if len(grades) else None, count)
    if not len(there.bits):
        raise UserError(
            f"{run.folder.name} has no puzzle for a study: {'a grade, ' if len(grades) else ''}exactly one solution "
            f"and at most {MOST_SIDE}x{MOST_SIDE} cells"
        )
    places = balanced(list(zip(there.hardness.tolist(), there.size.tolist(), strict=True)), count)
    wanted = dict(zip(there.puzzle_id[places].tolist(), there.clue_hash[places].tolist(), strict=True))
    return Selection({"by": "grade" if len(grades) else "difficulty", "count": count}, _rows(run, wanted))


def candidates(run: Run, grades: Found | None, count: int) -> Candidates:
    """The puzzles that are fit, each picture once: of each hardness and size so many, those with the first `bits`.

    It does not matter in which order the run has them.

    grades   of the run, those that are known; without them hardness is a class of difficulty
    """
    stretches = pairs(run, RESULT_COLUMNS, PUZZLE_COLUMNS)
    return gathered((_fit(results, puzzles, grades) for results, puzzles in stretches if len(results)), count)


def _fit(results: pa.Table, puzzles: pa.Table, grades: Found | None) -> Candidates:
    """The puzzles of some rows that are fit, in their order."""
    width, height, line_solves, conflicts = (
        pc.fill_null(column, 0).to_numpy()
        for column in (puzzles["width"], puzzles["height"], results["line_solves"], results["conflicts"])
    )
    side = np.maximum(width, height)
    fit = pc.fill_null(pc.equal(results["solutions"], "unique"), False).to_numpy() & (side <= MOST_SIDE) & (side > 0)
    if grades is None:
        work = difficulty(line_solves, conflicts, width.astype(np.float64) + height)
        fit &= np.isfinite(work)
        hardness = difficulty_class(work)
    else:
        batch = results.combine_chunks().to_batches()[0]
        grade = grades_beside(batch, grades)["grade"]
        fit &= grade.is_valid().to_numpy(zero_copy_only=False)
        hardness = pc.fill_null(grade, 0).to_numpy().astype(np.int64)
    fit &= np.logical_and.reduce([results[name].is_valid().to_numpy() for name in ("puzzle_id", "clue_hash")])
    mask = pa.array(fit)
    return Candidates(
        results["puzzle_id"].filter(mask).to_numpy(zero_copy_only=False).astype(object),
        results["clue_hash"].filter(mask).to_numpy(zero_copy_only=False).astype(object),
        first_bits(puzzles["canonical_hash"].filter(mask).combine_chunks()),
        hardness[fit],
        size_class(puzzles).to_numpy()[fit].astype(np.int64),
    )


def read_ids(path: Path) -> list[str]:
    """The ids of a file, an id a line, in their order. A UserError says what is wrong with it."""
    names = [line.strip() for line in read_text("--ids", path).splitlines() if line.strip()]
    if not names:
        raise UserError(f"--ids {path} names no puzzle")
    _refuse([name for name, times in Counter(names).items() if times > 1], f"--ids {path} names twice")
    return names


def choose_named(run: Run, names: Sequence[str]) -> Selection:
    """The puzzles of these ids, each named once, in this order. A UserError names those that are not fit."""
    run_name = run.folder.name
    hashes: dict[str, str] = {}
    sides: dict[str, int] = {}
    pictures: dict[str, str] = {}
    answered: set[str] = set()
    wanted = pa.array(names, pa.string())
    for results, puzzles in pairs(run, RESULT_COLUMNS, PUZZLE_COLUMNS):
        mask = pc.is_in(results["puzzle_id"], wanted)
        for result, puzzle in zip(results.filter(mask).to_pylist(), puzzles.filter(mask).to_pylist(), strict=True):
            name = result["puzzle_id"]
            answered.add(name)
            sides[name] = max(puzzle["width"] or 0, puzzle["height"] or 0)
            if result["solutions"] == "unique":
                hashes.setdefault(name, result["clue_hash"])
                pictures.setdefault(name, puzzle["canonical_hash"])
    _refuse([name for name in names if name not in answered], f"--ids: {run_name} has no result of")
    _refuse([name for name in names if name not in hashes], "--ids: more or less than one solution have")
    _refuse([name for name in names if sides[name] > MOST_SIDE], f"--ids: larger than {MOST_SIDE}x{MOST_SIDE} are")
    first: dict[str, str] = {}
    again = [name for name in names if first.setdefault(pictures[name], name) != name]
    _refuse(again, "--ids: the same picture as another one, perhaps turned, mirrored or recoloured, have")
    return Selection({"by": "ids", "count": len(names)}, _rows(run, {name: hashes[name] for name in names}))


def _refuse(names: list[str], why: str) -> None:
    """Raise a UserError that names puzzles, some of many, if there are any."""
    if names:
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        raise UserError(f"{why} {', '.join(islice(names, NAMED))}{more}")


def _rows(run: Run, wanted: dict[str, str]) -> pa.Table:
    """The rows of a study's puzzles, in the order of `wanted`: clue hashes by id.

    An InputError names one that is damaged.
    """
    found: dict[str, pa.Table] = {}
    names = pa.array(wanted, pa.string())
    for results, puzzles in pairs(run, ["puzzle_id", "clue_hash", "solutions", "solution"], PUZZLES.names):
        mask = pc.is_in(results["puzzle_id"], names)
        answers = results.filter(mask)
        rows = puzzles.filter(mask).append_column("solution", answers["solution"])
        for row, answer in enumerate(answers.drop_columns("solution").to_pylist()):
            if answer["clue_hash"] == wanted[answer["puzzle_id"]] and answer["solutions"] == "unique":
                found.setdefault(answer["puzzle_id"], rows.slice(row, 1))
    table = pa.concat_tables([found[name] for name in wanted]).cast(STUDY_PUZZLES).combine_chunks()
    wrong = unfit(table)
    if wrong is not None:
        raise InputError(f"{run.folder.name}: {wrong}; nonocensus verify {run.folder.name} tells what to do")
    return table
