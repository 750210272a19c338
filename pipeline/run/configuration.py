"""The configuration of a run: everything besides the puzzles that decides its rows."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, TypedDict

from nonocensus.solver import __version__
from nonocensus.solver.ladder.ladder_options import RUNGS
from nonocensus.solver.model.puzzle import MAX_DEPTH


class Configuration(TypedDict):
    """Settings of `solver.api.classify`, and the solver's version."""

    cpu_limit: float
    rung: str
    depth: int
    check_goal: bool
    solver_version: str


CPU_LIMIT, DEPTH = 60.0, 2
"""Default CPU seconds per puzzle, and lookahead levels of depth-2."""


def configuration(
    cpu_limit: float, rung: str = "search", depth: int = DEPTH, check_goal: bool = False
) -> Configuration:
    """Return a configuration of this solver version. Raises ValueError for invalid settings."""
    check_limit(cpu_limit)
    if rung not in RUNGS:
        raise ValueError(f"rung must be one of {', '.join(RUNGS)}, not {rung!r}")
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be an integer from 1 to {MAX_DEPTH}, not {depth!r}")
    return Configuration(
        cpu_limit=float(cpu_limit), rung=rung, depth=depth, check_goal=check_goal, solver_version=__version__
    )


def check_limit(cpu_limit: float) -> None:
    """Raise ValueError unless the limit is positive and finite."""
    if not 0 < cpu_limit < math.inf:
        raise ValueError(f"cpu_limit is a number of CPU seconds above 0, not {cpu_limit!r}")


def diff_configurations(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return name and both values of settings that differ; None where one is missing."""
    return [
        (name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def config_hash(config: Configuration) -> str:
    """Return sixteen hex digits that identify a configuration."""
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]
