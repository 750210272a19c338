"""The command report, which writes a run's report."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import RunFolder
from nonocensus.pipeline.commands.output import print_result, show_progress
from nonocensus.pipeline.commands.status import open_results
from nonocensus.pipeline.findings.reporting import write_run_report
from nonocensus.pipeline.findings.sql_tables import open_tables
from nonocensus.pipeline.run.job_tables import read_attempts, read_grades
from nonocensus.pipeline.run.progress import summarize
from nonocensus.reports.words.formatting import count_text


def report(
    run_folder: RunFolder,
    out_folder: Annotated[str, typer.Option("--out", help="Folder for report.html and report.json.", metavar="FOLDER")],
    public: Annotated[
        bool, typer.Option("--public", help="Omit titles, clues and pictures that may not be published.")
    ] = False,
) -> None:
    """Write a run's report as HTML and JSON.

    The run may be unfinished. The page works without network. letters.zip has a letter to each author on what to fix,
    as text for a mail.
    """
    run = open_results(run_folder)
    with show_progress("reading") as progress:
        rows, path = write_run_report(run, out_folder, public, progress)
    name = escape(run_folder)
    hint = "" if len(read_grades(run)) else f"\nNo minutes and stars yet: nonocensus grade {name} adds them."
    is_untried = "multiple" in summarize(run)["labels"]
    if is_untried and len(read_attempts(run)):
        with open_tables(run) as tables:
            others = "results join puzzles using (puzzle_id) anti join mendings using (puzzle_id)"
            is_untried = len(tables.sql(f"from {others} where solutions = 'multiple' and not blotted limit 1")) > 0
    if is_untried:
        hint += f"\nNo changes to some ambiguous puzzles in the letters yet: nonocensus mend {name} looks for them."
    shown = escape(path) if "://" in path else f"[link={Path(path).absolute().as_uri()}]{escape(path)}[/link]"
    print_result({"rows": rows, "report": path}, f"Report of [bold]{count_text(rows, 'puzzle')}[/bold]: {shown}{hint}")
