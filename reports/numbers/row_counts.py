"""Counts of a batch of rows: classes, sums, and the rows that a report may show.

Batches are independent, so that threads can process several at once (reports.numbers.census).
"""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers import site_claims
from nonocensus.reports.numbers.derived_measures import DERIVED, derived_measures
from nonocensus.reports.numbers.joined_columns import MENDED, SHARED, KeyedRows, first_bits, join_grades, join_mendings
from nonocensus.reports.numbers.row_classes import (
    FAILED,
    UNKNOWN,
    RowClass,
    classify_rows,
    minutes_class,
    numbers,
    sources,
)
from nonocensus.reports.rights import shareable, withheld
from nonocensus.solver.model.measures import IN_RESULTS, Computed, Place, computed_by, names, shown_in
from nonocensus.solver.model.tables import PUZZLES, RESULTS

RUNGS = {
    "line logic": "cpu_line",
    "depth-2": "cpu_depth2",
    "probe": "cpu_probe",
    "search": "cpu_search",
    "clause learning": "cpu_sat",
}
"""Rungs of the ladder and the columns with their times."""

RUNG_BINS, FIRST_RUNG_BIN, LAST_RUNG_BIN = 5, -7, 5
"""Histogram of a rung's times: bins per decade, first and last decade (log10 of seconds)."""

LISTED = 50
"""Most failures, and most contradictions with the site's verdict, that a report names."""

CORRELATED = tuple(names(shown_in(Place.correlations)))
"""Measures that are correlated with each other over all sources, and with the ratings of each site.

Ratings are not correlated over several sources: each site has its own scale.
"""

FOR_PEOPLE = ("minutes", "grade")
"""Measures for people that all others are correlated with; null where a puzzle has no grade."""

RATINGS = tuple(names(computed_by(Computed.rated)))
"""The ratings that a site's users give."""

DIFFICULTY_BIN = 0.1
"""Bin width of the difficulty histogram."""

NO_BIN = np.iinfo(np.int16).min
"""Bin of an unknown difficulty."""

RATED_FIELDS = ("source", "puzzle_id", "title", "technique", *RATINGS, *CORRELATED)

SHOWN_RESULTS = [
    "puzzle_id", "status", "solutions", "technique", "label", "solution", "second_solution", "goal_matches",
    *(measure.name for measure in computed_by(*IN_RESULTS) if Place.browser in measure.shown),
    "engine", "error", "clue_hash",
]  # fmt: skip
SHOWN_PUZZLES = [
    "url", "title", "author", "copyright", "license", "source", "width", "height", "kind", "blotted", "palette", "rows",
    "columns", "goal", *RATINGS, "site_note", "canonical_hash",
]  # fmt: skip
JUDGED = pa.schema([(name, pa.bool_()) for name in ("free", "disputed", "unmarked", "marked")])
"""Whether a puzzle may be redistributed (reports.rights), its site's claim contradicts our verdict, and it has several
solutions that the claim does not mention, or does (reports.numbers.site_claims); never null."""

SHOWN_FIELDS = [*SHOWN_RESULTS, *SHOWN_PUZZLES, *DERIVED.names, *MENDED.names, *SHARED.names, *JUDGED.names]

RESULT_COLUMNS = [*SHOWN_RESULTS, "trivial", *RUNGS.values()]
PUZZLE_COLUMNS = [*SHOWN_PUZZLES, "site_date", "site_steps"]
"""Columns of the two tables that a report reads."""

AuthorCounts: TypeAlias = dict[tuple[str, str], tuple[int, float]]
"""Puzzles and their CPU seconds by author and label."""


class CensusOptions(NamedTuple):
    """Options and findings shared by all batches."""

    public: bool  # keep titles, clues and pictures only of puzzles that may be redistributed
    mendings: KeyedRows
    grades: KeyedRows


class Batch(NamedTuple):
    """The counts of a batch; arrays are in the order of its rows."""

    words: list[RowClass]  # distinct, in order of first occurrence
    codes: np.ndarray  # int32[rows]: index into words
    seconds: np.ndarray  # float64[rows]: CPU seconds, NaN if unknown
    difficulties: np.ndarray  # int16[rows]: floor(difficulty / DIFFICULTY_BIN), or NO_BIN
    clue_hashes: np.ndarray  # uint64[rows]: the first 64 bits of the clue hash, 0 if unknown
    canonical_hashes: np.ndarray  # uint64[rows]: the same of the canonical hash
    decided: np.ndarray  # float64[stalled]: share of cells decided, of puzzles that line logic leaves open
    authors: AuthorCounts
    rung_seconds: np.ndarray  # float64[rungs]: CPU seconds
    rung_times: np.ndarray  # int64[rungs, bins]: puzzles by time
    work: np.ndarray  # float64[4]: conflicts, seconds of clause learning, line solves, seconds of all other rungs
    hardest: dict[str, int]  # puzzles with a grade, by the hardest technique
    minutes: dict[str, int]  # puzzles with an estimate, by class of minutes
    compared: pa.Table  # CORRELATED
    rated: list[pa.Table]  # RATED_FIELDS of the rated puzzles, empty without any
    shown: pa.Table  # SHOWN_FIELDS
    reasons: Counter[tuple[str, str]]  # puzzles without a verdict, by status and reason; numbers replaced by N
    failures: list[pa.Table]  # the first LISTED without a verdict: all columns, and "claim"; empty without any
    contradictions: list[pa.Table]  # the first LISTED whose verdict contradicts the site's, likewise


