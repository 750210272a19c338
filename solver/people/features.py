"""The features of a puzzle that explain how long people take: counts of its rounds, its clues and its picture.

All are equal for a puzzle and its mirrored, rotated and recoloured images. `solver.people.rounds` counts the rounds;
the rest are counts of clues and of the solution, which people see emerge and use to guess what is next.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel
from solver.model.techniques import CLUE, COUNTING, FORCING, GLUE, LINE, OVERLAP, REACH, TECHNIQUES
from solver.model.views import Views
from solver.people.person import PuzzleSheet, example_sheet, is_solved
from solver.people.rounds import (
    BACKGROUND_STROKES,
    LOG_OPEN,
    LOOKS_PER_FIND,
    OPEN_LINES,
    ROUNDS,
    STROKES,
    Rounds,
    compile_rounds,
    rounds_for,
    solve_in_rounds,
)

STEPS = (CLUE, COUNTING, OVERLAP, GLUE, FORCING, REACH, LINE)
"""Techniques whose steps are features; those of the others explain no more."""

FEATURES = {
    **{
        f"steps_{TECHNIQUES[technique].name}": f"looks at a line that {TECHNIQUES[technique].name} was the easiest "
        "technique to find any in"
        for technique in STEPS
    },
    "strokes": "runs of cells of one colour, decided by one look",
    "foreground_strokes": "those of a foreground colour",
    "open_lines": "lines with open cells, summed over the rounds",
    "rounds": "rounds with a find",
    "mean_round": "mean round in which a cell is decided",
    "looks_per_find": "lines looked at per line with a find, summed over the rounds",
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

BLOCK_COUNT, REPEATED = range(2)
EDGES, AREAS, JOINED_AREAS, SINGLE_GAPS, PAINTED = range(5)

MIN_COVERED = 0.15
"""Share of the foreground that an axis must map into the picture."""


class Canvas(NamedTuple):
    """A solved picture and scratch memory.

    size      int64[2]: width and height
    cells     uint8[height x width]: colours
    seen      bool[height x width]
    stack     int64[height x width]
    """

    size: np.ndarray
    cells: np.ndarray
    seen: np.ndarray
    stack: np.ndarray


def canvas_for(width: int, height: int, cells: np.ndarray) -> Canvas:
    """Return a canvas for a solution, uint8[height x width]."""
    count = width * height
    return Canvas(np.array([width, height]), np.array(cells), np.zeros(count, np.bool_), np.zeros(count, np.int64))


def features(puzzle: Views, deadline: float) -> np.ndarray | None:
    """Solve the one puzzle of a batch in rounds; return its FEATURES, None if it needs search or has blots.

    deadline    CPU seconds of this thread

    Raises TimeoutError, and NoSolution on a contradiction.
    """
    sheet, rounds = solve_in_rounds(puzzle, deadline)
    if not is_solved(sheet) or not sheet.length.all():
        return None
    colors = np.array([mask.bit_length() - 1 for mask in sheet.grid.tolist()], np.uint8)
    return features_of(sheet, rounds, colors)


def features_of(sheet: PuzzleSheet, rounds: Rounds, solution: np.ndarray) -> np.ndarray:
    """Return the vector of FEATURES, float64, of a puzzle solved in rounds.

    solution   uint8[height x width]: its picture
    """
    width, height = sheet.size.tolist()
    clues, lengths = np.zeros(2, np.int64), np.zeros(max(width, height) + 1, np.int64)
    count_clues(sheet, clues, lengths)
    picture, shares = np.zeros(5, np.int64), np.zeros(2)
    count_picture(canvas_for(width, height, solution), picture, shares)
    counts, sums = rounds.counts, rounds.sums
    decided = rounds.decided[rounds.decided > 0]
    values = [
        *rounds.steps[list(STEPS)].tolist(),
        counts[STROKES],
        counts[STROKES] - counts[BACKGROUND_STROKES],
        counts[OPEN_LINES],
        counts[ROUNDS],
        int(decided.sum(dtype=np.int64)) / max(len(decided), 1),
        sums[LOOKS_PER_FIND],
        sums[LOG_OPEN],
        clues[BLOCK_COUNT],
        clues[REPEATED],
        float(lengths @ np.log1p(np.arange(len(lengths)))),
        width * height,
        picture[EDGES],
        picture[AREAS],
        picture[JOINED_AREAS],
        picture[SINGLE_GAPS],
        shares.max(),
        picture[PAINTED],
    ]
    return np.array(values, np.float64)


@cache
def compile_features() -> None:
    """Compile the kernels of this module and of the rounds, so that no puzzle is charged for it."""
    compile_rounds()
    sheet = example_sheet()
    features_of(sheet, rounds_for(sheet), np.zeros(1, np.uint8))


@kernel
def count_clues(sheet: PuzzleSheet, counts: np.ndarray, lengths: np.ndarray) -> None:
    """Count the blocks of all lines.

    counts    int64[2], output: by BLOCK_COUNT and so on
    lengths   int64[longest line + 1], output: blocks by length
    """
    width, height = int(sheet.size[0]), int(sheet.size[1])
    for number in range(width + height):
        first, end = int(sheet.first[number]), int(sheet.first[number + 1])
        counts[BLOCK_COUNT] += end - first
        for block in range(first, end):
            lengths[sheet.length[block]] += 1
        if number not in (0, height) and end - first == first - sheet.first[number - 1]:
            counts[REPEATED] += _is_repeated(sheet, int(sheet.first[number - 1]), first, end - first)


@kernel
def _is_repeated(sheet: PuzzleSheet, one: int, other: int, blocks: int) -> bool:
    """Return whether two runs of blocks are equal."""
    for k in range(blocks):
        if sheet.length[one + k] != sheet.length[other + k] or sheet.color[one + k] != sheet.color[other + k]:
            return False
    return True


@kernel
def count_picture(canvas: Canvas, counts: np.ndarray, shares: np.ndarray) -> None:
    """Count edges, areas and symmetries of a picture.

    counts    int64[5], output: by EDGES and so on
    shares    float64[2], output: of the best vertical and of the best horizontal axis
    """
    width, height, cells = int(canvas.size[0]), int(canvas.size[1]), canvas.cells
    for place in range(width * height):
        x, y = place % width, place // width
        here = cells[place]
        counts[PAINTED] += here > 0
        counts[EDGES] += x + 1 < width and cells[place + 1] != here
        counts[EDGES] += y + 1 < height and cells[place + width] != here
    for corners in range(2):
        canvas.seen[:] = False
        for place in range(width * height):
            if canvas.seen[place]:
                continue
            size = _fill_area(canvas, place, corners == 1)
            if cells[place] > 0:
                counts[JOINED_AREAS if corners == 1 else AREAS] += 1
            elif corners == 0:
                counts[SINGLE_GAPS] += size == 1
    for way in range(2):
        across, along = (width, height) if way == 0 else (height, width)
        step, stride = (1, width) if way == 0 else (width, 1)
        for axis in range(across // 2, 2 * across - 1 - across // 2):
            equal = covered = 0
            for k in range(max(0, axis - across + 1), (axis + 1) // 2):
                for j in range(along):
                    one, other = cells[k * step + j * stride], cells[(axis - k) * step + j * stride]
                    covered += one > 0 or other > 0
                    equal += one == other and one > 0
            if covered > 0 and covered > MIN_COVERED * counts[PAINTED]:
                shares[way] = max(shares[way], equal / covered)


@kernel
def _fill_area(canvas: Canvas, start: int, corners: bool) -> int:
    """Mark the area of a cell as seen; return its size."""
    width, height = int(canvas.size[0]), int(canvas.size[1])
    canvas.stack[0] = start
    canvas.seen[start] = True
    waiting, size = 1, 0
    while waiting > 0:
        waiting -= 1
        place = canvas.stack[waiting]
        size += 1
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                x, y = place % width + dx, place // width + dy
                if not (corners or dx == 0 or dy == 0) or not (0 <= x < width and 0 <= y < height):
                    continue
                near = y * width + x
                if not canvas.seen[near] and canvas.cells[near] == canvas.cells[start]:
                    canvas.seen[near] = True
                    canvas.stack[waiting] = near
                    waiting += 1
    return size
