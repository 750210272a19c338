"""The workspace of kernels: scratch memory for a line, counters, the deadline, the width of bit sets."""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined
from nonocensus.solver.lines.bits import marker
from nonocensus.solver.lines.lanes import ROOM
from nonocensus.solver.lines.line_cache import LineCache, empty_line_cache

# Counters of one puzzle's effort, in `Workspace.counters`.
LINE_SOLVES, SWEEPS, PROBES, CONTRADICTIONS, NODES, MAX_DEPTH, CONFLICTS = range(7)
WORK, NEXT_CHECK = 7, 8  # blocks x words solved so far; the work at which the next check of the clock is due
COUNTERS = 9

# Rows of `Workspace.report`, sets of lines.
SOLVED_ROWS, SOLVED_COLUMNS, CHANGED_ROWS, CHANGED_COLUMNS = range(4)


class Workspace(NamedTuple):
    """Scratch memory and shared state of kernels.

    reach, gaps, back, back_gaps   uint64[blocks of a line + 1 + ROOM, words]
    new           uint64[palette, words]: the possible colours of the solved line's cells, as a line of `Board.can`
    report        uint64[4, words]: lines that the last propagation solved and changed, rows numbered above
    line_cache    results for assumptions
    counters      int64[COUNTERS], numbered above; kernels add to them
    deadline      CPU time of this thread, in seconds, at which to stop
    bit_width     the marker of bit sets' width (solver.lines.bits)
    """

    reach: np.ndarray
    gaps: np.ndarray
    back: np.ndarray
    back_gaps: np.ndarray
    new: np.ndarray
    report: np.ndarray
    line_cache: LineCache
    counters: np.ndarray
    deadline: float
    bit_width: Any


def make_workspace(side: int, palette: int, words: int, lines: int = 0) -> Workspace:
    """Return a workspace for lines of at most `side` cells, with counters at zero and no deadline.

    lines   number of lines to cache assumptions for
    """
    reach, gaps, back, back_gaps = (np.zeros((side + 1 + ROOM, words), np.uint64) for _ in range(4))
    new, report = (np.zeros((size, words), np.uint64) for size in (palette, 4))
    cache = empty_line_cache(lines, side, palette, words)
    return Workspace(
        reach, gaps, back, back_gaps, new, report, cache, np.zeros(COUNTERS, np.int64), math.inf, marker(words)
    )


@inlined
def with_deadline(workspace: Workspace, counters: np.ndarray, deadline: float) -> Workspace:
    """Return a workspace with the same scratch memory, but other counters and another deadline."""
    reach, gaps, back, back_gaps, new, report, cache, _, _, bit_width = workspace
    return Workspace(reach, gaps, back, back_gaps, new, report, cache, counters, deadline, bit_width)
