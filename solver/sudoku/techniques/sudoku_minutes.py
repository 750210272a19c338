"""How long a Sudoku of 9x9 takes people, in minutes.

A model fitted to mean solving times of 1,533 Sudokus (synnwang/sudoku_dataset_difficulty, CC0):

    seconds = open cells x constant x product of (1 + feature) ^ exponent

over `solver.sudoku.techniques.sudoku_rounds.FEATURES`. docs/decisions/sudoku-minutes.md has data, method and errors;
`python -m benchmarks people --fit DATA` writes the parameters, sudoku-minutes.json.
"""

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.model.fitted_parameters import DIGITS, Interval, load, minutes_of, parse_interval
from nonocensus.solver.sudoku.grids import Grids
from nonocensus.solver.sudoku.techniques.sudoku_desk import desk_for
from nonocensus.solver.sudoku.techniques.sudoku_rounds import FEATURES, count_all

BOX = 3
"""Width and height of the boxes of Sudokus with known times."""

ESTIMATES = ("minutes", "minutes_low", "minutes_high")
"""Columns of estimates, in the order of `estimate`."""


class SudokuMinutes(NamedTuple):
    """Parameters.

    constant    seconds for an open cell
    exponents   float64[FEATURES]
    interval    by log(seconds)
    """

    constant: float
    exponents: np.ndarray
    interval: Interval


def features(puzzles: Grids, which: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return the FEATURES, float64[which, FEATURES], of Sudokus of 9x9 with one solution.

    which   int64: numbers of puzzles
    taken   float64[puzzles]: incremented by CPU seconds
    """
    desk = desk_for(BOX, BOX)
    counted, scratch = np.zeros((len(puzzles.size), len(FEATURES))), np.zeros((2, len(desk.can)), np.int64)
    count_all(desk, puzzles.givens, puzzles.ends, which, scratch, counted, taken)
    return np.asarray(counted[which])


def estimate(counted: np.ndarray, to_fill: np.ndarray, model: SudokuMinutes) -> np.ndarray:
    """Return minutes and the ends of their interval, float64[3, puzzles].

    counted   float64[puzzles, FEATURES]
    to_fill   int64[puzzles]: open cells; without any the time is 0
    """
    with np.errstate(divide="ignore"):
        log_seconds = np.log(to_fill * model.constant)
    # A sum by row, not a matrix product, whose rounding would depend on the other puzzles.
    log_seconds += (np.log1p(counted) * model.exponents).sum(axis=1)
    return np.asarray(np.round(minutes_of(log_seconds, model.interval), DIGITS))


@cache
def sudoku_minutes() -> SudokuMinutes:
    """Return the model of the package. Raises ParameterError."""
    return load(files("nonocensus.solver.sudoku.techniques") / "sudoku-minutes.json", build_model)


def build_model(fields: dict[str, Any]) -> SudokuMinutes:
    """Build the model from the fields of a parameter file."""
    exponents = np.array([fields["exponents"][name] for name in FEATURES], np.float64)
    return SudokuMinutes(float(fields["constant"]), exponents, parse_interval(fields["interval"]))
