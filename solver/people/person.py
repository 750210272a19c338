"""Solve a puzzle line by line as a person would, always with the easiest technique that makes progress.

Techniques are tried in order of difficulty, each on the lines that changed since it last saw them; after progress,
restart with the easiest. The last one is complete line logic, so the result is its fixpoint, in whatever order.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, is_late_after
from solver.lines.workspace import COUNTERS
from solver.model import techniques
from solver.model.techniques import LINE, LINE_TECHNIQUES
from solver.model.views import Clues, Views
from solver.people.desk import Desk, desk_for, load_line
from solver.people.line_rules import (
    clue,
    counting,
    forcing,
    glue,
    joining,
    mercury,
    overlap,
    punctuating,
    spaces,
    splitting,
)
from solver.people.reach import line, reach

ALL_DUE = (1 << LINE_TECHNIQUES) - 1
"""Mask of all techniques."""

LOOKS, STEPS, CHANGES, ENDED = range(4)


class PuzzleSheet(NamedTuple):
    """A puzzle in progress.

    size       int64[2]: width and height
    first      int32[lines + 1]: first block of each line, rows before columns
    length     uint16[blocks], 0 for a blot
    color      uint8[blocks]
    grid       int64[height x width]: possible colours of each cell, one bit per colour, bit 0 the background
    due        int64[lines]: mask of the techniques still to be tried on each line
    steps      int64[techniques]: successful steps per technique
    notes      int64[4]: LOOKS, technique applications; STEPS and CHANGES logged; ENDED, the line without arrangement
    log        int32[most steps, 3]: per step its technique, its line, and the end of its changes in `changes`
    changes    int64[most changes, 2]: index of a cell and the mask of colours excluded from it
    desk       for one line
    """

    size: np.ndarray
    first: np.ndarray
    length: np.ndarray
    color: np.ndarray
    grid: np.ndarray
    due: np.ndarray
    steps: np.ndarray
    notes: np.ndarray
    log: np.ndarray
    changes: np.ndarray
    desk: Desk


def puzzle_sheet_for(puzzle: Views, logged: bool = False) -> PuzzleSheet:
    """Return an empty sheet for a batch of one puzzle; if `logged`, with room for a log of all steps."""
    width, height = int(puzzle.width[0]), int(puzzle.height[0])
    starts, lengths, colors = [np.zeros(1, np.int64)], [], []
    for clues in (puzzle.rows, puzzle.columns):
        blocks = clues.blocks[clues.lines[0] : clues.lines[1] + 1].astype(np.int64)
        lengths.append(clues.length[blocks[0] : blocks[-1]])
        colors.append(clues.color[blocks[0] : blocks[-1]])
        starts.append(blocks[1:] - blocks[0] + starts[-1][-1])
    first, length, color = (np.concatenate(parts) for parts in (starts, lengths, colors))
    full = (2 << int(color.max(initial=0))) - 1
    cells = width * height
    most = cells * full.bit_count() if logged else 0
    return PuzzleSheet(
        size=np.array([width, height]),
        first=first.astype(np.int32),
        length=length,
        color=color,
        grid=np.full(cells, full),
        due=np.full(width + height, ALL_DUE),
        steps=np.zeros(LINE_TECHNIQUES, np.int64),
        notes=np.zeros(4, np.int64),
        log=np.zeros((most, 3), np.int32),
        changes=np.zeros((most, 2), np.int64),
        desk=desk_for(max(width, height), max(int(np.diff(first).max()), 1)),
    )


def example_sheet() -> PuzzleSheet:
    """Return a sheet of one cell, for compilation."""
    one = np.ones(1, np.int64)
    clues = Clues(np.array([0, 1]), np.array([0, 1]), one.astype(np.uint16), one.astype(np.uint8))
    return puzzle_sheet_for(Views(one, one, clues, clues))


@cache
def compile_person() -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    solve_lines(example_sheet(), LINE_TECHNIQUES, np.zeros(COUNTERS, np.int64), math.inf)


def rule_out(sheet: PuzzleSheet, place: int, color: int) -> None:
    """Exclude a colour from a cell and mark its lines due."""
    width, height = sheet.size.tolist()
    sheet.grid[place] &= ~(1 << color)
    sheet.due[[place // width, height + place % width]] = ALL_DUE


def is_solved(sheet: PuzzleSheet) -> bool:
    """Return whether every cell has one colour."""
    return not (sheet.grid & (sheet.grid - 1)).any()


@kernel
def solve_lines(sheet: PuzzleSheet, most: int, counters: np.ndarray, deadline: float) -> int:
    """Apply techniques below number `most` until none makes progress. Returns as `propagate`.

    counters    int64[solver.lines.workspace.COUNTERS]: work since the last clock check
    deadline    CPU seconds of this thread
    """
    lines = int(sheet.size[0] + sheet.size[1])
    technique = 0
    while technique < most:
        for number in range(lines):
            if sheet.due[number] >> technique & 1:
                sheet.due[number] &= ~(1 << technique)
                blocks, side = int(sheet.first[number + 1] - sheet.first[number]), max(sheet.size[0], sheet.size[1])
                if is_late_after((1 + blocks) * (1 + side // 16), counters, deadline):
                    return OUT_OF_TIME
                before = sheet.steps[technique]
                if not take_step(sheet, number, technique):
                    return CONTRADICTION
                if sheet.steps[technique] > before:
                    technique = -1
                    break
        technique += 1
    return FIXPOINT


@kernel
def line_cells(sheet: PuzzleSheet, number: int) -> tuple[int, int, int]:
    """Return the index of a line's first cell in the grid, the step to the next, and their number."""
    width, height = int(sheet.size[0]), int(sheet.size[1])
    return (number * width, 1, width) if number < height else (number - height, width, height)


