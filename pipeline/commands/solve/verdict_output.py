"""Output of the command solve for nonograms: verdict, pictures, statistics and explanation, as text, JSON or XML."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.output import VERDICT_COLORS, err, print_json, print_text, table, wrap
from nonocensus.pipeline.commands.terminal_drawing import (
    animate,
    clue_lines,
    difference_text,
    differing_cells,
    draw,
    free_symbol,
    has_colors,
    symbol_names,
)
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.words import pbnsolve
from nonocensus.reports.words.formatting import WITHOUT_GRADE, difficulty_words, number
from nonocensus.reports.words.step_words import (
    DescribedStep,
    describe_ending,
    describe_merged,
    describe_steps,
    grid_states,
)
from nonocensus.solver.ladder.ladder_options import rung_names
from nonocensus.solver.model.measures import Computed, computed_by
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import picture
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, checker_steps

GRADING_FIELDS = ("status", "grade", "hardest", "minutes", "minutes_low", "minutes_high", "stars")
"""Columns of a grade in JSON."""

STEPS_A_SECOND, MAX_WATCH_SECONDS = 8.0, 20.0
"""Speed of --watch, and the longest time that it takes."""


class SolvedPuzzle(NamedTuple):
    """A puzzle and its results.

    row           its row of the results table
    depth         lookahead levels of the rung depth-2
    solutions     solutions listed for --all, uint8[height, width] of palette entries each
    known         of an unfinished puzzle the colour of each cell, -1 where it is undecided (`partial`)
    explanation   how it is solved, with --explain
    grading       its row of the grades table, if it has one solution and is to be graded
    """

    puzzle: Puzzle
    row: dict[str, Any]
    depth: int
    solutions: list[np.ndarray] | None = None
    known: np.ndarray | None = None
    explanation: Explanation | None = None
    grading: dict[str, Any] | None = None


def print_as_json(solved: SolvedPuzzle) -> None:
    """Print the row with the palette, and pictures as lists of its entries; in `known` null is an undecided cell."""
    row = solved.row
    fields = row | {name: row[name] and list(row[name]) for name in ("solution", "second_solution")}
    fields["palette"] = [color._asdict() for color in solved.puzzle.palette]
    if solved.known is not None:
        fields["known"] = [[None if cell < 0 else cell for cell in line] for line in solved.known.tolist()]
    if solved.solutions is not None:
        fields["all_solutions"] = [cells.tolist() for cells in solved.solutions]
    if solved.grading is not None:
        fields["grading"] = {name: solved.grading[name] for name in GRADING_FIELDS if name in solved.grading}
    if solved.explanation is not None:
        fields["explanation"] = explanation_fields(solved.explanation)
    print_json(fields)


def print_brief(solved: SolvedPuzzle, stats: bool, named: bool) -> None:
    """Print the verdict in pbnsolve's words, perhaps after the puzzle's name, and errors on standard error."""
    puzzle, row = solved.puzzle, solved.row
    if row["error"]:
        err.print(f"[red]{row['status']}:[/red] {escape(puzzle.puzzle_id)}: {escape(row['error'])}")
    if row["status"] != "error":
        print_text(f"{escape(puzzle.puzzle_id)}: " * named + pbnsolve.brief(row))
    if stats and row["status"] != "invalid":
        print_text(statistics(row, solved.depth))


def describe(solved: SolvedPuzzle, stats: bool, explains: bool) -> Iterator[RenderableType]:
    """Yield verdict, perhaps the clues and steps, then solution or known cells, counts, and further solutions."""
    puzzle, row, solutions = solved.puzzle, solved.row, solved.solutions or []
    symbols, title = escape(symbol_names(puzzle)), f'"{puzzle.title}"' if puzzle.title else None
    explanation = solved.explanation if explains else None
    name = " ".join(filter(None, (puzzle.puzzle_id, title if explanation is None else None)))
    verdict = f"[{VERDICT_COLORS.get(row['label'], 'red')}]{row['label'] or row['status']}[/]"
    error = f": {escape(row['error'])}" if row["error"] else ""
    yield f"[bold]{escape(name)}[/bold] {puzzle.width}x{puzzle.height}: {verdict}{error}"
    if explanation is not None:
        yield from clue_lines(puzzle)
        if symbols:
            yield wrap(symbols)
        yield from map(step_text, describe_merged(explanation))
        yield wrap(f"[bold]{escape(describe_ending(explanation))}[/bold]")
        if title:
            yield escape(title)
    if solved.known is not None:
        yield draw(puzzle, GridState(np.where(solved.known < 0, UNKNOWN, solved.known).astype(np.uint8)))
        decided = f"{(solved.known >= 0).sum():,} of {solved.known.size:,} cells are decided"
        yield f"{decided} ({'grey' if has_colors() else free_symbol(puzzle)} is open); {found_solutions(row)}"
    if row["solution"] is not None:
        if solved.known is not None:
            yield "A solution:"
        yield draw(puzzle, GridState(picture(row["solution"], puzzle.width, puzzle.height)))
        if symbols and explanation is None and not has_colors():
            yield symbols
    if row["status"] != "invalid" and (stats or solved.explanation is None):
        yield (
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by line logic; {row['line_solves']:,} line solves "
            f"in {row['sweeps']} sweeps, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU"
        )
        if stats:
            yield from statistics(row, solved.depth)
    marked = differing_cells(solutions) if solutions else None
    if marked is not None and len(solutions) > 1:
        yield f"{len(solutions):,} solutions {difference_text(marked)}"
    for k, cells in enumerate(solutions, 1):
        yield f"Solution {k}:"
        yield draw(puzzle, GridState(cells, marked))
    if solved.grading is not None or (row["status"] != "invalid" and row["solutions"] not in (None, "unique")):
        reason = WITHOUT_GRADE.get(row["solutions"])
        words = f"no minutes, as {reason}" if solved.grading is None else difficulty_words(solved.grading)
        hint = "; --all 2 draws two" if row["solutions"] == "multiple" and solved.solutions is None else ""
        if row["solutions"] == "none" and solved.explanation is None:
            hint = "; --explain shows why"
        for_people = f"For people: [bold]{escape(words)}[/bold]{hint}"
        yield for_people if solved.explanation is None else wrap(for_people)


def found_solutions(row: dict[str, Any]) -> str:
    """Say how many solutions a row has."""
    count = sum(row[name] is not None for name in ("solution", "second_solution"))
    return ("no solution", "1 solution", "2 solutions")[count] + " found"


def statistics(row: dict[str, Any], depth: int) -> Iterator[RenderableType]:
    """Yield decided cells and CPU time of each rung, and the counts of work."""
    rungs = table("rung", "cells decided", "CPU seconds", right=("cells decided", "CPU seconds"))
    after = ("cells_after_line", "cells_after_depth2", "cells_after_probe", None, None)
    times = ("cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat")
    for name, cells, seconds in zip((*rung_names(depth), "clause learning"), after, times, strict=True):
        if row[seconds] is not None:
            rungs.add_row(name, number(row[cells] if cells else None), f"{row[seconds]:,.6f}")
    rungs.add_row("all", f"of {row['cells']:,}", f"{row['cpu_seconds']:,.6f}")
    yield rungs
    counters = (measure.name for measure in computed_by(Computed.counted))
    yield "; ".join(f"{name.replace('_', ' ')} {number(row[name])}" for name in counters)


def animate_explanation(explanation: Explanation) -> None:
    """Show the steps as an animation: eight a second, or as many as end within twenty seconds."""
    speed = max(STEPS_A_SECOND, len(explanation.steps) / MAX_WATCH_SECONDS)
    animate(explanation.puzzle, grid_states(explanation), speed)


def step_text(described: DescribedStep) -> RenderableType:
    """Format a step: its number, and at the right of it its sentences and its technique."""
    technique = TECHNIQUES[described.technique].name
    return wrap(f"{escape(described.what)} [cyan]{technique}[/cyan]", f"{described.number:4}. ")


def explanation_fields(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation for JSON: lines and cells count from 1, as in certificates."""
    hardest = explanation.hardest
    steps = [
        {
            "technique": TECHNIQUES[step.technique].name,
            "grade": TECHNIQUES[step.technique].grade,
            "words": step.what,
            **derived,
        }
        for step, derived in zip(describe_steps(explanation), checker_steps(explanation), strict=True)
    ]
    return {
        "state": explanation.state,
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "steps": steps,
        "open": sum(colors & (colors - 1) != 0 for colors in explanation.cells),
    }
