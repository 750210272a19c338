"""Group puzzles by the kernels that solve them, and allocate those kernels' memory once per group."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nonocensus.solver.ladder.search import Tree
from nonocensus.solver.learning.belief import Beliefs, empty_beliefs
from nonocensus.solver.lines.bits import words_for
from nonocensus.solver.lines.board import NO_COLOR, Board
from nonocensus.solver.lines.checked import CHECKED
from nonocensus.solver.lines.lanes import ROOM
from nonocensus.solver.lines.workspace import Workspace, make_workspace
from nonocensus.solver.model.views import Views, highest_colors
from nonocensus.solver.tuning import BELIEF_BYTES, SEARCH_DEPTH, SEEN_BYTES, TREE_BYTES


class KernelGroup(NamedTuple):
    """Puzzles of a batch that the same kernels solve.

    words     words per bit set
    colors    highest colour in their clues; None for mono puzzles
    puzzles   int64: indices in the batch
    """

    words: int
    colors: int | None
    puzzles: np.ndarray


def kernel_groups(batch: Views, which: np.ndarray | None = None) -> Iterator[KernelGroup]:
    """Yield the puzzles `which` (indices) of a batch, or all, in groups."""
    which = np.arange(len(batch.width)) if which is None else which
    sides = np.maximum(batch.width, batch.height)[which]
    words = np.array([words_for(side) for side in range(int(sides.max(initial=0)) + 1)])[sides]
    colors = highest_colors(batch, which)
    for width in np.unique(words).tolist():
        for colored in (False, True):
            here = (words == width) & ((colors > 1) == colored)
            if here.any():
                yield KernelGroup(width, int(colors[here].max()) if colored else None, which[here])


def kernel_kinds(batch: Views) -> set[tuple[int, bool]]:
    """Return what kernels must be compiled for to solve a batch: (words per bit set, has several colours)."""
    return {(group.words, group.colors is not None) for group in kernel_groups(batch)}


class Memory(NamedTuple):
    """Memory of the kernels, large enough for any puzzle of a group.

    board, trial   current puzzle, and a board for assumptions
    color          colours of its blocks (solver.lines.board.Board); None for mono puzzles
    workspace      counters and deadline are replaced for each puzzle
    seen, log      for `solver.ladder.lookahead.refute`; the ladder logs nothing
    """

    board: Board
    trial: Board
    color: np.ndarray | None
    workspace: Workspace
    seen: np.ndarray
    log: np.ndarray
    tree: Tree
    beliefs: Beliefs


def memory_for(batch: Views, group: KernelGroup, belief_bytes: int = BELIEF_BYTES) -> Memory:
    """Allocate the memory for a group of a batch; boards whose beliefs exceed `belief_bytes` get none."""
    words, colors, puzzles = group
    width, height = batch.width[puzzles].astype(np.int64), batch.height[puzzles].astype(np.int64)
    side, cells = int(max(width.max(), height.max())), int((width * height).max())
    board = board_for(batch, group)
    lines, palette, blocks = len(board.first) - 1, 2 if colors is None else colors + 1, len(board.length) - ROOM
    seen = 2 * cells * palette
    longest = max(
        int(np.diff(clues.blocks[clues.lines[0] : clues.lines[-1] + 1]).max(initial=1))
        for clues in (batch.rows, batch.columns)
    )
    has_beliefs = 16 * cells * palette <= belief_bytes
    depth = min(SEARCH_DEPTH, TREE_BYTES // ((lines * palette + 2 * cells) * words * 8 + 9 * cells))
    return Memory(
        board,
        _sibling(board),
        None if colors is None else np.zeros(blocks, np.uint8),
        make_workspace(side, palette, words, lines),
        np.zeros((seen if seen * words * 8 <= SEEN_BYTES else 0, words), np.uint64),
        np.zeros((0, 3), np.int32),
        Tree(
            union=_sibling(board),
            boards=np.zeros((depth, lines * palette, words), np.uint64),
            seen=np.zeros((depth + 1, 2 * cells, words), np.uint64),
            score=np.zeros((depth + 1, cells)),
            best=np.zeros((depth + 1, cells), np.uint8),
            cell=np.zeros(depth, np.int64),
            color=np.zeros(depth, np.uint8),
        ),
        empty_beliefs(cells if has_beliefs else 0, side, blocks, longest, palette, words),
    )


def board_for(batch: Views, group: KernelGroup) -> Board:
    """Allocate a board for the puzzles of a group of a batch."""
    words, colors, puzzles = group
    width, height = batch.width[puzzles].astype(np.int64), batch.height[puzzles].astype(np.int64)
    lines = int((width + height).max())
    rows, columns = (np.diff(clues.blocks[clues.lines]) for clues in (batch.rows, batch.columns))
    return Board(
        size=np.zeros(3, np.int64),
        first=np.zeros(lines + 1, np.int32),
        length=np.zeros(max(int((rows + columns)[puzzles].max()), 1) + ROOM, np.uint16),
        can=np.zeros((lines * (2 if colors is None else colors + 1), words), np.uint64),
        known=np.full(int((width * height).max()) if CHECKED else 0, NO_COLOR),
    )


def _sibling(board: Board) -> Board:
    """Return a board with the same clues and its own knowledge."""
    return board._replace(can=np.zeros_like(board.can))
