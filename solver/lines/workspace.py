"""What every step of the solver works with: memory for a line, counters, the deadline, the width of bit sets."""

import math
from typing import Any, NamedTuple

import numpy as np

from solver.lines.bits import marker
from solver.lines.lanes import ROOM

# Counters of one puzzle's effort, in `Tools.counters`.
LINE_SOLVES, SWEEPS, PROBES, CONTRADICTIONS, NODES, MAX_DEPTH, CONFLICTS = range(7)
WORK, NEXT_LOOK = 7, 8  # blocks x words solved so far; the work at which to look at the clock again
COUNTERS = 9

# Rows of `Tools.news`: what the last `propagate` did.
SOLVED_ROWS, SOLVED_COLUMNS, CHANGED_ROWS, CHANGED_COLUMNS = range(4)


class Tools(NamedTuple):
    """What every step works with: memory for one line and for what was found, counters, the clock, the width.

    reach, gaps, back, back_gaps   uint64[more than a line's blocks, words]
    new           uint64[palette, words]: the colours that the line's cells may have, as a line of `Board.can`
    news          uint64[4, words]: what solver.lines.propagate did, rows numbered above
    counters      int64[COUNTERS], numbered above: effort is added
    deadline      CPU seconds of this thread at which to give up
    like          the width marker (solver.lines.bits)
    """

    reach: np.ndarray
    gaps: np.ndarray
    back: np.ndarray
    back_gaps: np.ndarray
    new: np.ndarray
    news: np.ndarray
    counters: np.ndarray
    deadline: float
    like: Any


def tools_for(side: int, palette: int, words: int) -> Tools:
    """Tools for lines of at most `side` cells, with counters at zero and no deadline."""
    reach, gaps, back, back_gaps = (np.zeros((side + 1 + ROOM, words), np.uint64) for _ in range(4))
    new, news = (np.zeros((size, words), np.uint64) for size in (palette, 4))
    return Tools(reach, gaps, back, back_gaps, new, news, np.zeros(COUNTERS, np.int64), math.inf, marker(words))
