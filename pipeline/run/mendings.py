"""RUN/mendings.parquet: what mend has found in the run. It appears as a whole, in place of what was found before."""

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError
from pipeline.run.folder import Run
from reports.mended import NO_MENDINGS
from solver.tables import MENDINGS

FILE = "mendings.parquet"


def write_mendings(run: Run, mendings: pa.Table) -> None:
    """Keep what was found, a table of the schema MENDINGS; to be called by who holds the run's lock."""
    with run.folder.create(FILE) as stream:
        pq.write_table(mendings, stream, compression="zstd", write_page_checksum=True)


def read_mendings(run: Run) -> pa.Table:
    """What was found, of the schema MENDINGS, no rows before the first mend; an InputError says what is damaged."""
    if not run.folder.has(FILE):
        return NO_MENDINGS
    try:
        with run.folder.open(FILE) as file:
            table = pq.ParquetFile(file, page_checksum_verification=True).read().cast(MENDINGS)
        table.validate(full=True)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{run.folder.name}/{FILE} can't be read: {error}; nonocensus mend {run.folder.name} makes it anew"
        ) from error
    return table
