"""Solve a puzzle in rounds: each looks once at every changed line, with the easiest technique that makes progress.

Where no line offers progress, all assumptions that the shallowest technique refutes are excluded at once. A round's
results all follow from the grid as it was before the round, so the counts are equal for a puzzle and its mirrored,
rotated and recoloured images, which those of `solver.people.person` are not. A round shows how many lines offer
progress at a moment, and how many were looked at without result.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, lowest
from nonocensus.solver.lines.board import Board, copy, open_cells
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.techniques import CLUE, COUNTING, LINE, LINE_TECHNIQUES
from nonocensus.solver.people.assumptions import (
    Assumptions,
    begin_assumptions,
    exclude_color,
    find_refuted,
    with_assumption_deadline,
)
from nonocensus.solver.people.line_state import PALETTE, LineState, painted
from nonocensus.solver.people.person import (
    SolvingState,
    easiest_technique,
    every_cell_has_a_color,
    is_late,
    load_board_line,
    open_cells_of,
    rule_out,
    write_result,
)

ROUNDS, OPEN_LINES, STROKES, BACKGROUND_STROKES, DECIDED, DECIDED_ROUNDS = range(6)
"""Indices of `Rounds.counts`."""

LOOKS_PER_FIND, LOG_OPEN = range(2)
"""Indices of `Rounds.sums`."""


class Rounds(NamedTuple):
    """Counts of the rounds of a puzzle.

    steps     int64[techniques]: lines on which the technique is the easiest that makes progress, summed over the rounds
    counts    int64[6]: ROUNDS that make progress; OPEN_LINES summed over them; STROKES, runs of cells of one colour
              that a look decides, and those of the background; DECIDED cells, and the sum of their rounds
    sums      float64[2]: summed over the rounds, lines looked at per line with progress; summed over the rounds of
              assumptions, the logarithm of the number of open cells
    after     scratch: the board after the round
    """

    steps: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    after: Board


def rounds_for(state: SolvingState) -> Rounds:
    """Return empty counts for the puzzles of a state."""
    after = state.board._replace(can=np.zeros_like(state.board.can))
    return Rounds(np.zeros(LINE_TECHNIQUES, np.int64), np.zeros(6, np.int64), np.zeros(2), after)


@kernel
def solve_in_rounds(state: SolvingState, rounds: Rounds, assumptions: Assumptions, deadline: float) -> int:
    """Solve a puzzle in rounds, until nothing makes progress, and count them in `rounds`. Returns as `propagate`.

    deadline    CPU seconds of this thread
    """
    rounds.steps[:] = 0
    rounds.counts[:] = 0
    rounds.sums[:] = 0
    ended = solve_lines_in_rounds(state, rounds, deadline)
    if ended != FIXPOINT or open_cells_of(state) == 0:
        return ended
    assumptions = with_assumption_deadline(assumptions, deadline)
    begin_assumptions(assumptions, state)
    while True:
        left, found = open_cells_of(state), find_refuted(assumptions, len(assumptions.log))
        if found <= 0:
            return OUT_OF_TIME if found < 0 else FIXPOINT
        rounds.sums[LOG_OPEN] += math.log(left)
        for k in range(found):
            place, color = int(assumptions.log[k, 0]), int(assumptions.log[k, 1])
            rule_out(state, place, color)
            ended = exclude_color(assumptions, place, color)
            if ended != FIXPOINT:
                return ended
        ended = solve_lines_in_rounds(state, rounds, deadline)
        if ended != FIXPOINT or open_cells_of(state) == 0:
            return ended


@standalone
def solve_lines_in_rounds(state: SolvingState, rounds: Rounds, deadline: float) -> int:
    """Run rounds of line techniques until none makes progress, adding to `rounds`. Returns as `propagate`.

    Lines that are pending for any technique are tried with all of them.

    deadline    CPU seconds of this thread
    """
    board, line, after, bit_width = state.board, state.line, rounds.after, state.line.bit_width
    height = int(board.size[1])
    rows, columns = _take_pending(state)
    while has_any(rows) or has_any(columns):
        copy(board, after)
        first = CLUE if rounds.counts[ROUNDS] == 0 else COUNTING  # CLUE makes progress on a line only once
        looks = successes = 0
        changed_rows, changed_columns = empty(bit_width), empty(bit_width)
        while has_any(rows) or has_any(columns):
            is_row = has_any(rows)
            place = lowest(rows) if is_row else lowest(columns)
            here, number = bit(place, bit_width), place if is_row else height + place
            if is_row:
                rows = rows & ~here
            else:
                columns = columns & ~here
            if is_late(state, deadline):
                return OUT_OF_TIME
            is_open = load_board_line(state, number, mirrored=True)
            looks += is_open
            technique = easiest_technique(state, number, first if is_open else LINE, LINE_TECHNIQUES)
            if technique == LINE_TECHNIQUES:
                continue
            if not is_open:
                return CONTRADICTION
            successes += 1
            rounds.steps[technique] += 1
            _count_strokes(line, rounds.counts)
            changed = write_result(after, number, line.new, 0, bit_width)
            if is_row:
                changed_rows, changed_columns = changed_rows | here, changed_columns | changed
            else:
                changed_rows, changed_columns = changed_rows | changed, changed_columns | here
        if successes == 0:
            return FIXPOINT
        rounds.sums[LOOKS_PER_FIND] += looks / successes
        if not _end_round(board, rounds, bit_width):
            return CONTRADICTION
        rows, columns = changed_rows, changed_columns
    return FIXPOINT


@inlined
def _take_pending(state: SolvingState) -> tuple[Any, Any]:
    """Return the rows and the columns that are pending for any technique, and clear `pending`."""
    rows, columns = empty(state.line.bit_width), empty(state.line.bit_width)
    for technique in range(LINE_TECHNIQUES):
        rows = rows | load(state.pending, 2 * technique, state.line.bit_width)
        columns = columns | load(state.pending, 2 * technique + 1, state.line.bit_width)
    state.pending[:] = 0
    return rows, columns


@inlined
def _count_strokes(line: LineState, counts: np.ndarray) -> None:
    """Count the runs of cells of one colour that the technique has decided on the loaded line."""
    once, several = empty(line.bit_width), empty(line.bit_width)
    for c in range(line.scalars[PALETTE]):
        possible = load(line.new, c, line.bit_width)
        several = several | (once & possible)
        once = once | possible
    for c in range(line.scalars[PALETTE]):
        decided = load(line.new, c, line.bit_width) & ~several & ~painted(line, 0, c)
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
