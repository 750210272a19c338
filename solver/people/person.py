"""Solve a puzzle line by line as a person would, always with the easiest technique that makes progress.

Techniques are tried in order of difficulty, each on the lines that changed since it last saw them; after progress,
restart with the easiest. The last one is complete line logic, so the result is its fixpoint, in whatever order.
"""

import math
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.ladder.fixpoint import example_puzzle
from nonocensus.solver.ladder.memory import KernelGroup, all_kernel_groups, board_for
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, low_bits, lowest, store
from nonocensus.solver.lines.board import Board, forbid, init_board, possibilities, undecided
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, is_late_after
from nonocensus.solver.lines.workspace import Workspace, make_workspace
from nonocensus.solver.model.techniques import (
    CLUE,
    COUNTING,
    FORCING,
    GLUE,
    LINE,
    LINE_TECHNIQUES,
    MERCURY,
    OVERLAP,
    PUNCTUATING,
    REACH,
    SPACES,
    SPLITTING,
)
from nonocensus.solver.model.views import Views
from nonocensus.solver.people.desk import (
    CELLS,
    FOUND,
    PALETTE,
    Desk,
    clear,
    contains,
    desk_for,
    find_ranges,
    load_line,
)
from nonocensus.solver.people.line_rules import (
    clue,
    count_colors,
    counting,
    finds_any,
    forcing,
    glue,
    joining,
    line,
    mercury,
    overlap,
    punctuating,
    reach,
    spaces,
    splitting,
)

LOOKS, STEPS, CHANGES, ENDED = range(4)
GROUP_STARTS = (CLUE, OVERLAP, FORCING, REACH, LINE_TECHNIQUES)
"""Techniques that share work, and are tried together: by counts, by ranges, by room, by all arrangements."""

GROUPS = len(GROUP_STARTS) - 1

ROW, COLUMN = (cast(int, np.int64(k)) for k in range(2))
NOWHERE, LATE = -1, -2


class PuzzleSheet(NamedTuple):
    """A puzzle in progress, and scratch memory.

    board      its clues and the possible colours of its cells
    color      uint8[blocks]
    due        uint64[2 x techniques, words]: lines to look at with a technique; row 2 x technique + ROW or COLUMN
    finds      uint64[2 x techniques, words]: lines on which it is the first of its group to find any, alike
    found      uint64[lines x palette, words]: for lines in `finds`, the cells that may have each colour after it
    tried      uint64[2 x groups, words]: lines tried with the techniques of a group since they changed, alike
    fresh      uint64[2, words]: rows and columns on which CLUE may find any: it never does again once it fails
    steps      int64[techniques]: successful steps per technique
    notes      int64[4]: LOOKS, technique applications; STEPS and CHANGES logged; ENDED, the line without arrangement
    log        int32[most steps, 3]: per step its technique, its line, and the end of its changes in `changes`
    changes    int64[most changes, 2]: index of a cell and the mask of colours excluded from it
    desk       for one line
    workspace  of the line solver
    """

    board: Board
    color: np.ndarray
    due: np.ndarray
    finds: np.ndarray
    found: np.ndarray
    tried: np.ndarray
    fresh: np.ndarray
    steps: np.ndarray
    notes: np.ndarray
    log: np.ndarray
    changes: np.ndarray
    desk: Desk
    workspace: Workspace


def sheet_for(batch: Views, group: KernelGroup, most_changes: int = 0) -> PuzzleSheet:
    """Return a sheet large enough for any puzzle of a group of a batch.

    most_changes   room of the log
    """
    board = board_for(batch, group)
    words, palette = group.words, 1 + (group.colors or 1)
    side = int(max(batch.width[group.puzzles].max(), batch.height[group.puzzles].max()))
    color = np.zeros(len(board.length), np.uint8)
    return PuzzleSheet(
        board=board,
        color=color,
        due=np.zeros((2 * LINE_TECHNIQUES, words), np.uint64),
        finds=np.zeros((2 * LINE_TECHNIQUES, words), np.uint64),
        found=np.zeros_like(board.can),
        tried=np.zeros((2 * GROUPS, words), np.uint64),
        fresh=np.zeros((2, words), np.uint64),
        steps=np.zeros(LINE_TECHNIQUES, np.int64),
        notes=np.zeros(4, np.int64),
        log=np.zeros((most_changes, 3), np.int32),
        changes=np.zeros((most_changes, 2), np.int64),
        desk=desk_for(side, len(board.first) - 1, palette, words, board.length, color),
        workspace=make_workspace(side, palette, words, len(board.first) - 1),
    )


