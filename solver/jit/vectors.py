"""Vectors of integers, on which one instruction of the processor works in all lanes at once (AVX2, or two of NEON)."""

from typing import Any

from llvmlite import ir
from numba import types

from nonocensus.solver.jit.intrinsics import call_llvm, intrinsic, register_type, resize, row_pointer

LANES = 4

_WORD, _INDEX = ir.IntType(64), ir.IntType(32)
_TYPE = ir.VectorType(_WORD, LANES)


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector: LANES unsigned integers of 64 bits each."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector({LANES})")


VECTOR = Vector()


def is_vector(kind: Any) -> bool:
    """Return whether a Numba type is that of vectors."""
    return isinstance(kind, Vector)


def _splat(builder: Any, returned: Any, x: Any) -> Any:
    """Return a vector with the same integer in every lane."""
    one = builder.insert_element(ir.Constant(returned, ir.Undefined), resize(builder, x, _WORD), _INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))


register_type(Vector, lambda _: _TYPE, _splat)


def _constant(*lanes: int) -> Any:
    return ir.Constant(_TYPE, list(lanes))


def _call(builder: Any, name: str, *values: Any) -> Any:
    """Call an LLVM intrinsic from vectors to a vector."""
    return call_llvm(builder, f"llvm.{name}.v{LANES}i64", _TYPE, *values)


def _loader(item_bits: int) -> Any:
    """Make the intrinsic (memory, i): a vector from item i on of an array with items of `item_bits`."""
    items = ir.VectorType(ir.IntType(item_bits), LANES)

    def emit(builder: Any, returned: Any, memory: Any, i: Any) -> Any:
        loaded = builder.load(row_pointer(builder, memory, i, 1, items), align=item_bits // 8)
        return loaded if item_bits == _WORD.width else builder.zext(loaded, returned)

    return intrinsic(VECTOR, emit)


def _emit_store(builder: Any, _: Any, memory: Any, i: Any, x: Any) -> None:
    builder.store(x, row_pointer(builder, memory, i, 1, _TYPE), align=8)


def _emit_first_lanes(builder: Any, returned: Any, x: Any, count: Any) -> Any:
    is_first = builder.icmp_signed("<", _constant(*range(LANES)), _splat(builder, returned, count))
    return builder.select(is_first, x, _constant(*[0] * LANES))


def _emit_any_greater(builder: Any, _: Any, x: Any, limit: Any) -> Any:
    greater = builder.bitcast(builder.icmp_unsigned(">", x, _splat(builder, _TYPE, limit)), ir.IntType(LANES))
    return builder.icmp_unsigned("!=", greater, greater.type(0))


def _emit_shift_step(builder: Any, returned: Any, length: Any, have: Any) -> Any:
    have = _splat(builder, returned, have)
    return _call(builder, "umin", _call(builder, "usub.sat", length, have), have)


def _emit_mirror(builder: Any, returned: Any, x: Any, n: Any) -> Any:
    count = builder.and_(builder.neg(n), n.type(_WORD.width - 1))
    return builder.lshr(_call(builder, "bitreverse", x), _splat(builder, returned, count))


load_words = _loader(64)
"""(memory, i): the vector from item i on of a uint64 array."""

load_uint16s = _loader(16)
"""(memory, i): the same of a uint16 array."""

load_uint16 = intrinsic(types.int64, lambda b, returned, memory, i: b.zext(b.load(b.gep(memory, [i])), returned))
"""(memory, i): item i, not negative, of a uint16 array."""

store_words = intrinsic(types.void, _emit_store)
"""(memory, i, x): store a vector from item i on of a uint64 array."""

broadcast = intrinsic(VECTOR, _splat)
"""(x): the same integer in every lane."""

first_lanes = intrinsic(VECTOR, _emit_first_lanes)
"""(x, count): the first lanes; the others become 0."""

or_of_lanes = intrinsic(
    types.uint64, lambda b, returned, x: call_llvm(b, f"llvm.vector.reduce.or.v{LANES}i64", returned, x)
)
"""(x): the bitwise OR of all lanes."""

any_greater = intrinsic(types.boolean, _emit_any_greater)
"""(x, limit): whether any lane is greater."""

shift_step = intrinsic(VECTOR, _emit_shift_step)
"""(length, have): min(max(length - have, 0), have) in each lane."""

minus_one = intrinsic(VECTOR, lambda b, _, x: _call(b, "usub.sat", x, _constant(*[1] * LANES)))
"""(x): each lane less one; 0 remains 0."""

mirror_lanes = intrinsic(VECTOR, _emit_mirror)
"""(x, n): the lowest n bits of each lane in reversed order; higher bits must be 0."""
