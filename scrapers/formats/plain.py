"""The plain formats: black-and-white clues as lines of numbers, with little more than something between the two sides.

    format     sizes first              between rows and columns   comments   of it
    mk         height and width         a line `#`                 #          Olšák's `grid`
    nin        width and height                                               Wilk's `nonogram`
    cwd        height, then width       a blank line                          QNonograms, Sukhoy's solver
    keen                                a blank line                          webpbn.com's export `keen`
    ish                                 a blank line               #          webpbn.com's export `ish`; commas
    syro                                a blank line               #          JSolver; each line ends with a 0
    makhorin                            a line `&`                 *          GLPK's `pbn`; one at the end too
    faase      headings `rows` and `columns`                                  Faase's solver

webpbn.com exports all of them. An empty clue is a 0. Where lines are counted, an empty line is one too.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from scrapers.formats.clues import Line, clue_of, sizes, written
from scrapers.formats.shared import FormatError, clipped, decoded, each, lines_within
from solver.model.puzzle import MAX_CELLS, Clue, Puzzle

MOST_LINES = 8 * MAX_CELLS
"""Of a file: four times what the largest puzzle takes."""

Sides = tuple[list[Line], list[Line]]
"""The lines of the rows, and those of the columns."""


class Plain(NamedTuple):
    """One of these formats.

    ABOUT      whose it is, for people
    sides      parts a file's lines, without comments, into rows and columns
    head       the lines before the rows, for a height and a width
    between    the lines between rows and columns
    end        the lines behind the columns
    comment    what comments begin with, if there are any
    commas     between numbers
    zeros      at the end of each line
    """

    NAME: str
    ABOUT: str
    sides: Callable[[list[Line]], Sides]
    head: Callable[[int, int], tuple[str, ...]]
    between: tuple[str, ...]
    end: tuple[str, ...] = ()
    comment: str = ""
    commas: bool = False
    zeros: bool = False
    HOLDS: frozenset[str] = frozenset()

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """What names of such files end with."""
        return (f".{self.NAME}",)

    def recognizes(self, data: bytes) -> bool:
        """Whether it can be read so, and there is nothing impossible in what it says then."""
        if not self.commas and b"," in data:
            return False
        try:
            (puzzle,) = self.read(data)
        except FormatError:
            return False
        return _possible(puzzle)

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """The puzzle of a file."""
        return each([decoded(data)], self._puzzle)

    def write(self, puzzle: Puzzle) -> bytes:
        """A file with this puzzle."""
        rows, columns = (written(clues, "," if self.commas else " ") for clues in (puzzle.rows, puzzle.columns))
        if self.zeros:
            rows, columns = ([line if line == "0" else f"{line} 0" for line in side] for side in (rows, columns))
        lines = (*self.head(len(rows), len(columns)), *rows, *self.between, *columns, *self.end)
        return "".join(f"{line}\n" for line in lines).encode()

    def _puzzle(self, text: str) -> Puzzle:
        lines = [(number, line.strip()) for number, line in lines_within(text, MOST_LINES)]
        if self.comment:
            lines = [line for line in lines if not line[1].startswith(self.comment)]
        rows, columns = self.sides(_trimmed(lines))
        return Puzzle(tuple(map(self._clue, rows)), tuple(map(self._clue, columns)))

    def _clue(self, line: Line) -> Clue:
        number, text = line
        if self.zeros and text != "0":
            text, end = text[:-1], text[-1:]
            if end != "0" or not text[-1:].isspace():
                raise FormatError(f"line {number}: {clipped(line[1])} does not end with a 0 of its own")
        return clue_of((number, text))


def _possible(puzzle: Puzzle) -> bool:
    """Whether each clue fits into its line, and rows and columns have as many black cells."""
    black = []
    for clues, cells in ((puzzle.rows, puzzle.width), (puzzle.columns, puzzle.height)):
        sums = [sum([block.length for block in clue]) for clue in clues]
        if any(size + len(clue) - 1 > cells for size, clue in zip(sums, clues, strict=True)):
            return False
        black.append(sum(sums))
    return black[0] == black[1]


def _trimmed(lines: list[Line]) -> list[Line]:
    """Without blank lines at either end."""
    filled = [k for k, (_, text) in enumerate(lines) if text]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _counted(lines: list[Line], height: int, width: int, divider: str | None) -> Sides:
    """So many lines for rows, then the divider, if there is one, then so many for columns."""
    rows, rest = lines[:height], lines[height:]
    if divider is not None:
        if not rest or rest[0][1] != divider:
            where = f"line {rest[0][0]}" if rest else "at its end"
            wanted = f"a line '{divider}'" if divider else "an empty line"
            raise FormatError(f"{where}: after {height} rows there should be {wanted}")
        rest = rest[1:]
    if len(rest) > width:
        raise FormatError(f"line {rest[width][0]}: {clipped(rest[width][1])} stands behind the last of {width} columns")
    if len(rest) < width:
        raise FormatError(f"it ends after {len(rows) + len(rest)} of {height + width} clues")
    return rows, rest


def _first(lines: list[Line]) -> Line:
    if not lines:
        raise FormatError("it has no clues")
    return lines[0]


def _mk(lines: list[Line]) -> Sides:
    """As counted, with comments; after the rows one of them is no comment but the divider."""
    clues = [k for k, (_, text) in enumerate(lines) if not text.startswith("#")]
    if not clues:
        raise FormatError("it has no clues")
    height, width = sizes(lines[clues[0]], 2)
    rows = [lines[k] for k in clues[1 : height + 1]]
    behind = clues[height] + 1 if height < len(clues) else len(lines)
    if behind == len(lines) or not lines[behind][1].startswith("#"):
        raise FormatError(f"after {height} rows there should be a line '#'")
    return _counted([*rows, *_trimmed([lines[k] for k in clues[height + 1 :]])], height, width, None)


def _nin(lines: list[Line]) -> Sides:
    width, height = sizes(_first(lines), 2)
    return _counted(lines[1:], height, width, None)


def _cwd(lines: list[Line]) -> Sides:
    (height,) = sizes(_first(lines), 1)
    (width,) = sizes(_first(lines[1:]), 1)
    return _counted(lines[2:], height, width, "")


def _parted(lines: list[Line], divider: str) -> Sides:
    """What stands before and behind the first divider; no other one follows."""
    places = [k for k, (_, text) in enumerate(lines) if text == divider]
    if not places:
        wanted = f"a line '{divider}'" if divider else "an empty line"
        raise FormatError(f"between rows and columns there should be {wanted}")
    rows, columns = lines[: places[0]], _trimmed(lines[places[0] + 1 :])
    if any(text in ("", divider) for _, text in rows + columns):
        number = next(number for number, text in rows + columns if text in ("", divider))
        raise FormatError(f"line {number}: another part begins after rows and columns")
    return rows, columns


def _blank(lines: list[Line]) -> Sides:
    return _parted(lines, "")


def _ampersand(lines: list[Line]) -> Sides:
    filled = [line for line in lines if line[1]]
    return _parted(filled[:-1] if filled and filled[-1][1] == "&" else filled, "&")


def _headed(lines: list[Line]) -> Sides:
    filled = [line for line in lines if line[1]]
    places = {text.lower(): k for k, (_, text) in reversed([*enumerate(filled)]) if text.lower() in ("rows", "columns")}
    if len(places) < 2 or min(places.values()) > 0:
        raise FormatError("it should have the headings 'rows' and 'columns', one of them at its top")
    first, second = sorted(places, key=lambda name: places[name])
    parts = {first: filled[1 : places[second]], second: filled[places[second] + 1 :]}
    return parts["rows"], parts["columns"]


def _nothing(*sides: int) -> tuple[str, ...]:  # noqa: ARG001
    return ()


def _rows(*sides: int) -> tuple[str, ...]:  # noqa: ARG001
    return ("rows",)


PLAIN: tuple[Plain, ...] = (
    Plain("mk", "Olšák's, for black and white.", _mk, lambda height, width: (f"{height} {width}",), ("#",)),
    Plain("nin", "Jakub Wilk's `nonogram`.", _nin, lambda height, width: (f"{width} {height}",), ()),
    Plain("cwd", "QNonograms and Sukhoy's solver.", _cwd, lambda height, width: (str(height), str(width)), ("",)),
    Plain("makhorin", "Andrew Makhorin's `pbn`, with GLPK.", _ampersand, _nothing, ("&",), ("&",), comment="*"),
    Plain("faase", "Frans Faase's solver.", _headed, _rows, ("columns",)),
    Plain("keen", "webpbn.com's export of this name.", _blank, _nothing, ("",)),
    Plain("syro", "JSolver.", _blank, _nothing, ("",), comment="#", zeros=True),
    Plain("ish", "webpbn.com's export of this name.", _blank, _nothing, ("",), comment="#", commas=True),
)