def puzzle_sheet_for(puzzle: Views, logged: bool = False) -> PuzzleSheet:
    """Return the sheet of the one puzzle of a batch, nothing solved; if `logged`, with room for a log of all steps."""
    (group,) = all_kernel_groups(puzzle)
    cells = int(puzzle.width[0]) * int(puzzle.height[0])
    sheet = sheet_for(puzzle, group, cells * (1 + (group.colors or 1)) if logged else 0)
    place_on_sheet(sheet, puzzle, 0)
    return sheet


def placed_example(words: int, colored: bool) -> PuzzleSheet:
    """Return a sheet with the example puzzle, to compile kernels on."""
    sheet = sheet_for(example_puzzle(), KernelGroup(words, 2 if colored else None, np.arange(1)))
    place_on_sheet(sheet, example_puzzle(), 0)
    return sheet


@cache
def compile_person(words: int) -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    sheet = placed_example(words, colored=False)
    rule_out(sheet, 0, 0)
    solve_lines(sheet, LINE_TECHNIQUES, math.inf)
    open_cells_of(sheet)


@kernel
def place_on_sheet(sheet: PuzzleSheet, batch: Views, p: int) -> None:
    """Load puzzle p of a batch, nothing solved."""
    init_board(sheet.board, sheet.color, batch, p, sheet.workspace.bit_width)
    width, height, bit_width = int(sheet.board.size[0]), int(sheet.board.size[1]), sheet.desk.bit_width
    if sheet.board.first[width + height] == 0:  # without blocks there is no colour but the background
        for number in range(width + height):
            store(sheet.board.can, 2 * number + 1, empty(bit_width))
    sheet.due[:] = 0
    sheet.finds[:] = 0  # those of a puzzle that ran out of time
    sheet.tried[:] = 0
    store(sheet.fresh, ROW, low_bits(height, bit_width))
    store(sheet.fresh, COLUMN, low_bits(width, bit_width))
    mark_due(sheet, low_bits(height, bit_width), low_bits(width, bit_width))
    sheet.desk.line[PALETTE] = sheet.board.size[2]
    count_clues(sheet)
    sheet.steps[:] = 0
    sheet.notes[:] = 0
    sheet.workspace.counters[:] = 0


@kernel
def count_clues(sheet: PuzzleSheet) -> None:
    """Count the cells of each colour in each line's clue."""
    board = sheet.board
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for number in range(width + height):
        cells = width if number < height else height
        count_colors(sheet.desk, number * palette, cells, int(board.first[number]), int(board.first[number + 1]))


@kernel
def rule_out(sheet: PuzzleSheet, place: int, color: int) -> None:
    """Exclude a colour from a cell and mark its lines due."""
    width, bit_width = int(sheet.board.size[0]), sheet.workspace.bit_width
    y, x = place // width, place % width
    forbid(sheet.board, y, x, color, bit_width)
    mark_due(sheet, bit(y, bit_width), bit(x, bit_width))


def grid_of(sheet: PuzzleSheet) -> np.ndarray:
    """Return the possible colours of each cell, int64[height x width], one bit per colour, bit 0 the background."""
    possible = possibilities(sheet.board)
    grid: np.ndarray = (possible << np.arange(possible.shape[1])).sum(axis=1)
    return grid


@kernel
def open_cells_of(sheet: PuzzleSheet) -> int:
    """Return the number of cells with several possible colours; the puzzle is solved if there are none."""
    return undecided(sheet.board, sheet.workspace.bit_width)


