"""Families of puzzles: what a store, a run and a task have to know of the rows of a family's table of puzzles.

What opens a store needs no kernels, so a family names the module that has its rules, which is imported when they are
asked for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from solver.model import sudoku_techniques as sudoku_ladder
from solver.model import techniques
from solver.model.tables import (
    DECISIVE,
    GRADES,
    PUZZLE_REQUIRED,
    PUZZLES,
    SUDOKU_DECISIVE,
    SUDOKU_GRADES,
    SUDOKU_REQUIRED,
    SUDOKUS,
)
from solver.model.techniques import Technique


class Family(NamedTuple):
    """A family of puzzles, as it lies on a disk.

    name       what users call it
    folder     where a store keeps it
    table      the schema of its puzzles; all have puzzle_id, clue_hash and canonical_hash
    decisive   columns that a classification reads
    required   columns that a store must have; others may be missing in stores of other versions
    hashed     columns that say which puzzles these are: ids, identities, and what else a result depends on
    distinct   columns that hardly hold a value twice
    grades     the schema of its grades, how hard puzzles are for people. All have puzzle_id, clue_hash, status, grade,
               hardest, work, cpu_seconds and solver_version, and `column` of each technique but the last
    techniques people's techniques, from the easiest on; the last is search
    levels     a word for each grade from 1 on, if there are published ones
    module     where its RULES are
    """

    name: str
    folder: str
    table: pa.Schema
    decisive: tuple[str, ...]
    required: tuple[str, ...]
    hashed: tuple[str, ...]
    distinct: tuple[str, ...]
    grades: pa.Schema
    techniques: tuple[Technique, ...]
    levels: tuple[str, ...]
    module: str

    @property
    def rules(self) -> "Rules":
        """What can be asked about its puzzles."""
        found: Rules = import_module(self.module).RULES
        return found


class Rules(NamedTuple):
    """What can be asked about batches of a family's puzzles, which have the columns `decisive`.

    check_readable   (batch): raises ValueError, in one line, unless the columns are there and undamaged. What follows
                     may assume that
    classify         (batch, *, cpu_limit, rung, depth, check_goal, wait): rows of the schema RESULTS
    unclassified     (batch, status, reasons): such rows without a verdict
    cells            (batch): cells of each puzzle, int64[rows]
    faults           (batch): why a puzzle can have no solution at all, by the row's number
    malformed        (batch): why a row is no puzzle at all, by the row's number: nulls, or sizes, clues, colours and
                     goal that don't agree. `import` never makes such rows, but other programs may
    first_occurrences (batch, there: bool[rows]): the first row of `there` with the same puzzle, int64[rows]
    grades           (batch, unique: bool[rows], cpu_limit): rows of the schema of the family's grades; those that are
                     not known to have exactly one solution have no grade
    graded_together  puzzles of a task that grades: mostly a fraction of a second
    fits             (batch, which, cells, offsets): whether for each row in `which` (int64, without faults) the bytes
                     cells[offsets[row] : offsets[row + 1]] are a solution: bool[len(which)]
    with_hashes      (batch): the batch with clue_hash and canonical_hash recomputed
    as_nonograms     (puzzles, columns): columns of the table of nonograms, for reports and datasets: what the family
                     has no like of is null. `needed` are the columns that it reads
    """

    check_readable: Callable[[pa.RecordBatch], None]
    classify: Callable[..., Any]
    unclassified: Callable[[pa.RecordBatch, str, list[str]], pa.RecordBatch]
    cells: Callable[[pa.RecordBatch], np.ndarray]
    faults: Callable[[pa.RecordBatch], dict[int, str]]
    malformed: Callable[[pa.RecordBatch], dict[int, str]]
    first_occurrences: Callable[[pa.RecordBatch, np.ndarray], np.ndarray]
    grades: Callable[[pa.RecordBatch, np.ndarray, float], pa.RecordBatch]
    grading_batch_size: int
    fits: Callable[[pa.RecordBatch, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    with_hashes: Callable[[pa.RecordBatch], pa.RecordBatch]
    as_nonograms: Callable[[pa.Table, list[str]], pa.Table]
    needed_columns: Callable[[list[str]], list[str]]


NONOGRAM = Family(
    "nonogram",
    "puzzles",
    PUZZLES,
    DECISIVE,
    PUZZLE_REQUIRED,
    ("puzzle_id", "clue_hash", "goal"),
    ("puzzle_id", "source_id", "url", "goal", "clue_hash", "canonical_hash", "raw_sha256"),
    GRADES,
    techniques.TECHNIQUES,
    (),
    "solver.nonogram",
)

SUDOKU = Family(
    "sudoku",
    "sudokus",
    SUDOKUS,
    SUDOKU_DECISIVE,
    SUDOKU_REQUIRED,
    ("puzzle_id", "clue_hash"),
    ("puzzle_id", "source_id", "url", "givens", "clue_hash", "canonical_hash", "raw_sha256"),
    SUDOKU_GRADES,
    sudoku_ladder.TECHNIQUES,
    sudoku_ladder.LEVELS,
    "solver.sudoku.family",
)

FAMILIES = {family.name: family for family in (NONOGRAM, SUDOKU)}
"""All families by name."""


def family_of(batch: pa.RecordBatch) -> Family:
    """The family of a batch with all columns of its table."""
    return next(family for family in FAMILIES.values() if batch.schema.equals(family.table))
