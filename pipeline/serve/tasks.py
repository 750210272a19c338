"""Tasks of the workers, each a function of a client's arguments; only they handle untrusted input.

Tasks on files and drawings are here, the others in modules of their own. Each raises a ValueError (FormatError,
InvalidPuzzle) with one line for what can't be read or done.
"""

import io
from collections.abc import Callable
from typing import Any

from nonocensus.pipeline.serve.explain_tasks import explain_puzzle, find_hint
from nonocensus.pipeline.serve.records import (
    check_area,
    file_reply,
    parse_cells,
    parse_grid,
    parse_puzzle,
    puzzle_reply,
)
from nonocensus.pipeline.serve.serve_limits import (
    ANIMATION_SECONDS,
    MAX_ANIMATED_CELLS,
    MAX_AREA,
    MAX_FRAMES,
    MAX_PUZZLES,
)
from nonocensus.pipeline.serve.solve_tasks import solve_batch, solve_puzzle, validate
from nonocensus.pipeline.serve.task_budget import TaskBudget, ensure_kernels
from nonocensus.reports.clean import clean
from nonocensus.reports.explained.step_words import grid_states
from nonocensus.reports.sheet.grid_state import GridState, thin_states
from nonocensus.reports.sheet.print_pages import a4
from nonocensus.reports.sheet.raster import gif, most_frames, png
from nonocensus.reports.sheet.svg import drawing
from nonocensus.scrapers.archives.archive_members import read_entries
from nonocensus.scrapers.archives.source_file import READ_ERRORS, Budget, clean_name, describe_read_error
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.formats import FormatError, named
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.scrapers.pictures.image import ImageOptions, puzzle_of_image
from nonocensus.solver.ladder.ladder_kernels import warm_up
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture
from nonocensus.solver.people.assume import compile_for
from nonocensus.solver.people.explanation import explain


def parse_file(arguments: dict[str, Any], _: TaskBudget) -> dict[str, Any]:
    """Read the puzzles of a file or an archive, with the problems of the rest. Arguments: name, data."""
    puzzles: list[Puzzle] = []
    problems: list[Problem] = []
    name = clean_name(arguments["name"]) or "file"
    is_truncated = False
    try:
        for item in read_files(read_entries(name, io.BytesIO(arguments["data"]), Budget())):
            if isinstance(item, Puzzle):
                cells = sum(each.width * each.height for each in puzzles)
                is_truncated = len(puzzles) == MAX_PUZZLES or cells > 10 * MAX_AREA
                if is_truncated:
                    break
                puzzles.append(check_area(item))
            elif len(problems) < MAX_PUZZLES:
                problems.append(item)
    except READ_ERRORS as error:
        problems.append(Problem(name, describe_read_error(error)))
    if not puzzles:
        raise FormatError("; ".join(problem.reason for problem in problems[:1]) or "it holds no puzzle")
    return {
        "puzzles": [puzzle_reply(puzzle) for puzzle in puzzles],
        "problems": [{"name": clean(each.name), "reason": clean(each.reason)} for each in problems],
        "more": is_truncated,
    }


def convert_image(arguments: dict[str, Any], _: TaskBudget) -> dict[str, Any]:
    """Make a puzzle of an image. Arguments: data, width, height, colors, dither."""
    options = ImageOptions(arguments["width"], arguments["height"], arguments["colors"], arguments["dither"])
    if options.width and options.height and options.width * options.height > MAX_AREA:
        raise FormatError(f"a picture of {options.width}x{options.height} has more than {MAX_AREA:,} cells")
    return puzzle_reply(check_area(puzzle_of_image(arguments["data"], options).puzzle))


def convert_picture(arguments: dict[str, Any], _: TaskBudget) -> dict[str, Any]:
    """Make the puzzle of a picture. Arguments: width, cells, palette, title (or None)."""
    cells, width = arguments["cells"], arguments["width"]
    if len(cells) % width or len(cells) > MAX_AREA:
        raise FormatError(f"{len(cells):,} cells are not rows of {width} cells, or more than {MAX_AREA:,}")
    palette = [Color(*color) for color in arguments["palette"]]
    picture = parse_cells(cells).reshape(-1, width)
    return puzzle_reply(from_picture(picture, palette, title=arguments["title"]))


def write_file(arguments: dict[str, Any], _: TaskBudget) -> dict[str, Any]:
    """Write a puzzle, with a list of what its format can't hold. Arguments: puzzle, format."""
    known, puzzle = named(arguments["format"]), parse_puzzle(arguments["puzzle"])
    try:
        data, lost = file_of(puzzle, known, lossy=True)
    except FormatError as error:
        raise FormatError(str(error).replace("; --solve finds one", "; solve it first")) from None
    return file_reply(puzzle, known.SUFFIXES[0], data, lost)


def draw(arguments: dict[str, Any], _: TaskBudget) -> dict[str, Any]:
    """Draw a puzzle with its begun grid. Arguments: puzzle, kind (of file), begun (or None).

    A PDF has the empty grid on its first page, and the puzzle's goal, if it has one, on the second.
    """
    puzzle, kind = parse_puzzle(arguments["puzzle"]), arguments["kind"]
    if kind == "pdf":
        return file_reply(puzzle, ".pdf", a4(puzzle, puzzle.goal), [])
    picture = drawing(puzzle, GridState(parse_grid(arguments["begun"], puzzle)))
    return file_reply(puzzle, f".{kind}", png(picture) if kind == "png" else picture.svg.encode(), [])


def animate(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Animate a puzzle's explanation as a GIF. Argument: puzzle. Raises FormatError if there is no step to show."""
    puzzle = check_area(parse_puzzle(arguments["puzzle"]), MAX_ANIMATED_CELLS, "animates")
    ensure_kernels(puzzle, budget, warm_up, compile_for)
    explanation = explain(puzzle, cpu_limit=budget.seconds - ANIMATION_SECONDS)
    if not explanation.steps:
        raise FormatError("its solution has no steps to show")
    frames = thin_states(grid_states(explanation), most_frames(puzzle, MAX_FRAMES)).states
    return file_reply(puzzle, ".gif", gif(puzzle, frames), [])


TASKS: dict[str, Callable[[dict[str, Any], TaskBudget], dict[str, Any] | str]] = {
    "parse": parse_file,
    "image": convert_image,
    "clues": convert_picture,
    "write": write_file,
    "draw": draw,
    "animate": animate,
    "solve": solve_puzzle,
    "validate": validate,
    "hint": find_hint,
    "explain": explain_puzzle,
}

BATCH_TASKS: dict[str, Callable[[list[dict[str, Any]], TaskBudget], list[Any]]] = {"solve": solve_batch}
"""Tasks that run several small jobs in about the time of one; results may be exceptions, to be raised for their job."""
