"""The command import, which brings local files into a store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, existing, no_puzzle_in
from pipeline.commands.output import DONE, SOME_FAILED, err, progress, rate_of, resumable, some, tell

if TYPE_CHECKING:
    from scrapers.importing import Problem
    from solver.puzzle import Puzzle


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Puzzle files, folders, .zip and .tar.* archives.")],
    store: Annotated[str, typer.Option("--out", help="Store to make or to add to.")],
    as_json: Json = False,
) -> None:
    """Bring local files of any known format into a store.

    Files that can't be read are named with the reason, and the others go on. Puzzles that the store has are left out.
    """
    from pipeline.store.importing import import_puzzles
    from pipeline.store.parts import create_store
    from scrapers.files import count_files, files_in
    from scrapers.importing import Problem, read_files

    existing(paths)
    place = create_store(store)
    good = bad = 0
    with resumable(), progress("importing", count_files(paths)) as (bar, task):

        def seen(item: "Puzzle | Problem") -> None:
            nonlocal good, bad
            good, bad = good + (not isinstance(item, Problem)), bad + isinstance(item, Problem)
            counts = f"[green]{good:,} puzzles[/green]" + (f" [red]{bad:,} problems[/red]" if bad else "")
            bar.update(task, completed=good + bad, counts=counts, rate=rate_of(bar, task))

        report = import_puzzles(place, read_files(files_in(paths)), seen)
    if not as_json:
        list_problems("could not be read", report.problems)
    if not report.added and not report.known:
        raise no_puzzle_in(paths)
    if not as_json:
        list_problems("can have no picture as their clues stand; they are in the store, as invalid", report.invalid)
    total = place.rows()
    fields = {"added": report.added, "known": report.known, "puzzles": total, "store": store}
    lists = {"invalid": report.invalid, "problems": report.problems}
    known = f", {report.known:,} were there already" if report.known else ""
    tell(
        as_json,
        fields | {key: [item._asdict() for item in items] for key, items in lists.items()},
        f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store)}{known}: {total:,} in all.",
    )
    raise typer.Exit(SOME_FAILED if report.problems else DONE)


def list_problems(what: str, problems: "list[Problem]") -> None:
    """Name each problem with its reason on standard error, the first few of many."""
    if problems:
        err.print(f"[yellow]{len(problems):,} {what}:[/yellow]")
        for line in some([f"{escape(problem.name)}: {escape(problem.reason)}" for problem in problems]):
            err.print(f"  {line}")
