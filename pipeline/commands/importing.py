"""The command import, which brings local files into a store."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import DONE, LISTED, SOME_FAILED, err, out, resumable, watching

if TYPE_CHECKING:
    from scrapers.importing import Problem


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Puzzle files, folders, .zip and .tar.* archives.")],
    store: Annotated[str, typer.Option("--out", help="Store to make or to add to.")],
    as_json: Json = False,
) -> None:
    """Bring local files of any known format into a store.

    Files that can't be read are named with the reason, and the others go on. Puzzles that the store has are left out.
    """
    from pipeline.store.importing import import_paths
    from pipeline.store.parts import open_store

    with resumable(), watching("importing") as watch:
        report = import_paths(paths, store, watch)
    if not as_json:
        list_problems("could not be read", report.problems)
    total = open_store(store).rows()
    if as_json:
        fields = {"added": report.added, "known": report.known, "puzzles": total, "store": store}
        lists = {"invalid": report.invalid, "problems": report.problems}
        print(json.dumps(fields | {key: [item._asdict() for item in items] for key, items in lists.items()}))
    else:
        list_problems("can have no picture as their clues stand; they are in the store, as invalid", report.invalid)
        known = f", {report.known:,} were there already" if report.known else ""
        out.print(
            f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store)}{known}: {total:,} in all."
        )
    raise typer.Exit(SOME_FAILED if report.problems else DONE)


def list_problems(what: str, problems: "list[Problem]") -> None:
    """Name each problem with its reason on standard error, the first few of many."""
    if problems:
        err.print(f"[yellow]{len(problems):,} {what}:[/yellow]")
        for problem in problems[:LISTED]:
            err.print(f"  {escape(problem.name)}: {escape(problem.reason)}", soft_wrap=True, highlight=False)
        if len(problems) > LISTED:
            err.print(f"  ... and {len(problems) - LISTED:,} more (--json lists all)")
