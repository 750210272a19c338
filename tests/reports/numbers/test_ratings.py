"""Measures held against people's ratings."""

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from census_figures import known, pairs, solved

from nonocensus.reports.charts.measure_charts import correlations
from nonocensus.reports.numbers.aggregate import figures
from nonocensus.reports.numbers.rating_correlations import (
    FEW,
    OUTLIERS,
    MeasureCorrelation,
    correlate_measures,
    correlate_ratings,
    given_size,
    rating_boxes,
    ratings,
    spearman,
)
from nonocensus.reports.numbers.row_view import RATED_FIELDS


def rated(rows: list[dict[str, Any]]) -> pa.Table:
    columns = {name: [row.get(name) for row in rows] for name in RATED_FIELDS}
    texts = {"source", "puzzle_id", "title", "technique"}
    return pa.table({name: pa.array(v, pa.string() if name in texts else pa.float64()) for name, v in columns.items()})


def naive_rho(x: list[float], y: list[float]) -> float:
    """Pearson's correlation of ranks counted one by one."""

    def ranks(values: list[float]) -> list[float]:
        return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]

    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


def test_spearman_with_ties() -> None:
    generator = np.random.default_rng(3)
    x, y = generator.integers(0, 9, 60).tolist(), generator.integers(0, 5, 60).tolist()
    y = [a + b for a, b in zip(x, y, strict=True)]
    found = spearman(pa.chunked_array([x]), pa.chunked_array([y]))
    assert found is not None
    n, rho, low, high = found
    assert n == 60
    assert rho == pytest.approx(naive_rho(x, y))
    assert -1 < low < rho < high < 1


def test_spearman_leaves_out_what_is_not_known() -> None:
    x = pa.chunked_array([[*range(20), None]], pa.float64())
    y = pa.chunked_array([[None, *(-k for k in range(20))]], pa.float64())
    assert spearman(x, y) == (19, -1.0, -1.0, -1.0)


@pytest.mark.parametrize("values", [[1.0] * 30, [1.0] * (FEW - 1), [None] * 30])
def test_spearman_of_too_little(values: list[float | None]) -> None:
    column = pa.chunked_array([values], pa.float64())
    assert spearman(column, column) is None


def test_measures_together_are_as_each_two_alone() -> None:
    """With ties, with nulls in other rows, one that never varies, one of which hardly any is known."""
    generator = np.random.default_rng(4)
    columns = {name: generator.integers(0, 40, 300).astype(object) for name in "abcd"}
    columns["b"] += columns["a"]
    columns["c"][generator.random(300) < 0.3] = None
    columns["d"][generator.random(300) < 0.9] = None
    columns["e"] = np.full(300, 7)
    columns["f"] = np.array([1] + [None] * 299)
    rows = pa.table({name: pa.array(values.tolist(), pa.float32()) for name, values in columns.items()})
    expected = {}
    for x, y in combinations("abcd", 2):
        both = rows.select([x, y]).drop_null()
        expected[x, y] = len(both), naive_rho(both[x].to_pylist(), both[y].to_pylist())
        assert (spearman(rows[x], rows[y]) or ())[:2] == (len(both), pytest.approx(expected[x, y][1]))
    assert spearman(rows["a"], rows["e"]) is spearman(rows["a"], rows["f"]) is None
    assert {one[:2] for one in correlate_measures(rows)} == set(expected) == set(combinations("abcd", 2))
    for across, down, puzzles, rho, *_ in correlate_measures(rows):
        assert (puzzles, rho) == (expected[across, down][0], pytest.approx(expected[across, down][1]))


