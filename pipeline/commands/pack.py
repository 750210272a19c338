"""The commands pack and tasks, which select puzzles of a run: for publication, and for language models."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import (
    By,
    Ids,
    Private,
    RunFolder,
    Title,
    Where,
    between,
    format_option,
    number_option,
    parse_ids,
    parsed_range,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    PRIVATE_WARNING,
    SOME_FAILED,
    first_ids,
    global_options,
    print_result,
    show_progress,
)
from nonocensus.pipeline.commands.status import open_results
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.puzzle_pack import MIN_DENSITY, PackOptions, funnel_text, parse_layout, write_pack
from nonocensus.pipeline.findings.task_file import write_tasks
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.page.book import EASY_PRINT
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.formats import Format, non

MAX_PACK = 100_000
"""Upper bound of --count: a pack is one folder of files."""

SpreadBy = Annotated[
    Literal["minutes", "stars", "grade", "difficulty"] | None,
    typer.Option(help="Choose evenly by minutes, stars, grade or difficulty first.", metavar="BY"),
]
Minutes = Annotated[
    str | None, typer.Option(help="Only puzzles that take people this long, by estimate, like 5-10.", metavar="MIN-MAX")
]
MinDensity = Annotated[
    float, typer.Option(callback=between(0.0, 1.0), help="Minimum share of painted cells.", metavar="RATIO")
]


def pack(
    run_folder: RunFolder,
    out_folder: Annotated[
        str, typer.Option("--out", help="Folder to create, or whose pack to replace.", metavar="FOLDER")
    ],
    count: Annotated[int, number_option("Number of puzzles.", most=MAX_PACK)] = 100,
    ids: Ids = None,
    where: Where = None,
    spread: SpreadBy = None,
    minutes: Minutes = None,
    to: Annotated[Format | None, format_option("non")] = None,
    pdf: Annotated[
        str | None, typer.Option(help="Write book.pdf, up to 1, 2, 4, 6 a page (4-letter: Letter).", metavar="N")
    ] = None,
    title: Title = None,
    by: By = None,
    private: Private = False,
    min_density: MinDensity = MIN_DENSITY,
    per_author: Annotated[int | None, number_option("Maximum number of puzzles by one author.", most=MAX_PACK)] = None,
) -> None:
    """Select puzzles for an app, a website or a book.

    Writes a file per puzzle, from easy to hard (with --pdf in the book's order, by chapters of stars), pack.json
    (clues, solutions, rights, difficulty) and its table pack.csv. All puzzles have one solution; no two are equal or
    nearly so when rotated, mirrored or recoloured. Those rated best at their site are taken first. --where selects,
    like "stars < 2 and width <= 15". Rules of selection and of the book: docs/DATASETS.md.
    """
    run = open_results(run_folder)
    with show_progress("choosing") as progress:
        wanted = PackOptions(
            count=count,
            ids=parse_ids(ids),
            where=where,
            spread=spread,
            minutes=parsed_range(minutes),
            to=to or non,
            private=private,
            min_density=min_density,
            per_author=per_author,
            pdf=None if pdf is None else parse_layout(pdf),
            title=title,
            by=by,
        )
        made = write_pack(run, out_folder, wanted, progress)
    requested = min(count, len(wanted.ids)) if wanted.ids else count
    made_puzzles = f"[bold green]{count_text(made.puzzles, 'puzzle')}[/bold green]"
    lines = [f"{made_puzzles}, index pack.json{' and book.pdf' if pdf else ''}: {escape(made.folder)}"]
    few = made.puzzles < requested
    if few:
        lines.append(f"[yellow]Fewer than {requested:,} qualify:[/yellow] {escape(funnel_text(made.considered))}.")
    if made.left_out:
        lost = ", ".join(f"{what} ({number:,})" for what, number in made.left_out.items())
        lines.append(f"Lost in these files (--to jsonl keeps it): {escape(lost)}.")
    lines += [PRIVATE_WARNING] * private
    lines += [f"{escape(note)}." for note in made.notes]
    for reason in dict.fromkeys(made.skipped.values()):
        named = first_ids([name for name, why in made.skipped.items() if why == reason])
        lines.append(f"[yellow]Skipped[/yellow] {named}: {escape(reason)}.")
    if made.small:
        small = first_ids([f"{name} ({points:g} pt)" for name, points in made.small.items()])
        lines.append(f"[yellow]Small print[/yellow] in the book, numbers of less than {EASY_PRINT:g} pt: {small}.")
    if made.in_color:
        lines.append(f"Printed [yellow]without letters[/yellow], need a colour print: {first_ids(made.in_color)}.")
    print_result(made._asdict(), lines)
    raise typer.Exit(SOME_FAILED if few else DONE)


def tasks(
    run_folder: RunFolder,
    out: Annotated[str, typer.Option("--out", help="File of JSON lines to write, - for stdout.", metavar="FILE")],
    style: Annotated[
        Literal["clues", "grid", "chat"],
        typer.Option(help="Prompt: lists of clues, the empty grid, or chat messages.", metavar="STYLE"),
    ] = "clues",
    count: Annotated[int, number_option("Maximum number.", most=MAX_PACK, show_default=f"{MAX_PACK:,}")] = MAX_PACK,
    ids: Ids = None,
    where: Where = None,
    spread: SpreadBy = None,
    minutes: Minutes = None,
    private: Private = False,
    min_density: MinDensity = MIN_DENSITY,
) -> None:
    """Write puzzles as tasks for language models, with answer keys.

    Writes a JSON line per puzzle, easiest first; docs/TASKS.md describes the fields. All puzzles have one solution; no
    two are equal when rotated, mirrored or recoloured, and such copies have the same split in each run: train,
    validation or test. `check --tasks` scores answers.
    """
    if out == STDOUT and global_options.json:
        raise UserError("--json and --out - both write to standard output; name a file")
    options = PackOptions(
        count=count,
        ids=parse_ids(ids),
        where=where,
        spread=spread,
        minutes=parsed_range(minutes),
        private=private,
        min_density=min_density,
    )
    run = open_results(run_folder)
    with show_progress("choosing") as progress:
        made = write_tasks(run, out, options, style, progress)
    if out == STDOUT:
        return
    splits = ", ".join(f"{count:,} {name}" for name, count in made.splits.items())
    written = f"[bold green]{sum(made.splits.values()):,}[/bold green] tasks ({splits}): {escape(out)}"
    print_result({**made._asdict(), "file": out}, [written, *[PRIVATE_WARNING] * private])
