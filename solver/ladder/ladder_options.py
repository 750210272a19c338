"""Input of the ladder: names of the rungs, options, and what is known of the puzzles beforehand."""

import math
from typing import NamedTuple

import numpy as np

from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.tuning import BELIEF_BYTES, SEARCH_NODES

LINE, DEPTH, PROBE, SEARCH = range(4)
RUNGS = ("line", "depth-2", "probe", "search")


def rung_names(depth: int) -> tuple[str, ...]:
    """Return the rungs' names with the second one's depth."""
    return tuple(f"depth-{depth}" if rung == DEPTH else name for rung, name in enumerate(RUNGS))


def rung_number(name: str) -> int:
    """Return the index of a rung; raises ValueError for an unknown name."""
    if name not in RUNGS:
        raise ValueError(f"rung must be one of {', '.join(RUNGS)}, not {name!r}")
    return RUNGS.index(name)


FROM_NOTHING = np.zeros((0, 0), np.bool_)
"""A start that leaves every colour to every cell."""


def start_rows(puzzle: Puzzle, start: np.ndarray | None) -> np.ndarray:
    """Return a start, bool[height, width, palette], as `PriorKnowledge` has it; raises ValueError for another shape."""
    if start is None:
        return FROM_NOTHING
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    if np.shape(start) != shape:
        raise ValueError(f"start is bool{list(shape)} for this puzzle, not {list(np.shape(start))}")
    return np.ascontiguousarray(start, np.bool_).reshape(-1, shape[2])


def seconds_of(cpu_limit: object) -> float:
    """Return a limit of CPU seconds as a float; raises ValueError for anything else."""
    try:
        seconds = float(cpu_limit)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(f"cpu_limit must be CPU seconds, at least 0, not {cpu_limit!r}")
    return seconds


class LadderOptions(NamedTuple):
    """Limits for each puzzle.

    cpu_limit      CPU seconds
    depth          levels that the rung depth-2 looks ahead
    top            last rung
    nodes          search nodes before clause learning
    belief_bytes   memory limit of beliefs; larger boards have no dives
    """

    cpu_limit: float
    depth: int = 2
    top: int = SEARCH
    nodes: int = SEARCH_NODES
    belief_bytes: int = BELIEF_BYTES


class KnownSolutions(NamedTuple):
    """Known solutions of some puzzles of a batch.

    known      bool[puzzles]
    pictures   uint8: puzzle p's at offsets[p] .. offsets[p + 1] (solver.ladder.outcome.Outcome)
    """

    known: np.ndarray
    pictures: np.ndarray


NO_SOLUTIONS = KnownSolutions(np.zeros(0, np.bool_), np.zeros(0, np.uint8))


class PriorKnowledge(NamedTuple):
    """What is known of a batch beforehand.

    goals     first solutions; only second ones are searched for
    start     bool[height x width, palette], for a batch of one puzzle: the colours that each cell may have. Verdicts
              are about solutions that agree with it
    planted   solutions for the checked mode only (solver.lines.checked)
    """

    goals: KnownSolutions = NO_SOLUTIONS
    start: np.ndarray = FROM_NOTHING
    planted: KnownSolutions = NO_SOLUTIONS


NO_PRIOR = PriorKnowledge()
