"""Vectors of integers, on which one instruction of the processor works in all lanes at once (AVX2, or two of NEON)."""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from nonocensus.solver.jit.intrinsics import (
    call_llvm,
    intrinsic,
    overload,
    overload_operators,
    register_type,
    resized,
    row_pointer,
)


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector: `lanes` unsigned integers of `bits` bits each."""

    def __init__(self, bits: int, lanes: int) -> None:
        self.bits, self.lanes = bits, lanes
        super().__init__(name=f"Vector({bits}x{lanes})")


def _llvm_type(kind: Vector) -> Any:
    return ir.VectorType(ir.IntType(kind.bits), kind.lanes)


register_type(Vector, _llvm_type)
overload_operators(Vector, {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor", operator.sub: "sub"})

_INDEX = ir.IntType(32)


def _splat(builder: Any, kind: Any, x: Any) -> Any:
    """Return a vector of an LLVM type with the same integer in every lane."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), resized(builder, x, kind.element), _INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INDEX, kind.count), [0] * kind.count))


def _call(builder: Any, name: str, x: Any, *others: Any) -> Any:
    """Call an LLVM intrinsic from vectors to a vector of the same type."""
    return call_llvm(builder, f"llvm.{name}.v{x.type.count}i{x.type.element.width}", x.type, x, *others)


def _overload_shift(function: Any, method: str) -> None:
    """Give vectors a shift, by a vector of counts or by one count for all lanes."""
    by_vector = intrinsic(lambda x, _: x, lambda b, _, x, n: getattr(b, method)(x, n))
    by_integer = intrinsic(lambda x, _: x, lambda b, returned, x, n: getattr(b, method)(x, _splat(b, returned, n)))

    @overload(function)
    def overloaded(x: Any, n: Any) -> Any:
        if isinstance(x, Vector) and x == n:
            return lambda x, n: by_vector(x, n)
        return (
            (lambda x, n: by_integer(x, np.int64(n)))
            if isinstance(x, Vector) and isinstance(n, types.Integer)
            else None
        )


_overload_shift(operator.lshift, "shl")
_overload_shift(operator.rshift, "lshr")

_invert = intrinsic(lambda x: x, lambda b, _, x: b.not_(x))


@overload(operator.invert)
def _overload_invert(x: Any) -> Any:
    return (lambda x: _invert(x)) if isinstance(x, Vector) else None


def loader(vector: Vector, item_bits: int, row_items: int) -> Any:
    """Make the intrinsic (memory, i): a vector from row i on of an array with items of `item_bits`."""
    kind = ir.VectorType(ir.IntType(item_bits), vector.lanes)

    def emit(builder: Any, returned: Any, memory: Any, i: Any) -> Any:
        loaded = builder.load(row_pointer(builder, memory, i, row_items, kind), align=item_bits // 8)
        return loaded if item_bits == vector.bits else builder.zext(loaded, returned)

    return intrinsic(vector, emit)


def storer(vector: Vector, row_items: int) -> Any:
    """Make the intrinsic (memory, i, x): store a vector from row i on."""

    def emit(builder: Any, _: Any, memory: Any, i: Any, x: Any) -> None:
        builder.store(x, row_pointer(builder, memory, i, row_items, x.type), align=vector.bits // 8)

    return intrinsic(types.void, emit)


def broadcaster(vector: Vector) -> Any:
    """Make the intrinsic (x): the same integer in every lane."""
    return intrinsic(vector, _splat)


def _emit_first_lanes(builder: Any, returned: Any, x: Any, count: Any) -> Any:
    numbers = ir.Constant(returned, list(range(returned.count)))
    is_first = builder.icmp_signed("<", numbers, _splat(builder, returned, count))
    return builder.select(is_first, x, ir.Constant(returned, [0] * returned.count))


def _emit_or_of_lanes(builder: Any, returned: Any, x: Any) -> Any:
    item = x.type.element
    name = f"llvm.vector.reduce.or.v{x.type.count}i{item.width}"
    return resized(builder, call_llvm(builder, name, item, x), returned)


def _emit_any_greater(builder: Any, _: Any, x: Any, limit: Any) -> Any:
    greater = builder.bitcast(builder.icmp_unsigned(">", x, _splat(builder, x.type, limit)), ir.IntType(x.type.count))
    return builder.icmp_unsigned("!=", greater, greater.type(0))


def _emit_shift_step(builder: Any, returned: Any, length: Any, have: Any) -> Any:
    have = _splat(builder, returned, have)
    return _call(builder, "umin", _call(builder, "usub.sat", length, have), have)


def _emit_mirror(builder: Any, returned: Any, x: Any, n: Any) -> Any:
    count = builder.and_(builder.neg(n), n.type(returned.element.width - 1))
    return builder.lshr(_call(builder, "bitreverse", x), _splat(builder, returned, count))


first_lanes = intrinsic(lambda x, _: x, _emit_first_lanes)
"""(x, count): the first lanes; the others become 0."""

or_of_lanes = intrinsic(lambda x: types.uint64 if x.bits == 64 else types.int64, _emit_or_of_lanes)
"""(x): the bitwise OR of all lanes."""

any_greater = intrinsic(types.boolean, _emit_any_greater)
"""(x, limit): whether any lane is greater."""

shift_step = intrinsic(lambda length, _: length, _emit_shift_step)
"""(length, have): min(max(length - have, 0), have) in each lane."""

minus_one = intrinsic(
    lambda x: x, lambda b, returned, x: _call(b, "usub.sat", x, ir.Constant(returned, [1] * returned.count))
)
"""(x): each lane less one; 0 remains 0."""

mirror_lanes = intrinsic(lambda x, _: x, _emit_mirror)
"""(x, n): the lowest n bits of each lane in reversed order; higher bits must be 0."""

load_uint16 = intrinsic(types.int64, lambda b, returned, memory, i: b.zext(b.load(b.gep(memory, [i])), returned))
"""(memory, i): item i, not negative, of a uint16 array."""
