"""Dancing links: each item's rows are a circular list, from which rows are unlinked and into which they are relinked.

After Knuth, The Art of Computer Programming 4B, 7.2.2.1, Algorithms X and C: the nodes of a row are contiguous, with a
spacer between rows. Rows that conflict with a selected row are unlinked from the lists of their other items, and
relinked in reverse order. A secondary item with a colour is not covered but purified: rows with another colour are
unlinked, and those with the same colour are marked so that the item needs no further work.

Two differences: Items are not a linked list. Each has a key, its row count in the high bits and its index in the low
ones, and the minimum key is found by a scan over all of them, which vectorizes. And links are 16-bit indices, 32-bit
indices or addresses (solver.exact_cover.links_memory).
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.links_memory import COLOR, DOWN, FIELDS, ITEM, UP, first_and_step, peek, poke
from nonocensus.solver.exact_cover.problem import NO_COLOR, Cover
from nonocensus.solver.jit.kernel import inlined, kernel

PURIFIED = 1
"""Colour of a node whose item is purified to the node's own colour. Real colours are larger."""

NARROW_ITEMS = 1 << 15
NARROW_NODES = 1 << 16
"""Exclusive limits of items, rows of an item and colours, and of nodes, for 16-bit links and their keys."""


class Links(NamedTuple):
    """A problem as dancing links, with the search stack.

    memory    nodes of four fields (up, down, item, colour): a header per item, then for each row a spacer and its
              entries, and a last spacer. A spacer has item `spacer`; up is the first entry of the row before it, down
              the last entry of the row after it
    keys      int32 or int64[items]: row count x `unit` + item, plus `covered` if the item is covered
    node      int32[rows]: index of each row's first entry
    row       int32[nodes]: the row of each entry
    choice    int64[levels]: by level, link to the item's selected entry, or to the item's header if none yet
    counts    int64[1]: entries unlinked and items covered
    first     link to node 0
    step      distance between consecutive nodes' links
    """

    memory: np.ndarray
    keys: np.ndarray
    node: np.ndarray
    row: np.ndarray
    choice: np.ndarray
    counts: np.ndarray
    first: int
    step: int
    spacer: int
    unit: int
    covered: int
    primary: int
    colored: int


def fits_narrow(cover: Cover) -> bool:
    """Return whether 16-bit links suffice."""
    items = cover.primary + cover.secondary
    most = max(items, 1 + cover.rows, len(np.unique(cover.colors)) + PURIFIED + 1)
    return most < NARROW_ITEMS and nodes_of(cover) < NARROW_NODES


def nodes_of(cover: Cover) -> int:
    """Return the number of nodes of a problem."""
    return cover.primary + cover.secondary + len(cover.items) + cover.rows + 1


def link(cover: Cover, levels: int, kind: type[np.integer]) -> Links:
    """Return the problem as dancing links of type `kind`: np.uint16, np.uint32, or np.int64 for addresses."""
    items, rows, nodes = cover.primary + cover.secondary, cover.rows, nodes_of(cover)
    memory = np.zeros(nodes * FIELDS, kind)
    first, step = first_and_step(memory)
    spacer = int(np.iinfo(kind).max)
    row = np.repeat(np.arange(rows), np.diff(cover.offsets))
    entry = items + 1 + row + np.arange(len(cover.items))
    spacers = items + cover.offsets + np.arange(rows + 1)

    table = memory.reshape(nodes, FIELDS)
    table[:, UP] = table[:, DOWN] = first + step * np.arange(nodes)
    table[:items, ITEM] = np.arange(items)
    table[entry, ITEM] = cover.items
    if len(cover.colors):
        table[entry, COLOR] = _colors(cover.colors)
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
    narrow = kind is np.uint16
    bits = 15 if narrow else 31
    keys = ((sizes - 1) << bits | np.arange(items)).astype(np.int32 if narrow else np.int64)
    return Links(
        memory,
        keys,
        (spacers[:-1] + 1).astype(np.int32),
        row_of,
        np.zeros(levels, np.int64),
        np.zeros(1, np.int64),
        first,
        step,
        spacer,
        1 << bits,
        1 << (2 * bits),
        cover.primary,
        int(len(cover.colors) > 0),
    )


def _colors(colors: np.ndarray) -> np.ndarray:
    """Renumber colours without gaps, above PURIFIED; NO_COLOR is unchanged."""
    known, number = np.unique(colors, return_inverse=True)
    above = PURIFIED + (0 if known[0] == NO_COLOR else 1)
    numbered: np.ndarray = np.where(colors == NO_COLOR, NO_COLOR, number + above)
    return numbered


# The interface of a layout (solver.exact_cover.layouts).


@kernel
def branch(x: Links, level: int) -> bool:
    """Choose the item with the fewest rows, ties to the first, and cover it; False if all primary items are covered."""
    best = x.keys[0]
    for i in range(1, x.primary):
        best = min(best, x.keys[i])
    if best >= x.covered:
        return False
    item: Any = np.int64(best) & (x.unit - 1)
    x.choice[level] = x.first + x.step * item
    x.counts[0] += _cover(x, item)
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
def leave(x: Links, level: int) -> None:
    """Undo a level: its row and its item."""
    p = x.choice[level]
    item = peek(x.memory, p, ITEM)
    if p != x.first + x.step * item:
        _undo_row(x, p)
    _uncover(x, item)


