"""The ladder: a whole batch of puzzles, each as far up the rungs as it takes.

The rungs up to search run in one nopython call for all puzzles. It stops at a puzzle that needs the tail (solver.tail),
with that puzzle on the board, and goes on with the next one when the tail has decided.
"""

import math
import time
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from solver.belief import Beliefs, no_beliefs
from solver.bits import low, marker, words_for
from solver.board import NO_COLOR, Board, Scratch, begin_from, set_up, undecided, write_picture
from solver.checked import CHECKED, at_fixpoint, holds, plant
from solver.clock import cpu_seconds, wall_seconds
from solver.dive import dive
from solver.glance import glance
from solver.jit import kernel
from solver.lookahead import NO_LIMIT, refute
from solver.places import locate, open_places
from solver.propagate import (
    CONFLICTS,
    CONTRADICTION,
    COUNTERS,
    FIXPOINT,
    OUT_OF_TIME,
    propagate,
)
from solver.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND, Found, Tree, note_solution, noted, search
from solver.swap import swap
from solver.tail import ENGINES, Learner
from solver.tuning import BELIEF_BYTES, MOST_PLACES, SEARCH_DEPTH, SEARCH_NODES, SEEN_BYTES, TREE_BYTES
from solver.views import Clues, Views

# The rungs, each defined so that its answer does not depend on the order of work.
LINE, DEPTH, PROBE, SEARCH = range(4)
RUNGS = ("line", "depth-2", "probe", "search")


def rung_names(depth: int) -> tuple[str, ...]:
    """The rungs' names when the second one looks `depth` levels ahead."""
    return tuple(f"depth-{depth}" if rung == DEPTH else name for rung, name in enumerate(RUNGS))


# How many solutions a puzzle has.
UNKNOWN, UNIQUE, MULTIPLE, NONE = range(4)
SOLUTIONS = ("unknown", "unique", "multiple", "none")

# Seconds of each rung, of the tail, and of the whole puzzle by the wall clock.
CPU_SAT, WALL = 4, 5
TIMES = 6

ENDLESS: Any = np.int64(1 << 60)

FROM_NOTHING = np.zeros((0, 0), np.bool_)


class Goals(NamedTuple):
    """Known solutions of some puzzles of a batch.

    known      bool[puzzles]
    pictures   uint8: puzzle p's is at offsets[p] .. offsets[p + 1] (`Outcome`)
    """

    known: np.ndarray
    pictures: np.ndarray


NO_GOALS = Goals(np.zeros(0, np.bool_), np.zeros(0, np.uint8))


class Outcome(NamedTuple):
    """What the ladder found, a row a puzzle of the batch. Rows of puzzles it was not given stay as they were.

    solutions   int8: UNKNOWN, UNIQUE, MULTIPLE or NONE
    rung        int8: the rung that decided, or the last one begun
    engine      int8: what decided: that rung, or SEARCH + 1 + an index into solver.tail.ENGINES
    late        bool: the CPU limit came first
    counters    int64[puzzles, COUNTERS], numbered in solver.propagate
    decided     int32[puzzles, SEARCH]: cells decided after line, depth-2 and probe; -1 for a rung not begun
    seconds     float64[puzzles, TIMES]: CPU seconds of each rung, CPU_SAT and WALL
    offsets     int64[puzzles + 1]: puzzle p's pictures are at offsets[p] .. offsets[p + 1]
    first       uint8: a solution, row by row, a palette entry each
    second      uint8: another one
    found       int8: solutions found, 0, 1 or 2
    """

    solutions: np.ndarray
    rung: np.ndarray
    engine: np.ndarray
    late: np.ndarray
    counters: np.ndarray
    decided: np.ndarray
    seconds: np.ndarray
    offsets: np.ndarray
    first: np.ndarray
    second: np.ndarray
    found: np.ndarray


