"""Rank correlations of measures of difficulty with each other, with grades and with people's ratings.

People's ratings by the minutes that we estimate, too: a box of each site, rating and class of minutes.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.row_classes import MINUTES_NAMES, minutes_class
from nonocensus.reports.numbers.row_view import CORRELATED, FOR_PEOPLE, RATINGS
from nonocensus.solver.people.minutes import Validation, parameters

FEW = 10
"""Fewest pairs that are correlated."""

SIZE_BANDS = (100, 225, 400, 625, 900, 1600)
"""Most cells of each band of sizes but the last."""

BAND_FEW = 30
"""Fewest puzzles of a band that are correlated."""

RATING_NAMES = {
    "site_difficulty": "ratings of difficulty",
    "site_quality": "ratings of quality",
    "site_seconds": "times",
}
"""Names of RATINGS in charts and tables."""

DIFFICULTY_RATINGS = {"site_seconds": "minutes", "site_difficulty": "stars"}
"""Those of RATINGS that say how hard a puzzle is, and the measure that estimates them."""

STARS_WITH_TIMES = {"mono": Validation(18_439, 0.9733, 0.8725), "color": Validation(23_268, 0.9119, 0.8427)}
MINUTES_WITH_RATINGS = {"mono": Validation(8_201, 0.8924, 0.8126), "color": Validation(15_047, 0.8626, 0.7493)}
"""Cross-validations that the parameter file lacks: benchmarks/results/people.md."""

FITTED: dict[tuple[str, str], dict[str, str | dict[str, Validation]]] = {
    ("griddlers", "site_seconds"): {"minutes": "seconds", "stars": STARS_WITH_TIMES},
    ("webpbn", "site_difficulty"): {"stars": "stars", "minutes": MINUTES_WITH_RATINGS},
}
"""The sites and ratings that estimates are fitted to (solver.people.minutes), with their validation.

Stars follow from minutes, too, and the minutes of puzzles beyond line logic from ratings.
"""

SOURCES = 4
"""Most sites whose ratings are in the matrix, with a row per rating."""

OUTLIERS = 10
"""Puzzles listed as harder, and as easier, for people."""

NORMAL_95 = 1.959964
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


class RatingCorrelation(NamedTuple):
    """Spearman's rank correlation of a measure with a site's rating, with its 95 % confidence interval (Fisher).

    within      its mean within bands of sizes, None if there are too few puzzles
    partial     the partial correlation, with the number of cells controlled for; None for that number itself
    in_sample   whether the measure is fitted to this rating
    validated   then its cross-validation by kind (mono, color)
    """

    source: str
    rating: str  # a column of RATINGS
    measure: str
    puzzles: int
    rho: float
    low: float
    high: float
    within: float | None
    partial: float | None
    in_sample: bool
    validated: dict[str, Validation]


class GradeCorrelation(NamedTuple):
    """Spearman's rank correlation of minutes, or of the grade, with another measure, with its 95 % interval."""

    of: str  # one of FOR_PEOPLE
    measure: str
    puzzles: int
    rho: float
    low: float
    high: float


class MeasureCorrelation(NamedTuple):
    """Spearman's rank correlation of two measures."""

    across: str
    down: str
    puzzles: int
    rho: float
    source: str | None = None  # of the rating, if either is one; None: puzzles of all sources
    in_sample: bool = False  # whether one is fitted to the other
    validated: Mapping[str, Validation] = MappingProxyType({})  # then its cross-validation by kind


class Outlier(NamedTuple):
    """A puzzle that people and our estimate rank very differently among those of its source; ranks from 0 to 1."""

    source: str
    puzzle_id: str | None
    title: str | None
    column: str  # of the rating, one of DIFFICULTY_RATINGS
    rating: float
    measure: str  # that estimates it; difficulty for puzzles without a grade
    estimate: float
    people: float  # share of the puzzles that people find easier
    solver: float  # share of the puzzles that our estimate finds easier


class Ratings(NamedTuple):
    """Correlations and outliers of people's ratings."""

    correlations: tuple[RatingCorrelation, ...]  # the strongest within sizes first
    harder: tuple[Outlier, ...]  # for people than our estimate says
    easier: tuple[Outlier, ...]

    @property
    def best(self) -> tuple[RatingCorrelation, ...]:
        """The measures that predict each source's times and ratings of difficulty best within sizes.

        One that is not fitted to them, then one that is.
        """
        known = [one for one in self.correlations if one.rating in DIFFICULTY_RATINGS and one.within is not None]
        best = {(one.source, one.rating, one.in_sample): one for one in reversed(known)}
        return tuple(best[key] for key in sorted(best))


