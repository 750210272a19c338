"""The command failed: the puzzles of a run without an answer."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.options import Json, RunFolder
from pipeline.commands.output import LISTED, counted, more, table, tell

if TYPE_CHECKING:
    from rich.console import RenderableType


def failed(
    run_folder: RunFolder,
    everything: Annotated[bool, typer.Option("--all", help="List all of them.")] = False,
    as_json: Json = False,
) -> None:
    """List the puzzles of a run without an answer: invalid, error, killed, timeout, and why."""
    import pyarrow.compute as pc

    from pipeline.run.results import row_masks
    from pipeline.run.run_folder import open_run

    run = open_run(run_folder)
    columns = ["puzzle_id", "status", "error", "cpu_seconds"]
    found: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    files = run.result_files()
    kept = row_masks(files)
    for file in files:
        rows = run.read(file, kept.get(file.name), columns)
        bad = rows.filter(pc.not_equal(rows["status"], "ok")).to_pylist()
        for row in bad:
            row["cpu_limit"] = file.limit
        counts.update(row["status"] for row in bad)
        found.extend(bad if everything or as_json else bad[: LISTED - len(found)])
    tell(as_json, {"counts": counts, "puzzles": found}, shown(run_folder, counts, found))


def shown(run_folder: str, counts: Counter[str], found: list[dict[str, Any]]) -> "Iterator[RenderableType]":
    """How many there are of each status, the puzzles, and how many more."""
    if not found:
        yield f"Every puzzle that {escape(run_folder)} has tried has its answer."
        return
    yield counted(counts, {}, "red")
    puzzles = table("status", "puzzle", "why")
    for row in found:
        why = row["error"] or f"no answer within the limit of {row['cpu_limit']:g} CPU seconds"
        puzzles.add_row(row["status"], escape(row["puzzle_id"]), escape(why))
    yield puzzles
    yield from more(counts.total() - len(found), "(--all lists them)")