@kernel
def row_at(x: Links, level: int) -> int:
    """Return the row selected at a level."""
    return int(x.row[(x.choice[level] - x.first) // x.step])


@kernel
def give(x: Links, level: int, row: int) -> bool:
    """Select a given row at a level, without alternatives; False, without a change, if it conflicts."""
    q: Any = x.first + x.step * np.int64(x.node[row])
    own: Any = np.int64(-1)  # the row's first primary item
    while peek(x.memory, q, ITEM) != x.spacer:
        item = peek(x.memory, q, ITEM)
        if x.keys[item] >= x.covered:
            return False
        if peek(x.memory, peek(x.memory, q, DOWN), UP) != q:
            return False  # the row is unlinked, because of a colour
        if own < 0 and item < x.primary:
            own = q
        q += x.step
    x.choice[level] = own
    x.counts[0] += _cover(x, peek(x.memory, own, ITEM))
    _take_row(x, own)
    return True


@kernel
def sound(x: Links) -> bool:
    """Check that the lists of all uncovered items are circular and match the row counts in their keys."""
    for item in range(len(x.keys)):
        if x.keys[item] >= x.covered:
            continue
        header = x.first + x.step * item
        number = np.int64(0)
        p = peek(x.memory, header, DOWN)
        while p != header:
            if peek(x.memory, peek(x.memory, p, UP), DOWN) != p or peek(x.memory, p, ITEM) != item:
                return False
            number += 1
            p = peek(x.memory, p, DOWN)
        if x.keys[item] != number * x.unit + item or peek(x.memory, peek(x.memory, header, UP), DOWN) != header:
            return False
    return True


# Knuth's operations: hide, cover, purify and their inverses.


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
        if x.colored == 0 or peek(x.memory, q, COLOR) != PURIFIED:
            poke(x.memory, up, DOWN, down)
            poke(x.memory, down, UP, up)
            x.keys[item] -= x.unit
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
        if x.colored == 0 or peek(x.memory, q, COLOR) != PURIFIED:
            poke(x.memory, up, DOWN, q)
            poke(x.memory, down, UP, q)
            x.keys[item] += x.unit
        q -= x.step


@kernel
def _cover(x: Links, item: int) -> int:
    """Unlink an item's rows from all other lists; return the number of entries plus 1, as Knuth counts."""
    x.keys[item] += x.covered
    header = x.first + x.step * item
    number = 1
    p = peek(x.memory, header, DOWN)
    while p != header:
        number += _hide(x, p)
        p = peek(x.memory, p, DOWN)
    return number


@kernel
def _uncover(x: Links, item: int) -> None:
    header = x.first + x.step * item
    p = peek(x.memory, header, UP)
    while p != header:
        _unhide(x, p)
        p = peek(x.memory, p, UP)
    x.keys[item] -= x.covered


@kernel
def _purify(x: Links, p: int) -> int:
    """Unlink the rows that have a secondary item in another colour than the entry; return the number of entries."""
    color = peek(x.memory, p, COLOR)
    header = x.first + x.step * peek(x.memory, p, ITEM)
    number = 0
    q = peek(x.memory, header, DOWN)
    while q != header:
        if peek(x.memory, q, COLOR) != color:
            number += _hide(x, q)
        elif q != p:
            poke(x.memory, q, COLOR, PURIFIED)
        q = peek(x.memory, q, DOWN)
    return number


@kernel
def _unpurify(x: Links, p: int) -> None:
    color = peek(x.memory, p, COLOR)
    header = x.first + x.step * peek(x.memory, p, ITEM)
    q = peek(x.memory, header, UP)
    while q != header:
        if peek(x.memory, q, COLOR) == PURIFIED:
            poke(x.memory, q, COLOR, color)
        elif q != p:
            _unhide(x, q)
        q = peek(x.memory, q, UP)


@kernel
def _take_row(x: Links, p: int) -> None:
    """Cover or purify the other items of an entry's row."""
    q = p + x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        if item == x.spacer:
            q = peek(x.memory, q, UP)
            continue
        color = peek(x.memory, q, COLOR)
        if color == NO_COLOR:
            x.counts[0] += _cover(x, item)
        elif color != PURIFIED:
            x.counts[0] += _purify(x, q)
        q += x.step


@kernel
def _undo_row(x: Links, p: int) -> None:
    q = p - x.step
    while q != p:
        item = peek(x.memory, q, ITEM)
        if item == x.spacer:
            q = peek(x.memory, q, DOWN)
            continue
        color = peek(x.memory, q, COLOR)
        if color == NO_COLOR:
            _uncover(x, item)
        elif color != PURIFIED:
            _unpurify(x, q)
        q -= x.step
