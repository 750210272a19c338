"""What mend has found in a run, as columns beside results."""

import pyarrow as pa

from reports.kept_columns import KeyedRows, beside
from solver.model.tables import MENDINGS

NO_MENDINGS = MENDINGS.empty_table()

MENDED = pa.schema([MENDINGS.field(name) for name in ("change", "mended")])
"""What a report shows of a mending."""


def mended_beside(results: pa.RecordBatch, mendings: KeyedRows) -> pa.RecordBatch:
    """The columns MENDED of each row's mending (reports.kept_columns).

    mendings   of the schema MENDINGS
    """
    return beside(results, mendings, MENDED)
