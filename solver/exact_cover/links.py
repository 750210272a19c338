"""Dancing links: each item's rows are a circular list, from which rows are unlinked and into which they are relinked.

After Knuth, The Art of Computer Programming 4B, 7.2.2.1, Algorithm X: the nodes of a row are contiguous, with a spacer
between rows. Rows that conflict with a selected row are unlinked from the lists of their other items, and relinked in
reverse order. One difference: items are not a linked list, but an array of their numbers of rows, which is scanned for
the smallest; that scan vectorizes.

A link is a node's index of 16 or 32 bits, or its address. The code is written once, and compiled for each dtype of the
memory: uint16, uint32, or int64 for addresses. These are valid only for the array they were made for: it must be
neither copied nor freed while they are in use.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.jit.intrinsics import load_address, overload, store_address
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.jit.kernel_cache import CHECKED

FIELDS = 3
UP, DOWN, ITEM = range(FIELDS)

WORD = 8
"""Bytes of a field that holds an address."""

NARROW_NODES = 1 << 16
"""Exclusive limit of nodes for 16-bit links."""

COVERED = 1 << 31
"""Added to the number of rows of a covered item."""

ITEM_BITS = 31
"""Bits of an item below its number of rows, where both are compared as one number."""


class Links(NamedTuple):
    """A problem as dancing links, with the search stack.

    memory    nodes of three fields (up, down, item): a header per item, then for each row a spacer and its entries, and
              a last spacer. A spacer has item `spacer`; up is the first entry of the row before it, down the last
              entry of the row after it
    sizes     int64[items]: number of rows, plus COVERED if the item is covered
    row       int32[nodes]: the row of each entry
    choice    int64[levels]: by level, link to the item's selected entry, or to the item's header if none yet
    counts    int64[1]: entries unlinked and items covered
    first     link to node 0
    step      distance between consecutive nodes' links
    """

    memory: np.ndarray
    sizes: np.ndarray
    row: np.ndarray
    choice: np.ndarray
    counts: np.ndarray
    first: int
    step: int
    spacer: int
    primary: int


def fits_narrow(cover: Cover) -> bool:
    """Return whether 16-bit links suffice."""
    return nodes_of(cover) < NARROW_NODES


def nodes_of(cover: Cover) -> int:
    """Return the number of nodes of a problem."""
    return cover.primary + cover.secondary + len(cover.items) + cover.rows + 1


def link(cover: Cover, levels: int, kind: type[np.integer]) -> Links:
    """Return the problem as dancing links of type `kind`: np.uint16, np.uint32, or np.int64 for addresses."""
    items, rows, nodes = cover.primary + cover.secondary, cover.rows, nodes_of(cover)
    memory = np.zeros(nodes * FIELDS, kind)
    first, step = (memory.ctypes.data, FIELDS * WORD) if kind is np.int64 else (0, 1)
    spacer = int(np.iinfo(kind).max)
    row = np.repeat(np.arange(rows), np.diff(cover.offsets))
    entry = items + 1 + row + np.arange(len(cover.items))
    spacers = items + cover.offsets + np.arange(rows + 1)

    table = memory.reshape(nodes, FIELDS)
    table[:, UP] = table[:, DOWN] = first + step * np.arange(nodes)
    table[:items, ITEM] = np.arange(items)
    table[entry, ITEM] = cover.items
    table[spacers, ITEM] = spacer
    table[spacers[1:], UP] = first + step * (spacers[:-1] + 1)
    table[spacers[:-1], DOWN] = first + step * (spacers[1:] - 1)

    # Each item's list: its header, then its entries from the first row to the last.
    every = np.concatenate((np.arange(items), entry))
    of_item = np.concatenate((np.arange(items), cover.items))
    order = every[np.argsort(of_item, kind="stable")]
    sizes = np.bincount(of_item, minlength=items)
    last = np.cumsum(sizes)
    below = np.roll(order, -1)
    below[last - 1] = np.arange(items)
    table[order, DOWN] = first + step * below
    table[below, UP] = first + step * order

    row_of = np.full(nodes, -1, np.int32)
    row_of[entry] = row
    choice, counts = np.zeros(levels, np.int64), np.zeros(1, np.int64)
    return Links(memory, (sizes - 1).astype(np.int64), row_of, choice, counts, first, step, spacer, cover.primary)


def peek(memory: np.ndarray, node: int, field: int) -> int:
    """Return a field of a node."""
    return int(memory[_place(memory, node) + field])


def poke(memory: np.ndarray, node: int, field: int, value: int) -> None:
    """Set a field of a node."""
    memory[_place(memory, node) + field] = value


def _place(memory: np.ndarray, node: int) -> int:
    """Return the index in `memory` of the first field of a node."""
    if memory.dtype != np.int64:
        return FIELDS * node
    offset = int(node) - memory.ctypes.data
    assert 0 <= offset < memory.nbytes, "a link leads out of the memory"
    return offset // WORD


@overload(peek)
def _overload_peek(memory: Any, node: Any, field: Any) -> Any:
    if memory.dtype != types.int64:
        return lambda memory, node, field: np.int64(memory[FIELDS * node + field])

    def peek_at_address(memory: Any, node: Any, field: Any) -> Any:
        if CHECKED:
            assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        return load_address(node + WORD * field)

    return peek_at_address


@overload(poke)
def _overload_poke(memory: Any, node: Any, field: Any, value: Any) -> Any:
    def poke_at_index(memory: Any, node: Any, field: Any, value: Any) -> None:
        memory[FIELDS * node + field] = value

    def poke_at_address(memory: Any, node: Any, field: Any, value: Any) -> None:
        if CHECKED:
            assert 0 <= node - np.int64(memory.ctypes.data) < memory.nbytes, "a link leads out of the memory"
        store_address(node + WORD * field, value)

    return poke_at_index if memory.dtype != types.int64 else poke_at_address


# The interface of a layout (solver.exact_cover.cover_search).


@kernel
def branch(x: Links, level: int) -> bool:
    """Choose the item with the fewest rows, ties to the first, and cover it; False if all primary items are covered."""
    best = x.sizes[0] << ITEM_BITS
    for i in range(1, x.primary):
        best = min(best, x.sizes[i] << ITEM_BITS | i)
    if best >> ITEM_BITS >= COVERED:
        return False
    item: Any = best & ((1 << ITEM_BITS) - 1)
    x.choice[level] = x.first + x.step * item
    _cover(x, item)
    return True


@kernel
def advance(x: Links, level: int) -> bool:
    """Deselect the level's row, if any, and select the next; False, with the level undone, if none is left."""
    p = x.choice[level]
    item = peek(x.memory, p, ITEM)
    header = x.first + x.step * item
    if p != header:
        _undo_row(x, p)
    p = peek(x.memory, p, DOWN)
    if p == header:
        _uncover(x, item)
        return False
    x.choice[level] = p
    _take_row(x, p)
    return True


