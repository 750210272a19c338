"""The command solve: puzzles of local files, solved and drawn."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.options import CheckGoal, Json
from pipeline.commands.output import DONE, WRONG_USE, err, out
from pipeline.commands.run_status import COLORS
from pipeline.errors import UserError

if TYPE_CHECKING:
    from solver.puzzle import Puzzle

from pipeline.commands.options import existing
from pipeline.commands.output import report_problem


def solve(
    files: Annotated[list[Path], typer.Argument(help="Puzzle files, folders or archives.", metavar="FILE...")],
    cpu_limit: Annotated[float, typer.Option(min=0.001, help="CPU seconds for a puzzle.")] = 60.0,
    check_goal: CheckGoal = False,
    from_saved: Annotated[
        int | None, typer.Option(min=1, help="Begin with the file's saved grid of this number.", metavar="N")
    ] = None,
    most: Annotated[int, typer.Option("--all", min=0, help="Draw up to N solutions.", metavar="N")] = 0,
    as_json: Json = False,
) -> None:
    """Solve puzzles of local files and draw them in the terminal."""
    from scrapers.files import files_in
    from scrapers.importing import Problem, read_files
    from solver.api import solve as solved

    problems = 0
    for item in read_files(files_in(existing(files))):
        if isinstance(item, Problem):
            problems += 1
            report_problem(item.name, item.reason)
            continue
        start = None if from_saved is None else saved_grid(item, from_saved)
        row: dict[str, Any] = solved(item, cpu_limit=cpu_limit, check_goal=check_goal, start=start)
        problems += row["status"] == "invalid"
        every = [] if row["status"] == "invalid" else all_solutions(item, most, cpu_limit, start)
        if as_json:
            drawn = {name: row[name] and list(row[name]) for name in ("solution", "second_solution")}
            more = {"all_solutions": [cells.tolist() for cells in every]} if most else {}
            print(json.dumps(row | drawn | more))
            continue
        show_solved(item, row)
        for number, cells in enumerate(every, 1):
            out.print(f"Solution {number}:", highlight=False)
            draw(item, cells)
    raise typer.Exit(WRONG_USE if problems else DONE)


def saved_grid(puzzle: "Puzzle", number: int) -> Any:
    """The puzzle's saved grid of that number, of the colours that its clues use."""
    if number > len(puzzle.saved):
        raise UserError(f"--from-saved {number}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    return puzzle.saved[number - 1][:, :, : max(puzzle.colors, 1) + 1]


def all_solutions(puzzle: "Puzzle", most: int, cpu_limit: float, start: Any) -> list[Any]:
    """Up to so many solutions; a line on standard error if time runs out before."""
    from itertools import islice

    from solver.api import iter_solutions

    found: list[Any] = []
    try:
        found.extend(islice(iter_solutions(puzzle, cpu_limit=cpu_limit, start=start), most))
    except TimeoutError as error:
        err.print(f"[yellow]{escape(puzzle.puzzle_id)}:[/yellow] {escape(str(error))}", highlight=False)
    return found


def draw(puzzle: "Puzzle", cells: Any) -> None:
    """A picture in colours, or in symbols where there are none."""
    from pipeline.commands.drawing import in_color, in_symbols

    out.print((in_color if out.color_system else in_symbols)(cells, puzzle.palette), end="")


def show_solved(puzzle: "Puzzle", row: dict[str, Any]) -> None:
    """The verdict of one puzzle, its solution drawn, and what it took."""
    from solver.tables import picture

    name = " ".join(text for text in (puzzle.puzzle_id, puzzle.title and f'"{puzzle.title}"') if text)
    verdict = f"[{COLORS.get(row['label'], 'red')}]{row['label'] or row['status']}[/] {escape(row['error'] or '')}"
    out.print(f"[bold]{escape(name)}[/bold] {puzzle.width}x{puzzle.height}: {verdict}", highlight=False)
    if row["solution"] is not None:
        draw(puzzle, picture(row["solution"], puzzle.width, puzzle.height))
    if row["status"] != "invalid":
        out.print(
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by line logic; {row['line_solves']:,} line solves "
            f"in {row['sweeps']} sweeps, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU",
            highlight=False,
            soft_wrap=True,
        )
