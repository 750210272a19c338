"""SQL by DuckDB: a database that reads the tables it is given and nothing else, no file, no network, no settings."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import numpy as np
import pyarrow as pa

from pipeline.errors import InputError, StorageError, UserError
from pipeline.scratch import scratch_folder

MEMORY = "50%"
"""Of the machine's memory, what a query may use before it goes on on disk."""


@contextmanager
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that can read only what is registered with it.

    What does not fit in memory goes into a temporary folder, deleted at the end.
    """
    with scratch_folder() as place, duckdb.connect() as connection:
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
def sql_errors(what: str) -> Iterator[None]:
    """A block whose SQL is the user's: what is wrong with it becomes a UserError, `what` and the first line of it.

    An InputError says that a table can't be read, a StorageError that there is no room for what does not fit in memory.
    """
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        said = str(error).splitlines()[0]
        # how DuckDB tells of a file that Arrow can't read
        kind = InputError if "the stream registered as" in said else UserError
        if isinstance(error, duckdb.IOException) or "No space left" in said:
            kind = StorageError
        raise kind(f"{what}: {said}") from error


def select_query(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """What a select of the user's returns, not read yet; of columns with equal names the later ones get a number.

    A UserError says what is wrong with it, or that it is something else than one select. Reading it may still fail:
    see `one_line`.
    """
    with sql_errors("the query"):
        statements = duckdb.extract_statements(query)
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise UserError("the query is not one select statement: tables can be read here, and nothing else done")
        return connection.sql(query).project("*")


def where_mask(connection: duckdb.DuckDBPyConnection, rows: pa.Table, condition: str) -> np.ndarray:
    """Which rows meet a condition over their columns, bool[rows]; null is no. A UserError names what is wrong."""
    with sql_errors(f"--where {condition!r}"):
        connection.register("puzzles", rows)
        met = connection.execute(f"select coalesce(({condition})::boolean, false) as met from puzzles").fetchnumpy()
    return np.asarray(met["met"], np.bool_)
