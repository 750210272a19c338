"""The command query: SQL over runs and stores."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import out
from pipeline.errors import UserError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from rich.table import Table


SHOWN = 100
"""Rows of a query's result that a terminal gets."""


WIDEST = 40
"""Characters that a value may take there."""


def query(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")],
    sql: Annotated[
        str, typer.Argument(help="A select over the tables puzzles, results, certificates.", metavar="SELECT")
    ],
    csv: Annotated[str | None, typer.Option(help="Write all rows to this file (- for standard output).")] = None,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Ask a run in SQL, over its tables `puzzles`, `results` and `certificates`; or a store, which has `puzzles`.

    `nonocensus schema` describes them. It can only read. In JSON and CSV bytes are hexadecimal digits.
    """
    from pipeline.findings.csv_file import STDOUT, write_csv
    from pipeline.findings.tables import open_tables
    from pipeline.run.folder import open_place
    from pipeline.sql import one_line, selected

    if csv is not None and as_json:
        raise UserError("--csv and --json are two ways to write the rows; choose one")
    with open_tables(open_place(place, store)) as connection, one_line("the query"):
        found = selected(connection, sql)
        if csv is not None:
            batches = stream(found)
            rows = write_csv(csv, batches.schema, batches)
            if csv != STDOUT:
                out.print(f"[bold]{rows:,}[/bold] rows written to {escape(csv)}", highlight=False, soft_wrap=True)
        elif as_json:
            print_json(rows_of(stream(found)))
        else:
            show_rows(found)


def stream(found: "duckdb.DuckDBPyRelation") -> "pa.RecordBatchReader":
    """The rows of a query's result, batch by batch as they are found."""
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(found)


def rows_of(batches: "pa.RecordBatchReader") -> Iterator[dict[str, Any]]:
    """Rows as JSON can hold them."""
    from pipeline.findings.plain import plain

    for batch in batches:
        for row in batch.to_pylist():
            yield {name: plain(value) for name, value in row.items()}


def print_json(rows: Iterator[dict[str, Any]]) -> None:
    """A list of objects, one a line, printed as they come."""
    print("[", end="")
    for number, row in enumerate(rows):
        print(",\n " if number else "", json.dumps(row, ensure_ascii=False, allow_nan=False), sep="", end="")
    print("]")


def show_rows(found: "duckdb.DuckDBPyRelation") -> None:
    """The first rows of a query's result as a table, as many columns as fit; and what was left out."""
    import pyarrow.types as types

    reader = stream(found.limit(SHOWN + 1))
    numbers = {field.name for field in reader.schema if types.is_integer(field.type) or is_real(field.type)}
    rows = list(rows_of(reader))
    columns = {name: [brief(row[name]) for row in rows[:SHOWN]] for name in reader.schema.names}
    fitting = list(islice(columns, those_that_fit(columns)))
    table = plain_table()
    for name in fitting:
        table.add_column(escape(name), justify="right" if name in numbers else "left", no_wrap=True)
    for values in zip(*(columns[name] for name in fitting), strict=True):
        table.add_row(*map(escape, values))
    out.print(table)
    if len(fitting) < len(columns):
        names = ", ".join(islice(columns, len(fitting), None))
        out.print(f"... not shown for want of room: {escape(names)}", highlight=False)
    if len(rows) > SHOWN:
        ((count,),) = found.aggregate("count(*)").fetchall()
        out.print(f"... and {count - SHOWN:,} more rows (--csv FILE or --json gives all)", highlight=False)


def plain_table() -> "Table":
    """A table without lines."""
    from rich.table import Table

    return Table(box=None, header_style="bold", padding=(0, 2, 0, 0))


def is_real(kind: "pa.DataType") -> bool:
    """Whether a type is of numbers with a fraction, or of integers beyond 64 bits."""
    import pyarrow.types as types

    return bool(types.is_floating(kind) or types.is_decimal(kind))


def brief(value: Any) -> str:
    """A value in one short line: lists and structs without quotes."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        text = " ".join(unquoted(value).split())
        return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def unquoted(value: Any) -> str:
    """[1 2 3], {length 3, color 1}, true, text as it is."""
    if isinstance(value, list):
        return f"[{' '.join(map(unquoted, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} {unquoted(item)}' for name, item in value.items())}}}"
    return value if isinstance(value, str) else json.dumps(value)


def those_that_fit(columns: dict[str, list[str]]) -> int:
    """How many columns have room beside each other, one at least."""
    room, fitting = out.width, 0
    for name, values in columns.items():
        room -= max(map(cell_len, (name, *values))) + 2
        fitting += room >= -2  # nothing stands behind the last one
    return max(fitting, 1)
