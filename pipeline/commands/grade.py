"""The command grade: how hard puzzles are for people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.importing import list_problems
from pipeline.commands.options import (
    Address,
    CpuLimit,
    Cpus,
    FileFormat,
    Ids,
    Json,
    Places,
    Serial,
    StoreAt,
    Where,
    format_named,
    refuse_selection,
    resources_of,
    selected,
)
from pipeline.commands.output import (
    DONE,
    LISTED,
    SOME_FAILED,
    compiling,
    err,
    print_json,
    resumable,
    some,
    table,
    tell,
    watching,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from pipeline.callbacks import ProgressCallbacks
    from pipeline.executors.executor import Resources
    from pipeline.jobs.grade_job import Tally
    from pipeline.run.plan import Selection
    from scrapers.file_batches import Problem
    from scrapers.formats import Format


class GradeOptions(NamedTuple):
    """The options of grade: where a run's store is, puzzles of a run, format of files, CPU limit, resources."""

    store: str | None
    selection: "Selection"
    known: "Format | None"
    cpu_limit: float
    resources: "Resources"


def grade(
    places: Places,
    known: FileFormat = None,
    store: StoreAt = None,
    ids: Ids = None,
    where: Where = None,
    cpu_limit: CpuLimit = 60.0,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Grade puzzles from 1 to 9: how hard they are for people, by the techniques they need.

    docs/TECHNIQUES.md has those for nonograms, docs/SUDOKU_TECHNIQUES.md those for Sudokus. Only puzzles with exactly
    one solution have a grade. A run has classified them and keeps the grades, for its report and what else is made of
    it; the same command again goes on where it was stopped. Puzzles of stores and files are classified first. Exit
    status 1 if a file can't be read, or a puzzle be graded for another reason than time.
    """
    from pipeline.jobs.grade_job import Tally
    from solver.jit.waits import while_waiting
    from solver.model.families import NONOGRAM

    resources = resources_of(cpus, address, serial)
    asked = GradeOptions(store, selected(ids, where, None), format_named(known), cpu_limit, resources)
    tally: Tally | None = None
    rows: list[pa.Table] = []
    problems: list[Problem] = []
    with resumable(), watching("grading") as callbacks, while_waiting(compiling):
        for place in places:
            tally = graded_in(place, asked, callbacks, tally, rows, problems)
    found = tally or Tally(NONOGRAM)
    if as_json:
        print_json(fields_of(found) | {"puzzles": [row for part in rows for row in part.to_pylist()]})
    else:
        tell(False, None, shown(found, rows))
        list_problems("could not be graded" if tally else "could not be read", problems)
        list_ids(found)
    raise typer.Exit(SOME_FAILED if problems or found.killed or found.wrong else DONE)


def graded_in(
    place: str,
    asked: GradeOptions,
    callbacks: "ProgressCallbacks",
    before: "Tally | None",
    rows: "list[pa.Table]",
    problems: "list[Problem]",
) -> "Tally | None":
    """Grade the puzzles of a run, a store or files; returns their tally and that of the places before, if there is any.

    What is found of puzzles of stores and files is added to `rows`. Added to `problems` is what can't be read, or is of
    another family than the puzzles before.
    """
    from pipeline.jobs.engine import JobRequest
    from pipeline.jobs.grade_files import grade_puzzles, other_family_problem, puzzles_in
    from pipeline.jobs.grade_job import Tally, grade_run
    from pipeline.run.run_folder import is_run, open_run
    from scrapers.download import is_url
    from scrapers.file_batches import Problem

    if not is_url(place) and is_run(place):
        run = open_run(place, asked.store)
        if before and before.family is not run.family:
            problems.append(other_family_problem(run.folder.name, run.family, before.family))
            return before
        graded = grade_run(run, JobRequest(asked.selection, asked.cpu_limit, asked.resources, callbacks))
        return before + graded if before else graded
    refuse_selection(asked.selection, place)
    tally = before
    family = before.family if before else None
    read = puzzles_in(place, asked.known, callbacks)
    for found in grade_puzzles(read, family, asked.cpu_limit, asked.resources, callbacks):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            tally = tally or Tally(found.family)
            tally.add_effort(found.rows)
            tally.add(found.rows)
            rows.append(found.rows)
    return tally


def fields_of(tally: "Tally") -> dict[str, Any]:
    """What a machine is told."""
    return {
        "family": tally.family.name,
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


def shown(tally: "Tally", rows: "list[pa.Table]") -> Iterator[RenderableType]:
    """Puzzles by grade and hardest technique; before that each one of stores and files, if they are few."""
    if rows and sum(map(len, rows)) <= LISTED:
        yield puzzle_by_puzzle([row for part in rows for row in part.to_pylist()])
        yield ""
    if tally.grades:
        yield by_technique(tally)
    others = f"; {tally.others:,} others have no solution, several, or are undecided" if tally.others else ""
    yield (
        f"[bold]{tally.graded:,}[/bold] of {tally.unique:,} puzzles with one solution have a grade, "
        f"{tally.done:,} graded now in {tally.seconds:,.1f} CPU seconds{others}."
    )


def by_technique(tally: "Tally") -> RenderableType:
    """A line for each hardest technique; a grade's puzzles beside its first one."""
    from reports import formatting

    says = {technique.name: technique.says for technique in tally.family.techniques}
    numbers = ("grade", "puzzles", "share", "of them")
    made = table(*numbers[:3], "hardest technique", numbers[3], "", right=numbers)
    for grade in tally.grades:
        first = [
            f"{grade.level} [bold]{grade.grade}[/bold]".strip(),
            f"{grade.puzzles:,}",
            formatting.share(grade.puzzles, tally.graded),
        ]
        for name, puzzles in grade.techniques.items():
            made.add_row(*first, name, f"{puzzles:,}", f"[dim]{escape(says[name])}[/dim]")
            first = ["", "", ""]
    return made


def puzzle_by_puzzle(rows: list[dict[str, Any]]) -> RenderableType:
    """A line for each puzzle: its grade, its work and the steps by technique, or why it has none."""
    made = table("puzzle", "size", "grade", "hardest", "work", "steps", right=("grade", "work"))
    for row in rows:
        title = f' "{row["title"]}"' if row["title"] else ""
        grade = "–" if row["grade"] is None else f"[bold]{row['grade']}[/bold]"
        work = "" if row["work"] is None else f"{row['work']:.2f}"
        about = (f"{row['puzzle_id']}{title}", f"{row['width']}x{row['height']}")
        made.add_row(*map(escape, about), grade, escape(row["hardest"] or why_not(row)), work, escape(steps_of(row)))
    return made


def why_not(row: dict[str, Any]) -> str:
    """Why a puzzle has no grade."""
    return "no grade in time" if row["status"] == "timeout" else str(row["label"])


def steps_of(row: dict[str, Any]) -> str:
    """How often each technique has found something: overlap 12, glue 3."""
    steps = ((name.removeprefix("steps_").replace("_", "-"), row[name]) for name in row if name.startswith("steps_"))
    return ", ".join(f"{name} {number:,}" for name, number in steps if number)


def list_ids(tally: "Tally") -> None:
    """The puzzles without the grade that they should have, on standard error, the first few of many."""
    for ids, color, what in (
        (tally.wrong, "red", "the techniques find no solution, though the solver has found one; verify looks into it"),
        (tally.killed, "red", "it could not be graded; the same command tries it again"),
        (tally.late, "yellow", "not in time; --cpu-limit gives more"),
    ):
        for line in some([f"[{color}]{escape(str(name))}:[/] {what}" for name in ids]):
            err.print(line)
