"""The command export: a run as one flat table."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, RunFolder, StoreAt
from pipeline.commands.output import out, progress, rate_of
from pipeline.errors import UserError

if TYPE_CHECKING:
    pass


def export(
    run_folder: RunFolder,
    csv: Annotated[str, typer.Option(help="File to write (- for standard output); with .gz at its end compressed.")],
    where: Annotated[str | None, typer.Option(help="Only rows that meet a condition in SQL over the columns.")] = None,
    store: StoreAt = None,
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
    run = open_run(run_folder, store)
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
