"""The command tasks, which writes puzzles of a run as tasks for language models."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import Ids, Private, RunFolder, between, parsed_range, selected
from nonocensus.pipeline.commands.output import global_options, print_result, progress
from nonocensus.pipeline.commands.pack import MAX_PACK, MinDensity, Minutes, SpreadBy, Where
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.puzzle_pack import MIN_DENSITY, PackOptions
from nonocensus.pipeline.findings.task_file import write_tasks
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.scrapers.formats import jsonl


def tasks(
    run_folder: RunFolder,
    out: Annotated[str, typer.Option("--out", help="File of JSON lines to write, - for stdout.", metavar="FILE")],
    style: Annotated[
        Literal["clues", "grid", "chat"],
        typer.Option(help="Prompt: lists of clues, the empty grid, or chat messages.", metavar="STYLE"),
    ] = "clues",
    count: Annotated[
        int | None,
        typer.Option(
            "--count", callback=between(1, MAX_PACK), help="Maximum number.", metavar="N", show_default=f"{MAX_PACK:,}"
        ),
    ] = None,
    ids: Ids = None,
    where: Where = None,
    spread: SpreadBy = None,
    minutes: Minutes = None,
    private: Private = False,
    min_density: MinDensity = None,
) -> None:
    """Write puzzles as tasks for language models, with answer keys.

    Writes a JSON line a puzzle, easiest first; docs/TASKS.md describes the fields. All puzzles have one solution; no
    two are equal when rotated, mirrored or recoloured, and such copies have the same split in each run: train,
    validation or test. `check --tasks` scores answers.
    """
    if out == STDOUT and global_options.json:
        raise UserError("--json and --out - both write to standard output; name a file")
    options = PackOptions(
        puzzles=count or MAX_PACK,
        known=jsonl,
        ids=selected(ids, None, None).ids,
        where=where,
        spread=spread,
        minutes=None if minutes is None else parsed_range(minutes),
        private=private,
        density=MIN_DENSITY if min_density is None else min_density,
    )
    run = open_run(run_folder)
    with progress("choosing", 2 * run.rows) as (bar, task):
        made = write_tasks(run, out, options, style, lambda rows: bar.update(task, advance=rows))
    if out == STDOUT:
        return
    splits = ", ".join(f"{count:,} {name}" for name, count in made.splits.items())
    warning = ["[yellow]Private: it holds puzzles that must not be published.[/yellow]"] if private else []
    print_result(
        {**made._asdict(), "file": out},
        [f"[bold green]{sum(made.splits.values()):,}[/bold green] tasks ({splits}): {escape(out)}", *warning],
    )
