"""The ladder of Sudoku: a batch, each puzzle up to the rung it needs.

line      naked and hidden singles (solver.sudoku.singles)
depth-2   assumptions followed for three rounds (solver.sudoku.sudoku_lookahead): locked candidates, pairs and much more
probe     assumptions followed to the end
search    backtracking; after SUDOKU_NODES guesses clause learners take over

Rungs and results are those of solver.ladder. A 9x9 with boxes of 3x3 that singles leave open goes first to the
bit-parallel search (solver.sudoku.bands). If that finds two solutions or hits the CPU limit, the upper rungs are
skipped; if it makes no guess, the technique is depth-2. Otherwise the rungs find the weakest sufficient technique, and
their answer is compared with that of bands. For such grids the rungs work on planes (solver.sudoku.planes) until a
contradiction.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds, wall_seconds
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.ladder_options import DEPTH, LINE, PROBE, SEARCH
from nonocensus.solver.ladder.outcome import MULTIPLE, NONE, UNIQUE, UNKNOWN, Outcome, empty_outcome, record_time
from nonocensus.solver.ladder.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import COUNTERS, MAX_DEPTH, NODES
from nonocensus.solver.sudoku import bands, planes
from nonocensus.solver.sudoku.grids import Grids
from nonocensus.solver.sudoku.singles import decided, follow, put_on, write
from nonocensus.solver.sudoku.sudoku_lookahead import refute, use_patterns
from nonocensus.solver.sudoku.sudoku_search import SearchResult, search
from nonocensus.solver.sudoku.sudoku_tail import hand_over
from nonocensus.solver.sudoku.units import Units, units_of
from nonocensus.solver.tuning import SUDOKU_NODES

SIDES = 3, 3
"""Boxes of the grids that solver.sudoku.bands and solver.sudoku.planes support."""

STEPS = 60
"""Estimated steps of singles per cell; few enough that one newspaper puzzle runs uncompiled."""


class Room(NamedTuple):
    """Workspace of the rungs, for grids of one kind.

    can       int64[cells]: the digits that each cell may have
    trial     int64[2, cells], for assumptions
    due       bool[2, units]: the units to look at
    unused    int64[COUNTERS]: receives work that is already counted
    planes    workspace of solver.sudoku.planes
    nine      whether planes apply to these grids
    """

    can: np.ndarray
    trial: np.ndarray
    due: np.ndarray
    unused: np.ndarray
    planes: planes.PlaneBoard
    nine: bool


def climb(seen: Grids, which: np.ndarray, cpu_limit: float, top: int) -> Outcome:
    """Run the Sudokus `which` of a batch up the ladder to the rung `top`, within `cpu_limit` CPU seconds each.

    They must be free of faults (solver.sudoku.sudoku_check).
    """
    outcome = empty_outcome(np.diff(seen.ends).astype(np.int64))
    kinds = np.stack([seen.box_width, seen.box_height], axis=1)[which]
    for wide, high in np.unique(kinds, axis=0).tolist():
        _climb(seen, which[(kinds == (wide, high)).all(axis=1)], units_of(wide, high), cpu_limit, top, outcome)
    return outcome


def _climb(seen: Grids, which: np.ndarray, units: Units, cpu_limit: float, top: int, outcome: Outcome) -> None:
    """Run the Sudokus of one kind."""
    cells, room = len(units.of), _room(units)
    nine = room.nine
    _line_rung(seen, which, units, room._replace(nine=nine), outcome)
    left = which[outcome.solutions[which] == UNKNOWN]
    if top == SEARCH and nine and len(left):
        _bands_rung(seen, left, bands.desk_for(), cpu_limit, outcome)
        left = left[(outcome.solutions[left] != MULTIPLE) & ~outcome.late[left] & (outcome.rung[left] == SEARCH)]
    if top > LINE and len(left):
        stack = np.zeros((cells if top == SEARCH else 0, cells), np.int64)
        while (handed := _upper_rungs(seen, left, units, room, stack, cpu_limit, top, SUDOKU_NODES, outcome)) >= 0:
            hand_over(left[handed], room.trial[0], units, cpu_limit, outcome)
            left = left[handed + 1 :]


def compile_rungs(seen: Grids) -> None:
    """Compile the kernels of this module."""
    units, no_puzzles, outcome = units_of(*SIDES), np.zeros(0, np.int64), empty_outcome(np.zeros(0, np.int64))
    room = _room(units)
    _line_rung(seen, no_puzzles, units, room, outcome)
    _bands_rung(seen, no_puzzles, bands.desk_for(), math.inf, outcome)
    _upper_rungs(seen, no_puzzles, units, room, np.zeros((0, 0), np.int64), math.inf, SEARCH, SUDOKU_NODES, outcome)


def _room(units: Units) -> Room:
    """Allocate the rungs' workspace for grids of one kind."""
    count, cells = len(units.cells), len(units.of)
    return Room(
        np.zeros(cells, np.int64),
        np.zeros((2, cells), np.int64),
        np.zeros((2, count), np.bool_),
        np.zeros(COUNTERS, np.int64),
        planes.desk_for(),
        tuple(units.sides[1:]) == SIDES,
    )


