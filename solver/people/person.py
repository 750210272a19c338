"""Solve a puzzle line by line as a person would, always with the easiest technique that makes progress.

Techniques are tried in order of difficulty, each on the lines that changed since it was last tried on them; after
progress the easiest is next again. The last one is complete line logic, so any order ends in its fixpoint.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.ladder.memory import KernelGroup, board_for, kernel_groups
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
from nonocensus.solver.people.line_rules import (
    can_progress,
    clue,
    complete_line,
    count_colors,
    counting,
    forcing,
    glue,
    joining,
    mercury,
    overlap,
    punctuating,
    reach,
    spaces,
    splitting,
)
from nonocensus.solver.people.line_state import (
    CELLS,
    FOUND,
    PALETTE,
    LineState,
    clear,
    contains,
    find_ranges,
    line_state_for,
    load_line,
)

LOOKS, STEPS, CHANGES, ENDED = range(4)
GROUP_STARTS = (CLUE, OVERLAP, FORCING, REACH, LINE_TECHNIQUES)
"""Techniques that share work, and are tried together: by counts, by ranges, by room, by all arrangements."""

GROUPS = len(GROUP_STARTS) - 1

ROW, COLUMN = (cast(int, np.int64(k)) for k in range(2))
NOWHERE, LATE = -1, -2


class SolvingState(NamedTuple):
    """A puzzle in progress, and scratch memory.

    board       its clues and the possible colours of its cells
    color       uint8[blocks]
    pending     uint64[2 x techniques, words]: lines to try a technique on; row 2 x technique + ROW or COLUMN
    progress    uint64[2 x techniques, words]: lines on which the technique is the easiest of its group that makes
                progress; rows as above
    results     uint64[lines x palette, words]: for lines in `progress`, the cells that may have each colour after it
    tried       uint64[2 x groups, words]: lines tried with a group's techniques since they changed; rows likewise
    clue_lines  uint64[2, words]: rows and columns on which CLUE may make progress; once it fails it never does again
    steps       int64[techniques]: successful steps per technique
    scalars     int64[4]: LOOKS, technique applications; STEPS and CHANGES logged; ENDED, the line without arrangement
    log         int32[most steps, 3]: per step its technique, its line, and the end of its changes in `changes`
    changes     int64[most changes, 2]: index of a cell and the mask of colours excluded from it
    line        state of one line
    workspace   of the line solver
    """

    board: Board
    color: np.ndarray
    pending: np.ndarray
    progress: np.ndarray
    results: np.ndarray
    tried: np.ndarray
    clue_lines: np.ndarray
    steps: np.ndarray
    scalars: np.ndarray
    log: np.ndarray
    changes: np.ndarray
    line: LineState
    workspace: Workspace


def state_for(batch: Views, group: KernelGroup, most_changes: int = 0) -> SolvingState:
    """Return memory large enough for any puzzle of a group of a batch.

    most_changes   room of the log
    """
    board = board_for(batch, group)
    words, palette = group.words, 1 + (group.colors or 1)
    side = int(max(batch.width[group.puzzles].max(), batch.height[group.puzzles].max()))
    color = np.zeros(len(board.length), np.uint8)
    return SolvingState(
        board=board,
        color=color,
        pending=np.zeros((2 * LINE_TECHNIQUES, words), np.uint64),
        progress=np.zeros((2 * LINE_TECHNIQUES, words), np.uint64),
        results=np.zeros_like(board.can),
        tried=np.zeros((2 * GROUPS, words), np.uint64),
        clue_lines=np.zeros((2, words), np.uint64),
        steps=np.zeros(LINE_TECHNIQUES, np.int64),
        scalars=np.zeros(4, np.int64),
        log=np.zeros((most_changes, 3), np.int32),
        changes=np.zeros((most_changes, 2), np.int64),
        line=line_state_for(side, len(board.first) - 1, palette, words, board.length, color),
        workspace=make_workspace(side, palette, words, len(board.first) - 1),
    )


def puzzle_state_for(puzzle: Views, logged: bool = False) -> SolvingState:
    """Return the state of the one puzzle of a batch, nothing solved; if `logged`, with room for a log of all steps."""
    (group,) = kernel_groups(puzzle)
    cells = int(puzzle.width[0]) * int(puzzle.height[0])
    state = state_for(puzzle, group, cells * (1 + (group.colors or 1)) if logged else 0)
    begin_puzzle(state, puzzle, 0)
    return state


@kernel
def begin_puzzle(state: SolvingState, batch: Views, p: int) -> None:
    """Load puzzle p of a batch, nothing solved."""
    init_board(state.board, state.color, batch, p, state.workspace.bit_width)
    width, height, bit_width = int(state.board.size[0]), int(state.board.size[1]), state.line.bit_width
    if state.board.first[width + height] == 0:  # without blocks there is no colour but the background
        for number in range(width + height):
            store(state.board.can, 2 * number + 1, empty(bit_width))
    state.pending[:] = 0
    state.progress[:] = 0  # left by a puzzle that ran out of time
    state.tried[:] = 0
    store(state.clue_lines, ROW, low_bits(height, bit_width))
    store(state.clue_lines, COLUMN, low_bits(width, bit_width))
    mark_pending(state, low_bits(height, bit_width), low_bits(width, bit_width))
    state.line.scalars[PALETTE] = state.board.size[2]
    count_clues(state)
    state.steps[:] = 0
    state.scalars[:] = 0
    state.workspace.counters[:] = 0


@kernel
def count_clues(state: SolvingState) -> None:
    """Count the cells of each colour in each line's clue."""
    board = state.board
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for number in range(width + height):
        cells = width if number < height else height
        count_colors(state.line, number * palette, cells, int(board.first[number]), int(board.first[number + 1]))


