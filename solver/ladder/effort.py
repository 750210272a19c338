"""How much work a puzzle is, in one unit."""

import numpy as np

CONFLICT = 400
"""Line solves that a conflict of clause learning counts as.

About what it takes: on the 6,746 puzzles of webpbn.com's 2014 archive a line solve took 0.15 microseconds and a
conflict 36, some 240 line solves; on the hardest one known, 25820, a conflict took 240. A report tells its own run's.
"""


def difficulty(line_solves: np.ndarray, conflicts: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """The combined measure of difficulty, float64[puzzles]: log10 of the work a line, in line solves.

    pbnsolve's score (100 x line solves / lines) as a logarithm, clause learning brought to the same unit. Not a number,
    or infinite, where there are no lines or there was no work.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10((line_solves + CONFLICT * conflicts) / lines))
