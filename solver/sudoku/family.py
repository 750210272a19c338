"""The rules of Sudokus, as `solver.model.families` has them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.solver.ladder.verdict import unclassified
from nonocensus.solver.model.families import Rules
from nonocensus.solver.model.tables import GIVENS_COUNT, PUZZLES, SUDOKUS, check_readable_sudokus
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import with_hashes
from nonocensus.solver.sudoku.sudoku_check import faults_of, misshapen
from nonocensus.solver.sudoku.sudoku_proof import solve_their_puzzles
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades


def classified(batch: pa.RecordBatch, *, cpu_limit: float, rung: str, depth: int, check_goal: bool) -> pa.RecordBatch:
    """Adapt `classify` to the family's interface: no goals, depth-2 has two levels, kernels always compile first."""
    del depth, check_goal
    return classify(batch, cpu_limit=cpu_limit, rung=rung)


def cells_of(batch: pa.RecordBatch) -> np.ndarray:
    """Return cells of each puzzle, int64[rows]; 0 where its size is not known."""
    size: np.ndarray = batch["size"].fill_null(0).to_numpy().astype(np.int64)
    cells: np.ndarray = size * size
    return cells


def itself(batch: pa.RecordBatch, there: np.ndarray) -> np.ndarray:
    """Return each row's own index: solving equal Sudokus separately costs less than detecting them."""
    del there
    return np.arange(len(batch))


LIKE = {"width": "size", "height": "size", "goal": "givens", GIVENS_COUNT.name: "clues"}
"""Columns of nonograms and their counterparts of Sudokus."""

BOXED = ["size", "box_width", "box_height"]


def needed(columns: list[str]) -> list[str]:
    """Return the columns of SUDOKUS needed to build these columns of nonograms."""
    wanted = (LIKE.get(name, name) for name in columns)
    return list(dict.fromkeys([*(name for name in wanted if name in SUDOKUS.names), *BOXED]))


def as_nonograms(puzzles: pa.Table, columns: list[str]) -> pa.Table:
    """Return Sudokus in columns of the table PUZZLES: the givens as the goal, `sudoku 3x3` as the kind, no clues."""
    sides = [pc.cast(puzzles[name], pa.string()) for name in BOXED[1:]]
    boxes = pc.binary_join_element_wise(*sides, "x")
    made = {"kind": pc.binary_join_element_wise("sudoku", boxes, " "), "blotted": pa.repeat(False, len(puzzles))}
    schema = pa.schema([GIVENS_COUNT if name == GIVENS_COUNT.name else PUZZLES.field(name) for name in columns])
    for name, kind in zip(schema.names, schema.types, strict=True):
        own = LIKE.get(name, name)
        if own in puzzles.schema.names:
            made[name] = puzzles[own].cast(kind)
        elif name not in made:
            made[name] = pa.nulls(len(puzzles), kind)
    return pa.table([made[name] for name in columns], schema=schema)


RULES = Rules(
    check_readable=check_readable_sudokus,
    classify=classified,
    unclassified=unclassified,
    cells=cells_of,
    faults=faults_of,
    malformed=misshapen,
    first_occurrences=itself,
    grades=grades,
    grading_batch_size=1000,
    fits=lambda batch, which, cells, offsets: solve_their_puzzles(grids(batch), which, cells, offsets),
    with_hashes=with_hashes,
    as_nonograms=as_nonograms,
    needed_columns=needed,
)
