"""Bit sets: the one data type of the kernels.

A line of n cells is a set of bits, bit i for cell i. Kernels are written once and compiled for the width they need:
up to 63 cells a bit set is a `uint64`, beyond that it is one wide LLVM integer of 2, 4, 8 or 16 words, on which LLVM
itself does carries, shifts and bit reversal. One bit is kept free, so that "the place after the last cell" has a bit
too and no shift count ever reaches the width.

The type of a marker that kernels pass along as `bit_width` selects the width (see `marker`). In memory a bit set is one
row of a `uint64[:, words]` array, lowest word first.

With `NUMBA_DISABLE_JIT=1` bit sets are plain Python integers, which have no width. All kernels therefore mask a
complement or a sum before they use its high bits.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from solver.jit.compilers import IN_KERNELS


def words_for(cells: int) -> int:
    """Words of 64 bits (1, 2, 4, 8 or 16) in a bit set for lines of `cells` cells and the place after them."""
    words = 1
    while 64 * words <= cells:
        words *= 2
    return words


def marker(words: int) -> Any:
    """The value that tells a kernel its bit sets' width by its type: a `uint64`, or a tuple of `words` of them."""
    return np.uint64(0) if words == 1 else (np.uint64(0),) * words


# What kernels call. The bodies are the plain Python version; the compiled one follows below under the same name.


def empty(bit_width: Any) -> Any:
    """The empty set."""
    return 0


def bit(i: int, bit_width: Any) -> Any:
    """The set of cell i alone."""
    return 1 << int(i)


def low_bits(n: int, bit_width: Any) -> Any:
    """The set of the first n cells; n is below the width."""
    return (1 << int(n)) - 1


def has_any(x: Any) -> bool:
    """Whether any bit is set."""
    return x != 0


def count(x: Any) -> int:
    """Number of bits set."""
    return int(x).bit_count()


def lowest(x: Any) -> int:
    """Index of the lowest bit set; x is not empty."""
    return (int(x) & -int(x)).bit_length() - 1


def highest(x: Any) -> int:
    """Index of the highest bit set; x is not empty."""
    return int(x).bit_length() - 1


def mirror(x: Any, n: int) -> Any:
    """Bits 0..n-1 in reversed order; no bit from n on may be set."""
    return int(format(x, "b").zfill(n)[::-1], 2)


def load(memory: np.ndarray, i: int, bit_width: Any) -> Any:
    """The bit set in row i of a `uint64[:, words]` array."""
    return sum(int(word) << (64 * k) for k, word in enumerate(memory[i]))


def store(memory: np.ndarray, i: int, x: Any) -> None:
    """Put a bit set into row i of a `uint64[:, words]` array."""
    for k in range(memory.shape[1]):
        memory[i, k] = (int(x) >> (64 * k)) & 0xFFFF_FFFF_FFFF_FFFF


def copy_rows(source: np.ndarray, target: np.ndarray, rows: int) -> None:
    """Copy the first rows of an array of bit sets to another one of as many words."""
    target[:rows] = source[:rows]


# The wide integer as a Numba type.


class BitSet(types.Type):
    """Numba type of a bit set of several words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"BitSet({words})")


@register_model(BitSet)
class BitSetModel(models.PrimitiveModel):
    """A bit set of several words is one LLVM integer."""

    def __init__(self, manager: Any, bitset: BitSet) -> None:
        super().__init__(manager, bitset, ir.IntType(64 * bitset.words))


def _is_set(t: Any) -> bool:
    return isinstance(t, BitSet) or t == types.uint64


def _bits_of(bit_width: Any) -> Any:
    """The bit set type that a marker's type stands for."""
    if isinstance(bit_width, types.UniTuple):
        return BitSet(bit_width.count)
    return types.uint64


