"""The command export: a run as one flat table."""

from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, RunFolder, StoreAt
from pipeline.commands.output import progress, tell
from pipeline.errors import UserError


def export(
    run_folder: RunFolder,
    csv: Annotated[str, typer.Option(help="File to write (- for standard output); with .gz at its end compressed.")],
    where: Annotated[str | None, typer.Option(help="Only rows that meet a condition in SQL over the columns.")] = None,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Write a run as a table of CSV: a line for each puzzle with title, author, facts, result, grade and measures.

    Without clues and pictures; `query --csv` writes any columns. To share a run, make a dataset: it leaves out titles
    and authors that may not be passed on.
    """
    from pipeline.findings.flat_export import export
    from pipeline.run.run_folder import open_run
    from pipeline.store.paths import STDOUT

    if csv == STDOUT and as_json:
        raise UserError("--json would stand among the rows that --csv - prints; choose a file")
    run = open_run(run_folder, store)
    with progress("exporting", run.rows) as (bar, task):
        done = export(run, csv, where, lambda seen: bar.update(task, advance=seen))
    if csv != STDOUT:
        tell(
            as_json,
            {"rows": done.rows, "columns": done.columns, "file": csv},
            f"[bold]{done.rows:,}[/bold] puzzles with {done.columns} columns written to {escape(csv)}",
        )
