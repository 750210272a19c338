"""The command convert, which writes puzzles in another format."""

from itertools import islice
from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import (
    Contact,
    CpuLimit,
    Ids,
    InputFormat,
    OutputFormat,
    PuzzleNumber,
    parse_ids,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    global_options,
    list_problems,
    print_result,
    show_progress,
)
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.conversion import ConversionOptions, Solve, format_for, read_puzzles
from nonocensus.pipeline.store.conversion import convert as write_converted
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.words.formatting import count_text


def convert(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, archives, https addresses, stores.", metavar="IN...")
    ],
    out: Annotated[
        str, typer.Argument(help="File (.gz .bz2 .xz .zst compressed), - (stdout) or FOLDER/.", metavar="OUT")
    ],
    to: OutputFormat = None,
    input_format: InputFormat = None,
    contact: Contact = None,
    ids: Ids = None,
    number: PuzzleNumber = None,
    lossy: Annotated[bool, typer.Option("--lossy", help="Drop and count what the format can't hold.")] = False,
    solve: Annotated[
        Solve, typer.Option("--solve", help="Solve puzzles without a picture, for formats that need one.")
    ] = "no",
    cpu_limit: CpuLimit = 60.0,
) -> None:
    """Convert puzzle files and stores to another format.

    Writes one file with all puzzles, or one file per puzzle into a folder. What the format can't hold is an error;
    --lossy drops it, except colours and hidden lengths, without which it would be another puzzle. A jsonl file may have
    any size.
    """
    if out == STDOUT and global_options.json:
        raise UserError("--json and - both write to standard output; name a file for the puzzles")
    output_format = format_for(out, to)
    with show_progress("converting", resumes=True) as progress:
        found = read_puzzles(paths, input_format, progress, contact, parse_ids(ids))
        if number is not None:
            found = islice(found, number - 1, number)
        report = write_converted(found, out, ConversionOptions(output_format, lossy, solve, cpu_limit), progress)
    list_problems("could not be converted", report.problems)
    if out != STDOUT:
        lost = ", ".join(f"{what} ({count:,})" for what, count in report.left_out.items())
        files = f" in {report.files:,} files" if report.files > 1 else ""
        written = f"[bold green]{count_text(report.puzzles, 'puzzle')}[/bold green] written to {escape(out)}{files}."
        fields = {**vars(report), "problems": [problem._asdict() for problem in report.problems]}
        print_result(fields, written + f"\nLeft out: {escape(lost)}." * bool(lost))
    raise typer.Exit(SOME_FAILED if report.problems else DONE)
