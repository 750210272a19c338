"""Classes by which a report counts puzzles: size, density, difficulty, colours, year, area and claim."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

UNKNOWN = "unknown"

FAILED = ("invalid", "error", "killed")
"""Statuses of rows without a verdict; they replace the missing label."""

SIZES = (10, 15, 20, 25, 30, 40, 60, 100)
"""The longest side, in cells, of each size class but the last."""

SIZE_NAMES = (
    f"up to {SIZES[0]}",
    *(f"{shorter + 1}–{side}" for shorter, side in pairwise(SIZES)),
    f"over {SIZES[-1]}",
)
"""The size classes: "up to 10", "11–15", ..., "over 100"."""

DENSITIES = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7)
"""The least share of coloured cells of each density class but the first."""

DENSITY_NAMES = (
    f"under {100 * DENSITIES[0]:.0f} %",
    *(f"{100 * low:.0f}–{100 * high:.0f} %" for low, high in pairwise(DENSITIES)),
    f"{100 * DENSITIES[-1]:.0f} % and over",
)
"""The density classes: "under 20 %", "20–30 %", ..., "70 % and over"."""

DIFFICULTIES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The least difficulty of each class but the first."""

DIFFICULTY_NAMES = (
    f"under {DIFFICULTIES[0]:g}",
    *(f"{low:g}–{high:g}" for low, high in pairwise(DIFFICULTIES)),
    f"{DIFFICULTIES[-1]:g} and over",
)
"""The difficulty classes: "under 0.25", "0.25–0.5", ..., "4 and over"."""

MINUTES = (1, 2, 5, 10, 20, 40, 60, 120, 300)
"""The least minutes for people of each class but the first."""

MINUTES_NAMES = (
    f"under {MINUTES[0]} min",
    *(f"{low}–{high} min" for low, high in pairwise(MINUTES) if high <= 60),
    *(f"{low // 60}–{high // 60} h" for low, high in pairwise(MINUTES) if low >= 60),
    f"{MINUTES[-1] // 60} h and over",
)
"""The classes of minutes: "under 1 min", "1–2 min", ..., "5 h and over"."""

MANY_COLORS = 5
"""Puzzles with this many colours or more form one class."""

AREAS_PER_DECADE = 5
"""Classes of the number of cells: this many from 100 to 1,000 cells, and so on."""

MAX_JOINT_CODE = 1 << 62
"""The codes of several columns are combined into one number up to this."""

Rows: TypeAlias = pa.Table | pa.RecordBatch


class RowClass(NamedTuple):
    """The properties by which a row is counted. Many rows share all of them, so there are few classes."""

    status: str
    solutions: str | None
    technique: str | None
    trivial: bool | None
    label: str  # the status of a row without a label
    goal_matches: bool | None
    source: str
    kind: str  # "mono", "blotted mono", ...
    size: str  # of SIZE_NAMES
    density: str  # of DENSITY_NAMES
    colors: str  # foreground colours in the clues: "1", "2", ...
    year: int | None  # when the site published it
    area: int | None  # class of its number of cells: floor(AREAS_PER_DECADE * log10(cells))
    claim: str | None  # the site's own verdict, of reports.numbers.site_claims.CLAIMS


def classify_rows(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, measured: pa.RecordBatch, claims: pa.Array
) -> tuple[np.ndarray, list[RowClass]]:
    """Return each row's class as an index (int32[rows]) into the classes that occur, in order of first occurrence.

    measured  the derived measures of the rows
    claims    of reports.numbers.site_claims.claims
    """
    columns = {name: results[name] for name in ("status", "solutions", "technique", "trivial", "label", "goal_matches")}
    columns |= {
        "source": sources(results, puzzles),
        "kind": puzzles["kind"],
        "blotted": puzzles["blotted"],
        "size": size_class(puzzles),
        "density": _classes(measured["density"], DENSITIES),
        "colors": pc.min_element_wise(measured["colors"], pa.scalar(MANY_COLORS, pa.uint8()), skip_nulls=False),
        "year": _year(puzzles),
        "area": _area(puzzles),
        "claim": claims,
    }
    encoded = {name: _encoded(column) for name, column in columns.items()}
    joint, possible = np.zeros(len(results), np.int64), 1
    for indices, values in encoded.values():
        if possible * len(values) > MAX_JOINT_CODE:  # only in untrusted input with many distinct values
            joint, possible = _numbered(joint).astype(np.int64), len(joint)
        if len(values) > 1:
            joint, possible = joint * len(values) + indices, possible * len(values)
    rows = _numbered(joint)
    first = np.zeros(rows.max(initial=-1) + 1, np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]  # written in reverse order, so the first occurrence wins
    return rows, [
        _row_class({name: values[indices[row]] for name, (indices, values) in encoded.items()})
        for row in first.tolist()
    ]


