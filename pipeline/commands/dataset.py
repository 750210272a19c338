"""The command dataset, which makes a run ready to be published."""

import json
from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import DONE, out, progress, rate_of
from pipeline.errors import UserError


def dataset(
    run_folder: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")],
    out_folder: Annotated[str, typer.Option("--out", help="Folder to make, or whose former dataset to replace.")],
    with_clues: Annotated[
        bool, typer.Option("--with-clues", help="Also clues, pictures and texts, where the puzzle's licence allows it.")
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Also clues, pictures and texts of all puzzles; not to be published.")
    ] = False,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Make a dataset of a run, finished or not: Parquet in three splits, a card and Croissant, for `load_dataset`.

    Without an option it holds measures by the puzzles' ids and hashes, and nothing that is anybody's.
    """
    from pipeline.findings.dataset import write_dataset
    from pipeline.run.folder import open_run
    from reports.dataset import Content

    if with_clues and private:
        raise UserError("--with-clues and --private exclude each other: name the one that you mean")
    content = Content.everything if private else Content.licensed if with_clues else Content.none
    run = open_run(run_folder, store)
    with progress("reading", 2 * run.rows) as (bar, task):

        def seen(step: str, rows: int) -> None:
            bar.update(task, description=step, advance=rows, rate=rate_of(bar, task))

        made = write_dataset(run, out_folder, content, seen)
    if as_json:
        print(json.dumps(made))
        raise typer.Exit(DONE)
    splits = ", ".join(f"{rows:,} {name}" for name, rows in made["splits"].items())
    out.print(
        f"Dataset of [bold green]{made['rows']:,}[/bold green] puzzles ({splits}): {escape(made['folder'])}",
        highlight=False,
        soft_wrap=True,
    )
    if private:
        out.print("[yellow]Private: it holds what is not yours to publish.[/yellow]", highlight=False, soft_wrap=True)
    out.print(
        f"Load it: [bold]datasets.load_dataset({escape(repr(made['folder']))})[/bold]", highlight=False, soft_wrap=True
    )
