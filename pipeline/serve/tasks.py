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
from nonocensus.pipeline.serve.serve_limits import MAX_AREA, MAX_BODY, MAX_MEMBERS, MAX_PUZZLES, MAX_UNPACKED
from nonocensus.pipeline.serve.solve_tasks import solve_puzzle, validate
from nonocensus.pipeline.serve.task_budget import TaskBudget
from nonocensus.reports.clean import clean
from nonocensus.reports.sheet.grid_state import GridState
from nonocensus.reports.sheet.print_pages import a4
from nonocensus.reports.sheet.raster import png
from nonocensus.reports.sheet.svg import drawing
from nonocensus.scrapers.archives.archive_members import read_entries
from nonocensus.scrapers.archives.source_file import (
    DEFAULT_READ_LIMITS,
    READ_ERRORS,
    Budget,
    clean_name,
    describe_read_error,
)
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.formats import FormatError, named
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.scrapers.pictures.image import ImageOptions, puzzle_of_image
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

READ_LIMITS = DEFAULT_READ_LIMITS._replace(
    max_bytes=MAX_BODY, max_unpacked=MAX_UNPACKED, max_ratio=MAX_UNPACKED // MAX_BODY, max_members=MAX_MEMBERS
)
"""Limits of reading an uploaded file or archive."""


def parse_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the puzzles of a file or an archive, with the problems of the rest. Arguments: name, data."""
    puzzles: list[Puzzle] = []
    problems: list[Problem] = []
    name = clean_name(arguments["name"]) or "file"
    is_truncated = False
    try:
        for item in read_files(read_entries(name, io.BytesIO(arguments["data"]), Budget(READ_LIMITS))):
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


def convert_image(arguments: dict[str, Any]) -> dict[str, Any]:
    """Make a puzzle of an image. Arguments: data, width, height, colors, dither."""
    options = ImageOptions(arguments["width"], arguments["height"], arguments["colors"], arguments["dither"])
    if options.width and options.height and options.width * options.height > MAX_AREA:
        raise FormatError(f"a picture of {options.width}x{options.height} has more than {MAX_AREA:,} cells")
    return puzzle_reply(check_area(puzzle_of_image(arguments["data"], options).puzzle))


def convert_picture(arguments: dict[str, Any]) -> dict[str, Any]:
    """Make the puzzle of a picture. Arguments: width, cells, palette, title (or None)."""
    cells, width = arguments["cells"], arguments["width"]
    if len(cells) % width or len(cells) > MAX_AREA:
        raise FormatError(f"{len(cells):,} cells are not rows of {width} cells, or more than {MAX_AREA:,}")
    palette = [Color(*color) for color in arguments["palette"]]
    picture = parse_cells(cells).reshape(-1, width)
    return puzzle_reply(from_picture(picture, palette, title=arguments["title"]))


def write_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """Write a puzzle, with a list of what its format can't hold. Arguments: puzzle, format."""
    known, puzzle = named(arguments["format"]), parse_puzzle(arguments["puzzle"])
    try:
        data, lost = file_of(puzzle, known, lossy=True)
    except FormatError as error:
        raise FormatError(str(error).replace("; --solve finds one", "; solve it first")) from None
    return file_reply(puzzle, known.SUFFIXES[0], data, lost)


def draw(arguments: dict[str, Any]) -> dict[str, Any]:
    """Draw a puzzle with its begun grid. Arguments: puzzle, kind (of file), begun (or None).

    A PDF has the empty grid on its first page, and the puzzle's goal, if it has one, on the second.
    """
    puzzle, kind = parse_puzzle(arguments["puzzle"]), arguments["kind"]
    if kind == "pdf":
        return file_reply(puzzle, ".pdf", a4(puzzle, puzzle.goal), [])
    picture = drawing(puzzle, GridState(parse_grid(arguments["begun"], puzzle)))
    return file_reply(puzzle, f".{kind}", png(picture) if kind == "png" else picture.svg.encode(), [])


FILE_TASKS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "parse": parse_file,
    "image": convert_image,
    "clues": convert_picture,
    "write": write_file,
    "draw": draw,
}
"""Tasks that read and write files."""

SOLVE_TASKS: dict[str, Callable[[dict[str, Any], TaskBudget], dict[str, Any] | str]] = {
    "solve": solve_puzzle,
    "validate": validate,
    "hint": find_hint,
    "explain": explain_puzzle,
}
"""Tasks that solve a puzzle, which may take long."""
