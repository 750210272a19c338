"""Which clause learner should come first: what each takes on what the rungs leave open, from the same state.

A rule for it is fitted on half of the pictures made by rule (those with even numbers, and then those with odd ones),
and checked on the other half and on an archive.
"""

import math
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.decision_tree import chosen, fitted, in_words
from pipeline.findings.figures_page import Table
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.board import possibilities
from solver.check import faults
from solver.ladder.ascent import ascent_of
from solver.ladder.groups import groups
from solver.ladder.handover import compile_tail
from solver.ladder.line_rung import line_rung
from solver.ladder.lookahead_rungs import lookahead_rungs
from solver.ladder.memory import Memory
from solver.ladder.outcome import no_outcome
from solver.ladder.question import FROM_NOTHING, NOTHING, Allowance
from solver.ladder.search_rung import search_rung
from solver.swap import swap
from solver.tail import ALTERNATELY, WITH_KISSAT, Turns, learner_of
from solver.views import Views, views

RECIPES = (
    *(Recipe("random", 25, 25, density, 31, count) for density, count in ((0.3, 60), (0.4, 30), (0.45, 30))),
    *(Recipe("random", 30, 30, density, 32, count) for density, count in ((0.2, 40), (0.3, 24), (0.4, 6))),
    *(Recipe("random", 40, 40, density, 33, count) for density, count in ((0.2, 30), (0.3, 10))),
    *(Recipe("symmetric", 30, 30, density, 34, 20) for density in (0.3, 0.45)),
    *(Recipe("letters", side, side, None, 35, count) for side, count in ((30, 120), (40, 60), (50, 40), (60, 30))),
    *(Recipe("blobs", side, side, 0.3, 36, count) for side, count in ((50, 100), (60, 20))),
    *(Recipe("random", 30, 30, 0.3, 37, 20, colors) for colors in (2, 3, 4)),
    Recipe("random", 40, 40, 0.25, 38, 8, 2),
    *(Recipe("letters", 40, 40, None, 39, 60, colors) for colors in (2, 3)),
    *(Recipe("letters", 60, 60, None, 39, 40, colors) for colors in (2, 4)),
)
"""Of shapes, and of denser or darker pictures than these, next to none comes to learners."""

LIMIT = 3.0
"""CPU seconds of an opening on a puzzle; one that is not decided counts with so many."""

SHORT = 0.5
"""CPU seconds below which each opening is measured twice, one after the other; the lesser counts."""

LEAST = 10
"""Puzzles on either side of a rule's threshold."""


class Opening(NamedTuple):
    """Who begins.

    before_leads   conflicts of Glucose to begin with
    leads          whether Glucose follows leads then (solver.lead)
    turns          that come after that
    """

    name: str
    before_leads: int
    leads: bool
    turns: Turns


OPENINGS = (
    Opening("leads", 0, True, ALTERNATELY),
    *(Opening(f"{some} conflicts, leads", some, True, ALTERNATELY) for some in (50, 150, 250)),
    Opening("no leads", 0, False, ALTERNATELY),
    Opening("leads, CaDiCaL", 0, True, ALTERNATELY[1:]),
    Opening("CaDiCaL", 0, False, ALTERNATELY[1:]),
)
"""Of Glucose, if nothing else is said."""

OF_PROGRAM = (
    Opening("leads, Kissat", 0, True, WITH_KISSAT[1:]),
    Opening("Kissat", 0, False, WITH_KISSAT[1:]),
)
"""The same for Kissat, where it is installed."""


class Features(NamedTuple):
    """What is known of a formula before anybody works on it.

    known       whether a solution is known, so that another one is asked for
    ratio       clauses a variable
    blocks      a cell of the grid, of rows and columns together
    open_share  open cells a cell of the grid
    filled      share of the open cells that have a colour in the end, by the clues
    colors      beside the background
    """

    known: float
    variables: float
    clauses: float
    ratio: float
    blocks: float
    open_cells: float
    open_share: float
    filled: float
    colors: float


class Left(NamedTuple):
    """A puzzle that the rungs leave open.

    memory      with its board
    picture     a solution, if one is known
    solutions   known: 0 or 1
    """

    memory: Memory
    picture: np.ndarray
    solutions: int


class Course(NamedTuple):
    """How an opening went: CPU seconds to the first solution and to the verdict, and solutions.

    LIMIT stands for what was not found, None for no verdict; nothing is the time to a solution that was known.
    """

    first: float
    verdict: float
    solutions: int | None


class Tried(NamedTuple):
    """A puzzle by each opening; `number` is the picture's of its recipe."""

    number: int
    features: Features
    courses: tuple[Course, ...]


def learner_tables(archive: Iterable[pa.RecordBatch], name: str, kissat: bool) -> list[Table]:
    """What the openings take on pictures made by rule and on an archive, and the rules fitted on the pictures."""
    openings = (*OPENINGS, *(OF_PROGRAM if kissat else ()))
    names = [opening.name for opening in openings]
    made: dict[str, list[Tried]] = {}
    for recipe in RECIPES:
        colors = f", {recipe.colors} colours" if recipe.colors > 1 else ""
        batch = recipe_batch(recipe, 0, recipe.count)
        made.setdefault(f"{recipe.kind}{colors}", []).extend(tried_of([batch], openings))
    pictures = [each for some in made.values() for each in some]
    tested = list(tried_of(archive, openings))
    made |= {"all of these": pictures, name: tested} if tested else {"all of these": pictures}
    heading = ["CPU s to the verdict", "puzzles", "unique", *names]
    verdicts = [[kind, len(some), sum(map(_unique, some)), *map(float, _costs(some).sum(axis=0))]
                for kind, some in made.items()]  # fmt: skip
    firsts = [[kind, len(some), sum(map(_unique, some)), *map(float, _firsts(some).sum(axis=0))]
              for kind, some in made.items()]  # fmt: skip
    most = [["most", 1, "", *map(float, _costs(pictures).max(axis=0))]]
    return [
        Table(f"Learners, {LIMIT:g} s at most", heading, verdicts + most),
        Table("The same to the first solution", ["CPU s to the first solution", *heading[1:]], firsts),
        _rules(pictures, tested, names),
    ]


