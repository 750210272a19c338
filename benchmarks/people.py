"""Measures of difficulty against what people say: solving times of griddlers.net, ratings of webpbn.com.

The models of minutes and stars are cross-validated by puzzle. `--fit DATA` writes the parameters that fit.
"""

import hashlib
import os
import re
import tempfile
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import vl_convert

from benchmarks.findings import run_command
from benchmarks.minutes_fit import FEW, FOLDS, Judged, cross_validate, fit, rounded
from benchmarks.result_pages import RESULTS
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.store.parts import open_store
from nonocensus.reports.numbers.rating_correlations import SIZE_BANDS, ranks, spearman, within_sizes
from nonocensus.solver.model.tables import DECISIVE
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.features import AT_LOG_OPEN, FEATURES
from nonocensus.solver.people.minutes import MINUTE, Estimate, file_text, parse_model
from nonocensus.solver.people.puzzle_grade import ESTIMATES, grade

PEOPLE = Path("../shared/data/people")
"""Times and ratings; not part of the project."""

STUDY = "study-2026"
"""Folder of a study of beginners: puzzles, and their mean times in seconds in its README ("P0 666, ...")."""

PARAMETERS = Path("solver/people/minutes.json")

SITES = {"griddlers": "site_seconds", "webpbn": "site_difficulty"}
"""Sites by the names of their files, and the column of what their users say."""

NAMES = {"griddlers": "griddlers.net", "webpbn": "webpbn.com"}

KINDS = {"mono": "mono", "color": "colour"}

MEASURES = (
    *("cells", "log10_arrangements", "sweeps", "score", "line_solves", "difficulty", "grade", "looks", "work"),
    *("minutes", "stars"),
)
"""Columns of `export`; the last two are cross-validated."""

BAND_NAMES = [*(f"up to {most:,} cells" for most in SIZE_BANDS), f"over {SIZE_BANDS[-1]:,} cells"]

GROUPS = ["all", *BAND_NAMES, *(technique.name for technique in TECHNIQUES)]
"""Names of `groups`, in the order of tables and charts."""

TICKS = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]
SCALE = alt.Scale(type="log", domain=[0.05, 1000], nice=False, clamp=True)
"""Minutes on both axes of a chart."""

CPU_LIMIT = 20.0
"""CPU seconds of a puzzle."""

BOOTSTRAPS = 40
"""Fits to samples with replacement, for the intervals of parameters."""

DOTS = 1_500
"""Puzzles drawn of each kind."""


class Crowd(NamedTuple):
    """Puzzles of a kind that a site's users judged, and that techniques solve.

    rows       columns of `export`, with cross-validated minutes and stars
    judged     features, judgements and folds
    """

    site: str
    kind: str
    rows: pa.Table
    judged: Judged

    @property
    def name(self) -> str:
        """Site, kind and number of puzzles."""
        return f"{NAMES[self.site]}, {KINDS[self.kind]} ({len(self.rows):,})"

    @property
    def bands(self) -> np.ndarray:
        """The size band of each puzzle."""
        return np.searchsorted(SIZE_BANDS, self.values("cells"))

    def values(self, column: str) -> np.ndarray:
        """Return a column."""
        return np.asarray(self.rows[column].to_numpy())

    def with_estimates(self, estimates: Estimate) -> "Crowd":
        """Return the crowd with these minutes and stars."""
        rows = self.rows
        for name, values in zip(ESTIMATES, estimates, strict=True):
            rows = rows.set_column(rows.column_names.index(name), name, pa.array(values))
        return self._replace(rows=rows)


def run(data: Path, write: bool = False) -> list[FigureTable]:
    """Measure; if `write`, write the parameters that fit the data."""
    if not data.exists():
        return []
    begun = time.perf_counter()
    timed, rated, kinds = [], [], {}
    for kind in KINDS:
        times, ratings = (crowd(data / f"{site}-{kind}.jsonl.xz", kind, site) for site in SITES)
        kinds[kind] = rounded(fit(times.judged, ratings.judged))
        of_times, of_ratings = cross_validate(times.judged, ratings.judged)
        timed.append(times.with_estimates(of_times))
        rated.append(ratings.with_estimates(of_ratings))
        kinds[kind]["validation"] = rounded(validation(timed[-1], rated[-1]), 4)
    if write:
        PARAMETERS.write_text(file_text({"kinds": kinds}), encoding="utf-8")
    draw("people-times", times_chart(timed))
    draw("people-errors", errors_chart(timed, rated))
    files = [data / f"{site}-{kind}.jsonl.xz" for site in SITES for kind in KINDS]
    hashes = [[file.name, hashlib.sha256(file.read_bytes()).hexdigest()] for file in files]
    tables = [
        FigureTable("Files of DATA", ["file", "SHA-256"], hashes),
        correlations([*timed, *rated]),
        errors(timed),
        errors(rated),
        transfer(rated),
        noise(rated),
        *([beginners(data / STUDY)] if (data / STUDY).exists() else []),
        *effects(timed, rated),
    ]
    total = sum(len(one.rows) for one in (*timed, *rated))
    return [FigureTable("", ["puzzles", "wall s"], [[total, time.perf_counter() - begun]]), *tables]


