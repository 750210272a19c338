"""CPU limits: hard puzzles end about when they should, with what was known; easy ones don't notice."""

from typing import Any

import numpy as np
import pytest

from solver.api import solve
from solver.puzzle import from_picture


def hard(side: int, density: float) -> Any:
    """A random picture of the density at which almost nothing can be inferred."""
    return from_picture((np.random.default_rng(3).random((side, side)) < density).astype(np.uint8))


@pytest.mark.slow
@pytest.mark.parametrize(("side", "density", "seconds"), [(120, 0.4, 3.0), (80, 0.35, 2.5), (120, 0.5, 0.1)])
def test_a_hard_puzzle_ends_at_its_limit(side: int, density: float, seconds: float) -> None:
    """In the tail, and the last one in the kernels: no timing is asserted but the limit itself, and that by far."""
    puzzle = hard(side, density)
    solve(puzzle, cpu_limit=0.01)  # compiles
    row: dict[str, Any] = solve(puzzle, cpu_limit=seconds)
    assert (row["status"], row["label"], row["solutions"], row["technique"]) == ("timeout", "timeout", "unknown", None)
    assert row["cpu_seconds"] < seconds + 3.0
    assert row["cells_after_line"] is not None


def test_what_was_known_is_kept() -> None:
    """With its goal given a puzzle has a solution even if time is too short for anything else."""
    row: dict[str, Any] = solve(hard(80, 0.35), cpu_limit=0.02, check_goal=True)
    assert row["solution"] is not None
    assert row["status"] in ("timeout", "ok")
