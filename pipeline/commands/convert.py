"""The command convert, which writes puzzles in another format."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from pipeline.commands.importing import list_problems
from pipeline.commands.options import Contact, CpuLimit, FileFormat, Json, Which, format_named
from pipeline.commands.output import DONE, SOME_FAILED, compiling, resumable, tell, watching


def convert(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files, folders, archives, https addresses of them, and stores.", metavar="IN..."),
    ],
    out: Annotated[
        str,
        typer.Argument(
            help="File to write (.gz, .bz2, .xz or .zst: compressed), - for standard output, or a folder/.",
            metavar="OUT",
        ),
    ],
    to: Annotated[str | None, typer.Option("--to", help="Format to write; else OUT's name says it.")] = None,
    known: FileFormat = None,
    contact: Contact = None,
    number: Which = None,
    lossy: Annotated[bool, typer.Option("--lossy", help="Leave out what the format can't hold.")] = False,
    solve: Annotated[
        Literal["no", "unique", "any"],
        typer.Option("--solve", help="Solve puzzles that have no picture, for formats that are one."),
    ] = "no",
    cpu_limit: CpuLimit = 60.0,
    as_json: Json = False,
) -> None:
    """Write puzzles in another format: one file, several puzzles in one file, or a file each in a folder.

    What a format can't hold is an error. With --lossy titles and the like are left out, and counted; colours and hidden
    lengths never are, since it would be another puzzle. Sudokus go into sdm or lines (a line each), sdk, ss (in
    frames) and jsonl. A file of jsonl may have any size.
    """
    from itertools import islice

    from pipeline.errors import UserError
    from pipeline.store.conversion import ConversionOptions, format_of_first, formats_for, read_puzzles
    from pipeline.store.conversion import convert as converted
    from pipeline.store.paths import STDOUT
    from solver.jit.waits import while_waiting

    if out == STDOUT and as_json:
        raise UserError("--json and - both want standard output; name a file for the puzzles")
    formats, given = formats_for(out, to), format_named(known)
    with resumable(), watching("converting") as callbacks:
        found = read_puzzles(paths, given, callbacks, contact)
        if number is not None:
            found = islice(found, number - 1, number)
        found, wanted = format_of_first(found, formats, to or out)
        how = ConversionOptions(wanted, lossy, solve, cpu_limit)
        with while_waiting(compiling):
            report = converted(found, out, how, callbacks)
    if not as_json:
        list_problems("could not be converted", report.problems)
    lost = ", ".join(f"{what} ({count:,})" for what, count in report.left_out.items())
    files = f" in {report.files:,} files" if report.files > 1 else ""
    if out == STDOUT:
        raise typer.Exit(SOME_FAILED if report.problems else DONE)
    what = "puzzle" if report.puzzles == 1 else "puzzles"
    tell(
        as_json,
        {
            "puzzles": report.puzzles,
            "files": report.files,
            "left_out": dict(report.left_out),
            "problems": [problem._asdict() for problem in report.problems],
        },
        f"[bold green]{report.puzzles:,}[/bold green] {what} written to {escape(out)}{files}."
        + (f"\nLeft out: {escape(lost)}." if lost else ""),
    )
    raise typer.Exit(SOME_FAILED if report.problems else DONE)
