"""The command pack, which selects puzzles of a run for publication."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from pipeline.commands.options import Private, RunFolder, between, format_named, parsed_minutes
from pipeline.commands.output import DONE, SOME_FAILED, print_result, progress

MAX_PACK = 100_000
"""Upper bound of --count: a pack is one folder of files."""


def pack(
    run_folder: RunFolder,
    out_folder: Annotated[
        str, typer.Option("--out", help="Folder to create, or whose pack to replace.", metavar="FOLDER")
    ],
    count: Annotated[
        int, typer.Option("--count", callback=between(1, MAX_PACK), help="Number of puzzles.", metavar="N")
    ] = 100,
    where: Annotated[
        str | None,
        typer.Option(help='Only puzzles matching an SQL condition, like "grade <= 4".', metavar="SQL"),
    ] = None,
    spread: Annotated[
        Literal["minutes", "stars", "grade", "difficulty"] | None,
        typer.Option(help="Choose evenly by minutes, stars, grade or difficulty, not at random.", metavar="BY"),
    ] = None,
    minutes: Annotated[
        str | None,
        typer.Option(help="Only puzzles that take people this long, by estimate, like 5-10.", metavar="MIN-MAX"),
    ] = None,
    to: Annotated[str, typer.Option("--to", help="Output format.", metavar="FORMAT")] = "non",
    private: Private = False,
    min_density: Annotated[
        float | None,
        typer.Option(
            callback=between(0.0, 1.0), help="Minimum share of painted cells.", metavar="RATIO", show_default="0.1"
        ),
    ] = None,
) -> None:
    """Select puzzles for an app, a website or a book.

    Writes a file a puzzle, from easy to hard, and pack.csv with authors, licences, minutes and difficulty. All puzzles
    have one solution; no two are equal when rotated, mirrored or recoloured. The same run gives the same pack.
    """
    from pipeline.findings.puzzle_pack import MIN_DENSITY, PackOptions, through, write_pack
    from pipeline.run.run_folder import open_run

    known = format_named(to)
    assert known is not None
    run = open_run(run_folder)
    with progress("choosing", 2 * run.rows) as (bar, task):
        wanted = PackOptions(
            puzzles=count,
            known=known,
            where=where,
            spread=spread,
            minutes=None if minutes is None else parsed_minutes(minutes),
            private=private,
            density=MIN_DENSITY if min_density is None else min_density,
        )
        made = write_pack(run, out_folder, wanted, lambda rows: bar.update(task, advance=rows))
    few = made.puzzles + len(made.skipped) < count
    lines = [f"[bold green]{made.puzzles:,}[/bold green] puzzles, and pack.csv, their list: {escape(made.folder)}"]
    if few:
        came = escape(through(made.considered))
        lines.append(f"[yellow]There are not {count:,}[/yellow] that differ by more than symmetry: {came}.")
    if made.left_out:
        lost = ", ".join(f"{what} ({number:,})" for what, number in made.left_out.items())
        lines.append(f"The files can't hold: {escape(lost)}.")
    if private:
        lines.append("[yellow]Private: it holds puzzles that must not be published.[/yellow]")
    if made.skipped:
        name, reason = next(iter(made.skipped.items()))
        skipped = f"{len(made.skipped):,} chosen but skipped, since the format can't hold them"
        lines.append(f"[yellow]{skipped}[/yellow] (pack.json lists them): {escape(name)}: {escape(reason)}")
    print_result(made._asdict(), lines)
    raise typer.Exit(SOME_FAILED if few or made.skipped else DONE)
