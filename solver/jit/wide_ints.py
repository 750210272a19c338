"""Unsigned integers of 2, 4, 8 or 16 words of 64 bits, on which LLVM itself does carries, shifts and bit reversal.

The operations also take a uint64, the integer of one word.
"""

from typing import Any

from llvmlite import ir
from numba import types

from nonocensus.solver.jit.intrinsics import call_llvm, intrinsic, register_type, resize, row_pointer

WORD_BITS = 64


class WideInt(types.Type):  # type: ignore[misc]
    """Numba type of an unsigned integer of several words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"WideInt({words})")


register_type(WideInt, lambda kind: ir.IntType(WORD_BITS * kind.words), lambda builder, kind, n: builder.zext(n, kind))


def is_integer(kind: Any) -> bool:
    """Return whether a Numba type is a WideInt or uint64."""
    return isinstance(kind, WideInt) or kind == types.uint64


def bits_of(kind: Any) -> int:
    """Return the number of bits of a WideInt or uint64."""
    return WORD_BITS * getattr(kind, "words", 1)


def integer_for(marker: Any) -> Any:
    """Return the integer type that the type of a marker selects: a tuple of n words, or one word."""
    return WideInt(marker.count) if isinstance(marker, types.UniTuple) else types.uint64


_FALSE = ir.Constant(ir.IntType(1), 0)

count_bits = intrinsic(types.int64, lambda b, returned, x: resize(b, b.ctpop(x), returned))
trailing_zeros = intrinsic(types.int64, lambda b, returned, x: resize(b, b.cttz(x, _FALSE), returned))
leading_zeros = intrinsic(types.int64, lambda b, returned, x: resize(b, b.ctlz(x, _FALSE), returned))
reverse_bits = intrinsic(
    lambda x: x, lambda b, returned, x: call_llvm(b, f"llvm.bitreverse.i{returned.width}", returned, x)
)
is_nonzero = intrinsic(types.boolean, lambda b, _, x: b.icmp_unsigned("!=", x, ir.Constant(x.type, 0)))

extend_word = intrinsic(lambda _, marker: integer_for(marker), lambda b, returned, word, _: resize(b, word, returned))
"""(uint64, marker): the same number as an integer of the marker's width."""


def _emit_load(builder: Any, returned: Any, memory: Any, i: Any, _: Any) -> Any:
    return builder.load(row_pointer(builder, memory, i, returned.width // WORD_BITS, returned), align=8)


def _emit_store(builder: Any, _: Any, memory: Any, i: Any, x: Any) -> None:
    builder.store(x, row_pointer(builder, memory, i, x.type.width // WORD_BITS, x.type), align=8)


load_integer = intrinsic(lambda _memory, _i, marker: integer_for(marker), _emit_load)
"""(memory, i, marker): row i, not negative, of an array with as many words a row as the marker's width."""

store_integer = intrinsic(types.void, _emit_store)
"""(memory, i, x): store an integer as row i."""
