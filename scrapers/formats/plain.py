"""The plain formats: black-and-white clues as lines of numbers, with a separator between rows and columns.

    format     sizes first              between rows and columns   comments   of it
    mk         height and width         a line `#`                 #          Olšák's `grid`
    nin        width and height                                               Wilk's `nonogram`
    cwd        height, then width       a blank line                          QNonograms, Sukhoy's solver
    keen                                a blank line                          webpbn.com's export `keen`
    ish                                 a blank line               #          webpbn.com's export `ish`; commas
    syro                                a blank line               #          JSolver; each line ends with a 0
    makhorin                            a line `&`                 *          GLPK's `pbn`; one at the end too
    faase      headings `rows` and `columns`                                  Faase's solver
    contest    height and width                                               programming contests

webpbn.com exports all but the last. An empty clue is a 0, and where sizes come first also an empty line. In a contest's
files the sizes may be one per line, or one number for both, a clue may begin or end with zeros, and several
puzzles may follow each other.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from nonocensus.scrapers.formats.parsing import (
    BLOCKS,
    FormatError,
    NumberedLine,
    bounded_lines,
    clip,
    decode_text,
    format_clues,
    is_possible,
    parse_clue,
    parse_sizes,
    read_each,
)
from nonocensus.solver.model.puzzle import MAX_CELLS, Clue, Puzzle

MAX_LINES = 8 * MAX_CELLS
"""Of a file: four times that of the largest puzzle."""

Sides = tuple[list[NumberedLine], list[NumberedLine]]
"""The lines of the rows, and those of the columns."""


class PlainFormat(NamedTuple):
    """A plain format.

    ABOUT      its origin, for the documentation
    sides      splits a file's lines, without comments, into rows and columns
    between    lines between rows and columns
    head       returns the lines before the rows, from a height and a width
    end        lines after the columns
    comment    prefix of comments
    commas     whether numbers are separated by commas
    zeros      whether each line ends with a 0
    puzzles    splits a file's text into those of its puzzles
    """

    NAME: str
    ABOUT: str
    sides: Callable[[list[NumberedLine]], Sides]
    between: tuple[str, ...]
    head: Callable[[int, int], tuple[str, ...]] = lambda *_: ()
    end: tuple[str, ...] = ()
    comment: str = ""
    commas: bool = False
    zeros: bool = False
    puzzles: Callable[[str], list[str]] = lambda text: [text]
    HOLDS: frozenset[str] = frozenset()

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """Suffixes of file names."""
        return (f".{self.NAME}",)

    def recognizes(self, data: bytes) -> bool:
        """Check that it can be read, and that no clue is impossible."""
        if not self.commas and b"," in data:
            return False
        try:
            return all(map(is_possible, [*self.read(data)]))
        except FormatError:
            return False

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """Yield the puzzles of a file, all but a contest's with one."""
        return read_each(self.puzzles(decode_text(data)), self._puzzle)

    def write(self, puzzle: Puzzle) -> bytes:
        """Return a file with this puzzle."""
        rows, columns = (format_clues(clues, "," if self.commas else " ") for clues in (puzzle.rows, puzzle.columns))
        if self.zeros:
            rows, columns = ([line if line == "0" else f"{line} 0" for line in side] for side in (rows, columns))
        lines = (*self.head(len(rows), len(columns)), *rows, *self.between, *columns, *self.end)
        return "".join(f"{line}\n" for line in lines).encode()

    def _puzzle(self, text: str) -> Puzzle:
        lines = [(number, line.strip()) for number, line in bounded_lines(text, MAX_LINES)]
        if self.comment:
            lines = [line for line in lines if not line[1].startswith(self.comment)]
        rows, columns = self.sides(_trim(lines))
        return Puzzle(tuple(map(self._clue, rows)), tuple(map(self._clue, columns)))

    def _clue(self, line: NumberedLine) -> Clue:
        number, text = line
        if self.zeros and text != "0":
            text, end = text[:-1], text[-1:]
            if end != "0" or not text[-1:].isspace():
                raise FormatError(f"line {number}: {clip(line[1])} does not end with a separate 0")
        return parse_clue((number, text))


