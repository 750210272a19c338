"""The rules of the nonogram family (solver.model.families.Rules)."""

import numpy as np
import pyarrow as pa

from nonocensus.solver.api import classify
from nonocensus.solver.ladder.verdict import unclassified
from nonocensus.solver.model.check import faults_of, malformed
from nonocensus.solver.model.families import Rules
from nonocensus.solver.model.identity import first_occurrences
from nonocensus.solver.model.tables import check_readable, with_hashes
from nonocensus.solver.model.views import views
from nonocensus.solver.people.puzzle_grade import grades
from nonocensus.solver.proofs.answer_check import fits


def cells_of(batch: pa.RecordBatch) -> np.ndarray:
    """Return the cells of each puzzle, int64[rows]; 0 if its size is null."""
    width, height = (batch[name].fill_null(0).to_numpy().astype(np.int64) for name in ("width", "height"))
    cells: np.ndarray = width * height
    return cells


RULES = Rules(
    check_readable=check_readable,
    classify=classify,
    unclassified=unclassified,
    cells=cells_of,
    faults=faults_of,
    malformed=malformed,
    first_occurrences=lambda batch, which: first_occurrences(batch["clue_hash"], views(batch), which),
    grades=grades,
    grading_batch_size=50,
    fits=lambda batch, which, cells, offsets: fits(views(batch), which, cells, offsets),
    with_hashes=with_hashes,
    as_nonograms=pa.Table.select,
    needed_columns=list,
)
