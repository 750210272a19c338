"""Measures of Sudokus against people's times, and the fit of solver.sudoku.techniques.sudoku_minutes to them.

Times: sudoku-times.csv of synnwang/sudoku_dataset_difficulty (CC0), means of 10 to 43 players.
"""

import csv
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.minutes_fit import FOLDS, HIGH, LOW, held_out, interval, ridge, rounded
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.reports.rating_correlations import spearman
from nonocensus.solver.model.fitted_parameters import MINUTE, file_text
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades
from nonocensus.solver.sudoku.techniques.sudoku_minutes import build_model, estimate, features
from nonocensus.solver.sudoku.techniques.sudoku_rounds import FEATURES

TIMES = "sudoku-times.csv"

PARAMETERS = Path("solver/sudoku/techniques/sudoku-minutes.json")

RIDGE = 1.0
"""Penalty of the squared weights of standardised logarithms; others up to 30 give the same correlations."""

FIRST = 566
"""Puzzles at the begin of the file, on which pencilmark 1.0, another program that estimates minutes, reaches .547."""

GROUPS = {"all": (1, 9), "hidden singles": (1, 1), "naked singles": (2, 2), "harder": (3, 9)}
"""Grades by name."""


class Timed(NamedTuple):
    """Sudokus with known times.

    columns    measures by name, without estimates
    features   float64[puzzles, FEATURES]
    to_fill    int64[puzzles]: open cells
    seconds    float64[puzzles]: mean of the players
    players    int64[puzzles]
    fold       int64[puzzles]: by givens
    """

    columns: dict[str, np.ndarray]
    features: np.ndarray
    to_fill: np.ndarray
    seconds: np.ndarray
    players: np.ndarray
    fold: np.ndarray

    def where(self, mask: np.ndarray) -> "Timed":
        """Return the Sudokus of a mask."""
        columns = {name: values[mask] for name, values in self.columns.items()}
        return Timed(columns, *(values[mask] for values in self[1:]))


def tables(data: Path, write: bool = False) -> list[FigureTable]:
    """Measure; if `write`, write the parameters that fit the data."""
    timed = read(data / TIMES)
    parameters = fit(timed)
    if write:
        PARAMETERS.write_text(file_text(rounded(parameters)), encoding="utf-8")
    estimates = cross_validate(timed)
    return [
        correlations(timed, estimates),
        errors(timed, estimates),
        noise(timed, estimates),
        effects(timed, parameters["exponents"]),
    ]


def read(file: Path) -> Timed:
    """Read, grade and count Sudokus of a file, all with one solution."""
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    givens = [row["givens"] for row in rows]
    cells = np.frombuffer("".join(givens).replace(".", "0").encode(), np.uint8).reshape(len(rows), -1) - ord("0")
    batch, every = grid_batch(cells, 3, 3), np.arange(len(rows))
    to_fill = np.count_nonzero(cells == 0, axis=1)
    graded = grades(batch, np.ones(len(rows), np.bool_))
    columns = {name: graded[name].to_numpy() for name in ("grade", "steps")} | {"to fill": to_fill}
    return Timed(
        columns,
        features(grids(batch), every, np.zeros(len(rows))),
        to_fill,
        np.array([float(row["mean_seconds"]) for row in rows]),
        np.array([int(row["players"]) for row in rows]),
        np.array([zlib.crc32(one.encode()) % FOLDS for one in givens]),
    )


def fit(timed: Timed) -> dict[str, Any]:
    """Return the parameters, as the parameter file has them."""
    logs, log_cells, log_times = np.log1p(timed.features), np.log(timed.to_fill), np.log(timed.seconds)
    mean, scale = logs.mean(axis=0), logs.std(axis=0)
    terms = np.column_stack([np.ones(len(logs)), (logs - mean) / scale])
    weights = ridge(terms, log_times - log_cells, RIDGE)
    exponents = weights[1:] / scale
    estimated = held_out(terms, log_times - log_cells, timed.fold, RIDGE) + log_cells
    return {
        "constant": np.exp(weights[0] - mean @ exponents),
        "exponents": dict(zip(FEATURES, exponents, strict=True)),
        "interval": interval(estimated, log_times),
    }


