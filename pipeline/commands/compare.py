"""The command compare: two runs, puzzle by puzzle."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import DONE, LISTED, SOME_FAILED, err, out
from pipeline.commands.run_status import COLORS

if TYPE_CHECKING:
    from pipeline.findings.compare import Comparison, Timed

from pipeline.commands.query import plain_table


def compare(
    old: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN1")],
    new: Annotated[str, typer.Argument(help="Run folder that is compared with it.", metavar="RUN2")],
    as_json: Json = False,
) -> None:
    """Compare two runs puzzle by puzzle: verdicts, proofs, CPU times, and the work that does not depend on the machine.

    Exit status 1 if a proof has changed: then one of the runs is wrong.
    """
    from pipeline.findings.compare import compare
    from pipeline.run.folder import open_run
    from reports.aggregate import plain

    with err.status("comparing"):
        found = compare(open_run(old), open_run(new))
    if as_json:
        print(json.dumps(plain(found)))
    else:
        show_comparison(found, old, new)
    raise typer.Exit(SOME_FAILED if found.alarms else DONE)


def show_comparison(found: "Comparison", old: str, new: str) -> None:
    """A comparison on the terminal, what matters most last."""
    puzzles = found.puzzles
    out.print(
        f"[bold]{puzzles.both:,}[/bold] puzzles in both; {puzzles.only_old:,} only in {escape(old)}, "
        f"{puzzles.only_new:,} only in {escape(new)}, {puzzles.other_clues:,} with other clues.",
        highlight=False,
        soft_wrap=True,
    )
    for what, differences in (("configuration", found.configuration), ("versions", found.versions)):
        if differences:
            listed = ", ".join(f"{name} {before} -> {after}" for name, before, after in differences)
            out.print(f"[yellow]Other {what}:[/yellow] {escape(listed)}", highlight=False, soft_wrap=True)
    show_times(found)
    for title, count, moved in (
        ("slower", found.slower, found.slowed),
        ("faster", found.faster, found.sped_up),
    ):
        show_moved(title, count, moved)
    show_verdicts(found)


def show_times(found: "Comparison") -> None:
    """CPU times and counters of both runs."""
    table = plain_table()
    for name in ("CPU seconds", "puzzles", "old", "new", "mean ratio", "p10", "median", "p90"):
        table.add_column(name, justify="left" if name == "CPU seconds" else "right")
    for label, puzzles, before, after, *ratios in found.times:
        name = "all" if label is None else f"[{COLORS.get(label, 'cyan')}]{escape(label)}[/]"
        table.add_row(name, f"{puzzles:,}", seconds(before), seconds(after), *(f"{ratio:.3f}" for ratio in ratios))
    if found.times:
        out.print(table, "(the mean is the geometric one of new / old, puzzle by puzzle)", highlight=False)
    table = plain_table()
    for name in ("work", "old", "new", "puzzles that differ"):
        table.add_column(name, justify="left" if name == "work" else "right")
    for counter, before, after, differ in found.work:
        count = f"[yellow]{differ:,}[/yellow]" if differ else "0"
        table.add_row(counter.replace("_", " "), f"{before:,}", f"{after:,}", count)
    out.print(table)


def seconds(value: float) -> str:
    """CPU seconds with four significant digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def show_moved(title: str, count: int, moved: "list[Timed]") -> None:
    """The puzzles whose times changed most."""
    from pipeline.findings.compare import SECONDS, SLOWER

    limits = f"{SLOWER:g} times and {SECONDS * 1000:g} ms {title}"
    if not count:
        out.print(f"No puzzle is at least {limits}.", highlight=False)
        return
    color = "red" if title == "slower" else "green"
    more = f", of which these {len(moved)} most" if count > len(moved) else ""
    out.print(f"[{color}]{count:,} at least {limits}[/{color}]{more}:", highlight=False)
    table = plain_table()
    for name in ("puzzle", "old s", "new s", "times", "label"):
        table.add_column(name, justify="left" if name in ("puzzle", "label") else "right", overflow="fold")
    for puzzle_id, before, after, old_seconds, new_seconds in moved:
        label = before if before == after else f"{before} -> {after}"
        times = f"{new_seconds / old_seconds:,.3g}" if old_seconds else ""
        table.add_row(escape(puzzle_id), seconds(old_seconds), seconds(new_seconds), times, escape(label))
    out.print(table)


def show_verdicts(found: "Comparison") -> None:
    """Verdicts that became others, answers won and lost, proofs that contradict each other."""
    if found.changes:
        table = plain_table()
        for name in ("verdict", "became", "puzzles", "for instance"):
            table.add_column(name, justify="right" if name == "puzzles" else "left", overflow="fold")
        for before, after, puzzles, examples in found.changes:
            labels = (f"[{COLORS.get(label, 'cyan')}]{escape(label)}[/]" for label in (before, after))
            table.add_row(*labels, f"{puzzles:,}", escape(", ".join(examples)))
        out.print(table)
    else:
        out.print("No verdict has changed.")
    out.print(
        f"Answers gained: [green]{found.gained:,}[/green], lost: "
        + (f"[red]{found.lost:,}[/red]" if found.lost else "0"),
        highlight=False,
    )
    if not found.alarms:
        out.print("[green]No proof has changed.[/green]")
        return
    out.print(f"[bold red]{len(found.alarms):,} proofs have changed: one of the runs is wrong.[/bold red]")
    for alarm in found.alarms[:LISTED]:
        how = "unique with other cells" if alarm.what == "solution" else f"{alarm.old} -> {alarm.new}"
        out.print(f"[red]  {escape(alarm.puzzle_id)}: {alarm.what} {escape(how)}[/red]", highlight=False)
    if len(found.alarms) > LISTED:
        out.print(f"[red]  ... and {len(found.alarms) - LISTED:,} more (--json lists all)[/red]")
