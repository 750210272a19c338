"""The ladder itself as an engine."""

import time

import numpy as np

from nonocensus.solver.api import solve
from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits, out_of_time, verdict_of
from nonocensus.solver.model.puzzle import Puzzle


def by_ladder(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.api. A visit is a search node; puzzles solved without search have none."""
    start = time.thread_time()
    row = solve(puzzle, cpu_limit=limits.cpu_limit)
    seconds = time.thread_time() - start
    found = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    solutions = [np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width) for cells in found]  # type: ignore[call-overload]
    stopped = "" if row["status"] in ("ok", "invalid") else str(row["error"] or out_of_time(limits))
    nodes = row["nodes"]
    assert nodes is None or isinstance(nodes, int)
    return EngineAnswer(verdict_of(len(solutions), stopped), solutions, nodes, seconds, stopped=stopped)
