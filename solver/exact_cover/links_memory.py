"""Memory of linked nodes: links are indexes, or addresses.

A node has four fields. In an array of uint16 or uint32 a link is a node's number; in one of int64 it is the address of
the node in the same array. The code above is the same for both: it is compiled for the array that it is given.

Addresses are only good for the array that they were made for: it must neither be copied nor go while they are in use.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from solver.jit.compilers import IN_KERNELS
from solver.jit.kernel_cache import CHECKED

FIELDS = 4
UP, DOWN, ITEM, COLOR = range(FIELDS)

WORD = 8
"""Bytes of a field that can hold an address."""


def first_and_step(memory: np.ndarray) -> tuple[int, int]:
    """The link to the first node, and how far it is from one node to the next."""
    return (memory.ctypes.data, FIELDS * WORD) if memory.dtype == np.int64 else (0, 1)


def peek(memory: np.ndarray, node: int, field: int) -> int:
    """A field of a node."""
    if memory.dtype == np.int64:
        assert 0 <= node - memory.ctypes.data < memory.nbytes
        return ctypes.c_int64.from_address(int(node) + WORD * field).value
    return int(memory[FIELDS * node + field])


def poke(memory: np.ndarray, node: int, field: int, value: int) -> None:
    """Set a field of a node."""
    if memory.dtype == np.int64:
        assert 0 <= node - memory.ctypes.data < memory.nbytes
        ctypes.c_int64.from_address(int(node) + WORD * field).value = int(value)
    else:
        memory[FIELDS * node + field] = value


@intrinsic
def _load(typing: Any, address: Any) -> Any:
    """The int64 at an address."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(builder.inttoptr(values[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), code


@intrinsic
def _store(typing: Any, address: Any, value: Any) -> Any:
    """Put an int64 at an address."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[1], builder.inttoptr(values[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


@overload(peek, **IN_KERNELS)
def _overload_peek(memory: Any, node: Any, field: Any) -> Any:
    if memory.dtype != types.int64:
        return lambda memory, node, field: np.int64(memory[FIELDS * node + field])
    if not CHECKED:
        return lambda memory, node, field: _load(node + WORD * field)

    def within(memory: Any, node: Any, field: Any) -> Any:
        assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        return _load(node + WORD * field)

    return within


@overload(poke, **IN_KERNELS)
def _overload_poke(memory: Any, node: Any, field: Any, value: Any) -> Any:
    if memory.dtype != types.int64:

        def put(memory: Any, node: Any, field: Any, value: Any) -> None:
            memory[FIELDS * node + field] = value

        return put
    if not CHECKED:
        return lambda memory, node, field, value: _store(node + WORD * field, value)

    def within(memory: Any, node: Any, field: Any, value: Any) -> Any:
        assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        _store(node + WORD * field, value)

    return within
