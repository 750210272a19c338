"""The command export, which writes a run as one CSV table."""

from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import RunFolder
from nonocensus.pipeline.commands.output import global_options, print_result, show_progress
from nonocensus.pipeline.commands.status import open_results
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings import flat_export
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.words.formatting import count_text


def export(
    run_folder: RunFolder,
    csv: Annotated[
        str, typer.Option("--csv", help="CSV file to write (- for stdout, .gz compressed).", metavar="FILE")
    ],
    where: Annotated[
        str | None, typer.Option(help="Only rows matching an SQL condition over its columns.", metavar="SQL")
    ] = None,
) -> None:
    """Export a run as one CSV table, one line per puzzle.

    Columns are title, author, properties, result, grade and measures; `query --csv` writes any others. To publish a
    run use `dataset`, which omits titles and authors that may not be published.
    """
    if csv == STDOUT and global_options.json:
        raise UserError("--json and --csv - both write to standard output; name a file")
    run = open_results(run_folder)
    with show_progress("exporting") as progress:
        rows, columns = flat_export.export(run, csv, where, progress)
    if csv != STDOUT:
        print_result(
            {"rows": rows, "columns": columns, "file": csv},
            f"[bold]{count_text(rows, 'puzzle')}[/bold] with {columns} columns written to {escape(csv)}",
        )
