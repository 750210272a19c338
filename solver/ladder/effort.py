"""Solving effort of a puzzle in one unit."""

import numpy as np

from solver.model.measures import CONFLICT


def difficulty(line_solves: np.ndarray, conflicts: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Return the combined measure of difficulty, float64[puzzles]: log10 of the work per line, in line solves.

    pbnsolve's score (100 x line solves / lines) as a logarithm, with clause learning in the same unit. Not a number,
    or infinite, without lines or work.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10((line_solves + CONFLICT * conflicts) / lines))
