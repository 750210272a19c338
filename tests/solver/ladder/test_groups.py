"""Which kernels a puzzle needs: the words of a bit set, and one colour or several."""

import numpy as np
import pytest
from hostile import EVIL_COLORS, table
from strategies import PALETTE

from solver.ladder.memory import all_kernel_groups, highest_colors, kernel_groups, kernel_kinds
from solver.model.puzzle import from_picture
from solver.model.tables import puzzle_batch
from solver.model.views import views

SMALL = from_picture(np.eye(3, dtype=np.uint8), PALETTE)
MANY = from_picture(np.array([[1, 2, 3]], np.uint8), PALETTE)
WIDE = from_picture(np.eye(2, 70, dtype=np.uint8))


def test_each_puzzle_is_in_one_group() -> None:
    batch = views(puzzle_batch([SMALL, MANY, WIDE, SMALL, MANY]))
    told = [(group.words, group.colors, group.puzzles.tolist()) for group in all_kernel_groups(batch)]
    assert told == [(1, None, [0, 3]), (1, 3, [1, 4]), (2, None, [2])]
    assert kernel_kinds(batch) == {(1, False), (1, True), (2, False)}
    assert [group.puzzles.tolist() for group in kernel_groups(batch, np.array([4, 2]))] == [[4], [2]]
    assert not list(kernel_groups(batch, np.zeros(0, np.int64)))


@pytest.mark.parametrize("side", [1, 7, 60])
@pytest.mark.parametrize("color", EVIL_COLORS[1:8])
def test_a_colour_in_the_columns_only_counts(side: int, color: int) -> None:
    clue = [{"length": 0, "color": color}]
    seen = views(table(width=[side], height=[side], rows=[[[]] * side], columns=[[clue] * side]))
    assert kernel_kinds(seen) == {(1, color > 1)}
    assert highest_colors(seen, np.arange(1)).tolist() == [color]


def test_colours_of_a_slice_are_those_of_its_puzzles() -> None:
    assert highest_colors(views(puzzle_batch([MANY, SMALL, MANY]).slice(1)), np.arange(2)).tolist() == [1, 3]
