"""The nine rows of a 9x9 grid as one vector: a 16-bit lane per row, nine bits of which are its cells.

The vector has 16 lanes, which LLVM maps to SIMD instructions (AVX2, or two NEON registers). Each band takes four lanes,
the last of them empty; the last four lanes are empty too.

In memory it is a row of a `uint16[:, LANES]` array. With `NUMBA_DISABLE_JIT=1` it is such an array itself, with NumPy's
operators.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit import vectors
from nonocensus.solver.jit.intrinsics import overload

LANES = 16

BAND = 4
"""Lanes per band."""

NEXT_ROW = [lane // BAND * BAND + (lane % BAND + 1) % 3 if lane % BAND < 3 else lane for lane in range(LANES)]
NEXT_BAND = [(lane + BAND) % (3 * BAND) if lane < 3 * BAND else lane for lane in range(LANES)]
"""Permutations for `next_row` and `next_band`."""


def load(memory: np.ndarray, i: int) -> Any:
    """Load row i of a `uint16[:, LANES]` array."""
    return memory[i].copy()


def store(memory: np.ndarray, i: int, x: Any) -> None:
    """Store a vector into row i of such an array."""
    memory[i] = x


def where_any(x: Any) -> Any:
    """Return all-ones in non-zero lanes, zero elsewhere."""
    return np.where(x != 0, 0xFFFF, 0).astype(np.uint16)


def lanes_of(x: Any) -> int:
    """Return the non-zero lanes as a bit mask."""
    return int(np.packbits(x != 0, bitorder="little").view("<u2")[0])


def united(x: Any) -> int:
    """Return the bitwise or of all lanes."""
    return int(np.bitwise_or.reduce(x))


def next_row(x: Any) -> Any:
    """Return each lane's successor row within its band, cyclically."""
    return x[NEXT_ROW]


def next_band(x: Any) -> Any:
    """Return each lane's counterpart in the next band, cyclically."""
    return x[NEXT_BAND]


# Compiled counterparts of the functions above.

_VECTOR = vectors.Vector(16, LANES)
_load = vectors.loader(_VECTOR, item_bits=16, row_items=LANES)
_store = vectors.storer(_VECTOR, row_items=LANES)
_next_row, _next_band = vectors.shuffler(NEXT_ROW), vectors.shuffler(NEXT_BAND)


@overload(load)
def _overload_load(memory: Any, i: Any) -> Any:
    return lambda memory, i: _load(memory, np.int64(i))


@overload(store)
def _overload_store(memory: Any, i: Any, x: Any) -> Any:
    return lambda memory, i, x: _store(memory, np.int64(i), x)


@overload(where_any)
def _overload_where_any(x: Any) -> Any:
    return lambda x: vectors.nonzero_mask(x)


@overload(lanes_of)
def _overload_lanes_of(x: Any) -> Any:
    return lambda x: vectors.nonzero_lanes(x)


@overload(united)
def _overload_united(x: Any) -> Any:
    return lambda x: vectors.or_of_lanes(x)


@overload(next_row)
def _overload_next_row(x: Any) -> Any:
    return lambda x: _next_row(x)


@overload(next_band)
def _overload_next_band(x: Any) -> Any:
    return lambda x: _next_band(x)