@kernel
def _line_rung(seen: Grids, which: np.ndarray, units: Units, room: Room, outcome: Outcome) -> None:
    """Run singles for all puzzles. One puzzle's end time is the next one's start time."""
    rung: Any = np.int64(LINE)
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(which)):
        p = which[k]
        status = _singles(seen.givens[seen.ends[p] : seen.ends[p + 1]], units, room, outcome.counters[p])
        _note(room.can, status, rung, p, outcome)
        cpu, wall = record_time(outcome, p, rung, cpu, wall)


@kernel
def _bands_rung(seen: Grids, which: np.ndarray, desk: bands.BandBoard, cpu_limit: float, outcome: Outcome) -> None:
    """Run the bit-parallel search; its nodes count as nodes of the rung search.

    Without a guess it used only singles and locked candidates, so the technique is depth-2.
    """
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(which)):
        p = which[k]
        found = _found(p, outcome)
        deadline = cpu + cpu_limit - outcome.seconds[p, LINE]
        givens = seen.givens[seen.ends[p] : seen.ends[p + 1]]
        effort = outcome.counters[p, NODES : MAX_DEPTH + 1]
        ended = bands.count_solutions(givens, found.first, found.second, found.number, effort, desk, deadline)
        _conclude(ended, p, outcome)
        rung: Any = np.int64(SEARCH)
        if effort[0] == 0 and not outcome.late[p]:
            rung = np.int64(DEPTH)
            outcome.rung[p] = outcome.engine[p] = DEPTH
            outcome.decided[p, DEPTH] = len(givens) if outcome.found[p] == 1 else outcome.decided[p, LINE]
        cpu, wall = record_time(outcome, p, rung, cpu, wall)


@kernel
def _upper_rungs(
    seen: Grids,
    which: np.ndarray,
    units: Units,
    room: Room,
    stack: np.ndarray,
    cpu_limit: float,
    top: int,
    most: int,
    outcome: Outcome,
) -> int:
    """Run the rungs above singles, up to `top` or the first that decides; search only if bands has no answer.

    Returns -1, or the index of a puzzle whose search reached `most` guesses: its board before search is in
    room.trial[0], and later puzzles are untouched.
    """
    can = room.can
    last: Any = np.int64(SEARCH)
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(which)):
        p = which[k]
        counters, had = outcome.counters[p], outcome.seconds[p]
        deadline = cpu + cpu_limit - had[LINE] - had[SEARCH]
        _singles(seen.givens[seen.ends[p] : seen.ends[p + 1]], units, room, room.unused)
        left_open = True
        ended: Any = np.int64(EXHAUSTED)
        known = outcome.first[outcome.offsets[p] : outcome.offsets[p + outcome.found[p]]]
        for rung in range(DEPTH, PROBE + 1):
            if left_open and rung <= top:
                status: Any = np.int64(FIXPOINT)
                if rung == DEPTH:
                    status = _patterns(units, room, counters)
                if status == FIXPOINT and decided(can, len(can)) < len(can):
                    status = _refuted(units, room, rung == PROBE, known, counters, deadline)
                left_open = _note(can, status, rung, p, outcome)
                cpu, wall = record_time(outcome, p, rung, cpu, wall)
        if left_open and top == SEARCH and outcome.solutions[p] == UNKNOWN:
            for cell in range(len(can)):
                room.trial[0, cell] = can[cell]
            ended = search(can, stack, units, room.due[0], _found(p, outcome), counters, most, deadline)
            _conclude(ended, p, outcome)
            cpu, wall = record_time(outcome, p, last, cpu, wall)
        if ended == NODES_SPENT:
            return k
    return -1


