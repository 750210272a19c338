"""Limits of an engine, and its answer about a puzzle."""

from typing import NamedTuple

import numpy as np

TWO = 2
"""Solutions after which an engine stops: with a second one the verdict is known."""

VERDICTS = ("none", "unique", "multiple")
"""Verdicts by the number of solutions found, if there are no others or two of them."""


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
    """An engine's answer about a puzzle. Figures that an engine doesn't have are None.

    verdict        none, unique, multiple; unknown if a limit was reached
    solutions      those found, two at most, each a uint8[height, width] of palette entries
    visits         states, grids or nodes that it looked at: docs/ENGINES.md says of which engine which
    seconds        CPU seconds, from the puzzle to the verdict
    first_visits   the same when the first solution had been found
    first_seconds
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
    """Return the verdict for a number of solutions found, by an engine that stopped early or not."""
    return "unknown" if stopped and solutions < TWO else VERDICTS[solutions]


def out_of_time(limits: EngineLimits) -> str:
    """Value of `stopped` at the CPU limit."""
    return f"not done in {limits.cpu_limit:g} CPU seconds"