def _trim(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Drop blank lines at both ends."""
    filled = [k for k, (_, text) in enumerate(lines) if text]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _split_rows(lines: list[NumberedLine], height: int, width: int, divider: str | None) -> Sides:
    """Split into `height` rows, the divider, if the format has one, and `width` columns."""
    rows, rest = lines[:height], lines[height:]
    if divider is not None:
        if not rest or rest[0][1] != divider:
            where = f"line {rest[0][0]}" if rest else "at its end"
            wanted = f"a line '{divider}'" if divider else "an empty line"
            raise FormatError(f"{where}: expected {wanted} after {height} rows")
        rest = rest[1:]
    if len(rest) > width:
        raise FormatError(f"line {rest[width][0]}: {clip(rest[width][1])} follows the last of {width} columns")
    if len(rest) < width:
        raise FormatError(f"it ends after {len(rows) + len(rest)} of {height + width} clues")
    return rows, rest


def _first(lines: list[NumberedLine]) -> NumberedLine:
    if not lines:
        raise FormatError("it has no clues")
    return lines[0]


def _mk(lines: list[NumberedLine]) -> Sides:
    """Split by counts; the first comment after the rows is the divider."""
    clues = [k for k, (_, text) in enumerate(lines) if not text.startswith("#")]
    if not clues:
        raise FormatError("it has no clues")
    height, width = parse_sizes(lines[clues[0]], 2)
    rows = [lines[k] for k in clues[1 : height + 1]]
    behind = clues[height] + 1 if height < len(clues) else len(lines)
    if behind == len(lines) or not lines[behind][1].startswith("#"):
        raise FormatError(f"expected a line '#' after {height} rows")
    return _split_rows([*rows, *_trim([lines[k] for k in clues[height + 1 :]])], height, width, None)


def _nin(lines: list[NumberedLine]) -> Sides:
    width, height = parse_sizes(_first(lines), 2)
    return _split_rows(lines[1:], height, width, None)


def _cwd(lines: list[NumberedLine]) -> Sides:
    (height,) = parse_sizes(_first(lines), 1)
    (width,) = parse_sizes(_first(lines[1:]), 1)
    return _split_rows(lines[2:], height, width, "")


def _split_at(lines: list[NumberedLine], divider: str) -> Sides:
    """Split at the only divider."""
    places = [k for k, (_, text) in enumerate(lines) if text == divider]
    if not places:
        wanted = f"a line '{divider}'" if divider else "an empty line"
        raise FormatError(f"expected {wanted} between rows and columns")
    rows, columns = lines[: places[0]], _trim(lines[places[0] + 1 :])
    if any(text in ("", divider) for _, text in rows + columns):
        number = next(number for number, text in rows + columns if text in ("", divider))
        raise FormatError(f"line {number}: a third section follows rows and columns")
    return rows, columns


def _blank(lines: list[NumberedLine]) -> Sides:
    return _split_at(lines, "")


def _ampersand(lines: list[NumberedLine]) -> Sides:
    filled = [line for line in lines if line[1]]
    return _split_at(filled[:-1] if filled and filled[-1][1] == "&" else filled, "&")


def _headed(lines: list[NumberedLine]) -> Sides:
    filled = [line for line in lines if line[1]]
    places = {text.lower(): k for k, (_, text) in reversed([*enumerate(filled)]) if text.lower() in ("rows", "columns")}
    if len(places) < 2 or min(places.values()) > 0:
        raise FormatError("it should have the headings 'rows' and 'columns', one of them at its top")
    first, second = sorted(places, key=lambda name: places[name])
    parts = {first: filled[1 : places[second]], second: filled[places[second] + 1 :]}
    return parts["rows"], parts["columns"]


def _contest(lines: list[NumberedLine]) -> Sides:
    """Split by counts, and let each clue end with one zero; blank lines are clues if there are too few others."""
    sizes, rest = _first(lines), lines[1:]
    options: list[tuple[int, int, list[NumberedLine]]] = []
    if len(sizes[1].split(maxsplit=2)) == 2:
        height, width = parse_sizes(sizes, 2)
        options.append((height, width, rest))
        if height == width == 1 and all(len(line.split(maxsplit=2)) == 2 for _, line in rest):
            raise FormatError("it could be a picture of 2x3 cells, or a puzzle of one cell")
    else:
        (side,) = parse_sizes(sizes, 1)
        options.append((side, side, rest))
        if (second := _first(rest)[1]) in BLOCKS:
            options.append((side, int(second), rest[1:]))
    fitting = []
    for height, width, clues in options:
        filled = [line for line in clues if line[1]]
        fitting += [(height, width, part) for part in (filled, clues) if len(part) == height + width][:1]
    if len(fitting) == 2:  # a first clue without a zero at its end, where all others have one, is none
        all_end = all(line.split()[-1:] == ["0"] for _, line in fitting[1][2])
        fitting = fitting[1:] if all_end else [option for option in fitting if _is_balanced(*option)]
    if len(fitting) == 2:
        raise FormatError(f"line {rest[0][0]}: {rest[0][1]} could be the number of columns, or the first clue")
    height, width, clues = (fitting or options)[0]
    return _split_rows([(number, _ended(line)) for number, line in clues], height, width, None)


def _is_balanced(height: int, _: int, clues: list[NumberedLine]) -> bool:
    """Check that rows and columns have equal sums."""
    sums = [sum(int(word) for word in line.split(maxsplit=MAX_CELLS) if word in BLOCKS) for _, line in clues]
    return sum(sums[:height]) == sum(sums[height:])


def _contest_puzzles(text: str) -> list[str]:
    """Split input of several puzzles, each with its sizes on a line of its own; all lines below count."""
    numbered = bounded_lines(text, MAX_LINES)
    lines = [line.strip() for _, line in numbered]
    with suppress(FormatError):
        _contest(_trim([(number, line.strip()) for number, line in numbered]))
        return [text]
    found, place = list[str](), 0
    while place < len(lines):
        sizes = lines[place].split(maxsplit=2)
        end = place + 1 + (int(sizes[0]) + int(sizes[-1]) if sizes and all(map(BLOCKS.get, sizes)) else 0)
        if len(sizes) > 2 or end > len(lines) or (sizes and end == place + 1):
            return [text]
        found += ["\n".join(lines[place:end])] if sizes else []
        place = end
    return found


def _ended(text: str) -> str:
    """Return a clue without zeros at its ends but for one at the last."""
    words = text.split(maxsplit=2 * MAX_CELLS)
    filled = [place for place, word in enumerate(words) if word != "0"]
    return " ".join([*words[filled[0] : filled[-1] + 1], "0"]) if filled else "0"


PLAIN_FORMATS: tuple[PlainFormat, ...] = (
    PlainFormat(
        "mk", "Olšák's for black and white: height and width, the clues of the rows, a line #, those of the columns.",
        _mk, ("#",), lambda height, width: (f"{height} {width}",),
    ),
    PlainFormat(
        "nin", "Jakub Wilk's `nonogram`: width and height, then the clues of the rows and of the columns.",
        _nin, (), lambda height, width: (f"{width} {height}",),
    ),
    PlainFormat(
        "cwd", "QNonograms and Sukhoy's solver: height, width, clues of the rows, an empty line, those of the columns.",
        _cwd, ("",), lambda height, width: (str(height), str(width)),
    ),
    PlainFormat("makhorin", "Andrew Makhorin's `pbn`: & ends a side.", _ampersand, ("&",), end=("&",), comment="*"),
    PlainFormat("faase", "Frans Faase's: clues below `rows`, `columns`.", _headed, ("columns",), lambda *_: ("rows",)),
    PlainFormat("keen", "webpbn.com's export of this name: rows, an empty line, columns.", _blank, ("",)),
    PlainFormat("syro", "JSolver: as keen, with a 0 after each clue.", _blank, ("",), comment="#", zeros=True),
    PlainFormat("ish", "webpbn.com's export: as keen, with commas.", _blank, ("",), comment="#", commas=True),
    PlainFormat(
        "contest", "Programming contests: height and width, then the clues of rows and columns, a 0 after each.",
        _contest, (), lambda height, width: (str(height), str(width)), zeros=True, puzzles=_contest_puzzles,
    ),
)  # fmt: skip
