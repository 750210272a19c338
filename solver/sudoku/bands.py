"""Bit-parallel search for 9x9 with boxes of 3x3: up to two solutions, all digits of a band in nine words.

A band is a row of three boxes, 27 cells, as bits of a word. Each digit has a word per band: its candidate cells. A
digit occurs once in each row and once in each box of a band, so the rows and boxes it takes form a permutation of
three; likewise bands and columns of a stack. `KEPT` maps a 3x3 mask to the places that lie on some permutation, which
finds hidden singles and locked candidates in one lookup. Naked singles come from bit-parallel counting.

Bands are the representation of the fast solvers of the last twenty years (bb_sudoku, JCZSolve, fsss2; described in
T. Dillon's notes on tdoku). Other sizes use solver.sudoku.sudoku_search; tests compare the two.
"""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, standalone
from nonocensus.solver.ladder.search import EXHAUSTED, LATE, TWO_FOUND
from nonocensus.solver.lines.bits import count, lowest

DIGITS, BANDS, CELLS = 9, 3, 81
ALL = (1 << 27) - 1
ROW = (1 << 9) - 1

OPEN = DIGITS * BANDS
"""Index of a state's words of open cells, one per band, after those of the digits (band * 9 + digit)."""

STATE = 32
"""Words of a state; the last two are padding."""

LEVELS = CELLS + 1
"""Maximum number of states: each guess decides a cell."""

CLOCK_EVERY = 63
"""Guesses between clock checks, minus one (a bit mask): about 50 us."""


def _kept() -> np.ndarray:
    """Return int64[512]: the places of a 3x3 mask, three bits a line, that lie on a permutation within the mask."""
    whole = [sum(1 << (3 * line + place) for line, place in enumerate(order)) for order in permutations(range(3))]
    return np.array([sum({1 << k for w in whole if w & m == w for k in range(9) if w >> k & 1}) for m in range(512)])


KEPT = _kept()

SPREAD = np.array([sum(7 << (3 * k) for k in range(9) if m >> k & 1) for m in range(512)])
"""int64[512]: the cells of a mask of row parts (a row's three cells in a box): each bit tripled."""

SHRUNK = np.array([sum(1 << k for k in range(3) if m >> (3 * k) & 7) for m in range(512)])
"""int64[512]: the row parts that a row's nine cells touch."""

ONE = np.array([m if m.bit_count() == 1 else 0 for m in range(512)])
"""int64[512]: the cells themselves if there is exactly one, else 0."""

