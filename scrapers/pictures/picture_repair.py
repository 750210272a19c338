"""Few cells of a picture changed until its puzzle has one solution, or falls to an easier rung.

A greedy search. Where there is another solution, one of the cells that tell it from the picture has to change, or
something beside them: each is tried, and the change that leaves the solver the fewest open cells is kept. A rung below
search is helped in the same way, by the cells that line logic leaves open. At the end every changed cell that need not
have been changed is changed back. Batenburg and others make puzzles of gray pictures like that ("Constructing Simple
Nonograms of Varying Difficulty", 2009).
"""

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scrapers.formats.colors import without_unused
from scrapers.pictures.picture_batch import views_of
from solver.ladder.climb import climb
from solver.ladder.fixpoint import line_fixpoint
from solver.ladder.ladder_kernels import warm_up
from solver.ladder.ladder_options import LINE, PROBE, RUNGS, KnownSolutions, LadderOptions, PriorKnowledge
from solver.ladder.memory import kernel_kinds
from solver.ladder.outcome import MULTIPLE, UNIQUE, Outcome
from solver.lines.board import possibilities
from solver.model.puzzle import Puzzle, clues_of, normalize_palette
from solver.model.views import Views

MOST_TRIED = 100
"""Changes that are tried before one of them is made. With ten times as many, an eighth fewer cells change."""

CALM = 400
"""Open cells up to which changes are judged by probing; of more, line logic has to be enough."""

BUSY = 2_000
"""Open cells from which on several changes are made at once: then time matters more than a few cells."""

STAGES_UP_TO = (("line",), ("line", "lookahead"), ("line", "lookahead"), ("line", "lookahead", "search", "tail"))
"""What has to be compiled for each rung, before the clock starts."""

_compiled: set[tuple[tuple[int, bool], int]] = set()
"""The kinds of kernels, with a rung, that are ready in this process."""


class Repair(NamedTuple):
    """What has become of a picture.

    picture   uint8[height, width] of palette entries
    reached   whether its puzzle has one solution, and falls to the rung; else time was over, or nothing helped
    changed   cells that differ from what it was
    """

    picture: np.ndarray
    reached: bool
    changed: int


class Changes(NamedTuple):
    """Changes of a picture that might help: cells, int64, and the palette entry that each would get, uint8."""

    cells: np.ndarray
    colors: np.ndarray


def repaired(
    picture: np.ndarray, rung: str = "search", *, cpu_limit: float = 60.0, cost: np.ndarray | None = None
) -> Repair:
    """A picture, uint8[height, width] of palette entries, with few cells changed so that its puzzle has one solution.

    rung        that is enough to solve it: line, depth-2, probe or search
    cpu_limit   CPU seconds for all of it
    cost        float[height, width, palette]: how unlike the cell each colour would be. Among changes that help
                equally, the cheapest is made

    The same picture gives the same result, unless the limit comes first.
    """
    if rung not in RUNGS:
        raise ValueError(f"rung must be one of {', '.join(RUNGS)}, not {rung!r}")
    wanted = RUNGS.index(rung)
    _compile(views_of(picture[None]), wanted)
    deadline = time.thread_time() + cpu_limit
    if _is_good(_solved(picture[None], wanted, deadline)):
        return Repair(picture, True, 0)
    # what line logic solves has one solution too, and may have taken fewer changes
    found = [_searched(picture, way, wanted, deadline, cost) for way in sorted({LINE, wanted})]
    return min(found, key=lambda repair: (not repair.reached, repair.changed))


def _compile(batch: Views, rung: int) -> None:
    """Have all kernels ready up to a rung, so that no search is charged for it."""
    for kind in kernel_kinds(batch):
        if (kind, rung) not in _compiled:
            warm_up(batch, STAGES_UP_TO[rung])
            _compiled.add((kind, rung))


def _searched(picture: np.ndarray, way: int, wanted: int, deadline: float, cost: np.ndarray | None) -> Repair:
    """Change after change until the puzzle falls to the rung `way`; then those back that `wanted` does without."""
    now, draw = picture, np.random.default_rng(0)
    while not (reached := _is_good(found := _solved(now[None], way, deadline))):
        try:
            changes = _untried(_changes(now, found, deadline), now != picture)
        except TimeoutError:
            break
        if not len(changes.cells):
            break
        if len(changes.cells) > MOST_TRIED:
            some = np.sort(draw.choice(len(changes.cells), MOST_TRIED, replace=False))
            changes = Changes(changes.cells[some], changes.colors[some])
        now = _best(now, changes, way, deadline, cost)
    if reached:
        now = _without_needless(now, picture, wanted, deadline)
    return Repair(now, reached, int((now != picture).sum()))


