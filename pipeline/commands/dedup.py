"""The command dedup, which finds duplicate and near-duplicate puzzles."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.options import CsvFile, RunOrStore
from nonocensus.pipeline.commands.output import (
    LIST_LIMIT,
    global_options,
    out,
    print_result,
    print_text,
    remaining,
    show_progress,
    table,
)
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.csv_file import json_value, write_csv
from nonocensus.pipeline.findings.deduplication import SHARE, Duplicates, find_duplicates
from nonocensus.pipeline.run.run_folder import open_place
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.words.formatting import count_text


def dedup(
    place: RunOrStore,
    cells: Annotated[
        float, typer.Option(help="Share of rarer cells in which near pictures differ, at most 0.2.", metavar="RATIO")
    ] = SHARE,
    csv: CsvFile = None,
) -> None:
    """Find duplicates, also rotated, mirrored or nearly equal ones.

    Each duplicate is listed with its original: the first by date, else by number at its source, else in the
    store. A picture is the goal that fits the clues, or in a run the only solution; near pictures may be rotated or
    mirrored. A picture's rarer cells are those of its commonest colour, or all others if these are fewer. Pictures
    smaller than 8x8 and plain ones (fills, stripes, frames, chessboards) have no near ones. --cells 0 finds none.
    """
    if csv is not None and global_options.json:
        raise UserError("--csv and --json exclude each other; give one")
    opened = open_place(place)
    with show_progress("reading") as progress:
        found = find_duplicates(opened, cells, progress)
    if csv is not None:
        write_csv(csv, found.found.schema, found.found.to_batches())
        if csv != STDOUT:
            print_text(describe_counts(found))
            out.print(f"[bold]{count_text(len(found.found), 'duplicate')}[/bold] written to {escape(csv)}")
        return
    value: dict[str, Any] = {}
    if global_options.json:
        value = found._asdict() | {"found": json_value(found.found.to_pylist())}
    print_result(value, describe(found))


def describe(found: Duplicates) -> Iterator[RenderableType]:
    """Yield the first duplicates with their originals, and the counts."""
    if len(found.found):
        listed = table("first", "duplicate", "likeness", "cells that differ", right=("cells that differ",))
        former = None
        for row in found.found.slice(0, LIST_LIMIT).to_pylist():
            original = label(row["original"], row["original_date"])
            differing = "" if row["cells"] is None else f"{row['cells']:,}"
            copy = label(row["puzzle_id"], row["site_date"])
            listed.add_row("" if original == former else original, copy, row["likeness"], differing)
            former = original
        yield listed
        yield from remaining(len(found.found) - LIST_LIMIT, "(--csv FILE or --json gives all)")
    yield from describe_counts(found)


def label(puzzle_id: str | None, date: Any) -> str:
    """Return a puzzle's id, with its date if known."""
    return escape(str(puzzle_id)) + (f" ({date})" if date else "")


def describe_counts(found: Duplicates) -> Iterator[str]:
    """Yield the counts of duplicates by kind, and of puzzles that were not compared."""
    counts = found.counts
    yield (
        f"[bold]{count_text(found.puzzles, 'puzzle')}[/bold]: {counts['equal']:,} equal to an earlier one, "
        f"{counts['turned']:,} turned or mirrored, {counts['recoloured']:,} recoloured, {counts['near']:,} with a near "
        "picture."
    )
    for count, what in (
        (found.pictureless, "have no picture to compare for nearness"),
        (found.plain, "are plain (at most two different clues on each side): near none"),
        (found.faulty, "have clues that no picture can have, and were not compared"),
        (found.missing, "have no result yet, and were not compared"),
        (found.crowded, "have too many similar pictures: near ones may be missing"),
    ):
        if count:
            yield f"[yellow]{count:,}[/yellow] {what}."
