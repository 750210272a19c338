"""Puzzles as links and ids of programs that play them, in black and white, one per line.

    format     a line                                            played by
    puzzlink   https://puzz.link/p?nonogram/2/1/g2g              puzz.link, pzprxs
    tatham     2x3:3/1/2/1/1, also after the # of a link         Simon Tatham's Pattern

puzzlink: width, height, then places for numbers, (height + 1) / 2 a column and (width + 1) / 2 a row, the number next
to the grid first. A hexadecimal digit is a number, `-` begins one of two digits, `.` is a hidden length, g to z are 1
to 20 empty places.
tatham: width, height, then the clues of columns, then of rows, separated by slashes, their numbers by dots; an empty
line is nothing, or a 0. After a comma
come given cells, which are read as a saved grid: a letter is 0 to 24 open cells (z: 25) and then, but for z, a white
cell or, in capitals, a black one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.parsing import BLOCKS, FormatError, clip, decode_text, lines_of, read_each_line
from nonocensus.solver.model.puzzle import BLOT, MAX_CELLS, Block, Clue, Puzzle, with_metadata

PUZZLINK = re.compile(r"(?:\S*[?/])?nonogram(?:_edit)?/(?:v:/)?([0-9]+)/([0-9]+)/(\S*)")
TATHAM = re.compile(r"(?:https?://[^\s#]*#)?([0-9]+)(?:x([0-9]+))?:((?:[0-9./ ]|,(?=[ 0-9]))*)(?:,([a-zA-Z]*))?")
PLACES = re.compile(r"[1-9a-f.]|-(?!00)[0-9a-f]{2}|[g-z]")
HIDDEN = "?"
BLOCKS_OR_HIDDEN = BLOCKS | {HIDDEN: Block(BLOT)}

MAX_GAP = 20
MAX_PLACED = 0xFF
"""Most empty places of a letter, and the largest number, in puzzlink."""


class LineFormat(NamedTuple):
    """A format with a link or id on each line.

    ABOUT     its origin, for the documentation
    pattern   of a line
    parse     returns the puzzle of a matching line
    line      returns the line of a puzzle
    """

    NAME: str
    ABOUT: str
    pattern: re.Pattern[str]
    parse: Callable[[re.Match[str]], Puzzle]
    line: Callable[[Puzzle], str]
    HOLDS: frozenset[str] = frozenset()

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """Suffixes of file names."""
        return (f".{self.NAME}",)

    def recognizes(self, data: bytes) -> bool:
        """Check that the first line with text is one of this format."""
        try:
            return next((bool(self.pattern.fullmatch(line)) for _, line in text_lines(data)), False)
        except FormatError:
            return False

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """Yield the puzzles of a file."""
        return read_each_line(text_lines(data), self.puzzle)

    def write(self, puzzle: Puzzle) -> bytes:
        """Return a line with this puzzle."""
        return f"{self.line(puzzle)}\n".encode()

    def bundle(self, files: Iterable[bytes]) -> Iterable[bytes]:
        """Yield a file of several puzzles."""
        return files

    def puzzle(self, line: str) -> Puzzle:
        """Return the puzzle of a line."""
        found = self.pattern.fullmatch(line)
        if not found:
            raise FormatError(f"{clip(line)} is not a puzzle of the format {self.NAME}")
        return self.parse(found)


def text_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines with text, with their numbers."""
    return ((number, line.strip()) for number, line in lines_of(decode_text(data)) if not line.isspace() and line)


def puzzlink_numbers(text: str, most: int) -> list[str]:
    """Parse at most `most` places of puzz.link, "" for an empty one."""
    numbers: list[str] = []
    end = 0
    for found in PLACES.finditer(text):
        if found.start() != end or len(numbers) > most:
            break
        end, token = found.end(), found[0]
        number = HIDDEN if token == "." else str(int(token.removeprefix("-"), 16)) if token < "g" else ""
        numbers += [number] if number else [""] * (ord(token) - ord("f"))
    if len(numbers) > most:
        raise FormatError(f"it has more than {most} places")
    if end < len(text):
        raise FormatError(f"{clip(text[end:])} is neither a number nor a gap")
    return numbers


def puzzlink_text(lengths: Iterable[int | None]) -> str:
    """Format places of puzz.link, lengths of at most MAX_PLACED, None for an empty one."""
    text = ""
    for is_empty, group in groupby(lengths, lambda length: length is None):
        if not is_empty:
            text += "".join("." if not length else f"{length:x}" if length < 16 else f"-{length:x}" for length in group)
        else:
            many, rest = divmod(len(list(group)), MAX_GAP)
            text += "z" * many + (chr(ord("f") + rest) if rest else "")
    return text


