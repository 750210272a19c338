"""RUN/mendings.parquet: what mend has found in the run. It appears as a whole, in place of what was found before."""

import pyarrow as pa

from pipeline.run.folder import Run
from pipeline.run.kept import read_kept, write_kept
from reports.mended import NO_MENDINGS
from solver.tables import MENDINGS

FILE = "mendings.parquet"


def write_mendings(run: Run, mendings: pa.Table) -> None:
    """Keep what was found, a table of the schema MENDINGS; to be called by who holds the run's lock."""
    write_kept(run.folder, FILE, mendings)


def read_mendings(run: Run) -> pa.Table:
    """What was found, of the schema MENDINGS, no rows before the first mend; an InputError says what is damaged."""
    if not run.folder.has(FILE):
        return NO_MENDINGS
    return read_kept(run.folder, FILE, MENDINGS, f"nonocensus mend {run.folder.name} makes it anew")
