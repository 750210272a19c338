"""The command import, which brings files into a store."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Contact, FileFormat, Json, format_named
from pipeline.commands.output import DONE, SOME_FAILED, err, resumable, some, tell, watching

if TYPE_CHECKING:
    from scrapers.file_batches import Problem


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(help="Puzzle files, folders, .zip and .tar.* archives, and https addresses of them."),
    ],
    store: Annotated[str, typer.Option("--out", help="Store to make or to add to.")],
    known: FileFormat = None,
    contact: Contact = None,
    license_: Annotated[
        str | None,
        typer.Option("--license", help="Licence of puzzles whose files name none, like CC-BY-4.0.", metavar="TEXT"),
    ] = None,
    owner: Annotated[
        str | None, typer.Option(help="Rights holder of puzzles whose files name none.", metavar="TEXT")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bring files of any known format into a store.

    What is in archives is read, and so are archives in them, but not archives deeper than that. What is downloaded is
    not kept. Files that can't be read are named with the reason, and the others go on. Puzzles that the store has are
    left out.
    """
    from pipeline.store.file_import import Terms, import_paths
    from pipeline.store.parts import open_store
    from reports.rights import is_free

    with resumable(), watching("importing") as callbacks:
        report = import_paths(paths, store, callbacks, format_named(known), contact, Terms(license_, owner))
    if not as_json:
        list_problems("could not be read", report.problems)
        list_problems("can have no solution as they stand; they are in the store, as invalid", report.invalid)
    total = open_store(store).rows()
    fields = {"added": report.added, "known": report.known, "puzzles": total, "store": store}
    if license_ is not None:
        fields["licensed"] = report.licensed
    lists = {"invalid": report.invalid, "problems": report.problems}
    known = f", {report.known:,} were there already" if report.known else ""
    tell(
        as_json,
        fields | {key: [item._asdict() for item in items] for key, items in lists.items()},
        f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store)}{known}: {total:,} in all."
        + (f" {report.licensed:,} of them got the licence {escape(license_)}." if license_ else ""),
    )
    if license_ and not is_free(license_):
        err.print(
            f"[yellow]Puzzles under {escape(license_)} are not passed on[/yellow] by pack, dataset, report --public; "
            "those under CC0, CC-BY, CC-BY-SA, MIT, Apache-2.0, BSD or Unlicense are."
        )
    raise typer.Exit(SOME_FAILED if report.problems else DONE)


def list_problems(what: str, problems: "list[Problem]") -> None:
    """Name each problem with its reason on standard error, the first few of many."""
    if problems:
        err.print(f"[yellow]{len(problems):,} {what}:[/yellow]")
        for line in some([f"{escape(problem.name)}: {escape(problem.reason)}" for problem in problems]):
            err.print(f"  {line}")