def _size(width: str, height: str) -> tuple[int, int]:
    if width not in BLOCKS or height not in BLOCKS:
        raise FormatError(f"its size is {clip(f'{width}x{height}')}; a side may have 1 to {MAX_CELLS} cells")
    return int(width), int(height)


def _parse_puzzlink(found: re.Match[str]) -> Puzzle:
    width, height = _size(found[1], found[2])
    above, left = (height + 1) // 2, (width + 1) // 2
    numbers = puzzlink_numbers(found[3], width * above + height * left)
    columns = (numbers[x * above : (x + 1) * above] for x in range(width))
    rows = (numbers[k : k + left] for k in range(width * above, width * above + height * left, left))
    return puzzle_of([[number for number in line[::-1] if number] for line in (*columns, *rows)], width)


def _format_puzzlink(puzzle: Puzzle) -> str:
    lengths: list[int | None] = []  # None for an empty place
    for clues, cells in ((puzzle.columns, puzzle.height), (puzzle.rows, puzzle.width)):
        places = (cells + 1) // 2
        for clue in clues:
            if len(clue) > places:
                raise FormatError(f"the format puzzlink has {places} numbers at most for lines of {cells} cells")
            lengths += [*(block.length for block in reversed(clue)), *[None] * (places - len(clue))]
    if max(length or 0 for length in lengths) > MAX_PLACED:
        raise FormatError(f"the format puzzlink has no numbers above {MAX_PLACED}")
    return f"https://puzz.link/p?nonogram/{puzzle.width}/{puzzle.height}/{puzzlink_text(lengths)}"


def _parse_tatham(found: re.Match[str]) -> Puzzle:
    width, height = _size(found[1], found[2] or found[1])
    if set(" ,") & {*found[3]}:
        raise FormatError("the numbers of a clue are separated by dots, like 3.1, and clues by slashes")
    clues = found[3].split("/", width + height)
    if len(clues) != width + height:
        count = f"{len(clues)}" if len(clues) < width + height else "more"
        raise FormatError(f"it has {count} clues, not {width} columns + {height} rows")
    puzzle = puzzle_of([clue.split(".", MAX_CELLS) if clue not in ("", "0") else [] for clue in clues], width)
    return puzzle if found[4] is None else with_metadata(puzzle, saved=(_given_cells(found[4], width, height),))


def _given_cells(letters: str, width: int, height: int) -> np.ndarray:
    """Return the given cells of Pattern as a partly solved grid, bool[height, width, 2]."""
    grid = np.ones((width * height, 2), np.bool_)
    place = 0
    for letter in letters:
        run = ord(letter.lower()) - ord("a")
        place += run if place < len(grid) else run + 1
        if place > len(grid):
            break
        if run < 25 and place < len(grid):  # a last letter may only count open cells
            grid[place, int(letter.islower())] = False
            place += 1
    if place != len(grid):
        count = f"{place}" if place < len(grid) else "more"
        raise FormatError(f"its given cells are {count}, not {width}x{height}")
    return grid.reshape(height, width, 2)


def _format_tatham(puzzle: Puzzle) -> str:
    clues = "/".join(".".join(str(block.length) for block in clue) for clue in puzzle.columns + puzzle.rows)
    return f"{puzzle.width}x{puzzle.height}:{clues}"


def puzzle_of(lines: list[list[str]], width: int) -> Puzzle:
    """Return the puzzle of the numbers of columns, then of rows."""
    try:
        clues: list[Clue] = [tuple([BLOCKS_OR_HIDDEN[word] for word in words]) for words in lines]
    except KeyError as error:
        raise FormatError(f"{clip(error.args[0])} is not a number from 1 to {MAX_CELLS}") from None
    return Puzzle(tuple(clues[width:]), tuple(clues[:width]))


PUZZLINK_FORMAT = LineFormat(
    "puzzlink", "Links to puzz.link, one a line.", PUZZLINK, _parse_puzzlink, _format_puzzlink, frozenset({"blots"})
)

GAME_IDS = (
    PUZZLINK_FORMAT,
    LineFormat(
        "tatham",
        "Game ids of Simon Tatham's Pattern: WIDTHxHEIGHT:columns/rows, like 2x3:3/1/2/1/1.",
        TATHAM,
        _parse_tatham,
        _format_tatham,
    ),
)
