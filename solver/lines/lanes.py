"""Bit sets side by side: what a line's blocks have in common is done for several at a time, in one vector register.

Kernels are written once: they go through the rows of an array in steps of `lane_count(bit_width)`, and load, shift and
store that many rows, a lane each. Up to 63 cells, where a bit set is one word, that is one LLVM vector; wider bit
sets, and plain Python, go one at a time. Lanes beyond the rows that are meant hold anything: whoever takes lanes
together leaves them out (`union_of_lanes`). Arrays have room for them (`ROOM`).
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from solver.jit.compilers import IN_KERNELS
from solver.lines.bits import in_bounds, load, mirror, store

LANES = 4
ROOM = LANES - 1
"""Rows that an array has behind its last one, for lanes that mean nothing."""


# What kernels call. The bodies are the plain Python version, of one lane; the compiled one follows below.


def lane_count(bit_width: Any) -> int:
    """How many bit sets go side by side."""
    return 1


def load_lanes(memory: np.ndarray, i: int, bit_width: Any) -> Any:
    """The bit sets in the rows of a `uint64[:, words]` array from row i on."""
    return load(memory, i, bit_width)


def store_lanes(memory: np.ndarray, i: int, x: Any) -> None:
    """Put bit sets into the rows from row i on; rows behind those that are meant become anything."""
    store(memory, i, x)


def load_lengths(length: np.ndarray, j: int, bit_width: Any) -> Any:
    """The lengths of the blocks from block j on, from a `uint16` array."""
    return int(length[j])


def load_length(length: np.ndarray, j: int) -> int:
    """The length of block j alone."""
    return int(length[j])


def broadcast(x: Any, bit_width: Any) -> Any:
    """The same bit set in every lane."""
    return x


def first_lanes(x: Any, count: int) -> Any:
    """The first lanes, up to `count` of them, which is 1 at least; the others become empty."""
    return x


def union_of_lanes(x: Any) -> Any:
    """The union of all lanes."""
    return x


def doubling_step(length: Any, have: int) -> Any:
    """How far to shift in order to double runs of `have` cells, or to make them `length` long if that is less."""
    return min(max(length - have, 0), have)


def minus_one(length: Any) -> Any:
    """The length less one; 0 remains 0."""
    return max(length - 1, 0)


def any_longer(length: Any, than: int) -> bool:
    """Whether any of the lengths is greater."""
    return bool(length > than)


class Lanes(types.Type):
    """Numba type of several bit sets of one word each."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes({LANES})")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """One LLVM vector."""

    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, _VECTOR)


_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_lanes = Lanes()


def _each(number: int) -> Any:
    return ir.Constant(_VECTOR, [number] * LANES)


def _call(builder: Any, name: str, result: Any, *values: Any) -> Any:
    """Call an LLVM intrinsic."""
    kind = ir.FunctionType(result, [value.type for value in values])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)


def _splat(builder: Any, x: Any) -> Any:
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _rows(context: Any, builder: Any, array: Any, value: Any, i: Any, item: Any) -> Any:
    """A pointer to so many rows of an array of one column, or items of an array, from number i on."""
    if array.layout != "C":
        raise TypeError(f"lanes are loaded from arrays in C order, not {array}")
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [i]), ir.VectorType(item, LANES).as_pointer())


@intrinsic
def _load(typing: Any, memory: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_rows(context, builder, memory, values[0], values[1], _WORD), align=8)

    return _lanes(memory, types.int64), code


@intrinsic
def _store(typing: Any, memory: Any, i: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _rows(context, builder, memory, values[0], values[1], _WORD), align=8)
        return context.get_dummy_value()

    return types.void(memory, types.int64, x), code


