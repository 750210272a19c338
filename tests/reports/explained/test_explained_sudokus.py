"""Steps of Sudokus in words, one of each kind."""

import numpy as np
import pytest

from nonocensus.reports.explained.sudoku_words import describe_ending, describe_step, fields_of
from nonocensus.solver.model import sudoku_techniques as names
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.steps import CELL, Board, Follows, Need, Pattern, SudokuRefutation, SudokuStep
from nonocensus.solver.sudoku.techniques.sudoku_explanation import SudokuExplanation

BOARD: Board = [{1, 5} if cell == 3 else {1, 2, 5} for cell in range(81)]
ROW, COLUMN, BOX = 0, 9, 18

STEPS = {
    "Box 1, hidden-single: r2c3 is 5.": SudokuStep(
        names.HIDDEN_SINGLE, ((11, 1),), Pattern((Need(BOX, 5),)), placed=(11, 5)
    ),
    "naked-single: r1c4 is 5.": SudokuStep(names.NAKED_SINGLE, (), Pattern((Need(CELL, 3),)), placed=(3, 5)),
    "Box 2, locked-candidates 5 in row 1: r1c1 and r1c2 are not 5.": SudokuStep(
        names.LOCKED, ((0, 5), (1, 5)), Pattern((Need(BOX + 1, 5),), (Need(ROW, 5),))
    ),
    "Column 1, naked-pair 1 2 in r1c1 and r2c1: r3c1 is not 1 or 2.": SudokuStep(
        names.NAKED_PAIR,
        ((18, 1), (18, 2)),
        Pattern((Need(CELL, 0), Need(CELL, 9)), (Need(COLUMN, 1), Need(COLUMN, 2))),
    ),
    "Row 1, hidden-pair 1 2 in r1c1 and r1c2: r1c1 is not 5.": SudokuStep(
        names.HIDDEN_PAIR, ((0, 5),), Pattern((Need(ROW, 1), Need(ROW, 2)), (Need(CELL, 0), Need(CELL, 1)))
    ),
    "Rows 1 and 3, x-wing 2 in columns 1 and 5: r2c5 is not 2.": SudokuStep(
        names.X_WING,
        ((13, 2),),
        Pattern((Need(ROW, 2), Need(ROW + 2, 2)), (Need(COLUMN, 2), Need(COLUMN + 4, 2))),
    ),
    "xyz-wing r1c1 (1 2 5), r1c4 (1 5), r2c2 (1 2 5): r1c2 is not 5.": SudokuStep(
        names.XYZ_WING,
        ((1, 5),),
        Pattern((Need(CELL, 0), Need(CELL, 3), Need(CELL, 10)), (Need(ROW, 1), Need(BOX, 2))),
    ),
    "chain: if r1c1 is not 5, then r1c1 is 1, so r1c4 is not 1 and r2c4 is 1, so r2c1 is 5. "
    "So r3c1 is not 5.": SudokuStep(
        names.CHAIN,
        ((18, 5),),
        Pattern((), (), ((0, 5), (0, 1), (3, 1), (12, 1), (9, 1), (9, 5))),
    ),
    "Suppose r1c1 were 5 (forcing-chain). So r1c4 is 1. In column 4 r2c4 is 5. Then nothing would be left for 1 in box "
    "2. So r1c1 is not 5.": SudokuStep(
        names.FORCING,
        ((0, 5),),
        SudokuRefutation(
            (0, 5), (Follows(Need(CELL, 3), (3, 1)), Follows(Need(COLUMN + 3, 5), (12, 5))), Need(BOX + 1, 1)
        ),
    ),
    "Suppose r1c1 were not 5 (x-chain). Then nothing would be left for r1c1. So r1c1 is 5.": SudokuStep(
        names.X_CHAIN, ((0, 1),), SudokuRefutation((0, 5), (), Need(CELL, 0), right=False), placed=(0, 5)
    ),
}


@pytest.mark.parametrize("words", STEPS)
def test_words(words: str) -> None:
    assert describe_step(STEPS[words], BOARD, 9) == words


def test_for_machines_and_at_the_end() -> None:
    puzzle = Sudoku(np.zeros((9, 9), np.uint8))
    steps = list(STEPS.values())
    told = fields_of(SudokuExplanation(puzzle, BOARD, steps, BOARD, "open"))
    assert (told["state"], told["hardest"], told["grade"], told["open"]) == ("open", "search", 9, 81)
    assert [step["words"] for step in told["steps"]][:6] == list(STEPS)[:6]
    pair, forcing = told["steps"][3], told["steps"][8]
    assert pair["needs"] == [{"cell": [1, 1]}, {"cell": [2, 1]}]
    assert pair["left"] == [{"column": 1, "digit": 1}, {"column": 1, "digit": 2}]
    assert (pair["not"], forcing["not"]) == ([[3, 1, 1], [3, 1, 2]], [[1, 1, 5]])
    assert (forcing["assume"], forcing["contradiction"]) == ([1, 1, 5], {"box": 2, "digit": 1})
    assert told["steps"][9]["assume_not"] == [1, 1, 5]
    for state, end, said in (
        ("timeout", None, "The time ran out with 81 cells left open."),
        ("contradiction", Need(BOX + 1, 5), "Nothing is left for 5 in box 2: the puzzle has no solution."),
    ):
        assert describe_ending(SudokuExplanation(puzzle, BOARD, [], BOARD, state, end)) == said
