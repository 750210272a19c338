"""Sudokus as small SVGs: boxes, givens in bold, the other digits of a solution in colour."""

import re
from collections.abc import Iterator
from html import escape

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SIGNS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Signs of digits: A stands for 10."""

FOUND = "#1c8a74"
"""Colour of digits that are not givens."""

BASELINE = 0.82
"""Baseline of a digit in its cell, from the top."""


def sign(digit: int) -> str:
    """Return the sign of a digit from 1 on; beyond Z its number."""
    return SIGNS[digit - 1] if digit <= len(SIGNS) else str(digit)


def box_of(kind: str | None) -> tuple[int, int] | None:
    """Parse columns and rows of a box from a kind such as "sudoku 3x2", None if it has none."""
    found = re.fullmatch(r"sudoku ([1-9]\d*)x([1-9]\d*)", kind or "")
    return found and (int(found[1]), int(found[2]))


def grid_of(cells: bytes, size: int) -> np.ndarray:
    """Return the cells of a row as uint8[size, size]."""
    return np.frombuffer(cells, np.uint8).reshape(size, size)


def givens_counts(puzzles: pa.RecordBatch | pa.Table) -> pa.Array:
    """Count the givens of each Sudoku, int64; null for nonograms and unknown givens.

    puzzles   with the columns `goal`, which holds the givens, and `kind`
    """
    boxed = pc.starts_with(puzzles["kind"], "sudoku").fill_null(False)
    if not pc.any(boxed).as_py():
        return pa.nulls(len(puzzles), pa.int64())
    pairs = zip(puzzles["goal"].to_pylist(), boxed.to_pylist(), strict=True)
    return pa.array(
        [len(cells) - cells.count(0) if there and cells is not None else None for cells, there in pairs], pa.int64()
    )


def grid_svg(givens: np.ndarray, cells: np.ndarray, box: tuple[int, int], text: str) -> str:
    """Draw a grid as an SVG element that fills its container, one unit per cell.

    givens, cells   uint8[size, size], 0 for an open cell: the givens, and all digits shown
    box             columns and rows of a box
    text            description for screen readers
    """
    size = len(cells)
    given = "".join(_digits(np.where(givens > 0, cells, 0)))
    found = "".join(_digits(np.where(givens > 0, 0, cells)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img" aria-label="{escape(text)}">'
        f'<g font-family="sans-serif" font-size=".92" text-anchor="middle">'
        f'<g font-weight="bold" fill="currentColor">{given}</g><g fill="{FOUND}">{found}</g></g>'
        f'<path fill="none" stroke="currentColor" stroke-width=".08" d="{_lines(size, *box)}"/></svg>'
    )


def _digits(cells: np.ndarray) -> Iterator[str]:
    """Yield one element per row with digits."""
    for y, row in enumerate(cells.tolist()):
        there = [x for x, digit in enumerate(row) if digit]
        signs = [sign(row[x]) for x in there]
        if all(len(each) == 1 for each in signs):
            places = " ".join(f"{x + 0.5:g}" for x in there)
            yield f'<text x="{places}" y="{y + BASELINE:g}">{"".join(signs)}</text>' if there else ""
            continue
        for x, each in zip(there, signs, strict=True):
            yield f'<text x="{x + 0.5:g}" y="{y + BASELINE:g}" font-size=".6">{each}</text>'


def _lines(size: int, wide: int, high: int) -> str:
    """Return path data of the borders of boxes and grid."""
    down = "".join(f"M{x} 0V{size}" for x in [*range(0, size, wide), size])
    return down + "".join(f"M0 {y}H{size}" for y in [*range(0, size, high), size])