@intrinsic
def _lengths(typing: Any, length: Any, j: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.zext(
            builder.load(_rows(context, builder, length, values[0], values[1], ir.IntType(16)), align=2), _VECTOR
        )

    return _lanes(length, types.int64), code


@intrinsic
def _length(typing: Any, length: Any, j: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(length)(context, builder, values[0]).data
        return builder.zext(builder.load(builder.gep(data, [values[1]])), _WORD)

    return types.int64(length, types.int64), code


@intrinsic
def _in_all(typing: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _splat(builder, values[0])

    return _lanes(x), code


@intrinsic
def _first_lanes(typing: Any, x: Any, count: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        numbers = ir.Constant(_VECTOR, list(range(LANES)))
        return builder.select(builder.icmp_signed("<", numbers, _splat(builder, values[1])), values[0], _each(0))

    return _lanes(x, types.int64), code


@intrinsic
def _together(typing: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, f"llvm.vector.reduce.or.v{LANES}i64", _WORD, *values)

    return types.uint64(x), code


@intrinsic
def _step(typing: Any, length: Any, have: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        have = _splat(builder, values[1])
        rest = _call(builder, f"llvm.usub.sat.v{LANES}i64", _VECTOR, values[0], have)
        return _call(builder, f"llvm.umin.v{LANES}i64", _VECTOR, rest, have)

    return _lanes(length, types.int64), code


@intrinsic
def _less_one(typing: Any, length: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, f"llvm.usub.sat.v{LANES}i64", _VECTOR, values[0], _each(1))

    return _lanes(length), code


@intrinsic
def _any_longer(typing: Any, length: Any, than: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        longer = builder.icmp_unsigned(">", values[0], _splat(builder, values[1]))
        return builder.icmp_unsigned(
            "!=", builder.bitcast(longer, ir.IntType(LANES)), ir.Constant(ir.IntType(LANES), 0)
        )

    return types.boolean(length, types.int64), code


@intrinsic
def _mirrored(typing: Any, x: Any, n: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        turned = _call(builder, f"llvm.bitreverse.v{LANES}i64", _VECTOR, values[0])
        return builder.lshr(turned, _splat(builder, builder.and_(builder.neg(values[1]), ir.Constant(_WORD, 63))))

    return _lanes(x, types.int64), code


def _operator(function: Any, method: str) -> None:
    """Give lanes an operator, by the LLVM builder's method for it."""

    @intrinsic
    def binary(typing: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, method)(*values)

        return a(a, b), code

    @overload(function, **IN_KERNELS)
    def overloaded(a: Any, b: Any) -> Any:
        return (lambda a, b: binary(a, b)) if isinstance(a, Lanes) and isinstance(b, Lanes) else None


_operator(operator.and_, "and_")
_operator(operator.or_, "or_")
_operator(operator.lshift, "shl")
_operator(operator.rshift, "lshr")


def _one_word(bit_width: Any) -> bool:
    return not isinstance(bit_width, types.UniTuple)


@overload(lane_count, **IN_KERNELS)
def _overload_lanes(bit_width: Any) -> Any:
    number = LANES if _one_word(bit_width) else 1
    return lambda bit_width: number


@overload(load_lanes, **IN_KERNELS)
def _overload_load_lanes(memory: Any, i: Any, bit_width: Any) -> Any:
    if not _one_word(bit_width):
        return lambda memory, i, bit_width: load(memory, i, bit_width)

    def at_pointer(memory: Any, i: Any, bit_width: Any) -> Any:
        in_bounds(memory, i + ROOM)
        return _load(memory, i)

    return at_pointer


@overload(store_lanes, **IN_KERNELS)
def _overload_store_lanes(memory: Any, i: Any, x: Any) -> Any:
    if not isinstance(x, Lanes):
        return lambda memory, i, x: store(memory, i, x)

    def at_pointer(memory: Any, i: Any, x: Any) -> None:
        in_bounds(memory, i + ROOM)
        _store(memory, i, x)

    return at_pointer


@overload(load_lengths, **IN_KERNELS)
def _overload_load_lengths(length: Any, j: Any, bit_width: Any) -> Any:
    if not _one_word(bit_width):
        return lambda length, j, bit_width: np.int64(length[j])

    def at_pointer(length: Any, j: Any, bit_width: Any) -> Any:
        in_bounds(length, j + ROOM)
        return _lengths(length, j)

    return at_pointer


@overload(load_length, **IN_KERNELS)
def _overload_load_length(length: Any, j: Any) -> Any:
    def at_pointer(length: Any, j: Any) -> Any:
        in_bounds(length, j)
        return _length(length, j)

    return at_pointer


@overload(broadcast, **IN_KERNELS)
def _overload_in_all(x: Any, bit_width: Any) -> Any:
    if _one_word(bit_width):
        return lambda x, bit_width: _in_all(x)
    return lambda x, bit_width: x


@overload(first_lanes, **IN_KERNELS)
def _overload_first_lanes(x: Any, count: Any) -> Any:
    if isinstance(x, Lanes):
        return lambda x, count: _first_lanes(x, count)
    return lambda x, count: x


@overload(union_of_lanes, **IN_KERNELS)
def _overload_together(x: Any) -> Any:
    if isinstance(x, Lanes):
        return lambda x: _together(x)
    return lambda x: x


@overload(doubling_step, **IN_KERNELS)
def _overload_step(length: Any, have: Any) -> Any:
    if isinstance(length, Lanes):
        return lambda length, have: _step(length, have)
    return lambda length, have: min(max(length - have, 0), have)


@overload(minus_one, **IN_KERNELS)
def _overload_less_one(length: Any) -> Any:
    if isinstance(length, Lanes):
        return lambda length: _less_one(length)
    return lambda length: max(length - 1, 0)


@overload(any_longer, **IN_KERNELS)
def _overload_any_longer(length: Any, than: Any) -> Any:
    if isinstance(length, Lanes):
        return lambda length, than: _any_longer(length, than)
    return lambda length, than: length > than


@overload(mirror, **IN_KERNELS)
def _overload_mirror(x: Any, n: Any) -> Any:
    return (lambda x, n: _mirrored(x, n)) if isinstance(x, Lanes) else None
