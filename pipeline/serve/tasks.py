"""Tasks of the workers, each a function of a client's arguments; only they handle untrusted input.

Each raises a ValueError (FormatError, InvalidPuzzle) with one line for what can't be read or done. What solves a puzzle
raises Deferred on a first try that is too short.
"""

import io
import json
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from nonocensus.pipeline.findings.csv_file import json_value
from nonocensus.pipeline.jobs.single_grade import grade_one
from nonocensus.pipeline.serve.records import (
    cells_text,
    check_area,
    file_reply,
    parse_cells,
    parse_grid,
    parse_puzzle,
    puzzle_reply,
    result_reply,
)
from nonocensus.pipeline.serve.serve_limits import (
    MAX_AREA,
    MAX_BODY,
    MAX_EXPLAINED_CELLS,
    MAX_EXPLANATION,
    MAX_MEMBERS,
    MAX_PAGE,
    MAX_PUZZLES,
    MAX_SOLUTION_CELLS,
    MAX_UNPACKED,
)
from nonocensus.pipeline.serve.task_budget import Deferred, TaskBudget, ensure_kernels
from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.raster import png
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.page.explanation_page import page
from nonocensus.reports.page.printing import a4
from nonocensus.reports.words import pbnsolve
from nonocensus.reports.words.formatting import difficulty_words
from nonocensus.reports.words.step_words import (
    DescribedStep,
    describe_cell,
    describe_ending,
    describe_line,
    describe_lines,
    describe_merged,
    known_grid,
)
from nonocensus.scrapers.archives.archive_members import read_entries
from nonocensus.scrapers.archives.source_file import (
    DEFAULT_READ_LIMITS,
    READ_ERRORS,
    Budget,
    clean_name,
    describe_read_error,
)
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.formats import FormatError, detect, named, of_suffix
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.scrapers.pictures.image import ImageOptions, puzzle_of_image
from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.ladder.climb import warm_up
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture
from nonocensus.solver.model.tables import GRADES, puzzle_batch
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.assumptions import compile_for
from nonocensus.solver.people.explanation import explain
from nonocensus.solver.people.hints import hint, start_of


