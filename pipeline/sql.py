"""SQL by DuckDB, sandboxed: only registered tables, no files, no network, no settings."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError, StorageError, UserError
from nonocensus.pipeline.scratch import scratch_folder

if TYPE_CHECKING:
    import duckdb

MEMORY = "50%"
"""Share of the machine's memory that a query may use before it spills to disk."""

ADVICE = "nonocensus query --schema lists tables and columns"
"""What to do about SQL that names what is not there."""

READ_FAILED = "the stream registered as"
"""In DuckDB's message for an error of reading an Arrow table, before its name."""


@contextmanager
def database() -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open an in-memory database that reads only registered tables, and spills to a temporary folder."""
    import duckdb

    with scratch_folder() as place, duckdb.connect() as connection:
        settings = {
            "temp_directory": place,
            "memory_limit": MEMORY,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",  # don't expose Python variables as tables
            "enable_external_access": "false",
            "lock_configuration": "true",
        }
        for name, value in settings.items():
            quoted = value.replace("'", "''")
            connection.execute(f"set {name} = '{quoted}'")
        with interruptible():
            try:
                yield connection
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                _, marker, reason = str(error).splitlines()[0].partition(READ_FAILED)
                if not marker:
                    raise
                raise damaged_table(reason.partition(" failed: ")[2]) from error


def damaged_table(reason: str) -> InputError:
    """Return the error of a table with a file that is damaged or gone."""
    return InputError(f"a file of the table can't be read: {reason}", "nonocensus verify names it")


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn DuckDB's interrupt error into KeyboardInterrupt."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


@contextmanager
def sql_errors(what: str, sql: str = "", advice: str = ADVICE) -> Iterator[None]:
    """Turn errors of the user's SQL into a one-line UserError that begins with `what`.

    An unknown column that `sql` has in double quotes may be meant as text. StorageError if there is no space to spill.
    Errors of reading a table are those of `database`.
    """
    import duckdb

    try:
        yield
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
        said, *more = str(error).split(" Error: ", 1)[-1].splitlines()
        hint = "".join(line.replace("Did you mean", "; perhaps").rstrip("?") for line in more if line.startswith("Did"))
        if unknown := re.match('Referenced column "(.*)" not found', said):
            said = f'unknown column "{unknown[1]}"'
            similar = get_close_matches(unknown[1], re.findall('"(.*?)"', "".join(more)), 1)
            hint = "".join(f'; perhaps "{name}"' for name in similar)
            hint += "; text is in 'single quotes'" if f'"{unknown[1]}"' in sql else ""
        elif said.startswith("Table with name"):
            hint = "; a run has puzzles, results, certificates, mendings and grades, a store only puzzles"
        raise UserError(f"{what}: {said.rstrip('!')}{hint}; {advice}") from error
    except (duckdb.Error, pa.ArrowException) as error:
        line = str(error).splitlines()[0]
        if READ_FAILED in line:
            raise
        no_space = isinstance(error, duckdb.IOException) or "No space left" in line
        raise (StorageError if no_space else UserError)(f"{what}: {line}") from error


def select_query(connection: "duckdb.DuckDBPyConnection", query: str) -> "duckdb.DuckDBPyRelation":
    """Return the relation of a user's select statement; duplicate column names get a number.

    Raises UserError for anything else. Nothing is read yet, so reading needs `sql_errors` too.
    """
    import duckdb

    with sql_errors("the query", query):
        statements = duckdb.extract_statements(query)
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise UserError("the query is not a single SELECT statement; nothing else is allowed")
        return connection.sql(query).project("*")


@contextmanager
def condition(where: str | None, columns: pa.Schema) -> Iterator[Callable[[pa.Table], np.ndarray] | None]:
    """Yield a function from rows with these columns to which of them meet an SQL condition; None without a condition.

    The function returns bool[rows]; null counts as false. Raises UserError for a condition that columns can't have, and
    for one that is not of a single row: aggregates, window and table functions, subqueries of the puzzles.
    """
    if where is None:
        yield None
        return
    import duckdb

    unjudged = "" if "label" in columns.names else "; puzzles without a verdict have only those of the table puzzles"
    with database() as connection:

        def met(rows: pa.Table) -> np.ndarray:
            with sql_errors(f"--where {where!r}", where, ADVICE + unjudged):
                puzzles = connection.from_arrow(rows).set_alias("puzzles")
                expression = duckdb.SQLExpression(where)
                puzzles.filter(expression)  # a WHERE clause can't have aggregates and the like
                is_met = duckdb.CoalesceOperator(expression.cast("boolean"), duckdb.ConstantExpression(False))
                found = puzzles.select(is_met.alias("met"))
                if found.columns != ["met"]:
                    raise duckdb.BinderException("COLUMNS stands for several columns; name each")
                return np.asarray(found.fetchnumpy()["met"], np.bool_)

        met(columns.empty_table())
        yield met
