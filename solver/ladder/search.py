"""Search: full probing at every node, depth first, with an explicit stack.

At a node every open cell is probed with each of its colours by line logic to its fixpoint. A refuted colour is
removed, and the board becomes the union of the fixpoints of a cell's colours (I-Chen Wu's FP1); such a union is itself
a fixpoint of line logic, so it needs no propagation. A probe is repeated only once a line that it solved has changed; a
probe that decides all cells is a solution. The search branches on the cell with the best min + |log| score of its
colours' gains (Wu's Min-logd), the colour with the largest gain first.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import kernel, standalone
from nonocensus.solver.ladder.lookahead import adopt, forget, probe, take_away
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, store
from nonocensus.solver.lines.board import Board, allows, copy, copy_knowledge, is_open, undecided, write_picture
from nonocensus.solver.lines.checked import CHECKED, has_known, is_at_fixpoint, is_known_color, is_known_picture
from nonocensus.solver.lines.line_cache import rebase
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import (
    CHANGED_COLUMNS,
    CHANGED_ROWS,
    CONTRADICTIONS,
    MAX_DEPTH,
    NODES,
    SOLVED_COLUMNS,
    SOLVED_ROWS,
    Workspace,
)

EXHAUSTED, TWO_FOUND, NODES_SPENT, LATE = range(4)


class Tree(NamedTuple):
    """Working memory of a search; arrays are indexed by depth.

    union    board: union of the probes of one cell's colours
    boards   uint64[depth, lines x palette, words]: open nodes, as they were when their branch was taken
    seen     uint64[depth + 1, 2 x cells, words]: rows and columns that each cell's probes have solved
    score    float64[depth + 1, cells]: score of branching on the cell
    best     uint8[depth + 1, cells]: the cell's colour to try first
    cell     int64[depth], color uint8[depth]: branches taken
    """

    union: Board
    boards: np.ndarray
    seen: np.ndarray
    score: np.ndarray
    best: np.ndarray
    cell: np.ndarray
    color: np.ndarray


class SolutionPair(NamedTuple):
    """Solutions of one puzzle found so far.

    first, second   uint8[height x width], row by row, a palette entry per cell
    number          int8[1]: number found, at most 2
    start           bool[height x width, palette]: colours that cells may have in a solution; empty if all
    """

    first: np.ndarray
    second: np.ndarray
    number: np.ndarray
    start: np.ndarray


@standalone
def search(
    board: Board,
    trial: Board,
    color: np.ndarray | None,
    tree: Tree,
    found: SolutionPair,
    nodes: int,
    workspace: Workspace,
) -> int:
    """Search for two solutions in at most `nodes` nodes.

    board   at the fixpoint of line logic. After NODES_SPENT or LATE it is the root without its exhausted branches: it
            holds every solution except perhaps the one in `found`
    found   solutions; may hold one already

    Returns EXHAUSTED (no solutions but those found), TWO_FOUND, NODES_SPENT or LATE.
    """
    bit_width = workspace.bit_width
    held = CHECKED and has_known(board, bit_width)
    if found.number[0] == 1:
        _find_switched(board, found, workspace)
        if found.number[0] == 2:
            return TWO_FOUND
    cells = int(board.size[0] * board.size[1])
    for k in range(2 * cells):
        store(tree.seen[0], k, empty(bit_width))
    depth: Any = np.int64(0)  # a literal 0 is another type: all callees would be compiled twice
    budget = workspace.counters[NODES] + nodes
    while True:
        status = settle(board, trial, color, tree, depth, found, workspace)
        if found.number[0] == 2:
            return TWO_FOUND
        if status == FIXPOINT and undecided(board, bit_width) == 0:
            status = CONTRADICTION  # `settle` has recorded this solution
        if status == FIXPOINT:
            if workspace.counters[NODES] == budget or depth == len(tree.cell):
                _restore_root(board, tree, depth)
                return NODES_SPENT
            status = _take_branch(board, trial, color, tree, depth, workspace)
            depth += 1
        while status == CONTRADICTION:
            if depth == 0:
                if CHECKED:
                    assert not held or is_recorded(board, found), "the search ended without the known solution"
                return EXHAUSTED
            depth -= 1
            status = _refute_branch(board, color, tree, depth, found, workspace)
        if status == OUT_OF_TIME:
            _restore_root(board, tree, depth)
            return LATE


@kernel
def _take_branch(
    board: Board, trial: Board, color: np.ndarray | None, tree: Tree, depth: int, workspace: Workspace
) -> int:
    """Push the node at `depth`, decide its best cell and propagate; returns as `propagate`."""
    bit_width = workspace.bit_width
    cell = _branch_cell(board, tree, depth, bit_width)
    _push(board, tree, depth, cell, bit_width)
    workspace.counters[NODES] += 1
    workspace.counters[MAX_DEPTH] = max(workspace.counters[MAX_DEPTH], depth + 1)
    c: Any = np.int64(tree.color[depth])
    y, x = cell // int(board.size[0]), cell % int(board.size[0])
    status = adopt(board, trial, color, y, x, c, workspace)
    rows, columns = load(workspace.report, CHANGED_ROWS, bit_width), load(workspace.report, CHANGED_COLUMNS, bit_width)
    store(workspace.report, CHANGED_ROWS, rows | bit(y, bit_width))
    store(workspace.report, CHANGED_COLUMNS, columns | bit(x, bit_width))
    forget(tree.seen[depth + 1], int(board.size[0] * board.size[1]), workspace)
    return status


@kernel
def _refute_branch(
    board: Board, color: np.ndarray | None, tree: Tree, depth: int, found: SolutionPair, workspace: Workspace
) -> int:
    """Pop the node at `depth` and remove its branch's colour; returns as `propagate`."""
    copy_knowledge(board.size, tree.boards[depth], board.can)
    cell = int(tree.cell[depth])
    y, x = cell // int(board.size[0]), cell % int(board.size[0])
    refuted: Any = np.int64(tree.color[depth])
    if CHECKED:
        lost = has_known(board, workspace.bit_width) and is_known_color(board, y, x, refuted)
        assert not lost or is_recorded(board, found), "a branch was left without the known solution in it"
    status = take_away(board, color, y, x, refuted, workspace)
    forget(tree.seen[depth], int(board.size[0] * board.size[1]), workspace)
    return status


