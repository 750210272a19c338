"""The rungs depth-2 and probe: assume a candidate, search for a contradiction, exclude the candidate.

depth-2   propagation for three synchronous rounds, levels 0 to 2: all units are processed on the same state, and their
          conclusions become visible in the next round
probe     propagation of singles to a fixpoint

Both are monotone, so the fixpoint does not depend on the order of assumptions, and symmetric puzzles need the same
rung. Units unchanged since the fixpoint of singles are skipped. Depth-2 subsumes locked candidates and pairs, which run
first because they cost a hundredth.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import CONTRADICTIONS, LINE_SOLVES, PROBES
from nonocensus.solver.sudoku.locked_pairs import rule_out_locked, rule_out_pairs
from nonocensus.solver.sudoku.singles import follow, look
from nonocensus.solver.sudoku.units import KINDS, Units

ROUNDS = 3
"""Levels of depth-2, and its first level."""

CLOCK_EVERY = 63
"""Assumptions between clock checks, minus one (a bit mask)."""


@kernel
def use_patterns(can: np.ndarray, units: Units, due: np.ndarray, counters: np.ndarray) -> int:
    """Propagate singles, locked candidates and pairs; return FIXPOINT or CONTRADICTION. No unit stays due."""
    while True:
        if follow(can, units, due, counters) == CONTRADICTION:
            return CONTRADICTION
        possible = rule_out_locked(can, units, due)
        if possible and not _any(due):
            possible = rule_out_pairs(can, units, due)
        if not possible:
            for unit in range(len(due)):
                due[unit] = False
            return CONTRADICTION
        if not _any(due):
            return FIXPOINT


@standalone
def refute(
    can: np.ndarray,
    trial: np.ndarray,
    units: Units,
    due: np.ndarray,
    deep: bool,
    known: np.ndarray,
    counters: np.ndarray,
    deadline: float,
) -> int:
    """Exclude every candidate whose assumption leads to a contradiction, to a fixpoint.

    can     at the fixpoint of singles, and so afterwards
    trial   int64[2, cells], scratch
    due     bool[2, units], of which none is due
    deep    whether assumptions are propagated to a fixpoint (probe) rather than ROUNDS rounds (depth-2)
    known   uint8[cells]: a solution, whose digits cannot be refuted and are skipped; or empty
    Returns FIXPOINT, CONTRADICTION or OUT_OF_TIME.
    """
    cells, size = len(can), units.sides[0]
    quiet: Any = np.int64(0)  # cells since the last contradiction
    cell: Any = np.int64(0)
    while quiet < cells:
        quiet += 1
        for place in range(size):
            if can[cell] & (can[cell] - 1) == 0:
                break
            digit = can[cell] & 1 << place
            if digit == 0 or (len(known) > 0 and known[cell] == place + 1):
                continue
            if counters[PROBES] & CLOCK_EVERY == CLOCK_EVERY and cpu_seconds() > deadline:
                return OUT_OF_TIME
            counters[PROBES] += 1
            if not _stands(can, cell, digit, trial, units, due, deep, counters):
                counters[CONTRADICTIONS] += 1
                quiet = 0
                can[cell] &= ~digit
                for kind in range(KINDS):
                    due[0, units.of[cell, kind]] = True
                if follow(can, units, due[0], counters) == CONTRADICTION:
                    return CONTRADICTION
        cell = cell + 1 if cell + 1 < cells else 0
    return FIXPOINT


@standalone
def first_refuted(
    can: np.ndarray,
    trial: np.ndarray,
    units: Units,
    due: np.ndarray,
    deep: bool,
    counters: np.ndarray,
    deadline: float,
    refuted: np.ndarray,
) -> int:
    """Find the first candidate, in reading order, whose assumption is refuted; arguments of `refute`.

    refuted   int64[2]: output, its cell and the digit's bit
    Returns CONTRADICTION if one is found, FIXPOINT if not, or OUT_OF_TIME.
    """
    for cell in range(len(can)):
        for place in range(units.sides[0]):
            digit = can[cell] & 1 << place
            if digit == 0 or digit == can[cell]:
                continue
            if cpu_seconds() > deadline:
                return OUT_OF_TIME
            counters[PROBES] += 1
            if not _stands(can, cell, digit, trial, units, due, deep, counters):
                refuted[0], refuted[1] = cell, digit
                return CONTRADICTION
    return FIXPOINT


@inlined
def _stands(
    can: np.ndarray,
    cell: int,
    digit: int,
    trial: np.ndarray,
    units: Units,
    due: np.ndarray,
    deep: bool,
    counters: np.ndarray,
) -> bool:
    """Return whether an assumption survives; arguments of `refute`."""
    for k in range(len(can)):
        trial[0, k] = can[k]
    trial[0, cell] = digit
    for kind in range(KINDS):
        due[0, units.of[cell, kind]] = True
    if deep:
        return bool(follow(trial[0], units, due[0], counters) == FIXPOINT)
    return _stands_rounds(trial, units, due, counters)


@inlined
def _stands_rounds(trial: np.ndarray, units: Units, due: np.ndarray, counters: np.ndarray) -> bool:
    """Return whether the board trial[0] survives ROUNDS rounds from the units due[0]; none is due afterwards."""
    here: Any = np.int64(0)
    stands = True
    for _ in range(ROUNDS):
        there = 1 - here
        for cell in range(trial.shape[1]):
            trial[there, cell] = trial[here, cell]
        for unit in range(due.shape[1]):
            if due[here, unit] and stands:
                counters[LINE_SOLVES] += 1
                stands = look(trial[here], trial[there], units, unit, due[there])
            due[here, unit] = False
        here = there
        if not stands:
            break
    for unit in range(due.shape[1]):
        due[here, unit] = False
    return stands


@inlined
def _any(due: np.ndarray) -> bool:
    """Return whether any unit is due."""
    found = False
    for unit in range(len(due)):
        found = found or bool(due[unit])
    return found
