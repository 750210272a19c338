"""The smallest changes found that leave a puzzle of several solutions with one: of a clue, or of cells of its picture.

An archive's puzzle with several solutions is most often a slip: two numbers of a clue in the wrong order, a cell too
many. So one clue is changed first, of the lines in which two solutions differ, in all ways that keep its cells' number;
else the other lines would not go with it. Then the picture is changed, as few cells as can be (repair).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scrapers.pictures.picture_repair import repaired
from solver.api import classify
from solver.model.puzzle import Block, Clue, Puzzle, clues_of, with_metadata
from solver.model.tables import picture, puzzle_batch

ROW, COLUMN = "row", "column"


class Change(NamedTuple):
    """A clue that was changed: its side, its number on it from 1 on, what it was and what it is."""

    side: str
    number: int
    before: Clue
    after: Clue


class Mending(NamedTuple):
    """A change that leaves one solution.

    puzzle    with its solution as its goal
    changes   the clues that are others
    before    the solution of the puzzle as it was that the new one is nearest to, uint8[height, width]
    cells     in which the two differ
    """

    puzzle: Puzzle
    changes: tuple[Change, ...]
    before: np.ndarray
    cells: int


def mendings(puzzle: Puzzle, solutions: Sequence[np.ndarray], cpu_limit: float = 60.0) -> list[Mending]:
    """The least change of one clue, and the least change of cells, as far as they are found.

    First comes the one with the fewest changed clues and cells, counted together.

    puzzle      with several solutions, none of its lengths hidden
    solutions   two of them at least, uint8[height, width], the author's first if it is known: then only what is near
                to that one counts
    cpu_limit   CPU seconds for each of the two
    """
    known = _starts(puzzle, solutions)
    found = [_by_clue(puzzle, solutions, known, cpu_limit), _by_cells(puzzle, known, cpu_limit)]
    return sorted((each for each in found if each is not None), key=lambda each: len(each.changes) + each.cells)


def mending_to(puzzle: Puzzle, solutions: Sequence[np.ndarray], goal: np.ndarray) -> Mending:
    """The mending that makes `goal` the puzzle's only solution; arguments as for `mendings`, which found it."""
    before = min(_starts(puzzle, solutions), key=lambda one: int((one != goal).sum()))
    rows, columns = clues_of(goal)
    changes = tuple(
        Change(side, number, old, new)
        for side, was, now in ((ROW, puzzle.rows, rows), (COLUMN, puzzle.columns, columns))
        for number, (old, new) in enumerate(zip(was, now, strict=True), 1)
        if old != new
    )
    changed = replace(puzzle, rows=rows, columns=columns, goal=goal, saved=())
    return Mending(changed, changes, before, int((before != goal).sum()))


def _starts(puzzle: Puzzle, solutions: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The solutions that a mended picture may be near to: the author's alone, if it is known."""
    return solutions[:1] if puzzle.goal is not None and (solutions[0] == puzzle.goal).all() else solutions


def _by_clue(
    puzzle: Puzzle, solutions: Sequence[np.ndarray], known: Sequence[np.ndarray], cpu_limit: float
) -> Mending | None:
    """One clue changed: of the puzzles with one solution that whose solution is nearest to a known one, if any."""
    tried = list(_changed_clues(puzzle, solutions[0] != solutions[1]))
    if not tried:
        return None
    others = [_with_clue(puzzle, change) for change in tried]
    answers = classify(puzzle_batch(others), cpu_limit=cpu_limit / len(tried))
    rows = answers.select(["solutions", "solution"]).to_pylist()
    found = []
    for change, other, row in zip(tried, others, rows, strict=True):
        if row["solutions"] == "unique":
            solution = picture(row["solution"], puzzle.width, puzzle.height)
            before = min(known, key=lambda one: int((one != solution).sum()))
            found.append(Mending(replace(other, goal=solution), (change,), before, int((before != solution).sum())))
    return min(found, key=lambda mending: mending.cells, default=None)


def _changed_clues(puzzle: Puzzle, differing: np.ndarray) -> Iterator[Change]:
    """The changes of one clue that are worth a try; `differing`, bool[height, width], is where two solutions do."""
    sides = ((ROW, puzzle.rows, differing.any(axis=1)), (COLUMN, puzzle.columns, differing.any(axis=0)))
    for side, clues, where in sides:
        for number in np.flatnonzero(where).tolist():
            for clue in dict.fromkeys(neighbours(clues[number])):
                yield Change(side, number + 1, clues[number], clue)


def neighbours(clue: Clue) -> Iterator[Clue]:
    """The clues that a slip would make of this one, all with as many cells of each colour; some more than once.

    A cell moves from one block to another, a block falls into two, two neighbours are one or change places.
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


def _with_clue(puzzle: Puzzle, change: Change) -> Puzzle:
    """The puzzle with one clue changed, and no picture."""
    side = list(puzzle.rows if change.side == ROW else puzzle.columns)
    side[change.number - 1] = change.after
    clues = {"rows" if change.side == ROW else "columns": tuple(side)}
    return with_metadata(puzzle, **clues, goal=None, saved=())


def _by_cells(puzzle: Puzzle, known: Sequence[np.ndarray], cpu_limit: float) -> Mending | None:
    """As few cells as can be changed of a known solution; None if time was over."""
    tried = [(before, repaired(before, cpu_limit=cpu_limit / len(known))) for before in known]
    found = [(before, repair) for before, repair in tried if repair.reached]
    if not found:
        return None
    before, repair = min(found, key=lambda each: each[1].changed)
    return mending_to(puzzle, [before], repair.picture)
