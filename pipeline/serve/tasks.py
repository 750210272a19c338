"""What workers do, each a function of what a client has sent; what strangers send is looked at nowhere else.

Each raises FormatError, InvalidPuzzle or ValueError, one line, for what can't be read or done.
"""

import base64
import io
import time
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.classify.warm import FOR_MOST, Kind, needed
from pipeline.serve.limits import MOST_CELLS, MOST_PUZZLES, MOST_SOLUTION_CELLS, SPRINT
from pipeline.serve.records import answer_record, cells_text, described_record, puzzle_of, within_limits
from reports.clean import clean
from scrapers.archives.contents import contents
from scrapers.archives.limits import BROKEN, Budget, reason
from scrapers.archives.names import clean as clean_name
from scrapers.formats import FormatError, jsonl, named
from scrapers.formats.writing import file_of
from scrapers.importing import Problem, read_files
from scrapers.pictures.image import Wish, puzzle_of_image
from solver.api import classify, iter_solutions, solve
from solver.ladder.warm import warm_up
from solver.puzzle import Color, InvalidPuzzle, Puzzle, from_picture
from solver.tables import puzzle_batch
from solver.views import views

UNKNOWN = "?"
"""A cell of a begun grid that may be anything."""


MOST_WARM = 63
"""The longest side of puzzles whose kernels each worker begins with (pipeline.classify.warm.FOR_MOST)."""

PREPARED: set[Kind] = set(FOR_MOST)
"""Kinds of puzzles whose kernels this process has."""


class Later(Exception):
    """A puzzle that needs more than the time of a first try, or kernels that have to be compiled."""


class Allowed(NamedTuple):
    """What a job may take.

    seconds     CPU seconds
    first_try   whether it shall end with `Later` rather than take long
    compiling   to be called before kernels are compiled
    """

    seconds: float
    first_try: bool
    compiling: Callable[[], None]


def parsed(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """The puzzles of a file or an archive, and what is wrong with the rest: `name`, `data`."""
    puzzles: list[Puzzle] = []
    problems: list[Problem] = []
    name = clean_name(asked["name"]) or "file"
    more = False
    try:
        for item in read_files(contents(name, io.BytesIO(asked["data"]), Budget())):
            if isinstance(item, Puzzle):
                more = (
                    len(puzzles) == MOST_PUZZLES or sum(each.width * each.height for each in puzzles) > 10 * MOST_CELLS
                )
                if more:
                    break
                puzzles.append(within_limits(item))
            elif len(problems) < MOST_PUZZLES:
                problems.append(item)
    except BROKEN as error:
        problems.append(Problem(name, reason(error)))
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
    return described_record(from_picture(_entries(cells).reshape(-1, width), palette, title=asked["title"]))


def written(asked: dict[str, Any], _: Allowed) -> dict[str, Any]:
    """A puzzle as a file: `puzzle`, `format`. What the format can't hold is left out and told."""
    known, puzzle = named(asked["format"]), puzzle_of(asked["puzzle"])
    try:
        data, lost = file_of(puzzle, known, lossy=True)
    except FormatError as error:
        raise FormatError(str(error).replace("; --solve finds one", "; solve it first")) from None
    return {
        "name": (puzzle.puzzle_id.split("/")[-1] or "puzzle") + known.SUFFIXES[0],
        "data": base64.b64encode(data).decode(),
        "left_out": lost,
    }


def solved(asked: dict[str, Any], allowed: Allowed) -> dict[str, Any]:
    """The answer to a puzzle: `puzzle`, how many `solutions`, and the grid as far as it is `begun`, or none."""
    puzzle = puzzle_of(asked["puzzle"])
    start = None if asked["begun"] is None else _start(asked["begun"], puzzle)
    batch = puzzle_batch([puzzle])
    if max(puzzle.width, puzzle.height) > MOST_WARM:
        _prepare(batch, allowed)
    seconds = min(SPRINT, allowed.seconds) if allowed.first_try else allowed.seconds
    began = time.thread_time()
    if start is None:
        row = classify(batch, cpu_limit=seconds).to_pylist()[0]
    else:
        row = solve(puzzle, cpu_limit=seconds, start=start)
    later = allowed.first_try and allowed.seconds > seconds
    if row["status"] == "timeout" and later:
        raise Later
    answer = {"clue_hash": row["clue_hash"], **answer_record(row, puzzle.width, puzzle.height)}
    most = min(asked["solutions"], max(2, MOST_SOLUTION_CELLS // (puzzle.width * puzzle.height)))
    if answer["solutions"] == "multiple" and most > len(answer["pictures"]):
        found, every = _several(puzzle, most, began + seconds, start)
        if not every and len(found) < most and later:
            raise Later
        if len(found) > 1:
            answer |= {"pictures": found, "every": every}
    return answer


def _prepare(batch: pa.RecordBatch, allowed: Allowed) -> None:
    """Compile the kernels that a puzzle needs, if this process has not got them. Raises Later at the first try."""
    kinds = needed(batch)
    if kinds <= PREPARED:
        return
    if allowed.first_try:
        raise Later
    allowed.compiling()
    warm_up(views(batch))
    PREPARED.update(kinds)


def _several(puzzle: Puzzle, most: int, deadline: float, start: np.ndarray | None) -> tuple[list[str], bool]:
    """Up to so many solutions, and whether these are all, until the CPU clock of this thread says `deadline`."""
    found: list[str] = []
    left = max(deadline - time.thread_time(), 0.01)
    try:
        for cells in islice(iter_solutions(puzzle, cpu_limit=left, start=start), most + 1):
            if len(found) == most or time.thread_time() > deadline:
                return found, False
            found.append(cells_text(cells.tobytes()))
    except TimeoutError:
        return found, False
    return found, True


def _start(begun: str, puzzle: Puzzle) -> np.ndarray:
    """A begun grid as the solver wants it: bool[height, width, colours + 1]."""
    cells, colors = puzzle.width * puzzle.height, max(puzzle.colors, 1) + 1
    if len(begun) != cells:
        raise FormatError(f"the begun grid has {len(begun):,} cells, the puzzle {cells:,}")
    unknown = np.frombuffer(begun.encode("ascii", "replace"), np.uint8) == ord(UNKNOWN)
    entries = _entries(begun.replace(UNKNOWN, "0"))
    if entries.max(initial=0) >= colors:
        raise FormatError("the begun grid has colours that the clues lack")
    start = np.zeros((cells, colors), np.bool_)
    start[np.arange(cells), entries] = True
    start[unknown] = True
    return start.reshape(puzzle.height, puzzle.width, colors)


def _entries(text: str) -> np.ndarray:
    """The palette entries of a text of digits, uint8."""
    if text.strip(jsonl.DIGITS):
        raise FormatError("a cell is a digit in base 36, its palette's entry")
    return jsonl.PLACES[np.frombuffer(text.encode(), np.uint8)]


TASKS: dict[str, Callable[[dict[str, Any], Allowed], dict[str, Any]]] = {
    "parse": parsed,
    "image": imaged,
    "clues": clued,
    "write": written,
    "solve": solved,
}

REFUSED = (FormatError, InvalidPuzzle, ValueError)
"""What they raise for what a client has sent."""
