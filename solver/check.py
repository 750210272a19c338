"""What is wrong with a puzzle's clues before anyone solves them, for a whole batch at once in NumPy.

Such puzzles get the status `invalid`. The kernels rely on these checks for the safety of their memory.
"""

import numpy as np

from solver.limits import MAX_CELLS, MAX_COLORS
from solver.puzzle import BLOT, InvalidPuzzle, Puzzle
from solver.tables import puzzle_batch
from solver.views import Clues, Views, views


def faults(batch: Views) -> dict[int, str]:
    """Why puzzles of the batch can't be solved by any picture, each as one line of text, by index in the batch."""
    found: dict[int, str] = {}
    for texts in (_shape_faults(batch), _color_faults(batch), _fit_faults(batch), _total_faults(batch)):
        for puzzle, text in texts.items():
            found.setdefault(puzzle, text)
    return found


def validate(puzzle: Puzzle) -> None:
    """Raise InvalidPuzzle, naming the line and saying why, if no picture can have these clues for plain arithmetic."""
    for text in faults(views(puzzle_batch([puzzle]))).values():
        raise InvalidPuzzle(text)


def _sides(batch: Views) -> tuple[tuple[str, Clues, np.ndarray, np.ndarray], ...]:
    """Both sides of a batch: name of a line, clues, how many lines there should be, how many cells a line has."""
    return ("row", batch.rows, batch.height, batch.width), ("column", batch.columns, batch.width, batch.height)


def _owner(offsets: np.ndarray) -> np.ndarray:
    """For items grouped by offsets: the group of each item from offsets[0] on, counted from 0."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _own(clues: Clues) -> tuple[np.ndarray, slice, np.ndarray, np.ndarray]:
    """Of this batch's part of the clues: line offsets into blocks, the blocks, each line's puzzle, each block's line.

    A batch may be a slice of a longer table; lines are counted from the slice's first line.
    """
    offsets = clues.blocks[clues.lines[0] : clues.lines[-1] + 1]
    return offsets, slice(offsets[0], offsets[-1]), _owner(clues.lines), _owner(offsets)


def _line_number(clues: Clues, puzzle: int, line: int) -> int:
    """The number, from 1, that a line of the batch has in its puzzle."""
    return int(line - (clues.lines[puzzle] - clues.lines[0]) + 1)


def _shape_faults(batch: Views) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, clues, count, _ in _sides(batch):
        given = np.diff(clues.lines)
        for p in np.flatnonzero(given != count):
            found[int(p)] = f"it has clues for {given[p]} {name}s but {count[p]} {name}s"
        for p in np.flatnonzero((count == 0) | (count > MAX_CELLS)):
            found[int(p)] = f"it has {count[p]} {name}s; there may be 1 to {MAX_CELLS}"
    return found


def _color_faults(batch: Views) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, clues, _, _ in _sides(batch):
        _, blocks, puzzle_of, line_of = _own(clues)
        color = clues.color[blocks]
        for block in np.flatnonzero((color == 0) | (color > MAX_COLORS)):
            line = line_of[block]
            puzzle = int(puzzle_of[line])
            number = _line_number(clues, puzzle, line)
            found[puzzle] = f"{name} {number}: colour {color[block]} is not one of 1 to {MAX_COLORS}"
    return found


def _fit_faults(batch: Views) -> dict[int, str]:
    """Lines whose blocks, with a gap between two of one colour, need more cells than there are."""
    found: dict[int, str] = {}
    for name, clues, _, cells in _sides(batch):
        offsets, blocks, puzzle_of, line_of = _own(clues)
        length, color = clues.length[blocks].astype(np.int64), clues.color[blocks]
        need = np.maximum(length, 1)  # a blot is at least one cell
        need[1:] += (line_of[1:] == line_of[:-1]) & (color[1:] == color[:-1])
        least = np.bincount(line_of, need, minlength=len(offsets) - 1).astype(np.int64)
        for line in np.flatnonzero(least > cells[puzzle_of])[::-1]:
            puzzle = int(puzzle_of[line])
            number = _line_number(clues, puzzle, line)
            found[puzzle] = f"{name} {number}: its blocks need {least[line]} cells, the line has {cells[puzzle]}"
    return found


def _total_faults(batch: Views) -> dict[int, str]:
    """Puzzles whose rows and columns paint different totals in a colour; a blot of the colour leaves its total open."""
    palette = 1 + max(int(clues.color[_own(clues)[1]].max(initial=0)) for clues in (batch.rows, batch.columns))
    totals, blots = [], []
    for _, clues, _, _ in _sides(batch):
        _, blocks, puzzle_of, line_of = _own(clues)
        length, key = clues.length[blocks], puzzle_of[line_of] * palette + clues.color[blocks]
        size = len(batch.width) * palette
        totals.append(np.bincount(key, length, minlength=size).astype(np.int64).reshape(-1, palette))
        blots.append(np.bincount(key[length == BLOT], minlength=size).reshape(-1, palette))
    differ = (totals[0] != totals[1]) & (blots[0] == 0) & (blots[1] == 0)
    found = {}
    for p in np.flatnonzero(differ.any(axis=1)):
        color = int(np.flatnonzero(differ[p])[0])
        rows, columns = totals[0][p, color], totals[1][p, color]
        cells = "cells" if (totals[0][p] != 0).sum() <= 1 else f"cells of colour {color}"
        found[int(p)] = f"its rows paint {rows} {cells}, its columns {columns}"
    return found