def _rules(pictures: list[Tried], tested: list[Tried], names: list[str]) -> Table:
    """Rules fitted on half of the pictures, and what they cost elsewhere."""
    heading = ["fitted on", "splits", "rule", "there", "on the others", "as it was", "archive", "as it was"]
    table: list[list[object]] = []
    for rest, half in enumerate(("even numbers", "odd numbers")):
        here = [each for each in pictures if each.number % 2 == rest]
        others = [each for each in pictures if each.number % 2 != rest]
        for splits in (0, 1, 2):
            tree = fitted(_features(here), _costs(here), splits, LEAST)
            row: list[object] = [half, splits, in_words(tree, Features._fields, names), tree.cost]
            for some in (others, tested):
                costs = _costs(some)
                by_rule = costs[np.arange(len(some)), chosen(tree, _features(some))]
                row += [float(by_rule.sum()), float(costs[:, 0].sum())]
            table.append(row)
    return Table("Rules for the opening", heading, table)


def _unique(tried: Tried) -> bool:
    return any(course.solutions in (0, 1) for course in tried.courses)


def _features(some: list[Tried]) -> np.ndarray:
    return np.array([each.features for each in some]).reshape(-1, len(Features._fields))


def _costs(some: list[Tried]) -> np.ndarray:
    return np.array([[min(course.verdict, LIMIT) for course in each.courses] for each in some])


def _firsts(some: list[Tried]) -> np.ndarray:
    return np.array([[min(course.first, LIMIT) for course in each.courses] for each in some])


def tried_of(batches: Iterable[pa.RecordBatch], openings: tuple[Opening, ...]) -> Iterator[Tried]:
    """Those of the batches' puzzles that come to the learners."""
    for batch in batches:
        unsound = faults(views(batch))
        for k in range(len(batch)):
            left = None if k in unsound else left_to_learners(views(batch.slice(k, 1)))
            if left is not None:
                courses = tuple(course_of(left, opening) for opening in openings)
                assert len({course.solutions for course in courses} - {None}) <= 1, "two openings disagree"
                yield Tried(k, features_of(left), courses)


def left_to_learners(one: Views) -> Left | None:
    """The batch's one puzzle as far as the rungs take it; None if they decide it."""
    (group,) = groups(one, np.arange(1))
    outcome = no_outcome(one, NOTHING.goals)
    ascent = ascent_of(one, group, Allowance(math.inf), NOTHING, outcome)
    line_rung(ascent, group.puzzles)
    if ascent.waiting.number[0]:
        lookahead_rungs(ascent)
    if not ascent.waiting.number[0] or search_rung(ascent, 0) == 1:
        return None
    return Left(ascent.memory, outcome.first, int(outcome.found[0]))


def course_of(left: Left, opening: Opening) -> Course:
    """How an opening goes; the better of two times where it is short."""
    compile_tail(left.memory.board.can.shape[1], left.memory.color is not None)
    course = _course_of(left, opening)
    if course.verdict < SHORT:
        again = _course_of(left, opening)
        course = Course(min(course.first, again.first), min(course.verdict, again.verdict), course.solutions)
    return course


def _course_of(left: Left, opening: Opening) -> Course:
    """As solver.ladder.handover goes."""
    memory, picture, solutions = left
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    start = time.thread_time()
    deadline, first = start + LIMIT, 0.0
    found: bool | None = True
    with learner_of(memory, deadline) as learner:
        learner.before_leads = opening.before_leads
        if not opening.leads:
            learner.leads = list
        if solutions == 0:
            found = learner.next_solution(deadline, opening.turns)
            first = LIMIT if found is None else learner.now() - start
            if found:
                picture = learner.picture()
                switched = swap(picture.copy(), width, height, FROM_NOTHING, memory.tools.counters, deadline)
                solutions = 1 + int(switched)
        if solutions == 1:
            learner.exclude(picture)
            found = learner.next_solution(deadline, opening.turns)
            solutions += bool(found)
        return Course(first, LIMIT, None) if found is None else Course(first, learner.now() - start, solutions)


def features_of(left: Left) -> Features:
    """The features of the puzzle on the board."""
    board = left.memory.board
    can = possibilities(board)
    is_open = can.sum(axis=1) > 1
    of_rows = board.length[: board.first[board.size[1]]]
    filled = int(np.maximum(of_rows, 1).sum()) - int((~is_open & ~can[:, 0]).sum())
    with learner_of(left.memory, math.inf) as learner:
        variables, clauses = learner.formula.number, sum(map(len, learner.formula.clauses))
    return Features(
        known=left.solutions,
        variables=variables,
        clauses=clauses,
        ratio=clauses / variables,
        blocks=int(board.first[board.size[0] + board.size[1]]) / len(can),
        open_cells=int(is_open.sum()),
        open_share=float(is_open.mean()),
        filled=filled / int(is_open.sum()),
        colors=int(board.size[2]) - 1,
    )
