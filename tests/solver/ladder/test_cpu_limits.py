"""CPU limits: hard puzzles end near their limit, with partial results."""

import math
from typing import Any

import numpy as np
import pytest

from nonocensus.solver.api import solve
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.lookahead import look_ahead
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.board import copy, is_open
from nonocensus.solver.lines.propagate import OUT_OF_TIME
from nonocensus.solver.lines.workspace import COUNTERS, NEXT_CHECK, WORK
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views


def hard(side: int, density: float) -> Any:
    """Make a random picture of a density at which almost nothing can be inferred."""
    return from_picture((np.random.default_rng(3).random((side, side)) < density).astype(np.uint8))


@pytest.mark.slow
@pytest.mark.parametrize(("side", "density", "seconds"), [(120, 0.4, 3.0), (80, 0.45, 2.5), (120, 0.5, 0.1)])
def test_hard_puzzle_ends_at_its_limit(side: int, density: float, seconds: float) -> None:
    """The last one ends in the kernels, the others in the tail; the margin is wide, since machines may be busy."""
    puzzle = hard(side, density)
    solve(puzzle, cpu_limit=0.01)  # compiles
    row: dict[str, Any] = solve(puzzle, cpu_limit=seconds)
    assert (row["status"], row["label"], row["solutions"], row["technique"]) == ("timeout", "timeout", "unknown", None)
    assert row["cpu_seconds"] < seconds + 3.0
    assert row["cells_after_line"] is not None


def test_goal_is_a_solution_despite_timeout() -> None:
    row: dict[str, Any] = solve(hard(60, 0.35), cpu_limit=0.02, check_goal=True)
    assert row["solution"] is not None
    assert row["status"] in ("timeout", "ok")


def late_counters(work: int = 0) -> np.ndarray:
    """Return counters after some work, with the next check of the clock due one unit later."""
    counters = np.zeros(COUNTERS, np.int64)
    counters[WORK], counters[NEXT_CHECK] = work, work + 1
    return counters


def test_last_level_of_lookahead_checks_the_clock() -> None:
    """The check is due when level 0 is solved, before the lines that are only checked."""
    puzzle = hard(60, 0.45)
    memory = line_fixpoint(views(puzzle_batch([puzzle])), math.inf)
    assert memory is not None
    ahead: list[int] = []
    for deadline, due in ((math.inf, 0), (-1.0, None)):
        counters = late_counters()
        counters[NEXT_CHECK] = 1 << 60 if due == 0 else ahead[0] + 1
        copy(memory.board, memory.trial)
        y, x = next(
            (y, x) for y in range(60) for x in range(60) if is_open(memory.board, y, x, memory.workspace.bit_width)
        )
        for depth in (0, 1) if due == 0 else (1,):
            copy(memory.board, memory.trial)
            counters[WORK] = 0
            workspace = memory.workspace._replace(counters=counters, deadline=deadline)
            status = look_ahead(memory.trial, memory.board, None, y, x, 1, depth, workspace)
            ahead.append(int(counters[WORK]))
    assert ahead[1] > ahead[0], "no line of the last level was checked"
    assert status == OUT_OF_TIME


def test_swap_checks_the_clock() -> None:
    for deadline, found in ((math.inf, True), (-1.0, False)):
        picture, counters = np.eye(3, dtype=np.uint8).ravel(), late_counters()
        assert swap(picture, 3, 3, FROM_NOTHING, counters, deadline) == found
        assert (picture == np.eye(3, dtype=np.uint8).ravel()).all() == (not found)


def test_fruitless_glance_counts_as_search() -> None:
    """Its line solves and seconds are added to those of depth-2, which decides the puzzle."""
    puzzle = from_picture(np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], np.uint8))
    whole: dict[str, Any] = solve(puzzle)
    without: dict[str, Any] = solve(puzzle, rung="depth-2")
    assert whole["technique"] == without["technique"] == "depth-2"
    assert whole["line_solves"] > without["line_solves"]
    assert whole["probes"] > without["probes"]
    assert whole["cpu_search"] > 0
    assert without["cpu_search"] is None
    parts = [whole[name] or 0.0 for name in ("cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat")]
    assert whole["cpu_seconds"] == pytest.approx(sum(parts))
