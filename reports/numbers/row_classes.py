"""Classes by which a report counts puzzles: size, density, difficulty, minutes, colours, number of cells."""

import os
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TypeAlias

import duckdb
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

COLOR_NAMES = (*(str(colors) for colors in range(MANY_COLORS)), f"{MANY_COLORS} and more")

AREAS_PER_DECADE = 5
"""Classes of the number of cells: this many from 100 to 1,000 cells, and so on."""

Rows: TypeAlias = pa.Table | pa.RecordBatch


@cache
def _database(_process: int) -> duckdb.DuckDBPyConnection:
    """Return a process's database in memory; opening one takes 12 ms."""
    return duckdb.connect()


def select(query: str, **tables: pa.Table) -> pa.Table:
    """Return the rows of an SQL query over tables in memory."""
    with _database(os.getpid()).cursor() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return connection.sql(query).to_arrow_table()


def sql_words(words: Iterable[str]) -> str:
    """Return words as a list of SQL: ('one', 'other')."""
    return "(" + ", ".join(f"'{word}'" for word in words) + ")"


def sql_classes(value: str, bounds: Sequence[float], names: Sequence[object], within: str) -> str:
    """Return the SQL of the name of a number's class, UNKNOWN for null.

    bounds  between the classes
    within  how a number compares with the bound that ends its class: < or <=
    """
    cases = " ".join(f"when {value} {within} {bound} then '{name}'" for bound, name in zip(bounds, names, strict=False))
    return f"case when {value} is null then '{UNKNOWN}' {cases} else '{names[-1]}' end"


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


def numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Return a column as an array of its own type, or as float64 with NaN for null if there are nulls."""
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values


COLOR_CLASS = sql_classes("colors", range(1, MANY_COLORS + 1), COLOR_NAMES, "<")
MINUTES_CLASS = sql_classes("minutes", MINUTES, MINUTES_NAMES, "<")
"""SQL of the classes of the columns colors and minutes."""