def climb(
    batch: Views,
    which: np.ndarray,
    cpu_limit: float,
    depth: int = 2,
    top: int = SEARCH,
    nodes: int = SEARCH_NODES,
    goals: Goals = NO_GOALS,
    start: np.ndarray = FROM_NOTHING,
    planted: Goals = NO_GOALS,
) -> Outcome:
    """Run the puzzles `which` (indices) of a batch up the ladder to the rung `top`, each in `cpu_limit` CPU seconds.

    They must be free of faults (solver.check). Puzzles are grouped by what the kernels are compiled for: the words of a
    bit set, and one colour or several.

    depth   that of the rung depth-2
    nodes   nodes of search before the tail takes over
    goals   solutions that are known; only others are looked for then
    start   bool[height x width, palette], for a batch of one puzzle: the colours that its cells may have to begin with.
            The answer is about solutions that agree with that
    planted   known solutions for the checked mode (solver.checked), which nobody else looks at
    """
    puzzles = len(batch.width)
    offsets = np.zeros(puzzles + 1, np.int64)
    np.cumsum(batch.width.astype(np.int64) * batch.height, out=offsets[1:])
    outcome = Outcome(
        solutions=np.full(puzzles, UNKNOWN, np.int8),
        rung=np.full(puzzles, LINE, np.int8),
        engine=np.full(puzzles, LINE, np.int8),
        late=np.zeros(puzzles, np.bool_),
        counters=np.zeros((puzzles, COUNTERS), np.int64),
        decided=np.full((puzzles, SEARCH), -1, np.int32),
        seconds=np.zeros((puzzles, TIMES)),
        offsets=offsets,
        first=np.zeros(offsets[-1], np.uint8),
        second=np.zeros(offsets[-1], np.uint8),
        found=np.zeros(puzzles, np.int8),
    )
    if len(goals.known):
        outcome.first[:] = goals.pictures
        outcome.found[:] = goals.known
    for (words, colors), group in _kinds(batch, which):
        memory = _memory(batch, group, words, colors)
        limit = float(cpu_limit)  # kernels are compiled for one type of it
        _climb_group(batch, group, limit, depth, top, nodes, start, planted, memory, outcome, marker(words))
    return outcome


def copy_outcomes(outcome: Outcome, first: np.ndarray) -> None:
    """Give each puzzle the outcome of puzzle first[p], which has the same clues."""
    others = np.flatnonzero(first != np.arange(len(first)))
    if not len(others):
        return
    for name, values in outcome._asdict().items():
        if name not in ("offsets", "first", "second"):
            values[others] = values[first[others]]
    for p in others:
        here, there = (slice(outcome.offsets[k], outcome.offsets[k + 1]) for k in (p, first[p]))
        outcome.first[here], outcome.second[here] = outcome.first[there], outcome.second[there]


def kinds(batch: Views) -> set[tuple[int, bool]]:
    """What the kernels have to be compiled for to solve a batch: (words of a bit set, whether there are colours)."""
    return {(words, colors is not None) for (words, colors), _ in _kinds(batch, np.arange(len(batch.width)))}


def warm_up(batch: Views) -> None:
    """Have all kernels compiled that the puzzles of a batch may need, or loaded from the disk cache."""
    nobody = np.zeros(0, np.int64)
    for (words, colors), group in _kinds(batch, np.arange(len(batch.width))):
        outcome = climb(batch, nobody, math.inf)
        memory, like = _memory(batch, group, words, colors), marker(words)
        _climb_group(batch, nobody, math.inf, 2, SEARCH, 0, FROM_NOTHING, NO_GOALS, memory, outcome, like)
        _compile_tail(words, colors is not None)


def _kinds(batch: Views, which: np.ndarray) -> Iterator[tuple[tuple[int, int | None], np.ndarray]]:
    """The puzzles `which` by what kernels are compiled for: (words of a bit set, most colours or None for mono)."""
    sides = np.maximum(batch.width, batch.height)[which]
    words = np.array([words_for(side) for side in range(int(sides.max(initial=0)) + 1)])[sides]
    colors = _highest_colors(batch, which)
    for width in np.unique(words).tolist():
        for colored in (False, True):
            group = which[(words == width) & ((colors > 1) == colored)]
            if len(group):
                yield (width, int(colors.max()) if colored else None), group


class Memory(NamedTuple):
    """All memory that the kernels need for any puzzle of a group."""

    board: Board
    trial: Board
    color: np.ndarray | None
    scratch: Scratch
    seen: np.ndarray
    log: np.ndarray
    tree: Tree
    beliefs: Beliefs


