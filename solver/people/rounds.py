"""Solve a puzzle in rounds: in each, every changed line is looked at once, with the easiest technique that finds any.

Where no line offers progress, all assumptions that the shallowest technique refutes are excluded at once. All finds of
a round are made on the grid as it was before the round, so the counts are equal for a puzzle and its mirrored, rotated
and recoloured images, which those of `solver.people.person` are not. A round shows how many lines offer progress at a
moment, and the lines that were looked at without result.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, lowest
from nonocensus.solver.lines.board import Board, copy, open_cells
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.techniques import CLUE, COUNTING, LINE, LINE_TECHNIQUES
from nonocensus.solver.people.assume import Assumptions, assume_on, exclude, find_refuted, until
from nonocensus.solver.people.desk import PALETTE, Desk, painted
from nonocensus.solver.people.person import (
    PuzzleSheet,
    easiest,
    every_cell_has_a_color,
    is_late,
    load_number,
    open_cells_of,
    rule_out,
    write_find,
)

ROUNDS, OPEN_LINES, STROKES, BACKGROUND_STROKES, DECIDED, DECIDED_ROUNDS = range(6)
"""Indices of `Rounds.counts`."""

LOOKS_PER_FIND, LOG_OPEN = range(2)
"""Indices of `Rounds.sums`."""


class Rounds(NamedTuple):
    """Counts of the rounds of a puzzle.

    steps     int64[techniques]: looks at a line by the easiest technique that found any there
    counts    int64[6]: ROUNDS with a find; OPEN_LINES summed over them; STROKES, runs of cells of one colour that a
              look decides, and those of them of the background; DECIDED cells, and the sum of their rounds
    sums      float64[2]: summed over the rounds, lines looked at per line with a find; summed over the rounds of
              assumptions, the logarithm of the number of open cells
    after     scratch: the board after the round
    """

    steps: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    after: Board


def rounds_for(sheet: PuzzleSheet) -> Rounds:
    """Return empty counts for a sheet."""
    after = sheet.board._replace(can=np.zeros_like(sheet.board.can))
    return Rounds(np.zeros(LINE_TECHNIQUES, np.int64), np.zeros(6, np.int64), np.zeros(2), after)


@inlined
def clear_rounds(rounds: Rounds) -> None:
    """Set all counts to zero."""
    rounds.steps[:] = 0
    rounds.counts[:] = 0
    rounds.sums[:] = 0


@kernel
def solve_in_rounds(sheet: PuzzleSheet, rounds: Rounds, assumptions: Assumptions, deadline: float) -> int:
    """Solve a puzzle in rounds, until nothing makes progress, adding to `rounds`. Returns as `propagate`.

    deadline    CPU seconds of this thread
    """
    ended = find_in_rounds(sheet, rounds, deadline)
    if ended != FIXPOINT or open_cells_of(sheet) == 0:
        return ended
    assumptions = until(assumptions, deadline)
    assume_on(assumptions, sheet)
    while True:
        left, found = open_cells_of(sheet), find_refuted(assumptions, len(assumptions.log))
        if found <= 0:
            return OUT_OF_TIME if found < 0 else FIXPOINT
        rounds.sums[LOG_OPEN] += math.log(left)
        for k in range(found):
            place, color = int(assumptions.log[k, 0]), int(assumptions.log[k, 1])
            rule_out(sheet, place, color)
            ended = exclude(assumptions, place, color)
            if ended != FIXPOINT:
                return ended
        ended = find_in_rounds(sheet, rounds, deadline)
        if ended != FIXPOINT or open_cells_of(sheet) == 0:
            return ended


@standalone
def find_in_rounds(sheet: PuzzleSheet, rounds: Rounds, deadline: float) -> int:
    """Run rounds on the sheet's board until none makes progress, adding to `rounds`. Returns as `propagate`.

    Lines due for any technique are looked at with all of them.

    deadline    CPU seconds of this thread
    """
    board, desk, after, bit_width = sheet.board, sheet.desk, rounds.after, sheet.desk.bit_width
    height = int(board.size[1])
    rows, columns = _all_due(sheet)
    while has_any(rows) or has_any(columns):
        copy(board, after)
        first = CLUE if rounds.counts[ROUNDS] == 0 else COUNTING  # which finds at most once
        looks = finds = 0
        changed_rows, changed_columns = empty(bit_width), empty(bit_width)
        while has_any(rows) or has_any(columns):
            is_row = has_any(rows)
            place = lowest(rows) if is_row else lowest(columns)
            here, number = bit(place, bit_width), place if is_row else height + place
            if is_row:
                rows = rows & ~here
            else:
                columns = columns & ~here
            if is_late(sheet, deadline):
                return OUT_OF_TIME
            is_open = load_number(sheet, number, both=True)
            looks += is_open
            technique = easiest(sheet, number, first if is_open else LINE, LINE_TECHNIQUES)
            if technique == LINE_TECHNIQUES:
                continue
            if not is_open:
                return CONTRADICTION
            finds += 1
            rounds.steps[technique] += 1
            _count_strokes(desk, rounds.counts)
            changed = write_find(after, number, desk.new, 0, bit_width)
            if is_row:
                changed_rows, changed_columns = changed_rows | here, changed_columns | changed
            else:
                changed_rows, changed_columns = changed_rows | changed, changed_columns | here
        if finds == 0:
            return FIXPOINT
        rounds.sums[LOOKS_PER_FIND] += looks / finds
        if not _end_round(board, rounds, bit_width):
            return CONTRADICTION
        rows, columns = changed_rows, changed_columns
    return FIXPOINT


@inlined
def _all_due(sheet: PuzzleSheet) -> tuple[Any, Any]:
    """Return the rows and the columns that are due for any technique, and mark none due."""
    rows, columns = empty(sheet.desk.bit_width), empty(sheet.desk.bit_width)
    for technique in range(LINE_TECHNIQUES):
        rows = rows | load(sheet.due, 2 * technique, sheet.desk.bit_width)
        columns = columns | load(sheet.due, 2 * technique + 1, sheet.desk.bit_width)
    sheet.due[:] = 0
    return rows, columns


@inlined
def _count_strokes(desk: Desk, counts: np.ndarray) -> None:
    """Count the runs of cells of one colour that the technique has decided."""
    once, several = empty(desk.bit_width), empty(desk.bit_width)
    for c in range(desk.line[PALETTE]):
        possible = load(desk.new, c, desk.bit_width)
        several = several | (once & possible)
        once = once | possible
    for c in range(desk.line[PALETTE]):
        decided = load(desk.new, c, desk.bit_width) & ~several & ~painted(desk, 0, c)
        strokes = count(decided & ~(decided << 1))
        counts[STROKES] += strokes
        counts[BACKGROUND_STROKES] += strokes if c == 0 else 0


@inlined
def _end_round(board: Board, rounds: Rounds, bit_width: Any) -> bool:
    """Count the round and copy its result to the board; return whether every cell still has a colour."""
    after, counts = rounds.after, rounds.counts
    counts[ROUNDS] += 1
    open_columns = empty(bit_width)
    for y in range(board.size[1]):
        if not every_cell_has_a_color(after, y, bit_width):
            return False
        before = open_cells(board, y, bit_width)
        open_columns = open_columns | before
        counts[OPEN_LINES] += has_any(before)
        decided = count(before & ~open_cells(after, y, bit_width))
        counts[DECIDED] += decided
        counts[DECIDED_ROUNDS] += decided * counts[ROUNDS]
    counts[OPEN_LINES] += count(open_columns)
    copy(after, board)
    return True
