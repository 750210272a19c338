"""Hashes that identify Sudokus.

`clue_hash` covers size, boxes and givens, `canonical_hash` the canonical form (solver.sudoku.canonical): equal exactly
for puzzles that are equal up to permutations of rows in a band, columns in a stack, bands and stacks, transposition,
and renaming of digits (3,359,232 symmetries for 9x9, times the names). Exact for all sizes.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.identity import hashes_of
from nonocensus.solver.sudoku.canonical import Search, canonical_form, search_for
from nonocensus.solver.sudoku.grids import Grids
from nonocensus.solver.sudoku.sudoku_limits import MAX_SIZE

MARK = np.frombuffer(b"sudoku", np.uint8)
"""Prefixes of the hashed texts, distinct from those of nonograms."""

HEAD = len(MARK) + 3

MOST = 1 << 12
"""Puzzles hashed per batch."""


def sudoku_hashes(seen: Grids) -> tuple[bytes, bytes]:
    """Return the clue hashes and the canonical hashes of a batch's puzzles, each 32 hex digits, one after the other.

    A puzzle with a fault (sudoku_check) has no canonical form: both hashes are equal.
    """
    memory = search_for(min(int(np.diff(seen.ends).max(initial=0)), MAX_SIZE**2))
    parts = [_hashes(_part(seen, first, first + MOST), memory) for first in range(0, len(seen.size), MOST)]
    return b"".join(plain for plain, _ in parts), b"".join(canonical for _, canonical in parts)


def compile_hashes(seen: Grids) -> None:
    """Compile the kernels of this module."""
    no_puzzles = seen._replace(size=seen.size[:0])
    _write_texts(no_puzzles, np.zeros(1, np.int64), np.zeros((2, 0), np.uint8), search_for(1))


def _part(seen: Grids, first: int, end: int) -> Grids:
    """Return a range of puzzles of a batch."""
    sides = seen.size[first:end], seen.box_width[first:end], seen.box_height[first:end]
    return Grids(*sides, seen.ends[first : end + 1], seen.givens)


def _hashes(seen: Grids, memory: Search) -> tuple[bytes, bytes]:
    """Return the hashes of a range of puzzles."""
    ends = np.zeros(len(seen.size) + 1, np.int64)
    np.cumsum(np.diff(seen.ends).astype(np.int64) + HEAD, out=ends[1:])
    texts = np.zeros((2, ends[-1]), np.uint8)
    _write_texts(seen, ends, texts, memory)
    return hashes_of(texts[0].tobytes(), ends), hashes_of(texts[1].tobytes(), ends)


@kernel
def _write_texts(seen: Grids, ends: np.ndarray, texts: np.ndarray, memory: Search) -> None:
    """Write each puzzle's text, and that of its canonical form, at ends[p] .. ends[p + 1]."""
    for p in range(len(seen.size)):
        start = ends[p] + HEAD
        size: Any = np.int64(seen.size[p])
        wide: Any = np.int64(seen.box_width[p])
        high: Any = np.int64(seen.box_height[p])
        for kind in range(2):
            for k in range(len(MARK)):
                texts[kind, ends[p] + k] = MARK[k]
            texts[kind, start - 3], texts[kind, start - 2], texts[kind, start - 1] = size, wide, high
            for cell in range(ends[p + 1] - start):
                texts[kind, start + cell] = seen.givens[seen.ends[p] + cell]
        form = texts[1, start : ends[p + 1]]
        if 0 < size <= MAX_SIZE and wide * high == size and len(form) == size * size and _are_digits(form, size):
            if wide < high:
                texts[1, start - 2], texts[1, start - 1] = high, wide
            canonical_form(seen.givens[seen.ends[p] : seen.ends[p + 1]], wide, high, memory, form)


@kernel
def _are_digits(givens: np.ndarray, size: int) -> bool:
    """Return whether all givens are digits or open."""
    largest: Any = np.uint8(0)
    for cell in range(len(givens)):
        largest = max(largest, givens[cell])
    return bool(largest <= size)
