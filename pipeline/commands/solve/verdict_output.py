"""What the command solve prints of a puzzle: its verdict in words, pictures, counts, or what pbnsolve would print."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.output import err, print_json, table, tell
from pipeline.commands.run_status import COLORS
from pipeline.commands.solve import explanation_output
from pipeline.commands.terminal_drawing import differing, drawn, in_words, open_sign

if TYPE_CHECKING:
    import numpy as np

    from solver.model.puzzle import Puzzle
    from solver.people.explanation import Explanation

"""Columns of the results table that count what was done."""


class Solved(NamedTuple):
    """A puzzle and what came of it.

    row     its row of the results table
    depth   levels that the rung depth-2 looked ahead
    every   solutions, if --all asks for them, uint8[height, width] of palette entries each
    known   of a puzzle that was not solved to its end the colour of each cell, -1 where it is open (reports.partial)
    explanation   how it is solved, if that is asked for
    """

    puzzle: "Puzzle"
    row: dict[str, Any]
    depth: int
    every: "list[np.ndarray] | None" = None
    known: "np.ndarray | None" = None
    explanation: "Explanation | None" = None


def print_shown(solved: Solved, stats: bool) -> None:
    """Everything, for people."""
    tell(False, None, shown(solved, stats))


def print_as_json(solved: Solved) -> None:
    """The row, with pictures as lists of palette entries; in `known` null is an open cell."""
    fields = listed(solved.row)
    if solved.known is not None:
        fields["known"] = [[None if cell < 0 else cell for cell in line] for line in solved.known.tolist()]
    if solved.every is not None:
        fields["all_solutions"] = [cells.tolist() for cells in solved.every]
    if solved.explanation is not None:
        fields["explanation"] = explanation_output.fields_of(solved.explanation)
    print_json(fields)


def listed(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the results table with its solutions as lists, for JSON."""
    return row | {name: row[name] and list(row[name]) for name in ("solution", "second_solution")}


def verdict_of(row: dict[str, Any]) -> str:
    """A row's label, or its status and why there is none."""
    return f"[{COLORS.get(row['label'], 'red')}]{row['label'] or row['status']}[/] {escape(row['error'] or '')}"


def print_brief(solved: Solved, stats: bool) -> None:
    """The verdict in pbnsolve's words; why there is none goes to standard error."""
    from reports.pbnsolve import brief

    puzzle, row = solved.puzzle, solved.row
    if row["error"]:
        err.print(f"[red]{row['status']}:[/red] {escape(puzzle.puzzle_id)}: {escape(row['error'])}")
    if row["status"] != "error":
        tell(False, None, brief(row))
    if stats and row["status"] != "invalid":
        tell(False, None, statistics(row, solved.depth))


def print_as_xml(solved: Solved) -> None:
    """The XML of pbnsolve's http mode."""
    from reports.pbnsolve import xml

    tell(False, None, escape(xml(solved.puzzle, solved.row)))


def print_problem_as_xml(name: str, reason: str) -> None:
    """The same for a file that can't be read."""
    from reports.pbnsolve import failure

    tell(False, None, escape(failure(f"{name}: {reason}")))


def shown(solved: Solved, stats: bool) -> Iterator[RenderableType]:
    """The verdict of one puzzle, its solution drawn or what is known of it, what it took, and further solutions."""
    from reports.sheet.state import State
    from solver.model.tables import picture

    puzzle, row, every = solved.puzzle, solved.row, solved.every or []
    name = " ".join(text for text in (puzzle.puzzle_id, puzzle.title and f'"{puzzle.title}"') if text)
    yield f"[bold]{escape(name)}[/bold] {puzzle.width}x{puzzle.height}: {verdict_of(row)}"
    if solved.known is not None:
        yield from left_open(puzzle, row, solved.known)
    if row["solution"] is not None:
        if solved.known is not None:
            yield "A solution:"
        yield drawn(puzzle, State(picture(row["solution"], puzzle.width, puzzle.height)))
    if row["status"] != "invalid":
        yield (
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by line logic; {row['line_solves']:,} line solves "
            f"in {row['sweeps']} sweeps, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU"
        )
        if stats:
            yield from statistics(row, solved.depth)
    marked = differing(every) if every else None
    if marked is not None and len(every) > 1:
        yield f"{len(every):,} solutions {in_words(marked)}"
    for number, cells in enumerate(every, 1):
        yield f"Solution {number}:"
        yield drawn(puzzle, State(cells, marked))


def left_open(puzzle: "Puzzle", row: dict[str, Any], known: "np.ndarray") -> Iterator[RenderableType]:
    """What is known of a puzzle that was not solved to its end: the grid, its cells decided, solutions found."""
    import numpy as np

    from reports.sheet.state import UNKNOWN, State

    yield drawn(puzzle, State(np.where(known < 0, UNKNOWN, known).astype(np.uint8)))
    yield f"{(known >= 0).sum():,} of {known.size:,} cells are decided ({open_sign(puzzle)} is open); {found_of(row)}"


def found_of(row: dict[str, Any]) -> str:
    """How many solutions have been found."""
    number = sum(row[name] is not None for name in ("solution", "second_solution"))
    return ("no solution", "1 solution", "2 solutions")[number] + " found"


def statistics(row: dict[str, Any], depth: int) -> Iterator[RenderableType]:
    """What each rung has decided in which time, and what was done in all."""
    from solver.ladder.ladder_options import rung_names
    from solver.model.measures import Computed, computed_by

    rungs = table("technique", "cells decided", "CPU seconds", right=("cells decided", "CPU seconds"))
    after = ("cells_after_line", "cells_after_depth2", "cells_after_probe", None, None)
    times = ("cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat")
    for name, cells, seconds in zip((*rung_names(depth), "clause learning"), after, times, strict=True):
        if row[seconds] is not None:
            rungs.add_row(name, number(row[cells] if cells else None), f"{row[seconds]:,.6f}")
    rungs.add_row("all", f"of {row['cells']:,}", f"{row['cpu_seconds']:,.6f}")
    yield rungs
    counters = (measure.name for measure in computed_by(Computed.counted))
    yield "; ".join(f"{name.replace('_', ' ')} {number(row[name])}" for name in counters)


def number(value: int | None) -> str:
    """A count; a dash for what was not begun."""
    return "-" if value is None else f"{value:,}"
