"""The command query: SQL over runs and stores."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import json_line, more, out, print_tabbed, table
from pipeline.errors import UserError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

SHOWN = 100
"""Rows of a query's result that a terminal gets."""

WIDEST = 40
"""Characters that a value may take there."""


def query(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")],
    sql: Annotated[
        str, typer.Argument(help="A select over the tables puzzles, results, certificates, grades.", metavar="SELECT")
    ],
    csv: Annotated[str | None, typer.Option(help="Write all rows to this file (- for standard output).")] = None,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Ask a run in SQL, over `puzzles`, `results`, `certificates` and `grades`; or a store, which has `puzzles`.

    `nonocensus schema` describes them. It can only read. A terminal gets the first rows and the columns that fit; a
    file or a pipe gets all of both, between tabs. In JSON and CSV bytes are hexadecimal digits.
    """
    from pipeline.findings.csv_file import write_csv
    from pipeline.findings.sql_tables import open_tables
    from pipeline.run.run_folder import open_place
    from pipeline.sql import select_query, sql_errors
    from pipeline.store.paths import STDOUT

    if csv is not None and as_json:
        raise UserError("--csv and --json are two ways to write the rows; choose one")
    with open_tables(open_place(place, store)) as connection, sql_errors("the query"):
        found = select_query(connection, sql)
        if csv is not None:
            batches = stream(found)
            rows = write_csv(csv, batches.schema, batches)
            if csv != STDOUT:
                out.print(f"[bold]{rows:,}[/bold] rows written to {escape(csv)}")
        elif as_json:
            print_list(rows_of(stream(found)))
        elif out.is_terminal:
            show_rows(found)
        else:
            print_rows(stream(found))


def stream(found: "duckdb.DuckDBPyRelation") -> "pa.RecordBatchReader":
    """The rows of a query's result, batch by batch as they are found."""
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(found)


def rows_of(batches: "pa.RecordBatchReader") -> Iterator[dict[str, Any]]:
    """Rows as Python's values; a UserError tells of one that Python has no value for."""
    for batch in batches:
        try:
            rows = batch.to_pylist()
        except (OverflowError, ValueError) as error:
            raise UserError(f"the query: {error}; cast what is out of range to text (column::varchar)") from error
        yield from rows


def print_list(rows: Iterator[dict[str, Any]]) -> None:
    """A list of objects in JSON, one a line, printed as they come."""
    from pipeline.findings.json_value import json_value

    before = "["
    for row in rows:
        print(before, json_line(json_value(row)), sep="", end="")
        before = ",\n "
    print("]" if before != "[" else "[]")


def print_rows(reader: "pa.RecordBatchReader") -> None:
    """All rows, with tabs between their values, below a line of the columns' names."""
    names = reader.schema.names
    print_tabbed(names)
    for row in rows_of(reader):
        print_tabbed(one_line_of(row[name]) for name in names)


def show_rows(found: "duckdb.DuckDBPyRelation") -> None:
    """The first rows of a query's result as a table, as many columns as fit; and what was left out."""
    import pyarrow.types as types

    reader = stream(found.limit(SHOWN + 1))
    numbers = {field.name for field in reader.schema if types.is_integer(field.type) or is_real(field.type)}
    rows = list(rows_of(reader))
    columns = {name: [brief(row[name]) for row in rows[:SHOWN]] for name in reader.schema.names}
    fitting = list(islice(columns, those_that_fit(columns)))
    shown = table(*fitting, right=numbers)
    for column in shown.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    for values in zip(*(columns[name] for name in fitting), strict=True):
        shown.add_row(*map(escape, values))
    out.print(shown)
    if len(fitting) < len(columns):
        names = ", ".join(islice(columns, len(fitting), None))
        out.print(f"... not shown for want of room: {escape(names)}", soft_wrap=False)
    if len(rows) > SHOWN:
        ((count,),) = found.aggregate("count(*)").fetchall()
        out.print(*more(count - SHOWN, "rows (--csv FILE or --json gives all)"))


def is_real(kind: "pa.DataType") -> bool:
    """Whether a type is of numbers with a fraction, or of integers beyond 64 bits."""
    import pyarrow.types as types

    return bool(types.is_floating(kind) or types.is_decimal(kind))


def brief(value: Any) -> str:
    """A value in one short line: numbers with commas and six digits, the beginning of what is long."""
    from decimal import Decimal

    from pipeline.findings.json_value import json_value

    if isinstance(value, Decimal):
        value = json_value(value)
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = one_line_of(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def one_line_of(value: Any) -> str:
    """A value in one line: [1 2 3], {length 3, color 1}, true, text as it is, nothing for null."""
    return "" if value is None else " ".join(unquoted(value).split())


def unquoted(value: Any) -> str:
    """A value as text: lists and structs without quotes."""
    from pipeline.findings.json_value import json_value

    if isinstance(value, list | tuple):
        return f"[{' '.join(map(unquoted, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} {unquoted(item)}' for name, item in value.items())}}}"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, float) else str(json_value(value))


def those_that_fit(columns: dict[str, list[str]]) -> int:
    """How many columns have room beside each other, one at least."""
    room, fitting = out.width, 0
    for name, values in columns.items():
        room -= max(map(cell_len, (name, *values))) + 2
        fitting += room >= -2  # nothing stands behind the last one
    return max(fitting, 1)
