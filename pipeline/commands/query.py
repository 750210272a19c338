"""The commands that ask what runs have found: query, export, compare."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.markup import escape

from pipeline.commands.classify import COLORS, LISTED, RunFolder
from pipeline.commands.output import DONE, SOME_FAILED, Json, err, out, progress, rate_of
from pipeline.errors import UserError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from rich.table import Table

    from pipeline.findings.compare import Comparison, Timed

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
    as_json: Json = False,
) -> None:
    """Ask a run in SQL, over its tables `puzzles`, `results` and `certificates`; or a store, which has `puzzles`.

    `nonocensus schema` describes them. It can only read. In JSON and CSV bytes are hexadecimal digits.
    """
    from pipeline.findings.csv_file import STDOUT, write_csv
    from pipeline.sql import one_line, selected

    if csv is not None and as_json:
        raise UserError("--csv and --json are two ways to write the rows; choose one")
    with tables_of(place) as connection, one_line("the query"):
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


@contextmanager
def tables_of(place: str) -> Iterator["duckdb.DuckDBPyConnection"]:
    """A database with the tables of a run or of a store."""
    from pipeline.certify.table import certificates_table
    from pipeline.findings.tables import puzzles_table, results_table
    from pipeline.run.folder import Run, open_place
    from pipeline.sql import database

    opened = open_place(place)
    with database() as connection:
        if isinstance(opened, Run):
            connection.register("puzzles", puzzles_table(opened.store, opened.parts))
            connection.register("results", results_table(opened))
            connection.register("certificates", certificates_table(opened))
        else:
            connection.register("puzzles", puzzles_table(opened, opened.parts()))
        yield connection


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


def export(
    run_folder: RunFolder,
    csv: Annotated[str, typer.Option(help="File to write (- for standard output); with .gz at its end compressed.")],
    where: Annotated[str | None, typer.Option(help="Only rows that meet a condition in SQL over the columns.")] = None,
    as_json: Json = False,
) -> None:
    """Write a run as a table of CSV: a line for each puzzle with its facts, its result and its measures of difficulty.

    Without clues and pictures.
    """
    from pipeline.findings.csv_file import STDOUT
    from pipeline.findings.export import EXPORTED, export
    from pipeline.run.folder import open_run

    if csv == STDOUT and as_json:
        raise UserError("--json would stand among the rows that --csv - prints; choose a file")
    run = open_run(run_folder)
    with progress("exporting", run.rows) as (bar, task):
        rows = export(run, csv, where, lambda seen: bar.update(task, advance=seen, rate=rate_of(bar, task)))
    if as_json:
        print(json.dumps({"rows": rows, "columns": len(EXPORTED), "file": csv}))
    elif csv != STDOUT:
        out.print(
            f"[bold]{rows:,}[/bold] puzzles with {len(EXPORTED)} columns written to {escape(csv)}",
            highlight=False,
            soft_wrap=True,
        )


def compare(
    old: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN1")],
    new: Annotated[str, typer.Argument(help="Run folder that is compared with it.", metavar="RUN2")],
    as_json: Json = False,
) -> None:
    """Compare two runs puzzle by puzzle: verdicts, proofs, CPU times, and the work that does not depend on the machine.

    Exit status 1 if a proof has changed: then one of the runs is wrong.
    """
    from pipeline.findings.compare import compare
    from pipeline.run.folder import open_run
    from reports.aggregate import plain

    with err.status("comparing"):
        found = compare(open_run(old), open_run(new))
    if as_json:
        print(json.dumps(plain(found)))
    else:
        show_comparison(found, old, new)
    raise typer.Exit(SOME_FAILED if found.alarms else DONE)


def show_comparison(found: "Comparison", old: str, new: str) -> None:
    """A comparison on the terminal, what matters most last."""
    puzzles = found.puzzles
    out.print(
        f"[bold]{puzzles.both:,}[/bold] puzzles in both; {puzzles.only_old:,} only in {escape(old)}, "
        f"{puzzles.only_new:,} only in {escape(new)}, {puzzles.other_clues:,} with other clues.",
        highlight=False,
        soft_wrap=True,
    )
    for what, differences in (("configuration", found.configuration), ("versions", found.versions)):
        if differences:
            listed = ", ".join(f"{name} {before} -> {after}" for name, before, after in differences)
            out.print(f"[yellow]Other {what}:[/yellow] {escape(listed)}", highlight=False, soft_wrap=True)
    show_times(found)
    for title, count, moved in (
        ("slower", found.slower, found.slowed),
        ("faster", found.faster, found.sped_up),
    ):
        show_moved(title, count, moved)
    show_verdicts(found)


def show_times(found: "Comparison") -> None:
    """CPU times and counters of both runs."""
    table = plain_table()
    for name in ("CPU seconds", "puzzles", "old", "new", "mean ratio", "p10", "median", "p90"):
        table.add_column(name, justify="left" if name == "CPU seconds" else "right")
    for label, puzzles, before, after, *ratios in found.times:
        name = "all" if label is None else f"[{COLORS.get(label, 'cyan')}]{escape(label)}[/]"
        table.add_row(name, f"{puzzles:,}", seconds(before), seconds(after), *(f"{ratio:.3f}" for ratio in ratios))
    if found.times:
        out.print(table, "(the mean is the geometric one of new / old, puzzle by puzzle)", highlight=False)
    table = plain_table()
    for name in ("work", "old", "new", "puzzles that differ"):
        table.add_column(name, justify="left" if name == "work" else "right")
    for counter, before, after, differ in found.work:
        count = f"[yellow]{differ:,}[/yellow]" if differ else "0"
        table.add_row(counter.replace("_", " "), f"{before:,}", f"{after:,}", count)
    out.print(table)


def seconds(value: float) -> str:
    """CPU seconds with four significant digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def show_moved(title: str, count: int, moved: "list[Timed]") -> None:
    """The puzzles whose times changed most."""
    from pipeline.findings.compare import SECONDS, SLOWER

    limits = f"{SLOWER:g} times and {SECONDS * 1000:g} ms {title}"
    if not count:
        out.print(f"No puzzle is at least {limits}.", highlight=False)
        return
    color = "red" if title == "slower" else "green"
    more = f", of which these {len(moved)} most" if count > len(moved) else ""
    out.print(f"[{color}]{count:,} at least {limits}[/{color}]{more}:", highlight=False)
    table = plain_table()
    for name in ("puzzle", "old s", "new s", "times", "label"):
        table.add_column(name, justify="left" if name in ("puzzle", "label") else "right", overflow="fold")
    for puzzle_id, before, after, old_seconds, new_seconds in moved:
        label = before if before == after else f"{before} -> {after}"
        times = f"{new_seconds / old_seconds:,.3g}" if old_seconds else ""
        table.add_row(escape(puzzle_id), seconds(old_seconds), seconds(new_seconds), times, escape(label))
    out.print(table)


