"""Repairs of puzzles with several solutions: the smallest change of one clue, and of cells, that leaves one solution.

Most such puzzles have a typing error: two numbers of a clue are swapped, or a cell is wrong. So single clues are
changed first, in the lines where two solutions differ, and keep their number of cells, which the crossing lines
require. Then as few cells of the picture as possible are changed (scrapers.pictures.picture_repair).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.site_properties import OF_CLUES
from nonocensus.scrapers.pictures.picture_repair import (
    Effort,
    OutOfWorkError,
    climb_counted,
    compile_up_to,
    cpu_now,
    repair_within,
)
from nonocensus.solver.ladder.ladder_options import LINE, SEARCH
from nonocensus.solver.ladder.outcome import UNIQUE, UNKNOWN
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import Block, Clue, Puzzle, clues_of, with_metadata
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

ROW, COLUMN = "row", "column"

CLUE_WORK, CELL_WORK = 1.5e8, 4e8
"""Counted work (pictures.picture_repair) of the searches for a clue and for cells, 1.5 and 4 seconds: more rarely
finds a smaller change (docs/decisions/repaired-pictures.md)."""

FEW_CELLS, FEW_SHARE = 10, 0.01
"""A change of more cells than this, and of a larger share of the puzzle's, is no repair to ask an author for."""

TOGETHER = 8
"""Most puzzles with a changed clue that are searched in one call: memory for it takes longer to prepare than most take.
The first calls have 1, 2 and 4, as a call ends whatever its work is."""


class ClueChange(NamedTuple):
    """A changed clue: its side (ROW or COLUMN), its number from 1, and both clues."""

    side: str
    number: int
    before: Clue
    after: Clue


class Mending(NamedTuple):
    """A change that leaves one solution.

    puzzle    the changed puzzle, with its solution as its goal
    changes   changed clues
    before    the old solution closest to the new one, uint8[height, width]
    cells     number of cells in which the two differ
    """

    puzzle: Puzzle
    changes: tuple[ClueChange, ...]
    before: np.ndarray
    cells: int


class Mendings(NamedTuple):
    """Changes that leave one solution.

    found   the smallest change of one clue and the smallest change of cells, if found, fewest changes first
    finished   whether the search is finished; else, at the CPU limit, there may be others
    """

    found: list[Mending]
    finished: bool


def mendings(puzzle: Puzzle, solutions: Sequence[np.ndarray], cpu_limit: float = 60.0) -> Mendings:
    """Find the smallest change of one clue, and the smallest change of cells; deterministic if finished.

    Either changes at most FEW_CELLS cells of the picture, or FEW_SHARE of them if that is more.

    Args:
        puzzle: A puzzle with several solutions and without hidden lengths.
        solutions: At least two, uint8[height, width]. If the first is the puzzle's goal, only it is compared.
        cpu_limit: CPU seconds for each of the two.

    """
    compile_up_to(views(puzzle_batch([puzzle])), SEARCH)
    most = int(max(FEW_CELLS, FEW_SHARE * solutions[0].size))
    known, given_up = _starts(puzzle, solutions), 2 * most  # unnecessary changes are reverted last
    tried = [_by_clue(puzzle, solutions, cpu_limit), _by_cells(puzzle, known, given_up, cpu_limit)]
    found = [mending for mending, _ in tried if mending is not None and mending.cells <= most]
    found.sort(key=lambda mending: len(mending.changes) + mending.cells)
    return Mendings(found, all(finished for _, finished in tried))


def mending_to(puzzle: Puzzle, solutions: Sequence[np.ndarray], goal: np.ndarray) -> Mending:
    """Return the change that leads to `goal`, a solution that `mendings` found; other arguments as there."""
    before = min(_starts(puzzle, solutions), key=lambda one: int((one != goal).sum()))
    rows, columns = clues_of(goal)
    changes = tuple(
        ClueChange(side, number, old, new)
        for side, was, now in ((ROW, puzzle.rows, rows), (COLUMN, puzzle.columns, columns))
        for number, (old, new) in enumerate(zip(was, now, strict=True), 1)
        if old != new
    )
    changed = replace(puzzle, rows=rows, columns=columns, goal=goal, saved=())
    return Mending(with_metadata(changed, **dict.fromkeys(OF_CLUES)), changes, before, int((before != goal).sum()))


