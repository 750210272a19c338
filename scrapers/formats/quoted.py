"""HoustonWeHaveABug's files: numbers of columns and rows, then the clues of the columns and of the rows.

    2
    1
    "1-1","0"
    "1-1"

Each clue is quoted; `-1` after a number is its colour, a digit or a letter without a definition.
"""

import re
from itertools import islice

from nonocensus.scrapers.formats.colors import ColorMarks, ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, TextFormat, clip, lines_of, parse_sizes
from nonocensus.solver.model.puzzle import Clue, Puzzle, normalize_palette

BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*[0-9]{1,4}\s+[0-9]{1,4}\s+"[0-9]')
CLUE = re.compile(r'"([^"\n]*)"')
MARKS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _puzzle(text: str) -> Puzzle:
    lines = (line for line in lines_of(text) if line[1].strip())
    (width,), (height,) = (parse_sizes(next(lines, (0, "")), 1) for _ in range(2))
    quoted: list[tuple[int, str]] = []
    for number, line in lines:
        rest = CLUE.sub("", line).replace(",", "").strip()
        if rest:
            raise FormatError(f"line {number}: {clip(rest)} is outside of quotation marks")
        quoted += [(number, clue[1]) for clue in islice(CLUE.finditer(line), width + height + 1 - len(quoted))]
        if len(quoted) > width + height:
            break
    if len(quoted) != width + height:
        count = f"more than {width + height}" if len(quoted) > width + height else len(quoted)
        raise FormatError(f"it has {count} clues, not {width} + {height}")
    marked = (clue for _, clue in quoted if "-" in clue)
    marks = sorted({word.partition("-")[2] for clue in marked for word in clue.split(",") if "-" in word})
    if any(len(mark) != 1 or mark not in MARKS for mark in marks):
        raise FormatError(f"its colours are {clip(', '.join(marks))}; each should be a digit or a letter")
    colors = {mark: number for number, mark in enumerate(marks, 1)}
    known = ColorMarks(colors, None if marks else 1, "-")
    clues = [known.clue_of(line) for line in quoted]
    return normalize_palette(
        Puzzle(tuple(clues[width:]), tuple(clues[:width]), palette_of([ColorSpec()] * max(1, len(marks))))
    )


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle; its colours are 0, 1, ... in palette order."""
    several = puzzle.kind == "color"

    def text(clue: Clue) -> str:
        words = [f"{block.length}-{MARKS[block.color - 1]}" if several else str(block.length) for block in clue]
        return f'"{",".join(words) or 0}"'

    lines = [
        str(puzzle.width),
        str(puzzle.height),
        *(",".join(map(text, side)) for side in (puzzle.columns, puzzle.rows)),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


QUOTED = TextFormat("quoted", __doc__, (".quoted",), (BEGINNING.match,), _puzzle, write, frozenset({"colors"}))
