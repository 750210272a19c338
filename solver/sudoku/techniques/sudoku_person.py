"""Solve a Sudoku as a person would: always with the easiest technique that makes progress.

After a find, restart with the easiest. Techniques are monotone, so the hardest technique that a puzzle needs does not
depend on the order.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model import sudoku_techniques as names
from nonocensus.solver.sudoku.sudoku_lookahead import first_refuted
from nonocensus.solver.sudoku.techniques.chains import FOUND, chain
from nonocensus.solver.sudoku.techniques.locked import locked_candidates
from nonocensus.solver.sudoku.techniques.single_techniques import hidden_single, last_cell, naked_single
from nonocensus.solver.sudoku.techniques.subsets import fish, hidden_subset, naked_subset
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, lay_down, strike
from nonocensus.solver.sudoku.techniques.wings import bent_wing, w_wing

NAKED, HIDDEN, FISH = range(3)

COVERS = {
    names.NAKED_PAIR: (NAKED, 2),
    names.HIDDEN_PAIR: (HIDDEN, 2),
    names.X_WING: (FISH, 2),
    names.NAKED_TRIPLE: (NAKED, 3),
    names.HIDDEN_TRIPLE: (HIDDEN, 3),
    names.SWORDFISH: (FISH, 3),
    names.NAKED_QUAD: (NAKED, 4),
    names.HIDDEN_QUAD: (HIDDEN, 4),
    names.JELLYFISH: (FISH, 4),
}
"""Function of solver.sudoku.techniques.subsets and subset size, by technique."""

KIND, NUMBER = (
    np.array([COVERS.get(technique, (-1, 0))[k] for technique in range(names.SEARCH)], np.int64) for k in range(2)
)


@kernel
def work_through_all(
    desk: SudokuDesk,
    givens: np.ndarray,
    ends: np.ndarray,
    which: np.ndarray,
    seconds: float,
    steps: np.ndarray,
    ended: np.ndarray,
    left: np.ndarray,
    taken: np.ndarray,
) -> None:
    """Solve valid puzzles of the desk's kind by human techniques, one after the other.

    givens, ends   puzzle p's givens are givens[ends[p] : ends[p + 1]] (solver.sudoku.grids)
    which          int64: the puzzles
    seconds        CPU seconds for each
    steps          int64[puzzles, techniques]: incremented by finds
    ended          int64[puzzles]: output, the results of `work_through`
    left           int64[puzzles]: output, open cells at the end
    taken          float64[puzzles]: output, CPU seconds
    """
    for p in which:
        begun = cpu_seconds()
        ended[p] = work_through(desk, givens[ends[p] : ends[p + 1]], steps[p], begun + seconds)
        left[p] = _left(desk)
        taken[p] = cpu_seconds() - begun


@kernel
def work_through(desk: SudokuDesk, givens: np.ndarray, steps: np.ndarray, deadline: float) -> int:
    """Apply techniques to valid givens until none makes progress.

    steps      int64[techniques]: incremented by finds
    deadline   CPU seconds of this thread
    Returns FIXPOINT, CONTRADICTION or OUT_OF_TIME; the desk has the final state.
    """
    lay_down(desk, givens)
    technique: Any = np.int64(0)
    while technique < names.SEARCH:
        found = take_step(desk, technique, deadline)
        if desk.broken[0]:
            return int(CONTRADICTION)
        if found == OUT_OF_TIME:
            return int(OUT_OF_TIME)
        if found == FOUND:
            steps[technique] += 1
            technique = 0
        else:
            technique += 1
        if _left(desk) == 0:
            break
    return int(FIXPOINT)


@kernel
def take_step(desk: SudokuDesk, technique: int, deadline: float) -> int:
    """Take one step by a technique; return FOUND, FIXPOINT (no find) or OUT_OF_TIME."""
    found = False
    if technique == names.LAST_CELL:
        found = last_cell(desk)
    elif technique == names.HIDDEN_SINGLE:
        found = hidden_single(desk)
    elif technique == names.NAKED_SINGLE:
        found = naked_single(desk)
    elif technique == names.LOCKED:
        found = locked_candidates(desk)
    elif technique == names.XY_WING or technique == names.XYZ_WING:
        found = bent_wing(desk, 2 + technique - names.XY_WING)
    elif technique == names.W_WING:
        found = w_wing(desk)
    elif technique == names.X_CHAIN or technique == names.CHAIN:
        return chain(desk, technique == names.X_CHAIN, deadline)
    elif technique == names.FORCING or technique == names.LONG_FORCING:
        return _force(desk, technique == names.LONG_FORCING, deadline)
    else:
        number: Any = np.int64(NUMBER[technique])
        kind = KIND[technique]
        if kind == NAKED:
            found = naked_subset(desk, number)
        elif kind == HIDDEN:
            found = hidden_subset(desk, number)
        else:
            found = fish(desk, number)
    return FOUND if found else int(FIXPOINT)


@inlined
def _left(desk: SudokuDesk) -> int:
    """Return the number of cells without a digit."""
    left: Any = np.int64(0)
    for row in range(desk.units.sides[0]):
        left += desk.left[row]
    return int(left)


@kernel
def _force(desk: SudokuDesk, deep: bool, deadline: float) -> int:
    """Exclude the first candidate whose assumption is refuted."""
    can, trial, units, due, counters = desk.can, desk.trial, desk.units, desk.due, desk.counters
    status = first_refuted(can, trial, units, due, deep, counters, deadline, desk.chosen)
    if status == CONTRADICTION:
        strike(desk, desk.chosen[0], desk.chosen[1])
        return FOUND
    return int(status)
