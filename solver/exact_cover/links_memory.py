"""Memory of linked nodes: links are indices or addresses.

A node has four fields. In an array of uint16 or uint32 a link is a node's index; in one of int64 it is the node's
address in that array. Callers are the same for both and compiled per array type.

Addresses are valid only for the array they were made for: it must be neither copied nor freed while they are in use.
"""

from typing import Any

import numpy as np
from numba import types

from nonocensus.solver.jit.intrinsics import load_address, overload, store_address
from nonocensus.solver.jit.kernel_cache import CHECKED

FIELDS = 4
UP, DOWN, ITEM, COLOR = range(FIELDS)

WORD = 8
"""Bytes of a field that holds an address."""


def first_and_step(memory: np.ndarray) -> tuple[int, int]:
    """Return the link to the first node, and the distance between consecutive nodes' links."""
    return (memory.ctypes.data, FIELDS * WORD) if memory.dtype == np.int64 else (0, 1)


def peek(memory: np.ndarray, node: int, field: int) -> int:
    """Return a field of a node."""
    if memory.dtype == np.int64:
        return int(memory[_place(memory, node) + field])
    return int(memory[FIELDS * node + field])


def poke(memory: np.ndarray, node: int, field: int, value: int) -> None:
    """Set a field of a node."""
    if memory.dtype == np.int64:
        memory[_place(memory, node) + field] = value
    else:
        memory[FIELDS * node + field] = value


def _place(memory: np.ndarray, node: int) -> int:
    """Return the index in `memory` of the first field of the node at an address."""
    offset = int(node) - memory.ctypes.data
    assert 0 <= offset < memory.nbytes, "a link leads out of the memory"
    return offset // WORD


@overload(peek)
def _overload_peek(memory: Any, node: Any, field: Any) -> Any:
    if memory.dtype != types.int64:
        return lambda memory, node, field: np.int64(memory[FIELDS * node + field])
    if not CHECKED:
        return lambda memory, node, field: load_address(node + WORD * field)

    def within(memory: Any, node: Any, field: Any) -> Any:
        assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        return load_address(node + WORD * field)

    return within


@overload(poke)
def _overload_poke(memory: Any, node: Any, field: Any, value: Any) -> Any:
    if memory.dtype != types.int64:

        def put(memory: Any, node: Any, field: Any, value: Any) -> None:
            memory[FIELDS * node + field] = value

        return put
    if not CHECKED:
        return lambda memory, node, field, value: store_address(node + WORD * field, value)

    def within(memory: Any, node: Any, field: Any, value: Any) -> Any:
        assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        store_address(node + WORD * field, value)

    return within
