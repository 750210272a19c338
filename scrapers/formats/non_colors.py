"""Colours of .non files, in two notations.

nonogram-db's: `color b #0000ff` declares a colour of one letter, `3b` is three cells of it. A number without a letter
is black; the background is white.

That of public crawls of webpbn.com and griddlers.net: `color red FF0000 *` declares a name and perhaps a symbol, the
first one is the background, and `red 3` is three cells. Numbers without a name have the colour that no clue names.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from nonocensus.scrapers.formats.colors import ColorMarks, ColorSpec, palette_of, parse_color_lines
from nonocensus.scrapers.formats.parsing import FormatError, NumberedLine, clipped, parse_clue
from nonocensus.solver.model.puzzle import BLACK, BLACK_ON_WHITE, MAX_CELLS, Block, Clue, Color

LETTER = re.compile(r"([a-z])\s+#([0-9a-fA-F]{6})")
NAMED = re.compile(r"(\S{1,40})\s+([0-9a-fA-F]{6})(?:\s+(\S))?")
WORD = re.compile(r"[,\s]+")


class NonColors(NamedTuple):
    """The declared colours of a puzzle.

    palette     the background first
    places      palette indices of the goal's characters
    read_clue   parses a clue
    """

    palette: tuple[Color, ...]
    places: dict[str, int]
    read_clue: Callable[[NumberedLine], Clue]


BLACK_ONLY = NonColors(BLACK_ON_WHITE, {"0": 0, "1": 1}, parse_clue)


def colors_of(lines: Sequence[NumberedLine], clues: Iterable[NumberedLine]) -> NonColors:
    """Return the colours that lines declare, in the notation of the first one.

    clues   all lines of clues
    """
    if NAMED.fullmatch(lines[0][1]) and not LETTER.fullmatch(lines[0][1]):
        return _named(lines, clues)
    marks, specs = parse_color_lines(lines, _letter, "b #0000ff")
    specs.append(ColorSpec(*BLACK))  # of numbers without a letter
    places = {"0": 0, "1": len(specs)} | marks
    return NonColors(palette_of(specs), places, ColorMarks(marks, len(specs)).clue_of)


def _letter(text: str) -> tuple[str, ColorSpec] | None:
    found = LETTER.fullmatch(text)
    return (found[1], ColorSpec(symbol=found[1], rgb=found[2].lower())) if found else None


def _name(text: str) -> tuple[str, ColorSpec] | None:
    found = NAMED.fullmatch(text)
    return (found[1], ColorSpec(found[1], found[3] or "", found[2].lower())) if found else None


def _named(lines: Sequence[NumberedLine], clues: Iterable[NumberedLine]) -> NonColors:
    marks, specs = parse_color_lines(lines, _name, "red FF0000 *")
    marks = {name: number - 1 for name, number in marks.items()}  # the first one is the background
    used = {word for _, text in clues for word in WORD.split(text)}
    spare = [number for name, number in marks.items() if number > 0 and name not in used]
    default = spare[0] if len(spare) == 1 else None
    places = {spec.symbol: number for number, spec in enumerate(specs) if spec.symbol}
    return NonColors(palette_of(specs[1:], specs[0]), places, partial(_named_clue, marks, default))


def _named_clue(colors: dict[str, int], default: int | None, line: NumberedLine) -> Clue:
    """Parse numbers, each perhaps after the name of its colour. An empty line, or a single 0, is an empty clue."""
    number, text = line
    words = WORD.split(text, maxsplit=2 * MAX_CELLS) if text else []
    if len(words) > 2 * MAX_CELLS:
        raise FormatError(f"line {number}: it has more than {MAX_CELLS} numbers")
    if words == ["0"]:
        return ()
    blocks, color = [], None
    for word in words:
        if word in colors:
            if color is not None:
                raise FormatError(f"line {number}: {clipped(word)} is not a number")
            color = colors[word]
            if color == 0:
                raise FormatError(f"line {number}: {clipped(word)} is the background")
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MAX_CELLS):
            what = "a declared colour" if not word[:1].isdigit() else f"a number from 1 to {MAX_CELLS}"
            raise FormatError(f"line {number}: {clipped(word)} is not {what}")
        of = default if color is None else color
        if of is None:
            raise FormatError(f"line {number}: {clipped(word)}: it has no colour, and there is no default")
        blocks.append(Block(int(word), of))
        color = None
    if color is not None:
        raise FormatError(f"line {number}: its last colour has no number")
    return tuple(blocks)
