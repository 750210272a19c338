"""Belief propagation against enumerated arrangements, literals of the encoding."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.learning import belief
from nonocensus.solver.learning.encoding import FALSE, TRUE, _order_literal, encode
from nonocensus.solver.lines.bits import has_any, load, marker, store
from nonocensus.solver.lines.board import choices, open_cells
from nonocensus.solver.model.puzzle import BLOT, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views


def begun(puzzle: Puzzle) -> Memory | None:
    return line_fixpoint(views(puzzle_batch([puzzle])), math.inf)


def places(memory: np.ndarray, j: int) -> list[int]:
    bits = sum(int(word) << (64 * k) for k, word in enumerate(memory[j]))
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def runs(line: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return start and end of each block of an arrangement."""
    edges = [0, *(i for i in range(1, len(line)) if line[i] != line[i - 1]), len(line)]
    return [(start, end) for start, end in pairwise(edges) if start < end and line[start]]


@pytest.mark.plain_python
@given(st.one_of(puzzles(most=6), shuffled_puzzles()), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_marginals_of_line_equal_enumeration(puzzle: Puzzle, seed: int) -> None:
    memory = begun(puzzle)
    if memory is None:
        return
    bit_width = memory.workspace.bit_width
    board = memory.board
    variables, _ = encode(board, memory.color, memory.workspace)
    beliefs = memory.beliefs._replace(places=variables.places)
    belief.restrict(board, beliefs, True, bit_width)
    rng = np.random.default_rng(seed)
    beliefs.messages[:] *= rng.uniform(0.01, 1.0, beliefs.messages.shape)
    beliefs.bias[:] = rng.uniform(0.01, 1.0, beliefs.bias.shape)
    literals = np.zeros(variables.number + 1, np.int32)
    signs = belief.Signs(variables.start, variables.end, literals)
    for line, (clue, cells) in enumerate(oracle.lines_of(puzzle)):
        if not has_any(open_cells(board, line, bit_width)):
            continue
        belief._receive_messages(board, beliefs, line, bit_width)
        assert belief._weigh_line(board, memory.color, beliefs, signs, line, bit_width)
        crossing = 1 if line < puzzle.height else 0
        numbers = [y * puzzle.width + x for y, x in cells]
        weight = beliefs.messages[crossing, numbers] * beliefs.bias[numbers]
        every = list(oracle.arrangements(clue, len(cells)))
        weights = np.array([math.prod(weight[i, c] for i, c in enumerate(each)) for each in every])
        weights /= weights.sum()
        for c in range(1, puzzle.colors + 1):
            expected = [
                sum(weight for each, weight in zip(every, weights, strict=True) if each[i] == c)
                for i in range(len(cells))
            ]
            assert np.allclose(np.cumsum(beliefs.share[c, : len(cells)]), expected)
        for k in range(len(clue)):
            j = int(board.first[line]) + k
            ends = ((places(variables.places.ends, j), variables.end, 1),) if clue[k].length == BLOT else ()
            for where, first, edge in ((places(variables.places.starts, j), variables.start, 0), *ends):
                for rank, place in enumerate(where[:-1]):
                    by = sum(
                        weight
                        for each, weight in zip(every, weights, strict=True)
                        if weight > 0 and runs(each)[k][edge] <= place
                    )
                    variable = int(first[j]) + rank
                    assert abs(literals[variable]) == variable
                    assert abs(by - 0.5) < 1e-9 or (literals[variable] > 0) == (by > 0.5)


@given(st.one_of(puzzles(most=6), shuffled_puzzles()), st.sampled_from([0.0, 0.2]))
@settings(max_examples=100, deadline=None)
def test_every_variable_has_a_literal(puzzle: Puzzle, reinforcement: float) -> None:
    memory = begun(puzzle)
    if memory is None:
        return
    bit_width = memory.workspace.bit_width
    variables, _ = encode(memory.board, memory.color, memory.workspace)
    literals = belief.probable(memory.board, memory.color, variables, reinforcement, memory.workspace)
    assert np.abs(literals).tolist() == list(range(1, variables.number + 1))
    for y in range(puzzle.height):
        for x in range(puzzle.width):
            first, left = int(variables.cell[y * puzzle.width + x]), choices(memory.board, y, x, bit_width)
            if left > 2:
                assert (literals[first - 1 : first - 1 + left] > 0).sum() == 1


def test_reinforcement_sets_bias_and_lowers_doubt() -> None:
    """On a board with many solutions the bias follows its formula after a round."""
    puzzle = from_picture((np.random.default_rng(3).random((20, 20)) < 0.5).astype(np.uint8))
    memory = begun(puzzle)
    assert memory is not None
    bit_width = memory.workspace.bit_width
    board, beliefs = memory.board, memory.beliefs
    variables, _ = encode(board, memory.color, memory.workspace)
    beliefs = beliefs._replace(places=variables.places)
    no_signs = belief.Signs(*np.zeros((3, 0), np.int32))
    doubts = []
    for reinforcement in (0.0, 0.2):
        belief.restrict(board, beliefs, True, bit_width)
        belief.exchange(board, memory.color, beliefs, no_signs, 1, reinforcement, memory.workspace)
        once = beliefs.messages[0, :400] * beliefs.messages[1, :400]
        bias = np.maximum(once / once.max(axis=1, keepdims=True), belief.LEAST_LEAN) ** reinforcement
        bias[(once > 0).sum(axis=1) == 1] = 1.0  # decided cells
        assert np.allclose(beliefs.bias[:400], bias)
        belief.exchange(board, memory.color, beliefs, no_signs, 100, reinforcement, memory.workspace)
        doubts.append(sum(1 - belief.confidence(board, beliefs, y, x) for y in range(20) for x in range(20)))
    assert doubts[1] < 0.5 * doubts[0]


@kernel
def _all_literals(places: np.ndarray, first: int, literals: np.ndarray, bit_width: Any) -> None:
    for p in range(len(literals)):
        literals[p] = _order_literal(load(places, 0, bit_width), first, p, bit_width)


@pytest.mark.plain_python
@pytest.mark.parametrize("words", [1, 2])
def test_literals_up_to_the_last_bit(words: int) -> None:
    """The last bit is the place after the longest line."""
    bits, places, first = 64 * words, np.zeros((1, words), np.uint64), 5
    store(places, 0, 1 << (bits - 1) | 1 << 40 | 1 << 3)
    literals = np.zeros(bits, np.int64)
    _all_literals(places, first, literals, marker(words))
    assert literals.tolist() == [FALSE] * 3 + [first] * 37 + [first + 1] * (bits - 41) + [TRUE]
