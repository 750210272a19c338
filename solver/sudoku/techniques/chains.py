"""Chains: if one end is false, the other is true, so what sees both ends is false.

Strong links: the two places of a digit in a unit, the two digits of a cell. Weak links: a digit in a cell and all that
it excludes. These are alternating inference chains; X-chains are those of one digit.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count, lowest
from nonocensus.solver.lines.propagate import FIXPOINT, OUT_OF_TIME
from nonocensus.solver.sudoku.techniques.sudoku_desk import WORD, SudokuDesk, place, sees, strike
from nonocensus.solver.sudoku.units import KINDS

FOUND = FIXPOINT + 100
"""Status: a step was found. Otherwise FIXPOINT (no step) or OUT_OF_TIME."""

CLOCK_EVERY = 7
"""Cells between clock checks, minus one (a bit mask)."""


@kernel
def chain(desk: SudokuDesk, one_digit: bool, deadline: float) -> int:
    """Find the first chain, by its start in reading order, that excludes a digit.

    Recorded: cell and digit minus one of its start and of its end.
    """
    size = desk.units.sides[0]
    for cell in range(len(desk.can)):
        if cell & CLOCK_EVERY == 0 and cpu_seconds() > deadline:
            return int(OUT_OF_TIME)
        for k in range(size if not desk.placed[cell] else 0):
            if desk.can[cell] >> k & 1 != 0 and _follow(desk, cell, k, one_digit) and _conclude(desk, cell, k):
                return FOUND
    return int(FIXPOINT)


@inlined
def _follow(desk: SudokuDesk, start: int, start_digit: int, one_digit: bool) -> bool:
    """Mark the nodes implied if a candidate is off; return whether any is on."""
    size = desk.units.sides[0]
    queue = desk.queue
    for word in range(len(desk.on)):
        desk.on[word] = desk.off[word] = 0
    head: Any = np.int64(0)
    tail: Any = np.int64(1)
    queue[0] = start * size + start_digit
    _mark(desk.off, queue[0])
    begun = False
    while head < tail:
        node = queue[head]
        head += 1
        cell, k = node // size, node % size
        for kind in range(KINDS):
            unit = desk.units.of[cell, kind]
            where = desk.where[unit, k]
            if count(np.uint64(where)) == 2:
                place_of_other = lowest(np.uint64(where & ~(1 << desk.within[cell, kind])))
                on = desk.units.cells[unit, place_of_other] * size + k
                if _mark(desk.on, on):
                    tail = _rule_out(desk, on // size, k, one_digit, tail)
                    begun = True
        if not one_digit and count(np.uint64(desk.can[cell])) == 2:
            other = lowest(np.uint64(desk.can[cell] & ~(1 << k)))
            if _mark(desk.on, cell * size + other):
                tail = _rule_out(desk, cell, other, one_digit, tail)
                begun = True
    return begun


@inlined
def _mark(marks: np.ndarray, node: int) -> bool:
    """Mark a node; return whether it was unmarked."""
    bit = np.uint64(1) << np.uint64(node % WORD)
    new = marks[node // WORD] & bit == 0
    marks[node // WORD] |= bit
    return bool(new)


@inlined
def _rule_out(desk: SudokuDesk, cell: int, k: int, one_digit: bool, tail: int) -> int:
    """Queue what a digit in a cell excludes; return the queue's new end."""
    size = desk.units.sides[0]
    for j in range(desk.peers.shape[1]):
        peer = desk.peers[cell, j]
        if desk.can[peer] >> k & 1 != 0 and _mark(desk.off, peer * size + k):
            desk.queue[tail] = peer * size + k
            tail += 1
    others: Any = np.int64(0 if one_digit else desk.can[cell] & ~(1 << k))
    while others != 0:
        node = cell * size + lowest(np.uint64(others))
        others &= others - 1
        if _mark(desk.off, node):
            desk.queue[tail] = node
            tail += 1
    return tail


@inlined
def _conclude(desk: SudokuDesk, cell: int, k: int) -> bool:
    """Exclude what both ends of a marked chain exclude; return whether anything changed."""
    size = desk.units.sides[0]
    start = cell * size + k
    if desk.on[start // WORD] >> np.uint64(start % WORD) & np.uint64(1) != 0:
        place(desk, cell, 1 << k)
        _note(desk, cell, k, cell, k)
        return True
    for word in range(len(desk.on)):
        marks: Any = desk.on[word]
        while marks != 0:
            node = word * WORD + lowest(marks)
            marks &= marks - np.uint64(1)
            if _strike_between(desk, cell, k, node // size, node % size):
                _note(desk, cell, k, node // size, node % size)
                return True
    return False


@inlined
def _strike_between(desk: SudokuDesk, cell: int, k: int, end: int, e: int) -> bool:
    """Exclude what is false if one cell has one digit or the other cell the other; return whether anything changed."""
    found = False
    if end == cell:
        found = strike(desk, cell, ~(1 << k | 1 << e))
    elif e == k:
        for j in range(desk.peers.shape[1]):
            seen = desk.peers[cell, j]
            if desk.can[seen] >> k & 1 != 0 and sees(desk, seen, end) and strike(desk, seen, 1 << k):
                found = True
    elif sees(desk, cell, end):
        found = strike(desk, cell, 1 << e)
        found = strike(desk, end, 1 << k) or found
    return found


@inlined
def _note(desk: SudokuDesk, cell: int, k: int, end: int, e: int) -> None:
    """Record the ends of a chain."""
    desk.chosen[0], desk.chosen[1], desk.chosen[2], desk.chosen[3] = cell, k, end, e