def graded(files: Path, folder: str) -> tuple[str, pa.Table]:
    """Import, classify and grade puzzles; return the store in `folder`, and the columns of `export`."""
    store, place, flat = f"{folder}/store", f"{folder}/run", f"{folder}/flat.csv"
    run_command("import", str(files), "--out", store)
    run_command("classify", store, "--out", place, "--cpu-limit", str(CPU_LIMIT))
    run_command("grade", place)
    run_command("export", place, "--csv", flat)
    return store, pa.csv.read_csv(flat)


def crowd(file: Path, kind: str, site: str) -> Crowd:
    """Grade a file's puzzles, and count their features."""
    with tempfile.TemporaryDirectory() as folder:
        store, rows = graded(file, folder)
        batches = (part for batch in open_store(store).batches([*DECISIVE]) for part in split(batch))
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            counted = {name: value for part in pool.map(count, batches) for name, value in part.items()}
    rows = rows.filter(pc.and_(rows["minutes"].is_valid(), rows[SITES[site]].is_valid()))
    values = [counted[name] for name in rows["puzzle_id"].to_pylist()]
    vectors, folds = (np.array([value[k] for value in values]) for k in range(2))
    return Crowd(site, kind, rows, Judged(vectors, rows[SITES[site]].to_numpy().astype(np.float64), folds))


def split(batch: pa.RecordBatch, rows: int = 100) -> list[pa.RecordBatch]:
    """Cut a batch into copies of some rows: a slice is pickled with its whole."""
    return [batch.take(pa.array(range(k, min(k + rows, len(batch))))) for k in range(0, len(batch), rows)]


def count(batch: pa.RecordBatch) -> dict[str, tuple[np.ndarray, int]]:
    """Return features and fold of each puzzle that techniques solve, by id; equal clues are of one fold."""
    vectors = grade(batch, np.ones(len(batch), np.bool_), CPU_LIMIT).features
    rows = zip(batch["puzzle_id"].to_pylist(), batch["clue_hash"].to_pylist(), vectors, strict=True)
    return {key: (vector, zlib.crc32(clues.encode()) % FOLDS) for key, clues, vector in rows if not np.isnan(vector[0])}


def correlations(crowds: list[Crowd]) -> FigureTable:
    """Return Spearman's rho of each measure with what people say, and its mean within size bands."""
    rows = [[measure, *(_rho(one, measure) for one in crowds)] for measure in MEASURES]
    title = "Spearman's rho with times and ratings, in brackets its mean within seven bands of sizes"
    return FigureTable(title, ["measure", *(one.name for one in crowds)], rows)


def validation(timed: Crowd, rated: Crowd) -> dict[str, Any]:
    """Return the fields of solver.people.minutes.Validation, for times and ratings."""
    found = {}
    for what, one, measure in (("seconds", timed, "minutes"), ("stars", rated, "stars")):
        rho = spearman(one.rows[measure], one.rows[SITES[one.site]])
        assert rho is not None
        found[what] = {
            "puzzles": len(one.rows),
            "rho": rho[1],
            "within_sizes": within_sizes(one.rows, measure, SITES[one.site]),
        }
    ratio, inside = ratio_of(timed)
    found["seconds"] |= {"median_error": np.median(np.abs(1 / ratio - 1)), "in_interval": np.mean(inside)}
    found["stars"]["median_error"] = np.median(np.abs(rated.values("stars") - rated.judged.judgement))
    return found


def _rho(one: Crowd, measure: str) -> str:
    column = SITES[one.site]
    found, within = spearman(one.rows[measure], one.rows[column]), within_sizes(one.rows, measure, column)
    return "" if found is None or within is None else f"{found[1]:.3f} ({within:.3f})"


