"""Exact-cover solving: count and keep solutions, or iterate over them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from nonocensus.solver.exact_cover.cover_search import (
    ENOUGH,
    EXHAUSTED,
    FOUND,
    NODES,
    SearchState,
    best_layout,
    laid_out,
    levels_of,
    new_state,
    search,
)
from nonocensus.solver.exact_cover.problem import Cover, Matrix, validate

Layout = Literal["links16", "links32", "pointers", "brute"]

CHOSEN: tuple[Layout, ...] = ("links16", "links32")
"""Layouts that `best_layout` can return."""

STATUS: tuple[Literal["complete", "limit", "timeout"], ...] = ("complete", "limit", "timeout")
"""Names of the kernel's status codes."""

SLICE = 0.25
"""CPU seconds per kernel call; Python handles interrupts between calls."""

BUFFER = 1 << 16
"""Rows of solutions that a kernel can buffer; at least one solution."""

NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Covers:
    """Result of a search.

    status       "complete": all solutions are found; "limit": the limit of solutions is reached; "timeout": the CPU
                 limit is
    count        number of solutions found
    solutions    the first ones as lists of rows, in order of selection
    nodes        search nodes (sets of selected rows); the same in every layout but brute force
    updates      work in the layout's unit: Knuth's updates for links, entries tried for brute force
    cpu_seconds  of the search, without the construction of the layout
    layout       name of the memory layout
    """

    status: Literal["complete", "limit", "timeout"]
    count: int
    solutions: list[list[int]]
    nodes: int
    updates: int
    cpu_seconds: float
    layout: str


def solve(
    cover: Cover | Matrix,
    *,
    limit: int | None = None,
    keep: int = 1000,
    cpu_limit: float = 60.0,
    layout: Layout | None = None,
) -> Covers:
    """Count the solutions of a problem or 0/1 matrix, and keep the first ones.

    limit      number of solutions at which to stop; None for all
    keep       maximum number of solutions to keep
    cpu_limit  CPU seconds
    layout     memory layout; None for the fastest for the problem's size

    Raises ValueError for an invalid problem or argument, and TypeError for what is neither a problem nor a matrix.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"the limit is {limit}; it must be 1 or more, or None")
    most = NO_LIMIT if limit is None else int(limit)
    _check_numbers(keep, cpu_limit)
    problem, name, x = _laid_out(cover, layout)
    levels = levels_of(problem)
    state = new_state(min(keep, max(1, BUFFER // levels)), levels)
    solutions: list[list[int]] = []
    status = ENOUGH
    start = time.thread_time()
    while status == ENOUGH and state.numbers[FOUND] < most:
        wanted = min(len(state.size), keep - len(solutions))
        status = _go_on(x, state, wanted, most, start + cpu_limit)
        solutions += _kept_solutions(state, min(wanted, int(state.numbers[FOUND]) - len(solutions)))
    seconds = time.thread_time() - start
    found, nodes = int(state.numbers[FOUND]), int(state.numbers[NODES])
    return Covers(STATUS[status], found, solutions, nodes, int(x.counts[0]), seconds, name)


def iterate(cover: Cover | Matrix, *, cpu_limit: float = 60.0, layout: Layout | None = None) -> Iterator[list[int]]:
    """Yield all solutions of a problem in the order of `solve`.

    cpu_limit   CPU seconds per call of the search; each call looks for twice as many solutions, up to BUFFER

    Raises TimeoutError at that limit, after yielding the solutions found so far, and errors as `solve`.
    """
    _check_numbers(0, cpu_limit)
    problem, _, x = _laid_out(cover, layout)
    levels = levels_of(problem)
    return _iterate(x, new_state(max(1, BUFFER // levels), levels), cpu_limit)


def _iterate(x: Any, state: SearchState, cpu_limit: float) -> Iterator[list[int]]:
    """Yield the solutions of a new search."""
    wanted, status = 1, ENOUGH
    while status == ENOUGH:
        before = int(state.numbers[FOUND])
        status = _go_on(x, state, wanted, NO_LIMIT, time.thread_time() + cpu_limit)
        yield from _kept_solutions(state, int(state.numbers[FOUND]) - before)
        wanted = min(2 * wanted, len(state.size))
    if status != EXHAUSTED:
        raise TimeoutError(f"{cpu_limit} CPU seconds were not enough for the next solution")


def warm_up() -> None:
    """Compile the kernels of the default layouts, or load them from the disk cache."""
    for layout in CHOSEN:
        compile_layout(layout)


def _go_on(x: Any, state: SearchState, wanted: int, most: int, deadline: float) -> int:
    """Resume a search for `wanted` further solutions; with 0, count up to `most` without storing any."""
    place = 0 if wanted else len(state.size)
    goal = min(most, int(state.numbers[FOUND]) + wanted) if wanted else most
    while True:
        before = int(state.numbers[FOUND])
        stop = min(deadline, time.thread_time() + SLICE)
        status = int(search(x, state, goal, place, stop))
        place += int(state.numbers[FOUND]) - before if wanted else 0
        if status in (ENOUGH, EXHAUSTED) or time.thread_time() > deadline:
            return status


def _kept_solutions(state: SearchState, number: int) -> list[list[int]]:
    """Return the first `number` solutions in the state's memory."""
    return [state.rows[k, : state.size[k]].tolist() for k in range(number)]


def _laid_out(cover: Cover | Matrix, layout: Layout | None) -> tuple[Cover, str, Any]:
    """Return the validated problem, the name of its layout, and the layout."""
    problem = validate(cover)
    name = layout or best_layout(problem)
    compile_layout(name)
    return problem, name, laid_out(problem, name)


TINY = Cover(np.array([0, 1]), np.zeros(1, np.int32), 1)
"""A problem to compile kernels on, so that no CPU limit includes the compilation."""


@cache
def compile_layout(layout: str) -> None:
    """Compile `search` for a layout."""
    search(laid_out(TINY, layout), new_state(1, levels_of(TINY)), 1, 0, 1.0)


def _check_numbers(keep: int, cpu_limit: float) -> None:
    if keep < 0:
        raise ValueError(f"keep is {keep}; it must be 0 or more")
    if not cpu_limit > 0:
        raise ValueError(f"the CPU limit is {cpu_limit}; it must be more than 0 seconds")
