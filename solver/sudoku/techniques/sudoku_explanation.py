"""Explanations of Sudokus: solved as a person would, step by step, each step with its reason, and checked.

The kernels find a step, always by the easiest technique that finds something, and note what it was made of. Here that
becomes a reason that `steps.check` can follow. What assumptions alone can't decide is left open.
"""

import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from solver.lines.propagate import OUT_OF_TIME
from solver.model import sudoku_techniques
from solver.model.sudoku_techniques import TECHNIQUES
from solver.model.techniques import Technique
from solver.sudoku.sudoku_check import validate
from solver.sudoku.sudoku_puzzle import Sudoku
from solver.sudoku.techniques.assumption import refuted
from solver.sudoku.techniques.chains import FOUND
from solver.sudoku.techniques.patterns import reason_of
from solver.sudoku.techniques.steps import (
    CELL,
    Board,
    ExclusionRules,
    InvalidSudokuStep,
    Need,
    Node,
    SudokuStep,
    board_of,
    candidates,
    check,
    holds,
    rules_of,
)
from solver.sudoku.techniques.sudoku_desk import SudokuDesk, desk_for, lay_down
from solver.sudoku.techniques.sudoku_person import take_step

State = Literal["solved", "open", "contradiction", "timeout"]


class SudokuExplanation(NamedTuple):
    """How a Sudoku is solved.

    start    the digits that each cell may have for the givens alone, row by row
    board    the same after the last step
    state    solved; open: only assumptions inside assumptions lead on, if anything does; contradiction: there is no
             solution; timeout: it was not finished
    end      what nothing is left for, for a contradiction
    """

    puzzle: Sudoku
    start: Board
    steps: list[SudokuStep]
    board: Board
    state: State
    end: Need | None = None

    @property
    def hardest(self) -> Technique | None:
        """The hardest technique of its steps; search if some cells are left open, None if there are no steps."""
        if self.state == "open":
            return TECHNIQUES[sudoku_techniques.SEARCH]
        return TECHNIQUES[max(step.technique for step in self.steps)] if self.steps else None


def explain(puzzle: Sudoku, *, most: int = -1, cpu_limit: float = 60.0) -> SudokuExplanation:
    """How a Sudoku is solved, step by step, and checked.

    most        finds after which to stop, as if the time were over; -1 for all
    cpu_limit   CPU seconds; what was found until then is kept

    Raises InvalidPuzzle for givens that no solution can have.
    """
    validate(puzzle)
    wide, high = puzzle.box_width, puzzle.box_height
    desk, rules = desk_for(wide, high), rules_of(wide, high)
    givens = np.frombuffer(puzzle.givens.tobytes(), np.uint8)  # read-only, as grades have them: compiled once for both
    lay_down(desk, givens)
    take_step(desk, sudoku_techniques.LAST_CELL, 0.0)  # compile before the clock starts
    lay_down(desk, givens)
    start = board_of(rules, givens.tolist())
    steps, state = _work(desk, rules, most, time.thread_time() + cpu_limit)
    end = _nothing_left(rules, _sets(desk.can)) if state == "contradiction" else None
    return SudokuExplanation(puzzle, start, steps, check(rules, givens.tolist(), steps, end), state, end)


def _work(desk: SudokuDesk, rules: ExclusionRules, most: int, deadline: float) -> tuple[list[SudokuStep], State]:
    """Take steps until nothing finds more, or there are as many as are wanted."""
    steps: list[SudokuStep] = []
    technique, finds = 0, 0
    while not desk.broken[0]:
        if desk.placed.all():
            return steps, "solved"
        if technique == sudoku_techniques.SEARCH:
            return steps, "open"
        if finds == most or time.thread_time() > deadline:
            return steps, "timeout"
        can, placed = desk.can.copy(), desk.placed.copy()
        found = take_step(desk, technique, deadline)
        if found == OUT_OF_TIME:
            return steps, "timeout"
        if found != FOUND:
            technique += 1
            continue
        steps += _steps(desk, rules, _sets(can), technique, np.flatnonzero(desk.placed & ~placed).tolist())
        technique, finds = 0, finds + 1
    return steps, "contradiction"


def _sets(can: np.ndarray) -> Board:
    """Return digits as bits into sets of digits."""
    return [{k + 1 for k in range(digits.bit_length()) if digits >> k & 1} for digits in can.tolist()]


def _steps(
    desk: SudokuDesk, rules: ExclusionRules, before: Board, technique: int, placed: list[int]
) -> Iterator[SudokuStep]:
    """Yield what a technique has found, with its reason; what a chain's pattern does not show by an assumption each.

    before   what was known
    placed   the cell that was written down, if one was
    """
    after = _sets(desk.can)
    gone = [(cell, digit) for cell, digits in enumerate(before) for digit in sorted(digits - after[cell])]
    written = [(cell, digit) for cell in placed for digit in after[cell]]
    if not gone and not written:  # all it has found is that some digit has no place left
        return
    if technique in (sudoku_techniques.FORCING, sudoku_techniques.LONG_FORCING):
        yield from (_supposed(rules, before, technique, node) for node in gone)
        return
    why = reason_of(rules, before, technique, desk.chosen.tolist(), written)
    shown = [node for node in gone if holds(rules, before, SudokuStep(technique, (node,), why))]
    for node in gone:
        if node not in shown:
            yield _supposed(rules, before, technique, node)
            before[node[0]].discard(node[1])
    if shown or written:
        yield SudokuStep(technique, tuple(shown), why, *written)


def _supposed(rules: ExclusionRules, board: Board, technique: int, node: Node) -> SudokuStep:
    """Return a step by an assumption."""
    why = refuted(rules, board, node)
    if why is None:
        raise InvalidSudokuStep("no assumption leads to the contradiction that the kernels find")
    return SudokuStep(technique, (node,), why)


def _nothing_left(rules: ExclusionRules, board: Board) -> Need:
    """Return the first need that nothing is left for."""
    needs = [Need(CELL, cell) for cell in range(len(board))]
    needs += [Need(unit, digit) for unit in range(len(rules.units)) for digit in range(1, rules.size + 1)]
    return next(need for need in needs if not candidates(rules, board, need))
