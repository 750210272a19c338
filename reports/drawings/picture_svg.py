"""Pictures as small SVGs: one path per colour, made of few rectangles."""

import re
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

UNKNOWN_COLOR = "888888"
"""Colour of an entry that is missing or invalid in the palette."""

FRAME = "ff0090"
"""Colour of the frames of cells that a change concerns, as in the browser's thumbnails."""

MIN_FRAME, FRAME_CELLS = 0.2, 60
"""Least width of a frame in cells, and cells of the longer side for each cell of a single frame's width, so that it is
seen in a thumbnail; several frames are narrower."""

HEART = ("0000000", "0010100", "0111110", "0111110", "0011100", "0001000", "0000000")
"""The program's icon: a small solved nonogram."""


def mark() -> str:
    """Return the program's icon as an SVG element."""
    return svg(np.array([[int(cell) for cell in row] for row in HEART], np.uint8), ("1c8a74", "ffffff"))


def svg(cells: np.ndarray, palette: Sequence[str | None], text: str = "", framed: np.ndarray | None = None) -> str:
    """Draw a picture, uint8[height, width], as an SVG element that fills its container, one unit per cell.

    palette   six hex digits per entry, the background first; invalid entries of untrusted input are drawn grey
    text      description for screen readers; without one the drawing is hidden from them
    framed    cells around which a frame is drawn in FRAME, bool[height, width]
    """
    height, width = cells.shape
    about = f'role="img" aria-label="{escape(text)}"' if text else 'aria-hidden="true"'
    paths = "".join(
        f'<path fill="#{hex_color(palette, entry)}" d="{path_of(cells == entry)}"/>'
        for entry in np.unique(cells[cells > 0]).tolist()
    )
    if framed is not None and framed.any():
        wide = max(MIN_FRAME, max(width, height) / FRAME_CELLS / np.count_nonzero(framed) ** 0.5)
        square = f"h{1 + 2 * wide:g}v{1 + 2 * wide:g}h-{1 + 2 * wide:g}z"
        frames = "".join(f"M{x - wide:g} {y - wide:g}{square}" for y, x in np.argwhere(framed).tolist())
        paths += f'<path fill="#{FRAME}" d="{frames}"/>' + "".join(
            f'<path fill="#{hex_color(palette, entry)}" d="{path_of(framed & (cells == entry))}"/>'
            for entry in np.unique(cells[framed]).tolist()
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" shape-rendering="crispEdges" {about}>'
        f'<path fill="#{hex_color(palette, 0)}" d="M0 0h{width}v{height}h-{width}z"/>{paths}</svg>'
    )


def hex_color(palette: Sequence[str | None], entry: int) -> str:
    """Return the lower-case hex digits of a palette entry, grey if it is missing or invalid."""
    color = palette[entry] if entry < len(palette) else None
    return color.lower() if color and re.fullmatch("[0-9a-fA-F]{6}", color) else UNKNOWN_COLOR


def path_of(mask: np.ndarray) -> str:
    """Return the cells of a mask, bool[height, width], as SVG path data, one unit per cell."""
    return "".join(f"M{x} {y}h{width}v{height}h-{width}z" for x, y, width, height in _rectangles(mask))


def _rectangles(mask: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
    """Return rectangles (x, y, width, height) that cover the mask: runs, merged over consecutive equal rows."""
    growing: dict[tuple[int, int], int] = {}  # first row of each run (start, stop) of the row before
    for row, runs in enumerate([*_runs(mask), ()]):
        for start, stop in sorted(growing.keys() - set(runs)):
            top = growing.pop((start, stop))
            yield start, top, stop - start, row - top
        growing |= {run: row for run in runs if run not in growing}


def _runs(mask: np.ndarray) -> list[list[tuple[int, int]]]:
    """Return the runs (start, stop) of each row."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    runs: list[list[tuple[int, int]]] = [[] for _ in mask]
    rows, starts = np.nonzero(edges == 1)
    stops = np.nonzero(edges == -1)[1]
    for row, start, stop in zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True):
        runs[row].append((start, stop))
    return runs
