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
    show_progress,
)
from nonocensus.pipeline.run.run_folder import open_place
from nonocensus.pipeline.verify.verification import Damage, verify_place


def verify(
    place: RunOrStore,
    repair: Annotated[
        bool, typer.Option("--repair", help="Move damaged files away so that their command redoes them.")
    ] = False,
) -> None:
    """Check a store or a run for damage: files, hashes, ids, answers.

    Exit status 1 if something is damaged, even if --repair has repaired it.
    """
    with show_progress("verifying") as progress:
        found = verify_place(open_place(place), repair, progress)
    if global_options.json:
        print_json({"damaged": [damage._asdict() for damage in found], "repaired": repair})
    elif not found:
        out.print(f"[green]{escape(place)} is whole.[/green]")
    lines = [
        f"[red]{escape(damage.file)}:[/red] {escape(damage.what)}{repair_note(damage, repair)}" for damage in found
    ]
    list_errors(lines)
    raise typer.Exit(SOME_FAILED if found else DONE)


def repair_note(damage: Damage, repair: bool) -> str:
    """Say what --repair would do, or has done."""
    if not damage.repair:
        return ""
    how = escape(damage.repair)
    return f" [green](repaired: {how})[/green]" if repair else f" [yellow](--repair {how})[/yellow]"