def _starts(puzzle: Puzzle, solutions: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """Return the solutions to compare with: the puzzle's goal alone if it comes first, else all."""
    return solutions[:1] if puzzle.goal is not None and (solutions[0] == puzzle.goal).all() else solutions


def _by_clue(puzzle: Puzzle, solutions: Sequence[np.ndarray], cpu_limit: float) -> tuple[Mending | None, bool]:
    """Try changes of one clue: return the one whose solution is closest to a known one, and whether all were tried."""
    tried = list(_changed_clues(puzzle, solutions[0] != solutions[1]))
    found, finished = list[tuple[int, Mending]](), True
    try:
        effort = Effort(cpu_now() + cpu_limit, CLUE_WORK)
        for k, cells in _unique_ones([_with_clue(puzzle, change) for change in tried], effort):
            found.append((k, mending_to(puzzle, solutions, cells.reshape(puzzle.height, puzzle.width))))
    except OutOfWorkError:
        pass  # those left are the least likely ones
    except TimeoutError:
        finished = False
    _, nearest = min(found, key=lambda each: (each[1].cells, each[0]), default=(0, None))
    return nearest, finished


def _unique_ones(puzzles: list[Puzzle], effort: Effort) -> Iterator[tuple[int, np.ndarray]]:
    """Yield index and solution of puzzles with one solution, those of which line logic decides most cells first.

    Raises OutOfWorkError or TimeoutError as `climb_counted`.
    """
    if not puzzles:
        return
    batch = puzzle_batch(puzzles)
    faults = faults_of(batch)
    sound = np.array([k for k in range(len(puzzles)) if k not in faults], np.int64)
    solved = np.zeros(len(puzzles), np.bool_)
    for rung, together in ((LINE, len(puzzles)), (SEARCH, 1)):
        left = sound
        while len(left):
            some, left, together = left[:together], left[together:], min(2 * together, TOGETHER)
            found = climb_counted(views(batch), some, rung, effort, share=1 / TOGETHER)
            solved[some] = found.solutions[some] != UNKNOWN
            for k in some[found.solutions[some] == UNIQUE].tolist():
                yield k, found.first[found.offsets[k] : found.offsets[k + 1]]
        sound = sound[~solved[sound]]
        sound = sound[np.argsort(-found.decided[sound, LINE], kind="stable")]


def _changed_clues(puzzle: Puzzle, differing: np.ndarray) -> Iterator[ClueChange]:
    """Yield changes of one clue in the lines where two solutions differ (`differing`, bool[height, width])."""
    sides = ((ROW, puzzle.rows, differing.any(axis=1)), (COLUMN, puzzle.columns, differing.any(axis=0)))
    for side, clues, where in sides:
        for number in np.flatnonzero(where).tolist():
            for clue in dict.fromkeys(neighbours(clues[number])):
                yield ClueChange(side, number + 1, clues[number], clue)


def neighbours(clue: Clue) -> Iterator[Clue]:
    """Yield the clues one edit away, with the same number of cells of each colour; may contain duplicates.

    An edit moves a cell to another block, splits a block, or merges or swaps two adjacent blocks.
    """
    for i, (length, color) in enumerate(clue):
        for j, other in enumerate(clue):
            if i != j and other.color == color:
                moved = list(clue)
                moved[i], moved[j] = Block(length - 1, color), Block(other.length + 1, color)
                yield tuple(block for block in moved if block.length)
        for cut in range(1, length):
            yield (*clue[:i], Block(cut, color), Block(length - cut, color), *clue[i + 1 :])
        if i + 1 < len(clue):
            after = clue[i + 1]
            if after.color == color:
                yield (*clue[:i], Block(length + after.length, color), *clue[i + 2 :])
            if after != clue[i]:
                yield (*clue[:i], after, clue[i], *clue[i + 2 :])


def _with_clue(puzzle: Puzzle, change: ClueChange) -> Puzzle:
    """Return the puzzle with one clue changed, without a picture."""
    side = list(puzzle.rows if change.side == ROW else puzzle.columns)
    side[change.number - 1] = change.after
    clues = {"rows" if change.side == ROW else "columns": tuple(side)}
    return with_metadata(puzzle, **clues, goal=None, saved=())


def _by_cells(puzzle: Puzzle, known: Sequence[np.ndarray], most: int, cpu_limit: float) -> tuple[Mending | None, bool]:
    """Change as few cells as possible of a known solution: return the change, and whether the search is finished.

    most   changed cells at which a search is given up
    """
    effort = Effort(cpu_now() + cpu_limit, CELL_WORK)
    tried = [(before, repair_within(before, SEARCH, effort, most)) for before in known]
    finished = all(repair.finished for _, repair in tried)
    found = [(before, repair) for before, repair in tried if repair.reached]
    if not found:
        return None, finished
    before, repair = min(found, key=lambda each: each[1].changed)
    return mending_to(puzzle, [before], repair.picture), finished
