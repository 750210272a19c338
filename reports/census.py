"""A run's results and their puzzles, read once and kept small: what every figure of a report is counted from.

Of each row stay 12 bytes, its code and its seconds (8 more where line logic leaves cells open); of the few rows that a
report shows one by one, everything. So tens of millions of rows fit in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

RESULT_COLUMNS = [
    "puzzle_id", "status", "solutions", "technique", "trivial", "label", "solution", "goal_matches", "cpu_seconds",
    "cells", "cells_after_line", "error", "second_solution", "line_solves", "sweeps", "probes", "contradictions",
    "nodes", "max_depth", "conflicts", "cells_after_depth2", "cells_after_probe", "score", "engine",
]  # fmt: skip
PUZZLE_COLUMNS = [
    "title", "author", "source", "width", "height", "kind", "blotted", "palette", "goal", "url", "rows", "columns",
    "site_difficulty", "site_quality", "site_note",
]  # fmt: skip
"""What a report needs of the two tables; other columns are not looked at."""

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

SLOWEST = 20
FAILURES = 50

Rows: TypeAlias = pa.Table | pa.RecordBatch
Row: TypeAlias = dict[str, Any]
"""A row of both tables: a value for each of RESULT_COLUMNS and PUZZLE_COLUMNS."""


class Words(NamedTuple):
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


class Census(NamedTuple):
    """All rows of a run, in their order."""

    words: tuple[Words, ...]  # those that occur, in the order in which they first do
    codes: np.ndarray  # int32[rows]: index into words
    seconds: np.ndarray  # float64[rows]: CPU seconds, NaN where not known
    decided: np.ndarray  # float64[stalled]: share of the cells that line logic decides where it leaves the puzzle open
    slowest: tuple[Row, ...]  # SLOWEST, the slowest first; of equal times in the order of their ids
    failures: tuple[Row, ...]  # the first FAILURES without a verdict


def take_census(pairs: Iterable[tuple[Rows, Rows]]) -> Census:
    """Take in results and their puzzles, pair by pair.

    pairs   (results, puzzles) of equal length: row k of the one belongs to row k of the other. They have the columns
            RESULT_COLUMNS and PUZZLE_COLUMNS of the schemas RESULTS and PUZZLES; a puzzle that is not known is a row of
            nulls. A ValueError says so if the lengths differ.
    """
    places: dict[Words, int] = {}
    codes, seconds, decided = ([np.zeros(0, dtype)] for dtype in (np.int32, np.float64, np.float64))
    slowest: list[Row] = []
    failures: list[Row] = []
    for results, puzzles in _batches(pairs):
        code, words = _worded(results, puzzles)
        time = _numbers(results["cpu_seconds"]).astype(np.float64)
        codes.append(np.array([places.setdefault(word, len(places)) for word in words], np.int32)[code])
        seconds.append(time)
        decided.append(_decided(results, np.array([word.technique == "line" for word in words])[code]))
        slowest = _slowest(slowest, time, results, puzzles)
        failed = np.flatnonzero(np.array([word.status in FAILED for word in words])[code])
        failures += _rows(results, puzzles, failed[: FAILURES - len(failures)])
    return Census(
        tuple(places), np.concatenate(codes), np.concatenate(seconds), np.concatenate(decided), tuple(slowest),
        tuple(failures),
    )  # fmt: skip


def _batches(pairs: Iterable[tuple[Rows, Rows]]) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """The pairs that have rows, each table as one batch of the columns looked at."""
    for results, puzzles in pairs:
        if len(results) != len(puzzles):
            raise ValueError(f"{len(results)} results do not pair with {len(puzzles)} puzzles")
        if len(results):
            yield _batch(results.select(RESULT_COLUMNS)), _batch(puzzles.select(PUZZLE_COLUMNS))


def _batch(rows: Rows) -> pa.RecordBatch:
    return rows if isinstance(rows, pa.RecordBatch) else pa.concat_batches(rows.to_batches())


def _worded(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> tuple[np.ndarray, list[Words]]:
    """The rows' words: index of each row (int32[rows]) into those that occur, in the order in which they first do."""
    columns = [results[name] for name in ("status", "solutions", "technique", "trivial", "label", "goal_matches")]
    columns += [_source(results, puzzles), puzzles["kind"], puzzles["blotted"], _size(puzzles)]
    encoded = [column.dictionary_encode(null_encoding="encode") for column in columns]
    values = [column.dictionary.to_pylist() for column in encoded]
    lengths = [len(value) for value in values]
    joint = pa.array(np.ravel_multi_index([column.indices.to_numpy() for column in encoded], lengths))
    joint = joint.dictionary_encode()
    occurring = zip(*np.unravel_index(joint.dictionary.to_numpy(), lengths), strict=True)
    words = [_words(*(value[index] for value, index in zip(values, row, strict=True))) for row in occurring]
    rows: np.ndarray = joint.indices.to_numpy()
    return rows, words


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
) -> Words:
    status = UNKNOWN if status is None else status
    label = status if label is None else label
    source = UNKNOWN if source is None else source
    kind = UNKNOWN if kind is None else f"blotted {kind}" if blotted else kind
    return Words(status, solutions, technique, trivial, label, goal_matches, source, kind, (*SIZE_NAMES, UNKNOWN)[size])


