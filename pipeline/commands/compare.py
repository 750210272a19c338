"""The command compare, which compares two runs puzzle by puzzle."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    VERDICT_COLORS,
    first_ids,
    first_lines,
    print_result,
    show_progress,
    table,
)
from nonocensus.pipeline.commands.status import describe_changed
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings import comparison
from nonocensus.pipeline.findings.comparison import SECONDS, SLOWER, Comparison, TimedPuzzle
from nonocensus.pipeline.findings.figures_page import figure
from nonocensus.pipeline.findings.run_changes import changes_page
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.paths import STDOUT, open_output
from nonocensus.reports.numbers.aggregate import to_plain


def compare(
    old: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN1")],
    new: Annotated[str, typer.Argument(help="Run folder to compare it with.", metavar="RUN2")],
    html: Annotated[
        str | None, typer.Option(help="Write a page of what was fixed, is worse, new or removed.", metavar="FILE")
    ] = None,
) -> None:
    """Compare two runs by puzzle: fixes, verdicts, times, work.

    Puzzles are matched by id, since clues of a fixed puzzle differ; proofs, times and work are compared where they are
    the same. Exit status 1 if a proof has changed: one of the runs is wrong then.

    --html shows old pictures if run and store were copied together before the change:
    `mkdir before && cp -r STORE RUN before`.
    """
    if html == STDOUT:
        raise UserError("--html -: standard output gets the comparison; name a file")
    with show_progress("comparing"):
        runs = open_run(old), open_run(new)
        found = comparison.compare(*runs)
        if html is not None:
            with open_output(html) as stream:
                stream.write(changes_page(*runs, found).encode())
    print_result(to_plain(found), chain(describe(found, old, new), describe_changed(runs[1])))
    raise typer.Exit(SOME_FAILED if found.alarms else DONE)


def describe(found: Comparison, old: str, new: str) -> Iterator[RenderableType]:
    """Yield a comparison, the most important part first."""
    puzzles = found.puzzles
    yield (
        f"Puzzles in both runs: [bold]{puzzles.both:,}[/bold] with the same clues, {puzzles.other_clues:,} with other "
        f"clues; {puzzles.only_old:,} only in {escape(old)}, {puzzles.only_new:,} only in {escape(new)}."
    )
    yield (
        "At fault (several solutions, none, impossible clues or another picture; a report counts duplicates too, and "
        f"tells marked ones apart): {found.faults.old:,} in {escape(old)}, "
        f"[bold]{found.faults.new:,}[/bold] in {escape(new)}."
    )
    yield from describe_verdicts(found)
    for what, differences in (("configuration", found.configuration), ("versions", found.versions)):
        if differences:
            listed = ", ".join(f"{name} {before} -> {after}" for name, before, after in differences)
            yield f"[yellow]Other {what}:[/yellow] {escape(listed)}"
    yield from describe_times(found)
    yield from describe_moved("slower", found.slower, found.slowed)
    yield from describe_moved("faster", found.faster, found.sped_up)


def describe_times(found: Comparison) -> Iterator[RenderableType]:
    """Yield CPU times and counters of both runs, where they differ."""
    if any(one.old != one.new for one in found.times):
        numbers = ("puzzles", "old", "new", "mean ratio", "p10", "median", "p90")
        times = table("CPU seconds", *numbers, right=numbers)
        for label, puzzles, before, after, *ratios in found.times:
            name = "all" if label is None else f"[{VERDICT_COLORS.get(label, 'cyan')}]{escape(label)}[/]"
            times.add_row(name, f"{puzzles:,}", figure(before), figure(after), *(f"{ratio:.3f}" for ratio in ratios))
        yield times
        yield "(the mean is the geometric one of new / old, puzzle by puzzle)"
    work = table("work", "old", "new", "puzzles that differ", right=("old", "new", "puzzles that differ"))
    for counter, before, after, differ in found.work:
        count = f"[yellow]{differ:,}[/yellow]" if differ else "0"
        work.add_row(counter.replace("_", " "), f"{before:,}", f"{after:,}", count)
    if any(one.differ for one in found.work):
        yield work


def describe_moved(title: str, count: int, moved: list[TimedPuzzle]) -> Iterator[RenderableType]:
    """Yield the puzzles whose times changed most."""
    limits = f"{SLOWER:g} times and {SECONDS * 1000:g} ms {title}"
    if not count:
        yield f"No puzzle is at least {limits}."
        return
    color = "red" if title == "slower" else "green"
    most = f", of which these {len(moved)} most" if count > len(moved) else ""
    yield f"[{color}]{count:,} at least {limits}[/{color}]{most}:"
    puzzles = table("puzzle", "old s", "new s", "times", "verdict", right=("old s", "new s", "times"))
    for puzzle_id, before, after, old_seconds, new_seconds in moved:
        label = before if before == after else f"{before} -> {after}"
        times = f"{new_seconds / old_seconds:,.3g}" if old_seconds else ""
        puzzles.add_row(escape(puzzle_id), figure(old_seconds), figure(new_seconds), times, escape(label))
    yield puzzles


def describe_verdicts(found: Comparison) -> Iterator[RenderableType]:
    """Yield what was fixed, is worse or new, changed verdicts, answers gained and lost, and contradicting proofs."""
    for name, count, listed, _ in found.changed:
        color = {"fixed": "green", "removed as duplicate": "green", "worse": "red"}.get(name, "bold")
        yield f"[{color}]{count:,}[/{color}] {name}: {first_ids([one.puzzle_id for one in listed], count)}"
        notes = [(one.puzzle_id, one.new_error) for one in listed if one.new_error]
        notes += [(one.puzzle_id, f"duplicate of {one.repeats}") for one in listed if one.repeats]
        yield from first_lines([f"  {escape(name)}: {escape(note)}" for name, note in notes])
    if found.changes:
        changes = table("verdict", "became", "puzzles", "for instance", right=("puzzles",))
        for before, after, puzzles, examples in found.changes:
            labels = (f"[{VERDICT_COLORS.get(label, 'cyan')}]{escape(label)}[/]" for label in (before, after))
            changes.add_row(*labels, f"{puzzles:,}", escape(", ".join(examples)))
        yield changes
    else:
        yield "No verdict has changed."
    lost = f"[red]{found.lost:,}[/red]" if found.lost else "0"
    yield f"Answers gained: [green]{found.gained:,}[/green], lost: {lost}"
    if not found.alarms:
        yield "[green]No proof of the same clues has changed.[/green]"
        return
    yield f"[bold red]{len(found.alarms):,} proofs of the same clues have changed: one of the runs is wrong.[/bold red]"
    lines = [
        f"{escape(alarm.puzzle_id)}: {alarm.what} "
        + escape("unique with other cells" if alarm.what == "solution" else f"{alarm.old} -> {alarm.new}")
        for alarm in found.alarms
    ]
    yield from (f"[red]  {line}[/red]" for line in first_lines(lines))
