"""Resource limits and answers of engines."""

from typing import NamedTuple

import numpy as np

TWO = 2
"""Number of solutions at which an engine stops, since a second one settles the verdict."""

VERDICTS = ("none", "unique", "multiple")
"""Verdicts by the number of solutions found, if the search is exhausted or has found two."""


class EngineLimits(NamedTuple):
    """Resource limits of an engine for one puzzle.

    visits     states that a plain search or brute force may visit
    memory     bytes for the open list and for lists of arrangements (an upper estimate)
    cpu_limit  CPU seconds
    """

    visits: int = 1_000_000
    memory: int = 512 << 20
    cpu_limit: float = 60.0


class EngineAnswer(NamedTuple):
    """An engine's answer about a puzzle. Figures that an engine doesn't measure are None.

    verdict        none, unique, multiple; unknown if a limit was reached
    solutions      up to two, each a uint8[height, width] of palette entries
    visits         states, grids or nodes visited (docs/ENGINES.md, by engine)
    seconds        CPU seconds, from the puzzle to the verdict
    first_visits   visits until the first solution
    first_seconds  CPU seconds until the first solution
    peak           maximum size of the open list
    stopped        the limit reached, or why the engine can't solve this puzzle; empty if the verdict is known
    """

    verdict: str
    solutions: list[np.ndarray]
    visits: int | None
    seconds: float
    first_visits: int | None = None
    first_seconds: float | None = None
    peak: int | None = None
    stopped: str = ""


def verdict_of(solutions: int, stopped: str) -> str:
    """Return the verdict for a number of solutions; `stopped` is non-empty if the search ended early."""
    return "unknown" if stopped and solutions < TWO else VERDICTS[solutions]


def out_of_time(limits: EngineLimits) -> str:
    """Return the value of `stopped` at the CPU limit."""
    return f"not done in {limits.cpu_limit:g} CPU seconds"