def line_fixpoint(batch: Views, cpu_limit: float, start: np.ndarray = FROM_NOTHING) -> tuple[Memory, Any] | None:
    """The board of a batch's one puzzle at the fixpoint of line logic, and its width marker; None for a contradiction.

    `start` as for `climb`.

    Raises TimeoutError if that takes more than `cpu_limit` CPU seconds.
    """
    words = words_for(int(max(batch.width[0], batch.height[0])))
    colors = int(_highest_colors(batch, np.arange(1))[0])
    return _line_fixpoint(batch, words, colors if colors > 1 else None, cpu_limit, start)


def _line_fixpoint(
    batch: Views, words: int, colors: int | None, cpu_limit: float, start: np.ndarray = FROM_NOTHING
) -> tuple[Memory, Any] | None:
    memory, like = _memory(batch, np.arange(1), words, colors), marker(words)
    board, color, counters = memory.board, memory.color, np.zeros(COUNTERS, np.int64)
    set_up(board, color, batch, 0, like)
    if len(start):
        begin_from(board, start, like)
    status = _propagate_all(board, color, memory.scratch, counters, time.thread_time() + cpu_limit, like)
    if status == OUT_OF_TIME:
        raise TimeoutError(f"line logic did not end in {cpu_limit} CPU seconds")
    return None if status == CONTRADICTION else (memory, like)


@cache
def _compile_tail(words: int, colored: bool) -> None:
    """Have the tail's kernels compiled, on a puzzle of four cells, so that no puzzle is charged for it."""
    one = np.array([1, 1], np.uint16)
    two = 2 * one[:1]
    clues = Clues(np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32), one, one.astype(np.uint8))
    for array in (*clues, two):
        array.flags.writeable = False  # as Arrow's are: else kernels would be compiled for both
    prepared = _line_fixpoint(Views(two, two, clues, clues), words, 2 if colored else None, math.inf)
    assert prepared is not None
    memory, like = prepared
    with Learner(memory.board, memory.color, memory.scratch, math.inf, like) as learner:
        learner.next_solution(math.inf)
        picture = learner.picture()
        swap(picture, 2, 2, FROM_NOTHING, np.zeros(COUNTERS, np.int64), math.inf)
        learner.exclude(picture)


def _climb_group(
    batch: Views,
    group: np.ndarray,
    cpu_limit: float,
    depth: int,
    top: int,
    nodes: int,
    start: np.ndarray,
    planted: Goals,
    memory: Memory,
    outcome: Outcome,
    like: Any,
) -> None:
    """The kernels' rungs for all puzzles of a group, the tail for those that need it."""
    k = 0
    while True:
        k = _climb(batch, group, k, cpu_limit, depth, top, nodes, start, planted, memory, memory.color, outcome, like)
        if k == len(group):
            return
        _follow_tail(group[k], cpu_limit, start, memory, outcome, like)
        k += 1


def _highest_colors(batch: Views, which: np.ndarray) -> np.ndarray:
    """The highest colour that the clues of each of the puzzles `which` use, 0 for none."""
    highest = np.zeros(len(which), np.uint8)
    for clues in (batch.rows, batch.columns):
        first, last = (clues.blocks[clues.lines[which + k]] for k in (0, 1))
        some = np.flatnonzero(first < last)
        if len(some):
            bounds = np.column_stack([first[some], last[some]]).ravel()
            start, end = int(bounds.min()), int(bounds.max())
            colors = np.append(clues.color[start:end], np.uint8(0))  # reduceat wants something after the last bound
            highest[some] = np.maximum(highest[some], np.maximum.reduceat(colors, bounds - start)[::2])
    return highest


