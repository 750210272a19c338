"""SQL over stores and runs: DuckDB, which reads the tables as they lie, no more of them than a query needs.

A database is given the tables puzzles and results and reads nothing else: no file, no network, no settings of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa

from pipeline.errors import UserError
from pipeline.run import Run, overlaps
from pipeline.storage import Folder
from pipeline.store import Part, Store
from solver.tables import PUZZLES, RESULTS

if TYPE_CHECKING:  # it takes 50 MB, and conditions do without it
    import pyarrow.dataset as ds

MEMORY = "50%"
"""Of the machine's memory, what a query may use before it goes on on disk."""


@contextmanager
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that can read only what is registered with it.

    What does not fit in memory goes into a temporary folder, deleted at the end.
    """
    with TemporaryDirectory(prefix="nonocensus-") as place, duckdb.connect() as connection:
        settings = {
            "temp_directory": place,
            "memory_limit": MEMORY,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",  # variables of this program are no tables
            "enable_external_access": "false",
            "lock_configuration": "true",
        }
        for name, value in settings.items():
            quoted = value.replace("'", "''")
            connection.execute(f"set {name} = '{quoted}'")
        with interruptible():
            yield connection


@contextmanager
def interruptible() -> Iterator[None]:
    """A block of queries that Ctrl-C ends as it ends everything else."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():  # how DuckDB tells of it
            raise KeyboardInterrupt from error
        raise


@contextmanager
def one_line(what: str) -> Iterator[None]:
    """A block whose SQL is the user's: what is wrong with it becomes a UserError, `what` and the first line of it."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        raise UserError(f"{what}: {str(error).splitlines()[0]}") from error


def selected(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """What a select of the user's returns, not read yet; of columns with equal names the later ones get a number.

    A UserError says what is wrong with it, or that it is something else than one select. Reading it may still fail:
    see `one_line`.
    """
    with one_line("the query"):
        statements = duckdb.extract_statements(query)
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise UserError("the query is not one select statement: tables can be read here, and nothing else done")
        return connection.sql(query).project("*")


def meets(connection: duckdb.DuckDBPyConnection, rows: pa.Table, condition: str) -> np.ndarray:
    """Which rows meet a condition over their columns, bool[rows]; null is no. A UserError names what is wrong."""
    with one_line(f"--where {condition!r}"):
        connection.register("puzzles", rows)
        met = connection.execute(f"select coalesce(({condition})::boolean, false) as met from puzzles").fetchnumpy()
    return np.asarray(met["met"], np.bool_)


def puzzles_table(store: Store, parts: list[Part]) -> "ds.Dataset":
    """The puzzles of some parts of a store, to be read as often as one likes."""
    return _files(store.puzzles, [part.name for part in parts], PUZZLES)


def results_table(run: Run) -> "ds.Dataset":
    """The results of a run so far, each row of the store once, to be read as often as one likes.

    Files some of whose rows don't count are read here, into memory: there are few of them, until a session ends.
    """
    import pyarrow.dataset as ds

    pieces = run.pieces()
    kept = overlaps(pieces)
    files = _files(run.results, [piece.name for piece in pieces if piece.name not in kept], RESULTS)
    if not kept:
        return files
    masked = [run.read(piece, kept[piece.name]) for piece in pieces if piece.name in kept]
    return ds.dataset([files, ds.InMemoryDataset(pa.concat_tables(masked))])


def _files(place: Folder, names: list[str], schema: pa.Schema) -> "ds.Dataset":
    """Parquet files of a folder as one table. No file is looked at yet, nor asked for on a far filesystem."""
    import pyarrow.dataset as ds

    parquet = ds.ParquetFileFormat()
    files = [parquet.make_fragment(f"{place.path}/{name}.parquet", place.filesystem) for name in names]
    return ds.FileSystemDataset(files, schema, parquet, place.filesystem)
