"""Studies for tests: puzzles with one solution, simulated people's moves, and attempts without moves."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from players import COSTS, Person, moves_of, play

from reports.census import take_census
from reports.graded import finished
from reports.study.attempts import Studied
from reports.study.tables import ATTEMPTS, GAVE_UP, MOVES, SOLVED
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver import api
from solver.derivation.explain import Explanation, explain
from solver.tables import GRADES, RESULTS, puzzles_of
from solver.techniques.grade import grades

RANDOM = Recipe("random", 12, 12, 0.52, 1, 300)
COLORED = Recipe("blobs", 8, 8, 0.6, 1, 20, 3)


class Material(NamedTuple):
    """Puzzles with one solution.

    results, puzzles   rows of both tables; the puzzles have the column `solution` too, as in a study
    grades             of the schema GRADES
    explanations       how each is solved
    """

    results: pa.Table
    puzzles: pa.Table
    grades: pa.Table
    explanations: list[Explanation]


@cache
def material(recipe: Recipe = RANDOM, wanted: int = 30) -> Material:
    """The first puzzles of a recipe that have one solution."""
    batch = recipe_batch(recipe, 0, recipe.count)
    results = pa.Table.from_batches([api.classify(batch)]).cast(RESULTS)
    unique = pa.array(np.flatnonzero(np.array(results["solutions"].to_pylist()) == "unique")[:wanted])
    results, rows = results.take(unique), batch.take(unique)
    graded = finished(pa.Table.from_batches([grades(rows, np.ones(len(rows), np.bool_))]))
    explained = [explain(puzzle) for puzzle in puzzles_of(rows)]
    puzzles = pa.Table.from_batches([rows]).append_column("solution", results["solution"])
    return Material(results, puzzles, graded, explained)


def measured(these: Material, graded: bool = True) -> pa.Table:
    """The measures of the puzzles, as a census has them for a study."""
    found = these.grades if graded else GRADES.empty_table()
    return take_census([(these.results, these.puzzles)], grades=found, studied=these.puzzles).studied


def played(
    these: Material, people: Sequence[Person], each: int, seed: int, costs: Sequence[float] = COSTS
) -> tuple[pa.Table, list[dict[str, Any]]]:
    """People who play some of the puzzles each, drawn for each: all their moves, and the attempts that are planted."""
    generator = np.random.default_rng(seed)
    puzzles = these.puzzles.select(["puzzle_id", "clue_hash", "solution"]).to_pylist()
    moves, planted = [MOVES.empty_table()], []
    for k, person in enumerate(people):
        for number, p in enumerate(generator.permutation(len(puzzles))[:each].tolist(), 1):
            game = play(these.explanations[p], puzzles[p]["solution"], person, generator, costs)
            moves.append(moves_of(game.acts, f"{k:016x}", number, puzzles[p]))
            about = {"participant": f"{k:016x}", "number": number}
            about |= {name: puzzles[p][name] for name in ("puzzle_id", "clue_hash")}
            planted.append(about | game.planted)
    return pa.concat_tables(moves), planted


def attempted(puzzles: pa.Table, seconds: ArrayLike) -> pa.Table:
    """Attempts that take people so many seconds, of the schema ATTEMPTS; an infinite time is given up.

    seconds   float64[people, puzzles]; NaN where a person has not tried a puzzle
    """
    names = puzzles.select(["puzzle_id", "clue_hash"]).to_pylist()
    rows = []
    for person, times in enumerate(np.asarray(seconds, float).tolist()):
        tried = [(name, time) for name, time in zip(names, times, strict=True) if not np.isnan(time)]
        for number, (name, time) in enumerate(tried, 1):
            outcome, active = (SOLVED, time) if np.isfinite(time) else (GAVE_UP, 60.0)
            row = name | {"participant": f"{person:016x}", "number": number, "outcome": outcome}
            row |= {"seconds": active, "active_seconds": active, "moves": 10, "undos": 0, "cells_set": 50}
            rows.append(row | {"errors": person % 3, "open": 0})
    return pa.Table.from_pylist(rows, ATTEMPTS)


def studied(puzzles: pa.Table, attempts: pa.Table) -> Studied:
    """A study as a report takes it."""
    return Studied(puzzles.select(["puzzle_id", "clue_hash"]), attempts)