def cross_validate(timed: Timed) -> np.ndarray:
    """Estimate each puzzle by the model of the other folds: minutes and their interval, float64[3, puzzles]."""
    found = np.zeros((3, len(timed.seconds)))
    for fold in range(FOLDS):
        some, model = timed.where(timed.fold == fold), build_model(fit(timed.where(timed.fold != fold)))
        found[:, timed.fold == fold] = estimate(some.features, some.to_fill, model)
    return found


def correlations(timed: Timed, estimates: np.ndarray) -> FigureTable:
    """Return Spearman's rho of each measure with people's times."""
    columns = timed.columns | dict(zip(FEATURES, timed.features.T, strict=True)) | {"minutes": estimates[0]}
    rows = [
        [name, *(f"{_rho(values[:most], timed.seconds[:most]):.3f}" for most in (None, FIRST))]
        for name, values in columns.items()
    ]
    title = "Sudokus: Spearman's rho with mean times, minutes cross-validated"
    return FigureTable(title, ["measure", f"all {len(timed.seconds):,}", f"the first {FIRST}"], rows)


def _rho(one: np.ndarray, other: np.ndarray) -> float:
    found = spearman(pa.chunked_array([one]), pa.chunked_array([other]))
    assert found is not None
    return found[1]


def errors(timed: Timed, estimates: np.ndarray) -> FigureTable:
    """Return the errors of minutes, in all and by grade."""
    minutes, low, high = estimates
    people = timed.seconds / MINUTE
    inside, ratio = (low <= people) & (people <= high), people / minutes
    rows = []
    for name, (first, last) in GROUPS.items():
        mask = (timed.columns["grade"] >= first) & (timed.columns["grade"] <= last)
        off = f"{np.median(np.abs(1 / ratio[mask] - 1)):.1%}"
        quantiles = np.quantile(ratio[mask], [LOW, 0.5, HIGH])
        rho = f"{_rho(minutes[mask], people[mask]):.3f}"
        rows.append([name, np.count_nonzero(mask), rho, off, f"{np.mean(inside[mask]):.1%}", *quantiles])
    heading = ["puzzles", "number", "rho", "median error", "in the 80 % interval", "10 %", "people / estimate", "90 %"]
    return FigureTable("Errors of minutes of Sudokus, cross-validated", heading, rows)


def noise(timed: Timed, estimates: np.ndarray) -> FigureTable:
    """Return how much of the variance of log(times) is noise of few players.

    A player's deviation d and the model's error m make squared errors of m^2 + d^2 / players on average; the largest
    hundredth, mostly of single players who paused, is left out in the second row.
    """
    logs, players = np.log(timed.seconds), timed.players
    squares = (logs - np.log(estimates[0] * MINUTE)) ** 2
    rows = []
    for name, share in (("all", 1.0), ("without the largest hundredth", 0.99)):
        kept = squares <= np.quantile(squares, share)
        terms = np.column_stack([np.ones(np.count_nonzero(kept)), 1 / players[kept]])
        own, of_player = np.linalg.lstsq(terms, squares[kept], rcond=None)[0]
        reliability = 1 - of_player * np.mean(1 / players) / logs.var()
        rows.append([name, np.sqrt(of_player), np.sqrt(own), reliability, np.sqrt(reliability)])
    heading = [
        "squared errors",
        "deviation of a player",
        "of the model",
        "reliability of mean times",
        "its square root",
    ]
    return FigureTable("Noise of times of Sudokus, in logarithms", heading, rows)


def effects(timed: Timed, exponents: dict[str, float]) -> FigureTable:
    """Return the effect of each feature, other features being equal."""
    deviations = np.log1p(timed.features).std(axis=0)
    rows = [
        [name, meaning, exponents[name], f"{np.expm1(exponents[name] * deviation):+.1%}"]
        for (name, meaning), deviation in zip(FEATURES.items(), deviations, strict=True)
    ]
    heading = ["feature", "meaning", "exponent", "a standard deviation more"]
    return FigureTable("Effect on the time of Sudokus, other features being equal", heading, rows)