def ratings(rated: pa.Table) -> Ratings:
    """Correlate the measures with people's ratings, by source.

    rated   columns RATED_FIELDS of reports.numbers.census
    """
    correlations: list[RatingCorrelation] = []
    outliers: list[Outlier] = []
    for source in sorted(set(rated["source"].to_pylist())):
        rows = rated.filter(pc.equal(rated["source"], source))
        for rating in RATINGS:
            correlations += [
                RatingCorrelation(
                    source, rating, measure, *found,
                    within_sizes(rows, measure, rating), given_size(rows, measure, rating),
                    *_fit(source, rating, measure),
                )
                for measure, found in _correlate(rows, rating, CORRELATED)
            ]  # fmt: skip
        for column in DIFFICULTY_RATINGS:
            outliers += _outliers(rows, column)
    correlations.sort(key=lambda one: (one.source, one.rating, -abs(one.within or 0), -abs(one.rho), one.measure))
    outliers.sort(key=lambda one: (one.solver - one.people, one.puzzle_id or ""))
    return Ratings(
        tuple(correlations),
        tuple(one for one in outliers if one.people > one.solver)[:OUTLIERS],
        tuple(one for one in reversed(outliers) if one.people < one.solver)[:OUTLIERS],
    )


def _fit(source: str, one: str, other: str) -> tuple[bool, dict[str, Validation]]:
    """Return whether of a site's rating and a measure one is fitted to the other, and its cross-validation by kind."""
    for rating, measure in ((one, other), (other, one)):
        fitted = FITTED.get((source, rating), {})
        if measure in fitted:
            what = fitted[measure]
            by_kind = parameters().validations
            return True, {kind: by_kind[kind][what] for kind in by_kind} if isinstance(what, str) else what
    return False, {}


def _correlate(
    rows: pa.Table, of: str, measures: Sequence[str]
) -> Iterator[tuple[str, tuple[int, float, float, float]]]:
    """Yield the measures that vary with one of them, each with the values of `spearman`."""
    for one in correlate_measures(rows.select(list(dict.fromkeys([of, *measures]))), [of]):
        yield one.down, _interval(one.puzzles, one.rho)


def correlate_grades(compared: pa.Table) -> tuple[GradeCorrelation, ...]:
    """Correlate FOR_PEOPLE with all other measures and with each other, strongest first.

    compared   as `reports.numbers.census.Census.compared`, of puzzles with a grade
    """
    found = [
        GradeCorrelation(of, measure, *ranked)
        for number, of in enumerate(FOR_PEOPLE)
        for measure, ranked in _correlate(compared, of, CORRELATED)
        if measure not in FOR_PEOPLE[:number]
    ]
    return tuple(sorted(found, key=lambda one: (one.of, -abs(one.rho), one.measure)))


def correlate_ratings(rated: pa.Table) -> tuple[MeasureCorrelation, ...]:
    """Return the rank correlations of each site's ratings with the measures, and with each other.

    Sites rate on scales of their own (stars, seconds), so puzzles of several sites are never ranked together. Only the
    SOURCES sites with the most rated puzzles are considered.

    rated   columns RATED_FIELDS of reports.numbers.census
    """
    counts = Counter(rated["source"].to_pylist())
    found: list[MeasureCorrelation] = []
    for source, _ in counts.most_common(SOURCES):
        rows = rated.filter(pc.equal(rated["source"], source)).select([*RATINGS, *CORRELATED])
        for one in correlate_measures(rows, RATINGS):
            in_sample, validated = _fit(source, one.across, one.down)
            found.append(one._replace(source=source, in_sample=in_sample, validated=validated))
    return tuple(found)


def correlate_measures(rows: pa.Table, of: Collection[str] = ()) -> tuple[MeasureCorrelation, ...]:
    """Correlate each pair of measures that both vary, or only the pairs with one of `of`.

    rows  numbers, as `reports.numbers.census.Census.compared`
    """
    known = {name: rows[name].is_valid().to_numpy() for name in rows.column_names}
    pairs: dict[bytes, list[tuple[str, str]]] = {}  # by the rows with both values, whose ranks are computed once
    for across, down in combinations(rows.column_names, 2):
        if of and across not in of and down not in of:
            continue
        pairs.setdefault(np.packbits(known[across] & known[down]).tobytes(), []).append((across, down))
    found = {}
    for there, some in pairs.items():
        which = np.unpackbits(np.frombuffer(there, np.uint8), count=len(rows)).view(np.bool_)
        puzzles = int(np.count_nonzero(which))
        if puzzles < FEW:
            continue
        values = rows.filter(pa.array(which))
        standard = {name: _standard_ranks(values[name].to_numpy()) for name in dict.fromkeys(chain(*some))}
        for across, down in some:
            rho = _product(standard[across], standard[down])
            if rho is not None:
                found[across, down] = MeasureCorrelation(across, down, puzzles, rho)
    return tuple(found[pair] for pair in combinations(rows.column_names, 2) if pair in found)


