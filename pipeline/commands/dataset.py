"""The command dataset, which exports a run for publication."""

from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import By, Private, RunFolder, Title
from nonocensus.pipeline.commands.output import PRIVATE_WARNING, print_result, show_progress
from nonocensus.pipeline.commands.status import open_results
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.dataset_folder import write_dataset
from nonocensus.reports.dataset.dataset_columns import Content
from nonocensus.reports.words.formatting import count_text


def dataset(
    run_folder: RunFolder,
    out_folder: Annotated[
        str, typer.Option("--out", help="Folder to create, or whose dataset to replace.", metavar="FOLDER")
    ],
    with_clues: Annotated[
        bool, typer.Option("--with-clues", help="Include clues, pictures and texts where the licence allows it.")
    ] = False,
    measures: Annotated[
        bool, typer.Option("--measures", help="Omit what sites state, too: ratings, solving times, dates.")
    ] = False,
    private: Private = False,
    title: Title = None,
    by: By = None,
) -> None:
    """Export a run as a Parquet dataset for load_dataset.

    Writes three splits, a card and Croissant metadata; the run may be unfinished. By default the dataset has the
    puzzles' ids, hashes and measures, and what sites state about them; to publish it, use --measures, which is CC0-1.0.
    With --private it has clues, pictures and texts of all puzzles.
    """
    given = {Content.measures: measures, Content.licensed: with_clues, Content.everything: private}
    contents = [content for content, is_given in given.items() if is_given] or [Content.none]
    if len(contents) > 1:
        raise UserError("--measures, --with-clues and --private exclude each other; give one")
    run = open_results(run_folder)
    with show_progress("reading") as progress:
        made = write_dataset(run, out_folder, contents[0], progress, title, by)
    rows = count_text(made["rows"], "puzzle")
    splits = ", ".join(f"{count:,} {name}" for name, count in made["splits"].items())
    print_result(
        made,
        [
            f"Dataset of [bold green]{rows}[/bold green] ({splits}): {escape(made['folder'])}",
            *[PRIVATE_WARNING] * private,
            *["For publication, make it with [bold]--measures[/bold]: what sites state is not ours."]
            * (made["license"] == "other" and not private),
            f"Load it: [bold]datasets.load_dataset({escape(repr(made['folder']))})[/bold]",
        ],
    )
