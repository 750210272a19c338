"""Groups of puzzles by their kernels, and the size of the kernels' memory for a group."""

from typing import Any

import numpy as np
import pytest
from hostile import EVIL_COLORS, table
from strategies import PALETTE

from nonocensus.solver.ladder.memory import (
    KernelGroup,
    all_kernel_groups,
    highest_colors,
    kernel_groups,
    kernel_kinds,
    memory_for,
)
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

SMALL = from_picture(np.eye(3, dtype=np.uint8), PALETTE)
MANY = from_picture(np.array([[1, 2, 3]], np.uint8), PALETTE)
WIDE = from_picture(np.eye(2, 70, dtype=np.uint8))


def test_each_puzzle_is_in_one_group() -> None:
    batch = views(puzzle_batch([SMALL, MANY, WIDE, SMALL, MANY]))
    listed = [(group.words, group.colors, group.puzzles.tolist()) for group in all_kernel_groups(batch)]
    assert listed == [(1, None, [0, 3]), (1, 3, [1, 4]), (2, None, [2])]
    assert kernel_kinds(batch) == {(1, False), (1, True), (2, False)}
    assert [group.puzzles.tolist() for group in kernel_groups(batch, np.array([4, 2]))] == [[4], [2]]
    assert not list(kernel_groups(batch, np.zeros(0, np.int64)))


@pytest.mark.parametrize("side", [1, 7, 60])
@pytest.mark.parametrize("color", EVIL_COLORS[1:8])
def test_colour_in_columns_only_counts(side: int, color: int) -> None:
    clue = [{"length": 0, "color": color}]
    seen = views(table(width=[side], height=[side], rows=[[[]] * side], columns=[[clue] * side]))
    assert kernel_kinds(seen) == {(1, color > 1)}
    assert highest_colors(seen, np.arange(1)).tolist() == [color]
    memory = memory_for(seen, KernelGroup(1, color if color > 1 else None, np.arange(1)))
    assert memory.board.can.shape == (2 * side * (max(color, 1) + 1), 1)


def test_colours_of_a_slice_are_those_of_its_puzzles() -> None:
    assert highest_colors(views(puzzle_batch([MANY, SMALL, MANY]).slice(1)), np.arange(2)).tolist() == [1, 3]


def test_memory_of_slice_ignores_other_puzzles() -> None:
    checks = from_picture((np.indices((40, 40)).sum(axis=0) % 2).astype(np.uint8))
    batch = puzzle_batch([checks, SMALL, checks])
    alone, sliced = (
        memory_for(views(one), KernelGroup(1, None, np.arange(1))) for one in (puzzle_batch([SMALL]), batch.slice(1, 1))
    )
    for one, other in zip(_arrays(alone), _arrays(sliced), strict=True):
        assert one.shape == other.shape


def _arrays(memory: Any) -> list[np.ndarray]:
    if isinstance(memory, np.ndarray):
        return [memory]
    return [array for part in memory for array in _arrays(part)] if isinstance(memory, tuple) else []
