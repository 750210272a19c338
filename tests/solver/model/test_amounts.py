"""Totals of clues against adding them up line by line."""

import math
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.solver.model.amounts import clue_totals
from nonocensus.solver.model.puzzle import BLOT, Block, Clue
from nonocensus.solver.model.tables import LINES
from nonocensus.solver.model.views import clue_arrays

BLOCKS = st.builds(Block, st.sampled_from([BLOT, 1, 2, 3, 65_535]), st.integers(1, 3))
SIDES = st.lists(st.lists(BLOCKS, max_size=4), max_size=9)


def line(clue: list[Block], cells: int) -> tuple[int, float]:
    """Return the slack of a line, and log10 of its arrangements."""
    free = cells - sum(max(block.length, 1) for block in clue) - sum(a.color == b.color for a, b in pairwise(clue))
    movable = len(clue) + sum(block.length == BLOT for block in clue)
    ways = math.log10(math.comb(free + movable, movable)) if free >= 0 else math.nan
    return max(free, 0) if clue else 0, ways


@settings(deadline=None)  # the first call loads the kernel
@given(st.lists(st.tuples(SIDES, st.integers(0, 30)), max_size=5), st.integers(0, 2))
def test_totals_agree_with_line_by_line_sums(puzzles: list[tuple[list[Clue], int]], skipped: int) -> None:
    sides = [[[block._asdict() for block in clue] for clue in side] for side, _ in puzzles]
    column, length = pa.array(sides, LINES)[skipped:], np.array([cells for _, cells in puzzles], np.int64)[skipped:]
    made = clue_totals(clue_arrays(column), length)
    for k, (side, cells) in enumerate(puzzles[skipped:]):
        blocks = list(chain.from_iterable(side))
        slacks, ways = zip((0, 0.0), *(line(clue, cells) for clue in side), strict=True)
        assert made.cells[k] == sum(max(block.length, 1) for block in blocks)
        assert made.blocks[k] == len(blocks)
        assert made.blots[k] == sum(block.length == BLOT for block in blocks)
        assert (made.slack[k], made.most[k]) == (sum(slacks), max(slacks))
        assert made.colors[k] == max((block.color for block in blocks), default=0)
        assert made.ways[k] == pytest.approx(sum(ways), nan_ok=True)


def test_ways_of_too_wide_puzzle_are_nan() -> None:
    """Untrusted puzzles may be wider than the table of factorials."""
    column = pa.array([[[{"length": 1, "color": 1}]]], LINES)
    made = clue_totals(clue_arrays(column), np.array([1 << 40]))
    assert math.isnan(made.ways[0])
    assert made.most[0] == (1 << 40) - 1
