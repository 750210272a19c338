"""The command grade, which estimates how long puzzles take people and how hard they are."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.dry_run import only_run, print_estimate
from nonocensus.pipeline.commands.options import (
    Address,
    CpuLimit,
    Cpus,
    DryRun,
    Ids,
    InputFormat,
    Limit,
    Places,
    Serial,
    Where,
    read_selection,
    refuse_selection,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    LIST_LIMIT,
    SOME_FAILED,
    WRONG_USE,
    global_options,
    list_errors,
    list_problems,
    print_json,
    print_text,
    show_progress,
    table,
)
from nonocensus.pipeline.commands.status import print_left
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.grade_job import Tally, estimate_grading, grade_puzzles, grade_run, puzzles_in
from nonocensus.pipeline.run.run_folder import is_run, open_run
from nonocensus.reports.words.formatting import count_text, fixed, minutes_text, share
from nonocensus.scrapers.file_batches import Problem
from nonocensus.solver.model.techniques import TECHNIQUES


def grade(
    places: Places,
    input_format: InputFormat = None,
    dry_run: DryRun = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    cpu_limit: CpuLimit = 60.0,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Estimate how long puzzles take people, and grade them from 1 to 9.

    Only puzzles with exactly one solution get minutes and stars (docs/DIFFICULTY.md) and a grade (docs/TECHNIQUES.md).
    A run keeps them for its report, and the same command resumes. Puzzles of stores and files are classified first.
    Exit status 1 if a file can't be read, or a puzzle can't be graded for a reason other than time.
    """
    request = JobRequest(read_selection(ids, where, limit), cpu_limit, Resources(cpus, address, serial))
    if dry_run:
        print_estimate(lambda: estimate_grading(only_run(places), request), request.resources)
        return
    tally, rows, problems = Tally(), list[pa.Table](), list[Problem]()
    with show_progress("grading", resumes=True) as progress:
        for place in places:
            if is_run(place):
                run = open_run(place)
                tally += grade_run(run, replace(request, progress=progress))
                print_left(run)
                continue
            refuse_selection(request.selection, place)
            read = puzzles_in(place, input_format, progress)
            for found in grade_puzzles(read, request.cpu_limit, request.resources, progress):
                if isinstance(found, Problem):
                    problems.append(found)
                else:
                    tally.add_effort(found)
                    tally.add(found)
                    rows.append(found)
    is_unread = bool(problems) and not rows and tally == Tally()
    if global_options.json:
        print_json(tally_fields(tally) | {"puzzles": [row for part in rows for row in part.to_pylist()]})
    else:
        print_text(() if is_unread else describe(tally, rows))
        list_problems("could not be read", problems)
        list_ids(tally)
    raise typer.Exit(WRONG_USE if is_unread else SOME_FAILED if problems or tally.killed or tally.wrong else DONE)


def tally_fields(tally: Tally) -> dict[str, Any]:
    """Return a tally for JSON."""
    return {
        "unique": tally.unique,
        "graded": tally.graded,
        "grades": {str(grade.grade): grade.puzzles for grade in tally.grades},
        "techniques": {name: puzzles for grade in tally.grades for name, puzzles in grade.techniques.items()},
        "late": tally.late,
        "killed": tally.killed,
        "wrong": tally.wrong,
        "without_one_solution": tally.others,
        "graded_now": tally.done,
        "cpu_seconds": round(tally.seconds, 3),
    }


def describe(tally: Tally, rows: list[pa.Table]) -> Iterator[RenderableType]:
    """Yield puzzles by grade and hardest technique, and first the puzzles of stores and files, if they are few."""
    if rows and sum(map(len, rows)) <= LIST_LIMIT:
        yield puzzle_table([row for part in rows for row in part.to_pylist()])
        yield ""
    if tally.grades:
        yield technique_table(tally)
    others = f"; without one solution, or undecided: {tally.others:,}" if tally.others else ""
    yield (
        f"[bold]{tally.graded:,}[/bold] of {count_text(tally.unique, 'puzzle')} with one solution graded, "
        f"{tally.done:,} graded now in {tally.seconds:,.1f} CPU seconds{others}."
    )


def technique_table(tally: Tally) -> RenderableType:
    """Return a table with a line for each hardest technique, and the count of each grade on its first line."""
    says = {technique.name: technique.says for technique in TECHNIQUES}
    numbers = ("grade", "puzzles", "share", "of them")
    made = table(*numbers[:3], "hardest technique", numbers[3], "", right=numbers)
    for grade in tally.grades:
        first = [f"[bold]{grade.grade}[/bold]", f"{grade.puzzles:,}", share(grade.puzzles, tally.graded)]
        for name, puzzles in grade.techniques.items():
            made.add_row(*first, name, f"{puzzles:,}", f"[dim]{escape(says[name])}[/dim]")
            first = ["", "", ""]
    return made


def puzzle_table(rows: list[dict[str, Any]]) -> RenderableType:
    """Return a table of puzzles: time for people, stars, grade and steps by technique, or why there is no grade."""
    numbers = ("time", "stars", "grade")
    made = table("puzzle", "size", *numbers, "hardest", "steps", right=numbers)
    for row in rows:
        title = f' "{row["title"]}"' if row["title"] else ""
        about = (f"{row['puzzle_id']}{title}", f"{row['width']}x{row['height']}")
        time = "–" if row["minutes"] is None else f"[bold]{minutes_text(row['minutes'])}[/bold]"
        stars = "–" if row["stars"] is None else fixed(row["stars"], 1)
        grade = "–" if row["grade"] is None else f"[bold]{row['grade']}[/bold]"
        reason = "no grade in time" if row["status"] == "timeout" else str(row["label"])
        words = (row["hardest"] or reason, steps_of(row))
        made.add_row(*map(escape, about), time, stars, grade, *map(escape, words))
    return made


def steps_of(row: dict[str, Any]) -> str:
    """Format the steps by technique: overlap 12, glue 3."""
    steps = ((name.removeprefix("steps_").replace("_", "-"), row[name]) for name in row if name.startswith("steps_"))
    return ", ".join(f"{name} {number:,}" for name, number in steps if number)


def list_ids(tally: Tally) -> None:
    """Print puzzles that failed to be graded on standard error."""
    for ids, color, what in (
        (tally.wrong, "red", "the techniques find no solution, but the solver does; run nonocensus verify"),
        (tally.killed, "red", "could not be graded; the same command tries it again"),
        (tally.late, "yellow", "not in time; raise --cpu-limit"),
    ):
        list_errors([f"[{color}]{escape(str(name))}:[/] {what}" for name in ids])
