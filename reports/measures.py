"""Measures of difficulty that are computed from a puzzle's clues and its result, and where all measures come from.

The counters of the results table (score, sweeps, probes, ...) are measures too; MEASURES are those that are not in it.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver.ladder.effort import CONFLICT, difficulty
from solver.model.amounts import amounts
from solver.model.families import SUDOKU
from solver.model.views import clue_arrays

PUZZLE_COLUMNS = ["width", "height", "kind", "rows", "columns"]
RESULT_COLUMNS = ["solution", "line_solves", "conflicts"]
"""What the measures are computed from; other columns are not looked at."""


def _measure(name: str, kind: pa.DataType, description: str, source: str) -> pa.Field:
    return pa.field(name, kind, metadata={"description": description, "source": source})


MEASURES = pa.schema(
    [
        _measure("blocks", pa.int32(), "blocks in the clues of all rows and columns", "counted from the clues"),
        _measure("colors", pa.uint8(), "foreground colours in the clues", "counted from the clues"),
        _measure("blots", pa.int32(), "blocks of hidden length in all rows and columns", "counted from the clues"),
        _measure(
            "density",
            pa.float64(),
            "share of the cells that are not background; of a blotted puzzle in its solution, null without one",
            "Foote and Krizanc (arXiv:2507.07283): random puzzles change phase at 0.39 to 0.42",
        ),
        _measure(
            "mean_slack",
            pa.float64(),
            "mean over all lines of the cells by which a line's blocks can shift: its length less its blocks and the "
            "cells that must part them; 0 for a line without blocks",
            "our own; probably what Chen and Lin (Requiem, ICGA Journal 2019) call freedom, as an average",
        ),
        _measure("max_slack", pa.int32(), "the largest such number of a line", "likewise"),
        _measure(
            "log10_arrangements",
            pa.float64(),
            "decimal logarithm of the number of ways to fill in all rows and all columns, each line on its own: "
            "the sum of log10 C(slack + k, k) over all lines, k being its blocks and once more its blots; null if a "
            "line has none",
            "stars and bars",
        ),
        _measure(
            "difficulty",
            pa.float64(),
            f"the combined score: log10((line solves + {CONFLICT} x conflicts) / lines), the work of all techniques in "
            "line solves a line. 0: each line once; 3: a thousand times. Of a timeout a lower bound",
            "pbnsolve's score (100 x line solves / lines) as a logarithm, clause learning brought to the same unit",
        ),
    ]
)
"""The computed measures, with their definitions and sources in the fields' metadata."""

SOURCES = {
    "score": "pbnsolve, by Jan Wolter: its option -b",
    "sweeps": "Batenburg, Henstra, Kosters and Palenstijn, Constructing simple nonograms of varying difficulty (2009)",
    "line_solves": "pbnsolve counts them as lines processed",
    "probes": "Wu et al., An efficient approach to solving nonograms (IEEE TCIAIG 2013): assumptions of full probing",
    "contradictions": "pbnsolve's contradiction check, Wu et al.'s full probing",
    "nodes": "branches of the search, as in Wu et al.",
    "max_depth": "as in Wu et al.",
    "conflicts": "of the SAT solver, on the order encoding (Tamura et al. 2009, doi:10.1007/s10601-008-9061-0)",
    "cells_after_line": "Batenburg and Kosters, Solving nonograms by combining relaxations (2009), "
    "doi:10.1016/j.patcog.2008.12.003",
    "cells_after_depth2": "likewise, after pbnsolve's contradiction check of depth 2",
    "cells_after_probe": "likewise, after full probing; Wu et al. print it for tournament puzzles",
    **{field.name: field.metadata[b"source"].decode() for field in MEASURES},
}
"""Where each measure of the results table, and each computed one, comes from."""


def sourced(field: pa.Field) -> pa.Field:
    """A field of the results table with its source in its metadata, if it is a measure."""
    source = SOURCES.get(field.name)
    return field if source is None else field.with_metadata({**field.metadata, "source": source})


def measures(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> pa.RecordBatch:
    """The computed measures of each row, in the schema MEASURES.

    results, puzzles   row k of the one belongs to row k of the other; columns RESULT_COLUMNS and PUZZLE_COLUMNS of the
                       schemas RESULTS and PUZZLES, as one batch each. What a null stands in for is not known, and so is
                       what is computed from it.
    """
    width, height = _numbers(puzzles["width"]), _numbers(puzzles["height"])
    clued = ~np.isnan(width)
    for name in ("rows", "columns"):
        clued &= puzzles[name].is_valid().to_numpy(zero_copy_only=False)
    rows, columns = (
        amounts(clue_arrays(puzzles[name]), np.nan_to_num(length).astype(np.int64))
        for name, length in (("rows", width), ("columns", height))
    )
    lines = width + height + np.where(_boxed(puzzles["kind"]), width, 0)
    slack, ways = rows.slack + columns.slack, rows.ways + columns.ways
    blots = rows.blots + columns.blots
    with np.errstate(divide="ignore", invalid="ignore"):  # no lines, no work: not known
        density = np.where(blots > 0, _painted(results["solution"], blots > 0), rows.cells) / (width * height)
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
    arrays = [_array(values[field.name], clued | (field.name == "difficulty"), field.type) for field in MEASURES]
    return pa.RecordBatch.from_arrays(arrays, schema=MEASURES)


def _boxed(kind: pa.Array) -> np.ndarray:
    """Whether a puzzle has boxes, which are looked at like rows and columns, and are as many: bool[rows]."""
    boxed: np.ndarray = pc.starts_with(kind, SUDOKU.name).fill_null(False).to_numpy(zero_copy_only=False)
    return boxed


def _array(values: np.ndarray, known: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The values that are known and finite as an Arrow array, the others null."""
    there = known & np.isfinite(values)
    return pa.array(np.where(there, values, 0), mask=~there).cast(kind)


def _painted(solutions: pa.Array, wanted: np.ndarray) -> np.ndarray:
    """Cells that are not background in each solution wanted (bool[rows]), NaN for the others: float64[rows]."""
    painted = np.full(len(solutions), np.nan)
    for row in np.flatnonzero(wanted & solutions.is_valid().to_numpy(zero_copy_only=False)):
        painted[row] = np.count_nonzero(np.frombuffer(solutions[int(row)].as_buffer(), np.uint8))
    return painted


def _numbers(column: pa.Array) -> np.ndarray:
    """A column of numbers as float64, NaN for null."""
    numbers: np.ndarray = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return numbers
