"""The command dedup: puzzles that an archive has more than once, or nearly so."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import LISTED, more, out, table, tell, watching
from pipeline.errors import UserError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pipeline.findings.deduplication import Duplicates
    from reports.family_words import FamilyWords


def dedup(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")],
    cells: Annotated[
        float | None,
        typer.Option(
            help="Nonograms: share of the cells, up to 0.2, in which near pictures may differ; with 0 none are near.  "
            "[default: 0.05]",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[str | None, typer.Option(help="Write all duplicates to this file (- for standard output).")] = None,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Find puzzles that a store has more than once: equal, turned, mirrored or recoloured, or with a near picture.

    Of Sudokus those that become equal when rows, columns, bands, stacks or digits are exchanged; none is near.

    Each duplicate stands beside its original: the first by date, else by its number at its source, else in the store. A
    picture is the goal that fits its clues, or in a run the one solution. Near pictures may be turned or mirrored too.
    """
    from pipeline.findings.csv_file import write_csv
    from pipeline.findings.deduplication import find_duplicates
    from pipeline.findings.json_value import json_value
    from pipeline.run.run_folder import open_place
    from pipeline.store.paths import STDOUT
    from reports.family_words import WORDS

    if csv is not None and as_json:
        raise UserError("--csv and --json are two ways to write the duplicates; choose one")
    opened = open_place(place, store)
    with watching("reading") as callbacks:
        found = find_duplicates(opened, cells, callbacks)
    words = WORDS[opened.family.name]
    if csv is not None:
        write_csv(csv, found.found.schema, found.found.to_batches())
        if csv != STDOUT:
            tell(False, None, shown_counts(found, words))
            out.print(f"[bold]{len(found.found):,}[/bold] duplicates written to {escape(csv)}")
        return
    value: dict[str, Any] = {}
    if as_json:
        value = found._asdict() | {"found": json_value(found.found.to_pylist())}
    tell(as_json, value, shown(found, words))


def shown(found: "Duplicates", words: "FamilyWords") -> "Iterator[RenderableType]":
    """The first duplicates beside their originals, and how many there are."""
    if len(found.found):
        listed = table("first", "duplicate", "likeness", "cells", right=("cells",))
        former = None
        for row in found.found.slice(0, LISTED).to_pylist():
            original = named(row["original"], row["original_date"])
            differing = "" if row["cells"] is None else f"{row['cells']:,}"
            listed.add_row(
                "" if original == former else original,
                named(row["puzzle_id"], row["site_date"]),
                row["likeness"],
                differing,
            )
            former = original
        yield listed
        yield from more(len(found.found) - LISTED, "(--csv FILE or --json gives all)")
    yield from shown_counts(found, words)


def named(puzzle_id: str | None, date: Any) -> str:
    """A puzzle's id, and when the site got it, if that is known."""
    return escape(str(puzzle_id)) + (f" ({date})" if date else "")


def shown_counts(found: "Duplicates", words: "FamilyWords") -> Iterator[str]:
    """How many duplicates there are of each kind, and what was not looked at."""
    counts = found.counts
    near = f", {counts['near']:,} with a near picture" if words.pictured else ""
    yield (
        f"[bold]{found.puzzles:,}[/bold] puzzles: {counts['equal']:,} equal to an earlier one, {counts['turned']:,} "
        f"{words.twins}{near}."
    )
    for count, what in (
        (words.pictured and found.pictureless, "have no picture, so none of them is near another"),
        (found.faulty, f"have {words.meanings['invalid'].partition(',')[0]}, and were not compared"),
        (found.missing, "have no result yet, and were not looked at"),
        (found.crowded, "have pictures that are like so many others that near ones may be missing"),
    ):
        if count:
            yield f"[yellow]{count:,}[/yellow] {what}."
