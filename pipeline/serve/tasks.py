"""What workers do, each a function of what a client has sent; what strangers send is looked at nowhere else.

Those on files stand here, the others in modules of their own. Each raises a ValueError (FormatError, InvalidPuzzle),
one line, for what can't be read or done.
"""

import io
from collections.abc import Callable
from typing import Any

from pipeline.serve.allowance import Allowed
from pipeline.serve.draw_tasks import animated, drawn
from pipeline.serve.explain_tasks import explained, hinted
from pipeline.serve.records import described_record, entries_of, file_record, puzzle_of, within_limits
from pipeline.serve.serve_limits import MOST_CELLS, MOST_PUZZLES
from pipeline.serve.solve_tasks import solved, solved_together, validated
from reports.clean import clean
from scrapers.archives.archive_members import read_entries
from scrapers.archives.source_file import READ_ERRORS, Budget, clean_name, describe_read_error
from scrapers.file_batches import Problem, read_files
from scrapers.formats import FormatError, named
from scrapers.formats.writing import file_of
from scrapers.pictures.image import Wish, puzzle_of_image
from solver.model.puzzle import Color, Puzzle, from_picture


def parsed(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """The puzzles of a file or an archive, and what is wrong with the rest: `name`, `data`."""
    puzzles: list[Puzzle] = []
    problems: list[Problem] = []
    name = clean_name(asked["name"]) or "file"
    more = False
    try:
        for item in read_files(read_entries(name, io.BytesIO(asked["data"]), Budget())):
            if isinstance(item, Puzzle):
                more = (
                    len(puzzles) == MOST_PUZZLES or sum(each.width * each.height for each in puzzles) > 10 * MOST_CELLS
                )
                if more:
                    break
                puzzles.append(within_limits(item))
            elif len(problems) < MOST_PUZZLES:
                problems.append(item)
    except READ_ERRORS as error:
        problems.append(Problem(name, describe_read_error(error)))
    if not puzzles:
        raise FormatError("; ".join(problem.reason for problem in problems[:1]) or "it holds no puzzle")
    return {
        "puzzles": [described_record(puzzle) for puzzle in puzzles],
        "problems": [{"name": clean(each.name), "reason": clean(each.reason)} for each in problems],
        "more": more,
    }


def imaged(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """The puzzle of an image: `data`, `width`, `height`, `colors`, `dither`."""
    wish = Wish(asked["width"], asked["height"], asked["colors"], asked["dither"])
    if wish.width and wish.height and wish.width * wish.height > MOST_CELLS:
        raise FormatError(f"a picture of {wish.width}x{wish.height} is more than {MOST_CELLS:,} cells")
    return described_record(within_limits(puzzle_of_image(asked["data"], wish).puzzle))


def clued(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """The puzzle of a picture: `width`, `cells`, `palette`, and `title` or none."""
    cells, width = asked["cells"], asked["width"]
    if len(cells) % width or len(cells) > MOST_CELLS:
        raise FormatError(f"{len(cells):,} cells are no picture {width} cells wide of {MOST_CELLS:,} cells at most")
    palette = [Color(*color) for color in asked["palette"]]
    return described_record(from_picture(entries_of(cells).reshape(-1, width), palette, title=asked["title"]))


def written(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """A puzzle as a file: `puzzle`, `format`. What the format can't hold is left out and told."""
    known, puzzle = named(asked["format"]), puzzle_of(asked["puzzle"])
    try:
        data, lost = file_of(puzzle, known, lossy=True)
    except FormatError as error:
        raise FormatError(str(error).replace("; --solve finds one", "; solve it first")) from None
    return file_record(puzzle, known.SUFFIXES[0], data, lost)


TASKS: dict[str, Callable[[dict[str, Any], Allowed], dict[str, Any] | str]] = {
    "parse": parsed,
    "image": imaged,
    "clues": clued,
    "write": written,
    "draw": drawn,
    "animate": animated,
    "solve": solved,
    "validate": validated,
    "hint": hinted,
    "explain": explained,
}

TOGETHER: dict[str, Callable[[list[dict[str, Any]], Allowed], list[Any]]] = {"solve": solved_together}
"""Those that do several small jobs in about the time of one; what is raised for a job stands in its place."""
