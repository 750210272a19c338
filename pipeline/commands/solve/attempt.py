"""Solving one puzzle for the command solve, optionally with Ctrl-C reporting progress instead of ending the process.

A kernel holds its thread until it returns, so interactive work runs in a thread of its own while the main thread, which
receives the signals, waits. Work that the user stops ends with the process.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.output import err
from nonocensus.pipeline.commands.solve.partial import decided_grid, partial
from nonocensus.pipeline.commands.solve.verdict_output import SolvedPuzzle, found_solutions, statistics
from nonocensus.pipeline.errors import Interrupted, UserError
from nonocensus.pipeline.jobs.schedule import levels
from nonocensus.pipeline.jobs.single_grade import grade_one
from nonocensus.solver.api import iter_solutions, solve
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.operating_system import thread_clock
from nonocensus.solver.people.explanation import explain

R = TypeVar("R")

FIRST_TRY, GROWTH = 1.0, 3.0
"""CPU seconds of the first attempt of interactive work, and the factor between attempts."""

GRADING_LIMIT = 10.0
"""CPU seconds for the grade of a puzzle that is solved."""

SIGNAL_POLL = 0.2
"""Seconds between two checks for signals: one delivered to another thread does not wake the main thread."""


class SolveOptions(NamedTuple):
    """How to solve a puzzle: `cpu_limit`, `rung`, `depth` and `check_goal` as for solver.api.solve, and

    from_saved          number of the saved grid to start from
    solution_limit      solutions to list; None lists none
    in_full             whether difficulty, and the decided cells of an unfinished puzzle, are needed
    needs_explanation   whether an explanation is needed
    is_interactive      whether Ctrl-C reports progress
    """

    cpu_limit: float
    rung: str
    depth: int
    check_goal: bool
    from_saved: int | None
    solution_limit: int | None
    in_full: bool
    needs_explanation: bool
    is_interactive: bool


class AttemptLog(NamedTuple):
    """Progress on a puzzle, read by the main thread while another thread works on it.

    timeouts    CPU limits that were too low, each with its row of the results table
    solutions   solutions listed so far
    """

    timeouts: list[tuple[float, dict[str, Any]]]
    solutions: list[np.ndarray]


def solve_puzzle(puzzle: Puzzle, options: SolveOptions) -> SolvedPuzzle:
    """Solve a puzzle, with the solutions, known cells and explanation that the options ask for."""
    log = AttemptLog([], [])
    if not options.is_interactive:
        return _solve(puzzle, options, log)
    return run_interactively(
        lambda: _solve(puzzle, options, log), lambda wall, cpu: _progress_report(puzzle, options, log, wall, cpu)
    )


def _solve(puzzle: Puzzle, options: SolveOptions, log: AttemptLog) -> SolvedPuzzle:
    start = None if options.from_saved is None else saved_grid(puzzle, options.from_saved)
    row = _solve_row(puzzle, options, start, log)
    if options.solution_limit is not None and row["status"] != "invalid":
        _list_solutions(puzzle, options, start, log)
    candidates = explanation = grading = None
    if options.in_full and row["label"] in ("timeout", "stalled"):
        candidates = partial(puzzle, row, options.depth, start)
    if options.needs_explanation and row["status"] != "invalid":
        explanation = explain(puzzle, start=start, cpu_limit=options.cpu_limit)
    if options.in_full and row["solutions"] == "unique" and start is None:
        grading = grade_one(puzzle_batch([puzzle]), min(options.cpu_limit, GRADING_LIMIT))
    solutions = None if options.solution_limit is None else log.solutions
    known = None if candidates is None else decided_grid(candidates)
    return SolvedPuzzle(puzzle, row, options.depth, solutions, known, explanation, grading)


def saved_grid(puzzle: Puzzle, number: int) -> np.ndarray:
    """Return a saved grid of a puzzle, bool[height, width, colors], restricted to the colours of its clues."""
    if number > len(puzzle.saved):
        raise UserError(f"--from-saved {number}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    return puzzle.saved[number - 1][:, :, : max(puzzle.colors, 1) + 1]


def _solve_row(puzzle: Puzzle, options: SolveOptions, start: np.ndarray | None, log: AttemptLog) -> dict[str, Any]:
    """Return the puzzle's row of the results table.

    A kernel reports nothing before it ends. Interactive work is therefore restarted with growing CPU limits, so that
    the result of the last attempt can be shown; all attempts together take at most 1.5 times as long as the last.
    """
    row: dict[str, Any] = {}
    settings: dict[str, Any] = {"rung": options.rung, "depth": options.depth, "check_goal": options.check_goal}
    limits = levels(options.cpu_limit, FIRST_TRY, GROWTH) if options.is_interactive else [options.cpu_limit]
    for limit in limits:
        row = solve(puzzle, cpu_limit=limit, start=start, **settings)
        if row["status"] != "timeout":
            break
        log.timeouts.append((limit, row))
    return row


def _list_solutions(puzzle: Puzzle, options: SolveOptions, start: np.ndarray | None, log: AttemptLog) -> None:
    """List up to `solution_limit` solutions; a timeout is reported on standard error."""
    solutions = iter_solutions(puzzle, cpu_limit=options.cpu_limit, start=start)
    try:
        log.solutions.extend(islice(solutions, options.solution_limit))
    except TimeoutError as error:
        err.print(f"[yellow]{escape(puzzle.puzzle_id)}:[/yellow] {escape(str(error))}")


def _progress_report(
    puzzle: Puzzle, options: SolveOptions, log: AttemptLog, wall: float, cpu: float
) -> Iterator[RenderableType]:
    """Yield what Ctrl-C prints about a puzzle being solved, after these wall seconds and CPU seconds of its thread."""
    name = f"[bold]{escape(puzzle.puzzle_id)}[/bold]"
    yield f"{name}: {wall:,.1f} s, {cpu:,.1f} s of CPU time; the limit is {options.cpu_limit:g} s"
    for limit, row in log.timeouts[-1:]:
        yield f"Known after {limit:.3g} s of CPU time, with {found_solutions(row)}:"
        yield from statistics(row, options.depth)
    if log.solutions:
        yield f"{len(log.solutions):,} solutions listed"


class _ThreadClock:
    """CPU clock of a worker thread: zero before it starts, its last value after it ends."""

    clock: Callable[[], float] | None = None
    last = 0.0

    def start(self) -> None:
        """Attach to the calling thread."""
        self.clock = thread_clock()

    def seconds(self) -> float:
        """Return the CPU seconds so far."""
        if self.clock is not None:
            with suppress(OSError):  # the thread has ended
                self.last = self.clock()
        return self.last


def run_interactively(work: Callable[[], R], report: Callable[[float, float], Iterable[RenderableType]]) -> R:
    """Run work in a thread and return its result; Ctrl-C prints a report and asks whether to continue.

    report   of wall seconds since the work began, and CPU seconds of its thread

    For the main thread only. Work continues while the user is asked.

    Raises:
        Interrupted: The user declines, or can't be asked.
        KeyboardInterrupt: On a second Ctrl-C, while the user is asked.

    """
    events: SimpleQueue[Future[R] | None] = SimpleQueue()
    clock = _ThreadClock()

    def run() -> None:
        clock.start()
        done: Future[R] = Future()
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        events.put(done)

    previous_handler = signal.getsignal(signal.SIGINT)

    def pause(*_: object) -> None:
        signal.signal(signal.SIGINT, previous_handler)  # a second Ctrl-C ends the command
        events.put(None)

    began = time.monotonic()
    signal.signal(signal.SIGINT, pause)
    try:
        threading.Thread(target=run, name="solver", daemon=True).start()
        while True:
            try:
                done = events.get(timeout=SIGNAL_POLL)
            except Empty:
                continue
            if done is not None:
                return done.result()
            err.print()
            for part in report(time.monotonic() - began, clock.seconds()):
                err.print(part)
            if not _confirms_continuing():
                raise Interrupted("stopped")
            signal.signal(signal.SIGINT, pause)
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def _confirms_continuing() -> bool:
    """Ask whether to continue; the end of input means no."""
    err.print("Still solving. Continue? \\[Y/n] ", end="")
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    return bool(answer) and not answer.strip().lower().startswith("n")