def _without_needless(now: np.ndarray, picture: np.ndarray, wanted: int, deadline: float) -> np.ndarray:
    """A repaired picture with all cells as they were that need not have changed."""
    for cell in np.flatnonzero(now != picture):
        before = _changed(now, Changes(np.array([cell]), picture.reshape(-1)[[cell]]))
        if _is_good(_solved(before, wanted, deadline)):
            now = before[0]
    return now


def _solved(pictures: np.ndarray, rung: int, deadline: float) -> Outcome:
    """What the ladder finds, up to a rung, about the puzzles of pictures, uint8[count, height, width]."""
    count = len(pictures)
    goals = KnownSolutions(np.ones(count, np.bool_), pictures.reshape(-1))
    allowance = LadderOptions(max(deadline - time.thread_time(), 0.0) / count, top=rung)
    return climb(views_of(pictures), np.arange(count), allowance, PriorKnowledge(goals, planted=goals))


def _is_good(outcome: Outcome) -> bool:
    """Whether a single puzzle has one solution."""
    return bool(outcome.solutions[0] == UNIQUE)


def _changes(picture: np.ndarray, outcome: Outcome, deadline: float) -> Changes:
    """What might help: another solution's colours where it differs, or else whatever line logic leaves open."""
    if outcome.solutions[0] == MULTIPLE:
        other = outcome.second
        cells = np.flatnonzero(other != picture.reshape(-1))
        return Changes(cells, other[cells])
    memory = line_fixpoint(views_of(picture[None]), max(deadline - time.thread_time(), 0.0))
    assert memory is not None, "the picture is a solution"
    may_be = possibilities(memory.board)
    may_be[np.arange(picture.size), picture.reshape(-1)] = False
    cells, colors = np.nonzero(may_be)
    return Changes(cells, colors.astype(np.uint8))


def _untried(changes: Changes, changed: np.ndarray) -> Changes:
    """The changes of cells that have not been changed yet: or else the search could go in circles."""
    new = ~changed.reshape(-1)[changes.cells]
    return Changes(changes.cells[new], changes.colors[new])


def _changed(picture: np.ndarray, changes: Changes) -> np.ndarray:
    """The picture with each of the changes by itself, uint8[changes, height, width]."""
    made = np.repeat(picture[None], len(changes.cells), axis=0)
    made.reshape(len(made), -1)[np.arange(len(made)), changes.cells] = changes.colors
    return made


def _best(picture: np.ndarray, changes: Changes, wanted: int, deadline: float, cost: np.ndarray | None) -> np.ndarray:
    """The picture with the change that leaves the fewest cells open; among equals the cheapest, then the first.

    While very many are open, with several such changes at once, if that leaves still fewer.
    """
    made = _changed(picture, changes)
    decided = _solved(made, LINE, deadline).decided[:, LINE]
    left = picture.size - decided.max()
    if wanted > LINE and left <= CALM:
        outcome = _solved(made, min(wanted, PROBE), deadline)
        decided = np.where(outcome.solutions == UNIQUE, picture.size, outcome.decided.max(axis=1))
    price = np.zeros(len(made)) if cost is None else cost.reshape(picture.size, -1)[changes.cells, changes.colors]
    order = np.lexsort((price, -decided))
    best: np.ndarray = made[order[0]]
    if left < BUSY:
        return best
    several = _together(picture, changes, order[: len(order) // 4])
    return several if _solved(several[None], LINE, deadline).decided[0, LINE] > decided[order[0]] else best


def _together(picture: np.ndarray, changes: Changes, order: np.ndarray) -> np.ndarray:
    """The picture with as many of the changes as have no row and no column in common, taken in this order."""
    now = picture.copy()
    rows, columns = set[int](), set[int]()
    for k in order:
        row, column = divmod(int(changes.cells[k]), picture.shape[1])
        if row not in rows and column not in columns:
            now[row, column] = changes.colors[k]
            rows.add(row)
            columns.add(column)
    return now


def with_picture(puzzle: Puzzle, picture: np.ndarray) -> Puzzle:
    """The puzzle of another picture in a puzzle's palette, with the same words about it."""
    rows, columns = clues_of(picture)
    changed = replace(puzzle, rows=rows, columns=columns, goal=picture, saved=())
    return without_unused(normalize_palette(changed)) if len(puzzle.palette) > 2 else changed
