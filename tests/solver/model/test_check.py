"""Faults of a batch against checking its puzzles one by one."""

from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import BLOT, MAX_COLORS, Block
from nonocensus.solver.model.tables import LINES

Side = list[list[Block]]
BLOCKS = st.builds(
    Block, st.sampled_from([BLOT, *[1] * 7, 2, 65_535]), st.sampled_from([*[1] * 12, *[2] * 6, 0, MAX_COLORS + 1])
)
SIDES = st.lists(st.lists(BLOCKS, max_size=3), max_size=4)
PUZZLES = st.builds(
    lambda rows, columns, more: (len(columns) + more, len(rows), rows, columns),
    SIDES,
    SIDES,
    st.sampled_from([0, 0, 0, 0, 1, 2]),
)


def fault(width: int, height: int, rows: Side, columns: Side) -> str | None:
    """Return the beginning of the message for a puzzle's first fault."""
    for name, side, lines in (("row", rows, height), ("column", columns, width)):
        if lines == 0 or len(side) != lines:
            return f"it has clues for {len(side)} {name}s" if lines else f"it has 0 {name}s"
    for name, side in (("row", rows), ("column", columns)):
        for number, clue in enumerate(side, 1):
            for block in clue:
                if not 1 <= block.color <= MAX_COLORS:
                    return f"{name} {number}: colour {block.color} "
    for name, side, cells in (("row", rows, width), ("column", columns, height)):
        for number, clue in enumerate(side, 1):
            need = sum(max(block.length, 1) for block in clue) + sum(a.color == b.color for a, b in pairwise(clue))
            if need > cells:
                return f"{name} {number}: its blocks need {need} cells, the line has {cells}"
    least: list[Counter[int]] = [Counter(), Counter()]
    blotted: list[set[int]] = [set(), set()]
    for k, side in enumerate((rows, columns)):
        for block in chain.from_iterable(side):
            least[k][block.color] += max(block.length, 1)
            if block.length == BLOT:
                blotted[k].add(block.color)
    for color in range(1, MAX_COLORS + 1):
        for one, other in ((0, 1), (1, 0)):
            if color not in blotted[one] and least[one][color] < least[other][color]:
                return "its rows paint "
    return None


@settings(deadline=None)  # the first call loads the kernel
@given(st.lists(PUZZLES, max_size=5), st.integers(0, 2))
def test_faults_agree_with_checking_puzzles_one_by_one(
    puzzles: list[tuple[int, int, Side, Side]], skipped: int
) -> None:
    def column(k: int) -> pa.Array:
        sides: list[Side] = [puzzle[2:][k] for puzzle in puzzles]
        return pa.array([[[block._asdict() for block in clue] for clue in side] for side in sides], LINES)

    sizes = [pa.array(np.array([puzzle[k] for puzzle in puzzles], np.uint16)) for k in (0, 1)]
    batch = pa.RecordBatch.from_arrays([*sizes, column(0), column(1)], ["width", "height", "rows", "columns"])
    found = faults_of(batch.slice(skipped))
    for k, puzzle in enumerate(puzzles[skipped:]):
        expected = fault(*puzzle)
        assert (k in found) == (expected is not None)
        assert found.get(k, "").startswith(expected or "")


def test_demo_puzzles_have_no_faults() -> None:
    from nonocensus.scrapers.demo import demo_puzzles
    from nonocensus.solver.model.tables import puzzle_batch

    assert not faults_of(puzzle_batch(demo_puzzles()[:100]))
