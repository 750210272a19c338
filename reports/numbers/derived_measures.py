"""Measures of difficulty that are computed from a puzzle's clues and its result (`Computed.derived`)."""

import numpy as np
import pyarrow as pa

from nonocensus.solver.model.amounts import clue_totals
from nonocensus.solver.model.measures import Computed, computed_by, difficulty
from nonocensus.solver.model.views import clue_arrays

PUZZLE_COLUMNS = ["width", "height", "kind", "rows", "columns"]
RESULT_COLUMNS = ["solution", "line_solves", "conflicts"]
"""Columns that the measures are computed from."""


DERIVED = pa.schema([measure.field() for measure in computed_by(Computed.derived)])
"""The derived measures, with definition and source in each field's metadata."""


def derived_measures(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.RecordBatch:
    """Compute the derived measures of each row, with the schema DERIVED; null where an input is null.

    results, puzzles   batches of equal length, matched by row, with the columns RESULT_COLUMNS and PUZZLE_COLUMNS of
                       the schemas RESULTS and PUZZLES
    """
    width, height = _numbers(puzzles["width"]), _numbers(puzzles["height"])
    clued = ~np.isnan(width)
    for name in ("rows", "columns"):
        clued &= puzzles[name].is_valid().to_numpy(zero_copy_only=False)
    rows, columns = (
        clue_totals(clue_arrays(puzzles[name]), np.nan_to_num(length).astype(np.int64))
        for name, length in (("rows", width), ("columns", height))
    )
    lines = width + height
    slack, ways = rows.slack + columns.slack, rows.ways + columns.ways
    blots = rows.blots + columns.blots
    with np.errstate(divide="ignore", invalid="ignore"):  # no lines, no work: not known
        density = np.where(blots > 0, _count_painted(results["solution"], blots > 0), rows.cells) / (width * height)
        conflicts = np.nan_to_num(_numbers(results["conflicts"]))
        values = {
            "blocks": rows.blocks + columns.blocks,
            "colors": np.maximum(rows.colors, columns.colors),
            "blots": blots,
            "density": density,
            "mean_slack": slack / lines,
            "max_slack": np.maximum(rows.most, columns.most),
            "log10_arrangements": ways,
            "difficulty": difficulty(_numbers(results["line_solves"]), conflicts, lines),
        }
    arrays = [_array(values[field.name], clued | (field.name == "difficulty"), field.type) for field in DERIVED]
    return pa.RecordBatch.from_arrays(arrays, schema=DERIVED)


def _array(values: np.ndarray, known: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Return an Arrow array, null where a value is unknown or not finite."""
    there = known & np.isfinite(values)
    return pa.array(np.where(there, values, 0), mask=~there).cast(kind)


def _count_painted(solutions: pa.Array, selected: np.ndarray) -> np.ndarray:
    """Count the cells that are not background in the selected solutions (bool[rows]): float64[rows], NaN elsewhere."""
    painted = np.full(len(solutions), np.nan)
    for row in np.flatnonzero(selected & solutions.is_valid().to_numpy(zero_copy_only=False)):
        painted[row] = np.count_nonzero(np.frombuffer(solutions[int(row)].as_buffer(), np.uint8))
    return painted


def _numbers(column: pa.Array) -> np.ndarray:
    """Return a numeric column as float64, NaN for null."""
    numbers: np.ndarray = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return numbers
