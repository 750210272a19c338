"""Registry of engines."""

from collections.abc import Callable

from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits
from nonocensus.solver.engines.astar import a_star, a_star_by_all_groups, a_star_by_wrong_groups
from nonocensus.solver.engines.bfs import breadth_first
from nonocensus.solver.engines.brute import brute_force
from nonocensus.solver.engines.cover_engine import by_exact_cover
from nonocensus.solver.engines.dfs import depth_first
from nonocensus.solver.engines.ladder_engine import by_ladder
from nonocensus.solver.engines.sat import by_learners
from nonocensus.solver.model.puzzle import Puzzle

ENGINES: dict[str, Callable[[Puzzle, EngineLimits], EngineAnswer]] = {
    "dfs": depth_first,
    "bfs": breadth_first,
    "astar": a_star,
    "astar-wrong": a_star_by_wrong_groups,
    "astar-missing": a_star_by_all_groups,
    "brute": brute_force,
    "exact-cover": by_exact_cover,
    "sat": by_learners,
    "ladder": by_ladder,
}
"""Engines by the name that `nonocensus bench engines --engine` accepts."""

COMPILED = ("exact-cover", "sat", "ladder")
"""Engines with kernels, which are compiled on first use."""
