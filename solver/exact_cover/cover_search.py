"""Algorithm X for every layout: branch on an item and try its rows in order, depth first.

A search can be interrupted and resumed: its state is explicit, without recursion.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.layouts import advance, branch, give, leave, row_at, sound
from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import kernel, standalone
from nonocensus.solver.jit.kernel_cache import CHECKED

EXHAUSTED, ENOUGH, LATE = range(3)

LEVEL, BASE, FOUND, NODES, DOWNWARD = range(5)
NUMBERS = 5

WORK = 10_000
"""Units of work between two clock checks, some tenths of a millisecond; an entry removed is one unit."""

NODE_WORK = 16
"""Additional units of work per node."""


class SearchState(NamedTuple):
    """Position and results of a search.

    numbers   int64[NUMBERS]: level, first level after the given rows, solutions and nodes so far, and whether the level
              is still to be branched on
    rows      int32[solutions, levels]: rows of the solutions kept, by level; the given rows come first
    size      int64[solutions]: number of rows of each
    """

    numbers: np.ndarray
    rows: np.ndarray
    size: np.ndarray


class Answers(NamedTuple):
    """Results of several questions.

    status    int8[questions]: EXHAUSTED, ENOUGH or LATE
    found     int64[questions]: solutions; nodes, updates: int64[questions]; seconds: float64[questions] of CPU time
    rows      int32[questions, solutions, levels], size int64[questions, solutions]: solutions kept, as in SearchState
    """

    status: np.ndarray
    found: np.ndarray
    nodes: np.ndarray
    updates: np.ndarray
    seconds: np.ndarray
    rows: np.ndarray
    size: np.ndarray


def new_state(keep: int, levels: int) -> SearchState:
    """Return the state of a new search, with memory for `keep` solutions."""
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[DOWNWARD] = 1
    return SearchState(numbers, np.zeros((keep, levels), np.int32), np.zeros(keep, np.int64))


def new_answers(questions: int, keep: int, levels: int) -> Answers:
    """Allocate answers with memory for `keep` solutions each."""
    found, nodes, updates = np.zeros((3, questions), np.int64)
    rows, size = np.zeros((questions, keep, levels), np.int32), np.zeros((questions, keep), np.int64)
    return Answers(np.zeros(questions, np.int8), found, nodes, updates, np.zeros(questions), rows, size)


@kernel
def begin(x: Any, state: SearchState, given: np.ndarray) -> bool:
    """Restart with the given rows, int32; False if they conflict, with some of them still selected."""
    state.numbers[LEVEL] = state.numbers[BASE] = state.numbers[FOUND] = state.numbers[NODES] = 0
    state.numbers[DOWNWARD] = 1
    x.counts[0] = 0
    for k in range(len(given)):
        row: Any = np.int64(given[k])
        if not give(x, state.numbers[LEVEL], row):
            return False
        state.numbers[LEVEL] += 1
    state.numbers[BASE] = state.numbers[LEVEL]
    return True


@standalone
def search(x: Any, state: SearchState, most: int, place: int, deadline: float) -> int:
    """Start or resume a search until `most` solutions are found in total; return EXHAUSTED, ENOUGH or LATE.

    place      index of the next solution in `state.rows`; solutions past the end are only counted
    deadline   CPU seconds of this thread
    """
    numbers = state.numbers
    level, base = numbers[LEVEL], numbers[BASE]
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
        if level < base:
            numbers[LEVEL], numbers[DOWNWARD] = level, 0
            return EXHAUSTED
        downward = advance(x, level)
        level += 1 if downward else -1


@kernel
def end(x: Any, state: SearchState) -> None:
    """Deselect all rows, which restores the layout to its state before the search."""
    for level in range(state.numbers[LEVEL] - state.numbers[DOWNWARD], -1, -1):
        leave(x, level)
    if CHECKED:
        assert sound(x), "a search has not put back all that it took out"


@kernel
def search_each(
    x: Any, state: SearchState, starts: np.ndarray, given: np.ndarray, most: int, seconds: float, answers: Answers
) -> None:
    """Solve a problem once per question, each with its own given rows.

    starts    int64[questions + 1]: start of each question's rows in `given`, int32
    most      number of solutions at which to stop
    seconds   CPU seconds per question
    """
    for question in range(len(starts) - 1):
        status, start = EXHAUSTED, cpu_seconds()
        first_place: Any = np.int64(0)
        if begin(x, state, given[starts[question] : starts[question + 1]]):
            status = search(x, state, most, first_place, start + seconds)
        end(x, state)
        answers.status[question], answers.seconds[question] = status, cpu_seconds() - start
        answers.found[question], answers.nodes[question] = state.numbers[FOUND], state.numbers[NODES]
        answers.updates[question] = x.counts[0]
        for k in range(min(len(state.size), state.numbers[FOUND])):
            answers.size[question, k] = state.size[k]
            for level in range(state.size[k]):
                answers.rows[question, k, level] = state.rows[k, level]


@kernel
def _note(x: Any, state: SearchState, level: int, place: int) -> None:
    for k in range(level):
        state.rows[place, k] = row_at(x, k)
    state.size[place] = level