@kernel
def load(sheet: PuzzleSheet, number: int) -> bool:
    """Load a line into the desk; return whether a cell of it is open."""
    first, step, cells = line_cells(sheet, number)
    block = int(sheet.first[number])
    blocks = int(sheet.first[number + 1]) - block
    return load_line(sheet.desk, sheet.grid, first, step, cells, sheet.length, sheet.color, block, blocks)


@kernel
def take_step(sheet: PuzzleSheet, number: int, technique: int) -> bool:
    """Apply a technique to a line; return whether every cell still has a colour."""
    first, step, cells = line_cells(sheet, number)
    desk, height = sheet.desk, int(sheet.size[1])
    is_row = number < height
    if not load(sheet, number) and technique != LINE:
        sheet.due[number] = 1 << LINE  # which sees whether it fits its clue
        return True
    apply_technique(desk, technique)
    sheet.notes[LOOKS] += 1
    found = False
    for x in range(cells):
        left, place = desk.now[0, x] & desk.new[x], first + x * step
        if left == desk.now[0, x]:
            continue
        if left == 0:
            sheet.notes[ENDED] = number
            return False
        found = True
        if sheet.notes[CHANGES] < len(sheet.changes):
            change = sheet.changes[sheet.notes[CHANGES]]
            change[0], change[1] = place, desk.now[0, x] & ~left
            sheet.notes[CHANGES] += 1
        sheet.grid[place] = left
        sheet.due[height + x if is_row else x] = ALL_DUE
    if found:
        sheet.due[number] = ALL_DUE
        sheet.steps[technique] += 1
        if sheet.notes[STEPS] < len(sheet.log):
            note = sheet.log[sheet.notes[STEPS]]
            note[0], note[1], note[2] = technique, number, sheet.notes[CHANGES]
            sheet.notes[STEPS] += 1
    return True


@kernel
def apply_technique(desk: Desk, technique: int) -> None:
    """Apply a technique to the line on the desk."""
    if technique == techniques.CLUE:
        clue(desk)
    elif technique == techniques.COUNTING:
        counting(desk)
    elif technique == techniques.OVERLAP:
        overlap(desk)
    elif technique == techniques.GLUE:
        glue(desk)
    elif technique == techniques.PUNCTUATING:
        punctuating(desk)
    elif technique == techniques.SPACES:
        spaces(desk)
    elif technique == techniques.MERCURY:
        mercury(desk)
    elif technique == techniques.FORCING:
        forcing(desk)
    elif technique == techniques.SPLITTING:
        splitting(desk)
    elif technique == techniques.JOINING:
        joining(desk)
    elif technique == techniques.REACH:
        reach(desk)
    else:
        line(desk)