def errors(crowds: list[Crowd]) -> FigureTable:
    """Return the errors of minutes, or of stars, in all and by size and hardest technique."""
    rows: list[list[Any]] = []
    is_timed = crowds[0].site == "griddlers"
    for one in crowds:
        off, inside = ratio_of(one) if is_timed else (one.judged.judgement - one.values("stars"), one.bands)
        for name, mask in groups(one).items():
            error = [np.median(np.abs(off[mask]))]
            if is_timed:
                error = [f"{np.median(np.abs(1 / off[mask] - 1)):.1%}", f"{np.mean(inside[mask]):.1%}"]
            low, middle, high = np.quantile(off[mask], [0.1, 0.5, 0.9])
            rows.append([KINDS[one.kind], name, int(mask.sum()), *error, middle, low, high])
    what = ["in the 80 % interval", "people / estimate"] if is_timed else ["rating - estimate"]
    heading = ["kind", "puzzles", "number", "median error", *what, "10 %", "90 %"]
    title = f"Errors of {'minutes' if is_timed else 'stars'}, {NAMES[crowds[0].site]}, in groups of {FEW} or more"
    return FigureTable(title, heading, rows)


def groups(one: Crowd) -> dict[str, np.ndarray]:
    """Return masks of all puzzles, of each size band and of each hardest technique, without small groups."""
    masks = [np.ones(len(one.rows), np.bool_)]
    masks += [one.bands == band for band in range(len(BAND_NAMES))]
    masks += [one.values("hardest") == technique.name for technique in TECHNIQUES]
    return {name: mask for name, mask in zip(GROUPS, masks, strict=True) if np.count_nonzero(mask) >= FEW}


def ratio_of(one: Crowd) -> tuple[np.ndarray, np.ndarray]:
    """Return people's times by their estimates, and whether they are in the interval."""
    minutes = one.judged.judgement / MINUTE
    inside = (one.values("minutes_low") <= minutes) & (minutes <= one.values("minutes_high"))
    return minutes / one.values("minutes"), inside


def transfer(rated: list[Crowd]) -> FigureTable:
    """Return how minutes, fitted to griddlers.net's times, order webpbn.com's ratings."""
    rows = []
    for one in rated:
        by_lines = one.judged.features[:, AT_LOG_OPEN] == 0
        for name, mask in (("line logic", by_lines), ("beyond", ~by_lines), ("all", by_lines | True)):
            some = one._replace(rows=one.rows.filter(pa.array(mask)))
            rows.append([KINDS[one.kind], name, len(some.rows), _rho(some, "minutes"), _rho(some, "stars")])
    heading = ["kind", "solved by", "puzzles", "minutes", "stars"]
    return FigureTable("Ratings of webpbn.com by technique: rho (within sizes)", heading, rows)


def noise(rated: list[Crowd]) -> FigureTable:
    """Return the deviation of ratings of equal clues, and of ratings from stars."""
    rows = []
    for one in rated:
        hashes, stars = one.values("clue_hash"), one.judged.judgement
        order = np.argsort(hashes, kind="stable")
        equal = hashes[order][1:] == hashes[order][:-1]
        apart = (stars[order][1:] - stars[order][:-1])[equal]
        off = stars - one.values("stars")
        rows.append([KINDS[one.kind], len(apart), np.std(apart) / np.sqrt(2), np.std(off), np.median(np.abs(off))])
    heading = ["kind", "pairs of equal clues", "deviation of a rating of them", "of stars", "median error of stars"]
    return FigureTable("Noise of ratings", heading, rows)