def _memory(batch: Views, group: np.ndarray, words: int, colors: int | None) -> Memory:
    """Memory for any puzzle of the group; `colors` is None for mono puzzles."""
    width, height = batch.width[group].astype(np.int64), batch.height[group].astype(np.int64)
    lines, side, cells = int((width + height).max()), int(max(width.max(), height.max())), int((width * height).max())
    rows, columns = (np.diff(clues.blocks[clues.lines]) for clues in (batch.rows, batch.columns))
    blocks = max(int((rows + columns)[group].max()), 1)
    palette = 2 if colors is None else colors + 1
    board = Board(
        size=np.zeros(3, np.int64),
        first=np.zeros(lines + 1, np.int32),
        length=np.zeros(blocks, np.uint16),
        can=np.zeros((lines * palette, words), np.uint64),
        known=np.full(cells if CHECKED else 0, NO_COLOR),
    )
    reach, gaps, new, news = (np.zeros((size, words), np.uint64) for size in (side + 1, side + 1, palette, 4))
    seen = 2 * cells * palette
    longest = max(
        int(np.diff(clues.blocks[clues.lines[0] : clues.lines[-1] + 1]).max(initial=1))
        for clues in (batch.rows, batch.columns)
    )
    thinking = 16 * cells * palette <= BELIEF_BYTES
    depth = min(SEARCH_DEPTH, TREE_BYTES // ((lines * palette + 2 * cells) * words * 8 + 9 * cells))
    return Memory(
        board,
        board._replace(can=np.zeros_like(board.can)),
        None if colors is None else np.zeros(blocks, np.uint8),
        Scratch(reach, gaps, new, news),
        np.zeros((seen if seen * words * 8 <= SEEN_BYTES else 0, words), np.uint64),
        np.zeros((0, 3), np.int32),
        Tree(
            union=board._replace(can=np.zeros_like(board.can)),
            boards=np.zeros((depth, lines * palette, words), np.uint64),
            seen=np.zeros((depth + 1, 2 * cells, words), np.uint64),
            score=np.zeros((depth + 1, cells)),
            best=np.zeros((depth + 1, cells), np.uint8),
            cell=np.zeros(depth, np.int64),
            color=np.zeros(depth, np.uint8),
        ),
        no_beliefs(cells if thinking else 0, side, blocks, longest, palette, words),
    )


@kernel
def _propagate_all(
    board: Board, color: np.ndarray | None, scratch: Scratch, counters: np.ndarray, deadline: float, like: Any
) -> int:
    """Line logic over all lines; returns as `propagate`."""
    rows, columns = low(int(board.size[1]), like), low(int(board.size[0]), like)
    return propagate(board, color, rows, columns, rows, columns, scratch, counters, deadline, like)


@kernel
def _climb(
    batch: Views,
    group: np.ndarray,
    k: int,
    cpu_limit: float,
    depth: int,
    top: int,
    nodes: int,
    start: np.ndarray,
    planted: Goals,
    memory: Memory,
    color: np.ndarray | None,
    outcome: Outcome,
    like: Any,
) -> int:
    """Puzzle by puzzle from group[k] on. Returns at the first that needs the tail, or at the end.

    `color` is the memory's, as an argument of its own (solver.board.Board). One puzzle's last look at the clock is the
    next one's first.
    """
    board, trial, _, scratch, seen, log, tree, beliefs = memory
    cpu, wall = cpu_seconds(), wall_seconds()
    while k < len(group):
        p = group[k]
        deadline = cpu + cpu_limit
        counters = outcome.counters[p]
        set_up(board, color, batch, p, like)
        if len(start) > 0:
            begin_from(board, start, like)
        if CHECKED:
            plant(board, planted.pictures, outcome.offsets[p], len(planted.known) > 0 and planted.known[p])
        held = CHECKED and holds(board, like)
        width, height = int(board.size[0]), int(board.size[1])
        status = _propagate_all(board, color, scratch, counters, deadline, like)
        left = width * height
        place = slice(outcome.offsets[p], outcome.offsets[p + 1])
        found = Found(outcome.first[place], outcome.second[place], outcome.found[p : p + 1], start)
        rung = LINE
        while True:
            before = cpu
            cpu = cpu_seconds()
            outcome.seconds[p, rung] += cpu - before
            if CHECKED:
                assert not held or (status != CONTRADICTION and holds(board, like)), "a rung lost a solution"
                assert status != FIXPOINT or at_fixpoint(board, color, scratch, like), "a rung stopped short"
            left = undecided(board, like)
            outcome.decided[p, rung] = width * height - left
            if status != FIXPOINT or left == 0 or rung in (PROBE, top):
                break
            if rung == LINE and top == SEARCH:
                shown = glance(board, tree.union, trial, color, scratch, found, counters, deadline, like)
                before = cpu
                cpu = cpu_seconds()
                outcome.seconds[p, SEARCH] = cpu - before  # it belongs to search, whoever decides
                if shown:
                    break
            rung += 1
            limit = depth if rung == DEPTH else NO_LIMIT
            status = refute(board, trial, tree.union, color, limit, scratch, seen, log, counters, deadline, like)
        outcome.rung[p] = rung
        if status == CONTRADICTION:
            outcome.solutions[p] = NONE
        elif status == OUT_OF_TIME:
            outcome.late[p] = True
        elif left == 0:
            outcome.solutions[p] = UNIQUE
            outcome.found[p] = 1
            write_picture(board, outcome.first[outcome.offsets[p] : outcome.offsets[p + 1]], like)
        searched, patience = EXHAUSTED, nodes
        engine = rung
        if found.number[0] == 2:
            outcome.solutions[p], engine = MULTIPLE, SEARCH
        elif status == FIXPOINT and left > 0 and top == SEARCH:
            engine = SEARCH
            locate(board, color, scratch, beliefs.places, like)
            patience = nodes if open_places(board, beliefs.places, like) <= MOST_PLACES else ENDLESS
            searched = search(board, trial, color, scratch, tree, found, patience, counters, deadline, like)
            outcome.rung[p] = SEARCH
            if searched == NODES_SPENT and beliefs.told.shape[1] >= width * height:
                status = dive(board, trial, tree.union, color, scratch, beliefs, counters, deadline, like)
                if status == FIXPOINT:
                    note_solution(trial, found, counters, deadline, like)
                if found.number[0] == 2:
                    searched = TWO_FOUND
                elif status == OUT_OF_TIME:
                    searched = LATE
            if searched == EXHAUSTED:
                outcome.solutions[p] = UNIQUE if found.number[0] == 1 else NONE
            elif searched == TWO_FOUND:
                outcome.solutions[p] = MULTIPLE
            elif searched == LATE:
                outcome.late[p] = True
            if CHECKED and searched == NODES_SPENT:
                assert not held or holds(board, like) or noted(board, found), "the search hands on too little"
                assert at_fixpoint(board, color, scratch, like), "the search hands on what line logic has not ended"
            before = cpu
            cpu = cpu_seconds()
            outcome.seconds[p, SEARCH] += cpu - before
        last_wall = wall
        wall = wall_seconds()
        outcome.seconds[p, WALL] = wall - last_wall
        outcome.engine[p] = engine
        if searched == NODES_SPENT:
            if patience < ENDLESS:
                return k
            outcome.late[p] = True
        k += 1
    return k


def _follow_tail(p: int, cpu_limit: float, start: np.ndarray, memory: Memory, outcome: Outcome, like: Any) -> None:
    """Decide the puzzle on the board by clause learning: a solution, then another one or the proof of none."""
    _compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    deadline = cpu + cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    first, second, counters = outcome.first[place], outcome.second[place], outcome.counters[p]
    with Learner(memory.board, memory.color, memory.scratch, deadline, like) as learner:
        found: bool | None = True
        if outcome.found[p] == 0:
            found = learner.next_solution(deadline)
            if found:
                first[:] = second[:] = learner.picture()
                outcome.found[p] = 2 if swap(second, width, height, start, counters, deadline) else 1
        if outcome.found[p] == 1:
            learner.exclude(first)
            found = learner.next_solution(deadline)
            if found:
                second[:] = learner.picture()
                outcome.found[p] = 2
        counters[CONFLICTS] = learner.conflicts
        outcome.engine[p] = SEARCH + 1 + ENGINES.index(learner.engine)
    if outcome.found[p] == 2:
        outcome.solutions[p] = MULTIPLE
    elif found is None:
        outcome.late[p] = True
    else:
        outcome.solutions[p] = UNIQUE if outcome.found[p] else NONE
    outcome.seconds[p, CPU_SAT] += time.thread_time() - cpu
    outcome.seconds[p, WALL] += time.monotonic() - wall
