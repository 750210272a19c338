"""Algorithm X for every layout: branch on an item and try its rows in order, depth first.

Each function of a layout's interface dispatches to the function of that name in the layout's module, by the type of its
first argument, so the search is written once and compiled per layout. A search can be interrupted and resumed: its
state is explicit, without recursion.
"""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from nonocensus.solver.exact_cover import brute_force, links
from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.intrinsics import overload
from nonocensus.solver.jit.kernel import kernel, standalone

P = ParamSpec("P")
R = TypeVar("R")

FILES: dict[Any, ModuleType] = {links.Links: links, brute_force.Tries: brute_force}

LAYOUTS: dict[str, Callable[[Cover, int], Any]] = {
    "links16": lambda cover, levels: links.link(cover, levels, np.uint16),
    "links32": lambda cover, levels: links.link(cover, levels, np.uint32),
    "pointers": lambda cover, levels: links.link(cover, levels, np.int64),
    "brute": brute_force.try_all,
}

EXHAUSTED, ENOUGH, LATE = range(3)

LEVEL, FOUND, NODES, DOWNWARD = range(4)
NUMBERS = 4

WORK = 10_000
"""Units of work between two clock checks, some tenths of a millisecond; an entry removed is one unit."""

NODE_WORK = 16
"""Additional units of work per node."""


class SearchState(NamedTuple):
    """Position and results of a search.

    numbers   int64[NUMBERS]: level, solutions and nodes so far, and whether the level is still to be branched on
    rows      int32[solutions, levels]: rows of the solutions kept, by level
    size      int64[solutions]: number of rows of each
    """

    numbers: np.ndarray
    rows: np.ndarray
    size: np.ndarray


class TooLargeError(ValueError):
    """A layout's links are too narrow for a problem."""


def best_layout(cover: Cover) -> str:
    """Return the fastest layout for a problem of this size (docs/decisions/cover-layouts.md)."""
    return "links16" if links.fits_narrow(cover) else "links32"


def laid_out(cover: Cover, layout: str) -> Any:
    """Return the problem in a layout. Raises ValueError for an unknown layout, and TooLargeError for one too narrow."""
    if layout not in LAYOUTS:
        raise ValueError(f"no layout is called {layout!r}: there are {', '.join(LAYOUTS)}")
    if layout == "links16" and not links.fits_narrow(cover):
        raise TooLargeError("the problem is too large for links of 16 bits: leave the layout away, or say links32")
    return LAYOUTS[layout](cover, levels_of(cover))


def levels_of(cover: Cover) -> int:
    """Return the maximum depth of a search: each level but the last selects a row with at least one primary item."""
    if cover.rows == 0:
        return 1
    fewest = int(np.add.reduceat(cover.items < cover.primary, cover.offsets[:-1], dtype=np.int64).min())
    return min(cover.primary // fewest, cover.rows) + 1


def new_state(keep: int, levels: int) -> SearchState:
    """Return the state of a new search, with memory for `keep` solutions."""
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[DOWNWARD] = 1
    return SearchState(numbers, np.zeros((keep, levels), np.int32), np.zeros(keep, np.int64))


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
def row_at(x: Any, level: int) -> int:
    """Return the row selected at a level."""
    raise NotImplementedError


@standalone
def search(x: Any, state: SearchState, most: int, place: int, deadline: float) -> int:
    """Start or resume a search until `most` solutions are found in total; return EXHAUSTED, ENOUGH or LATE.

    place      index of the next solution in `state.rows`; solutions past the end are only counted
    deadline   CPU seconds of this thread
    """
    numbers = state.numbers
    level = numbers[LEVEL]
    look = x.counts[0] + NODE_WORK * numbers[NODES] + WORK
    downward = numbers[DOWNWARD] != 0
    while True:
        if downward:
            if x.counts[0] + NODE_WORK * numbers[NODES] >= look:
                look = x.counts[0] + NODE_WORK * numbers[NODES] + WORK
                if cpu_seconds() > deadline:
                    numbers[LEVEL], numbers[DOWNWARD] = level, 1
                    return LATE
            numbers[NODES] += 1
            if not branch(x, level):
                if place < len(state.size):
                    _note(x, state, level, place)
                    place += 1
                numbers[FOUND] += 1
                level -= 1
                if numbers[FOUND] >= most:
                    numbers[LEVEL], numbers[DOWNWARD] = level, 0
                    return ENOUGH
        if level < 0:
            numbers[LEVEL], numbers[DOWNWARD] = level, 0
            return EXHAUSTED
        downward = advance(x, level)
        level += 1 if downward else -1


@kernel
def _note(x: Any, state: SearchState, level: int, place: int) -> None:
    """Store the selected rows as a solution."""
    for k in range(level):
        state.rows[place, k] = row_at(x, k)
    state.size[place] = level