def _emit(result: Callable[..., Any], emit: Callable[..., Any]) -> Any:
    """An intrinsic on LLVM values: `result(*types)` is its return type, `emit(builder, width, *values)` its code."""

    @intrinsic
    def unary(typing: Any, a: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return emit(builder, values[0].type.width, *values)

        return result(a)(a), code

    return unary


def _declared(builder: Any, name: str, width: int) -> Any:
    """An LLVM intrinsic from integer to integer, declared with its full function type."""
    integer = ir.IntType(width)
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(integer, [integer]), f"llvm.{name}.i{width}")


def _to_int64(builder: Any, x: Any) -> Any:
    return x if x.type.width == 64 else builder.trunc(x, ir.IntType(64))


_count = _emit(lambda a: types.int64, lambda b, w, x: _to_int64(b, b.ctpop(x)))
_lowest = _emit(lambda a: types.int64, lambda b, w, x: _to_int64(b, b.cttz(x, ir.Constant(ir.IntType(1), 0))))
_leading = _emit(lambda a: types.int64, lambda b, w, x: _to_int64(b, b.ctlz(x, ir.Constant(ir.IntType(1), 0))))
_reversed = _emit(lambda a: a, lambda b, w, x: b.call(_declared(b, "bitreverse", w), [x]))
_some = _emit(lambda a: types.boolean, lambda b, w, x: b.icmp_unsigned("!=", x, ir.Constant(x.type, 0)))
_invert = _emit(lambda a: a, lambda b, w, x: b.not_(x))


@intrinsic
def _widen(typing: Any, word: Any, bit_width: Any) -> Any:
    """A bit set with these 64 bits as its lowest word."""
    result = _bits_of(bit_width)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        width = ir.IntType(64 * getattr(result, "words", 1))
        return values[0] if width.width == 64 else builder.zext(values[0], width)

    return result(types.uint64, bit_width), code


@intrinsic
def _low_word(typing: Any, x: Any) -> Any:
    """The lowest word of a bit set."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _to_int64(builder, values[0])

    return types.uint64(x), code


def _operator(function: Any, method: str) -> None:
    """Give two bit sets of several words an operator, by the LLVM builder's method for it."""

    @intrinsic
    def binary(typing: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, method)(*values)

        return a(a, b), code

    @overload(function, **IN_KERNELS)
    def overloaded(a: Any, b: Any) -> Any:
        if isinstance(a, BitSet) and a == b:
            return lambda a, b: binary(a, b)
        return None


def _shift(function: Any, method: str) -> None:
    """Give a bit set of several words a shift by any integer below its width."""

    @intrinsic
    def shift(typing: Any, a: Any, n: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, method)(values[0], builder.zext(values[1], values[0].type))

        return a(a, n), code

    @overload(function, **IN_KERNELS)
    def overloaded(a: Any, n: Any) -> Any:
        if isinstance(a, BitSet) and isinstance(n, types.Integer):
            return lambda a, n: shift(a, np.uint64(n))
        return None


_operator(operator.and_, "and_")
_operator(operator.or_, "or_")
_operator(operator.xor, "xor")
_operator(operator.add, "add")
_operator(operator.sub, "sub")
_shift(operator.lshift, "shl")
_shift(operator.rshift, "lshr")


@overload(operator.invert, **IN_KERNELS)
def _overload_invert(x: Any) -> Any:
    return (lambda x: _invert(x)) if isinstance(x, BitSet) else None


@overload(empty, **IN_KERNELS)
def _overload_empty(bit_width: Any) -> Any:
    return lambda bit_width: _widen(np.uint64(0), bit_width)


@overload(bit, **IN_KERNELS)
def _overload_bit(i: Any, bit_width: Any) -> Any:
    return lambda i, bit_width: _widen(np.uint64(1), bit_width) << np.uint64(i)


@overload(low_bits, **IN_KERNELS)
def _overload_low(n: Any, bit_width: Any) -> Any:
    return lambda n, bit_width: (_widen(np.uint64(1), bit_width) << np.uint64(n)) - _widen(np.uint64(1), bit_width)


@overload(has_any, **IN_KERNELS)
def _overload_some(x: Any) -> Any:
    return (lambda x: _some(x)) if _is_set(x) else None


