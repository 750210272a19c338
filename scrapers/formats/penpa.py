"""Links of Penpa+ with a nonogram in black and white, one per line.

    https://swaroopg92.github.io/penpa-edit/#m=edit&p=7ZTPbtNA...
    https://swaroopg92.github.io/penpa-edit/#m=edit&p=https://puzz.link/p?nonogram/2/1/g2g

The code is the editor's state, lines of text in base64, deflated, with words of JSON abbreviated. Its first line is the
kind of grid, width and height with margins, and more, the 16th and 17th fields title and author; the second the widths
of the margins; the fourth the drawing, in which `number` has the numbers by their cells. Clues are the numbers in the
upper and the left margin, `?` a hidden length. Written are links of the second kind, which are shorter.
"""

import base64
import binascii
import json
import re
import zlib
from typing import Any

from nonocensus.scrapers.formats.game_ids import PUZZLINK_FORMAT, LineFormat, puzzle_of
from nonocensus.scrapers.formats.parsing import FormatError, clip
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, with_metadata

ADDRESS = "https://swaroopg92.github.io/penpa-edit/#m=edit&p="
LINK = re.compile(r"\S*[#?](?:\S*&)?m=(?:edit|solve)&p=([^\s&]+)(?:&\S*)?")

ABBREVIATED = re.compile("z(.)", re.DOTALL)
WORDS = {"Z": "z", "N": '"number"', "O": "null"}
"""What an abbreviation stands for, if it matters here: the others are names in JSON too."""

FRAME = 2
"""Cells on each side of grid and margins that count in the numbers of cells."""

MAX_STATE = 4 << 20
"""Bytes of a state: a few bytes may inflate to very many."""


def _parse(found: re.Match[str]) -> Puzzle:
    if found[1].startswith("http"):
        return PUZZLINK_FORMAT.puzzle(found[1])
    try:
        state = _inflate(found[1]).split("\n")
        kind, *head = state[0].split(",")
        over, under, left, right = map(int, json.loads(state[1]))
        width, height = int(head[0]) - left - right, int(head[1]) - over - under
        numbers = json.loads(state[3])["number"]
        places = {divmod(int(cell), int(head[0]) + 2 * FRAME): entry for cell, entry in numbers.items()}
    except (binascii.Error, zlib.error, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise FormatError("this link is damaged or cut off: copy all of it again") from None
    if kind != "square":
        raise FormatError(f"its grid is {clip(kind)}, not square")
    if not (0 < width <= MAX_CELLS and 0 < height <= MAX_CELLS and over > 0 and left > 0):
        raise FormatError(f"its grid of {width}x{height} cells with margins of {over} and {left} is not a nonogram")
    clues = [list[str]() for _ in range(width + height)]
    for (y, x), entry in sorted(places.items()):
        column, row = x - FRAME - left, y - FRAME - over
        if (column < 0) == (row < 0) or column >= width or row >= height:
            raise FormatError("it has numbers in the grid or outside of the upper and left margin")
        clues[column if row < 0 else width + row].append(_number(entry))
    puzzle = puzzle_of([[] if clue == ["0"] else clue for clue in clues], width)
    named = {"title": _field(head, 14, "Title: "), "author": _field(head, 15, "Author: ")}
    return with_metadata(puzzle, **named)


def _inflate(code: str) -> str:
    data = base64.b64decode(code + "=" * (-len(code) % 4), validate=True)
    text = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, MAX_STATE).decode()
    return ABBREVIATED.sub(lambda found: WORDS.get(found[1], f'"{found[0]}"'), text)


def _number(entry: Any) -> str:
    """Return a cell's number. Raises FormatError for another colour than black: a puzzle in colour would lose it."""
    if not isinstance(entry, list) or entry[1:2] != [1]:
        raise FormatError("it has numbers in colour, which a link's editor does not tie to colours of cells")
    return str(entry[0])


def _field(head: list[str], place: int, prefix: str) -> str | None:
    text = head[place] if place < len(head) else ""
    return text.replace("%2C", ",").removeprefix(prefix).strip() or None


PENPA = LineFormat(
    "penpa",
    "Links of Penpa+; written ones hold a link of puzz.link.",
    LINK,
    _parse,
    lambda puzzle: ADDRESS + PUZZLINK_FORMAT.line(puzzle),
    PUZZLINK_FORMAT.HOLDS,
)