@kernel
def _singles(givens: np.ndarray, units: Units, room: Room, counters: np.ndarray) -> int:
    """Initialise the board and propagate singles; return FIXPOINT or CONTRADICTION."""
    if room.nine and planes.follow_givens(givens, room.can, room.planes, counters) == FIXPOINT:
        return FIXPOINT
    put_on(givens, units, room.can, room.due[0])
    return follow(room.can, units, room.due[0], counters)


@kernel
def _patterns(units: Units, room: Room, counters: np.ndarray) -> int:
    """Run `use_patterns`, on planes if they apply."""
    if room.nine and planes.use_patterns(room.can, units, room.planes, counters) == FIXPOINT:
        return FIXPOINT
    return use_patterns(room.can, units, room.due[0], counters)


@kernel
def _refuted(units: Units, room: Room, deep: bool, known: np.ndarray, counters: np.ndarray, deadline: float) -> int:
    """Run `refute`, on planes if they apply."""
    if room.nine:
        status = planes.refute(room.can, deep, known, room.planes, counters, deadline)
        if status != CONTRADICTION:
            return status
    return refute(room.can, room.trial, units, room.due, deep, known, counters, deadline)


@kernel
def _found(p: int, outcome: Outcome) -> SearchResult:
    """Return the output arrays of puzzle p's solutions."""
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    return SearchResult(outcome.first[place], outcome.second[place], outcome.found[p : p + 1])


@kernel
def _note(can: np.ndarray, status: int, rung: int, p: int, outcome: Outcome) -> bool:
    """Record a rung's result; return whether the puzzle is still open.

    A disagreement with bands is recorded for solver.sudoku.sudoku_verdict.
    """
    number = decided(can, len(can))
    outcome.decided[p, rung] = number
    left_open = status == FIXPOINT and number < len(can)
    if left_open and outcome.solutions[p] != UNKNOWN:
        return True
    outcome.rung[p] = outcome.engine[p] = rung
    if status == OUT_OF_TIME:
        outcome.late[p] = True
        outcome.solutions[p] = UNKNOWN
    elif status == CONTRADICTION:
        outcome.solutions[p] = NONE
    elif not left_open:
        found = _found(p, outcome)
        answered = outcome.solutions[p] != UNKNOWN
        outcome.solutions[p] = UNIQUE
        if not answered:
            write(can, found.first)
            found.number[0] = 1
        elif found.number[0] == 1:
            write(can, found.second)
            for cell in range(len(can)):
                if found.first[cell] != found.second[cell]:
                    found.number[0] = 2
    return left_open


@kernel
def _conclude(ended: int, p: int, outcome: Outcome) -> None:
    """Record a search's result."""
    outcome.rung[p] = outcome.engine[p] = SEARCH
    if ended == EXHAUSTED:
        outcome.solutions[p] = UNIQUE if outcome.found[p] == 1 else NONE
    elif ended == TWO_FOUND:
        outcome.solutions[p] = MULTIPLE
    elif ended == LATE:
        outcome.late[p] = True