def _row_class(values: Mapping[str, Any]) -> RowClass:
    """Return the class of a row from its values, which are codes for size, density and colors."""
    status = UNKNOWN if values["status"] is None else values["status"]
    kind, colors = values["kind"], values["colors"]
    return RowClass(
        status=status,
        solutions=values["solutions"],
        technique=values["technique"],
        trivial=values["trivial"],
        label=status if values["label"] is None else values["label"],
        goal_matches=values["goal_matches"],
        source=UNKNOWN if values["source"] is None else values["source"],
        kind=UNKNOWN if kind is None else f"blotted {kind}" if values["blotted"] else kind,
        size=(*SIZE_NAMES, UNKNOWN)[values["size"]],
        density=(*DENSITY_NAMES, UNKNOWN)[values["density"]],
        colors=UNKNOWN if colors is None else f"{colors} and more" if colors == MANY_COLORS else str(colors),
        year=values["year"],
        area=values["area"],
        claim=values["claim"],
    )


def _numbered(codes: np.ndarray) -> np.ndarray:
    """Renumber codes (int64[rows]) in order of first occurrence: int32[rows]."""
    numbers: np.ndarray = pa.array(codes).dictionary_encode().indices.to_numpy()
    return numbers


def _encoded(column: pa.Array) -> tuple[np.ndarray, list[Any]]:
    """Return the index of each row into the distinct values of a column, and these, null included.

    Most columns are constant within a batch, which is checked first because it is faster than encoding.
    """
    known = len(column) - column.null_count
    if len(column) and (not known or (known == len(column) and pc.all(pc.equal(column, column[0])).as_py())):
        return np.zeros(len(column), np.int32), [column[0].as_py()]
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def sources(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.Array:
    """Return the source of each puzzle; where it is null, the part of the id before the slash."""
    source = puzzles["source"]
    if not source.null_count:
        return source
    before_slash = pc.struct_field(pc.extract_regex(results["puzzle_id"], r"^(?P<source>[^/]+)/"), "source")
    return pc.coalesce(source, pc.if_else(pc.equal(before_slash, ""), None, before_slash))


def size_class(puzzles: Rows) -> pa.Array:
    """Return the size class of each puzzle, by its longer side: index into SIZE_NAMES, len(SIZE_NAMES) if unknown."""
    side = np.maximum(numbers(puzzles["width"]), numbers(puzzles["height"]))
    return pa.array(np.where(np.isnan(side), len(SIZE_NAMES), np.searchsorted(SIZES, side)))


def difficulty_class(rows: Rows) -> pa.Array:
    """Return the difficulty class of each puzzle: index into DIFFICULTY_NAMES, len(DIFFICULTY_NAMES) if unknown."""
    return _classes(rows["difficulty"], DIFFICULTIES)


def minutes_class(rows: Rows) -> pa.Array:
    """Return the class of minutes of each puzzle, of MINUTES_NAMES, null if unknown."""
    return pa.array([*MINUTES_NAMES, None]).take(
        pc.min_element_wise(_classes(rows["minutes"], MINUTES), len(MINUTES_NAMES))
    )


def _classes(column: pa.Array | pa.ChunkedArray, starts: Sequence[float]) -> pa.Array:
    """Return the class of each number: 0 below all starts, len(starts) + 1 for null."""
    values = numbers(column)
    return pa.array(np.where(np.isnan(values), len(starts) + 1, np.searchsorted(starts, values, "right")))


def _year(puzzles: pa.RecordBatch) -> pa.Array:
    """Return the year in which the site published each puzzle, or that of its copyright."""
    year = pc.cast(pc.year(puzzles["site_date"]), pa.int32())
    written = pc.struct_field(pc.extract_regex(puzzles["copyright"], r"\b(?P<year>(?:19|20)\d\d)\b"), "year")
    return pc.coalesce(year, pc.cast(written, pa.int32()))


def _area(puzzles: pa.RecordBatch) -> pa.Array:
    cells = numbers(puzzles["width"]).astype(np.float64) * numbers(puzzles["height"])
    known = cells > 0
    # The small addend keeps 100 cells in the class that begins there.
    area = np.floor(np.log10(np.where(known, cells, 1)) * AREAS_PER_DECADE + 1e-9)
    return pa.array(area.astype(np.int32), mask=~known)


def numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Return a column as an array of its own type, or as float64 with NaN for null if there are nulls."""
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values