def beginners(study: Path) -> FigureTable:
    """Return the mean times of a study's beginners by our estimates, and at the end rank correlation and factor."""
    stated = dict(re.findall(r"\b(P\d) (\d+),", (study / "README.md").read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        _, table = graded(study, folder)
    estimates = {row["puzzle_id"].rpartition("/")[2]: row["minutes"] for row in table.to_pylist()}
    people, minutes = (np.array([float(of[name]) for name in stated]) for of in (stated, estimates))
    people /= MINUTE
    rows: list[list[Any]] = [[*row] for row in zip(stated, people, minutes, people / minutes, strict=True)]
    rho = np.corrcoef(ranks(people), ranks(minutes))[0, 1]
    rows.append(["all: rank correlation, factor", "", f"{rho:.2f}", people.sum() / minutes.sum()])
    heading = ["puzzle", "people", "minutes", "people / minutes"]
    return FigureTable("Beginners (a study of 2026, in no fit)", heading, rows)


def effects(timed: list[Crowd], rated: list[Crowd]) -> list[FigureTable]:
    """Return the effect of each feature on time and stars of a typical puzzle, with 95 % bootstrap intervals."""
    rng = np.random.default_rng(1)
    columns = []
    for times, ratings in zip(timed, rated, strict=True):
        fits = []
        for _ in range(BOOTSTRAPS):
            drawn = (one.judged.where(rng.integers(0, len(one.rows), len(one.rows))) for one in (times, ratings))
            model = parse_model(fit(*drawn))
            weights = np.stack([model.seconds[:, 0], model.stars[:, 0]]) / model.scale
            weights[0, AT_LOG_OPEN] = model.assumptions
            fits.append(weights * np.log(2))
        percent, stars = 100 * np.expm1(np.array(fits)[:, 0]), np.array(fits)[:, 1]
        columns += [[_interval(values) for values in found.T] for found in (percent, stars)]
    heading = ["feature", "meaning", *(f"{what}, {kind}" for kind in KINDS.values() for what in ("time, %", "stars"))]
    rows = [[name, FEATURES[name], *(column[k] for column in columns)] for k, name in enumerate(FEATURES)]
    return [FigureTable("Effect of twice as many, other features being equal", heading, rows)]


def _interval(values: np.ndarray) -> str:
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    return f"{middle:+.2f} ({low:+.2f} to {high:+.2f})"


def times_chart(timed: list[Crowd]) -> alt.TopLevelMixin:
    """Draw people's times by estimate."""
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for one in timed:
        for k in rng.choice(len(one.rows), min(DOTS, len(one.rows)), replace=False):
            row = {"people": one.judged.judgement[k] / MINUTE, "minutes": one.values("minutes")[k]}
            rows.append(row | {"kind": KINDS[one.kind], "cells": BAND_NAMES[one.bands[k]]})
    axes = [
        channel(f"{name}:Q", title=title, scale=SCALE, axis=alt.Axis(values=TICKS))
        for channel, name, title in ((alt.X, "minutes", "estimated minutes"), (alt.Y, "people", "people's minutes"))
    ]
    color = alt.Color("cells:N", sort=BAND_NAMES, scale=alt.Scale(scheme="turbo"))
    dots = alt.Chart(alt.InlineData(values=rows)).mark_circle(size=14, opacity=0.6).encode(*axes, color)
    ends: list[dict[str, Any]] = [{"minutes": end, "people": end} for end in SCALE.domain]
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(color="gray", strokeDash=[4, 3]).encode(*axes)
    charts = [dots.transform_filter(alt.datum.kind == kind) + line for kind in KINDS.values()]
    kinds = zip(charts, KINDS.values(), strict=True)
    return alt.hconcat(*(chart.properties(title=kind, width=420, height=420) for chart, kind in kinds))


def errors_chart(timed: list[Crowd], rated: list[Crowd]) -> alt.TopLevelMixin:
    """Draw people's times as multiples of the estimate, and ratings less stars, by size and by hardest technique."""
    ratios = alt.Scale(type="log", domain=[0.5, 2], nice=False)
    stars = alt.Scale(domain=[-0.8, 0.8], nice=False)
    return alt.hconcat(
        errors_panel(errors(timed), "people's time / estimate", ratios, [0.5, 0.7, 1, 1.4, 2]),
        errors_panel(errors(rated), "people's rating - stars", stars, [-0.8, -0.4, 0, 0.4, 0.8]),
    )


def errors_panel(table: FigureTable, title: str, scale: alt.Scale, ticks: list[float]) -> alt.LayerChart:
    """Draw the last three columns of a table: the median of errors, and 10 % to 90 %."""
    names = ("kind", "group", "middle", "low", "high")
    rows: list[dict[str, Any]] = [dict(zip(names, [*row[:2], *row[-3:]], strict=True)) for row in table.rows]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("group:N", sort=GROUPS, title=None),
        yOffset=alt.YOffset("kind:N", sort=[*KINDS.values()]),
        color=alt.Color("kind:N", sort=[*KINDS.values()]),
    )
    x = alt.X("low:Q", title=f"{title}: median, and 10 % to 90 %", scale=scale, axis=alt.Axis(values=ticks))
    drawn = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q") + base.mark_circle(size=50).encode(x="middle:Q")
    chart: alt.LayerChart = drawn.properties(width=420, height=18 * len({row["group"] for row in rows}))
    return chart


def draw(name: str, chart: alt.TopLevelMixin) -> None:
    """Write a chart to benchmarks/results/NAME.png."""
    (RESULTS / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(chart.to_dict(), scale=1.5))
