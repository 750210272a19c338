"""The cache of line solves: a ladder without it takes the same steps."""

import math

import fuzz
import numpy as np
import pytest

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, refute
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.lines.line_cache import empty_line_cache
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views


def _at_fixpoint(puzzle: Puzzle) -> Memory:
    memory = line_fixpoint(views(puzzle_batch([puzzle])), math.inf)
    assert memory is not None
    return memory


def _refuted(memory: Memory, cached: bool) -> tuple[list[int], list[int]]:
    """Return the possible colours and the counters after depth-2 and probing."""
    workspace = memory.workspace
    if not cached:
        workspace = workspace._replace(line_cache=empty_line_cache(0, 1, 1, 1))
    for depth in (np.int64(2), NO_LIMIT):
        begin(memory.board, memory.tree.union, memory.seen, workspace.bit_width)
        others = memory.tree.union, memory.color, depth, NO_LIMIT, memory.seen, memory.log
        refute(memory.board, memory.trial, *others, workspace)
    return memory.board.can.tolist(), workspace.counters.tolist()


@pytest.mark.parametrize("colors", [1, 3])
def test_steps_with_and_without_cache_are_equal(colors: int) -> None:
    random = np.random.default_rng(colors)
    entries = 0
    for _ in range(30):
        puzzle = from_picture(random.integers(0, colors + 1, (9, 11)).astype(np.uint8), fuzz.PALETTE[: colors + 1])
        memory = _at_fixpoint(puzzle)
        assert _refuted(memory, True) == _refuted(_at_fixpoint(puzzle), False)
        entries += np.bitwise_count(memory.workspace.line_cache.filled).sum()
    assert entries > 100


def test_puzzles_of_a_batch_do_not_share_entries() -> None:
    puzzles = [fuzz.drawn(seed, most=12) for seed in range(60)]
    together = climb(views(puzzle_batch(puzzles)), np.arange(60), LadderOptions(math.inf))
    for k, puzzle in enumerate(puzzles):
        alone = climb(views(puzzle_batch([puzzle])), np.arange(1), LadderOptions(math.inf))
        assert together.counters[k].tolist() == alone.counters[0].tolist()
        assert together.solutions[k] == alone.solutions[0]
