"""The rungs depth-2 and probe: assume a digit of a cell, look for a contradiction, take the digit away.

depth-2   the assumption is followed by three rounds, levels 0 to 2. In a round all units are looked at for singles at
          the same time: what one finds, the others see in the next round
probe     it is followed by singles to their fixpoint

Either way more knowledge refutes no less, so the fixpoint does not depend on the order of assumptions, and a puzzle
that is turned, mirrored or renamed stays on its rung. Units of which nothing has changed since singles came to their
fixpoint have nothing to tell, and are not looked at. Locked candidates and pairs are found by depth-2 as well; they go
first because they take a hundredth of the time.
"""

from typing import Any

import numpy as np

from solver.jit.clock import cpu_seconds
from solver.jit.kernel import inlined, kernel, standalone
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.lines.workspace import CONTRADICTIONS, LINE_SOLVES, PROBES
from solver.sudoku.locked_pairs import rule_out_locked, rule_out_pairs
from solver.sudoku.singles import follow, look
from solver.sudoku.units import KINDS, Units

ROUNDS = 3
"""Of depth-2: its levels, and the one at which it begins."""

CLOCK_EVERY = 63
"""Assumptions between two looks at the clock, less one."""


@kernel
def use_patterns(can: np.ndarray, units: Units, due: np.ndarray, counters: np.ndarray) -> int:
    """Singles, locked candidates and pairs to their fixpoint; returns FIXPOINT or CONTRADICTION. No unit stays due."""
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
    """Take away every digit of every cell whose assumption leads to a contradiction, until there is none.

    can     at the fixpoint of singles, and so afterwards
    trial   int64[2, cells], scratch
    due     bool[2, units], of which none is due
    deep    whether assumptions are followed to the fixpoint (probe), and not for some rounds (depth-2)
    known   uint8[cells]: a solution, whose digits need not be tried since no assumption of them fails; or empty
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
    """The first digit of a cell, in reading order, whose assumption leads to a contradiction; arguments of `refute`.

    refuted   int64[2]: its cell and the digit's bit are noted here
    Returns CONTRADICTION if there is one, else FIXPOINT, or OUT_OF_TIME.
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
    """Return whether no contradiction is met when a cell is assumed to have a digit; arguments of `refute`."""
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
    """Return whether the board trial[0] stands ROUNDS rounds from the units due[0] on; none is due afterwards."""
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
