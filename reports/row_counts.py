"""What a report takes of a batch of rows: what each row is counted by, sums, and the rows that may be shown.

Nothing here depends on other batches, so that several are looked at at once (reports.census).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports import site_claims
from reports.authors import Authors, authors_of
from reports.derived_measures import DERIVED, derived_measures
from reports.graded import SHARED, grades_beside
from reports.kept_columns import KeyedRows, first_bits
from reports.mended import MENDED, mended_beside
from reports.rights import shareable, withheld
from reports.sudoku_svg import givens_counts
from solver.model.measures import BY_NAME, IN_RESULTS, Computed, Place, computed_by, names, shown_in
from solver.model.tables import PUZZLES, RESULTS

UNKNOWN = "unknown"
FAILED = ("invalid", "error", "killed")
"""Statuses of rows that have no verdict; their status stands where a label would."""

SIZES = (10, 15, 20, 25, 30, 40, 60, 100)
"""The longest side, in cells, that each size class but the last admits."""

SIZE_NAMES = (
    f"up to {SIZES[0]}",
    *(f"{shorter + 1}–{side}" for shorter, side in pairwise(SIZES)),
    f"over {SIZES[-1]}",
)
"""The size classes: "up to 10", "11–15", ..., "over 100"."""

DENSITIES = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7)
"""The share of coloured cells at which each class of density but the first begins."""

DENSITY_NAMES = (
    f"under {100 * DENSITIES[0]:.0f} %",
    *(f"{100 * low:.0f}–{100 * high:.0f} %" for low, high in pairwise(DENSITIES)),
    f"{100 * DENSITIES[-1]:.0f} % and over",
)
"""The classes of density: "under 20 %", "20–30 %", ..., "70 % and over"."""

DIFFICULTIES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The difficulties at which each class but the first begins."""

DIFFICULTY_NAMES = (
    f"under {DIFFICULTIES[0]:g}",
    *(f"{low:g}–{high:g}" for low, high in pairwise(DIFFICULTIES)),
    f"{DIFFICULTIES[-1]:g} and over",
)
"""The classes of difficulty: "under 0.25", "0.25–0.5", ..., "4 and over"."""

MANY_COLORS = 5
"""Colours from which puzzles are counted together."""

AREAS_A_DECADE = 5
"""Classes of size in cells: this many from 100 to 1,000 cells, and so on."""

RUNGS = {
    "line logic": "cpu_line",
    "depth-2": "cpu_depth2",
    "probe": "cpu_probe",
    "search": "cpu_search",
    "clause learning": "cpu_sat",
}
"""The rungs of the ladder and the columns of their times."""

RUNG_BINS, FIRST_RUNG_BIN, LAST_RUNG_BIN = 5, -7, 5
"""The histogram of a rung's times: bins a decade, decades (log10 of seconds) at which it begins and ends."""

MOST_CODES = 1 << 62
"""What several columns of words are put together to, as one number."""

LISTED = 50
"""Failures, and contradictions with the site's verdict, that a report names."""

FEW_GIVENS = 40
"""Givens of a Sudoku from which on they are counted by tens; with less, as most of 9x9 have, each number is a group."""

CORRELATED = tuple(names(shown_in(Place.correlations)))
"""Measures that are correlated with each other over all sources, and with the ratings of each site.

Ratings are not correlated over several sources: each site has its own scale.
"""

FOR_PEOPLE = tuple(name for name in CORRELATED if BY_NAME[name].computed is Computed.graded)
"""Measures of how hard a puzzle is for people; null where it has no grade."""

RATINGS = tuple(names(computed_by(Computed.rated)))
"""The ratings that a site's users give."""

DIFFICULTY_BIN = 0.1
"""Width of the columns of the histogram of difficulty."""

NO_BIN = np.iinfo(np.int16).min
"""Stands for the column of a difficulty that is not known."""

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
JUDGED = pa.schema([("free", pa.bool_()), ("disputed", pa.bool_()), ("unmarked", pa.bool_())])
"""Whether a puzzle may be passed on (reports.rights), its site's claim contradicts our verdict, and it has several
solutions that its site's claim does not mention (reports.site_claims); never null."""