SELF = np.array(
    [
        ALL & ~sum(1 << k for k in range(27) if k != cell and (k // 9 == cell // 9 or k % 9 // 3 == cell % 9 // 3))
        for cell in range(27)
    ]
)
"""int64[27]: mask for a band's word after placing the digit in a cell: the cell, and other rows and boxes."""


class BandBoard(NamedTuple):
    """Workspace of one search.

    states   int32[LEVELS, STATE]: the current state, then the alternative of each open guess
    done     int32[27]: the digits' words after the last `_close`
    """

    states: np.ndarray
    done: np.ndarray


def desk_for() -> BandBoard:
    """Allocate a workspace, reusable for successive searches."""
    return BandBoard(np.zeros((LEVELS, STATE), np.int32), np.zeros(OPEN, np.int32))


@standalone
def count_solutions(
    givens: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    number: np.ndarray,
    effort: np.ndarray,
    desk: BandBoard,
    deadline: float,
) -> int:
    """Search for up to two solutions of valid givens; return EXHAUSTED, TWO_FOUND or LATE.

    givens          uint8[81], 0 for an open cell
    first, second   uint8[81]: output, the solutions; number[0], initially 0, counts them
    effort          int64[2]: incremented by the nodes (two per guess) and the depth of the search
    deadline        CPU seconds of this thread
    """
    states, done = desk
    level: Any = np.int64(0)
    guesses: Any = np.int64(0)
    state = states[0]
    done[:] = 0
    _set_up(givens, state)
    while True:
        if _propagate(state, done):
            if state[OPEN] | state[OPEN + 1] | state[OPEN + 2] == 0:
                _write(state, first if number[0] == 0 else second)
                number[0] += 1
                if number[0] == 2:
                    return TWO_FOUND
            else:
                guesses += 1
                if guesses & CLOCK_EVERY == 0 and cpu_seconds() > deadline:
                    return LATE
                level += 1
                effort[0] += 2
                effort[1] = max(effort[1], level)
                _guess(state, states[level])
                continue
        if level == 0:
            return EXHAUSTED
        _copy(states[level], state)
        level -= 1
        done[:] = 0


@inlined
def _set_up(givens: np.ndarray, state: np.ndarray) -> None:
    """Write the initial state of the givens, propagated within their bands only."""
    state[:OPEN] = ALL
    state[OPEN : OPEN + BANDS] = ALL
    for band in range(BANDS):
        for cell in range(27):
            digit: Any = np.int64(givens[27 * band + cell]) - 1
            if digit >= 0:
                state[9 * band + digit] &= SELF[cell]
    for band in range(BANDS):
        given: Any = np.int64(0)
        for cell in range(27):
            given |= np.int64(givens[27 * band + cell] != 0) << cell
        for digit in range(DIGITS):
            own: Any = np.int64(0)
            for cell in range(27):
                own |= np.int64(givens[27 * band + cell] == digit + 1) << cell
            state[9 * band + digit] &= ~given | own


@inlined
def _propagate(state: np.ndarray, done: np.ndarray) -> bool:
    """Propagate singles and locked candidates to a fixpoint; return whether no contradiction occurs."""
    while True:
        moved = False
        for digit in range(DIGITS):
            a: Any = np.int64(state[digit])
            b: Any = np.int64(state[9 + digit])
            c: Any = np.int64(state[18 + digit])
            if a == done[digit] and b == done[9 + digit] and c == done[18 + digit]:
                continue
            moved = True
            a, b, c = _close(a, b, c)
            if a == 0 or b == 0 or c == 0:
                return False
            found0 = _singles(a) & state[OPEN]
            found1 = _singles(b) & state[OPEN + 1]
            found2 = _singles(c) & state[OPEN + 2]
            if found0 | found1 | found2 != 0:
                _take(state, found0, found1, found2)
            state[digit] = done[digit] = a
            state[9 + digit] = done[9 + digit] = b
            state[18 + digit] = done[18 + digit] = c
        for band in range(BANDS):
            once: Any = np.int64(0)
            twice: Any = np.int64(0)
            for digit in range(DIGITS):
                word = state[9 * band + digit]
                twice |= once & word
                once |= word
            if once != ALL:
                return False
            naked = once & ~twice & state[OPEN + band]
            if naked != 0:
                moved = True
                _place(state, band, naked)
        if not moved:
            return True


@inlined
def _close(a: int, b: int, c: int) -> tuple[int, int, int]:
    """Return one digit's words of the three bands after elimination by rows, boxes and columns."""
    while True:
        a0, b0, c0 = a, b, c
        a &= _kept_in_band(a)
        b &= _kept_in_band(b)
        c &= _kept_in_band(c)
        x, y, z = _columns(a), _columns(b), _columns(c)
        left = KEPT[(x & 7) | (y & 7) << 3 | (z & 7) << 6]
        middle = KEPT[(x >> 3 & 7) | (y & 56) | (z & 56) << 3]
        right = KEPT[(x >> 6) | (y >> 6) << 3 | (z & 448)]
        a &= _in_all_rows((left & 7) | (middle & 7) << 3 | (right & 7) << 6)
        b &= _in_all_rows((left >> 3 & 7) | (middle & 56) | (right & 56) << 3)
        c &= _in_all_rows((left >> 6) | (middle >> 6) << 3 | (right & 448))
        if a == a0 and b == b0 and c == c0:
            return a, b, c


@inlined
def _kept_in_band(word: int) -> int:
    """Return the row parts of a band that lie on a permutation of rows and boxes."""
    threes = SHRUNK[word & ROW] | SHRUNK[word >> 9 & ROW] << 3 | SHRUNK[word >> 18] << 6
    return int(SPREAD[KEPT[threes]])


@inlined
def _columns(word: int) -> int:
    """Return the columns of the cells of a band's word."""
    return (word | word >> 9 | word >> 18) & ROW


@inlined
def _in_all_rows(columns: int) -> int:
    """Return the cells of a band in these columns."""
    return columns | columns << 9 | columns << 18


@inlined
def _singles(word: int) -> int:
    """Return the cells of a band's word that are alone in their row."""
    return int(ONE[word & ROW] | ONE[word >> 9 & ROW] << 9 | ONE[word >> 18] << 18)


@inlined
def _take(state: np.ndarray, found0: int, found1: int, found2: int) -> None:
    """Remove all digits from decided cells of the bands; the caller restores the digit placed there."""
    state[OPEN] &= ~found0
    state[OPEN + 1] &= ~found1
    state[OPEN + 2] &= ~found2
    for digit in range(DIGITS):
        state[digit] &= ~found0
        state[9 + digit] &= ~found1
        state[18 + digit] &= ~found2


@inlined
def _place(state: np.ndarray, band: int, naked: int) -> None:
    """Place the last candidate of cells of a band: exclude it from the rest of their rows and boxes."""
    for digit in range(DIGITS):
        hits = state[9 * band + digit] & naked
        while hits != 0:
            state[9 * band + digit] &= SELF[lowest(np.uint64(hits))]
            hits &= hits - 1


@inlined
def _guess(state: np.ndarray, other: np.ndarray) -> None:
    """Guess an open cell: its lowest digit in this state, the other digits in `other`.

    Prefers a cell with two candidates, the one with most such cells in its row and box of the band.
    """
    band: Any = np.int64(0)
    cell: Any = np.int64(0)
    best: Any = np.int64(4)
    most: Any = np.int64(-1)
    for b in range(BANDS):
        once: Any = np.int64(0)
        twice: Any = np.int64(0)
        more: Any = np.int64(0)
        many: Any = np.int64(0)
        for digit in range(DIGITS):
            word = state[9 * b + digit]
            many |= more & word
            more |= twice & word
            twice |= once & word
            once |= word
        left = state[OPEN + b]
        two, three = left & ~more, left & ~many
        rest = two
        while rest != 0:
            k = lowest(np.uint64(rest))
            rest &= rest - 1
            near = count(np.uint64(two & ~SELF[k]))
            if near > most:
                band, cell, best, most = b, k, 2, near
        if three != 0 and best > 3:
            band, cell, best = b, lowest(np.uint64(three)), 3
        elif left != 0 and best > 3:
            band, cell = b, lowest(np.uint64(left))
    _copy(state, other)
    digit = 0
    while state[9 * band + digit] >> cell & 1 == 0:
        digit += 1
    other[9 * band + digit] &= ~(1 << cell)
    state[9 * band + digit] &= SELF[cell]
    for e in range(DIGITS):
        if e != digit:
            state[9 * band + e] &= ~(1 << cell)


@inlined
def _copy(state: np.ndarray, other: np.ndarray) -> None:
    for k in range(STATE):
        other[k] = state[k]


@inlined
def _write(state: np.ndarray, solution: np.ndarray) -> None:
    """Write the grid of a state without open cells."""
    for band in range(BANDS):
        for digit in range(DIGITS):
            word: Any = np.int64(state[9 * band + digit])
            while word != 0:
                solution[27 * band + lowest(np.uint64(word))] = digit + 1
                word &= word - 1
