"""Puzzle families: what stores, runs and tasks need to know of a family's tables.

Opening a store needs no kernels, so a family names the module of its rules, which is imported on first use.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver.model import sudoku_techniques as sudoku_ladder
from nonocensus.solver.model import techniques
from nonocensus.solver.model.tables import (
    DECISIVE,
    GRADES,
    PUZZLE_REQUIRED,
    PUZZLES,
    SUDOKU_DECISIVE,
    SUDOKU_GRADES,
    SUDOKU_REQUIRED,
    SUDOKUS,
)
from nonocensus.solver.model.techniques import Technique


class Family(NamedTuple):
    """A puzzle family: names, folders and schemas.

    name        its name for users
    folder      its folder in a store
    table       schema of its puzzles, with puzzle_id, clue_hash and canonical_hash
    decisive    columns that a classification reads
    required    columns that a store must have; others may be missing in stores of other versions
    hashed      columns that identify the puzzles of a part: ids, identities, and others that results depend on
    distinct    columns with few repeated values
    grades      schema of its grades for people, with puzzle_id, clue_hash, status, grade, hardest, work, cpu_seconds,
                solver_version, and `column` of each technique but the last
    techniques  people's techniques, easiest first; the last is search
    levels      published word for each grade from 1 on, if any
    module      module that defines its RULES
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
        """Functions on batches of its puzzles."""
        rules: Rules = import_module(self.module).RULES
        return rules


class Rules(NamedTuple):
    """Functions on batches of a family's puzzles, which have the columns `decisive`.

    check_readable      (batch): raise ValueError, in one line, unless the columns exist and are undamaged: the
                        precondition of the other functions
    classify            (batch, *, cpu_limit, rung, depth, check_goal): rows of the schema RESULTS
    unclassified        (batch, status, reasons): such rows without a verdict
    cells               (batch): cells of each puzzle, int64[rows]
    faults              (batch): by row, why a puzzle can have no solution
    malformed           (batch): by row, why it is not a puzzle: nulls, or sizes, clues, colours and goal that disagree.
                        `import` never writes such rows, but other programs may
    first_occurrences   (batch, which: bool[rows]): the first row in `which` with the same puzzle, int64[rows]
    grades              (batch, unique: bool[rows], cpu_limit): rows of the schema of grades; puzzles that are not known
                        to be unique get no grade
    grading_batch_size  puzzles of a grading task, mostly a fraction of a second
    fits                (batch, which, cells, offsets): bool[len(which)], whether for each row of `which` (int64,
                        without faults) the bytes cells[offsets[row] : offsets[row + 1]] are a solution
    with_hashes         (batch): the batch with clue_hash and canonical_hash recomputed
    as_nonograms        (puzzles, columns): columns of the table of nonograms, for reports and datasets; columns without
                        an equivalent are null
    needed_columns      (columns): the columns that `as_nonograms` reads for them
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
    "nonocensus.solver.nonogram",
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
    "nonocensus.solver.sudoku.family",
)

FAMILIES = {family.name: family for family in (NONOGRAM, SUDOKU)}
"""Families by name."""


def family_of(batch: pa.RecordBatch) -> Family:
    """Return the family of a batch with all columns of its table."""
    return next(family for family in FAMILIES.values() if batch.schema.equals(family.table))
