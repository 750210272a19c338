"""Bit sets: the one data type of the kernels.

A line of n cells is a set of bits, bit i for cell i. Kernels are written once and compiled for the width they need:
up to 63 cells a bit set is a `uint64`, beyond that one wide LLVM integer of 2, 4, 8 or 16 words (solver.jit.wide_ints).
One bit is kept free, so that the place after the last cell has a bit too and no shift count reaches the width.

The type of a marker that kernels pass along as `bit_width` selects the width (see `marker`). In memory a bit set is one
row of a `uint64[:, words]` array, lowest word first.

With `NUMBA_DISABLE_JIT=1` bit sets are plain Python integers, which have no width. All kernels therefore mask a
complement or a sum before they use its high bits.
"""

from typing import Any

import numpy as np
from numba import config

from nonocensus.solver.jit.intrinsics import copy_words, overload, overload_by
from nonocensus.solver.jit.wide_ints import (
    bits_of,
    count_bits,
    extend_word,
    is_integer,
    is_nonzero,
    leading_zeros,
    load_integer,
    reverse_bits,
    store_integer,
    trailing_zeros,
)


def words_for(cells: int) -> int:
    """Return the words of 64 bits (1, 2, 4, 8 or 16) of a bit set for `cells` cells and the place after them."""
    words = 1
    while 64 * words <= cells:
        words *= 2
    return words


def marker(words: int) -> Any:
    """Return the value whose type tells kernels the width: a `uint64`, or a tuple of `words` of them."""
    return np.uint64(0) if words == 1 else (np.uint64(0),) * words


# What kernels call. The bodies are the plain Python version; the compiled one follows below under the same name.


def empty(bit_width: Any) -> Any:
    """Return the empty set."""
    return 0


def bit(i: int, bit_width: Any) -> Any:
    """Return the set of cell i alone."""
    return 1 << int(i)


def low_bits(n: int, bit_width: Any) -> Any:
    """Return the set of the first n cells; n is below the width."""
    return (1 << int(n)) - 1


def has_any(x: Any) -> bool:
    """Return whether any bit is set."""
    return bool(x != 0)


def count(x: Any) -> int:
    """Return the number of bits set."""
    return int(x).bit_count()


def lowest(x: Any) -> int:
    """Return the index of the lowest bit set; x is not empty."""
    return (int(x) & -int(x)).bit_length() - 1


def highest(x: Any) -> int:
    """Return the index of the highest bit set; x is not empty."""
    return int(x).bit_length() - 1


def mirror(x: Any, n: int) -> Any:
    """Reverse the order of bits 0..n-1; no bit from n on may be set."""
    return int(format(x, "b").zfill(n)[::-1], 2)


def load(memory: np.ndarray, i: int, bit_width: Any) -> Any:
    """Return the bit set in row i of a `uint64[:, words]` array."""
    return sum(int(word) << (64 * k) for k, word in enumerate(memory[i]))


def store(memory: np.ndarray, i: int, x: Any) -> None:
    """Store a bit set in row i of a `uint64[:, words]` array."""
    for k in range(memory.shape[1]):
        memory[i, k] = (int(x) >> (64 * k)) & 0xFFFF_FFFF_FFFF_FFFF


def copy_rows(source: np.ndarray, target: np.ndarray, rows: int) -> None:
    """Copy the first rows of an array of bit sets to another one of the same width."""
    target[:rows] = source[:rows]


def check_bounds(array: Any, i: int) -> None:
    """Raise IndexError unless an array has a row i, with NUMBA_BOUNDSCHECK: loads by pointer don't check."""


# The same as compiled.


@overload(empty)
def _overload_empty(bit_width: Any) -> Any:
    return lambda bit_width: extend_word(np.uint64(0), bit_width)


@overload(bit)
def _overload_bit(i: Any, bit_width: Any) -> Any:
    return lambda i, bit_width: extend_word(np.uint64(1), bit_width) << np.uint64(i)


@overload(low_bits)
def _overload_low_bits(n: Any, bit_width: Any) -> Any:
    return lambda n, bit_width: (
        (extend_word(np.uint64(1), bit_width) << np.uint64(n)) - extend_word(np.uint64(1), bit_width)
    )


overload_by(has_any, is_nonzero, is_integer)
overload_by(count, count_bits, is_integer)
overload_by(lowest, trailing_zeros, is_integer)


@overload(highest)
def _overload_highest(x: Any) -> Any:
    if not is_integer(x):
        return None
    last = bits_of(x) - 1
    return lambda x: last - leading_zeros(x)


@overload(mirror)
def _overload_mirror(x: Any, n: Any) -> Any:
    if not is_integer(x):
        return None
    width = bits_of(x)
    last = width - 1  # n = 0 must not shift by the whole width; an empty line has no bits to mirror
    return lambda x, n: reverse_bits(x) >> np.uint64((width - n) & last)


@overload(check_bounds)
def _overload_check_bounds(array: Any, i: Any) -> Any:
    if not config.BOUNDSCHECK:
        return lambda array, i: None
    return (lambda array, i: array[i, 0]) if array.ndim == 2 else (lambda array, i: array[i])


@overload(load)
def _overload_load(memory: Any, i: Any, bit_width: Any) -> Any:
    def load_at_pointer(memory: Any, i: Any, bit_width: Any) -> Any:
        check_bounds(memory, i)
        return load_integer(memory, i, bit_width)

    return load_at_pointer


@overload(store)
def _overload_store(memory: Any, i: Any, x: Any) -> Any:
    def store_at_pointer(memory: Any, i: Any, x: Any) -> None:
        check_bounds(memory, i)
        store_integer(memory, i, x)

    return store_at_pointer


@overload(copy_rows)
def _overload_copy_rows(source: Any, target: Any, rows: Any) -> Any:
    def copy_at_pointers(source: Any, target: Any, rows: Any) -> None:
        if rows > 0:
            check_bounds(source, rows - 1)
            check_bounds(target, rows - 1)
        copy_words(source, target, rows * source.shape[1])

    return copy_at_pointers
