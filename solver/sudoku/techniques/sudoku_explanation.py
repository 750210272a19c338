"""Explanations of Sudokus: human-style steps with reasons, each checked.

The kernels find a step by the easiest technique that makes progress and record it; here the record becomes a reason
that `steps.check` verifies. Cells that single assumptions can't decide stay open.
"""

import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from nonocensus.solver.lines.propagate import OUT_OF_TIME
from nonocensus.solver.model import sudoku_techniques
from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
from nonocensus.solver.model.techniques import Technique
from nonocensus.solver.sudoku.sudoku_check import validate
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.assumption import refuted
from nonocensus.solver.sudoku.techniques.chains import FOUND
from nonocensus.solver.sudoku.techniques.patterns import reason_of
from nonocensus.solver.sudoku.techniques.steps import (
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
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, desk_for, lay_down
from nonocensus.solver.sudoku.techniques.sudoku_person import take_step

State = Literal["solved", "open", "contradiction", "timeout"]


class SudokuExplanation(NamedTuple):
    """A Sudoku's solution in steps.

    start    candidates of each cell for the givens alone, row by row
    board    the same after the last step
    state    solved; open: only nested assumptions could make progress; contradiction: no solution; timeout
    end      for a contradiction, the need without candidates
    """

    puzzle: Sudoku
    start: Board
    steps: list[SudokuStep]
    board: Board
    state: State
    end: Need | None = None

    @property
    def hardest(self) -> Technique | None:
        """Hardest technique of its steps; search if cells are left open, None without steps."""
        if self.state == "open":
            return TECHNIQUES[sudoku_techniques.SEARCH]
        return TECHNIQUES[max(step.technique for step in self.steps)] if self.steps else None


def explain(puzzle: Sudoku, *, most: int = -1, cpu_limit: float = 60.0) -> SudokuExplanation:
    """Explain how a Sudoku is solved, step by step, each step checked.

    most        maximum number of finds, then `timeout`; -1 for all
    cpu_limit   CPU seconds; steps found until then are kept

    Raises InvalidPuzzle for givens that no solution can have.
    """
    validate(puzzle)
    wide, high = puzzle.box_width, puzzle.box_height
    desk, rules = desk_for(wide, high), rules_of(wide, high)
    givens = np.frombuffer(puzzle.givens.tobytes(), np.uint8)  # read-only as in grading, for the same specialisation
    lay_down(desk, givens)
    take_step(desk, sudoku_techniques.LAST_CELL, 0.0)  # compile before the clock starts
    lay_down(desk, givens)
    start = board_of(rules, givens.tolist())
    steps, state = _work(desk, rules, most, time.thread_time() + cpu_limit)
    end = _nothing_left(rules, _sets(desk.can)) if state == "contradiction" else None
    return SudokuExplanation(puzzle, start, steps, check(rules, givens.tolist(), steps, end), state, end)


def _work(desk: SudokuDesk, rules: ExclusionRules, most: int, deadline: float) -> tuple[list[SudokuStep], State]:
    """Take steps until no technique finds any, or `most` is reached."""
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
    """Convert bit masks into sets of digits."""
    return [{k + 1 for k in range(digits.bit_length()) if digits >> k & 1} for digits in can.tolist()]


def _steps(
    desk: SudokuDesk, rules: ExclusionRules, before: Board, technique: int, placed: list[int]
) -> Iterator[SudokuStep]:
    """Yield a find with its reason; exclusions that a chain's pattern does not show get a refutation each.

    before   the board before the find
    placed   the cell that was placed, if any
    """
    after = _sets(desk.can)
    gone = [(cell, digit) for cell, digits in enumerate(before) for digit in sorted(digits - after[cell])]
    written = [(cell, digit) for cell in placed for digit in after[cell]]
    if not gone and not written:  # it found only a digit without places
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
    """Return a step with a refutation as its reason."""
    why = refuted(rules, board, node)
    if why is None:
        raise InvalidSudokuStep("no assumption leads to the contradiction that the kernels find")
    return SudokuStep(technique, (node,), why)


def _nothing_left(rules: ExclusionRules, board: Board) -> Need:
    """Return the first need without candidates."""
    needs = [Need(CELL, cell) for cell in range(len(board))]
    needs += [Need(unit, digit) for unit in range(len(rules.units)) for digit in range(1, rules.size + 1)]
    return next(need for need in needs if not candidates(rules, board, need))
