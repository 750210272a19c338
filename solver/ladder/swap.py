"""Derive a second solution: swap the four corners of a rectangle without changing any clue.

Most puzzles with several solutions have such a switch in the first solution found (Ryser's switches, as used by
FastNonogram).
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel, standalone
from nonocensus.solver.lines.propagate import is_late_after
from nonocensus.solver.lines.workspace import WORK


@standalone
def swap(
    picture: np.ndarray, width: int, height: int, start: np.ndarray, counters: np.ndarray, deadline: float
) -> bool:
    """Find a switch in a solution and apply it in place; returns whether there was one.

    A switch is two rows and two columns with colours a b / b a at their crossings, where exchanging a and b keeps the
    runs of all four lines. Past the deadline it returns False; the caller's next look at the clock detects the same.

    picture   uint8[height x width]
    start     bool[height x width, palette]: colours that cells may have; empty if all
    """
    along: Any = np.int64(1)  # a literal 1 would be a type of its own to the compiler
    down: Any = np.int64(width)
    for top in range(height):
        for left in range(width):
            a = picture[top * width + left]
            for right in range(left + 1, width):
                b = picture[top * width + right]
                if is_late_after(along, counters, deadline):
                    return False
                if a == b or not _keeps_runs(picture, top * width, along, width, left, right):
                    continue
                counters[WORK] += height - top
                for bottom in range(top + 1, height):
                    if picture[bottom * width + left] != b or picture[bottom * width + right] != a:
                        continue
                    if (
                        _may_swap(start, width, top, bottom, left, right, a, b)
                        and _keeps_runs(picture, bottom * width, along, width, left, right)
                        and _keeps_runs(picture, left, down, height, top, bottom)
                        and _keeps_runs(picture, right, down, height, top, bottom)
                    ):
                        _exchange(picture, top * width + left, top * width + right)
                        _exchange(picture, bottom * width + left, bottom * width + right)
                        return True
    return False


@kernel
def _may_swap(start: np.ndarray, width: int, top: int, bottom: int, left: int, right: int, a: int, b: int) -> bool:
    """Return whether corners a b / b a may become b a / a b."""
    if len(start) == 0:
        return True
    return bool(
        start[top * width + left, b]
        and start[top * width + right, a]
        and start[bottom * width + left, a]
        and start[bottom * width + right, b]
    )


@kernel
def _exchange(picture: np.ndarray, i: int, j: int) -> None:
    picture[i], picture[j] = picture[j], picture[i]


@kernel
def _keeps_runs(picture: np.ndarray, start: int, step: int, cells: int, i: int, j: int) -> bool:
    """Return whether a line keeps its runs if cells i < j, of different colours, are exchanged.

    The line's cell x is picture[start + x * step]. Only runs near i and j can change, so the comparison starts at the
    run before cell i and stops at the run after cell j.
    """
    first = i
    while first > 0 and picture[start + (first - 1) * step] == picture[start + i * step]:
        first -= 1
    first = max(first - 1, 0)
    while first > 0 and picture[start + (first - 1) * step] == picture[start + first * step]:
        first -= 1
    x, y = first, first
    while True:
        # next foreground run, before the exchange from x, after it from y
        while x < cells and picture[start + x * step] == 0:
            x += 1
        while y < cells and _color_after(picture, start, step, y, i, j) == 0:
            y += 1
        if x == cells or y == cells:
            return x == y
        if x == y and x > j + 1 and picture[start + (x - 1) * step] != picture[start + x * step]:
            return True
        color = picture[start + x * step]
        length = 0
        while x < cells and picture[start + x * step] == color:
            x += 1
            length += 1
        while y < cells and length > 0 and _color_after(picture, start, step, y, i, j) == color:
            y += 1
            length -= 1
        if length > 0 or (y < cells and _color_after(picture, start, step, y, i, j) == color):
            return False


@kernel
def _color_after(picture: np.ndarray, start: int, step: int, x: int, i: int, j: int) -> int:
    """Return the colour of cell x after exchanging cells i and j."""
    if x == i:
        x = j
    elif x == j:
        x = i
    return int(picture[start + x * step])
