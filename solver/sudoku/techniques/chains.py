"""Chains: if one end is wrong, the other is right, link by link; so what sees both is wrong.

A link from wrong to right: the other of a unit's two places for a digit, or of a cell's two digits. From right to
wrong: all that a digit in a cell rules out. These are alternating inference chains; X-chains are those of one digit.
"""

from typing import Any

import numpy as np

from solver.bits import count, lowest
from solver.clock import cpu_seconds
from solver.jit import inlined, kernel
from solver.propagate import FIXPOINT, OUT_OF_TIME
from solver.sudoku.techniques.desk import Desk, place, places, sees, strike
from solver.sudoku.units import KINDS

FOUND = FIXPOINT + 100
"""A step was found. Otherwise these return FIXPOINT (nothing is found) or OUT_OF_TIME."""

OFF, ON = 1, 2


@kernel
def chain(desk: Desk, one_digit: bool, deadline: float) -> int:
    """The first chain, by its beginning in reading order, that takes a digit away.

    Noted: of its beginning and of its end the cell and the digit less one.
    """
    size = desk.units.sides[0]
    for cell in range(len(desk.can)):
        if desk.placed[cell]:
            continue
        if cpu_seconds() > deadline:
            return int(OUT_OF_TIME)
        for k in range(size):
            if desk.can[cell] >> k & 1 != 0:
                _follow(desk, cell, k, one_digit)
                if _conclude(desk, cell, k, one_digit):
                    return FOUND
    return int(FIXPOINT)


@inlined
def _follow(desk: Desk, start: int, start_digit: int, one_digit: bool) -> None:
    """Mark what is on and off if a digit of a cell is off."""
    size = desk.units.sides[0]
    mark, queue = desk.mark, desk.queue
    for node in range(len(mark)):
        mark[node] = 0
    head: Any = np.int64(0)
    tail: Any = np.int64(1)
    queue[0] = start * size + start_digit
    mark[queue[0]] = OFF
    while head < tail:
        node = queue[head]
        head += 1
        cell, k = node // size, node % size
        for kind in range(KINDS + 1):
            on: Any = np.int64(-1)
            if kind < KINDS:
                unit = desk.units.of[cell, kind]
                where = places(desk, unit, 1 << k)
                if count(np.uint64(where)) == 2:
                    other = desk.units.cells[unit, lowest(np.uint64(where))]
                    if other == cell:
                        other = desk.units.cells[unit, lowest(np.uint64(where & (where - 1)))]
                    on = other * size + k
            elif not one_digit and count(np.uint64(desk.can[cell])) == 2:
                on = cell * size + lowest(np.uint64(desk.can[cell] & ~(1 << k)))
            if on >= 0 and mark[on] & ON == 0:
                mark[on] |= ON
                tail = _rule_out(desk, on // size, on % size, one_digit, tail)


@inlined
def _rule_out(desk: Desk, cell: int, k: int, one_digit: bool, tail: int) -> int:
    """Queue what a digit in a cell rules out; returns the queue's new end."""
    size = desk.units.sides[0]
    mark, queue = desk.mark, desk.queue
    for j in range(desk.peers.shape[1]):
        node = desk.peers[cell, j] * size + k
        if desk.can[desk.peers[cell, j]] >> k & 1 != 0 and mark[node] & OFF == 0:
            mark[node] |= OFF
            queue[tail] = node
            tail += 1
    for other in range(0 if one_digit else size):
        node = cell * size + other
        if other != k and desk.can[cell] >> other & 1 != 0 and mark[node] & OFF == 0:
            mark[node] |= OFF
            queue[tail] = node
            tail += 1
    return tail


@inlined
def _conclude(desk: Desk, cell: int, k: int, one_digit: bool) -> bool:
    """Take away what is wrong whichever end of a marked chain is right; whether there is any."""
    size = desk.units.sides[0]
    if desk.mark[cell * size + k] & ON != 0:
        place(desk, cell, 1 << k)
        _note(desk, cell, k, cell, k)
        return True
    found = False
    for end in range(len(desk.can)):
        for e in range(size):
            if desk.mark[end * size + e] & ON == 0 or (one_digit and e != k):
                continue
            if end == cell:
                found = strike(desk, cell, ~(1 << k | 1 << e)) or found
            elif e == k:
                for j in range(desk.peers.shape[1]):
                    seen = desk.peers[cell, j]
                    if sees(desk, seen, end):
                        found = strike(desk, seen, 1 << k) or found
            elif sees(desk, cell, end):
                found = strike(desk, cell, 1 << e) or found
                found = strike(desk, end, 1 << k) or found
            if found:
                _note(desk, cell, k, end, e)
                return True
    return False


@inlined
def _note(desk: Desk, cell: int, k: int, end: int, e: int) -> None:
    """Note the ends of a chain."""
    desk.chosen[0], desk.chosen[1], desk.chosen[2], desk.chosen[3] = cell, k, end, e
