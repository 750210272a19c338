"""Common parts of the plain searches: states, the main loop, limits.

A state is a grid whose first rows are filled according to their clues, whatever the columns; it is stored as the bytes
of these rows, one palette entry per cell. Its successors have one more row. So the states form a tree with the empty
grid as its root and all solutions at the same depth.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from nonocensus.solver.engines.answer import TWO, EngineAnswer, EngineLimits, out_of_time, verdict_of
from nonocensus.solver.engines.arrangements import OBJECT_BYTES, arrangements, why_not
from nonocensus.solver.model.puzzle import Puzzle, clue_of_ints

State = bytes


class Space(NamedTuple):
    """The search space: a puzzle and all arrangements of each of its rows."""

    puzzle: Puzzle
    rows: list[list[bytes]]


Visits = Iterator[tuple[State, int]]
"""States in order of visits, each with the size of the open list at that time, itself included."""


def space_of(puzzle: Puzzle) -> Space:
    """Return the search space of a puzzle without blots."""
    return Space(puzzle, [arrangements(clue, puzzle.width) for clue in puzzle.rows])


def successors(space: Space, state: State) -> list[State]:
    """Return the states with one more row; none for a full grid."""
    filled = len(state) // space.puzzle.width
    return [state + row for row in space.rows[filled]] if filled < space.puzzle.height else []


def is_full(puzzle: Puzzle, state: State) -> bool:
    """Check whether all rows of a state are filled."""
    return len(state) == puzzle.width * puzzle.height


def is_solution(puzzle: Puzzle, state: State) -> bool:
    """Check whether a state is a solution: all rows are filled and all columns match their clues."""
    return is_full(puzzle, state) and all(
        clue_of_ints(state[x :: puzzle.width]) == clue for x, clue in enumerate(puzzle.columns)
    )


def answer_of(puzzle: Puzzle, limits: EngineLimits, search: Callable[[Space], Visits]) -> EngineAnswer:
    """Visit states in a search's order until two solutions are found, no states are left, or a limit is reached."""
    start = time.thread_time()
    if stopped := why_not(puzzle, [(clue, puzzle.width) for clue in puzzle.rows], 1, limits):
        return EngineAnswer("unknown", [], 0, time.thread_time() - start, stopped=stopped)
    room = limits.memory // (puzzle.width * puzzle.height + OBJECT_BYTES)
    solutions: list[np.ndarray] = []
    visits = peak = 0
    first_visits = first_seconds = None
    for state, waiting in search(space_of(puzzle)):
        peak = max(peak, waiting)
        if stopped := _limit_met(visits, waiting, room, start, limits):
            break
        visits += 1
        if not is_solution(puzzle, state):
            continue
        solutions.append(np.frombuffer(state, np.uint8).reshape(puzzle.height, puzzle.width))
        if len(solutions) == TWO:
            break
        first_visits, first_seconds = visits, time.thread_time() - start
    seconds = time.thread_time() - start
    verdict = verdict_of(len(solutions), stopped)
    return EngineAnswer(verdict, solutions, visits, seconds, first_visits, first_seconds, peak, stopped)


def _limit_met(visits: int, waiting: int, room: int, start: float, limits: EngineLimits) -> str:
    """Return a description of the limit reached; empty if none is."""
    if visits >= limits.visits:
        return f"not done after {limits.visits:,} visits"
    if waiting > room:
        return f"{waiting:,} states wait, which need more than {limits.memory >> 20:,} MiB"
    if time.thread_time() - start > limits.cpu_limit:
        return out_of_time(limits)
    return ""
