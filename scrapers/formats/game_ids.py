"""Puzzles as links and ids of programs that play them, in black and white, one a line.

    format     a line                                            played by
    puzzlink   https://puzz.link/p?nonogram/2/1/g2g              puzz.link, pzprxs
    tatham     2x1:1/1/2, also after the # of a link             Simon Tatham's Pattern

puzzlink: width, height, then places for numbers, (height + 1) / 2 a column and (width + 1) / 2 a row, the number next
to the grid first. A hexadecimal digit is a number, `-` begins one of two digits, g to z are 1 to 20 empty places.
tatham: width, height, then the clues of columns and rows, separated by slashes, their numbers by dots.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from nonocensus.scrapers.formats.parsing import BLOCKS, FormatError, clipped, decode_text, lines_of, read_each_line
from nonocensus.solver.model.puzzle import MAX_CELLS, Clue, Puzzle

PUZZLINK = re.compile(r"(?:\S*[?/])?nonogram(?:_edit)?/(?:v:/)?([0-9]+)/([0-9]+)/(\S*)")
TATHAM = re.compile(r"(?:https?://[^\s#]*#)?([0-9]+)(?:x([0-9]+))?:([0-9./]*)")
PLACES = re.compile(r"[1-9a-f]|-(?!00)[0-9a-f]{2}|[g-z]")

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
            raise FormatError(f"{clipped(line)} is not a puzzle of the format {self.NAME}")
        return self.parse(found)


def text_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines with text, with their numbers."""
    return ((number, line.strip()) for number, line in lines_of(decode_text(data)) if not line.isspace() and line)


def puzzlink_numbers(text: str, most: int) -> list[int]:
    """Parse at most `most` places of puzz.link, 0 for an empty one."""
    numbers: list[int] = []
    end = 0
    for found in PLACES.finditer(text):
        if found.start() != end or len(numbers) > most:
            break
        end, token = found.end(), found[0]
        numbers += [0] * (ord(token) - ord("f")) if token >= "g" else [int(token.removeprefix("-"), 16)]
    if len(numbers) > most:
        raise FormatError(f"it has more than {most} places")
    if end < len(text):
        raise FormatError(f"{clipped(text[end:])} is neither a number nor a gap")
    return numbers


def puzzlink_text(numbers: Iterable[int]) -> str:
    """Format places of puzz.link, at most MAX_PLACED each, 0 for an empty one."""
    text = ""
    for is_number, group in groupby(numbers, bool):
        if is_number:
            text += "".join(f"{number:x}" if number < 16 else f"-{number:x}" for number in group)
        else:
            many, rest = divmod(len(list(group)), MAX_GAP)
            text += "z" * many + (chr(ord("f") + rest) if rest else "")
    return text


def _size(width: str, height: str) -> tuple[int, int]:
    if width not in BLOCKS or height not in BLOCKS:
        raise FormatError(f"its size is {clipped(f'{width}x{height}')}; a side may have 1 to {MAX_CELLS} cells")
    return int(width), int(height)


def _parse_puzzlink(found: re.Match[str]) -> Puzzle:
    width, height = _size(found[1], found[2])
    above, left = (height + 1) // 2, (width + 1) // 2
    numbers = puzzlink_numbers(found[3], width * above + height * left)
    columns = (numbers[x * above : (x + 1) * above] for x in range(width))
    rows = (numbers[k : k + left] for k in range(width * above, width * above + height * left, left))
    return puzzle_of([[str(number) for number in line[::-1] if number] for line in (*columns, *rows)], width)


def _format_puzzlink(puzzle: Puzzle) -> str:
    numbers: list[int] = []  # 0 for an empty place
    for clues, cells in ((puzzle.columns, puzzle.height), (puzzle.rows, puzzle.width)):
        places = (cells + 1) // 2
        for clue in clues:
            if len(clue) > places:
                raise FormatError(f"the format puzzlink has {places} numbers at most for lines of {cells} cells")
            numbers += [block.length for block in reversed(clue)] + [0] * (places - len(clue))
    if max(numbers) > MAX_PLACED:
        raise FormatError(f"the format puzzlink has no numbers above {MAX_PLACED}")
    return f"https://puzz.link/p?nonogram/{puzzle.width}/{puzzle.height}/{puzzlink_text(numbers)}"


def _parse_tatham(found: re.Match[str]) -> Puzzle:
    width, height = _size(found[1], found[2] or found[1])
    clues = found[3].split("/", width + height)
    if len(clues) != width + height:
        count = f"{len(clues)}" if len(clues) < width + height else "more"
        raise FormatError(f"it has {count} clues, not {width} + {height}")
    return puzzle_of([clue.split(".", MAX_CELLS) if clue else [] for clue in clues], width)


def _format_tatham(puzzle: Puzzle) -> str:
    clues = "/".join(".".join(str(block.length) for block in clue) for clue in puzzle.columns + puzzle.rows)
    return f"{puzzle.width}x{puzzle.height}:{clues}"


def puzzle_of(lines: list[list[str]], width: int) -> Puzzle:
    """Return the puzzle of the numbers of columns, then of rows."""
    try:
        clues: list[Clue] = [tuple([BLOCKS[word] for word in words]) for words in lines]
    except KeyError as error:
        raise FormatError(f"{clipped(error.args[0])} is not a number from 1 to {MAX_CELLS}") from None
    return Puzzle(tuple(clues[width:]), tuple(clues[:width]))


PUZZLINK_FORMAT = LineFormat("puzzlink", "Links to puzz.link.", PUZZLINK, _parse_puzzlink, _format_puzzlink)

GAME_IDS = (
    PUZZLINK_FORMAT,
    LineFormat("tatham", "Game ids of Simon Tatham's Pattern.", TATHAM, _parse_tatham, _format_tatham),
)