def batch_of(results: pa.RecordBatch, puzzles: pa.RecordBatch, asked: CensusOptions) -> Batch:
    """Count results and their puzzles, matched by row, with the columns RESULT_COLUMNS and PUZZLE_COLUMNS."""
    measured = derived_measures(results, puzzles)
    claims = site_claims.claims(puzzles["site_note"], puzzles["site_steps"])
    codes, words = classify_rows(results, puzzles, measured, claims)
    labels = pa.array([word.label for word in words]).take(pa.array(codes))
    by_line = np.array([word.technique == "line" for word in words])[codes]
    failed = np.array([word.status in FAILED for word in words])[codes]
    differs = np.array([site_claims.contradicts(word.claim, word.solutions, word.technique) for word in words])[codes]
    unmarked = np.array([site_claims.is_unmarked(word.claim, word.solutions) for word in words])[codes]
    marked = np.array([site_claims.is_marked(word.claim, word.solutions) for word in words])[codes]
    rung_seconds, rung_times = _time_rungs(results)
    mended, graded = join_mendings(results, asked.mendings), join_grades(results, asked.grades)
    free = shareable(puzzles)
    judged = pa.RecordBatch.from_arrays([free, *map(pa.array, (differs, unmarked, marked))], schema=JUDGED)
    open_results, open_puzzles, open_mended = (
        withheld(rows, free) if asked.public else rows for rows in (results, puzzles, mended)
    )
    return Batch(
        words=words,
        codes=codes,
        seconds=numbers(results["cpu_seconds"]).astype(np.float64),
        difficulties=_difficulty_bins(measured),
        clue_hashes=first_bits(results["clue_hash"]),
        canonical_hashes=first_bits(puzzles["canonical_hash"]),
        decided=_decided(results, by_line),
        authors=count_authors(puzzles["author"], labels, results["cpu_seconds"]),
        rung_seconds=rung_seconds,
        rung_times=rung_times,
        work=_work(results),
        hardest=_counted(graded["hardest"]),
        minutes=_counted(minutes_class(graded)),
        compared=_picked((results, puzzles, measured, graded), CORRELATED),
        rated=_filtered((open_results, open_puzzles, measured, graded), RATED_FIELDS, _rated(puzzles)),
        shown=_picked(
            (open_results, _without_implied_clues(open_results, open_puzzles), open_mended, measured, graded, judged),
            SHOWN_FIELDS,
        ),
        reasons=_reasons(results, failed),
        failures=_listed(open_results, open_puzzles, claims, failed),
        contradictions=_listed(open_results, open_puzzles, claims, differs),
    )


def _difficulty_bins(measured: pa.RecordBatch) -> np.ndarray:
    # The small addend keeps a difficulty on a bin's lower bound out of the bin below.
    bins = np.floor(numbers(measured["difficulty"]) / DIFFICULTY_BIN + 1e-9)
    return np.where(np.isnan(bins), NO_BIN, bins).astype(np.int16)


def _decided(results: pa.RecordBatch, by_line: np.ndarray) -> np.ndarray:
    """Return the share of cells decided, of the puzzles that line logic leaves open: float64[stalled]."""
    cells, after = numbers(results["cells"]), numbers(results["cells_after_line"])
    # Line logic that finds a contradiction leaves cells undecided, but no question open.
    stalled = (after < cells) & ~by_line
    share: np.ndarray = after[stalled] / cells[stalled]
    return share


def _counted(column: pa.Array) -> dict[str, int]:
    counted = column.value_counts()
    names, counts = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
    return {name: count for name, count in zip(names, counts, strict=True) if name is not None}


def _without_implied_clues(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.RecordBatch:
    """Drop the clues that follow from a solution, as copying them is slow."""
    width, height = (puzzles[name].cast(pa.int32()) for name in ("width", "height"))
    implied = pc.and_not(
        pc.equal(pc.binary_length(results["solution"]), pc.multiply(width, height)), puzzles["blotted"]
    )
    kept = pa.array(np.arange(len(puzzles)), mask=implied.fill_null(False).to_numpy(zero_copy_only=False))
    columns = {name: puzzles[name] for name in puzzles.schema.names}
    columns |= {name: columns[name].take(kept) for name in ("rows", "columns")}
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=puzzles.schema)


