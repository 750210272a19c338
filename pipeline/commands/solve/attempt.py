"""What the command solve does with a puzzle, at once or so that it can be paused."""

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.output import err
from pipeline.commands.solve.pausing import Spent, pausable
from pipeline.commands.solve.verdict_output import Solved, found_of, statistics
from pipeline.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from solver.model.puzzle import Puzzle
    from solver.people.explanation import Explanation

FIRST_TRY, GROWTH = 1.0, 3.0
"""CPU seconds of the first try of what can be paused, and how many times as many each further one has; the last one has
more."""


class How(NamedTuple):
    """How to solve: `cpu_limit`, `rung`, `depth` and `check_goal` as for solver.api.solve, and

    from_saved   the number of the saved grid to begin with, if any
    most         solutions to list; None for no list
    drawn        whether what is known of a puzzle that is not solved to its end is wanted
    explained    whether an explanation is wanted
    pausable     whether Ctrl-C tells how far it is
    cpus         CPU cores for the SAT stage of a hard puzzle; None for this process alone
    """

    cpu_limit: float
    rung: str
    depth: int
    check_goal: bool
    from_saved: int | None
    most: int | None
    drawn: bool
    explained: bool
    pausable: bool
    cpus: int | None = None


class Progress(NamedTuple):
    """How far a puzzle is, for who looks while another thread works on it.

    tries    CPU limits that have not been enough, each with the row that came of it
    listed   solutions listed so far
    """

    tries: "list[tuple[float, dict[str, Any]]]"
    listed: "list[np.ndarray]"


def solved(puzzle: "Puzzle", how: How) -> Solved:
    """A puzzle with its row, and as far as they are wanted more solutions or what is known of its cells."""
    progress = Progress([], [])
    if not how.pausable:
        return _solved(puzzle, how, progress)
    return pausable(lambda: _solved(puzzle, how, progress), lambda spent: _told(puzzle, how, progress, spent))


def _solved(puzzle: "Puzzle", how: How, progress: Progress) -> Solved:
    start = None if how.from_saved is None else _saved_grid(puzzle, how.from_saved)
    row = _row(puzzle, how, start, progress)
    if how.most is not None and row["status"] != "invalid":
        _list_solutions(puzzle, how, start, progress)
    known = _known(puzzle, row, how, start) if how.drawn and row["label"] in ("timeout", "stalled") else None
    listed = None if how.most is None else progress.listed
    return Solved(puzzle, row, how.depth, listed, known, _explained(puzzle, row, how, start))


def _saved_grid(puzzle: "Puzzle", number: int) -> "np.ndarray":
    """The puzzle's saved grid of that number, of the colours that its clues use."""
    if number > len(puzzle.saved):
        raise UserError(f"--from-saved {number}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    return puzzle.saved[number - 1][:, :, : max(puzzle.colors, 1) + 1]


def _row(puzzle: "Puzzle", how: How, start: "np.ndarray | None", progress: Progress) -> dict[str, Any]:
    """The puzzle's row of the results table.

    A kernel tells nothing before it ends. So what can be paused is tried with more and more time, each time from the
    beginning, and what the last try has come to can be told: all together take at most half as much again as the last
    alone.
    """
    from pipeline.executors.conquer import conqueror
    from pipeline.jobs.schedule import levels
    from solver.api import solve

    row: dict[str, Any] = {}
    with nullcontext() if how.cpus is None else conqueror(how.cpus) as conquer:
        for limit in levels(how.cpu_limit, FIRST_TRY, GROWTH) if how.pausable else [how.cpu_limit]:
            row = solve(
                puzzle,
                cpu_limit=limit,
                rung=how.rung,
                depth=how.depth,
                check_goal=how.check_goal,
                start=start,
                conquer=conquer,
            )
            if row["status"] != "timeout":
                break
            progress.tries.append((limit, row))
    return row


def _list_solutions(puzzle: "Puzzle", how: How, start: "np.ndarray | None", progress: Progress) -> None:
    """List as many solutions as are wanted; a line on standard error if time runs out before."""
    from solver.api import iter_solutions

    try:
        progress.listed.extend(islice(iter_solutions(puzzle, cpu_limit=how.cpu_limit, start=start), how.most))
    except TimeoutError as error:
        err.print(f"[yellow]{escape(puzzle.puzzle_id)}:[/yellow] {escape(str(error))}")


def _known(puzzle: "Puzzle", row: dict[str, Any], how: How, start: "np.ndarray | None") -> "np.ndarray | None":
    """The colour of each cell of a puzzle that was not solved to its end, -1 where it is open; None if that fails."""
    from reports.partial import partial, settled

    may_be = partial(puzzle, row, how.depth, start)
    return None if may_be is None else settled(may_be)


def _explained(puzzle: "Puzzle", row: dict[str, Any], how: How, start: "np.ndarray | None") -> "Explanation | None":
    """How the puzzle is solved, if that is wanted."""
    from solver.people.explanation import explain

    if not how.explained or row["status"] == "invalid":
        return None
    return explain(puzzle, start=start, cpu_limit=how.cpu_limit)


def _told(puzzle: "Puzzle", how: How, progress: Progress, spent: Spent) -> Iterator[RenderableType]:
    """What is printed when the work is paused."""
    name = f"[bold]{escape(puzzle.puzzle_id)}[/bold]"
    yield f"{name}: {spent.elapsed:,.1f} s, {spent.cpu:,.1f} s of CPU time so far; the limit is {how.cpu_limit:g} s"
    for limit, row in progress.tries[-1:]:
        yield f"Known after {limit:.3g} s of CPU time, with {found_of(row)}:"
        yield from statistics(row, how.depth)
    if progress.listed:
        yield f"{len(progress.listed):,} solutions listed"
