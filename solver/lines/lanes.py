"""Bit sets in lanes: a line's blocks are processed several at a time, in one vector register.

Kernels are written once: they go through the rows of an array in steps of `lane_count(bit_width)`, and load, shift and
store that many rows, a lane each. Up to 63 cells, where a bit set is one word, that is one LLVM vector; wider bit sets,
and plain Python, go one at a time. Lanes past the last valid row are garbage; mask them (`first_lanes`) before reducing
(`union_of_lanes`). Arrays have ROOM rows for them.
"""

from typing import Any

import numpy as np
from numba import types

from nonocensus.solver.jit import vectors
from nonocensus.solver.jit.intrinsics import overload, overload_by
from nonocensus.solver.jit.vectors import LANES, is_vector
from nonocensus.solver.lines.bits import check_bounds, load, mirror, store

ROOM = LANES - 1
"""Rows that an array has behind its last one, for lanes past the end."""


# What kernels call. The bodies are the plain Python version, of one lane; the compiled one follows below.


def lane_count(bit_width: Any) -> int:
    """Return the number of bit sets that a vector holds."""
    return 1


def load_lanes(memory: np.ndarray, i: int, bit_width: Any) -> Any:
    """Return the bit sets in the rows of a `uint64[:, words]` array from row i on."""
    return load(memory, i, bit_width)


def store_lanes(memory: np.ndarray, i: int, x: Any) -> None:
    """Store bit sets in the rows from row i on; rows past the last valid one become garbage."""
    store(memory, i, x)


def load_lengths(length: np.ndarray, j: int, bit_width: Any) -> Any:
    """Return the lengths of the blocks from block j on, from a `uint16` array."""
    return int(length[j])


def load_length(length: np.ndarray, j: int) -> int:
    """Return the length of block j alone."""
    return int(length[j])


def broadcast(x: Any, bit_width: Any) -> Any:
    """Return the same bit set in every lane."""
    return x


def first_lanes(x: Any, count: int) -> Any:
    """Empty all lanes but the first `count`, which is at least 1."""
    return x


def union_of_lanes(x: Any) -> Any:
    """Return the union of all lanes."""
    return x


def doubling_step(length: Any, have: int) -> Any:
    """Return the shift that doubles runs of `have` cells, or makes them `length` long if that is less."""
    return min(max(length - have, 0), have)


def minus_one(length: Any) -> Any:
    """Return the length less one; 0 remains 0."""
    return max(length - 1, 0)


def any_longer(length: Any, limit: int) -> bool:
    """Return whether any of the lengths exceeds the limit."""
    return bool(length > limit)


# The same as compiled.

overload_by(first_lanes, vectors.first_lanes, is_vector)
overload_by(union_of_lanes, vectors.or_of_lanes, is_vector)
overload_by(doubling_step, vectors.shift_step, is_vector)
overload_by(minus_one, vectors.minus_one, is_vector)
overload_by(any_longer, vectors.any_greater, is_vector)


def _is_one_word(bit_width: Any) -> bool:
    return not isinstance(bit_width, types.UniTuple)


@overload(lane_count)
def _overload_lane_count(bit_width: Any) -> Any:
    number = LANES if _is_one_word(bit_width) else 1
    return lambda bit_width: number


@overload(load_lanes)
def _overload_load_lanes(memory: Any, i: Any, bit_width: Any) -> Any:
    if not _is_one_word(bit_width):
        return lambda memory, i, bit_width: load(memory, i, bit_width)

    def load_at_pointer(memory: Any, i: Any, bit_width: Any) -> Any:
        check_bounds(memory, i + ROOM)
        return vectors.load_words(memory, i)

    return load_at_pointer


@overload(store_lanes)
def _overload_store_lanes(memory: Any, i: Any, x: Any) -> Any:
    if not is_vector(x):
        return lambda memory, i, x: store(memory, i, x)

    def store_at_pointer(memory: Any, i: Any, x: Any) -> None:
        check_bounds(memory, i + ROOM)
        vectors.store_words(memory, i, x)

    return store_at_pointer


@overload(load_lengths)
def _overload_load_lengths(length: Any, j: Any, bit_width: Any) -> Any:
    if not _is_one_word(bit_width):
        return lambda length, j, bit_width: np.int64(length[j])

    def load_at_pointer(length: Any, j: Any, bit_width: Any) -> Any:
        check_bounds(length, j + ROOM)
        return vectors.load_uint16s(length, j)

    return load_at_pointer


@overload(load_length)
def _overload_load_length(length: Any, j: Any) -> Any:
    def load_at_pointer(length: Any, j: Any) -> Any:
        check_bounds(length, j)
        return vectors.load_uint16(length, j)

    return load_at_pointer


@overload(broadcast)
def _overload_broadcast(x: Any, bit_width: Any) -> Any:
    return (lambda x, bit_width: vectors.broadcast(x)) if _is_one_word(bit_width) else broadcast


@overload(mirror)
def _overload_mirror(x: Any, n: Any) -> Any:
    return (lambda x, n: vectors.mirror_lanes(x, n)) if is_vector(x) else None
