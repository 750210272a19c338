"""Totals of each puzzle's clues, for rows and columns: blocks, cells, slack, arrangements."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.puzzle import BLOT, MAX_CELLS
from nonocensus.solver.model.views import Clues

LOG10_FACTORIAL = np.concatenate([[0.0], np.cumsum(np.log10(np.arange(1, 4 * MAX_CELLS)))])


class ClueTotals(NamedTuple):
    """Totals of one side of each puzzle, int64[puzzles] each; `ways` is float64[puzzles]."""

    cells: np.ndarray  # of all blocks, a blot counted as one
    blocks: np.ndarray
    blots: np.ndarray
    slack: np.ndarray  # sum over lines of the cells by which their blocks can shift; 0 for a line without blocks
    most: np.ndarray  # the largest slack of a line
    colors: np.ndarray  # the highest colour number
    ways: np.ndarray  # log10 of the number of arrangements of all lines, NaN if a line has none


def clue_totals(clues: Clues, length: np.ndarray) -> ClueTotals:
    """Return the totals of one side of each puzzle, of impossible clues too.

    length   cells of each of the puzzle's lines, int64[puzzles]
    """
    kinds = (np.float64 if name == "ways" else np.int64 for name in ClueTotals._fields)
    totals, lines = ClueTotals(*(np.zeros(len(length), kind) for kind in kinds)), clues.lines - clues.lines[0]
    ways = np.zeros(lines[-1])
    _add_up(clues, length, LOG10_FACTORIAL, totals, ways)
    filled = np.diff(lines) > 0
    if filled.any():
        totals.ways[filled] = np.add.reduceat(ways, lines[:-1][filled])
    return totals


@kernel
def _add_up(
    clues: Clues, length: np.ndarray, log10_factorial: np.ndarray, totals: ClueTotals, ways: np.ndarray
) -> None:
    """Add up each puzzle's totals except `ways`, and compute the ways of each line, float64[lines]."""
    zero: Any = np.int64(0)  # a literal would be a type of its own to the compiler
    for p in range(len(length)):
        for line in range(clues.lines[p], clues.lines[p + 1]):
            start, stop = clues.blocks[line], clues.blocks[line + 1]
            cells, gaps, blots = zero, zero, zero
            for block in range(start, stop):
                cells += max(clues.length[block], 1)
                blots += clues.length[block] == BLOT
                gaps += block > start and clues.color[block] == clues.color[block - 1]
                totals.colors[p] = max(totals.colors[p], clues.color[block])
            free, movable = length[p] - cells - gaps, stop - start + blots
            slack = max(free, zero) if stop > start else zero
            totals.cells[p] += cells
            totals.blocks[p] += stop - start
            totals.blots[p] += blots
            totals.slack[p] += slack
            totals.most[p] = max(totals.most[p], slack)
            # Stars and bars: each free cell goes before a block, into a blot, or to the end of the line.
            n = free + movable
            fits = free >= 0 and n < len(log10_factorial)
            ways[line - clues.lines[0]] = (
                log10_factorial[n] - log10_factorial[movable] - log10_factorial[n - movable] if fits else np.nan
            )
