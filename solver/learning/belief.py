"""Marginals of cells and blocks by belief propagation between rows and columns.

A line weighs its arrangements by the crossing lines' messages about its cells, and sends each crossing line its own
marginal of their common cell with that line's message divided out. On a grid full of short cycles the marginals are
only a heuristic, but a search that tries these colours first often finds a solution directly (as in
hyouv/FastNonogramSolver).

Each line takes one forward and one backward pass over the places that line logic has left its blocks, colours and blots
included.

Messages alone stay undecided between many solutions. With reinforcement (Chavas, Furtlehner, Mezard, Zecchina:
Survey-propagation decimation through distributed local computations, 2005) each cell has a bias towards its marginal
so far, which grows until all cells agree on one solution.
"""

import math
from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.learning.encoding import Variables
from nonocensus.solver.lines.bits import bit, count, has_any, highest, load, lowest
from nonocensus.solver.lines.board import BACKGROUND, Board, allows, open_cells
from nonocensus.solver.lines.line_solver import Places, no_places
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.tuning import (
    BELIEF_ROUNDS,
    DAMPING,
    DOUBT_GRADES,
    LEAST_DOUBT,
    LEAST_LEAN,
    LEAST_SAID,
    LOOK_EVERY,
    SETTLED,
)

ALMOST = 1.0 - 1e-12
"""Probabilities above it count as 1 up to rounding."""

RESET = cast(bool, np.bool_(True))  # a literal would be a type of its own to the compiler

MIN_WEIGHT = 1e-290
"""Weights below this underflow."""


class Beliefs(NamedTuple):
    """Messages between lines, and scratch memory for one line.

    places          places of all blocks
    messages        float64[2, height x width, palette]: messages of a cell's row (0) and column (1) about its colours,
                    LEAST_SAID to 1; 0 for impossible colours
    bias            float64[height x width, palette]: bias of a cell to each colour, at most 1; all 1 without bias
    weight          float64[side, palette]: crossing message times bias of a line's cells, scaled to at most 1
    window          int64[blocks + 1, 2]: first and last start of block j, regardless of colours; for j = blocks, of the
                    cells after all blocks
    before, behind  float64[blocks + 1, side + 1], set within the windows: total weight of the arrangements of the cells
                    before i with the first j blocks, after which the next may start; of the cells from i with the rest
    held            float64[blocks, side + 1]: weight of a block's cells if it starts at i; for a blot, total weight of
                    the arrangements of the cells before i that end inside it
    share           float64[palette, side + 1]: probability of each colour, as differences between neighbouring cells
    histogram       int64: number of cells by grade of doubt (solver.ladder.dive)
    """

    places: Places
    messages: np.ndarray
    bias: np.ndarray
    weight: np.ndarray
    window: np.ndarray
    before: np.ndarray
    behind: np.ndarray
    held: np.ndarray
    share: np.ndarray
    histogram: np.ndarray


class Signs(NamedTuple):
    """Variables of an encoding's blocks with their more probable sign; empty arrays to compute none.

    start, end   int32[blocks]: as in solver.learning.encoding.Variables
    literals     int32[number + 1]: each variable, negated if false is more probable
    """

    start: np.ndarray
    end: np.ndarray
    literals: np.ndarray


class CurrentBlock(NamedTuple):
    """The block that is being weighed.

    first   index of the line's first block on the board
    j       index of this block in its line
    gap     1 if a background cell must separate it from the next block, else 0
    total   total weight of the line's arrangements
    """

    first: int
    j: int
    gap: int
    total: float


def empty_beliefs(cells: int, side: int, blocks: int, longest: int, palette: int, words: int) -> Beliefs:
    """Allocate memory for a board; `side` and `longest` are the maximum cells and blocks of a line."""
    return Beliefs(
        no_places(blocks, words),
        messages=np.zeros((2, cells, palette)),
        bias=np.ones((cells, palette)),
        weight=np.zeros((side, palette)),
        window=np.zeros((longest + 1, 2), np.int64),
        before=np.zeros((longest + 1, side + 1)),
        behind=np.zeros((longest + 1, side + 1)),
        held=np.zeros((longest, side + 1)),
        share=np.zeros((palette, side + 1)),
        histogram=np.zeros(int(-DOUBT_GRADES * math.log2(LEAST_DOUBT)) + 1, np.int64),
    )


