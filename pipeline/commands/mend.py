"""The command mend, for who keeps an archive: what to change in puzzles that have several solutions."""

from collections.abc import Generator, Iterator
from contextlib import closing, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

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
from pipeline.commands.output import DONE, SOME_FAILED, compiling, print_json, resumable, tell, watching
from pipeline.commands.terminal_drawing import drawn_beside
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.callbacks import ProgressCallbacks
    from pipeline.executors.executor import Resources
    from pipeline.jobs.mend_job import MendResult
    from pipeline.run.plan import Selection
    from scrapers.file_batches import Problem
    from scrapers.formats import Format


def mend(
    places: Places,
    out: Annotated[
        str | None,
        typer.Option(help="Write the puzzles with their first change: a file, or a folder with a / at its end."),
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format to write; else OUT's name says it.")] = None,
    known: FileFormat = None,
    store: StoreAt = None,
    ids: Ids = None,
    where: Where = None,
    cpu_limit: CpuLimit = 10.0,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Of puzzles with several solutions, show the smallest changes found that leave one.

    A clue is changed so that the others still go with it, or cells of the picture are: of the author's picture if it
    is a solution, else of one of the solutions. A run keeps the changes, for its report: the same command again resumes
    where it was stopped, and tries puzzles without a change again only with a higher --cpu-limit. In JSON a line a
    puzzle.
    """
    from pipeline.run.run_folder import is_run
    from pipeline.store.conversion import ConversionOptions, convert, format_for
    from pipeline.store.paths import STDOUT
    from scrapers.download import is_url
    from scrapers.file_batches import Problem
    from solver.jit.waits import while_waiting
    from solver.model.puzzle import normalize_palette

    if out is None and to is not None:
        raise UserError("--to says the format of a file: name it with --out")
    if out == STDOUT:
        raise UserError("standard output gets what was found; name a file with --out")
    resources, selection = resources_of(cpus, address, serial), selected(ids, where, None)
    how = None if out is None else ConversionOptions(format_for(out, format_named(to)), lossy=True)
    problems: list[Problem] = []
    found: list[MendResult] = []
    keeps = any(is_run(place) for place in places if not is_url(place))
    with (
        resumable() if keeps else nullcontext(),
        watching("mending") as callbacks,
        while_waiting(compiling),
        closing(found_in(places, store, selection, format_named(known), cpu_limit, resources, callbacks)) as items,
    ):
        for item in items:
            if isinstance(item, Problem):
                problems.append(item)
                continue
            found.append(item)
            if as_json:
                print_json(fields_of(item))
    if not as_json:  # not before: the bar would be in between
        tell(False, None, chain.from_iterable(map(shown, found)))
    changed = [normalize_palette(mending.puzzle) for item in found for mending in item.mendings[:1]]
    files = 0
    if out is not None and how is not None and changed:
        report = convert(changed, out, how)
        problems += report.problems
        files = report.files
    if not as_json:
        list_problems("could not be read, mended or written", problems)
        written = f", {files:,} {'file' if files == 1 else 'files'} written to {escape(str(out))}" if files else ""
        mended = f"{len(changed):,} of them mended" if found else "nothing to mend"
        tell(False, None, f"[bold]{len(found):,}[/bold] with several solutions, {mended}{written}.")
    raise typer.Exit(SOME_FAILED if problems else DONE)


def found_in(
    places: list[str],
    store: str | None,
    selection: "Selection",
    known: "Format | None",
    cpu_limit: float,
    resources: "Resources",
    callbacks: "ProgressCallbacks",
) -> "Generator[MendResult | Problem]":
    """The puzzles with several solutions of runs, stores and files, in this order."""
    from pipeline.jobs.engine import JobRequest
    from pipeline.jobs.mend_job import mend_puzzles, mend_run
    from pipeline.run.run_folder import is_run, open_run
    from pipeline.store.conversion import read_nonograms
    from scrapers.download import is_url

    for place in places:
        if not is_url(place) and is_run(place):
            yield from mend_run(open_run(place, store), JobRequest(selection, cpu_limit, resources, callbacks))
        else:
            refuse_selection(selection, place)
            yield from mend_puzzles(read_nonograms([place], known, callbacks), cpu_limit, resources, callbacks)


def fields_of(mended: "MendResult") -> dict[str, Any]:
    """What a machine is told of a puzzle."""
    return {
        "puzzle_id": mended.puzzle.puzzle_id,
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


def shown(mended: "MendResult") -> Iterator[RenderableType]:
    """A puzzle's changes in words, and both pictures of the first one."""
    from pipeline.jobs.mend_job import describe

    puzzle = mended.puzzle
    title = f' "{puzzle.title}"' if puzzle.title else ""
    yield f"[bold]{escape(puzzle.puzzle_id + title)}[/bold] {puzzle.width}x{puzzle.height}"
    if not mended.mendings:
        yield "  no change found: " + ("it has hidden lengths" if puzzle.blotted else "--cpu-limit gives more time")
    for mending in mended.mendings:
        yield f"  {escape(describe(mending))}"
    for mending in mended.mendings[:1]:
        yield drawn_beside((puzzle, mending.before), (mending.puzzle, mending.puzzle.goal))