@kernel
def row_at(x: Links, level: int) -> int:
    """Return the row selected at a level."""
    return int(x.row[(x.choice[level] - x.first) // x.step])


# Knuth's operations: hide, cover and their inverses.


@inlined
def _hide(x: Links, p: int) -> int:
    """Unlink the other entries of an entry's row; return their number."""
    number = 0
    q = p + x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        up, down = peek(x.memory, q, UP), peek(x.memory, q, DOWN)
        if item == x.spacer:
            q = up
            continue
        poke(x.memory, up, DOWN, down)
        poke(x.memory, down, UP, up)
        x.sizes[item] -= 1
        number += 1
        q += x.step
    return number


@inlined
def _unhide(x: Links, p: int) -> None:
    """Relink the other entries of an entry's row."""
    q = p - x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        up, down = peek(x.memory, q, UP), peek(x.memory, q, DOWN)
        if item == x.spacer:
            q = down
            continue
        poke(x.memory, up, DOWN, q)
        poke(x.memory, down, UP, q)
        x.sizes[item] += 1
        q -= x.step


@kernel
def _cover(x: Links, item: int) -> None:
    """Unlink an item's rows from all other lists; count the entries and the item, as Knuth does."""
    x.sizes[item] += COVERED
    header = x.first + x.step * item
    number = 1
    p = peek(x.memory, header, DOWN)
    while p != header:
        number += _hide(x, p)
        p = peek(x.memory, p, DOWN)
    x.counts[0] += number


@kernel
def _uncover(x: Links, item: int) -> None:
    header = x.first + x.step * item
    p = peek(x.memory, header, UP)
    while p != header:
        _unhide(x, p)
        p = peek(x.memory, p, UP)
    x.sizes[item] -= COVERED


@kernel
def _take_row(x: Links, p: int) -> None:
    """Cover the other items of an entry's row."""
    q = p + x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        if item == x.spacer:
            q = peek(x.memory, q, UP)
            continue
        _cover(x, item)
        q += x.step


@kernel
def _undo_row(x: Links, p: int) -> None:
    """Uncover the other items of an entry's row."""
    q = p - x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        if item == x.spacer:
            q = peek(x.memory, q, DOWN)
            continue
        _uncover(x, item)
        q -= x.step
