"""`solve --hint`: the easiest next step of a partly solved puzzle, or its wrong cells."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from rich.console import RenderableType

from nonocensus.pipeline.commands.output import DONE, SOME_FAILED, first_lines, print_result
from nonocensus.pipeline.commands.solve.attempt import saved_grid
from nonocensus.pipeline.commands.solve.verdict_output import explanation_fields, step_text
from nonocensus.pipeline.commands.terminal_drawing import draw
from nonocensus.pipeline.commands.warm import compile_kernels
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, batch_kinds
from nonocensus.pipeline.store.sources import no_puzzle_error
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.words.step_words import NO_STEP, describe_cell, describe_merged, grid_states, known_grid
from nonocensus.scrapers.file_batches import Problem
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.people.hints import Hint, hint


def print_hint(puzzle: Puzzle, from_saved: int | None, cpu_limit: float) -> int:
    """Print the hint for a puzzle, and return the exit status.

    It starts from its saved grid number `from_saved`, else from its first one, else from an empty grid.
    """
    start = _start(puzzle, from_saved)
    compile_kernels(batch_kinds(puzzle_batch([puzzle])), SOLVING)
    found = hint(puzzle, start, cpu_limit=cpu_limit)
    wrong = [[place // puzzle.width + 1, place % puzzle.width + 1] for place in found.wrong]  # counted from 1
    *before, step = explanation_fields(found.next)["steps"] if found.next is not None else [None]
    value = {"puzzle_id": puzzle.puzzle_id, "hint": found.kind, "wrong": wrong, "before": before, "step": step}
    print_result(value, describe_hint(puzzle, start, found))
    return SOME_FAILED if found.kind in ("wrong", "none", "timeout") else DONE


def single_puzzle(
    puzzles: Iterator[Puzzle | Problem], number: int | None, files: list[str], what: str = "--hint"
) -> Puzzle:
    """Return the only puzzle, or the one of a number, counted from 1."""
    items = list(islice(puzzles, (number or 1) - 1, (number or 1) + 1))
    if not items:
        raise no_puzzle_error(files, number)
    if number is None and len(items) > 1:
        raise UserError(f"{what} is for one puzzle, {', '.join(files)}: choose one with -n")
    if isinstance(items[0], Problem):
        raise UserError(f"{items[0].name}: {items[0].reason}")
    return items[0]


def _start(puzzle: Puzzle, from_saved: int | None) -> np.ndarray:
    """Return the grid to continue: bool[height, width, colors]."""
    if from_saved is None and not puzzle.saved:
        return np.ones((puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1), bool)
    return np.ascontiguousarray(saved_grid(puzzle, from_saved or 1))


def describe_hint(puzzle: Puzzle, start: np.ndarray, found: Hint) -> Iterator[RenderableType]:
    """Yield the grid with the cells in question marked, and the hint in words."""
    if found.next is not None:
        *_, state = grid_states(found.next)
        yield draw(puzzle, state)
        yield from map(step_text, describe_merged(found.next, is_hint=True))
        return
    marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
    marked.ravel()[list(found.wrong)] = True
    colors = (start.reshape(marked.size, -1) << np.arange(start.shape[2])).sum(axis=1)
    yield draw(puzzle, GridState(known_grid(colors.tolist(), puzzle.width), marked))
    if found.kind == "wrong":
        cells = "; ".join(first_lines([describe_cell(puzzle, place) for place in found.wrong]))
        yield f"[red]{len(found.wrong):,} {'cell is' if len(found.wrong) == 1 else 'cells are'} wrong[/red]: {cells}"
    else:
        yield NO_STEP[found.kind] + " Raise --cpu-limit." * (found.kind == "timeout")