SHOWN_FIELDS = [*SHOWN_RESULTS, *SHOWN_PUZZLES, *DERIVED.names, *MENDED.names, *SHARED.names, *JUDGED.names]

RESULT_COLUMNS = [*SHOWN_RESULTS, "trivial", *RUNGS.values()]
PUZZLE_COLUMNS = [*SHOWN_PUZZLES, "site_date", "site_steps"]
"""What a report needs of the two tables; other columns are not looked at."""

Rows: TypeAlias = pa.Table | pa.RecordBatch


class RowClass(NamedTuple):
    """What a row is counted by. Rows with all of it in common are many, so there are few of these."""

    status: str
    solutions: str | None
    technique: str | None
    trivial: bool | None
    label: str  # the status where there is no label
    goal_matches: bool | None
    source: str
    kind: str  # "mono", "blotted mono", ...
    size: str  # of SIZE_NAMES
    density: str  # of DENSITY_NAMES
    colors: str  # foreground colours in the clues: "1", "2", ...
    givens: str  # number of givens: "17", "18", ..., from FEW_GIVENS on by tens
    year: int | None  # in which the site got it
    area: int | None  # class of its number of cells: floor(AREAS_A_DECADE * log10(cells))
    claim: str | None  # the site's own verdict, of reports.site_claims.CLAIMS


class CensusOptions(NamedTuple):
    """What is asked of all batches alike."""

    public: bool  # whether titles, clues and pictures stay only where they may be passed on
    mendings: KeyedRows
    grades: KeyedRows


class Batch(NamedTuple):
    """What a report takes of a batch of rows, in their order."""

    words: list[RowClass]  # those that occur, in the order in which they first do
    codes: np.ndarray  # int32[rows]: index into words
    seconds: np.ndarray  # float64[rows]: CPU seconds, NaN where not known
    difficulties: np.ndarray  # int16[rows]: how many DIFFICULTY_BIN its difficulty has, rounded down, or NO_BIN
    clue_hashes: np.ndarray  # uint64[rows]: the first 64 bits of the clue hash, 0 where not known
    canonical_hashes: np.ndarray  # uint64[rows]: likewise of the canonical hash
    decided: np.ndarray  # float64[stalled]: share of the cells that line logic decides where it leaves the puzzle open
    authors: Authors
    rung_seconds: np.ndarray  # float64[rungs]: CPU seconds
    rung_times: np.ndarray  # int64[rungs, bins]: puzzles by the time that the rung took
    work: np.ndarray  # float64[4]: conflicts, seconds of clause learning, line solves, seconds of all other rungs
    hardest: dict[str, int]  # puzzles with a grade, by the hardest technique
    compared: pa.Table  # CORRELATED
    rated: list[pa.Table]  # RATED_FIELDS of the puzzles that people have rated, if there are any
    shown: pa.Table  # SHOWN_FIELDS
    reasons: Counter[tuple[str, str]]  # puzzles without a verdict by status and reason, whose numbers stand as N
    failures: list[pa.Table]  # the first LISTED without a verdict, if any: all columns, and "claim", the site's verdict
    contradictions: list[pa.Table]  # the first LISTED whose verdict is not the site's, likewise


