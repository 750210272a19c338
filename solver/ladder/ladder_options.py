"""What a run of the ladder is asked to do, and what is known beforehand."""

import math
from typing import NamedTuple

import numpy as np

from solver.tuning import SEARCH_NODES

LINE, DEPTH, PROBE, SEARCH = range(4)
RUNGS = ("line", "depth-2", "probe", "search")


def rung_names(depth: int) -> tuple[str, ...]:
    """The rungs' names when the second one looks `depth` levels ahead."""
    return tuple(f"depth-{depth}" if rung == DEPTH else name for rung, name in enumerate(RUNGS))


def rung_number(name: str) -> int:
    """The number of a rung; ValueError refuses a name that is none."""
    if name not in RUNGS:
        raise ValueError(f"rung is one of {', '.join(RUNGS)}, not {name!r}")
    return RUNGS.index(name)


FROM_NOTHING = np.zeros((0, 0), np.bool_)
"""As a start: every cell may have every colour."""


def seconds_of(cpu_limit: object) -> float:
    """A limit of CPU seconds as a float; ValueError refuses what is none."""
    try:
        seconds = float(cpu_limit)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(f"cpu_limit is a number of CPU seconds from 0 on, not {cpu_limit!r}")
    return seconds


class LadderOptions(NamedTuple):
    """How far each puzzle is taken.

    cpu_limit   CPU seconds
    depth       levels that the rung depth-2 looks ahead
    top         the last rung
    nodes       nodes of search before the tail takes over
    wait        for kernels that have not been compiled yet; or else puzzles that need them are late
    """

    cpu_limit: float
    depth: int = 2
    top: int = SEARCH
    nodes: int = SEARCH_NODES
    wait: bool = True


class KnownSolutions(NamedTuple):
    """Known solutions of some puzzles of a batch.

    known      bool[puzzles]
    pictures   uint8: puzzle p's is at offsets[p] .. offsets[p + 1] (solver.ladder.outcome.Outcome)
    """

    known: np.ndarray
    pictures: np.ndarray


NO_SOLUTIONS = KnownSolutions(np.zeros(0, np.bool_), np.zeros(0, np.uint8))


class PriorKnowledge(NamedTuple):
    """What is known of a batch beforehand.

    goals     solutions; only others are looked for then
    start     bool[height x width, palette], for a batch of one puzzle: the colours that its cells may have to begin
              with. The answer is about solutions that agree with that
    planted   solutions for the checked mode (solver.lines.checked), which nobody else looks at
    """

    goals: KnownSolutions = NO_SOLUTIONS
    start: np.ndarray = FROM_NOTHING
    planted: KnownSolutions = NO_SOLUTIONS


NO_PRIOR = PriorKnowledge()