def test_ratings_of_sites_with_other_scales_are_never_ranked_together() -> None:
    """On each site the ratings rise with the measure; ranked together they would not."""
    rows = [
        {
            "source": source,
            "puzzle_id": f"{source}/{n}",
            "site_difficulty": scale * (n + 1),
            "difficulty": n + shift + 1,
        }
        for source, scale, shift in (("stars", 0.1, 1000), ("seconds", 1000, 0))
        for n in range(30)
    ]
    assert correlate_ratings(rated(rows)) == tuple(
        MeasureCorrelation("site_difficulty", "difficulty", 30, 1.0, source) for source in ("stars", "seconds")
    )
    census = figures(pairs(*(
        (solved(row["puzzle_id"], row["site_difficulty"], line_solves=row["difficulty"]),
         known(row["puzzle_id"], site_difficulty=row["site_difficulty"]))
        for row in rows
    )))  # fmt: skip
    of_ratings = [one for one in census.correlations if "site_difficulty" in one]
    assert {(one.source, one.puzzles) for one in of_ratings} == {("stars", 30), ("seconds", 30)}
    chart = correlations(census)
    assert chart is not None
    assert "people’s rating of difficulty, stars" in json.dumps(chart.spec, ensure_ascii=False)


def test_ratings_by_source_the_strongest_first() -> None:
    rows = [
        {"source": source, "puzzle_id": f"{source}/{n}", "site_difficulty": n, "difficulty": n, "cells": (7 * n) % 31}
        for source in ("b", "a")
        for n in range(30)
    ]
    found = ratings(rated(rows)).correlations
    assert [(one.source, one.measure) for one in found] == [
        *(("a", "difficulty"), ("a", "cells"), ("b", "difficulty"), ("b", "cells")),
    ]
    assert found[0].rho == 1


def test_partial_correlation_is_that_of_residuals_of_ranks() -> None:
    generator = np.random.default_rng(5)
    cells = generator.integers(1, 40, 200)
    work = (cells + generator.integers(0, 30, 200)).astype(object)
    stars = (cells + generator.integers(0, 30, 200)).astype(object)
    work[generator.random(200) < 0.2] = None
    rows = pa.table({"work": work.tolist(), "stars": stars.tolist(), "cells": cells.tolist()})
    whole = [each for each in zip(work, stars, cells, strict=True) if each[0] is not None]
    x, y, z = (np.array([sum(v < value for v in of) + sum(v == value for v in of) / 2 for value in of])
               for of in zip(*whole, strict=True))  # fmt: skip
    line = np.stack([z, np.ones(len(z))], axis=1)
    left = [of - line @ np.linalg.lstsq(line, of, rcond=None)[0] for of in (x, y)]
    assert given_size(rows, "work", "stars") == pytest.approx(np.corrcoef(*left)[0, 1])
    assert given_size(rows, "cells", "stars") is None
    assert given_size(rows.set_column(2, "cells", [[9] * 200]), "work", "stars") is None
    assert given_size(rows.slice(0, FEW - 1), "work", "stars") is None


def test_boxes_of_ratings_are_of_a_site_and_a_class_of_minutes() -> None:
    rows = [
        {"source": "a", "puzzle_id": f"a/{n}", "site_difficulty": n, "minutes": 3 if n < 20 else 7} for n in range(41)
    ]
    rows += [{"source": "b", "puzzle_id": f"b/{n}", "site_seconds": 60 * n, "minutes": 3} for n in range(FEW)]
    rows += [{"source": "b", "puzzle_id": f"b/x{n}", "site_seconds": 60, "minutes": 7} for n in range(FEW - 1)]
    rows += [{"source": "c", "puzzle_id": f"c/{n}", "site_difficulty": n} for n in range(30)]  # without minutes
    first, second, third = rating_boxes(rated(rows))
    assert (first.source, first.rating, first.minutes, first.puzzles) == ("a", "site_difficulty", "2–5 min", 20)
    assert first.quantiles == pytest.approx((1.9, 4.75, 9.5, 14.25, 17.1))
    assert first.ranks == pytest.approx([value / 40 for value in first.quantiles])
    assert (second.minutes, second.puzzles, second.quantiles[2], second.ranks[2]) == ("5–10 min", 21, 30, 0.75)
    assert (third.source, third.rating, third.puzzles) == ("b", "site_seconds", FEW)


def test_outliers() -> None:
    rows = [{"source": "a", "puzzle_id": f"a/{n}", "site_difficulty": n, "difficulty": n} for n in range(50)]
    rows[0]["difficulty"], rows[49]["difficulty"] = 100.0, -1.0
    found = ratings(rated(rows))
    assert found.harder[0].measure == "difficulty"
    assert found.harder[0].puzzle_id == "a/49"
    assert (found.harder[0].people, found.harder[0].solver) == (1.0, 0.0)
    assert found.easier[0].puzzle_id == "a/0"
    assert len(found.harder) <= OUTLIERS
    assert len(found.easier) <= OUTLIERS


