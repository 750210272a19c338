"""Backtracking search for up to two solutions, branching on the cell or place with the fewest choices."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, standalone
from nonocensus.solver.ladder.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND
from nonocensus.solver.lines.bits import count
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.lines.workspace import MAX_DEPTH, NODES
from nonocensus.solver.sudoku.singles import decided, write
from nonocensus.solver.sudoku.sudoku_lookahead import use_patterns
from nonocensus.solver.sudoku.units import KINDS, Units

CLOCK_EVERY = 15
"""Guesses between clock checks, minus one (a bit mask)."""


class SearchResult(NamedTuple):
    """The solutions of one puzzle.

    first, second   uint8[cells]
    number          int8[1]: number of solutions
    """

    first: np.ndarray
    second: np.ndarray
    number: np.ndarray


@standalone
def search(
    can: np.ndarray,
    stack: np.ndarray,
    units: Units,
    due: np.ndarray,
    found: SearchResult,
    counters: np.ndarray,
    most: int,
    deadline: float,
) -> int:
    """Search for up to two solutions; return EXHAUSTED, TWO_FOUND, NODES_SPENT or LATE.

    can     the initial board; overwritten
    stack   int64[cells, cells]: the alternative board of each guess
    due     bool[units]: units to process first; none is due afterwards
    most    maximum number of guesses, then NODES_SPENT
    """
    cells = len(can)
    level: Any = np.int64(0)
    guesses: Any = np.int64(0)
    while True:
        if use_patterns(can, units, due, counters) == FIXPOINT:
            if decided(can, cells) < cells:
                if guesses == most:
                    return NODES_SPENT
                guesses += 1
                if guesses & CLOCK_EVERY == 0 and cpu_seconds() > deadline:
                    return LATE
                cell, digit = _choice(can, units)
                for k in range(cells):
                    stack[level, k] = can[k]
                stack[level, cell] &= ~digit
                can[cell] = digit
                _make_due(can, stack[level], units, due)
                level += 1
                counters[NODES] += 2
                counters[MAX_DEPTH] = max(counters[MAX_DEPTH], level)
                continue
            write(can, found.first if found.number[0] == 0 else found.second)
            found.number[0] += 1
            if found.number[0] == 2:
                return TWO_FOUND
        if level == 0:
            return EXHAUSTED
        level -= 1
        for k in range(cells):
            can[k] = stack[level, k]
        for unit in range(len(due)):
            due[unit] = True


@inlined
def _make_due(can: np.ndarray, before: np.ndarray, units: Units, due: np.ndarray) -> None:
    """Mark the units of changed cells due."""
    for cell in range(len(can)):
        if can[cell] != before[cell]:
            for kind in range(KINDS):
                due[units.of[cell, kind]] = True


@inlined
def _choice(can: np.ndarray, units: Units) -> tuple[int, int]:
    """Return a cell and a digit to guess: a cell with two digits, a digit with two places, or the smallest cell."""
    best: Any = np.int64(1 << 30)
    chosen: Any = np.int64(0)
    for cell in range(len(can)):
        number = count(np.uint64(can[cell]))
        if 1 < number < best:
            best, chosen = number, cell
    if best > 2:
        for unit in range(len(units.cells)):
            once: Any = np.int64(0)
            twice: Any = np.int64(0)
            more: Any = np.int64(0)
            for k in range(units.sides[0]):
                digits = can[units.cells[unit, k]]
                more |= twice & digits
                twice |= once & digits
                once |= digits
            two = twice & ~more
            if two != 0:
                k = 0
                while can[units.cells[unit, k]] & two == 0:
                    k += 1
                chosen = units.cells[unit, k]
                two &= can[chosen]
                return chosen, two & -two
    return chosen, can[chosen] & -can[chosen]