def probable(
    board: Board, color: np.ndarray | None, variables: Variables, reinforcement: float, workspace: Workspace
) -> np.ndarray:
    """Return the variables of a board's encoding with their more probable signs, int32[number].

    `reinforcement` as for `exchange`.
    """
    width, height, palette = map(int, board.size)
    lines = board.first[: width + height + 1]
    beliefs = empty_beliefs(
        width * height, max(width, height), 0, int(np.diff(lines).max()), palette, board.can.shape[1]
    )._replace(places=variables.places)
    literals = -np.arange(variables.number + 1, dtype=np.int32)
    _guess(board, color, beliefs, variables, literals, reinforcement, workspace)
    return literals[1:]


@kernel
def _guess(
    board: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    variables: Variables,
    literals: np.ndarray,
    reinforcement: float,
    workspace: Workspace,
) -> None:
    """Set the signs of all variables from new beliefs."""
    rounds: Any = np.int64(BELIEF_ROUNDS)
    restrict(board, beliefs, RESET, workspace.bit_width)
    exchange(board, color, beliefs, Signs(variables.start, variables.end, literals), rounds, reinforcement, workspace)
    _write_cells(board, beliefs, variables, literals, workspace.bit_width)


@kernel
def restrict(board: Board, beliefs: Beliefs, reset: bool, bit_width: Any) -> None:
    """Zero the messages of impossible colours; if `reset`, set all other messages and biases to 1."""
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for y in range(height):
        for x in range(width):
            for c in range(palette):
                if reset:
                    beliefs.bias[y * width + x, c] = 1.0
                for side in range(2):
                    if not allows(board, y, x, c, bit_width):
                        beliefs.messages[side, y * width + x, c] = 0.0
                    elif reset:
                        beliefs.messages[side, y * width + x, c] = 1.0


@standalone
def exchange(
    board: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    signs: Signs,
    rounds: int,
    reinforcement: float,
    workspace: Workspace,
) -> None:
    """Exchange messages for `rounds` rounds, until the deadline or, without reinforcement, until they converge.

    signs           set as well, unless empty
    reinforcement   power of the marginal that becomes the bias in the last round; it grows linearly from 0
    """
    bit_width = workspace.bit_width
    lines = int(board.size[0] + board.size[1])
    work = 0
    for done in range(rounds):
        change = 0.0
        for line in range(lines):
            if not has_any(open_cells(board, line, bit_width)):
                continue
            work += int(board.first[line + 1] - board.first[line] + 1) * len(beliefs.weight)
            if work > LOOK_EVERY:
                work = 0
                if cpu_seconds() > workspace.deadline:
                    return
            _receive_messages(board, beliefs, line, bit_width)
            if _weigh_line(board, color, beliefs, signs, line, bit_width):
                change = max(change, _send_messages(board, beliefs, line, bit_width))
        if cpu_seconds() > workspace.deadline or (reinforcement == 0.0 and change < SETTLED):
            break
        if reinforcement > 0.0:
            _reinforce(board, beliefs, reinforcement * (done + 1) / rounds, bit_width)


@kernel
def _reinforce(board: Board, beliefs: Beliefs, power: float, bit_width: Any) -> None:
    """Set the bias of each open cell to a power of its marginal."""
    width, palette, bias = int(board.size[0]), int(board.size[2]), beliefs.bias
    for line in range(int(board.size[1])):
        unknown = open_cells(board, line, bit_width)
        for i in range(width):
            if has_any((unknown >> i) & bit(0, bit_width)):
                cell = _cell(board, line, i)
                most = 0.0
                for c in range(palette):
                    most = max(most, _belief(beliefs, cell, c))
                for c in range(palette):
                    share = _belief(beliefs, cell, c) / most
                    bias[cell, c] = 1.0 if share == 1.0 else max(share, LEAST_LEAN) ** power


