"""Gnonograms' .gno: sections below their names in brackets.

    [Description]       title, author, date and difficulty, one per line
    [License]
    [Dimensions]        numbers of rows and of columns, one per line
    [Row clues]         one per line, 1,2 or 0
    [Column clues]
    [Solution grid]     or [Solution]: 1 is empty, 2 is painted
    [Working grid]      partly solved: 0 is open

The solution may replace the clues. Other sections are ignored.
"""

import re

import numpy as np

from nonocensus.scrapers.formats.non import clue_lines
from nonocensus.scrapers.formats.parsing import (
    FormatError,
    NumberedLine,
    TextFormat,
    bounded_lines,
    clip,
    format_clues,
    parse_clue,
    parse_sizes,
)
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, clues_of

HEADING = re.compile(r"\[([\w ]+)\]")
BEGINNINGS = [
    re.compile(rb"(?:^|[\r\n]|\xef\xbb\xbf)[ \t]*\[" + name, re.IGNORECASE).search
    for name in (b"dimensions]", b"(?:row clues|solution)")
]
MAX_LINES = 16 * MAX_CELLS
OPEN, EMPTY, PAINTED = "012"
GOALS = ("solution grid", "solution")

Sections = dict[str, list[NumberedLine]]
"""Lines by heading in lower case, blank ones included."""


def _puzzle(text: str) -> Puzzle:
    sections = _sections(text)
    sizes = _filled(sections, "dimensions")
    if not sizes:
        raise FormatError("it has no [Dimensions]")
    height, width = parse_sizes((sizes[0][0], " ".join([line for _, line in sizes])), 2)
    goal = next((_grid(sections, name, width, height) for name in GOALS if name in sections), None)
    if goal is not None and (goal == int(OPEN)).any():
        goal = None  # of a puzzle that the app could not solve
    picture = None if goal is None else (goal == int(PAINTED)).astype(np.uint8)
    if picture is not None and not sections.keys() & {"row clues", "column clues"}:
        rows, columns = clues_of(picture)
    else:
        rows, columns = (
            tuple(map(parse_clue, clue_lines(sections.get(name, []), name, side, size)))
            for name, side, size in (("row clues", "height", height), ("column clues", "width", width))
        )
    working = _grid(sections, "working grid", width, height)
    saved = () if working is None else (np.stack([working != int(PAINTED), working != int(EMPTY)], axis=2),)
    title, author = (_line(sections, "description", place) for place in (0, 1))
    return Puzzle(
        rows, columns, goal=picture, title=title, author=author, license=_line(sections, "license", 0), saved=saved
    )


def _sections(text: str) -> Sections:
    """Return the lines of each section; a heading that occurs twice is an error."""
    sections: Sections = {}
    section: list[NumberedLine] = []
    for number, line in bounded_lines(text, MAX_LINES):
        line = line.strip()
        if found := HEADING.fullmatch(line):
            name = found[1].lower()
            if name in sections:
                raise FormatError(f"line {number}: {clip(line)} occurs twice")
            section = sections[name] = []
        else:
            section.append((number, line))
    return sections


def _filled(sections: Sections, name: str) -> list[NumberedLine]:
    return [line for line in sections.get(name, []) if line[1]]


def _line(sections: Sections, name: str, place: int) -> str | None:
    """Return a line of a section by its place; None for a blank or missing one."""
    lines = sections.get(name, [])
    return lines[place][1] or None if place < len(lines) else None


def _grid(sections: Sections, name: str, width: int, height: int) -> np.ndarray | None:
    """Return a grid's digits, uint8[height, width]; None without one."""
    lines = _filled(sections, name)
    if not lines:
        return None
    if len(lines) != height:
        raise FormatError(f"line {lines[0][0]}: the grid below it has {len(lines)} rows, not {height}")
    for number, line in lines:
        cells = line.translate({ord(" "): None, ord("\t"): None, ord(","): None})
        if len(cells) != width or cells.strip(OPEN + EMPTY + PAINTED):
            raise FormatError(f"line {number}: {clip(line)} is not a row of {width} cells, each 0, 1 or 2")
    digits = "".join([line for _, line in lines]).translate({ord(" "): None, ord("\t"): None, ord(","): None})
    return (np.frombuffer(digits.encode(), np.uint8) - ord("0")).reshape(height, width)


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle; with the first of several partly solved grids."""
    lines = ["[Description]", *map(_one_line, (puzzle.title, puzzle.author))]
    lines += ["[License]", _one_line(puzzle.license)] if puzzle.license else []
    lines += ["[Dimensions]", str(puzzle.height), str(puzzle.width)]
    for heading, clues in (("[Row clues]", puzzle.rows), ("[Column clues]", puzzle.columns)):
        lines += [heading, *format_clues(clues, ",")]
    if puzzle.goal is not None:
        lines += ["[Solution grid]", *(" ".join((EMPTY, PAINTED)[cell] for cell in row) for row in puzzle.goal)]
    for grid in puzzle.saved[:1]:
        marks = np.where(grid.all(axis=2), int(OPEN), np.where(grid[:, :, 1], int(PAINTED), int(EMPTY)))
        lines += ["[Working grid]", *(" ".join(map(str, row)) for row in marks.tolist())]
    return "".join(f"{line}\n" for line in lines).encode()


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).lstrip("[")


GNO = TextFormat(
    "gno", __doc__, (".gno",), BEGINNINGS, _puzzle, write, frozenset({"goal", "saved", "title", "author", "license"})
)
