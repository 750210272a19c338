"""The pictures of a row of puzzles and results: which are solutions, and how far two are apart."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE

Row: TypeAlias = Mapping[str, Any]

PICTURES = ("width", "height", "palette", "goal", "goal_matches", "solution", "second_solution")
"""Columns that `known_pictures` needs, and the colours of its pictures."""


def cells_of(row: Row, name: str) -> np.ndarray | None:
    """Return a picture of a row, uint8[height, width]; None if it has another size."""
    cells, size = row[name], (row["height"] or 0, row["width"] or 0)
    return np.frombuffer(cells, np.uint8).reshape(size) if cells and len(cells) == size[0] * size[1] else None


def known_pictures(row: Row) -> list[np.ndarray]:
    """Return the author's picture if it is a solution, else the solutions found, else the author's picture."""
    solutions = ("goal",) if row["goal_matches"] else ("solution", "second_solution")
    found = [cells for name in solutions if (cells := cells_of(row, name)) is not None]
    return found or [cells for cells in [cells_of(row, "goal")] if cells is not None]


def cells_apart(one: np.ndarray, other: np.ndarray) -> int:
    """Count the cells in which two pictures differ, all of them if their sizes do."""
    return int(np.count_nonzero(one != other)) if one.shape == other.shape else max(one.size, other.size)


def nearest_picture(pictures: Sequence[np.ndarray], other: np.ndarray) -> np.ndarray:
    """Return the first of those that differ from another in the fewest cells."""
    return min(pictures, key=lambda cells: cells_apart(cells, other))


def nearest_image(picture: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, str]:
    """Turn and mirror a picture so that it differs from another in the fewest cells.

    Returns it, and "turned", "mirrored" or "".
    """
    sides = ((picture, "turned"), (picture[:, ::-1], "mirrored"))
    images = [(np.rot90(side, quarters), word) for side, word in sides for quarters in range(4)]
    images[0] = picture, ""
    return min(images, key=lambda each: cells_apart(each[0], other))


def describe_nearness(row: Row | None, original: Row | None, cells: int | None) -> str:
    """Say how a puzzle is near another: "mirrored, recoloured, 3 cells differ"; without pictures only the cells.

    Without any, as with hidden lengths, they have the same picture by other clues.

    row, original   with the columns PICTURES
    cells           in which they differ
    """
    apart = f"{count_text(cells, 'cell')} differ{'s' if cells == 1 else ''}" if cells else "same picture, other clues"
    if not row or not original:
        return apart
    pictures = [known_pictures(each)[:1] for each in (row, original)]
    if not all(pictures):
        return apart
    (own,), (first,) = pictures
    image, turned = nearest_image(first, own)
    colors, others = (
        [colors_of(each)[entry : entry + 1] for entry in np.union1d(image, own).tolist()] for each in (row, original)
    )
    return ", ".join(filter(None, [turned, "recoloured" * (colors != others), apart]))


def colors_of(row: Row) -> list[str]:
    """Return the colours of a row's palette as six hex digits; black on white without one."""
    return [(color["rgb"] or "").lower() for color in row["palette"] or ()] or [color.rgb for color in BLACK_ON_WHITE]


def changed_cells(before: np.ndarray, after: np.ndarray, colors: Sequence[str]) -> str:
    """Name the cells in which a picture has changed, with their new colours, row by row.

    "row 2, column 3 white, columns 5 to 7 black; row 4, column 1 white"
    """
    return "; ".join(
        f"row {y + 1}, {_spans(after[y], np.flatnonzero(before[y] != after[y]).tolist(), colors)}"
        for y in np.flatnonzero((before != after).any(axis=1)).tolist()
    )


def _spans(cells: np.ndarray, places: list[int], colors: Sequence[str]) -> str:
    """Name some cells of a line with their colours; neighbours of one colour together."""
    words = []
    for (color, _), run in groupby(enumerate(places), lambda each: (int(cells[each[1]]), each[1] - each[0])):
        first, *others = [x + 1 for _, x in run]
        span = f"columns {first} to {others[-1]}" if others else f"column {first}"
        words.append(f"{span} {colors[color]}")
    return ", ".join(words)
