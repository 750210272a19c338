"""The features of a puzzle that explain how long people take: counts of its rounds, its clues and its picture.

All are equal for a puzzle and its mirrored, rotated and recoloured images. `solver.people.rounds` counts the rounds;
the rest are counts of clues and of the solution, which people see emerge and use to guess what is next.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, low_bits, lowest, mirror
from nonocensus.solver.lines.board import Board
from nonocensus.solver.model.techniques import CLUE, COUNTING, FORCING, GLUE, LINE, OVERLAP, REACH, TECHNIQUES
from nonocensus.solver.people.line_state import end_of_run
from nonocensus.solver.people.person import SolvingState
from nonocensus.solver.people.rounds import (
    BACKGROUND_STROKES,
    DECIDED,
    DECIDED_ROUNDS,
    LOG_OPEN,
    LOOKS_PER_FIND,
    OPEN_LINES,
    ROUNDS,
    STROKES,
    Rounds,
)

STEPS = (CLUE, COUNTING, OVERLAP, GLUE, FORCING, REACH, LINE)
"""Techniques whose looks are features; those of the others explain no more."""

FEATURES = {
    **{
        f"looks_{TECHNIQUES[technique].name}": f"looks at a line on which {TECHNIQUES[technique].name} is the easiest "
        "technique that makes progress"
        for technique in STEPS
    },
    "strokes": "runs of cells of one colour, decided by one look",
    "foreground_strokes": "those of a foreground colour",
    "open_lines": "lines with open cells, summed over the rounds",
    "rounds": "rounds that make progress",
    "mean_round": "mean round in which a cell is decided",
    "looks_per_find": "lines looked at per line with progress, summed over the rounds",
    "log_open": "logarithm of the number of open cells, summed over the rounds of assumptions",
    "blocks": "blocks of all clues",
    "repeated_clues": "lines with the clue of the line before",
    "log_lengths": "logarithm of one more than a block's length, summed over the blocks",
    "cells": "width x height",
    "edges": "neighbouring cells of different colours in the picture",
    "areas": "connected areas of a foreground colour",
    "joined_areas": "the same, with corners connecting",
    "single_gaps": "connected areas of background, of one cell",
    "axis": "largest share of foreground cells that an axis maps to cells of their colour, over all axes",
    "painted": "cells of a foreground colour",
}
"""Definitions by name, in the order of the vector."""

(
    AT_STROKES,
    AT_FOREGROUND_STROKES,
    AT_OPEN_LINES,
    AT_ROUNDS,
    AT_MEAN_ROUND,
    AT_LOOKS_PER_FIND,
    AT_LOG_OPEN,
    AT_BLOCKS,
    AT_REPEATED_CLUES,
    AT_LOG_LENGTHS,
    AT_CELLS,
    AT_EDGES,
    AT_AREAS,
    AT_JOINED_AREAS,
    AT_SINGLE_GAPS,
    AT_AXIS,
    AT_PAINTED,
) = range(len(STEPS), len(FEATURES))
"""Indices in the vector, of the features after STEPS."""

MIN_COVERED = 0.15
"""Share of the foreground that an axis must map into the picture."""


class Runs(NamedTuple):
    """Scratch memory for features.

    lengths    int64[longest line + 1]: blocks by length
    logs       float64[longest line + 1]: logarithm of one more than the length; constant
    equal, covered   int64[2 x longest line]: by axis, foreground cells that it maps to their colour, and in all
    start, end, color, area   int64[blocks]: runs of a foreground colour in the rows, and the area that each belongs to
    """

    lengths: np.ndarray
    logs: np.ndarray
    equal: np.ndarray
    covered: np.ndarray
    start: np.ndarray
    end: np.ndarray
    color: np.ndarray
    area: np.ndarray


def runs_for(state: SolvingState) -> Runs:
    """Return scratch memory for the puzzles of a state."""
    lengths, blocks = np.arange(len(state.workspace.reach)), len(state.board.length)
    by_axis = np.zeros((2, 2 * len(lengths)), np.int64)
    return Runs(lengths, np.log1p(lengths), *by_axis, *np.zeros((4, blocks), np.int64))


@kernel
def has_blots(board: Board) -> bool:
    """Return whether the puzzle has a block of hidden length."""
    blots = 0
    for block in range(board.first[board.size[0] + board.size[1]]):
        blots += board.length[block] == 0
    return blots > 0


@standalone
def write_features(state: SolvingState, rounds: Rounds, runs: Runs, values: np.ndarray) -> None:
    """Write the FEATURES of a puzzle solved in rounds.

    values   float64[features]
    """
    board, counts, bit_width = state.board, rounds.counts, state.line.bit_width
    blocks, repeated, log_lengths = _count_clues(board, state.color, runs)
    edges, single_gaps, painted = _count_cells(board, bit_width)
    for k in range(len(STEPS)):
        values[k] = rounds.steps[STEPS[k]]
    values[AT_STROKES] = counts[STROKES]
    values[AT_FOREGROUND_STROKES] = counts[STROKES] - counts[BACKGROUND_STROKES]
    values[AT_OPEN_LINES] = counts[OPEN_LINES]
    values[AT_ROUNDS] = counts[ROUNDS]
    values[AT_MEAN_ROUND] = counts[DECIDED_ROUNDS] / max(counts[DECIDED], 1)
    values[AT_LOOKS_PER_FIND] = rounds.sums[LOOKS_PER_FIND]
    values[AT_LOG_OPEN] = rounds.sums[LOG_OPEN]
    values[AT_BLOCKS] = blocks
    values[AT_REPEATED_CLUES] = repeated
    values[AT_LOG_LENGTHS] = log_lengths
    values[AT_CELLS] = board.size[0] * board.size[1]
    values[AT_EDGES] = edges
    _find_runs(board, runs, bit_width)
    values[AT_AREAS] = _count_areas(board, runs, 0)
    values[AT_JOINED_AREAS] = _count_areas(board, runs, 1)
    values[AT_SINGLE_GAPS] = single_gaps
    axes = _best_axis(board, runs, 0, painted, bit_width), _best_axis(board, runs, 1, painted, bit_width)
    values[AT_AXIS] = max(axes[0], axes[1])
    values[AT_PAINTED] = painted


@inlined
def _count_clues(board: Board, color: np.ndarray, runs: Runs) -> tuple[int, int, float]:
    """Return the number of blocks, of lines with the clue of the line before, and the sum of the logs of lengths."""
    first, lines, repeated = board.first, board.size[0] + board.size[1], 0
    runs.lengths[:] = 0
    for number in range(lines):
        blocks = first[number + 1] - first[number]
        for block in range(first[number], first[number + 1]):
            runs.lengths[board.length[block]] += 1
        if number in (0, board.size[1]) or blocks != first[number] - first[number - 1]:
            continue
        equal = True
        for one in range(first[number - 1], first[number]):
            equal = equal and board.length[one] == board.length[one + blocks] and color[one] == color[one + blocks]
        repeated += equal
    total = 0.0  # by length, so that symmetric puzzles have the same sum to the last bit
    for length in range(len(runs.lengths)):
        total += runs.lengths[length] * runs.logs[length]
    return int(first[lines]), repeated, total


@inlined
def _count_cells(board: Board, bit_width: Any) -> tuple[int, int, int]:
    """Return the edges between colours, the areas of background of one cell, and the foreground cells."""
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    equal = blank = gaps = 0
    above = empty(bit_width)
    for y in range(height):
        for c in range(palette):
            here = load(board.can, y * palette + c, bit_width)
            equal += count(here & (here >> 1))
            if y + 1 < height:
                equal += count(here & load(board.can, (y + 1) * palette + c, bit_width))
        here = load(board.can, y * palette, bit_width)
        below = load(board.can, (y + 1) * palette, bit_width) if y + 1 < height else empty(bit_width)
        blank += count(here)
        gaps += count(here & ~((here << 1) | (here >> 1) | above | below))
        above = here
    return (width - 1) * height + width * (height - 1) - equal, gaps, width * height - blank


@inlined
def _find_runs(board: Board, runs: Runs, bit_width: Any) -> None:
    """Find the runs of the rows, in the order of their blocks."""
    palette, k = int(board.size[2]), 0
    for y in range(board.size[1]):
        left = low_bits(int(board.size[0]), bit_width) & ~load(board.can, y * palette, bit_width)
        while has_any(left):
            start, color = lowest(left), 1
            while not has_any((load(board.can, y * palette + color, bit_width) >> start) & bit(0, bit_width)):
                color += 1
            end = end_of_run(load(board.can, y * palette + color, bit_width), start)
            runs.start[k], runs.end[k], runs.color[k] = start, end, color
            left = left & ~low_bits(end, bit_width)
            k += 1


@inlined
def _count_areas(board: Board, runs: Runs, reach: int) -> int:
    """Return the number of connected areas of a foreground colour.

    reach   1 if corners connect, else 0
    """
    areas = int(board.first[board.size[1]])
    for k in range(areas):
        runs.area[k] = k
    for y in range(1, board.size[1]):
        for k in range(board.first[y], board.first[y + 1]):
            for above in range(board.first[y - 1], board.first[y]):
                touches = runs.start[above] < runs.end[k] + reach and runs.start[k] < runs.end[above] + reach
                if touches and runs.color[above] == runs.color[k]:
                    one, other = _area(runs.area, above), _area(runs.area, k)
                    runs.area[one] = other
                    areas -= one != other
    return areas


@inlined
def _area(area: np.ndarray, k: int) -> int:
    """Return the run that stands for the area of a run, halving the path to it."""
    while area[k] != k:
        area[k] = area[area[k]]
        k = int(area[k])
    return k


@kernel
def _best_axis(board: Board, runs: Runs, side: int, painted: int, bit_width: Any) -> float:
    """Return the largest share of foreground cells that an axis maps to cells of their colour.

    side   0 for vertical axes, 1 for horizontal ones
    """
    cells, lines = int(board.size[side]), int(board.size[1 - side])
    palette, number = int(board.size[2]), side * int(board.size[1])
    first, past = cells // 2, 2 * cells - 1 - cells // 2
    runs.equal[first:past] = 0
    runs.covered[first:past] = 0
    for line in range(number, number + lines):
        some = empty(bit_width)
        for c in range(1, palette):
            here = load(board.can, line * palette + c, bit_width)
            some = some | here
            if has_any(here):
                image = mirror(here, cells)
                for axis in range(first, past):
                    runs.equal[axis] += count(here & _shifted(image, axis, cells) & _half(axis, cells, bit_width))
        if has_any(some):
            image = mirror(some, cells)
            for axis in range(first, past):
                covered = some | _shifted(image, axis, cells)
                runs.covered[axis] += count(covered & _half(axis, cells, bit_width))
    best = 0.0
    for axis in range(first, past):
        if runs.covered[axis] > max(0.0, MIN_COVERED * painted):
            best = max(best, runs.equal[axis] / runs.covered[axis])
    return best


@inlined
def _shifted(mirrored: Any, axis: int, cells: int) -> Any:
    """Return the image of a set of cells in an axis, given that in the middle of the line."""
    return mirrored << (axis - cells + 1) if axis >= cells else mirrored >> (cells - 1 - axis)


@inlined
def _half(axis: int, cells: int, bit_width: Any) -> Any:
    """Return the cells before an axis that have an image."""
    return low_bits((axis + 1) // 2, bit_width) & ~low_bits(max(0, axis - cells + 1), bit_width)
