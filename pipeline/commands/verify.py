"""The command verify, which checks everything in a store or a run."""

from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import RunOrStore
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    global_options,
    list_errors,
    out,
    print_json,
    print_text,
    show_progress,
)
from nonocensus.pipeline.commands.status import describe_left
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.run_folder import Run, open_place
from nonocensus.pipeline.verify.verification import verify_place


def verify(
    place: RunOrStore,
    repair: Annotated[
        bool, typer.Option("--repair", help="Move damaged files away so that their command redoes them.")
    ] = False,
) -> None:
    """Check a store or a run for damage: files, hashes, ids, answers.

    Exit status 1 if something is damaged, even if --repair has repaired it.
    """
    opened = open_place(place)
    with show_progress("verifying") as progress:
        found = verify_place(opened, repair, progress)
    if global_options.json:
        print_json({"damaged": [damage._asdict() for damage in found], "repaired": repair})
    elif not found:
        out.print(f"[green]{escape(place)} is intact.[/green]")
        print_text(describe_left(opened, summarize(opened)) if isinstance(opened, Run) else ())
    color, said = ("green", "moved") if repair else ("yellow", "moves")
    repairs = (one.repair and escape(one.repair.replace("moves", said, 1)) for one in found)
    notes = (f" [{color}](--repair {words})[/]" if words else "" for words in repairs)
    list_errors(
        [f"[red]{escape(one.file)}:[/red] {escape(one.what)}{note}" for one, note in zip(found, notes, strict=True)]
    )
    raise typer.Exit(SOME_FAILED if found else DONE)