@inlined
def _cell(board: Board, line: int, i: int) -> int:
    """Return the index on the board of a line's cell i."""
    width, height = int(board.size[0]), int(board.size[1])
    return line * width + i if line < height else i * width + line - height


@kernel
def _receive_messages(board: Board, beliefs: Beliefs, line: int, bit_width: Any) -> None:
    """Set a line's weights from the crossing messages and biases; decided cells have weight 0 or 1."""
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    weight = beliefs.weight
    cells, crossing = (width, 1) if line < height else (height, 0)
    unknown = open_cells(board, line, bit_width)
    for i in range(cells):
        cell = _cell(board, line, i)
        if not has_any((unknown >> i) & bit(0, bit_width)):
            for c in range(palette):
                weight[i, c] = 1.0 if beliefs.messages[crossing, cell, c] > 0.0 else 0.0
            continue
        most = 0.0
        for c in range(palette):
            weight[i, c] = beliefs.messages[crossing, cell, c] * beliefs.bias[cell, c]
            most = max(most, weight[i, c])
        for c in range(palette):
            weight[i, c] /= most


@kernel
def _weigh_line(
    board: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    signs: Signs,
    line: int,
    bit_width: Any,
) -> bool:
    """Compute the marginals of a line's cells and blocks; returns False if the weights underflow."""
    first, blocks = int(board.first[line]), int(board.first[line + 1] - board.first[line])
    cells = int(board.size[0] if line < board.size[1] else board.size[1])
    before, behind, weight, window = beliefs.before, beliefs.behind, beliefs.weight, beliefs.window
    beliefs.share[:, : cells + 1] = 0.0
    window[0, 0] = 0
    for j in range(blocks):
        starts = load(beliefs.places.starts, first + j, bit_width)
        window[j, 1] = highest(starts)
        window[j + 1, 0] = lowest(starts) + max(int(board.length[first + j]), 1) + _gap(color, first, j, blocks)
    window[blocks, 1] = cells
    before[0, 0] = 1.0
    for i in range(window[0, 1]):
        before[0, i + 1] = before[0, i] * weight[i, BACKGROUND]
    for j in range(blocks):
        _weigh_before(board, color, beliefs, first, j, _gap(color, first, j, blocks), bit_width)
    total = before[blocks, cells]
    if not total > MIN_WEIGHT:
        return False
    behind[blocks, cells] = 1.0
    for i in range(cells - 1, window[blocks, 0] - 1, -1):
        behind[blocks, i] = behind[blocks, i + 1] * weight[i, BACKGROUND]
    for j in range(blocks - 1, -1, -1):
        block = CurrentBlock(first, j, _gap(color, first, j, blocks), total)
        if board.length[first + j] > 0:
            _weigh_block(board, color, beliefs, signs, block, bit_width)
        else:
            _weigh_blot(color, beliefs, signs, block, bit_width)
    return True


@inlined
def _gap(color: np.ndarray | None, first: int, j: int, blocks: int) -> int:
    """Return 1 if a background cell must separate block j of a line from the next one, else 0."""
    return 1 if j + 1 < blocks and (color is None or color[first + j] == color[first + j + 1]) else 0