def find_hint(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Find the next step on a grid. Arguments: puzzle, begun."""
    puzzle = parse_puzzle(arguments["puzzle"])
    start = start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, compile_for)
    seconds = budget.try_seconds / 2  # for each of the two searches
    found = hint(puzzle, start, cpu_limit=seconds)
    if found.kind == "timeout" and budget.can_defer:
        raise Deferred
    steps = [] if found.next is None else describe_merged(found.next, is_hint=True)
    return {"kind": found.kind, "wrong": found.wrong, "steps": [step_record(puzzle, step) for step in steps]}


def explain_puzzle(
    arguments: dict[str, Any], budget: TaskBudget, max_bytes: int = MAX_EXPLANATION, max_page: int = MAX_PAGE
) -> dict[str, Any]:
    """Explain how to solve a puzzle, step by step. Arguments: puzzle, begun (or None), page (whether to write HTML).

    Steps beyond `max_bytes` of JSON are only counted; a page beyond `max_page` bytes is refused.
    """
    puzzle = check_area(parse_puzzle(arguments["puzzle"]), MAX_EXPLAINED_CELLS, "explains")
    start = start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, compile_for)
    found = explain(puzzle, start=start, cpu_limit=budget.try_seconds)
    if found.state == "timeout" and budget.can_defer:
        raise Deferred
    if arguments["page"]:
        is_graded = found.state == "solved" and arguments["begun"] is None
        data = page(found, difficulty_words(_grade(puzzle, budget)) if is_graded else "").encode()
        if len(data) > max_page:
            raise FormatError(f"its explanation is a page of more than {max_page >> 20} MiB")
        return file_reply(puzzle, ".html", data, [])
    merged = list(describe_merged(found))
    steps: list[dict[str, Any]] = []
    size = 0
    for described in merged:
        step = step_record(puzzle, described)
        size += len(json.dumps(step))
        if size > max_bytes:
            break
        steps.append(step)
    hardest = found.hardest
    return {
        "state": found.state,
        "ending": describe_ending(found),
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "start": cells_text(known_grid(found.start, puzzle.width).tobytes()),
        "steps": steps,
        "left_out": len(merged) - len(steps),
        "end": found.end,
    }


def step_record(puzzle: Puzzle, step: DescribedStep) -> dict[str, Any]:
    """Return a step as JSON: where to look, what follows, why by its technique; cells are pairs of place and colour."""
    technique = TECHNIQUES[step.technique]
    assumed = step.assumption
    if assumed:
        where = describe_cell(puzzle, step.ruled[0][0])
    else:
        where = describe_lines(puzzle, step.lines) if len(step.lines) > 1 else describe_line(puzzle, step.lines[0])
    return {
        "technique": technique.name,
        "grade": technique.grade,
        "lines": step.lines,
        "where": where,
        "what": step.what,
        "why": step.why,
        "ruled": step.ruled,
        "assumption": assumed
        and {
            "place": assumed.place,
            "color": assumed.color,
            "then": [{"line": then.line, "ruled": then.ruled} for then in assumed.then],
            "end": assumed.end,
        },
    }


ABOUT_GRADE = ("puzzle_id", "clue_hash", "minutes_model", "solver_version")
GRADE_COLUMNS = tuple(name for name in GRADES.names if name not in ABOUT_GRADE)
"""Columns of the grades table that a reply has."""


def solve_puzzle(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Solve a puzzle. Arguments: puzzle, begun (or None), solutions (how many), grade (whether)."""
    puzzle = parse_puzzle(arguments["puzzle"])
    start = None if arguments["begun"] is None else start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, *([compile_for] if arguments["grade"] else []))
    deadline = time.thread_time() + budget.try_seconds
    if start is None:
        row = classify(puzzle_batch([puzzle]), cpu_limit=budget.try_seconds).to_pylist()[0]
    else:
        row = solve(puzzle, cpu_limit=budget.try_seconds, start=start)
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    reply = {"clue_hash": row["clue_hash"], **result_reply(row, puzzle.width, puzzle.height)}
    limit = min(arguments["solutions"], max(2, MAX_SOLUTION_CELLS // (puzzle.width * puzzle.height)))
    if reply["solutions"] == "multiple" and limit > len(reply["pictures"]):
        pictures, is_complete = _further_solutions(puzzle, start, limit, deadline)
        if not is_complete and len(pictures) < limit and budget.can_defer:
            raise Deferred
        if len(pictures) > 1:
            reply |= {"pictures": pictures, "every": is_complete}
    if arguments["grade"] and reply["solutions"] == "unique":
        reply["grading"] = _grade(puzzle, budget)
    return reply


def _further_solutions(puzzle: Puzzle, start: np.ndarray | None, limit: int, deadline: float) -> tuple[list[str], bool]:
    """Return up to `limit` solutions, and whether these are all; `deadline` is on this thread's CPU clock."""
    found: list[str] = []
    left = max(deadline - time.thread_time(), 0.01)
    try:
        for cells in islice(iter_solutions(puzzle, cpu_limit=left, start=start), limit + 1):
            if len(found) == limit or time.thread_time() > deadline:
                return found, False
            found.append(cells_text(cells.tobytes()))
    except TimeoutError:
        return found, False
    return found, True


def _grade(puzzle: Puzzle, budget: TaskBudget) -> dict[str, Any]:
    """Return how hard a puzzle with one solution is for people, as a row of the schema GRADES."""
    row = grade_one(puzzle_batch([puzzle]), budget.try_seconds)
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    return {name: json_value(row[name]) for name in GRADE_COLUMNS}


def validate(arguments: dict[str, Any], budget: TaskBudget) -> str:
    """Return the XML document of pbnsolve's validator, for errors too. Arguments: image (a file's bytes), format."""
    try:
        name = arguments["format"]
        # a format's name, or a suffix, which pbnsolve takes: xml, non, g
        known = of_suffix(f"puzzle.{name}") or named(name) if name else detect("", arguments["image"])
        puzzle = next(known.read(arguments["image"]), None)
        if puzzle is None:
            return pbnsolve.failure("it holds no puzzle")
        check_area(puzzle)
    except ValueError as error:
        return pbnsolve.failure(str(error))
    ensure_kernels(puzzle, budget, warm_up)
    row = classify(puzzle_batch([puzzle]), cpu_limit=budget.try_seconds).to_pylist()[0]
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    return pbnsolve.xml(puzzle, row)


READ_LIMITS = DEFAULT_READ_LIMITS._replace(
    max_bytes=MAX_BODY, max_unpacked=MAX_UNPACKED, max_ratio=MAX_UNPACKED // MAX_BODY, max_members=MAX_MEMBERS
)
"""Limits of reading an uploaded file or archive."""


def parse_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the puzzles of a file or an archive, with the problems of the rest. Arguments: name, data, query, first."""
    puzzles: list[Puzzle] = []
    problems: list[Problem] = []
    name = clean_name(arguments["name"]) or "file"
    number = total = cells = 0
    try:
        for item in map(_limited, read_files(read_entries(name, io.BytesIO(arguments["data"]), Budget(READ_LIMITS)))):
            if isinstance(item, Puzzle):
                number += 1
                if not _has_words(item, number, arguments["query"]):
                    continue
                total += 1
                if total > arguments["first"] and len(puzzles) < MAX_PUZZLES and cells <= 10 * MAX_AREA:
                    puzzles.append(item)
                    cells += item.width * item.height
            elif len(problems) < MAX_PUZZLES:
                problems.append(item)
    except READ_ERRORS as error:
        problems.append(Problem(name, describe_read_error(error)))
    if not number:
        raise FormatError("; ".join(problem.reason for problem in problems[:1]) or "it holds no puzzle")
    return {
        "puzzles": [puzzle_reply(puzzle) for puzzle in puzzles],
        "problems": [{"name": clean(each.name), "reason": clean(each.reason)} for each in problems],
        "first": arguments["first"],
        "total": total,
    }


def _limited(item: Puzzle | Problem) -> Puzzle | Problem:
    """Return what a file has, or a problem for a puzzle with more cells than the server accepts."""
    if isinstance(item, Problem):
        return item
    try:
        return check_area(item)
    except FormatError as error:
        return Problem(item.puzzle_id, str(error))


def _has_words(puzzle: Puzzle, number: int, query: str) -> bool:
    """Return whether each word of a query is in a puzzle's title, author or id, or is its size or number there."""
    text = " ".join(filter(None, (puzzle.title, puzzle.author, puzzle.puzzle_id))).lower()
    exact = (f"{puzzle.width}x{puzzle.height}", str(number))
    return all(word in text or word in exact for word in query.lower().split())


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
