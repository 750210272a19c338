"""What is known of puzzles that are not solved to their end, held against the ladder's own counts and solutions."""

import numpy as np
import pytest

from nonocensus.pipeline.commands.solve.partial import decided_grid, partial
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import Puzzle, from_picture

SWITCH = from_picture([[1, 0, 0], [0, 1, 0]])

COUNTS = {"line": "cells_after_line", "depth-2": "cells_after_depth2", "probe": "cells_after_probe"}


def puzzles() -> list[Puzzle]:
    rng = np.random.default_rng(3)
    mono = [from_picture((rng.random((20, 21)) < 0.45).astype(np.uint8)) for _ in range(8)]
    palette = (*mono[0].palette, mono[0].palette[1]._replace(name="red", symbol="r", rgb="ff0000"))
    colored = [from_picture(rng.integers(0, 3, (12, 13)).astype(np.uint8), palette) for _ in range(8)]
    return mono + colored


@pytest.mark.parametrize("rung", COUNTS)
def test_as_many_cells_as_the_ladder_has_decided_and_as_in_every_solution(rung: str) -> None:
    left_open = 0
    for puzzle in puzzles():
        row = solve(puzzle, rung=rung)
        if row["label"] != "stalled":
            continue
        left_open += 1
        may_be = partial(puzzle, row, 2)
        assert may_be is not None
        known = decided_grid(may_be)
        assert (known >= 0).sum() == row[COUNTS[rung]]
        assert puzzle.goal is not None
        assert ((known == puzzle.goal) | (known < 0)).all()
        assert np.take_along_axis(may_be, puzzle.goal[:, :, None].astype(np.int64), 2).all()
    assert left_open > 4


def test_from_a_saved_grid() -> None:
    """What the grid rules out stays ruled out."""
    start = np.ones((2, 3, 2), np.bool_)
    row = solve(SWITCH, rung="line", start=start)
    free = partial(SWITCH, row, 2, start)
    start[0, 0, 1] = False
    begun = partial(SWITCH, row, 2, start)
    assert free is not None
    assert begun is not None
    assert decided_grid(free).tolist() == [[-1, -1, 0], [-1, -1, 0]]
    assert decided_grid(begun).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert partial(SWITCH, row, 2, np.zeros((2, 3, 2), np.bool_)) is None


def test_at_a_timeout() -> None:
    row = solve(SWITCH, cpu_limit=0.0)
    assert row["status"] == "timeout"
    may_be = partial(SWITCH, row, 2)
    assert may_be is not None
    assert decided_grid(may_be).tolist() == [[-1, -1, 0], [-1, -1, 0]]
