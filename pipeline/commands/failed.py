"""The command failed: the puzzles of a run without an answer."""

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import out

if TYPE_CHECKING:
    pass

from pipeline.commands.options import RunFolder
from pipeline.commands.output import LISTED


def failed(
    run_folder: RunFolder,
    everything: Annotated[bool, typer.Option("--all", help="List all of them.")] = False,
    as_json: Json = False,
) -> None:
    """List the puzzles of a run without an answer: invalid, error, killed, timeout, and why."""
    import pyarrow.compute as pc
    from rich.table import Table

    from pipeline.run.folder import open_run

    run = open_run(run_folder)
    columns = ["puzzle_id", "status", "error", "cpu_seconds"]
    found: list[dict[str, Any]] = []
    counted: Counter[str] = Counter()
    for rows in run.batches(columns):
        bad = rows.filter(pc.not_equal(rows["status"], "ok")).to_pylist()
        counted.update(row["status"] for row in bad)
        found.extend(bad if everything or as_json else bad[: LISTED - len(found)])
    if as_json:
        print(json.dumps({"counts": counted, "puzzles": found}))
        return
    if not found:
        out.print(f"Every puzzle that {escape(run_folder)} has tried has its answer.", highlight=False)
        return
    out.print(", ".join(f"[red]{status}[/red] {count:,}" for status, count in counted.most_common()))
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("status", "puzzle", "why"):
        table.add_column(heading, overflow="fold")
    for row in found:
        why = row["error"] or f"no answer in {row['cpu_seconds']:.3g} CPU seconds"
        table.add_row(row["status"], escape(row["puzzle_id"]), escape(why))
    out.print(table)
    more = sum(counted.values()) - len(found)
    if more:
        out.print(f"... and {more:,} more (--all lists them)")