@kernel
def _weigh_before(
    board: Board, color: np.ndarray | None, beliefs: Beliefs, first: int, j: int, gap: int, bit_width: Any
) -> None:
    """Compute the forward weights after block j from those before it."""
    before, weight, held = beliefs.before, beliefs.weight, beliefs.held
    c = 1 if color is None else int(color[first + j])
    length = int(board.length[first + j])
    starts = load(beliefs.places.starts, first + j, bit_width)
    lowest_start, highest_start = lowest(starts), int(beliefs.window[j, 1])
    low, high = int(beliefs.window[j + 1, 0]), int(beliefs.window[j + 1, 1])
    for i in range(low, high + 1):
        before[j + 1, i] = 0.0
    if length > 0:
        for i in range(lowest_start, highest_start + 1):
            if has_any((starts >> i) & bit(0, bit_width)):
                end = i + length
                product = weight[i, c]
                for k in range(i + 1, end):
                    product *= weight[k, c]
                held[j, i] = product
                if end + gap <= high:
                    before[j + 1, end + gap] = before[j, i] * held[j, i]
    else:
        inside = 0.0
        for i in range(beliefs.window[j, 0], highest_start + 1):
            held[j, i] = inside
            inside = (inside + before[j, i]) * weight[i, c]
            if i >= lowest_start and i + 1 + gap <= high:
                before[j + 1, i + 1 + gap] = inside
        held[j, highest_start + 1] = inside
    for i in range(low, high + 1):
        if gap == 1:
            before[j + 1, i] *= weight[i - 1, BACKGROUND]
        if i > low:
            before[j + 1, i] += before[j + 1, i - 1] * weight[i - 1, BACKGROUND]


@inlined
def _behind(beliefs: Beliefs, j: int, gap: int, i: int) -> float:
    """Return the backward weight of the cells from i if block j has just ended there."""
    if i + gap < beliefs.window[j + 1, 0] or i + gap > beliefs.window[j + 1, 1]:
        return 0.0
    passed = beliefs.weight[i, BACKGROUND] if gap == 1 else 1.0
    behind: float = beliefs.behind[j + 1, i + gap] * passed
    return behind


@kernel
def _weigh_block(
    board: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    signs: Signs,
    block: CurrentBlock,
    bit_width: Any,
) -> None:
    """Compute the backward weights, marginals and literals of a block with a known length."""
    first, j, gap, total = block
    share, has_signs = beliefs.share, len(signs.literals) > 0
    c = 1 if color is None else int(color[first + j])
    length = int(board.length[first + j])
    starts = load(beliefs.places.starts, first + j, bit_width)
    others, by, behind = count(starts), 1.0, 0.0
    for i in range(beliefs.window[j, 1], beliefs.window[j, 0] - 1, -1):
        behind *= beliefs.weight[i, BACKGROUND]
        if has_any((starts >> i) & bit(0, bit_width)):
            rest = beliefs.held[j, i] * _behind(beliefs, j, gap, i + length)
            behind += rest
            here = beliefs.before[j, i] * rest / total
            share[c, i] += here
            share[c, i + length] -= here
            if has_signs:
                others -= 1
                _write_by(signs.literals, int(signs.start[first + j]) + others, by)
                by = min(by - here, ALMOST)
        beliefs.behind[j, i] = behind


@kernel
def _weigh_blot(
    color: np.ndarray | None,
    beliefs: Beliefs,
    signs: Signs,
    block: CurrentBlock,
    bit_width: Any,
) -> None:
    """Compute the backward weights, marginals and literals of a blot: its starts, its ends, the cells in between."""
    first, j, gap, total = block
    weight, share, has_signs = beliefs.weight, beliefs.share, len(signs.literals) > 0
    c = 1 if color is None else int(color[first + j])
    starts, ends = load(beliefs.places.starts, first + j, bit_width), load(beliefs.places.ends, first + j, bit_width)
    other_starts = other_ends = count(starts)
    started, ended, behind = 1.0, 1.0, 0.0
    inside = 0.0  # weight of the cells from i if the cell before belongs to the blot
    last = int(beliefs.window[j, 1])
    for i in range(last + 1, beliefs.window[j, 0] - 1, -1):
        before, held = beliefs.before[j, i] if i <= last else 0.0, beliefs.held[j, i]
        if i <= last:
            rest = weight[i, c] * inside
            behind = behind * weight[i, BACKGROUND] + rest
            beliefs.behind[j, i] = behind
            here = (held + before) * rest / total
            share[c, i] += here
            share[c, i + 1] -= here
            if has_signs and has_any((starts >> i) & bit(0, bit_width)):
                other_starts -= 1
                _write_by(signs.literals, int(signs.start[first + j]) + other_starts, started)
                started = min(started - before * rest / total, ALMOST)
            inside = rest
        after = _behind(beliefs, j, gap, i)
        inside += after
        if has_signs and has_any((ends >> i) & bit(0, bit_width)):
            other_ends -= 1
            _write_by(signs.literals, int(signs.end[first + j]) + other_ends, ended)
            ended = min(ended - held * after / total, ALMOST)


