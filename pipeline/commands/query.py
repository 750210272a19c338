"""The command query, which runs SQL over runs and stores and describes their tables."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Annotated, Any

import duckdb
import pyarrow as pa
import pyarrow.types as types
import typer
from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

from nonocensus.pipeline.commands.options import CsvFile
from nonocensus.pipeline.commands.output import (
    global_options,
    json_line,
    out,
    print_result,
    print_tabbed,
    remaining,
    table,
)
from nonocensus.pipeline.commands.status import open_results
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.csv_file import json_value, write_csv
from nonocensus.pipeline.findings.sql_tables import open_tables
from nonocensus.pipeline.run.run_folder import is_run, open_place
from nonocensus.pipeline.sql import select_query, sql_errors
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.numbers.derived_measures import DERIVED
from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.model.tables import CERTIFICATES, GRADES, MENDINGS, PUZZLES, RESULTS

MAX_ROWS = 100
"""Rows of a result that a terminal gets."""

MAX_WIDTH = 40
"""Characters of a value on a terminal."""


def query(
    place: Annotated[str | None, typer.Argument(help="Run or store.", metavar="RUN|STORE")] = None,
    sql: Annotated[
        str | None,
        typer.Argument(help="Select over puzzles, results, certificates, mendings, grades.", metavar="SELECT"),
    ] = None,
    csv: CsvFile = None,
    schema: Annotated[bool, typer.Option("--schema", help="Describe the columns of all tables and measures.")] = False,
) -> None:
    """Query a run or a store with SQL, or describe its tables.

    A run has the tables `puzzles`, `results`, `certificates`, `mendings` and `grades`, a store has `puzzles`; access is
    read-only. `puzzles` also has the measure `colors`. --where of classify takes columns of `puzzles`, that of other
    commands all measures. --schema needs no run. A terminal gets the first rows and the columns that fit; a file or a
    pipe gets all, separated by tabs. In JSON and CSV bytes are hexadecimal digits.
    """
    if schema:
        if csv is not None or sql is not None:
            raise UserError("--schema takes no SELECT and no --csv")
        print_schema()
        return
    if place is None or sql is None:
        raise UserError("give a run or a store, and a select; nonocensus query --schema lists tables and columns")
    if csv is not None and global_options.json:
        raise UserError("--csv and --json exclude each other; give one")
    opened = open_results(place) if is_run(place) else open_place(place)
    with open_tables(opened) as connection, sql_errors("the query"):
        found = select_query(connection, sql)
        if csv is not None:
            batches = stream(found)
            rows = write_csv(csv, batches.schema, batches)
            if csv != STDOUT:
                out.print(f"[bold]{count_text(rows, 'row')}[/bold] written to {escape(csv)}")
        elif global_options.json:
            print_list(rows_of(stream(found)))
        elif out.is_terminal:
            print_table(found)
        else:
            print_rows(stream(found))


def stream(found: duckdb.DuckDBPyRelation) -> pa.RecordBatchReader:
    """Return the rows of a result as a stream of batches."""
    return pa.RecordBatchReader.from_stream(found)


def rows_of(batches: pa.RecordBatchReader) -> Iterator[dict[str, Any]]:
    """Yield rows as Python values; raise a UserError for a value that Python can't represent."""
    for batch in batches:
        try:
            rows = batch.to_pylist()
        except (OverflowError, ValueError) as error:
            raise UserError(f"the query: {error}; cast what is out of range to text (column::varchar)") from error
        yield from rows


def print_list(rows: Iterator[dict[str, Any]]) -> None:
    """Print a JSON list of objects, one per line, as they come."""
    before = "["
    for row in rows:
        print(before, json_line(json_value(row)), sep="", end="")
        before = ",\n "
    print("]" if before != "[" else "[]")


def print_rows(reader: pa.RecordBatchReader) -> None:
    """Print the column names and all rows, separated by tabs."""
    names = reader.schema.names
    print_tabbed(names)
    for row in rows_of(reader):
        print_tabbed(one_line_of(row[name]) for name in names)


def print_table(found: duckdb.DuckDBPyRelation) -> None:
    """Print the first rows of a result as a table of the columns that fit, and what was left out."""
    reader = stream(found.limit(MAX_ROWS + 1))
    is_number = (types.is_integer, types.is_floating, types.is_decimal)
    numbers = {field.name for field in reader.schema if any(is_(field.type) for is_ in is_number)}
    rows = list(rows_of(reader))
    columns = {name: [brief(row[name]) for row in rows[:MAX_ROWS]] for name in reader.schema.names}
    fitting = list(islice(columns, fitting_count(columns)))
    shown = table(*fitting, right=numbers)
    for column in shown.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    for values in zip(*(columns[name] for name in fitting), strict=True):
        shown.add_row(*map(escape, values))
    out.print(shown)
    if len(fitting) < len(columns):
        names = ", ".join(islice(columns, len(fitting), None))
        out.print(f"... columns that don't fit: {escape(names)}", soft_wrap=False)
    if len(rows) > MAX_ROWS:
        ((count,),) = found.aggregate("count(*)").fetchall()
        out.print(*remaining(count - MAX_ROWS, "rows (--csv FILE or --json gives all)"))


def brief(value: Any) -> str:
    """Format a value for a table: numbers with commas and six digits, long text truncated."""
    if isinstance(value, Decimal):
        value = json_value(value)
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = one_line_of(value)
    return text if len(text) <= MAX_WIDTH else text[: MAX_WIDTH - 1] + "…"


def one_line_of(value: Any) -> str:
    """Format a value on one line: [1 2 3], {length 3, color 1}, true, text as it is, nothing for null."""
    return "" if value is None else " ".join(format_value(value).split())


def format_value(value: Any) -> str:
    """Format a value as text, without quotes inside lists and structs."""
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(format_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} {format_value(item)}' for name, item in value.items())}}}"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, float) else str(json_value(value))


def fitting_count(columns: dict[str, list[str]]) -> int:
    """Count the columns that fit side by side, at least one."""
    room, fitting = out.width, 0
    for name, values in columns.items():
        room -= max(map(cell_len, (name, *values))) + 2
        fitting += room >= -2  # the last column has no padding
    return max(fitting, 1)


def print_schema() -> None:
    """Describe the columns of the tables, and the measures computed from them."""
    tables = {"puzzles": PUZZLES, "results": RESULTS, "certificates": CERTIFICATES, "mendings": MENDINGS}
    tables |= {"grades": GRADES, "measures": DERIVED}
    described = {
        name: [
            {"name": f.name, "type": str(f.type), "description": f.metadata[b"description"].decode()} for f in fields
        ]
        for name, fields in tables.items()
    }
    print_result(described, (schema_table(name, columns) for name, columns in described.items()))


def schema_table(name: str, columns: list[dict[str, str]]) -> Table:
    """Return a table of a table's columns."""
    made = table("column", "type", "meaning")
    made.title, made.title_justify = name, "left"
    for column in columns:
        made.add_row(*(escape(text) for text in column.values()))
    return made
