"""Memory layouts of a problem, and the interface that the search uses.

Each function of the interface dispatches to the function of that name in the layout's module, by the type of its first
argument, so the search is written once and compiled per layout.
"""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from nonocensus.solver.exact_cover import bit_rows, brute_force, links
from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.jit.intrinsics import overload

P = ParamSpec("P")
R = TypeVar("R")

FILES: dict[Any, ModuleType] = {links.Links: links, bit_rows.BitRows: bit_rows, brute_force.Tries: brute_force}

LAYOUTS: dict[str, Callable[[Cover, int], Any]] = {
    "links-16": lambda cover, levels: links.link(cover, levels, np.uint16),
    "links-32": lambda cover, levels: links.link(cover, levels, np.uint32),
    "addresses": lambda cover, levels: links.link(cover, levels, np.int64),
    "bit-rows": bit_rows.set_bits,
    "brute-force": brute_force.try_all,
}


BIT_WORDS = 3
"""Up to this number of words (192 items), bit sets are faster than links."""

BIT_MEMORY = 1 << 22
"""Maximum number of row indices in bit sets (16 MB) unless the layout is requested."""


def best_layout(cover: Cover) -> str:
    """Return the fastest layout for a problem of this size (docs/decisions/cover-layouts.md)."""
    small = cover.primary <= 64 * BIT_WORDS and levels_of(cover) * cover.rows <= BIT_MEMORY
    if small and bit_rows.words_of(cover) <= BIT_WORDS:
        return "bit-rows"
    return "links-16" if links.fits_narrow(cover) else "links-32"


def laid_out(cover: Cover, layout: str) -> Any:
    """Return the problem in a layout. Raises ValueError for an unknown layout or one too narrow for the problem."""
    if layout not in LAYOUTS:
        raise ValueError(f"no layout is called {layout!r}: there are {', '.join(LAYOUTS)}")
    if layout == "links-16" and not links.fits_narrow(cover):
        raise ValueError("the problem is too large for links of 16 bits: leave the layout away, or say links-32")
    return LAYOUTS[layout](cover, levels_of(cover))


def levels_of(cover: Cover) -> int:
    """Return the maximum depth of a search: each level but the last selects a row with at least one primary item."""
    if cover.rows == 0:
        return 1
    fewest = int(np.add.reduceat(cover.items < cover.primary, cover.offsets[:-1], dtype=np.int64).min())
    return min(cover.primary // fewest, cover.rows) + 1


def of_layout(described: Callable[P, R]) -> Callable[P, R]:
    """Replace a declaration by a dispatcher to that function in the module of its first argument's layout."""
    name = described.__name__

    @wraps(described)
    def chosen(x: Any, *others: Any) -> Any:
        return getattr(FILES[type(x)], name)(x, *others)

    @overload(chosen)
    def overloaded(x: Any, *others: Any) -> Any:
        function = getattr(FILES[x.instance_class], name)
        return lambda x, *others: function(x, *others)

    return cast(Callable[P, R], chosen)


@of_layout
def branch(x: Any, level: int) -> bool:
    """Choose the item to branch on at a level; False if all primary items are covered."""
    raise NotImplementedError


@of_layout
def advance(x: Any, level: int) -> bool:
    """Deselect the level's row, if any, and select the next; False, with the level undone, if none is left."""
    raise NotImplementedError


@of_layout
def leave(x: Any, level: int) -> None:
    """Undo a level: its row and its item."""
    raise NotImplementedError


@of_layout
def row_at(x: Any, level: int) -> int:
    """Return the row selected at a level."""
    raise NotImplementedError


@of_layout
def give(x: Any, level: int, row: int) -> bool:
    """Select a given row at a level, without alternatives; False, without a change, if it conflicts."""
    raise NotImplementedError


@of_layout
def sound(x: Any) -> bool:
    """Check the invariants of a layout with no row selected."""
    raise NotImplementedError