@kernel
def rule_out(state: SolvingState, place: int, color: int) -> None:
    """Exclude a colour from a cell, and mark its lines as pending."""
    width, bit_width = int(state.board.size[0]), state.workspace.bit_width
    y, x = place // width, place % width
    forbid(state.board, y, x, color, bit_width)
    mark_pending(state, bit(y, bit_width), bit(x, bit_width))


def grid_of(state: SolvingState) -> np.ndarray:
    """Return the possible colours of each cell, int64[height x width], one bit per colour, bit 0 the background."""
    possible = possibilities(state.board)
    grid: np.ndarray = (possible << np.arange(possible.shape[1])).sum(axis=1)
    return grid


@kernel
def open_cells_of(state: SolvingState) -> int:
    """Return the number of cells with several possible colours; the puzzle is solved if there are none."""
    return undecided(state.board, state.workspace.bit_width)


@standalone
def solve_lines(state: SolvingState, most: int, deadline: float) -> int:
    """Apply techniques below number `most` until none makes progress. Returns as `propagate`.

    deadline    CPU seconds of this thread
    """
    row = 0
    while row < 2 * most:
        place = _first_progress(state, row, deadline)
        if place == NOWHERE:
            row += 1
        elif place == LATE:
            return OUT_OF_TIME
        elif _take_step(state, place + row % 2 * int(state.board.size[1]), row // 2):
            row = 0
        else:
            return CONTRADICTION
    return FIXPOINT


@inlined
def _first_progress(state: SolvingState, row: int, deadline: float) -> int:
    """Return the place of the first pending line on which a technique makes progress, and count the looks at lines.

    Returns NOWHERE if there is none, LATE after the deadline. After a change, a line is tried once with all techniques
    of a group, so most looks need no work.

    row   of `pending`: 2 x technique + ROW or COLUMN
    """
    bit_width, technique, side = state.line.bit_width, row // 2, row % 2
    pending, progress = load(state.pending, row, bit_width), load(state.progress, row, bit_width)
    group = (technique >= OVERLAP) + (technique >= FORCING) + (technique >= REACH)
    untried = pending & ~load(state.tried, 2 * group + side, bit_width)
    while has_any(untried):
        place = lowest(untried)
        if has_any(progress) and lowest(progress) < place:
            break
        if is_late(state, deadline):
            return LATE
        untried = untried & (untried - bit(0, bit_width))
        _try_group(state, side, place, group)
        pending, progress = load(state.pending, row, bit_width), load(state.progress, row, bit_width)
    if not has_any(progress):
        state.scalars[LOOKS] += count(pending)
        store(state.pending, row, empty(bit_width))
        return NOWHERE
    place = lowest(progress)
    looked = low_bits(place + 1, bit_width)
    state.scalars[LOOKS] += count(pending & looked)
    store(state.pending, row, pending & ~looked)
    return place


@inlined
def _try_group(state: SolvingState, side: int, place: int, group: int) -> None:
    """Record the easiest technique of a group that makes progress on a line.

    A decided line is left to LINE, which checks that it fits its clue.
    """
    bit_width, here = state.line.bit_width, bit(place, state.line.bit_width)
    number = place + side * state.board.size[1]
    is_open = load_board_line(state, number, mirrored=group > 0)
    if not is_open and group < GROUPS - 1:
        for technique in range(LINE):
            _remove(state.pending, 2 * technique + side, here, bit_width)
        _add(state.pending, 2 * LINE + side, here, bit_width)
        return
    _add(state.tried, 2 * group + side, here, bit_width)
    first = GROUP_STARTS[group] if is_open else LINE
    if group == 0 and not has_any(load(state.clue_lines, side, bit_width) & here):
        first = COUNTING
    technique = easiest_technique(state, number, first, GROUP_STARTS[group + 1])
    if technique > CLUE:
        _remove(state.clue_lines, side, here, bit_width)
    if technique < GROUP_STARTS[group + 1]:
        for c in range(state.board.size[2]):
            store(state.results, number * int(state.board.size[2]) + c, load(state.line.new, c, bit_width))
        _add(state.progress, 2 * technique + side, here, bit_width)


@inlined
def easiest_technique(state: SolvingState, number: int, first: int, past: int) -> int:
    """Apply techniques first .. past - 1 to the loaded line until one makes progress; return it, or `past`.

    If complete line logic is one of them, it is applied first: if it makes no progress, no technique does.
    """
    fits = past < LINE_TECHNIQUES or solve_loaded_line(state, number)
    if past == LINE_TECHNIQUES and fits and not can_progress(state.line, state.workspace):
        return past
    for technique in range(first, past):
        apply_technique(state.line, state.workspace, technique, fits)
        if state.line.scalars[FOUND]:
            return technique
    return past


@inlined
def solve_loaded_line(state: SolvingState, number: int) -> bool:
    """Solve the loaded line, for REACH and LINE; return whether it has an arrangement."""
    return solve_line(int(state.line.scalars[CELLS]), number, state.board, state.color, state.workspace)


@inlined
def _add(sets: np.ndarray, row: int, lines: Any, bit_width: Any) -> None:
    """Add lines to a set."""
    store(sets, row, load(sets, row, bit_width) | lines)


@inlined
def _remove(sets: np.ndarray, row: int, lines: Any, bit_width: Any) -> None:
    """Remove lines from a set."""
    store(sets, row, load(sets, row, bit_width) & ~lines)


@inlined
def is_late(state: SolvingState, deadline: float) -> bool:
    """Count the work of trying a line; see `is_late_after`."""
    side = max(state.board.size[0], state.board.size[1])
    return is_late_after(side, state.workspace.counters, deadline)


@inlined
def load_board_line(state: SolvingState, number: int, mirrored: bool) -> bool:
    """Load a line of the board, mirrored too if `mirrored`; return whether a cell of it is open."""
    board = state.board
    first, palette = int(board.first[number]), int(board.size[2])
    cells = int(board.size[0] if number < board.size[1] else board.size[1])
    blocks = int(board.first[number + 1]) - first
    return load_line(state.line, board.can, number * palette, cells, first, blocks, mirrored)


@inlined
def _take_step(state: SolvingState, number: int, technique: int) -> bool:
    """Write a technique's result on a line to the board and the log; return whether every cell still has a colour."""
    board, bit_width = state.board, state.line.bit_width
    height, row = int(board.size[1]), number * int(board.size[2])
    if len(state.log) > 0:
        _log_step(state, number, technique)
    changed = write_result(board, number, state.results, row, bit_width)
    if not every_cell_has_a_color(board, number, bit_width):
        state.scalars[ENDED] = number
        return False
    state.scalars[STEPS] += 1
    state.steps[technique] += 1
    if number < height:
        mark_pending(state, bit(number, bit_width), changed)
    else:
        mark_pending(state, changed, bit(number - height, bit_width))
    return True


@inlined
def mark_pending(state: SolvingState, rows: Any, columns: Any) -> None:
    """Mark changed lines as pending for all techniques."""
    bit_width = state.line.bit_width
    for technique in range(LINE_TECHNIQUES):
        _add(state.pending, 2 * technique + ROW, rows, bit_width)
        _add(state.pending, 2 * technique + COLUMN, columns, bit_width)
        _remove(state.progress, 2 * technique + ROW, rows, bit_width)
        _remove(state.progress, 2 * technique + COLUMN, columns, bit_width)
    for group in range(GROUPS):
        _remove(state.tried, 2 * group + ROW, rows, bit_width)
        _remove(state.tried, 2 * group + COLUMN, columns, bit_width)


@inlined
def write_result(board: Board, number: int, new: np.ndarray, row: int, bit_width: Any) -> Any:
    """Write a technique's result on a line to a board, in rows and columns; return the cells that lose a colour.

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
def _log_step(state: SolvingState, number: int, technique: int) -> None:
    """Log the next step, and the colours that it excludes from each cell."""
    board, scalars, bit_width = state.board, state.scalars, state.line.bit_width
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for x in range(width if number < height else height):
        colors = 0
        for c in range(palette):
            k = number * palette + c
            gone = load(board.can, k, bit_width) & ~load(state.results, k, bit_width)
            colors |= contains(gone, x, bit_width) << c
        if colors > 0:
            change = state.changes[scalars[CHANGES]]
            change[0], change[1] = number * width + x if number < height else x * width + number - height, colors
            scalars[CHANGES] += 1
    step = state.log[scalars[STEPS]]
    step[0], step[1], step[2] = technique, number, scalars[CHANGES]


@inlined
def apply_technique(line: LineState, workspace: Workspace, technique: int, fits: bool) -> None:
    """Apply a technique to a loaded line.

    fits   for REACH and LINE, the result of `solve_loaded_line`
    """
    if technique >= REACH:
        if not fits:
            clear(line)
        elif technique == REACH:
            reach(line, workspace)
        else:
            complete_line(line, workspace)
        return
    if technique >= OVERLAP:
        find_ranges(line, technique >= FORCING)
    if technique == CLUE:
        clue(line)
    elif technique == COUNTING:
        counting(line)
    elif technique == OVERLAP:
        overlap(line)
    elif technique == GLUE:
        glue(line)
    elif technique == PUNCTUATING:
        punctuating(line)
    elif technique == MERCURY:
        mercury(line)
    elif technique == SPACES:
        spaces(line)
    elif technique == FORCING:
        forcing(line)
    elif technique == SPLITTING:
        splitting(line)
    else:
        joining(line)
