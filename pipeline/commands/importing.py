"""The commands import and remove, which read files into a store, and take puzzles out of it."""

from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import Contact, Ids, InputFormat, OutStore, parse_ids
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    err,
    first_ids,
    global_options,
    list_errors,
    list_problems,
    print_result,
    show_progress,
)
from nonocensus.pipeline.store.file_import import Terms, import_paths
from nonocensus.pipeline.store.parts import open_store, remove_puzzles
from nonocensus.reports.rights import is_free
from nonocensus.reports.words.formatting import count_text

FOLLOW = (
    "\nIn a run: nonocensus retry RUN --changed updates it in place; to compare, copy it first (cp -r RUN before). Old "
    "pictures are shown only if the store was copied before this change."
)
"""What to do about runs after a change of their store."""


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files, folders and archives, also on https, s3:// and so on.", metavar="PATH..."),
    ],
    store: OutStore,
    input_format: InputFormat = None,
    contact: Contact = None,
    license_: Annotated[
        str | None,
        typer.Option("--license", help="Licence of puzzles whose files name none, like CC-BY-4.0.", metavar="TEXT"),
    ] = None,
    owner: Annotated[
        str | None, typer.Option(help="Rights holder of puzzles whose files name none.", metavar="TEXT")
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Only replace puzzles that the store has, by id.")] = False,
) -> None:
    """Import puzzle files, archives and URLs into a store.

    Archives (.zip, .tar.*) may contain archives, one level deep. Unreadable files are listed with the reason. Puzzles
    that the store already has, and stores, runs and reports in a folder, are skipped.

    With --update, files replace the puzzles of the same ids and add none: new ids and impossible clues are listed, with
    exit status 1. `retry RUN --changed` then classifies the replaced puzzles. Crawled stores are refused.
    """
    with show_progress("importing", resumes=True) as progress:
        terms = Terms(license_, owner)
        report = import_paths(paths, store, progress, input_format, contact, terms, update)
    list_problems("not imported", report.problems)
    list_problems("can have no solution as they stand; stored as invalid", report.invalid)
    total = open_store(store).rows()
    fields = {"added": report.added, "known": report.known, "puzzles": total, "store": store}
    if update:
        fields |= {"updated": len(report.updated), "updated_ids": report.updated, "resized": report.resized}
        fields |= {"contradicted": report.contradicted, "unknown_ids": report.unknown}
    if license_ is not None:
        fields["licensed"] = report.licensed
    if report.unsaved:
        fields["left_out_saved"] = report.unsaved
    lists = {"invalid": report.invalid, "problems": report.problems}
    done = count_text(len(report.updated) if update else report.added, "puzzle")
    known = f", {report.known:,} were there already" if report.known else ""
    print_result(
        fields | {key: [item._asdict() for item in items] for key, items in lists.items()},
        f"[bold green]{done}[/bold green] {'updated in' if update else 'added to'} {escape(store)}{known}: "
        f"{total:,} in all."
        + (f" {report.licensed:,} of them got the licence {escape(license_)}." if license_ else "")
        + (f"\nUpdated: {first_ids(report.updated)}." if report.updated else "")
        + (FOLLOW if report.changes_results else "")
        + f"\nLeft out: partly solved grids ({report.unsaved:,}); `solve FILE --from-saved 1` starts from one."
        * bool(report.unsaved),
    )
    if report.unknown and not global_options.json:
        err.print(
            f"[yellow]Not in the store, so not updated:[/yellow] {first_ids(report.unknown)}. A "
            "correction has its puzzle's id: puzzle_id in .jsonl, catalogue in .non, not the file's name, as convert "
            "and mend write it. import adds new puzzles without --update."
        )
    notes = {"Of another size now": report.resized, "With a picture that does not solve its clues": report.contradicted}
    list_errors([f"[yellow]{title}:[/yellow] {first_ids(ids)}" for title, ids in notes.items() if ids])
    if license_ and not is_free(license_):
        err.print(
            f"[yellow]Puzzles under {escape(license_)} are not passed on[/yellow] by pack, dataset, report --public; "
            "those under CC0, CC-BY, CC-BY-SA, MIT, Apache-2.0, BSD or Unlicense are."
        )
    raise typer.Exit(SOME_FAILED if report.problems or report.unknown else DONE)


def remove(
    store: Annotated[str, typer.Argument(help="Store of puzzles.", metavar="STORE")],
    ids: Ids,
) -> None:
    """Remove puzzles from a store.

    `retry RUN --changed` then removes them from a run. Nothing is removed if an id is unknown, or if the store is
    crawled, since that follows its site.
    """
    removed = list(dict.fromkeys(parse_ids(ids)))
    left = remove_puzzles(open_store(store), removed)
    print_result(
        {"removed": removed, "puzzles": left, "store": store},
        f"[bold green]{count_text(len(removed), 'puzzle')}[/bold green] removed from {escape(store)}: "
        f"{first_ids(removed)}; {left:,} left.{FOLLOW}",
    )
