"""The command solve: puzzles of local files, solved and drawn."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from pipeline.commands.drawing import differing, drawn, in_words
from pipeline.commands.options import CheckGoal, CpuLimit, FileFormat, Json, Which, existing, format_named, no_puzzle_in
from pipeline.commands.output import DONE, SOME_FAILED, WRONG_USE, compiling, err, report_problem, tell
from pipeline.commands.run_status import COLORS
from pipeline.errors import UserError

if TYPE_CHECKING:
    from scrapers.archives.source import SourceFile
    from solver.puzzle import Puzzle

STDIN = Path("-")
MOST_SOLUTIONS = 1_000_000


def solve(
    files: Annotated[
        list[Path], typer.Argument(help="Puzzle files, folders or archives; - is standard input.", metavar="FILE...")
    ],
    cpu_limit: CpuLimit = 60.0,
    check_goal: CheckGoal = False,
    from_saved: Annotated[
        int | None, typer.Option(min=1, help="Begin with the file's saved grid of this number.", metavar="N")
    ] = None,
    most: Annotated[
        int, typer.Option("--all", min=0, max=MOST_SOLUTIONS, help="Draw up to N solutions.", metavar="N")
    ] = 0,
    number: Which = None,
    known: FileFormat = None,
    as_json: Json = False,
) -> None:
    """Solve puzzles of local files and draw them in the terminal.

    Exit status 1 if some can't be read or have clues that no picture can have, 2 if none is left.
    """
    from pipeline.classify.warm import LATER, compiled_beside, needed
    from scrapers.importing import Problem, read_files
    from solver.api import solve as solved
    from solver.tables import puzzle_batch
    from solver.waits import while_waiting

    good = bad = 0
    found = read_files(sources(files), format_named(known))
    for item in found if number is None else islice(found, number - 1, number):
        if isinstance(item, Problem):
            bad += 1
            report_problem(item.name, item.reason)
            continue
        start = None if from_saved is None else saved_grid(item, from_saved)
        with compiled_beside(needed(puzzle_batch([item])), (LATER,)), while_waiting(compiling):
            row: dict[str, Any] = solved(item, cpu_limit=cpu_limit, check_goal=check_goal, start=start)
            valid = row["status"] != "invalid"
            every = all_solutions(item, most, cpu_limit, start) if valid else []
        good, bad = good + valid, bad + (not valid)
        pictures = {name: row[name] and list(row[name]) for name in ("solution", "second_solution")}
        more = {"all_solutions": [cells.tolist() for cells in every]} if most else {}
        tell(as_json, row | pictures | more, shown(item, row, every))
    if not good and not bad:
        raise no_puzzle_in(files)
    raise typer.Exit(DONE if not bad else SOME_FAILED if good else WRONG_USE)


def sources(files: list[Path]) -> "Iterator[SourceFile]":
    """The files that are named, and those in folders and archives."""
    from scrapers.archives.source import read
    from scrapers.files import files_in

    existing([path for path in files if path != STDIN])
    for path in files:
        if path != STDIN:
            yield from files_in([path])
            continue
        if sys.stdin is None:
            raise UserError("standard input is closed")
        yield read("stdin", sys.stdin.buffer)


def saved_grid(puzzle: "Puzzle", number: int) -> Any:
    """The puzzle's saved grid of that number, of the colours that its clues use."""
    if number > len(puzzle.saved):
        raise UserError(f"--from-saved {number}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    return puzzle.saved[number - 1][:, :, : max(puzzle.colors, 1) + 1]


def all_solutions(puzzle: "Puzzle", most: int, cpu_limit: float, start: Any) -> list[Any]:
    """Up to so many solutions; a line on standard error if time runs out before."""
    from solver.api import iter_solutions

    found: list[Any] = []
    try:
        found.extend(islice(iter_solutions(puzzle, cpu_limit=cpu_limit, start=start), most))
    except TimeoutError as error:
        err.print(f"[yellow]{escape(puzzle.puzzle_id)}:[/yellow] {escape(str(error))}")
    return found


def shown(puzzle: "Puzzle", row: dict[str, Any], every: list[Any]) -> Iterator[str | Text]:
    """The verdict of one puzzle, its solution drawn, what it took, and further solutions."""
    from reports.sheet.state import State
    from solver.tables import picture

    name = " ".join(text for text in (puzzle.puzzle_id, puzzle.title and f'"{puzzle.title}"') if text)
    verdict = f"[{COLORS.get(row['label'], 'red')}]{row['label'] or row['status']}[/] {escape(row['error'] or '')}"
    yield f"[bold]{escape(name)}[/bold] {puzzle.width}x{puzzle.height}: {verdict}"
    if row["solution"] is not None:
        yield drawn(puzzle, State(picture(row["solution"], puzzle.width, puzzle.height)))
    if row["status"] != "invalid":
        yield (
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by line logic; {row['line_solves']:,} line solves "
            f"in {row['sweeps']} sweeps, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU"
        )
    marked = differing(every) if every else None
    if marked is not None and len(every) > 1:
        yield f"{len(every):,} solutions {in_words(marked)}"
    for number, cells in enumerate(every, 1):
        yield f"Solution {number}:"
        yield drawn(puzzle, State(cells, marked))
