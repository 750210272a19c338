"""Repair of pictures: change few cells until the puzzle has one solution, or falls to an easier rung.

A greedy search. If there is another solution, each cell in which it differs from the picture is tried, and the change
that leaves the solver the fewest open cells is kept. For rungs below search the candidates are the cells that line
logic leaves open. At the end unnecessary changes are reverted. After Batenburg and others, "Constructing Simple
Nonograms of Varying Difficulty" (2009), who make puzzles of gray images.

Work is counted, and may be limited: a result is the same on every machine. The clock only ends a search, which then
says so.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.colors import without_unused
from nonocensus.scrapers.pictures.recipe import views_of
from nonocensus.solver.ladder.climb import climb, warm_up
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import (
    LINE,
    NO_PRIOR,
    PROBE,
    RUNGS,
    KnownSolutions,
    LadderOptions,
    PriorKnowledge,
)
from nonocensus.solver.ladder.memory import kernel_kinds
from nonocensus.solver.ladder.outcome import LEARNED, MULTIPLE, UNIQUE, Outcome
from nonocensus.solver.ladder.tail import make_learner
from nonocensus.solver.learning.learner import LearnerOptions
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.lines.workspace import CONFLICTS, WORK
from nonocensus.solver.model.puzzle import Puzzle, clues_of, normalize_palette
from nonocensus.solver.model.views import Views

MAX_CANDIDATES = 100
"""Maximum changes tried per step. Ten times as many would change one eighth fewer cells."""

MAX_PROBED = 400
"""Maximum number of open cells at which changes are evaluated by probing instead of line logic."""

MIN_COMBINED = 2_000
"""Number of open cells from which a step may combine several changes, to save time."""

STAGES_UP_TO = (("line",), ("line", "lookahead"), ("line", "lookahead"), ("line", "lookahead", "search", "tail"))
"""Stages whose kernels are compiled for each rung before the clock starts."""

_compiled: set[tuple[tuple[int, bool], int]] = set()
"""Kernel kinds, each with a rung, compiled in this process."""

MAX_SLICES = 24
"""Most slices of clause learning of a puzzle, whatever time is left."""

UNLIMITED = 1e18
"""More work than any search does."""

CONFLICT_WORK, LEARNED_WORK, CALL_WORK = 5_000, 1_000, 50_000
"""Work of a conflict, of encoding a cell for clause learning, and of a call, in units of some 10 ns, the ladder's; each
cell of a call is one more."""

SLICE_WORK = 1_000 * CONFLICT_WORK


class OutOfWorkError(Exception):
    """A search has done all work that it was given."""


@dataclass
class Effort:
    """What a search may still spend: CPU time until `deadline`, in CPU seconds of this thread, and counted work."""

    deadline: float
    work: float = UNLIMITED

    def shares(self, count: int) -> Iterator["Effort"]:
        """Yield efforts with equal shares of the work; what one leaves over goes to those after it."""
        for left in range(count, 0, -1):
            share = Effort(self.deadline, self.work / left)
            self.work -= share.work
            yield share
            self.work += share.work


class Repair(NamedTuple):
    """A repaired picture.

    picture    uint8[height, width] of palette entries
    reached    whether its puzzle has one solution and falls to the rung
    changed    number of changed cells
    finished   whether the search is finished; else, at the CPU limit, fewer changes may do
    """

    picture: np.ndarray
    reached: bool
    changed: int
    finished: bool = True


class CellChanges(NamedTuple):
    """Candidate changes: flat cell indices, int64, and their new palette entries, uint8."""

    cells: np.ndarray
    colors: np.ndarray


def cpu_now() -> float:
    """Return CPU seconds of this thread."""
    return time.thread_time()


def climb_counted(
    batch: Views, which: np.ndarray, rung: int, effort: Effort, prior: PriorKnowledge = NO_PRIOR, share: float = 1.0
) -> Outcome:
    """Run puzzles of a batch up to a rung with counted work, which the effort loses.

    Each puzzle's clause learning gets at most this share of the work left. Raises OutOfWorkError if none is left,
    TimeoutError if the clock ended a puzzle.
    """
    if effort.work <= 0:
        raise OutOfWorkError
    left = effort.deadline - cpu_now()
    if left > 0:
        slices = int(min(max(effort.work * share / SLICE_WORK, 1), MAX_SLICES))
        learning = partial(make_learner, options=LearnerOptions(slices=slices, loading=0.0))
        outcome = climb(batch, which, LadderOptions(left, top=rung), prior, learning=learning)
        counted = outcome.counters[which]
        learned = which[outcome.engine[which] == LEARNED]
        cells = np.diff(outcome.offsets)
        effort.work -= int(counted[:, WORK].sum()) + CONFLICT_WORK * int(counted[:, CONFLICTS].sum())
        effort.work -= int(cells[which].sum()) + LEARNED_WORK * int(cells[learned].sum()) + CALL_WORK
        if not outcome.late.any() or cpu_now() < effort.deadline:
            return outcome
    raise TimeoutError("not finished")


def repair_picture(
    picture: np.ndarray,
    rung: str = "search",
    *,
    cpu_limit: float = 60.0,
    cost: np.ndarray | None = None,
) -> Repair:
    """Change few cells of a picture so that its puzzle has one solution; deterministic if finished.

    Args:
        picture: uint8[height, width] of palette entries.
        rung: Rung that must solve it: line, depth-2, probe or search.
        cpu_limit: CPU seconds in total.
        cost: float[height, width, palette], tie-break among equally good changes, lowest first.

    """
    if rung not in RUNGS:
        raise ValueError(f"rung must be one of {', '.join(RUNGS)}, not {rung!r}")
    compile_up_to(views_of(picture[None]), RUNGS.index(rung))
    return repair_within(picture, RUNGS.index(rung), Effort(cpu_now() + cpu_limit), cost=cost)


def repair_within(
    picture: np.ndarray, wanted: int, effort: Effort, most: int | None = None, cost: np.ndarray | None = None
) -> Repair:
    """Repair a picture as `repair_picture`, for the rung `wanted`, with an effort, which loses the work done.

    most   changed cells at which the search is given up (default: none)
    """
    most = picture.size if most is None else most
    picture = picture.copy()  # kernels would be compiled again for a read-only one
    try:
        if _is_good(_climb(picture[None], wanted, effort)):
            return Repair(picture, True, 0)
    except OutOfWorkError:
        return Repair(picture, False, 0)
    except TimeoutError:
        return Repair(picture, False, 0, finished=False)
    # a picture that line logic solves also has one solution, and may need fewer changes
    ways = sorted({LINE, wanted})
    shares = effort.shares(len(ways))
    found = [_search(picture, way, wanted, share, most, cost) for way, share in zip(ways, shares, strict=True)]
    best = min(found, key=lambda repair: (not repair.reached, repair.changed))
    return best._replace(finished=all(repair.finished for repair in found))


def compile_up_to(batch: Views, rung: int) -> None:
    """Compile all kernels up to a rung, so that the CPU limit excludes compilation."""
    for kind in kernel_kinds(batch):
        if (kind, rung) not in _compiled:
            warm_up(batch, STAGES_UP_TO[rung])
            _compiled.add((kind, rung))


def _search(picture: np.ndarray, way: int, wanted: int, effort: Effort, most: int, cost: np.ndarray | None) -> Repair:
    """Make changes until the puzzle falls to the rung `way`, then revert those that `wanted` does not need."""
    now, draw = picture, np.random.default_rng(0)
    reached, finished = False, True
    try:
        while not (reached := _is_good(found := _climb(now[None], way, effort))):
            changes = _drop_tried(_changes(now, found), now != picture)
            if not len(changes.cells) or np.count_nonzero(now != picture) >= most:
                break
            if len(changes.cells) > MAX_CANDIDATES:
                some = np.sort(draw.choice(len(changes.cells), MAX_CANDIDATES, replace=False))
                changes = CellChanges(changes.cells[some], changes.colors[some])
            now = _best(now, changes, way, effort, cost)
        for cell in np.flatnonzero(now != picture) if reached else ():
            before = _apply_each(now, CellChanges(np.array([cell]), picture.reshape(-1)[[cell]]))
            if _is_good(_climb(before, wanted, effort)):
                now = before[0]
    except OutOfWorkError:
        pass  # a longer search finds a change of more cells, if any
    except TimeoutError:
        finished = False
    return Repair(now, reached, int((now != picture).sum()), finished)


def _climb(pictures: np.ndarray, rung: int, effort: Effort) -> Outcome:
    """Run the ladder up to a rung for the puzzles of pictures, uint8[count, height, width]."""
    count = len(pictures)
    goals = KnownSolutions(np.ones(count, np.bool_), pictures.reshape(-1))
    prior = PriorKnowledge(goals, planted=goals)
    return climb_counted(views_of(pictures), np.arange(count), rung, effort, prior)


def _is_good(outcome: Outcome) -> bool:
    """Check whether the only puzzle has one solution."""
    return bool(outcome.solutions[0] == UNIQUE)


def _changes(picture: np.ndarray, outcome: Outcome) -> CellChanges:
    """Return the candidates: another solution's colours where it differs, or else those that line logic leaves open."""
    if outcome.solutions[0] == MULTIPLE:
        other = outcome.second
        cells = np.flatnonzero(other != picture.reshape(-1))
        return CellChanges(cells, other[cells])
    memory = line_fixpoint(views_of(picture[None]), math.inf)
    assert memory is not None, "the picture is a solution"
    may_be = possibilities(memory.board)
    may_be[np.arange(picture.size), picture.reshape(-1)] = False
    cells, colors = np.nonzero(may_be)
    return CellChanges(cells, colors.astype(np.uint8))