@kernel
def is_recorded(board: Board, found: SolutionPair) -> bool:
    """Return whether the known solution is the first one found (checked mode)."""
    return found.number[0] > 0 and is_known_picture(board, found.first)


@kernel
def _restore_root(board: Board, tree: Tree, depth: int) -> None:
    if depth > 0:
        copy_knowledge(board.size, tree.boards[0], board.can)


@kernel
def _push(board: Board, tree: Tree, depth: int, cell: int, bit_width: Any) -> None:
    """Push the node at `depth` with the branch to take; the child inherits `seen`, `score` and `best`."""
    copy_knowledge(board.size, board.can, tree.boards[depth])
    tree.cell[depth], tree.color[depth] = cell, tree.best[depth, cell]
    for i in range(int(board.size[0] * board.size[1])):
        tree.score[depth + 1, i] = tree.score[depth, i]
        tree.best[depth + 1, i] = tree.best[depth, i]
        store(tree.seen[depth + 1], 2 * i, load(tree.seen[depth], 2 * i, bit_width))
        store(tree.seen[depth + 1], 2 * i + 1, load(tree.seen[depth], 2 * i + 1, bit_width))


@kernel
def _branch_cell(board: Board, tree: Tree, depth: int, bit_width: Any) -> int:
    """Return the open cell with the best score."""
    width, height = int(board.size[0]), int(board.size[1])
    best, cell = -1.0, -1
    for y in range(height):
        for x in range(width):
            if tree.score[depth, y * width + x] > best and is_open(board, y, x, bit_width):
                best, cell = tree.score[depth, y * width + x], y * width + x
    return cell


@kernel
def settle(
    board: Board,
    trial: Board,
    color: np.ndarray | None,
    tree: Tree,
    depth: int,
    found: SolutionPair,
    workspace: Workspace,
) -> int:
    """Probe a node fully to its fixpoint, recording up to two solutions; returns as `propagate`."""
    bit_width = workspace.bit_width
    width, height = int(board.size[0]), int(board.size[1])
    seen = tree.seen[depth]
    changed = True
    rebase(workspace.line_cache, board, bit_width)
    while changed:
        changed = False
        for y in range(height):
            for x in range(width):
                cell = y * width + x
                while is_open(board, y, x, bit_width) and not has_any(load(seen, 2 * cell, bit_width)):
                    status = _probe_cell(board, trial, color, cell, tree, depth, found, workspace)
                    if status != FIXPOINT:
                        return status
                    if found.number[0] == 2:
                        return FIXPOINT
                    if has_any(load(workspace.report, CHANGED_ROWS, bit_width)):
                        changed = True
                        rebase(workspace.line_cache, board, bit_width)
                        forget(seen, width * height, workspace)
    if CHECKED:
        assert is_at_fixpoint(board, color, workspace), "a union is not a fixpoint of line logic"
    if undecided(board, bit_width) == 0:
        record_solution(board, found, workspace)
    return FIXPOINT