def batch_of(results: pa.RecordBatch, puzzles: pa.RecordBatch, asked: CensusOptions) -> Batch:
    """What a report takes of results and their puzzles, with RESULT_COLUMNS and PUZZLE_COLUMNS, row by row."""
    measured = derived_measures(results, puzzles)
    claims = site_claims.claims(puzzles["site_note"], puzzles["site_steps"])
    codes, words = _worded(results, puzzles, measured, claims)
    labels = pa.array([word.label for word in words]).take(pa.array(codes))
    by_line = np.array([word.technique == "line" for word in words])[codes]
    failed = np.array([word.status in FAILED for word in words])[codes]
    differs = np.array([site_claims.contradicts(word.claim, word.solutions, word.technique) for word in words])[codes]
    unmarked = np.array([site_claims.is_unmarked(word.claim, word.solutions) for word in words])[codes]
    rung_seconds, rung_times = _time_rungs(results)
    mended, graded = mended_beside(results, asked.mendings), grades_beside(results, asked.grades)
    free = shareable(puzzles)
    judged = pa.RecordBatch.from_arrays([free, pa.array(differs), pa.array(unmarked)], schema=JUDGED)
    open_results, open_puzzles, open_mended = (
        withheld(rows, free) if asked.public else rows for rows in (results, puzzles, mended)
    )
    return Batch(
        words=words,
        codes=codes,
        seconds=_numbers(results["cpu_seconds"]).astype(np.float64),
        difficulties=_difficulty_bins(measured),
        clue_hashes=first_bits(results["clue_hash"]),
        canonical_hashes=first_bits(puzzles["canonical_hash"]),
        decided=_decided(results, by_line),
        authors=authors_of(puzzles["author"], labels, results["cpu_seconds"]),
        rung_seconds=rung_seconds,
        rung_times=rung_times,
        work=_work(results),
        hardest=_counted(graded["hardest"]),
        compared=_picked((results, puzzles, measured, graded), CORRELATED),
        rated=_filtered((open_results, open_puzzles, measured, graded), RATED_FIELDS, _rated(puzzles)),
        shown=_picked((open_results, open_puzzles, open_mended, measured, graded, judged), SHOWN_FIELDS),
        reasons=_reasons(results, failed),
        failures=_listed(open_results, open_puzzles, claims, failed),
        contradictions=_listed(open_results, open_puzzles, claims, differs),
    )


def _worded(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, measured: pa.RecordBatch, claims: pa.Array
) -> tuple[np.ndarray, list[RowClass]]:
    """The rows' words: index of each row (int32[rows]) into those that occur, in the order in which they first do."""
    columns = [results[name] for name in ("status", "solutions", "technique", "trivial", "label", "goal_matches")]
    columns += [_source(results, puzzles), puzzles["kind"], puzzles["blotted"], size_class(puzzles)]
    columns += [_density(measured), _colors(measured), _givens(puzzles), _year(puzzles), _area(puzzles)]
    columns += [claims]
    encoded = [_encoded(column) for column in columns]
    joint, possible = np.zeros(len(results), np.int64), 1
    for indices, values in encoded:
        if possible * len(values) > MOST_CODES:  # a stranger's columns of words
            joint, possible = _numbered(joint).astype(np.int64), len(joint)
        if len(values) > 1:
            joint, possible = joint * len(values) + indices, possible * len(values)
    rows = _numbered(joint)
    first = np.zeros(rows.max(initial=-1) + 1, np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]  # the last one written, the first of its kind, stays
    words = [_words(*(values[indices[row]] for indices, values in encoded)) for row in first.tolist()]
    return rows, words


def _numbered(codes: np.ndarray) -> np.ndarray:
    """The codes (int64[rows]) that occur, numbered as they first do: int32[rows]."""
    numbers: np.ndarray = pa.array(codes).dictionary_encode().indices.to_numpy()
    return numbers


def _encoded(column: pa.Array) -> tuple[np.ndarray, list[Any]]:
    """The values that occur in a column, null perhaps among them, and the index of each row into them.

    Most columns have one value throughout a batch, which is sooner seen than the column is encoded.
    """
    known = len(column) - column.null_count
    if len(column) and (not known or (known == len(column) and pc.all(pc.equal(column, column[0])).as_py())):
        return np.zeros(len(column), np.int32), [column[0].as_py()]
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def _words(
    status: str | None,
    solutions: str | None,
    technique: str | None,
    trivial: bool | None,
    label: str | None,
    goal_matches: bool | None,
    source: str | None,
    kind: str | None,
    blotted: bool | None,
    size: int,
    density: int,
    colors: int | None,
    givens: int | None,
    year: int | None,
    area: int | None,
    claim: str | None,
) -> RowClass:
    status = UNKNOWN if status is None else status
    return RowClass(
        status,
        solutions,
        technique,
        trivial,
        status if label is None else label,
        goal_matches,
        UNKNOWN if source is None else source,
        UNKNOWN if kind is None else f"blotted {kind}" if blotted else kind,
        (*SIZE_NAMES, UNKNOWN)[size],
        (*DENSITY_NAMES, UNKNOWN)[density],
        UNKNOWN if colors is None else f"{colors} and more" if colors == MANY_COLORS else str(colors),
        UNKNOWN if givens is None else str(givens) if givens < FEW_GIVENS else f"{givens} to {givens + 9}",
        year,
        area,
        claim,
    )


