"""Check solutions against their clues, cell by cell, before they are written.

Independent of the solver: no bit sets, no boards. A wrong solution is a bug, reported as an error.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.views import Clues, Views


def fits(batch: Views, which: np.ndarray, pictures: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return for each puzzle p in `which` whether pictures[offsets[p] : offsets[p + 1]] (uint8) fits its clues."""
    good = np.zeros(len(which), np.bool_)
    _check(batch, which, _read_only(pictures), offsets, good)
    return good


def same(
    which: np.ndarray, pictures: np.ndarray, offsets: np.ndarray, others: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Return for each p in `which` whether pictures[offsets[p] : offsets[p + 1]] equals others[places[p] : ...]."""
    equal = np.zeros(len(which), np.bool_)
    _compare(which, _read_only(pictures), offsets, _read_only(others), places, equal)
    return equal


def agrees(picture: np.ndarray, start: np.ndarray) -> bool:
    """Return whether a picture, uint8[cells], agrees with a start, bool[cells, palette]."""
    return bool((picture < start.shape[1]).all() and start[np.arange(len(picture)), picture].all())


def _read_only(pictures: np.ndarray) -> np.ndarray:
    """Return a read-only view, as Arrow's arrays are, so that kernels are compiled for one type."""
    pictures = pictures.view()
    pictures.flags.writeable = False
    return pictures


@kernel
def _compare(
    which: np.ndarray,
    pictures: np.ndarray,
    offsets: np.ndarray,
    others: np.ndarray,
    places: np.ndarray,
    equal: np.ndarray,
) -> None:
    for k in range(len(which)):
        p = which[k]
        cells = offsets[p + 1] - offsets[p]
        equal[k] = places[p + 1] - places[p] == cells
        for i in range(cells if equal[k] else 0):
            if pictures[offsets[p] + i] != others[places[p] + i]:
                equal[k] = False


@kernel
def _check(batch: Views, which: np.ndarray, pictures: np.ndarray, offsets: np.ndarray, good: np.ndarray) -> None:
    for k in range(len(which)):
        p = which[k]
        width: Any = np.int64(batch.width[p])
        height: Any = np.int64(batch.height[p])
        along: Any = np.int64(1)  # a literal would be a type of its own to the compiler
        picture = pictures[offsets[p] : offsets[p + 1]]
        good[k] = (
            len(picture) == width * height
            and _lines_fit(batch.rows, p, picture, width, width, along)
            and _lines_fit(batch.columns, p, picture, height, along, width)
        )


@kernel
def _lines_fit(clues: Clues, p: int, picture: np.ndarray, cells: int, line_step: int, cell_step: int) -> bool:
    """Return whether all lines of one side fit their clues; cell x of line i is at i * line_step + x * cell_step."""
    first = clues.lines[p]
    for line in range(first, clues.lines[p + 1]):
        here = (line - first) * line_step
        block, stop = clues.blocks[line], clues.blocks[line + 1]
        x = 0
        while x < cells:
            color = picture[here + x * cell_step]
            run = x
            while x < cells and picture[here + x * cell_step] == color:
                x += 1
            if color == 0:
                continue
            if block == stop or clues.color[block] != color:
                return False
            if clues.length[block] != 0 and clues.length[block] != x - run:
                return False
            block += 1
        if block != stop:
            return False
    return True
