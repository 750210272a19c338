"""Puzzles drawn in a worker: as SVG or PNG, as pages to print, and their explanations as animations."""

from typing import Any

from pipeline.serve.allowance import Allowed, prepare
from pipeline.serve.records import file_record, grid_of, puzzle_of, within_limits
from pipeline.serve.serve_limits import ANIMATED_SECONDS, MOST_ANIMATED_CELLS, MOST_FRAMES
from reports.explained.states import states
from reports.sheet.animation import gif, most_frames
from reports.sheet.print_pages import a4
from reports.sheet.raster import png
from reports.sheet.state import State
from reports.sheet.svg import drawing
from reports.sheet.thinning import thinned
from scrapers.formats import FormatError
from solver.ladder.ladder_kernels import warm_up
from solver.people.assume import compile_for
from solver.people.explanation import explain


def drawn(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """A puzzle to look at or to print: `puzzle`, the `kind` of file, and the grid as far as it is `begun`, or none.

    A PDF has the empty grid on its first sheet, and the goal, if the puzzle has one, on the second.
    """
    puzzle, kind = puzzle_of(asked["puzzle"]), asked["kind"]
    if kind == "pdf":
        return file_record(puzzle, ".pdf", a4(puzzle, puzzle.goal), [])
    picture = drawing(puzzle, State(grid_of(asked["begun"], puzzle)))
    return file_record(puzzle, f".{kind}", png(picture) if kind == "png" else picture.svg.encode(), [])


def animated(asked: dict[str, Any], allowed: Allowed) -> dict[str, Any]:
    """How a puzzle is solved, as an animated GIF: `puzzle`. Raises FormatError if there is no step to be seen."""
    puzzle = within_limits(puzzle_of(asked["puzzle"]), MOST_ANIMATED_CELLS, "animates")
    prepare(puzzle, allowed, warm_up, compile_for)
    found = explain(puzzle, cpu_limit=allowed.seconds - ANIMATED_SECONDS)
    if not found.steps:
        raise FormatError("there is no step of its solution to be seen")
    frames = thinned(states(found), most_frames(puzzle, MOST_FRAMES)).states
    return file_record(puzzle, ".gif", gif(puzzle, frames), [])