def _source(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.Array:
    """The puzzle's source; if it is not known, what stands before the id's slash."""
    source = puzzles["source"]
    if not source.null_count:
        return source
    before_slash = pc.struct_field(pc.extract_regex(results["puzzle_id"], r"^(?P<source>[^/]+)/"), "source")
    return pc.coalesce(source, pc.if_else(pc.equal(before_slash, ""), None, before_slash))


def size_class(puzzles: Rows) -> pa.Array:
    """The size class of each puzzle, by its longer side: index into SIZE_NAMES, or the one after if it is not known."""
    side = np.maximum(_numbers(puzzles["width"]), _numbers(puzzles["height"]))
    return pa.array(np.where(np.isnan(side), len(SIZE_NAMES), np.searchsorted(SIZES, side)))


def difficulty_class(rows: Rows) -> pa.Array:
    """The class of each puzzle's difficulty: index into DIFFICULTY_NAMES, or the one after if it is not known."""
    return _classes(rows["difficulty"], DIFFICULTIES)


def _density(measured: pa.RecordBatch) -> pa.Array:
    """The class of density of each puzzle: index into DENSITY_NAMES, or the one after if it is not known."""
    return _classes(measured["density"], DENSITIES)


def _difficulty_bins(measured: pa.RecordBatch) -> np.ndarray:
    # The small addend keeps difficulties where a column begins from falling into the one before.
    bins = np.floor(_numbers(measured["difficulty"]) / DIFFICULTY_BIN + 1e-9)
    return np.where(np.isnan(bins), NO_BIN, bins).astype(np.int16)


def _classes(column: pa.Array | pa.ChunkedArray, starts: Sequence[float]) -> pa.Array:
    """The class of each number, the first below all starts; the one after the last if the number is not known."""
    numbers = _numbers(column)
    return pa.array(np.where(np.isnan(numbers), len(starts) + 1, np.searchsorted(starts, numbers, "right")))


def _colors(measured: pa.RecordBatch) -> pa.Array:
    return pc.min_element_wise(measured["colors"], pa.scalar(MANY_COLORS, pa.uint8()), skip_nulls=False)


def _givens(puzzles: pa.RecordBatch) -> pa.Array:
    """The class of each Sudoku by its number of givens: the smallest number of the class."""
    counts = givens_counts(puzzles)
    if counts.null_count == len(counts):
        return counts
    return pc.if_else(pc.less(counts, FEW_GIVENS), counts, pc.multiply(pc.divide(counts, 10), 10))


def _year(puzzles: pa.RecordBatch) -> pa.Array:
    """The year in which the site got the puzzle, or that of its copyright."""
    year = pc.cast(pc.year(puzzles["site_date"]), pa.int32())
    written = pc.struct_field(pc.extract_regex(puzzles["copyright"], r"\b(?P<year>(?:19|20)\d\d)\b"), "year")
    return pc.coalesce(year, pc.cast(written, pa.int32()))


def _area(puzzles: pa.RecordBatch) -> pa.Array:
    cells = _numbers(puzzles["width"]).astype(np.float64) * _numbers(puzzles["height"])
    there = cells > 0
    # The small addend keeps 100 cells in the class that begins there.
    area = np.floor(np.log10(np.where(there, cells, 1)) * AREAS_A_DECADE + 1e-9)
    return pa.array(area.astype(np.int32), mask=~there)


def _decided(results: pa.RecordBatch, by_line: np.ndarray) -> np.ndarray:
    """The share of cells decided (float64) of the puzzles that line logic leaves open."""
    cells, after = _numbers(results["cells"]), _numbers(results["cells_after_line"])
    # Line logic that meets a contradiction stops there: it leaves cells, but no question.
    stalled = (after < cells) & ~by_line
    share: np.ndarray = after[stalled] / cells[stalled]
    return share


def _counted(column: pa.Array) -> dict[str, int]:
    counted = column.value_counts()
    names, counts = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
    return {name: count for name, count in zip(names, counts, strict=True) if name is not None}


def _reasons(results: pa.RecordBatch, failed: np.ndarray) -> Counter[tuple[str, str]]:
    """The rows that failed (bool[rows]), counted by status and reason."""
    rows = results.select(["status", "error"]).filter(pa.array(failed))
    patterns = pc.replace_substring_regex(pc.fill_null(rows["error"], "no reason given"), r"\d+", "N")
    return Counter(zip(rows["status"].to_pylist(), patterns.to_pylist(), strict=True))


def _time_rungs(results: pa.RecordBatch) -> tuple[np.ndarray, np.ndarray]:
    """The rungs' CPU seconds, and their histograms."""
    seconds, times = np.zeros(len(RUNGS)), no_rung_times()
    for rung, name in enumerate(RUNGS.values()):
        taken = results[name].drop_null().to_numpy()
        taken = taken[taken > 0]
        seconds[rung] = taken.sum()
        bins = np.floor((np.log10(taken) - FIRST_RUNG_BIN) * RUNG_BINS + 1e-9).astype(np.int64)
        times[rung] = np.bincount(np.clip(bins, 0, times.shape[1] - 1), minlength=times.shape[1])
    return seconds, times


def no_rung_times() -> np.ndarray:
    """The rungs' histograms of no rows: int64[rungs, bins]."""
    return np.zeros((len(RUNGS), (LAST_RUNG_BIN - FIRST_RUNG_BIN) * RUNG_BINS), np.int64)


def _work(results: pa.RecordBatch) -> np.ndarray:
    """Conflicts, the seconds of clause learning, line solves, the seconds of all other rungs."""
    seconds = [np.nan_to_num(_numbers(results[name])).sum() for name in RUNGS.values()]
    conflicts, line_solves = (np.nan_to_num(_numbers(results[name])).sum() for name in ("conflicts", "line_solves"))
    return np.array([conflicts, seconds[-1], line_solves, sum(seconds[:-1])])


def _rated(puzzles: pa.RecordBatch) -> pa.Array:
    return pc.or_(puzzles["site_difficulty"].is_valid(), puzzles["site_quality"].is_valid())


def _filtered(parts: Sequence[pa.RecordBatch], names: Sequence[str], wanted: pa.Array) -> list[pa.Table]:
    """As `_picked`, the rows wanted (bool[rows]), as a table if there are any."""
    return [_picked(parts, names).filter(wanted)] if pc.any(wanted).as_py() else []


def _picked(parts: Sequence[pa.RecordBatch], names: Sequence[str]) -> pa.Table:
    """Columns of results, puzzles and others side by side; the label is the status where there is none."""
    columns = {}
    for name in names:
        batch = next(batch for batch in parts if name in batch.schema.names)
        columns[name] = batch[name]
    results, puzzles = parts[:2]
    if "label" in columns:
        columns["label"] = pc.coalesce(results["label"], results["status"], UNKNOWN)
    if "source" in columns:
        columns["source"] = pc.coalesce(_source(results, puzzles), UNKNOWN)
    return pa.table(columns)


def no_rows(names: Sequence[str]) -> pa.Table:
    """Such columns without rows."""
    results, puzzles, *others = (
        pa.RecordBatch.from_pylist([], schema=schema) for schema in (RESULTS, PUZZLES, DERIVED, MENDED, SHARED, JUDGED)
    )
    return _picked((results, puzzles, *others), names)


def _listed(results: pa.RecordBatch, puzzles: pa.RecordBatch, claims: pa.Array, wanted: np.ndarray) -> list[pa.Table]:
    """The first LISTED of the rows wanted (bool[rows]), if any: all columns, and what the site claims."""
    rows = pa.array(np.flatnonzero(wanted)[:LISTED])
    columns = {name: part[name] for part in (results, puzzles) for name in part.schema.names}
    columns["claim"] = claims
    return [pa.table({name: column.take(rows) for name, column in columns.items()})] if len(rows) else []


def _numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """A column as an array of its own type, or float64 with NaN for null where there are nulls."""
    numbers: np.ndarray = column.to_numpy(zero_copy_only=False)
    return numbers