def test_estimates_are_in_sample_where_they_are_fitted_to() -> None:
    """Minutes to griddlers.net's times, stars to webpbn.com's ratings, and each by way of the other to both."""
    rng = np.random.default_rng(7)
    rows = [
        {
            "source": source, "puzzle_id": f"{source}/{n}", "cells": 100, "site_quality": float(rng.random()),
            "site_seconds": 60.0 * n, "site_difficulty": 0.1 * n, "minutes": float(n), "stars": float(n + n % 2),
            "looks": float(n + n % 5),
        }
        for source in ("griddlers", "other", "webpbn") for n in range(1, 41)
    ]  # fmt: skip
    found = ratings(rated(rows))
    expected = {}
    measured = (Path(__file__).parents[3] / "benchmarks/results/people.md").read_text()
    for measure, line in re.findall(r"^\| (minutes|stars) \|(.*)", measured, re.MULTILINE):
        values = [*map(float, re.findall(r"0\.\d+", line))]
        expected["griddlers", "site_seconds", measure] = values[:4]
        expected["webpbn", "site_difficulty", measure] = values[4:]
    fitted = {(one.source, one.rating, one.measure): one for one in found.correlations if one.in_sample}
    assert fitted.keys() == expected.keys()
    for key, values in expected.items():
        kinds = (fitted[key].validated[kind] for kind in ("mono", "color"))
        assert [value for one in kinds for value in (one.rho, one.within_sizes)] == pytest.approx(values, abs=6e-4)
    assert not any(one.validated for one in found.correlations if not one.in_sample)
    together = {(one.source, one.across, one.down) for one in correlate_ratings(rated(rows)) if one.in_sample}
    assert together == expected.keys()
    best = {(one.source, one.rating, one.in_sample): one.measure for one in found.best}
    assert best["griddlers", "site_seconds", False] == "looks"
    assert best["griddlers", "site_seconds", True] == "minutes"
    assert best["webpbn", "site_difficulty", False] == "looks"
    assert best["webpbn", "site_difficulty", True] == "minutes"
    assert ("other", "site_difficulty", True) not in best


def test_the_best_measure_is_that_within_sizes() -> None:
    rng = np.random.default_rng(2)
    rows = [
        {
            "source": "a", "puzzle_id": f"a/{n}", "site_difficulty": cells + 10 * harder, "cells": cells,
            "difficulty": float(harder), "line_solves": cells + int(rng.integers(20)),
        }
        for n, cells in enumerate(np.repeat([90, 200, 390], 40).tolist())
        for harder in [int(rng.integers(20))]
    ]  # fmt: skip
    found = ratings(rated(rows))
    (best,) = found.best
    assert (best.measure, best.within) == ("difficulty", 1)
    by_name = {one.measure: one for one in found.correlations}
    assert by_name["line_solves"].rho > by_name["difficulty"].rho
    assert abs(by_name["line_solves"].within or 0) < 0.3
    assert by_name["cells"].within is None


@pytest.mark.parametrize(
    ("row", "outlier"),
    [
        (lambda n: {"site_seconds": 60.0 * n, "difficulty": 49 - n}, ("site_seconds", 2940, "difficulty", 0)),
        (lambda n: {"site_difficulty": n, "stars": 49 - n, "difficulty": n}, ("site_difficulty", 49, "stars", 0)),
    ],
)
def test_outliers_by_solving_time_and_estimate(row: Callable[[int], dict[str, Any]], outlier: tuple[Any, ...]) -> None:
    found = ratings(rated([{"source": "a", "puzzle_id": f"a/{n}"} | row(n) for n in range(50)])).harder[0]
    assert found.puzzle_id == "a/49"
    assert (found.column, found.rating, found.measure, found.estimate) == outlier


def test_no_ratings() -> None:
    assert ratings(rated([])) == ((), (), ())