def _drop_tried(changes: CellChanges, changed: np.ndarray) -> CellChanges:
    """Drop changes of cells already changed, so that the search can't loop."""
    new = ~changed.reshape(-1)[changes.cells]
    return CellChanges(changes.cells[new], changes.colors[new])


def _apply_each(picture: np.ndarray, changes: CellChanges) -> np.ndarray:
    """Return a picture per change, uint8[changes, height, width]."""
    made = np.repeat(picture[None], len(changes.cells), axis=0)
    made.reshape(len(made), -1)[np.arange(len(made)), changes.cells] = changes.colors
    return made


def _best(
    picture: np.ndarray, changes: CellChanges, wanted: int, effort: Effort, cost: np.ndarray | None
) -> np.ndarray:
    """Return the picture with the change that leaves the fewest open cells; ties go to the cheapest, then the first.

    With very many open cells, several changes are combined if that leaves fewer.
    """
    made = _apply_each(picture, changes)
    decided = _climb(made, LINE, effort).decided[:, LINE]
    left = picture.size - decided.max()
    if wanted > LINE and left <= MAX_PROBED:
        outcome = _climb(made, min(wanted, PROBE), effort)
        decided = np.where(outcome.solutions == UNIQUE, picture.size, outcome.decided.max(axis=1))
    price = np.zeros(len(made)) if cost is None else cost.reshape(picture.size, -1)[changes.cells, changes.colors]
    order = np.lexsort((price, -decided))
    best: np.ndarray = made[order[0]]
    if left < MIN_COMBINED:
        return best
    several = _combine(picture, changes, order[: len(order) // 4])
    return several if _climb(several[None], LINE, effort).decided[0, LINE] > decided[order[0]] else best


def _combine(picture: np.ndarray, changes: CellChanges, order: np.ndarray) -> np.ndarray:
    """Return the picture with those changes, in this order, that share no row or column with earlier ones."""
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
    """Return the puzzle of another picture, with the palette and metadata of this one."""
    rows, columns = clues_of(picture)
    changed = replace(puzzle, rows=rows, columns=columns, goal=picture, saved=())
    return without_unused(normalize_palette(changed)) if len(puzzle.palette) > 2 else changed