def show_verdicts(found: "Comparison") -> None:
    """Verdicts that became others, answers won and lost, proofs that contradict each other."""
    if found.changes:
        table = plain_table()
        for name in ("verdict", "became", "puzzles", "for instance"):
            table.add_column(name, justify="right" if name == "puzzles" else "left", overflow="fold")
        for before, after, puzzles, examples in found.changes:
            labels = (f"[{COLORS.get(label, 'cyan')}]{escape(label)}[/]" for label in (before, after))
            table.add_row(*labels, f"{puzzles:,}", escape(", ".join(examples)))
        out.print(table)
    else:
        out.print("No verdict has changed.")
    out.print(
        f"Answers gained: [green]{found.gained:,}[/green], lost: "
        + (f"[red]{found.lost:,}[/red]" if found.lost else "0"),
        highlight=False,
    )
    if not found.alarms:
        out.print("[green]No proof has changed.[/green]")
        return
    out.print(f"[bold red]{len(found.alarms):,} proofs have changed: one of the runs is wrong.[/bold red]")
    for alarm in found.alarms[:LISTED]:
        how = "unique with other cells" if alarm.what == "solution" else f"{alarm.old} -> {alarm.new}"
        out.print(f"[red]  {escape(alarm.puzzle_id)}: {alarm.what} {escape(how)}[/red]", highlight=False)
    if len(found.alarms) > LISTED:
        out.print(f"[red]  ... and {len(found.alarms) - LISTED:,} more (--json lists all)[/red]")