@kernel
def _probe_cell(
    board: Board,
    trial: Board,
    color: np.ndarray | None,
    cell: int,
    tree: Tree,
    depth: int,
    found: SolutionPair,
    workspace: Workspace,
) -> int:
    """Probe the colours of one cell up to the first refuted one, which is removed.

    If none is refuted, the board becomes the union of the probes, and the cell's score and best colour are set. Returns
    as `propagate`; changed lines are in `workspace.report`.
    """
    bit_width = workspace.bit_width
    palette = int(board.size[2])
    y, x = cell // int(board.size[0]), cell % int(board.size[0])
    rows, columns = empty(bit_width), empty(bit_width)
    least, most, tried = 1 << 30, -1, 0
    for c in range(palette):
        if not allows(board, y, x, c, bit_width):
            continue
        copy(board, trial)
        status = probe(trial, color, y, x, c, workspace)
        if status == CONTRADICTION:
            workspace.counters[CONTRADICTIONS] += 1
            return take_away(board, color, y, x, c, workspace)
        if status != FIXPOINT:
            return status
        rows = rows | load(workspace.report, SOLVED_ROWS, bit_width)
        columns = columns | load(workspace.report, SOLVED_COLUMNS, bit_width)
        gain = _gain(board, trial, tree.union, tried == 0, bit_width)
        tried += 1
        if gain > most:
            tree.best[depth, cell] = c
        least, most = min(least, gain), max(most, gain)
        if undecided(trial, bit_width) == 0:
            record_solution(trial, found, workspace)
    store(tree.seen[depth], 2 * cell, rows)
    store(tree.seen[depth], 2 * cell + 1, columns)
    tree.score[depth, cell] = least + abs(math.log(1.0 + least) - math.log(1.0 + most))
    _adopt_union(board, tree.union, workspace)
    return FIXPOINT


@kernel
def _gain(board: Board, trial: Board, union: Board, is_first: bool, bit_width: Any) -> int:
    """Return the number of colours of cells that the trial has lost; merge the trial into the union of those before."""
    rows = int(board.size[1] * board.size[2])
    gain = 0
    for i in range(rows + int(board.size[0] * board.size[2])):
        can = load(trial.can, i, bit_width)
        if i < rows:
            gain += count(load(board.can, i, bit_width) & ~can)
        store(union.can, i, can if is_first else load(union.can, i, bit_width) | can)
    return gain


@kernel
def _adopt_union(board: Board, union: Board, workspace: Workspace) -> None:
    """Copy the union of a cell's probes to the board; report the lines that this changes."""
    bit_width = workspace.bit_width
    held = CHECKED and has_known(board, bit_width)
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    rows, columns = empty(bit_width), empty(bit_width)
    for line in range(width + height):
        for c in range(palette):
            i = line * palette + c
            can = load(union.can, i, bit_width)
            if has_any(load(board.can, i, bit_width) & ~can):
                store(board.can, i, can)
                if line < height:
                    rows = rows | bit(line, bit_width)
                else:
                    columns = columns | bit(line - height, bit_width)
    if CHECKED:
        assert not held or has_known(board, bit_width), "a union lost a solution"
    store(workspace.report, CHANGED_ROWS, rows)
    store(workspace.report, CHANGED_COLUMNS, columns)


@kernel
def record_solution(board: Board, found: SolutionPair, workspace: Workspace) -> None:
    """Record a decided board as first solution, with the one that a switch makes of it, or as second."""
    bit_width = workspace.bit_width
    if found.number[0] == 0:
        write_picture(board, found.first, bit_width)
        found.number[0] = 1
        _find_switched(board, found, workspace)
    elif found.number[0] == 1:
        write_picture(board, found.second, bit_width)
        for i in range(len(found.first)):
            if found.first[i] != found.second[i]:
                found.number[0] = 2
                return


@kernel
def _find_switched(board: Board, found: SolutionPair, workspace: Workspace) -> None:
    """Derive a second solution from the first by a switch, if possible."""
    for i in range(len(found.first)):
        found.second[i] = found.first[i]
    if swap(found.second, int(board.size[0]), int(board.size[1]), found.start, workspace.counters, workspace.deadline):
        found.number[0] = 2