@standalone
def solve_lines(sheet: PuzzleSheet, most: int, deadline: float) -> int:
    """Apply techniques below number `most` until none makes progress. Returns as `propagate`.

    deadline    CPU seconds of this thread
    """
    row = 0
    while row < 2 * most:
        place = _first_find(sheet, row, deadline)
        if place == NOWHERE:
            row += 1
        elif place == LATE:
            return OUT_OF_TIME
        elif _take_step(sheet, place + row % 2 * int(sheet.board.size[1]), row // 2):
            row = 0
        else:
            return CONTRADICTION
    return FIXPOINT


@inlined
def _first_find(sheet: PuzzleSheet, row: int, deadline: float) -> int:
    """Look at the lines of a row of `due`, in order, until the technique finds any; return the line's place.

    Returns NOWHERE if it finds none, LATE after the deadline. Each line is tried once with all techniques of a group
    after it changes, so most looks need no work.
    """
    bit_width, technique, side = sheet.desk.bit_width, row // 2, row % 2
    due, finds = load(sheet.due, row, bit_width), load(sheet.finds, row, bit_width)
    group = (technique >= OVERLAP) + (technique >= FORCING) + (technique >= REACH)
    untried = due & ~load(sheet.tried, 2 * group + side, bit_width)
    while has_any(untried):
        place = lowest(untried)
        if has_any(finds) and lowest(finds) < place:
            break
        if is_late(sheet, deadline):
            return LATE
        untried = untried & (untried - bit(0, bit_width))
        _try_group(sheet, side, place, group)
        due, finds = load(sheet.due, row, bit_width), load(sheet.finds, row, bit_width)
    if not has_any(finds):
        sheet.notes[LOOKS] += count(due)
        store(sheet.due, row, empty(bit_width))
        return NOWHERE
    place = lowest(finds)
    looked = low_bits(place + 1, bit_width)
    sheet.notes[LOOKS] += count(due & looked)
    store(sheet.due, row, due & ~looked)
    return place


@inlined
def _try_group(sheet: PuzzleSheet, side: int, place: int, group: int) -> None:
    """Note the first technique of a group that finds any on a line. Decided lines are left to LINE: do they fit?"""
    bit_width, here = sheet.desk.bit_width, bit(place, sheet.desk.bit_width)
    number = place + side * sheet.board.size[1]
    is_open = load_number(sheet, number, both=group > 0)
    if not is_open and group < GROUPS - 1:
        for technique in range(LINE):
            _remove(sheet.due, 2 * technique + side, here, bit_width)
        _add(sheet.due, 2 * LINE + side, here, bit_width)
        return
    _add(sheet.tried, 2 * group + side, here, bit_width)
    first = GROUP_STARTS[group] if is_open else LINE
    if group == 0 and not has_any(load(sheet.fresh, side, bit_width) & here):
        first = COUNTING
    technique = easiest(sheet, number, first, GROUP_STARTS[group + 1])
    if technique > CLUE:
        _remove(sheet.fresh, side, here, bit_width)
    if technique < GROUP_STARTS[group + 1]:
        for c in range(sheet.board.size[2]):
            store(sheet.found, number * int(sheet.board.size[2]) + c, load(sheet.desk.new, c, bit_width))
        _add(sheet.finds, 2 * technique + side, here, bit_width)


@inlined
def easiest(sheet: PuzzleSheet, number: int, first: int, past: int) -> int:
    """Apply techniques first .. past - 1 to the line on the desk until one finds any; return it, or `past`.

    If complete line logic is one of them the line is solved first: where that finds nothing, none does.
    """
    fits = past < LINE_TECHNIQUES or solve_on_desk(sheet, number)
    if past == LINE_TECHNIQUES and fits and not finds_any(sheet.desk, sheet.workspace):
        return past
    for technique in range(first, past):
        apply_technique(sheet.desk, sheet.workspace, technique, fits)
        if sheet.desk.line[FOUND]:
            return technique
    return past


@inlined
def solve_on_desk(sheet: PuzzleSheet, number: int) -> bool:
    """Solve the line on the desk, for REACH and LINE; return whether it has an arrangement."""
    return solve_line(int(sheet.desk.line[CELLS]), number, sheet.board, sheet.color, sheet.workspace)


@inlined
def _add(sets: np.ndarray, row: int, lines: Any, bit_width: Any) -> None:
    """Add lines to a set."""
    store(sets, row, load(sets, row, bit_width) | lines)


@inlined
def _remove(sets: np.ndarray, row: int, lines: Any, bit_width: Any) -> None:
    """Remove lines from a set."""
    store(sets, row, load(sets, row, bit_width) & ~lines)


@inlined
def is_late(sheet: PuzzleSheet, deadline: float) -> bool:
    """Count the work of trying a line; see `is_late_after`."""
    side = max(sheet.board.size[0], sheet.board.size[1])
    return is_late_after(side, sheet.workspace.counters, deadline)


@inlined
def load_number(sheet: PuzzleSheet, number: int, both: bool) -> bool:
    """Load a line of the puzzle into the desk, mirrored too if `both`; return whether a cell of it is open."""
    board = sheet.board
    first, palette = int(board.first[number]), int(board.size[2])
    cells = int(board.size[0] if number < board.size[1] else board.size[1])
    blocks = int(board.first[number + 1]) - first
    return load_line(sheet.desk, board.can, number * palette, cells, first, blocks, both)


@inlined
def _take_step(sheet: PuzzleSheet, number: int, technique: int) -> bool:
    """Write what a technique finds on a line; return whether every cell still has a colour."""
    board, bit_width = sheet.board, sheet.desk.bit_width
    height, row = int(board.size[1]), number * int(board.size[2])
    if len(sheet.log) > 0:
        _log_step(sheet, number, technique)
    changed = write_find(board, number, sheet.found, row, bit_width)
    if not every_cell_has_a_color(board, number, bit_width):
        sheet.notes[ENDED] = number
        return False
    sheet.notes[STEPS] += 1
    sheet.steps[technique] += 1
    if number < height:
        mark_due(sheet, bit(number, bit_width), changed)
    else:
        mark_due(sheet, changed, bit(number - height, bit_width))
    return True


@inlined
def mark_due(sheet: PuzzleSheet, rows: Any, columns: Any) -> None:
    """Mark changed lines due for all techniques."""
    bit_width = sheet.desk.bit_width
    for technique in range(LINE_TECHNIQUES):
        _add(sheet.due, 2 * technique + ROW, rows, bit_width)
        _add(sheet.due, 2 * technique + COLUMN, columns, bit_width)
        _remove(sheet.finds, 2 * technique + ROW, rows, bit_width)
        _remove(sheet.finds, 2 * technique + COLUMN, columns, bit_width)
    for group in range(GROUPS):
        _remove(sheet.tried, 2 * group + ROW, rows, bit_width)
        _remove(sheet.tried, 2 * group + COLUMN, columns, bit_width)


@inlined
def write_find(board: Board, number: int, new: np.ndarray, row: int, bit_width: Any) -> Any:
    """Write what a technique finds on a line to a board, in rows and columns; return the cells that lose a colour.

    new   uint64[:, words]: from `row` on, the cells that may have each colour according to the technique
    """
    palette, height = int(board.size[2]), int(board.size[1])
    crossing, place = (height, number) if number < height else (0, number - height)
    changed = empty(bit_width)
    for c in range(palette):
        k = number * palette + c
        before = load(board.can, k, bit_width)
        gone = before & ~load(new, row + c, bit_width)
        if has_any(gone):
            store(board.can, k, before & ~gone)
            changed = changed | gone
        while has_any(gone):
            k = (crossing + lowest(gone)) * palette + c
            gone = gone & (gone - bit(0, bit_width))
            store(board.can, k, load(board.can, k, bit_width) & ~bit(place, bit_width))
    return changed


@inlined
def every_cell_has_a_color(board: Board, number: int, bit_width: Any) -> bool:
    """Return whether every cell of a line may have some colour."""
    some = empty(bit_width)
    for c in range(board.size[2]):
        some = some | load(board.can, number * board.size[2] + c, bit_width)
    cells = int(board.size[0] if number < board.size[1] else board.size[1])
    return not has_any(low_bits(cells, bit_width) & ~some)


@kernel
def _log_step(sheet: PuzzleSheet, number: int, technique: int) -> None:
    """Log a step to come, and the colours that it excludes from each cell."""
    board, notes, bit_width = sheet.board, sheet.notes, sheet.desk.bit_width
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for x in range(width if number < height else height):
        colors = 0
        for c in range(palette):
            k = number * palette + c
            gone = load(board.can, k, bit_width) & ~load(sheet.found, k, bit_width)
            colors |= contains(gone, x, bit_width) << c
        if colors > 0:
            change = sheet.changes[notes[CHANGES]]
            change[0], change[1] = number * width + x if number < height else x * width + number - height, colors
            notes[CHANGES] += 1
    step = sheet.log[notes[STEPS]]
    step[0], step[1], step[2] = technique, number, notes[CHANGES]


@inlined
def apply_technique(desk: Desk, workspace: Workspace, technique: int, fits: bool) -> None:
    """Apply a technique to the line on the desk.

    fits   for REACH and LINE, the result of `solve_on_desk`
    """
    if technique >= REACH:
        if not fits:
            clear(desk)
        elif technique == REACH:
            reach(desk, workspace)
        else:
            line(desk, workspace)
        return
    if technique >= OVERLAP:
        find_ranges(desk, technique >= FORCING)
    if technique == CLUE:
        clue(desk)
    elif technique == COUNTING:
        counting(desk)
    elif technique == OVERLAP:
        overlap(desk)
    elif technique == GLUE:
        glue(desk)
    elif technique == PUNCTUATING:
        punctuating(desk)
    elif technique == MERCURY:
        mercury(desk)
    elif technique == SPACES:
        spaces(desk)
    elif technique == FORCING:
        forcing(desk)
    elif technique == SPLITTING:
        splitting(desk)
    else:
        joining(desk)