@inlined
def _write_by(literals: np.ndarray, variable: int, probability: float) -> None:
    """Set the literal of "at this place or earlier"; the last place, with probability 1, has no variable."""
    if probability < 1.0:
        literals[variable] = variable if probability > 0.5 else -variable


@kernel
def _send_messages(board: Board, beliefs: Beliefs, line: int, bit_width: Any) -> float:
    """Send a line's messages to the crossing lines; returns the largest change of a message."""
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    cells, own = (width, 0) if line < height else (height, 1)
    share, weight = beliefs.share, beliefs.weight
    unknown, change = open_cells(board, line, bit_width), 0.0
    for i in range(cells):
        if i > 0:
            for c in range(1, palette):
                share[c, i] += share[c, i - 1]
        cell = _cell(board, line, i)
        if not has_any((unknown >> i) & bit(0, bit_width)):
            for c in range(palette):
                old = beliefs.messages[own, cell, c]
                if 0.0 < old < 1.0:
                    change = max(change, 1.0 - old)
                    beliefs.messages[own, cell, c] = DAMPING * old + (1.0 - DAMPING)
            continue
        share[BACKGROUND, i] = 1.0
        for c in range(1, palette):
            share[BACKGROUND, i] -= share[c, i]
        total = 0.0
        for c in range(palette):
            if weight[i, c] > 0:
                total += max(share[c, i], 0.0) / weight[i, c]
        for c in range(palette):
            if weight[i, c] > 0 and total > 0:
                new = max(max(share[c, i], 0.0) / weight[i, c] / total, LEAST_SAID)
                old = beliefs.messages[own, cell, c]
                change = max(change, abs(new - old))
                beliefs.messages[own, cell, c] = DAMPING * old + (1.0 - DAMPING) * new
    return change


@inlined
def _belief(beliefs: Beliefs, cell: int, c: int) -> float:
    """Return the unnormalised marginal of a cell's colour."""
    belief: float = beliefs.messages[0, cell, c] * beliefs.messages[1, cell, c] * beliefs.bias[cell, c]
    return belief


@kernel
def likely_color(board: Board, beliefs: Beliefs, y: int, x: int) -> int:
    """Return a cell's most probable colour."""
    cell = y * int(board.size[0]) + x
    most, best = -1.0, BACKGROUND
    for c in range(int(board.size[2])):
        belief = _belief(beliefs, cell, c)
        if belief > most:
            most, best = belief, c
    return best


@kernel
def confidence(board: Board, beliefs: Beliefs, y: int, x: int) -> float:
    """Return the probability of a cell's most probable colour."""
    cell = y * int(board.size[0]) + x
    most, total = 0.0, 0.0
    for c in range(int(board.size[2])):
        belief = _belief(beliefs, cell, c)
        most = max(most, belief)
        total += belief
    return most / total


@kernel
def _write_cells(board: Board, beliefs: Beliefs, variables: Variables, literals: np.ndarray, bit_width: Any) -> None:
    """Set the literals of the open cells: the most probable colour true, the others false."""
    width = int(board.size[0])
    for cell in range(width * int(board.size[1])):
        if variables.cell[cell] != 0:
            y, x = cell // width, cell % width
            best = likely_color(board, beliefs, y, x)
            for c in range(int(board.size[2])):
                if allows(board, y, x, c, bit_width):
                    literal = variables.literal[cell, c]
                    literals[abs(literal)] = literal if c == best else -literal
