"""People's ratings by the minutes that we estimate: a box of each site, rating and class of minutes."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.rating_correlations import DIFFICULTY_RATINGS, FEW, SOURCES, ranks
from nonocensus.reports.row_classes import MINUTES_NAMES, minutes_class

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


class RatingBox(NamedTuple):
    """The ratings of a site's puzzles of a class of minutes, at least FEW.

    Sites rate on scales of their own, so boxes of several sites can only be compared by ranks.
    """

    source: str
    rating: str  # one of DIFFICULTY_RATINGS
    minutes: str  # one of MINUTES_NAMES
    puzzles: int
    quantiles: tuple[float, ...]  # QUANTILES of the rating
    ranks: tuple[float, ...]  # QUANTILES of its rank among the puzzles of the source with minutes, from 0 to 1


def rating_boxes(rated: pa.Table) -> tuple[RatingBox, ...]:
    """Return the boxes of the SOURCES sites with the most rated puzzles, by site, rating and minutes.

    rated   columns RATED_FIELDS of reports.row_counts
    """
    rated = rated.filter(rated["minutes"].is_valid())
    found: list[RatingBox] = []
    for source, _ in Counter(rated["source"].to_pylist()).most_common(SOURCES):
        for rating in DIFFICULTY_RATINGS:
            rows = rated.filter(pc.and_(pc.equal(rated["source"], source), rated[rating].is_valid()))
            found += _boxes(source, rating, rows[rating].to_numpy(), minutes_class(rows))
    return tuple(found)


def _boxes(source: str, rating: str, values: np.ndarray, classes: pa.Array) -> list[RatingBox]:
    """Return the boxes of a site's rating: its values, and the class of minutes of each."""
    shares = (ranks(values) - 1) / max(len(values) - 1, 1)
    found = []
    for name in MINUTES_NAMES:
        there = pc.equal(classes, name).to_numpy(zero_copy_only=False)
        if np.count_nonzero(there) >= FEW:
            quantiles = (tuple(np.quantile(of[there], QUANTILES).tolist()) for of in (values, shares))
            found.append(RatingBox(source, rating, name, int(np.count_nonzero(there)), *quantiles))
    return found
