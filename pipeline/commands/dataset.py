"""The command dataset, which makes a run ready to be published."""

from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, StoreAt
from pipeline.commands.output import progress, tell
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
    from pipeline.findings.dataset_folder import write_dataset
    from pipeline.run.run_folder import open_run
    from reports.dataset_columns import Content

    if with_clues and private:
        raise UserError("--with-clues and --private exclude each other: name the one that you mean")
    content = Content.everything if private else Content.licensed if with_clues else Content.none
    run = open_run(run_folder, store)
    with progress("reading", 2 * run.rows) as (bar, task):

        def seen(step: str, rows: int) -> None:
            bar.update(task, description=step, advance=rows)

        made = write_dataset(run, out_folder, content, seen)
    splits = ", ".join(f"{rows:,} {name}" for name, rows in made["splits"].items())
    warning = ["[yellow]Private: it holds what is not yours to publish.[/yellow]"] if private else []
    tell(
        as_json,
        made,
        [
            f"Dataset of [bold green]{made['rows']:,}[/bold green] puzzles ({splits}): {escape(made['folder'])}",
            *warning,
            f"Load it: [bold]datasets.load_dataset({escape(repr(made['folder']))})[/bold]",
        ],
    )