def _reasons(results: pa.RecordBatch, failed: np.ndarray) -> Counter[tuple[str, str]]:
    """Count the failed rows (bool[rows]) by status and reason."""
    rows = results.select(["status", "error"]).filter(pa.array(failed))
    patterns = pc.replace_substring_regex(pc.fill_null(rows["error"], "no reason given"), r"\d+", "N")
    return Counter(zip(rows["status"].to_pylist(), patterns.to_pylist(), strict=True))


def _time_rungs(results: pa.RecordBatch) -> tuple[np.ndarray, np.ndarray]:
    """Return CPU seconds and time histogram of each rung."""
    seconds, times = np.zeros(len(RUNGS)), no_rung_times()
    for rung, name in enumerate(RUNGS.values()):
        taken = results[name].drop_null().to_numpy()
        taken = taken[taken > 0]
        seconds[rung] = taken.sum()
        bins = np.floor((np.log10(taken) - FIRST_RUNG_BIN) * RUNG_BINS + 1e-9).astype(np.int64)
        times[rung] = np.bincount(np.clip(bins, 0, times.shape[1] - 1), minlength=times.shape[1])
    return seconds, times


def no_rung_times() -> np.ndarray:
    """Return empty histograms: int64[rungs, bins]."""
    return np.zeros((len(RUNGS), (LAST_RUNG_BIN - FIRST_RUNG_BIN) * RUNG_BINS), np.int64)


def _work(results: pa.RecordBatch) -> np.ndarray:
    """Return conflicts, seconds of clause learning, line solves, seconds of all other rungs."""
    seconds = [np.nan_to_num(numbers(results[name])).sum() for name in RUNGS.values()]
    conflicts, line_solves = (np.nan_to_num(numbers(results[name])).sum() for name in ("conflicts", "line_solves"))
    return np.array([conflicts, seconds[-1], line_solves, sum(seconds[:-1])])


def _rated(puzzles: pa.RecordBatch) -> pa.Array:
    return reduce(pc.or_, (puzzles[name].is_valid() for name in RATINGS))


def _filtered(parts: Sequence[pa.RecordBatch], names: Sequence[str], selected: pa.Array) -> list[pa.Table]:
    """Return `_picked` of the selected rows (bool[rows]), no table without any."""
    return [_picked(parts, names).filter(selected)] if pc.any(selected).as_py() else []


def _picked(parts: Sequence[pa.RecordBatch], names: Sequence[str]) -> pa.Table:
    """Select columns of results, puzzles and other batches; a missing label becomes the status."""
    columns = {}
    for name in names:
        batch = next(batch for batch in parts if name in batch.schema.names)
        columns[name] = batch[name]
    results, puzzles = parts[:2]
    if "label" in columns:
        columns["label"] = pc.coalesce(results["label"], results["status"], UNKNOWN)
    if "source" in columns:
        columns["source"] = pc.coalesce(sources(results, puzzles), UNKNOWN)
    return pa.table(columns)


def no_rows(names: Sequence[str]) -> pa.Table:
    """Return an empty table of such columns."""
    results, puzzles, *others = (
        pa.RecordBatch.from_pylist([], schema=schema) for schema in (RESULTS, PUZZLES, DERIVED, MENDED, SHARED, JUDGED)
    )
    return _picked((results, puzzles, *others), names)


def _listed(results: pa.RecordBatch, puzzles: pa.RecordBatch, claims: pa.Array, selected: np.ndarray) -> list[pa.Table]:
    """Return the first LISTED of the selected rows (bool[rows]) with all columns and the site's claim."""
    rows = pa.array(np.flatnonzero(selected)[:LISTED])
    columns = {name: part[name] for part in (results, puzzles) for name in part.schema.names}
    columns["claim"] = claims
    return [pa.table({name: column.take(rows) for name, column in columns.items()})] if len(rows) else []


def count_authors(names: pa.Array, labels: pa.Array, seconds: pa.Array) -> AuthorCounts:
    """Count rows by author and label, those without an author left out; null seconds count as 0."""
    rows = pa.table({"author": names, "label": labels, "seconds": seconds.fill_null(0)})
    grouped = rows.filter(names.is_valid()).group_by(["author", "label"], use_threads=False)
    counted = grouped.aggregate([("seconds", "count"), ("seconds", "sum")]).to_pylist()
    return {(row["author"], row["label"]): (row["seconds_count"], row["seconds_sum"]) for row in counted}


def add_authors(counted: AuthorCounts, authors: AuthorCounts) -> None:
    """Add counts in place."""
    for key, (puzzles, taken) in counted.items():
        before = authors.get(key, (0, 0.0))
        authors[key] = before[0] + puzzles, before[1] + taken
