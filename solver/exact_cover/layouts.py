"""The layouts of a problem in memory, and what the search asks of each.

The search is written once. What it calls here is the function of that name in the layout's own file; a kernel is
compiled for the type of the layout that it is given.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from solver.compilers import IN_KERNELS
from solver.exact_cover import bit_rows, brute_force, links
from solver.exact_cover.problem import Cover

FILES: dict[Any, ModuleType] = {links.Links: links, bit_rows.BitRows: bit_rows, brute_force.Tries: brute_force}

LAYOUTS: dict[str, Callable[[Cover, int], Any]] = {
    "links-16": lambda cover, levels: links.link(cover, levels, np.uint16),
    "links-32": lambda cover, levels: links.link(cover, levels, np.uint32),
    "addresses": lambda cover, levels: links.link(cover, levels, np.int64),
    "bit-rows": bit_rows.set_bits,
    "brute-force": brute_force.try_all,
}


BIT_WORDS = 3
"""Up to so many words, 192 items, bit sets are quicker than links."""

BIT_MEMORY = 1 << 22
"""The most row numbers that bit sets keep, 16 MB, if nobody asks for them."""


def best_layout(cover: Cover) -> str:
    """The name of the layout that is the quickest for a problem of this size (docs/decisions/cover-layouts.md)."""
    if bit_rows.words_of(cover) <= BIT_WORDS and levels_of(cover) * cover.rows <= BIT_MEMORY:
        return "bit-rows"
    return "links-16" if links.fits_narrow(cover) else "links-32"


def laid_out(cover: Cover, layout: str) -> Any:
    """A problem in a layout, ready for the search; a ValueError if there is no such layout, or if it is too narrow."""
    if layout not in LAYOUTS:
        raise ValueError(f"no layout is called {layout!r}: there are {', '.join(LAYOUTS)}")
    if layout == "links-16" and not links.fits_narrow(cover):
        raise ValueError("the problem is too large for links of 16 bits: leave the layout away, or say links-32")
    return LAYOUTS[layout](cover, levels_of(cover))


def levels_of(cover: Cover) -> int:
    """How many levels a search can have: each but the last takes a row, which covers so many primary items or more."""
    if cover.rows == 0:
        return 1
    fewest = int(np.add.reduceat(cover.items < cover.primary, cover.offsets[:-1], dtype=np.int64).min())
    return min(cover.primary // fewest, cover.rows) + 1


# What the search calls. The bodies are the plain Python version.


def branch(x: Any, level: int) -> bool:
    """Choose the item to branch on at a level; False if all primary ones are covered."""
    return bool(FILES[type(x)].branch(x, level))


def advance(x: Any, level: int) -> bool:
    """Undo the row that was taken of a level's item, if any, and take the next; False, and all undone, if none is."""
    return bool(FILES[type(x)].advance(x, level))


def leave(x: Any, level: int) -> None:
    """Undo all of a level."""
    FILES[type(x)].leave(x, level)


def row_at(x: Any, level: int) -> int:
    """The row taken at a level."""
    return int(FILES[type(x)].row_at(x, level))


def give(x: Any, level: int, row: int) -> bool:
    """Take a row at a level, as if it were the only one; False, and nothing done, if it does not fit."""
    return bool(FILES[type(x)].give(x, level, row))


def sound(x: Any) -> bool:
    """Whether a layout is as it should be when nothing is taken."""
    return bool(FILES[type(x)].sound(x))


def _of(x: Any, name: str) -> Any:
    """A layout's function, by the layout's Numba type."""
    return getattr(FILES[x.instance_class], name) if isinstance(x, types.BaseNamedTuple) else None


@overload(branch, **IN_KERNELS)
def _overload_branch(x: Any, level: Any) -> Any:
    function = _of(x, "branch")
    return lambda x, level: function(x, level)


@overload(advance, **IN_KERNELS)
def _overload_advance(x: Any, level: Any) -> Any:
    function = _of(x, "advance")
    return lambda x, level: function(x, level)


@overload(leave, **IN_KERNELS)
def _overload_leave(x: Any, level: Any) -> Any:
    function = _of(x, "leave")
    return lambda x, level: function(x, level)


@overload(row_at, **IN_KERNELS)
def _overload_row_at(x: Any, level: Any) -> Any:
    function = _of(x, "row_at")
    return lambda x, level: function(x, level)


@overload(give, **IN_KERNELS)
def _overload_give(x: Any, level: Any, row: Any) -> Any:
    function = _of(x, "give")
    return lambda x, level, row: function(x, level, row)


@overload(sound, **IN_KERNELS)
def _overload_sound(x: Any) -> Any:
    function = _of(x, "sound")
    return lambda x: function(x)