def spearman(x: pa.ChunkedArray, y: pa.ChunkedArray) -> tuple[int, float, float, float] | None:
    """Return the number of pairs, Spearman's rho and its 95 % interval; None with too few pairs or a constant.

    The interval is Fisher's with the variance of Bonett and Wright (2000): (1 + rho^2 / 2) / (n - 3).
    """
    found = correlate_measures(pa.table({"x": x, "y": y}))
    return _interval(found[0].puzzles, found[0].rho) if found else None


def _interval(n: int, rho: float) -> tuple[int, float, float, float]:
    if abs(rho) == 1:
        return n, rho, rho, rho
    half = NORMAL_95 * math.sqrt((1 + rho * rho / 2) / (n - 3))
    return n, rho, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


def within_sizes(rows: pa.Table, measure: str, rating: str) -> float | None:
    """Return the mean of Spearman's rho within SIZE_BANDS, None if no band has BAND_FEW puzzles and both vary.

    Large puzzles take longer and are called harder, so over all sizes any measure that grows with them seems to predict
    ratings.

    rows    with the measure, the rating, and `cells`
    """
    rows = rows.select([*dict.fromkeys([measure, rating, "cells"])]).drop_null()
    bands = np.searchsorted(SIZE_BANDS, rows["cells"].to_numpy())
    found = []
    for band in np.unique(bands):
        some = rows.filter(pa.array(bands == band))
        if len(some) >= BAND_FEW:
            rho = _product(*(_standard_ranks(some[name].to_numpy()) for name in (measure, rating)))
            found += [] if rho is None else [rho]
    return float(np.mean(found)) if found else None


def given_size(rows: pa.Table, measure: str, rating: str) -> float | None:
    """Return Spearman's partial rho with the number of cells held constant, None if that says all or never varies.

    It is Pearson's partial correlation of the ranks: (xy - xz yz) / sqrt((1 - xz^2) (1 - yz^2)).

    rows    with the measure, the rating, and `cells`
    """
    rows = rows.select([*dict.fromkeys([measure, rating, "cells"])]).drop_null()
    if len(rows) < FEW:
        return None
    x, y, z = (_standard_ranks(rows[name].to_numpy()) for name in (measure, rating, "cells"))
    xy, xz, yz = _product(x, y), _product(x, z), _product(y, z)
    if xy is None or xz is None or yz is None or 1 in (abs(xz), abs(yz)):
        return None
    return (xy - xz * yz) / math.sqrt((1 - xz * xz) * (1 - yz * yz))


def _product(a: np.ndarray | None, b: np.ndarray | None) -> float | None:
    """Return Spearman's rho from the standard ranks of two measures, None if either is constant."""
    if a is None or b is None:
        return None
    return float(np.clip(round(_dot(a, b), 12), -1, 1))  # equal ranks give exactly 1


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """Return a dot product without BLAS, whose threads spin."""
    return float(np.einsum("i,i", a, b))


def _standard_ranks(values: np.ndarray) -> np.ndarray | None:
    """Return centred ranks of norm 1, so that a dot product is Spearman's rho; None if all values are equal."""
    centred = ranks(values) - (len(values) + 1) / 2
    length = math.sqrt(_dot(centred, centred))
    return centred / length if length else None


def ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks from 1 as float64; ties share their mean."""
    order = np.argsort(values)
    begins = np.append(True, np.diff(values[order]) != 0)[: len(values)]
    first = np.flatnonzero(begins)
    sizes = np.diff(np.append(first, len(values)))
    found = np.empty(len(values))
    found[order] = np.repeat(first + (sizes + 1) / 2, sizes)
    return found


def _outliers(rows: pa.Table, column: str) -> list[Outlier]:
    """Return the outliers of a source by a rating of difficulty."""
    rows = rows.filter(rows[column].is_valid())
    measure = DIFFICULTY_RATINGS[column]
    measure = "difficulty" if rows[measure].null_count == len(rows) else measure
    rows = rows.filter(rows[measure].is_valid())
    if len(rows) < FEW:
        return []
    people, solver = (((ranks(rows[name].to_numpy()) - 1) / (len(rows) - 1)).tolist() for name in (column, measure))
    apart = np.argsort(np.subtract(solver, people), kind="stable")
    picked = np.unique(np.concatenate([apart[:OUTLIERS], apart[-OUTLIERS:]]))
    facts = rows.select(["source", "puzzle_id", "title", column, measure]).take(picked).to_pydict().values()
    return [
        Outlier._make([*about, column, rating, measure, estimate, people[k], solver[k]])
        for k, *about, rating, estimate in zip(picked.tolist(), *facts, strict=True)
    ]


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

    rated   columns RATED_FIELDS of reports.numbers.row_view
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
