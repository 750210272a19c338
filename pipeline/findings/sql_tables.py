"""Stores and runs as SQL tables, of which DuckDB reads in place what a query needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.run.job_tables import certificates_table, current_attempts, current_grades
from nonocensus.pipeline.run.results import row_masks
from nonocensus.pipeline.run.run_folder import Run, require_unchanged
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.paths import Folder
from nonocensus.solver.model.tables import PUZZLES, RESULTS

if TYPE_CHECKING:  # importing takes 50 MB
    import duckdb
    import pyarrow.dataset as ds


COLORS = "coalesce(list_max([block.color for block in flatten(rows)]), 0)"
"""SQL of the measure `colors`."""


@contextmanager
def open_tables(place: Run | Store) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open a database with the tables of a run, or of a store, which has only puzzles.

    A run has puzzles, results, certificates, mendings and grades. Puzzles have the measure `colors` too, and mendings a
    row without change for each puzzle for which none was found. If the store of a run is missing or has changed, only
    queries of puzzles raise InputError.
    """
    missing: InputError | None = None
    with database() as connection:
        try:
            connection.register("stored", puzzles_table(place))
            connection.execute(f"create view puzzles as select *, {COLORS} as colors from stored")
        except InputError as error:
            if isinstance(place, Store):
                raise
            missing = error
        if isinstance(place, Run):
            connection.register("results", results_table(place))
            connection.register("certificates", certificates_table(place))
            connection.register("mendings", current_attempts(place))
            connection.register("grades", current_grades(place))
        try:
            yield connection
        except UserError as error:
            if missing and "Table with name puzzles does not exist" in str(error):
                raise missing from error
            raise


def puzzles_table(place: Run | Store) -> "ds.Dataset":
    """Return the puzzles of a store or a run as a dataset. Raises InputError if the store of a run has changed."""
    if isinstance(place, Run):
        require_unchanged(place)
        own = {part.name for part in place.parts}
        store, parts = place.store, [part for part in place.store.parts() if part.name in own]
    else:
        store, parts = place, place.parts()
    return _files(store.puzzles, [part.file for part in parts], PUZZLES)


def results_table(run: Run) -> "ds.Dataset":
    """Return the results of a run so far as a dataset, each row of the store once.

    Files with superseded rows are read into memory; there are few, and none after a session ends.
    """
    import pyarrow.dataset as ds

    result_files = run.result_files()
    kept = row_masks(result_files)
    files = _files(run.results, [f"{file.name}.parquet" for file in result_files if file.name not in kept], RESULTS)
    if not kept:
        return files
    masked = [run.read(file, kept[file.name]) for file in result_files if file.name in kept]
    return ds.dataset([files, ds.InMemoryDataset(pa.concat_tables(masked))])


def _files(place: Folder, names: list[str], schema: pa.Schema) -> "ds.Dataset":
    """Return Parquet files of a folder as one dataset, without accessing them; reading verifies page checksums."""
    import pyarrow.dataset as ds

    parquet = ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
    files = [parquet.make_fragment(f"{place.path}/{name}", place.filesystem) for name in names]
    return ds.FileSystemDataset(files, schema, parquet, place.filesystem)
