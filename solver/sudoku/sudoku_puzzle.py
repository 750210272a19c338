"""The record of one Sudoku: givens, boxes, origin.

Kernels never see these objects; they read the columns of the table SUDOKUS (`solver.model.tables`).
"""

from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from nonocensus.solver.model.puzzle import InvalidPuzzle

OPEN = 0
"""Value of a cell without a given."""

LARGEST_BYTE = 255


@dataclass(frozen=True, eq=False)
class Sudoku:
    """A Sudoku. The fields are the columns of the table SUDOKUS; those not given are null there.

    givens   uint8[size, size], or convertible to it: digits from 1, OPEN for an open cell
    box_width, box_height   columns and rows of a box

    Contradictory digits or boxes are accepted; `sudoku_check` reports them. Raises InvalidPuzzle for what the table
    cannot hold: another shape, a number that does not fit a byte.
    """

    givens: np.ndarray
    box_width: int = 3
    box_height: int = 3
    puzzle_id: str | None = None
    source: str | None = None
    source_id: str | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    description: str | None = None
    copyright: str | None = None
    license: str | None = None
    site_note: str | None = None
    site_version: str | None = None
    site_quality: float | None = None
    site_difficulty: float | None = None
    site_seconds: float | None = None
    site_date: date | None = None
    site_steps: int | None = None
    fetched_at: datetime | None = None
    raw_sha256: str | None = None

    def __post_init__(self) -> None:
        try:
            givens = np.asarray(self.givens)
        except ValueError:  # ragged rows
            raise InvalidPuzzle("givens are a square of whole numbers; the rows of these differ in length") from None
        if givens.ndim != 2 or givens.shape[0] != givens.shape[1] or givens.dtype.kind not in "biu":
            raise InvalidPuzzle(f"givens are a square of whole numbers, not {givens.dtype}{list(givens.shape)}")
        if not 0 < givens.shape[0] <= LARGEST_BYTE:
            raise InvalidPuzzle(f"the grid has {givens.shape[0]} rows; the table holds 1 to {LARGEST_BYTE}")
        if not 0 <= givens.min() <= givens.max() <= LARGEST_BYTE:
            raise InvalidPuzzle(f"givens go from {givens.min()} to {givens.max()}; the table holds 0 to {LARGEST_BYTE}")
        for name, cells in (("wide", self.box_width), ("high", self.box_height)):
            if not isinstance(cells, int | np.integer) or not 0 <= cells <= LARGEST_BYTE:
                raise InvalidPuzzle(f"its boxes are {cells!r} cells {name}; the table holds 0 to {LARGEST_BYTE}")
        object.__setattr__(self, "givens", np.ascontiguousarray(givens, np.uint8))

    @property
    def size(self) -> int:
        """Number of digits, and cells of a unit."""
        return len(self.givens)


def boxes_of(size: int) -> tuple[int, int]:
    """Return the usual box of a size, (width, height): as square as possible, wide rather than high; (3, 2) for 6."""
    height = max(k for k in range(1, size + 1) if k * k <= size and size % k == 0)
    return size // height, height
