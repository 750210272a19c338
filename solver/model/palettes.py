"""Palettes of a batch in order of first use, as solver.model.puzzle.normalize_palette."""

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.puzzle import MAX_COLORS
from nonocensus.solver.model.views import Clues


def renumber_colors(rows: Clues, columns: Clues, ends: np.ndarray) -> np.ndarray:
    """Renumber the colours of each puzzle in order of first use, rows before columns, in place.

    Args:
        rows: Writable clues; their colours are in the palettes.
        columns: Likewise.
        ends: int64[puzzles + 1]: puzzle p has the palette entries ends[p] .. ends[p + 1], MAX_COLORS + 1 at most.

    Returns:
        The old number of each entry of the new palettes, uint8[all entries]. Unused colours come last, in their old
        order.

    """
    order = np.zeros(ends[-1], np.uint8)
    _renumber(rows, columns, ends, order, np.zeros(MAX_COLORS + 1, np.uint8))
    return order


@kernel
def _renumber(rows: Clues, columns: Clues, ends: np.ndarray, order: np.ndarray, numbers: np.ndarray) -> None:
    """Renumber colours; `numbers` is scratch: the new number of each colour, 0 until its first use."""
    for p in range(len(ends) - 1):
        start, colors = ends[p], 1  # entry 0, the background, stays
        numbers[:] = 0
        for side in range(2):
            clues = rows if side == 0 else columns
            for block in range(clues.blocks[clues.lines[p]], clues.blocks[clues.lines[p + 1]]):
                color = clues.color[block]
                if numbers[color] == 0:
                    numbers[color] = colors
                    order[start + colors] = color
                    colors += 1
                clues.color[block] = numbers[color]
        for color in range(1, ends[p + 1] - start):
            if numbers[color] == 0:
                order[start + colors] = color
                colors += 1
