"""Which of several options to choose by features: the decision tree of least cost, of all with so many splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Tree(NamedTuple):
    """What to choose, and what that costs in all where it was fitted.

    option     the number of the option, where there is no split
    feature    the number of the feature that is asked for; -1 for no split
    threshold  below it one tree decides, elsewhere the other
    """

    cost: float
    option: int = 0
    feature: int = -1
    threshold: float = 0.0
    below: Tree | None = None
    others: Tree | None = None


def fitted(features: np.ndarray, costs: np.ndarray, depth: int, least: int) -> Tree:
    """The tree of least cost.

    features   float64[cases, features]
    costs      float64[cases, options]
    depth      splits one upon the other, at most
    least      cases on either side of a split
    """
    sums = costs.sum(axis=0)
    best = Tree(float(sums.min()), int(sums.argmin()))
    if depth == 0:
        return best
    for feature, values in enumerate(features.T):
        for threshold in _thresholds(values, costs, depth, least):
            below = values < threshold
            sides = [fitted(features[side], costs[side], depth - 1, least) for side in (below, ~below)]
            cost = sides[0].cost + sides[1].cost
            if cost < best.cost:
                best = Tree(cost, -1, feature, threshold, *sides)
    return best


def _thresholds(values: np.ndarray, costs: np.ndarray, depth: int, least: int) -> list[float]:
    """Those to try, each in the middle between two values; of the last split only the best one."""
    order = np.argsort(values, kind="stable")
    divides = np.flatnonzero(np.diff(values[order]) > 0) + 1
    divides = divides[(divides >= least) & (divides <= len(values) - least)]
    if depth == 1 and len(divides):
        sums = np.cumsum(costs[order], axis=0)
        below = sums[divides - 1]
        divides = divides[[(below.min(axis=1) + (sums[-1] - below).min(axis=1)).argmin()]]
    return [float(values[order[k - 1]] + values[order[k]]) / 2 for k in divides]


def chosen(tree: Tree, features: np.ndarray) -> np.ndarray:
    """The option for each case, int64[cases]."""
    if tree.below is None or tree.others is None:
        return np.full(len(features), tree.option)
    below = features[:, tree.feature] < tree.threshold
    return np.where(below, chosen(tree.below, features), chosen(tree.others, features))


def in_words(tree: Tree, features: tuple[str, ...], options: list[str]) -> str:
    """A tree as a sentence."""
    if tree.below is None or tree.others is None:
        return options[tree.option]
    below, others = (in_words(side, features, options) for side in (tree.below, tree.others))
    return f"{features[tree.feature]} < {tree.threshold:.3g} ? ({below}) : ({others})"
