"""Exact-cover solving: count and keep solutions, iterate over them, or answer many questions in one call."""

import time
from collections.abc import Iterable, Iterator, Sequence
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
    begin,
    end,
    new_answers,
    new_state,
    search,
    search_each,
)
from nonocensus.solver.exact_cover.layouts import best_layout, laid_out, levels_of
from nonocensus.solver.exact_cover.problem import Cover, checked
from nonocensus.solver.jit.kernel_cache import CHECKED

Layout = Literal["links-16", "links-32", "addresses", "bit-rows", "brute-force"]

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
    solutions    the first ones as lists of rows: the given rows, then in order of selection
    nodes        search nodes (sets of selected rows); the same in every layout but brute force
    updates      work in the layout's unit: Knuth's updates for links, rows dropped for bit-rows, entries tried for
                 brute-force
    cpu_seconds  of the search
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
    cover: Cover,
    *,
    given: Iterable[int] = (),
    limit: int | None = None,
    keep: int = 1000,
    cpu_limit: float = 60.0,
    layout: Layout | None = None,
) -> Covers:
    """Count the solutions of a problem, and keep the first ones.

    given      rows selected from the start
    limit      number of solutions at which to stop; None for all
    keep       maximum number of solutions to keep
    cpu_limit  CPU seconds
    layout     memory layout; None for the fastest for the problem's size

    Raises ValueError for an invalid problem or argument.
    """
    most = _limit(limit)
    _check_numbers(keep, cpu_limit)
    problem, name, x = _laid_out(cover, layout)
    levels = levels_of(problem)
    state = new_state(min(keep, max(1, BUFFER // levels)), levels)
    solutions: list[list[int]] = []
    status = _begin(x, state, _given([given], problem)[1])
    start = time.thread_time()
    while status == ENOUGH and state.numbers[FOUND] < most:
        wanted = min(len(state.size), keep - len(solutions))
        status = _go_on(x, state, wanted, most, start + cpu_limit)
        solutions += _kept(state, min(wanted, int(state.numbers[FOUND]) - len(solutions)))
    seconds = time.thread_time() - start
    if CHECKED:
        end(x, state)
    found, nodes = int(state.numbers[FOUND]), int(state.numbers[NODES])
    return Covers(STATUS[status], found, solutions, nodes, int(x.counts[0]), seconds, name)


def iterate(
    cover: Cover, *, given: Iterable[int] = (), cpu_limit: float = 60.0, layout: Layout | None = None
) -> Iterator[list[int]]:
    """Yield all solutions of a problem in the order of `solve`.

    cpu_limit   CPU seconds per call of the search; each call looks for twice as many solutions, up to BUFFER

    Raises TimeoutError at that limit, after yielding the solutions found so far, and ValueError as `solve`.
    """
    _check_numbers(0, cpu_limit)
    problem, _, x = _laid_out(cover, layout)
    levels = levels_of(problem)
    state = new_state(max(1, BUFFER // levels), levels)
    return _iterate(x, state, _begin(x, state, _given([given], problem)[1]), cpu_limit)


def _iterate(x: Any, state: SearchState, status: int, cpu_limit: float) -> Iterator[list[int]]:
    """Yield the solutions of a started search."""
    wanted = 1
    while status == ENOUGH:
        before = int(state.numbers[FOUND])
        status = _go_on(x, state, wanted, NO_LIMIT, time.thread_time() + cpu_limit)
        yield from _kept(state, int(state.numbers[FOUND]) - before)
        wanted = min(2 * wanted, len(state.size))
    if status != EXHAUSTED:
        raise TimeoutError(f"{cpu_limit} CPU seconds were not enough for the next solution")


def solve_each(
    cover: Cover,
    givens: Sequence[Iterable[int]],
    *,
    limit: int | None = 2,
    keep: int = 1,
    cpu_limit: float = 60.0,
    layout: Layout | None = None,
) -> list[Covers]:
    """Solve a problem once per question, each with its own given rows, in one kernel call.

    The call can't be interrupted before each question is answered or has reached its CPU limit.

    givens     rows selected from the start, by question
    cpu_limit  CPU seconds per question; other arguments as for `solve`

    Raises ValueError for an invalid problem or argument.
    """
    most = _limit(limit)
    _check_numbers(keep, cpu_limit)
    problem, name, x = _laid_out(cover, layout)
    starts, rows = _given(givens, problem)
    _compile_each(name)
    levels = levels_of(problem)
    state, answers = new_state(keep, levels), new_answers(len(givens), keep, levels)
    search_each(x, state, starts, rows, most, float(cpu_limit), answers)
    found = []
    for k in range(len(givens)):
        kept = [answers.rows[k, i, : answers.size[k, i]].tolist() for i in range(min(keep, int(answers.found[k])))]
        numbers = int(answers.found[k]), kept, int(answers.nodes[k]), int(answers.updates[k])
        found.append(Covers(STATUS[answers.status[k]], *numbers, float(answers.seconds[k]), name))
    return found


def _begin(x: Any, state: SearchState, given: np.ndarray) -> int:
    """Select the given rows; return EXHAUSTED if they conflict, else ENOUGH: the search can continue."""
    return ENOUGH if len(given) == 0 or begin(x, state, given) else EXHAUSTED


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


def _kept(state: SearchState, number: int) -> list[list[int]]:
    """Return the first `number` solutions in the state's memory."""
    return [state.rows[k, : state.size[k]].tolist() for k in range(number)]


def _laid_out(cover: Cover, layout: Layout | None) -> tuple[Cover, str, Any]:
    """Return the validated problem, the name of its layout, and the layout."""
    problem = checked(cover)
    name = layout or best_layout(problem)
    _compile(name)
    return problem, name, laid_out(problem, name)


TINY = Cover(np.array([0, 1]), np.zeros(1, np.int32), np.zeros(0, np.int32), 1)
"""A problem to compile kernels on, so that no CPU limit includes the compilation."""


@cache
def _compile(layout: str) -> None:
    """Compile `search` for a layout."""
    search(laid_out(TINY, layout), new_state(1, levels_of(TINY)), 1, 0, 1.0)


@cache
def _compile_each(layout: str) -> None:
    """Compile `search_each` for a layout."""
    starts, given = np.zeros(1, np.int64), np.zeros(0, np.int32)
    levels = levels_of(TINY)
    search_each(laid_out(TINY, layout), new_state(1, levels), starts, given, 1, 1.0, new_answers(0, 1, levels))


def _given(givens: Sequence[Iterable[int]], cover: Cover) -> tuple[np.ndarray, np.ndarray]:
    """Return the given rows of all questions: each question's start, int64[questions + 1], and the rows, int32."""
    lists = [list(rows) for rows in givens]
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    for rows in lists:
        for row in rows:
            if not isinstance(row, int | np.integer) or not 0 <= row < cover.rows:
                raise ValueError(f"row {row!r} is given, but there are the rows 0..{cover.rows - 1}")
    return starts, np.array([row for rows in lists for row in rows], np.int32)


def _limit(limit: int | None) -> int:
    if limit is not None and limit < 1:
        raise ValueError(f"the limit is {limit}; it must be 1 or more, or None")
    return NO_LIMIT if limit is None else int(limit)


def _check_numbers(keep: int, cpu_limit: float) -> None:
    if keep < 0:
        raise ValueError(f"keep is {keep}; it must be 0 or more")
    if not cpu_limit > 0:
        raise ValueError(f"the CPU limit is {cpu_limit}; it must be more than 0 seconds")