def _source(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.Array:
    """The puzzle's source; if it is not known, what stands before the id's slash."""
    source = puzzles["source"]
    if not source.null_count:
        return source
    before_slash = pc.struct_field(pc.extract_regex(results["puzzle_id"], r"^(?P<source>[^/]+)/"), "source")
    return pc.coalesce(source, pc.if_else(pc.equal(before_slash, ""), None, before_slash))


def _size(puzzles: pa.RecordBatch) -> pa.Array:
    """The size class of each puzzle, by its longer side: index into SIZE_NAMES, or the one after if it is not known."""
    side = np.maximum(_numbers(puzzles["width"]), _numbers(puzzles["height"]))
    return pa.array(np.where(np.isnan(side), len(SIZE_NAMES), np.searchsorted(SIZES, side)))


def _decided(results: pa.RecordBatch, by_line: np.ndarray) -> np.ndarray:
    """The share of cells decided (float64) of the puzzles that line logic leaves open."""
    cells, after = _numbers(results["cells"]), _numbers(results["cells_after_line"])
    # Line logic that meets a contradiction stops there: it leaves cells, but no question.
    stalled = (after < cells) & ~by_line
    share: np.ndarray = after[stalled] / cells[stalled]
    return share


def _slowest(
    slowest: Sequence[Row], seconds: np.ndarray, results: pa.RecordBatch, puzzles: pa.RecordBatch
) -> list[Row]:
    """The slowest so far, these rows included; of rows with equal times and ids the first."""
    least = slowest[-1]["cpu_seconds"] if len(slowest) == SLOWEST else -np.inf
    rows = np.flatnonzero(seconds >= least)
    if len(rows) > SLOWEST:
        keys = {"cpu_seconds": seconds[rows], "puzzle_id": results["puzzle_id"].take(rows), "row": rows}
        order = [("cpu_seconds", "descending"), ("puzzle_id", "ascending"), ("row", "ascending")]
        rows = rows[pc.select_k_unstable(pa.table(keys), SLOWEST, order).to_numpy()]
    if not len(rows):
        return list(slowest)
    return sorted([*slowest, *_rows(results, puzzles, rows)], key=_slowness)[:SLOWEST]


def _slowness(row: Row) -> tuple[float, bool, str]:
    puzzle_id = row["puzzle_id"]
    return -row["cpu_seconds"], puzzle_id is None, puzzle_id or ""


def _rows(results: pa.RecordBatch, puzzles: pa.RecordBatch, rows: np.ndarray) -> list[Row]:
    """The rows with these indices, of both tables in one."""
    if not len(rows):
        return []
    pairs = zip(results.take(rows).to_pylist(), puzzles.take(rows).to_pylist(), strict=True)
    return [result | puzzle for result, puzzle in pairs]


def _numbers(column: pa.Array) -> np.ndarray:
    """A column as an array of its own type, or float64 with NaN for null where there are nulls."""
    numbers: np.ndarray = column.to_numpy(zero_copy_only=False)
    return numbers
