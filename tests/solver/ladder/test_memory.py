"""The kernels' memory is as large as the puzzles of a group need it, whatever else the batch holds."""

from typing import Any

import numpy as np
import pytest
from hostile import EVIL_COLORS, table
from strategies import PALETTE

from solver.ladder.memory import KernelGroup, memory_for
from solver.model.puzzle import from_picture
from solver.model.tables import puzzle_batch
from solver.model.views import views


@pytest.mark.parametrize("side", [1, 7, 60])
@pytest.mark.parametrize("color", EVIL_COLORS[1:8])
def test_memory_follows_from_the_clues_of_both_sides(side: int, color: int) -> None:
    """The kernels' memory for a puzzle with a colour in its columns only, though no kernel is given such a one."""
    clue = [{"length": 0, "color": color}]
    batch = table(width=[side], height=[side], rows=[[[]] * side], columns=[[clue] * side])
    seen = views(batch)
    memory = memory_for(seen, KernelGroup(1, color if color > 1 else None, np.arange(1)))
    assert memory.board.can.shape == (2 * side * (max(color, 1) + 1), 1)


def test_memory_of_a_slice_is_that_of_its_puzzles() -> None:
    """The longest line of the puzzles beside it is none of its own."""
    checks = from_picture((np.indices((40, 40)).sum(axis=0) % 2).astype(np.uint8))
    small = from_picture(np.eye(3, dtype=np.uint8), PALETTE)
    batch = puzzle_batch([checks, small, checks])
    alone, sliced = (
        memory_for(views(one), KernelGroup(1, None, np.arange(1))) for one in (puzzle_batch([small]), batch.slice(1, 1))
    )
    for one, other in zip(_arrays(alone), _arrays(sliced), strict=True):
        assert one.shape == other.shape


def _arrays(memory: Any) -> list[np.ndarray]:
    if isinstance(memory, np.ndarray):
        return [memory]
    return [array for part in memory for array in _arrays(part)] if isinstance(memory, tuple) else []
