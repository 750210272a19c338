"""The command pack: puzzles of a run for an app, a site or a book."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from pipeline.commands.options import Json, RunFolder, StoreAt, finite, format_named
from pipeline.commands.output import DONE, SOME_FAILED, progress, tell

MOST = 100_000
"""Puzzles of a pack at most: they are files of one folder."""


def pack(
    run_folder: RunFolder,
    out_folder: Annotated[str, typer.Option("--out", help="Folder to make, or whose former pack to replace.")],
    count: Annotated[int, typer.Option("--count", min=1, max=MOST, help="Puzzles to choose.")] = 100,
    where: Annotated[
        str | None,
        typer.Option(help='Only puzzles that meet a condition in SQL, like "width = 15 and grade <= 4".'),
    ] = None,
    spread: Annotated[
        Literal["difficulty", "grade"] | None,
        typer.Option(help="Choose them evenly from easy to hard, instead of at random."),
    ] = None,
    to: Annotated[str, typer.Option("--to", help="Format of the files.", metavar="FORMAT")] = "non",
    private: Annotated[
        bool, typer.Option("--private", help="Also puzzles whose licence does not allow it; not to be published.")
    ] = False,
    min_density: Annotated[
        float | None,
        typer.Option(min=0, max=1, callback=finite, help="Least share of painted cells, 0 to 1.  [default: 0.1]"),
    ] = None,
    store: StoreAt = None,
    as_json: Json = False,
) -> None:
    """Choose puzzles with one solution for an app, a site or a book: a file each, from easy to hard, and a list.

    No two are the same turned, mirrored or recoloured. The list, pack.csv, says whose each is and how hard. The same
    run gives the same pack.
    """
    from pipeline.findings.puzzle_pack import MIN_DENSITY, PackOptions, through, write_pack
    from pipeline.run.run_folder import open_run

    known = format_named(to)
    assert known is not None
    run = open_run(run_folder, store)
    with progress("choosing", 2 * run.rows) as (bar, task):
        wanted = PackOptions(count, known, where, spread, private, MIN_DENSITY if min_density is None else min_density)
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
        lines.append("[yellow]Private: it holds what is not yours to publish.[/yellow]")
    if made.skipped:
        name, reason = next(iter(made.skipped.items()))
        skipped = f"{len(made.skipped):,} chosen but skipped, since the format can't hold them"
        lines.append(f"[yellow]{skipped}[/yellow] (pack.json lists them): {escape(name)}: {escape(reason)}")
    tell(as_json, made._asdict(), lines)
    raise typer.Exit(SOME_FAILED if few or made.skipped else DONE)
