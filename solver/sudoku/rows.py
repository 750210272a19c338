"""The nine rows of a grid of 9x9 as one value: a word of 16 bits for each, nine of which are its cells.

That is a vector of 16 lanes, on which LLVM has instructions of the processor do what they do on all at once (AVX2, or
two of NEON). The rows of a band stand in four lanes, the last of which is empty, and so are the last four of all.

In memory it is a row of a `uint16[:, LANES]` array. With `NUMBA_DISABLE_JIT=1` it is such an array itself, on which
NumPy has the same operators.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic, models, overload, register_model

from solver.jit.compilers import IN_KERNELS

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
    """All bits of the lanes that have any."""
    return np.where(x != 0, 0xFFFF, 0).astype(np.uint16)


def lanes_of(x: Any) -> int:
    """The lanes that have any bit, as bits."""
    return int(np.packbits(x != 0, bitorder="little").view("<u2")[0])


def united(x: Any) -> int:
    """The bits that any lane has."""
    return int(np.bitwise_or.reduce(x))


def next_row(x: Any) -> Any:
    """In each lane what the next row of its band has."""
    return x[NEXT_ROW]


def next_band(x: Any) -> Any:
    """In each lane what that row of the next band has."""
    return x[NEXT_BAND]


# The same as a Numba type.

VECTOR = ir.VectorType(ir.IntType(16), LANES)


class Rows(types.Type):
    """Numba type of rows."""

    def __init__(self) -> None:
        super().__init__(name="Rows")


ROWS = Rows()


@register_model(Rows)
class RowsModel(models.PrimitiveModel):
    """They are one LLVM vector."""

    def __init__(self, manager: Any, kind: Rows) -> None:
        super().__init__(manager, kind, VECTOR)


def _emit(result: types.Type, emit: Callable[..., Any]) -> Any:
    """An intrinsic on a vector: `result` is its type, `emit(builder, x)` its code."""

    @intrinsic
    def unary(typing: Any, x: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return emit(builder, values[0])

        return result(x), code

    return unary


def _shuffled(order: list[int]) -> Any:
    """An intrinsic that gives each lane what another has."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), order)
    return _emit(ROWS, lambda builder, x: builder.shuffle_vector(x, x, mask))


def _any_lane(builder: Any, x: Any) -> Any:
    return builder.icmp_unsigned("!=", x, ir.Constant(VECTOR, None))


def _or_of_lanes(builder: Any, x: Any) -> Any:
    kind = ir.FunctionType(ir.IntType(16), [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.or.v{LANES}i16"), [x])


def _as_int64(builder: Any, x: Any) -> Any:
    return builder.zext(x, ir.IntType(64))


_where_any = _emit(ROWS, lambda b, x: b.sext(_any_lane(b, x), VECTOR))
_lanes_of = _emit(types.int64, lambda b, x: _as_int64(b, b.bitcast(_any_lane(b, x), ir.IntType(LANES))))
_united = _emit(types.int64, lambda b, x: _as_int64(b, _or_of_lanes(b, x)))
_invert = _emit(ROWS, lambda b, x: b.not_(x))
_next_row, _next_band = _shuffled(NEXT_ROW), _shuffled(NEXT_BAND)


def _place(context: Any, builder: Any, kind: Any, memory: Any, i: Any) -> Any:
    """Where row i of an array is."""
    data = context.make_array(kind)(context, builder, memory).data
    return builder.bitcast(builder.gep(data, [builder.mul(i, ir.Constant(i.type, LANES))]), VECTOR.as_pointer())


@intrinsic
def _load(typing: Any, memory: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(_place(context, builder, memory, *values), align=2)
        return impl_ret_untracked(context, builder, ROWS, loaded)

    return ROWS(memory, types.int64), code


@intrinsic
def _store(typing: Any, memory: Any, i: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _place(context, builder, memory, *values[:2]), align=2)
        return context.get_dummy_value()

    return types.void(memory, types.int64, x), code


def _operator(function: Any, method: str) -> None:
    """Give rows an operator, by the LLVM builder's method for it."""

    @intrinsic
    def binary(typing: Any, x: Any, y: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return getattr(builder, method)(*values)

        return x(x, y), code

    @overload(function, **IN_KERNELS)
    def overloaded(x: Any, y: Any) -> Any:
        return (lambda x, y: binary(x, y)) if isinstance(x, Rows) and isinstance(y, Rows) else None


def _shift(function: Any, method: str) -> None:
    """Give rows a shift of each lane by the same number of bits."""

    @intrinsic
    def shift(typing: Any, x: Any, n: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            one = builder.insert_element(
                ir.Constant(VECTOR, ir.Undefined), builder.trunc(values[1], ir.IntType(16)), ir.IntType(32)(0)
            )
            all_lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
            return getattr(builder, method)(values[0], builder.shuffle_vector(one, one, all_lanes))

        return x(x, n), code

    @overload(function, **IN_KERNELS)
    def overloaded(x: Any, n: Any) -> Any:
        return (lambda x, n: shift(x, np.int64(n))) if isinstance(x, Rows) and isinstance(n, types.Integer) else None


_operator(operator.and_, "and_")
_operator(operator.or_, "or_")
_operator(operator.xor, "xor")
_operator(operator.sub, "sub")
_shift(operator.lshift, "shl")
_shift(operator.rshift, "lshr")


@overload(load, **IN_KERNELS)
def _overload_load(memory: Any, i: Any) -> Any:
    return lambda memory, i: _load(memory, np.int64(i))


@overload(store, **IN_KERNELS)
def _overload_store(memory: Any, i: Any, x: Any) -> Any:
    return lambda memory, i, x: _store(memory, np.int64(i), x)


@overload(where_any, **IN_KERNELS)
def _overload_where_any(x: Any) -> Any:
    return lambda x: _where_any(x)


@overload(lanes_of, **IN_KERNELS)
def _overload_lanes_of(x: Any) -> Any:
    return lambda x: _lanes_of(x)


@overload(united, **IN_KERNELS)
def _overload_united(x: Any) -> Any:
    return lambda x: _united(x)


@overload(next_row, **IN_KERNELS)
def _overload_next_row(x: Any) -> Any:
    return lambda x: _next_row(x)


@overload(next_band, **IN_KERNELS)
def _overload_next_band(x: Any) -> Any:
    return lambda x: _next_band(x)


@overload(operator.invert, **IN_KERNELS)
def _overload_invert(x: Any) -> Any:
    return (lambda x: _invert(x)) if isinstance(x, Rows) else None
