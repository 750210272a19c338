"""The command report, which writes what a run has found for people."""

from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import progress, tell


def report(
    run_folder: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")],
    out_folder: Annotated[str, typer.Option("--out", help="Folder for report.html, report.md and report.json.")],
    public: Annotated[
        bool, typer.Option("--public", help="Without titles, clues and pictures that may not be passed on.")
    ] = False,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Write the report of a run, finished or not: one HTML page, and the same as Markdown and JSON."""
    from pipeline.findings.reporting import write_run_report
    from pipeline.run.run_folder import open_run

    run = open_run(run_folder, store)
    with progress("reading", run.rows) as (bar, task):
        rows, path = write_run_report(run, out_folder, public, lambda seen: bar.update(task, advance=seen))
    tell(as_json, {"rows": rows, "report": path}, f"Report of [bold]{rows:,}[/bold] puzzles: {escape(path)}")
