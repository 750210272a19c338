"""Helpers that define Numba intrinsics: operations of LLVM that kernels need and Numba lacks.

An intrinsic is declared by its return type and a function that emits its code:

    add_one = intrinsic(types.int64, lambda builder, returned, x: builder.add(x, returned(1)))
"""

import operator
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.extending import models

from nonocensus.solver.jit.kernel_cache import STOCK

if STOCK:
    IN_KERNELS: dict[str, Any] = {"jit_options": {"nogil": True, "error_model": "numpy"}, "strict": False}
else:
    from nonocensus.solver.jit.compilers import IN_KERNELS


def overload(function: Any) -> Callable[[Any], Any]:
    """Decorate the function that selects what kernels run in place of `function`, as numba.extending.overload."""
    decorate: Callable[[Any], Any] = extending.overload(function, **IN_KERNELS)
    return decorate


def overload_by(function: Any, compiled: Any, accepts: Callable[[Any], bool]) -> None:
    """Have kernels call an intrinsic in place of a function of one or two arguments, if it accepts the first's type.

    Else they call the function itself.
    """

    @overload(function)
    def overloaded(x: Any, *others: Any) -> Any:
        if not accepts(x):
            return function
        return (lambda x, y: compiled(x, y)) if others else (lambda x: compiled(x))


def intrinsic(result: Any, emit: Callable[..., Any]) -> Any:
    """Make an intrinsic of up to three arguments. Integers arrive as 64 bits, other types as they are.

    result   its return type, or a function from the argument types to it
    emit     (builder, LLVM return type, *values): emits the code and returns the result; what it returns for a void
             intrinsic is ignored. An array, which must be in C order, is passed as the pointer to its first item
    """

    def define(*given: Any) -> Any:
        kinds = [widest(kind) for kind in given]
        returned = result if isinstance(result, types.Type) else result(*kinds)

        def code(context: Any, builder: Any, _: Any, values: Any) -> Any:
            passed = [_first_item(context, builder, *pair) for pair in zip(kinds, values, strict=True)]
            made = emit(builder, context.get_value_type(returned), *passed)
            return context.get_dummy_value() if returned == types.void else made

        return returned(*kinds), code

    def nullary(typing: Any) -> Any:
        return define()

    def unary(typing: Any, x: Any) -> Any:
        return define(x)

    def binary(typing: Any, x: Any, y: Any) -> Any:
        return define(x, y)

    def ternary(typing: Any, x: Any, y: Any, z: Any) -> Any:
        return define(x, y, z)

    return extending.intrinsic((nullary, unary, binary, ternary)[len(signature(emit).parameters) - 2])


def widest(kind: Any) -> Any:
    """Return int64 for integer types but uint64, other types as they are."""
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


def _first_item(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the pointer to an array's first item; any other value as it is."""
    if not isinstance(kind, types.Array):
        return value
    if kind.layout != "C":
        raise TypeError(f"{kind}: intrinsics read arrays in C order only; pass a contiguous array")
    return context.make_array(kind)(context, builder, value).data


OPERATORS = {
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
    operator.add: "add",
    operator.sub: "sub",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}
"""Operators of unsigned integers, with the LLVM builder's method for each."""


def register_type(kind: type, llvm_type: Callable[[Any], Any], widen: Callable[[Any, Any, Any], Any]) -> None:
    """Register a Numba type of unsigned integers, with operators on two of its values, ~, and shifts by an integer.

    llvm_type   (instance): the LLVM type of its values
    widen       (builder, LLVM type, count): the count of a shift as such a value
    """

    @extending.register_model(kind)
    class Model(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, instance: Any) -> None:
            super().__init__(manager, instance, llvm_type(instance))

    for function, method in OPERATORS.items():
        _overload_operator(kind, function, method, widen)
    invert = intrinsic(lambda x: x, lambda builder, _, x: builder.not_(x))

    @overload(operator.invert)
    def overloaded(x: Any) -> Any:
        return (lambda x: invert(x)) if isinstance(x, kind) else None


def _overload_operator(kind: type, function: Any, method: str, widen: Callable[[Any, Any, Any], Any]) -> None:
    """Give a type an operator by the LLVM builder's method for it."""
    on_two = intrinsic(lambda x, _: x, lambda b, _, x, y: getattr(b, method)(x, y))
    by_integer = intrinsic(lambda x, _: x, lambda b, returned, x, n: getattr(b, method)(x, widen(b, returned, n)))

    @overload(function)
    def overloaded(x: Any, y: Any) -> Any:
        if isinstance(x, kind) and isinstance(y, types.Integer):
            return lambda x, y: by_integer(x, np.int64(y))
        return (lambda x, y: on_two(x, y)) if isinstance(x, kind) and x == y else None


def call_llvm(builder: Any, name: str, returned: Any, *values: Any) -> Any:
    """Call an LLVM intrinsic, or a C function, by its name."""
    kind = ir.FunctionType(returned, [value.type for value in values])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)


def resize(builder: Any, x: Any, kind: Any) -> Any:
    """Return an unsigned LLVM integer, truncated or extended to another integer type."""
    if x.type.width == kind.width:
        return x
    return builder.trunc(x, kind) if x.type.width > kind.width else builder.zext(x, kind)


def row_pointer(builder: Any, items: Any, i: Any, row_items: int, kind: Any) -> Any:
    """Return the pointer to row i, of `row_items` items each, as a pointer to values of an LLVM type."""
    start = builder.gep(items, [builder.mul(i, ir.Constant(i.type, row_items))])
    return builder.bitcast(start, kind.as_pointer())


def _emit_copy(builder: Any, _: Any, source: Any, target: Any, items: Any) -> None:
    cgutils.raw_memcpy(builder, target, source, items, 8)


copy_words = intrinsic(types.void, _emit_copy)
"""(source, target, count): copy words of 64 bits from the start of one array to that of another."""

load_address = intrinsic(types.int64, lambda b, returned, address: b.load(b.inttoptr(address, returned.as_pointer())))
"""(address): the int64 at an address."""

store_address = intrinsic(
    types.void, lambda b, _, address, value: b.store(value, b.inttoptr(address, value.type.as_pointer()))
)
"""(address, value): store an int64 at an address."""
