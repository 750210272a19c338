"""9x9 on planes, held against the same rungs on cells, to the last counter; rows as vectors, lane by lane."""

import math
import random

import numpy as np
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from sudoku_desks import hard

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import COUNTERS, PROBES
from nonocensus.solver.sudoku import planes, rows, singles, sudoku_lookahead
from nonocensus.solver.sudoku.rows import BAND, LANES
from nonocensus.solver.sudoku.units import units_of

seeds = st.integers(0, (1 << 32) - 1)
UNITS = units_of(3, 3)
NOTHING = np.zeros(0, np.uint8)


def drawn(seed: int, wrong: bool) -> np.ndarray:
    """Givens of a 9x9, few enough that all rungs may be needed; a wrong one makes many impossible.

    One of forty with rows, columns and digits exchanged: to make one takes longer than all that is done with it.
    """
    rng = random.Random(seed)
    givens = oracle.exchanged(hard(seed % 40), 3, 3, rng).ravel()
    if wrong:
        givens[rng.choice(np.flatnonzero(givens == 0).tolist())] = rng.randint(1, 9)
    return givens


class Pair:
    """The same board on planes and on cells."""

    def __init__(self) -> None:
        self.can, self.twin = np.zeros(81, np.int64), np.zeros(81, np.int64)
        self.counters, self.counted = np.zeros(COUNTERS, np.int64), np.zeros(COUNTERS, np.int64)
        self.trial, self.due = np.zeros((2, 81), np.int64), np.zeros((2, 27), np.bool_)
        self.desk = planes.desk_for()

    def agree(self, status: int, twin: int, before: tuple[list[int], list[int]]) -> bool:
        """Hold one against the other after a step; whether the next may follow."""
        assert status == twin
        now = self.can.tolist(), self.counters.tolist()
        if status == CONTRADICTION:
            assert now == before  # nothing has been done
            return False
        assert now == (self.twin.tolist(), self.counted.tolist())
        assert not self.due.any()
        return status == FIXPOINT

    def state(self) -> tuple[list[int], list[int]]:
        return self.can.tolist(), self.counters.tolist()

    def follow(self, givens: np.ndarray) -> bool:
        before = self.state()
        status = planes.follow_givens(givens, self.can, self.desk, self.counters)
        singles.put_on(givens, UNITS, self.twin, self.due[0])
        return self.agree(status, singles.follow(self.twin, UNITS, self.due[0], self.counted), before)

    def use_patterns(self) -> bool:
        before = self.state()
        status = planes.use_patterns(self.can, UNITS, self.desk, self.counters)
        return self.agree(status, sudoku_lookahead.use_patterns(self.twin, UNITS, self.due[0], self.counted), before)

    def refute(self, deep: bool, known: np.ndarray = NOTHING, deadline: float = math.inf) -> bool:
        before = self.state()
        status = planes.refute(self.can, deep, known, self.desk, self.counters, deadline)
        others = self.trial, UNITS, self.due, deep, known, self.counted, deadline
        return self.agree(status, sudoku_lookahead.refute(self.twin, *others), before)


@pytest.mark.slow
@given(seeds, st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_planes_do_what_cells_do(seed: int, wrong: bool, patterns: bool, told: bool) -> None:
    """With or without patterns first, and with or without a solution that is known."""
    givens, pair = drawn(seed, wrong), Pair()
    known = next(oracle.solutions(givens.reshape(9, 9), 3, 3)).ravel() if told and not wrong else NOTHING
    if pair.follow(givens) and (not patterns or pair.use_patterns()) and pair.refute(False, known):
        pair.refute(True, known)


@pytest.mark.plain_python
@pytest.mark.parametrize("wrong", [False, True])
def test_a_few_puzzles(wrong: bool) -> None:
    ends = [0, 0]
    for seed in range(4):
        pair = Pair()
        went_on = pair.follow(drawn(seed, wrong)) and pair.use_patterns() and pair.refute(False)
        ends[went_on] += 1
    assert ends[not wrong] > 0


def test_givens_without_a_digit_and_all_of_them() -> None:
    for givens in (np.zeros(81, np.uint8), oracle.full_grid(3, 3, random.Random(3)).ravel()):
        pair = Pair()
        assert pair.follow(givens)
        assert pair.use_patterns()
        assert pair.refute(False)


def test_time_that_is_over() -> None:
    """The clock is looked at after as many assumptions as on cells, whatever was counted before."""
    pair = Pair()
    assert pair.follow(np.zeros(81, np.uint8))
    pair.counters[PROBES] = pair.counted[PROBES] = 40
    assert not pair.refute(True, deadline=-math.inf)
    assert pair.counters[PROBES] == 63
    assert planes.refute(pair.can, True, NOTHING, pair.desk, pair.counters, -math.inf) == OUT_OF_TIME


@kernel
def _all_operators(memory: np.ndarray, by: int, numbers: np.ndarray) -> None:
    """Each operator on rows 0 and 1; results from row 2 on, and in `numbers`."""
    x, y = rows.load(memory, 0), rows.load(memory, 1)
    rows.store(memory, 2, x & y)
    rows.store(memory, 3, x | y)
    rows.store(memory, 4, x ^ y)
    rows.store(memory, 5, x - y)
    rows.store(memory, 6, ~x)
    rows.store(memory, 7, x << by)
    rows.store(memory, 8, x >> by)
    rows.store(memory, 9, rows.where_any(x))
    rows.store(memory, 10, rows.next_row(x))
    rows.store(memory, 11, rows.next_band(x))
    numbers[0], numbers[1] = rows.lanes_of(x), rows.united(x)


@pytest.mark.plain_python
@given(seeds, st.integers(0, 15))
@settings(max_examples=40, deadline=None)
def test_rows(seed: int, by: int) -> None:
    """Lane by lane, with numbers of Python."""
    rng = np.random.default_rng(seed)
    memory, numbers = rng.integers(0, 1 << 16, (12, LANES)).astype(np.uint16), np.zeros(2, np.int64)
    memory[0, rng.random(LANES) < 0.4] = 0
    words, others = memory[0].tolist(), memory[1].tolist()
    _all_operators(memory, by, numbers)
    of_both = ((lambda a, b: a & b), (lambda a, b: a | b), (lambda a, b: a ^ b), (lambda a, b: a - b))
    of_one = ((lambda a: ~a), (lambda a: a << by), (lambda a: a >> by), (lambda a: 0xFFFF if a else 0))
    expected = [[act(a, b) & 0xFFFF for a, b in zip(words, others, strict=True)] for act in of_both]
    expected += [[act(a) & 0xFFFF for a in words] for act in of_one]
    assert memory[2:10].tolist() == expected
    for row in range(9):
        lane = row // 3 * BAND + row % 3
        beneath, next_band = row // 3 * BAND + (row + 1) % 3, (row // 3 + 1) % 3 * BAND + row % 3
        assert (memory[10, lane], memory[11, lane]) == (words[beneath], words[next_band])
    united = 0
    for word in words:
        united |= word
    assert numbers.tolist() == [sum(1 << lane for lane, word in enumerate(words) if word), united]
