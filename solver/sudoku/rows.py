"""The nine rows of a grid of 9x9 as one value: a word of 16 bits for each, nine of which are its cells.

That is a vector of 16 lanes, on which LLVM has instructions of the processor do what they do on all at once (AVX2, or
two of NEON). The rows of a band stand in four lanes, the last of which is empty, and so are the last four of all.

In memory it is a row of a `uint16[:, LANES]` array. With `NUMBA_DISABLE_JIT=1` it is such an array itself, on which
NumPy has the same operators.
"""

from typing import Any

import numpy as np

from solver.jit import vectors
from solver.jit.intrinsics import overload

LANES = 16

BAND = 4
"""Lanes from a band to the next."""

NEXT_ROW = [lane // BAND * BAND + (lane % BAND + 1) % 3 if lane % BAND < 3 else lane for lane in range(LANES)]
NEXT_BAND = [(lane + BAND) % (3 * BAND) if lane < 3 * BAND else lane for lane in range(LANES)]
"""Of each lane the one with the next row of its band, and the one with the same row of the next band; after the last
comes the first."""


def load(memory: np.ndarray, i: int) -> Any:
    """Row i of a `uint16[:, LANES]` array."""
    return memory[i].copy()


def store(memory: np.ndarray, i: int, x: Any) -> None:
    """Put rows into row i of such an array."""
    memory[i] = x


def where_any(x: Any) -> Any:
    """Return all bits of the lanes that have any."""
    return np.where(x != 0, 0xFFFF, 0).astype(np.uint16)


def lanes_of(x: Any) -> int:
    """Return the lanes that have any bit, as bits."""
    return int(np.packbits(x != 0, bitorder="little").view("<u2")[0])


def united(x: Any) -> int:
    """Return the bits that any lane has."""
    return int(np.bitwise_or.reduce(x))


def next_row(x: Any) -> Any:
    """In each lane what the next row of its band has."""
    return x[NEXT_ROW]


def next_band(x: Any) -> Any:
    """In each lane what that row of the next band has."""
    return x[NEXT_BAND]


# The same as compiled.

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
