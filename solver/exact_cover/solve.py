"""Problems of exact cover solved: solutions counted and kept, one after the other, or for many questions at once."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from solver.exact_cover.cover_search import (
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
from solver.exact_cover.layouts import best_layout, laid_out, levels_of
from solver.exact_cover.problem import Cover, checked
from solver.jit.kernel_cache import CHECKED

Layout = Literal["links-16", "links-32", "addresses", "bit-rows", "brute-force"]

STATUS: tuple[Literal["complete", "limit", "timeout"], ...] = ("complete", "limit", "timeout")
"""In words, by number."""

SLICE = 0.25
"""CPU seconds of a kernel's call, after which Python can see that it was interrupted."""

BUFFER = 1 << 16
"""Rows of solutions that wait in a kernel's memory, unless one has more."""

NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Covers:
    """What was found.

    status       "complete": there are no more solutions; "limit": as many as asked for; "timeout": the CPU limit came
                 first
    count        solutions found
    solutions    the first of them, each its rows: those given, then in the order in which they were chosen
    nodes        sets of rows that the search looked at; the same in every layout but brute force
    updates      its work, in a unit of the layout's own: what Knuth counts for links, rows thrown out, entries tried
    cpu_seconds  of the search
    layout       how the problem was laid out in memory
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

    given      rows that are taken to begin with
    limit      solutions after which to stop; None for all
    keep       solutions to keep, at most
    cpu_limit  CPU seconds
    layout     how to lay the problem out; None for the quickest for its size

    Raises ValueError for a problem, or an argument, that can't be.
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
    """Yield all solutions of a problem, one after the other, in the order of `solve`.

    cpu_limit   CPU seconds for each call of the search, which looks for more and more solutions at once

    Raises TimeoutError when that is spent, after the solutions found by then, and ValueError as `solve` does.
    """
    _check_numbers(0, cpu_limit)
    problem, _, x = _laid_out(cover, layout)
    levels = levels_of(problem)
    state = new_state(max(1, BUFFER // levels), levels)
    return _iterate(x, state, _begin(x, state, _given([given], problem)[1]), cpu_limit)


def _iterate(x: Any, state: SearchState, status: int, cpu_limit: float) -> Iterator[list[int]]:
    """Yield the solutions of a search that has begun."""
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
    """Return the same problem with other rows given each time: laid out once, and solved in one call.

    Nothing can interrupt that call before all questions have been answered or have met their CPU limit.

    givens     for each question the rows that are taken to begin with
    cpu_limit  CPU seconds for each question; the others as for `solve`

    Raises ValueError for a problem, or an argument, that can't be.
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
    """Take the rows that are given; returns EXHAUSTED if they don't fit together, else ENOUGH: the search can go on."""
    return ENOUGH if len(given) == 0 or begin(x, state, given) else EXHAUSTED


def _go_on(x: Any, state: SearchState, wanted: int, most: int, deadline: float) -> int:
    """Resume a search until it has `more` further solutions, or count without storing any."""
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
    """Return the first solutions in a search's memory."""
    return [state.rows[k, : state.size[k]].tolist() for k in range(number)]


def _laid_out(cover: Cover, layout: Layout | None) -> tuple[Cover, str, Any]:
    """Return a problem that has been checked, the name of its layout, and the layout itself."""
    problem = checked(cover)
    name = layout or best_layout(problem)
    _compile(name)
    return problem, name, laid_out(problem, name)


TINY = Cover(np.array([0, 1]), np.zeros(1, np.int32), np.zeros(0, np.int32), 1)
"""A problem to compile kernels on, before any clock starts."""


@cache
def _compile(layout: str) -> None:
    """Have the search compiled for a layout."""
    search(laid_out(TINY, layout), new_state(1, levels_of(TINY)), 1, 0, 1.0)


@cache
def _compile_each(layout: str) -> None:
    """Have the search for many questions compiled for a layout."""
    starts, given = np.zeros(1, np.int64), np.zeros(0, np.int32)
    levels = levels_of(TINY)
    search_each(laid_out(TINY, layout), new_state(1, levels), starts, given, 1, 1.0, new_answers(0, 1, levels))


def _given(givens: Sequence[Iterable[int]], cover: Cover) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows given for each question: where they begin, int64[questions + 1], and the rows, int32."""
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