@overload(count, **IN_KERNELS)
def _overload_count(x: Any) -> Any:
    return (lambda x: _count(x)) if _is_set(x) else None


@overload(lowest, **IN_KERNELS)
def _overload_lowest(x: Any) -> Any:
    return (lambda x: _lowest(x)) if _is_set(x) else None


@overload(highest, **IN_KERNELS)
def _overload_highest(x: Any) -> Any:
    if not _is_set(x):
        return None
    last = 64 * getattr(x, "words", 1) - 1
    return lambda x: last - _leading(x)


@overload(mirror, **IN_KERNELS)
def _overload_mirror(x: Any, n: Any) -> Any:
    if not _is_set(x):
        return None
    width = 64 * getattr(x, "words", 1)
    last = width - 1  # n = 0 must not shift by the whole width; an empty line has no bits to mirror
    return lambda x, n: _reversed(x) >> np.uint64((width - n) & last)


@intrinsic
def _fetch(typing: Any, memory: Any, i: Any, bit_width: Any) -> Any:
    """Row i of an array with rows as long as a bit set; i is not negative."""
    words = getattr(_bits_of(bit_width), "words", 1)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(row_pointer(context, builder, memory, values[0], values[1], words), align=8)

    return _bits_of(bit_width)(memory, types.int64, bit_width), code


@intrinsic
def _put(typing: Any, memory: Any, i: Any, x: Any) -> Any:
    words = getattr(x, "words", 1)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], row_pointer(context, builder, memory, values[0], values[1], words), align=8)
        return context.get_dummy_value()

    return types.void(memory, types.int64, x), code


def row_pointer(context: Any, builder: Any, array: Any, value: Any, i: Any, words: int) -> Any:
    """A pointer to row i of an array in C order, as one integer of so many words."""
    if array.layout != "C":
        raise TypeError(f"rows of bit sets are loaded from arrays in C order, not {array}")
    data = context.make_array(array)(context, builder, value).data
    start = builder.gep(data, [builder.mul(i, ir.Constant(i.type, words))])
    return builder.bitcast(start, ir.IntType(64 * words).as_pointer())


def in_bounds(array: Any, i: int) -> None:
    """With NUMBA_BOUNDSCHECK, an IndexError unless an array has a row i; pointers know nothing of that."""


@overload(in_bounds, **IN_KERNELS)
def _overload_in_bounds(array: Any, i: Any) -> Any:
    if not config.BOUNDSCHECK:
        return lambda array, i: None
    return (lambda array, i: array[i, 0]) if array.ndim == 2 else (lambda array, i: array[i])


@overload(load, **IN_KERNELS)
def _overload_load(memory: Any, i: Any, bit_width: Any) -> Any:
    def at_pointer(memory: Any, i: Any, bit_width: Any) -> Any:
        in_bounds(memory, i)
        return _fetch(memory, i, bit_width)

    return at_pointer


@overload(store, **IN_KERNELS)
def _overload_store(memory: Any, i: Any, x: Any) -> Any:
    def at_pointer(memory: Any, i: Any, x: Any) -> None:
        in_bounds(memory, i)
        _put(memory, i, x)

    return at_pointer


@intrinsic
def _copy(typing: Any, source: Any, target: Any, rows: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        made = [
            context.make_array(array)(context, builder, value)
            for array, value in ((source, values[0]), (target, values[1]))
        ]
        words = builder.extract_value(made[0].shape, 1)
        cgutils.raw_memcpy(builder, made[1].data, made[0].data, builder.mul(values[2], words), 8)
        return context.get_dummy_value()

    return types.void(source, target, types.int64), code


@overload(copy_rows, **IN_KERNELS)
def _overload_copy_rows(source: Any, target: Any, rows: Any) -> Any:
    def at_pointers(source: Any, target: Any, rows: Any) -> None:
        if rows > 0:
            in_bounds(source, rows - 1)
            in_bounds(target, rows - 1)
        _copy(source, target, rows)

    return at_pointers
