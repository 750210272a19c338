"""The command verify, which reads a store or a run whole and says what is damaged."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import DONE, SOME_FAILED, err, out, print_json, some, watching

if TYPE_CHECKING:
    from pipeline.verify.store import Damage


def verify(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Set aside what is damaged, so that its commands make it again.")
    ] = False,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Read everything of a store or a run, and say what is damaged: files, hashes, ids, answers that don't fit.

    Exit status 1 if something is, also where --repair has set it aside.
    """
    from pipeline.run.run_folder import open_place
    from pipeline.verify.run import verify_place

    with watching("verifying") as callbacks:
        found = verify_place(open_place(place, store), repair, callbacks)
    if as_json:
        print_json({"damaged": [damage._asdict() for damage in found], "repaired": repair})
    elif not found:
        out.print(f"[green]{escape(place)} is whole.[/green]")
    lines = [f"[red]{escape(damage.file)}:[/red] {escape(damage.what)}{_mended(damage, repair)}" for damage in found]
    for line in () if as_json else some(lines):
        err.print(line)
    raise typer.Exit(SOME_FAILED if found else DONE)


def _mended(damage: "Damage", repair: bool) -> str:
    """What --repair does about it, or has done."""
    if not damage.repair:
        return ""
    how = escape(damage.repair)
    return f" [green](repaired: {how})[/green]" if repair else f" [yellow](--repair {how})[/yellow]"
