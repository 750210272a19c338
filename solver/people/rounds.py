"""Solve a puzzle in rounds: in each, every changed line is looked at once, with the easiest technique that finds any.

Where no line offers progress, all assumptions that the shallowest technique refutes are excluded at once. All finds of
a round are made on the grid as it was before the round, so the counts are equal for a puzzle and its mirrored, rotated
and recoloured images, which those of `solver.people.person` are not. A round shows how many lines offer progress at a
moment, and the lines that were looked at without result.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, is_late_after
from solver.lines.workspace import COUNTERS
from solver.model.techniques import LINE, LINE_TECHNIQUES
from solver.model.views import Views
from solver.people.assume import Assumptions, NoSolution, assumptions_on
from solver.people.person import (
    ALL_DUE,
    PuzzleSheet,
    apply_technique,
    example_sheet,
    is_solved,
    line_cells,
    load,
    puzzle_sheet_for,
    rule_out,
)

ROUNDS, OPEN_LINES, STROKES, BACKGROUND_STROKES = range(4)
"""Indices of `Rounds.counts`."""

LOOKS_PER_FIND, LOG_OPEN = range(2)
"""Indices of `Rounds.sums`."""


class Rounds(NamedTuple):
    """Counts of the rounds of a puzzle.

    steps     int64[techniques]: looks at a line by the easiest technique that found any there
    counts    int64[4]: ROUNDS with a find; OPEN_LINES summed over them; STROKES, runs of cells of one colour that a
              look decides, and those of them of the background
    sums      float64[2]: summed over the rounds, lines looked at per line with a find; summed over the rounds of
              assumptions, the logarithm of the number of open cells
    decided   int32[cells]: the round in which a cell was decided, 0 if none
    after     int64[cells], scratch: the grid after the round
    due       int64[lines], scratch: as `PuzzleSheet.due`, for the next round
    """

    steps: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    decided: np.ndarray
    after: np.ndarray
    due: np.ndarray


def rounds_for(sheet: PuzzleSheet) -> Rounds:
    """Return empty counts for a sheet."""
    cells, lines = len(sheet.grid), len(sheet.due)
    steps, counts, after, due = (np.zeros(size, np.int64) for size in (LINE_TECHNIQUES, 4, cells, lines))
    return Rounds(steps, counts, np.zeros(2), np.zeros(cells, np.int32), after, due)


def solve_in_rounds(puzzle: Views, deadline: float) -> tuple[PuzzleSheet, Rounds]:
    """Solve the one puzzle of a batch in rounds, until nothing makes progress.

    deadline    CPU seconds of this thread

    Raises TimeoutError, and NoSolution on a contradiction.
    """
    sheet, counters = puzzle_sheet_for(puzzle), np.zeros(COUNTERS, np.int64)
    rounds = rounds_for(sheet)
    assumptions: Assumptions | None = None
    while True:
        ended = find_in_rounds(sheet, rounds, counters, deadline)
        if ended == OUT_OF_TIME:
            raise TimeoutError
        if ended == CONTRADICTION:
            raise NoSolution
        if is_solved(sheet):
            return sheet, rounds
        if assumptions is None:
            assumptions = assumptions_on(puzzle, sheet.grid, deadline)
        found = assumptions.refuted()
        if not found:
            return sheet, rounds
        rounds.sums[LOG_OPEN] += math.log(np.count_nonzero(sheet.grid & (sheet.grid - 1)))
        for place, color, _ in found:
            rule_out(sheet, place, color)
            assumptions.take_away(place, color)


@cache
def compile_rounds() -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    sheet = example_sheet()
    find_in_rounds(sheet, rounds_for(sheet), np.zeros(COUNTERS, np.int64), math.inf)


@kernel
def find_in_rounds(sheet: PuzzleSheet, rounds: Rounds, counters: np.ndarray, deadline: float) -> int:
    """Run rounds on the sheet's grid until none makes progress, adding to `rounds`. Returns as `propagate`.

    counters    int64[solver.lines.workspace.COUNTERS]: work since the last clock check
    deadline    CPU seconds of this thread
    """
    width, height = int(sheet.size[0]), int(sheet.size[1])
    after, due = rounds.after, rounds.due
    while True:
        for cell in range(width * height):
            after[cell] = sheet.grid[cell]
        due[:] = 0
        open_lines = looks = finds = 0
        for number in range(width + height):
            blocks = int(sheet.first[number + 1] - sheet.first[number])
            if is_late_after((1 + blocks) * (1 + max(width, height) // 16), counters, deadline):
                return OUT_OF_TIME
            if not load(sheet, number):
                if sheet.due[number] >> LINE & 1 and not _has_arrangement(sheet):
                    return CONTRADICTION
                sheet.due[number] = 0
                continue
            open_lines += 1
            if sheet.due[number] == 0:
                continue
            looks += 1
            technique = _easiest(sheet, number)
            if technique == LINE_TECHNIQUES:
                continue
            finds += 1
            rounds.steps[technique] += 1
            if not _write(sheet, number, after, due, rounds.counts):
                return CONTRADICTION
        if finds == 0:
            return FIXPOINT
        rounds.counts[ROUNDS] += 1
        rounds.counts[OPEN_LINES] += open_lines
        rounds.sums[LOOKS_PER_FIND] += looks / finds
        for cell in range(width * height):
            if after[cell] != sheet.grid[cell] and after[cell] & (after[cell] - 1) == 0:
                rounds.decided[cell] = rounds.counts[ROUNDS]
            sheet.grid[cell] = after[cell]
        for number in range(width + height):
            sheet.due[number] |= due[number]


@kernel
def _easiest(sheet: PuzzleSheet, number: int) -> int:
    """Apply the loaded line's due techniques until one finds any; return it, or LINE_TECHNIQUES."""
    desk = sheet.desk
    cells = int(sheet.size[0] if number < sheet.size[1] else sheet.size[1])
    for technique in range(LINE_TECHNIQUES):
        if not sheet.due[number] >> technique & 1:
            continue
        sheet.due[number] &= ~(1 << technique)
        apply_technique(desk, technique)
        for x in range(cells):
            if desk.now[0, x] & desk.new[x] != desk.now[0, x]:
                return technique
    return LINE_TECHNIQUES


@kernel
def _has_arrangement(sheet: PuzzleSheet) -> bool:
    """Return whether the loaded line, all of whose cells are decided, fits its clue."""
    apply_technique(sheet.desk, LINE)
    return bool(sheet.desk.new[0] != 0)


@kernel
def _write(sheet: PuzzleSheet, number: int, after: np.ndarray, due: np.ndarray, counts: np.ndarray) -> bool:
    """Write the loaded line's finds into `after` and mark lines due; return whether every cell still has a colour."""
    first, step, cells = line_cells(sheet, number)
    desk, height = sheet.desk, int(sheet.size[1])
    is_row = number < height
    due[number] = ALL_DUE
    last = 0  # the colour that the cell before was decided to have
    for x in range(cells):
        left = desk.now[0, x] & desk.new[x]
        if left == desk.now[0, x]:
            last = 0
            continue
        after[first + x * step] &= left
        if after[first + x * step] == 0:
            return False
        due[height + x if is_row else x] = ALL_DUE
        decided = left if left & (left - 1) == 0 else 0
        if decided != 0 and decided != last:
            counts[STROKES] += 1
            counts[BACKGROUND_STROKES] += decided == 1
        last = decided
    return True
