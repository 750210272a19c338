"""The command mend, which finds the smallest change that leaves a puzzle one solution."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.markup import escape

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.commands.dry_run import only_run, print_estimate
from nonocensus.pipeline.commands.options import (
    Address,
    CpuLimit,
    Cpus,
    DryRun,
    Ids,
    InputFormat,
    Limit,
    OutputFormat,
    Places,
    Serial,
    Where,
    read_selection,
    refuse_selection,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    global_options,
    list_problems,
    print_json,
    print_text,
    show_progress,
)
from nonocensus.pipeline.commands.status import print_left
from nonocensus.pipeline.commands.terminal_drawing import draw_pair
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.mend_job import UNSOLVABLE, MendResult, describe, estimate_mending, mend_puzzles, mend_run
from nonocensus.pipeline.run.run_folder import is_run, open_run
from nonocensus.pipeline.store.conversion import ConversionOptions, convert, format_for, read_puzzles
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.formats import Format
from nonocensus.solver.model.puzzle import normalize_palette


def mend(
    places: Places,
    out: Annotated[
        str | None, typer.Option(help="File or FOLDER/ for the puzzles with their first change.", metavar="OUT")
    ] = None,
    to: OutputFormat = None,
    input_format: InputFormat = None,
    dry_run: DryRun = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    cpu_limit: CpuLimit = 10.0,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Find the smallest changes that leave a puzzle one solution.

    Changes clues consistently, or cells of the picture: the author's if it is a solution, else one of the solutions.
    Changes of more than 10 cells, and of more than 1 %, are left out. A run keeps the changes for its report, and the
    same command resumes; unfinished searches are retried only with a higher --cpu-limit. Prints one line per puzzle,
    and its pictures if it is the only one; with --quiet the count alone.
    """
    if out is None and to is not None:
        raise UserError("--to is the format of a file: name it with --out")
    if out == STDOUT:
        raise UserError("--out -: standard output gets the report; name a file")
    if out is not None:
        format_for(out, to)  # refuses a suffix before the search
    request = JobRequest(read_selection(ids, where, limit), cpu_limit, Resources(cpus, address, serial))
    if dry_run:
        print_estimate(lambda: estimate_mending(only_run(places), request), request.resources)
        return
    found, problems = mend_places(places, request, input_format)
    if not global_options.json:  # after the progress bar has ended
        print_text([] if global_options.quiet else map(describe_mended, found))
        if len(found) == 1 and not global_options.quiet:
            changes = found[0].mendings[:1]
            print_text(draw_pair((found[0].puzzle, one.before), (one.puzzle, one.puzzle.goal)) for one in changes)
    files, unwritten = write_mended(found, out, to)
    problems += unwritten
    if not global_options.json:
        list_problems("could not be read, mended or written", problems)
        written = f", {count_text(files, 'file')} written to {escape(str(out))}" if files else ""
        count = sum(bool(item.mendings) for item in found)
        mended = f"{count:,} of them mended" if found else "nothing to mend"
        print_text(f"[bold]{len(found):,}[/bold] with several solutions, {mended}{written}.")
        if count and out is None and not global_options.quiet:
            runs = [
                f"nonocensus report {escape(run)} --out FOLDER shows the changes, " for run in filter(is_run, places)
            ]
            print_text(f"Stores and files are unchanged: {''.join(runs)}--out FILE writes the mended puzzles.")
    raise typer.Exit(SOME_FAILED if any(problem.reason != UNSOLVABLE for problem in problems) else DONE)


def mend_places(
    places: list[str], request: JobRequest, input_format: Format | None
) -> tuple[list[MendResult], list[Problem]]:
    """Mend the puzzles of runs, stores and files; with --json each is printed as it is found."""
    found, problems = list[MendResult](), list[Problem]()
    with (
        show_progress("mending", resumes=any(map(is_run, places))) as progress,
        closing(mended_in(places, replace(request, progress=progress), input_format)) as items,
    ):
        for item in items:
            if isinstance(item, Problem):
                problems.append(item)
                continue
            found.append(item)
            if global_options.json:
                print_json(mended_fields(item))
    return found, problems


def mended_in(places: list[str], request: JobRequest, input_format: Format | None) -> Generator[MendResult | Problem]:
    """Yield the puzzles with several solutions of runs, stores and files, in this order."""
    for place in places:
        if is_run(place):
            run = open_run(place)
            yield from mend_run(run, request)
            print_left(run)
        else:
            refuse_selection(request.selection, place)
            request.progress.on_start("mending", None, 0)
            puzzles = read_puzzles([place], input_format, SILENT)
            yield from mend_puzzles(puzzles, request.cpu_limit, request.resources, request.progress)


def write_mended(found: list[MendResult], out: str | None, to: Format | None) -> tuple[int, list[Problem]]:
    """Write each puzzle with its first change; return the count of files, and the problems."""
    changed = [normalize_palette(mending.puzzle) for item in found for mending in item.mendings[:1]]
    if out is None or not changed:
        return 0, []
    report = convert(changed, out, ConversionOptions(format_for(out, to), lossy=True))
    return report.files, report.problems


def mended_fields(mended: MendResult) -> dict[str, Any]:
    """Return a puzzle and its changes for JSON."""
    return {
        "puzzle_id": mended.puzzle.puzzle_id,
        "finished": mended.finished,
        "mendings": [
            {
                "changes": [change._asdict() for change in mending.changes],
                "cells": mending.cells,
                "before": mending.before.tolist(),
                "after": mending.puzzle.goal.tolist() if mending.puzzle.goal is not None else None,
            }
            for mending in mended.mendings
        ],
    }


def describe_mended(mended: MendResult) -> str:
    """Return a line with a puzzle and its smallest change."""
    puzzle = mended.puzzle
    title = f' "{puzzle.title}"' if puzzle.title else ""
    found = [describe(mending) for mending in mended.mendings[:1]]
    if not mended.finished:
        found.append("not finished: raise --cpu-limit")
    elif not mended.mendings:
        found.append("it has hidden lengths, no change is looked for" if puzzle.blotted else "no small change found")
    name = escape(" ".join((puzzle.puzzle_id + title).split()))
    return f"[bold]{name}[/bold] {puzzle.width}x{puzzle.height}: {escape('; '.join(found))}"
