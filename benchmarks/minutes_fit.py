"""Fit the parameters of solver.people.minutes to people's times and ratings, and cross-validate them by puzzle."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.model.puzzle import MAX_CELLS
from nonocensus.solver.people.features import AT_CELLS, AT_LOG_OPEN, FEATURES
from nonocensus.solver.people.minutes import Estimate, estimate, parse_model, standardise

FOLDS = 5

SECONDS_RIDGE, STARS_RIDGE = 1.0, 300.0
"""Penalties of the squared weights, chosen by cross-validation."""

ASSUMPTION_WEIGHTS = np.linspace(0, 1.5, 151)
"""Candidates for the weight of assumptions."""

FEW = 30
"""Fewest puzzles beyond line logic that the weight is fitted to, and of a group whose errors are shown."""

BINS = 10
"""Bins of equal numbers of puzzles, by estimate, for which the interval is measured."""

LOW, HIGH = 0.1, 0.9
"""Quantiles of the interval."""


class Judged(NamedTuple):
    """Puzzles of a kind that people judged.

    features    float64[puzzles, FEATURES]
    judgement   float64[puzzles]: seconds or stars
    fold        int64[puzzles]: by clues, so that equal puzzles are of one fold
    """

    features: np.ndarray
    judgement: np.ndarray
    fold: np.ndarray

    def where(self, mask: np.ndarray) -> "Judged":
        """Return the puzzles of a mask."""
        return Judged(*(values[mask] for values in self))


def cross_validate(timed: Judged, rated: Judged) -> tuple[Estimate, Estimate]:
    """Estimate each puzzle by the model of the other folds; returns estimates of the timed and the rated puzzles."""
    found = [np.full((4, len(judged.fold)), np.nan) for judged in (timed, rated)]
    for fold in range(FOLDS):
        model = parse_model(fit(timed.where(timed.fold != fold), rated.where(rated.fold != fold)))._replace(
            cells=MAX_CELLS**2
        )
        for judged, values in zip((timed, rated), found, strict=True):
            values[:, judged.fold == fold] = estimate(judged.features[judged.fold == fold], model)
    return Estimate(*found[0]), Estimate(*found[1])


def fit(timed: Judged, rated: Judged) -> dict[str, Any]:
    """Return the parameters for a kind, as the parameter file has them."""
    logs = np.log1p(rated.features)  # the timed ones have no assumptions
    mean, scale = logs.mean(axis=0), logs.std(axis=0)
    scale[scale == 0] = 1.0  # of a feature that never varies
    log_times = np.log(timed.judgement)
    by_lines = np.arange(len(FEATURES)) != AT_LOG_OPEN

    def time_terms(features: np.ndarray) -> np.ndarray:
        z = standardise(features, mean, scale)[:, by_lines]
        return np.column_stack([np.ones(len(z)), z, z**2])

    terms = time_terms(timed.features)
    weights = ridge(terms, log_times, SECONDS_RIDGE)
    seconds = np.zeros((len(FEATURES), 2))
    seconds[by_lines] = weights[1:].reshape(2, -1).T

    lengths = time_terms(rated.features) @ weights
    depth = np.log1p(rated.features[:, AT_LOG_OPEN])
    assumptions, widening = _assumptions(lengths, depth, rated.judgement)
    lengths += assumptions * depth
    mean_length, scale_length = lengths.mean(), lengths.std()
    m = ((lengths - mean_length) / scale_length)[:, None]
    z = standardise(rated.features, mean, scale)
    stars = ridge(np.column_stack([np.ones(len(z)), m, m**2, z, z * m]), rated.judgement, STARS_RIDGE)

    return {
        "cells": int(timed.features[:, AT_CELLS].max()),
        "seconds": {"constant": weights[0], "assumptions": assumptions},
        "stars": {
            "constant": stars[0],
            "length": stars[1],
            "square": stars[2],
            "mean": mean_length,
            "scale": scale_length,
        },
        "features": {
            name: {
                "mean": mean[k],
                "scale": scale[k],
                "seconds": seconds[k].tolist(),
                "stars": stars[3 + k :: len(FEATURES)].tolist(),
            }
            for k, name in enumerate(FEATURES)
        },
        "interval": interval(held_out(terms, log_times, timed.fold, SECONDS_RIDGE), log_times),
        "widening": widening,
    }


def ridge(terms: np.ndarray, values: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights of ridge regression; that of the first term, 1, is free."""
    penalties = np.full(terms.shape[1], penalty)
    penalties[0] = 0
    return np.asarray(np.linalg.solve(terms.T @ terms + np.diag(penalties), terms.T @ values))


def _assumptions(lengths: np.ndarray, depth: np.ndarray, stars: np.ndarray) -> tuple[float, float]:
    """Return the weight of assumptions in log(seconds), and how much wider intervals are with them.

    A puzzle beyond line logic takes as long as puzzles of as many stars that line logic solves.
    """
    plain = depth == 0
    if np.count_nonzero(~plain) < FEW:
        return 0.0, 1.0
    curve = np.polyfit(lengths[plain], stars[plain], 3)
    longest = lengths[plain].max()

    def errors(weight: float) -> np.ndarray:
        return np.asarray(stars - np.polyval(curve, np.minimum(lengths + weight * depth, longest)))

    weight = min(ASSUMPTION_WEIGHTS.tolist(), key=lambda weight: np.sum(errors(weight)[~plain] ** 2))
    found = errors(weight)
    as_long = plain & (lengths >= np.quantile((lengths + weight * depth)[~plain], LOW))
    return weight, float(found[~plain].std() / found[as_long].std())


def held_out(terms: np.ndarray, values: np.ndarray, folds: np.ndarray, penalty: float) -> np.ndarray:
    """Return values estimated by the ridge regression of the other folds."""
    estimated = np.zeros(len(values))
    for fold in np.unique(folds):
        weights = ridge(terms[folds != fold], values[folds != fold], penalty)
        estimated[folds == fold] = terms[folds == fold] @ weights
    return estimated


def interval(estimated: np.ndarray, log_times: np.ndarray) -> list[dict[str, float]]:
    """Return quantiles of errors by estimate, as factors of the estimate."""
    rows = []
    for those in np.array_split(np.argsort(estimated, kind="stable"), BINS):
        low, high = np.quantile(log_times[those] - estimated[those], [LOW, HIGH])
        rows.append({"seconds": np.exp(np.median(estimated[those])), "low": np.exp(low), "high": np.exp(high)})
    return rows


def rounded(value: Any, digits: int = 6) -> Any:
    """Return parameters with fewer significant digits."""
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one, digits) for one in value]
    return value if isinstance(value, int) else float(f"{value:.{digits}g}")
