"""Colours of .non files, in three notations.

nonogram-db's: `color b #0000ff` declares a colour of one letter, `3b` is three cells of it. A number without a letter
is black; the background is white. Letters without a declaration get colours of our own.

That of public crawls of webpbn.com and griddlers.net: `color red FF0000 *` declares a name and perhaps a symbol, the
first one is the background, and `red 3` is three cells. Numbers without a name have the colour that no clue names.

Nonny's: the same without a line for the background, so that clues name the first colour, or with the name `background`;
a colon may follow a name, which holds for all numbers up to the next one. Numbers before any name are black.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from nonocensus.scrapers.formats.colors import ColorMarks, ColorSpec, palette_of, parse_color_lines
from nonocensus.scrapers.formats.parsing import FormatError, NumberedLine, clip, parse_clue
from nonocensus.solver.model.puzzle import BLACK, BLACK_ON_WHITE, MAX_CELLS, WHITE, Block, Clue, Color

LETTER = re.compile(r"([a-z])\s+#([0-9a-fA-F]{6})")
NAMED = re.compile(r"(\S{1,40})\s+([0-9a-fA-F]{6})(?:\s+(\S))?")
LETTERED = re.compile(r"[0-9]([a-z])(?![a-z])")
SEPARATORS = str.maketrans(",:", "  ")
BACKGROUND = "background"


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


def colors_of(lines: Sequence[NumberedLine], clues: Sequence[str]) -> NonColors:
    """Return the colours that lines declare, in the notation of the first one, or that clues use without a line.

    clues   the texts of all lines of clues
    """
    if lines and NAMED.fullmatch(lines[0][1]):
        return _named(lines, clues)
    if not lines:
        letters = sorted(set(LETTERED.findall("\n".join(clues))))
        if not letters:
            return BLACK_ONLY
        marks = {letter: place for place, letter in enumerate(letters, 1)}
        specs = [ColorSpec(symbol=letter) for letter in letters]
    else:
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


def _named(lines: Sequence[NumberedLine], clues: Sequence[str]) -> NonColors:
    _, specs = parse_color_lines(lines, _name, "red FF0000 *")
    used = {word for text in clues for word in text.translate(SEPARATORS).split()}
    first = specs[0]
    is_nonnys = any(spec.name == BACKGROUND for spec in specs[1:]) or any(":" in text for text in clues)
    if is_nonnys or (first.name in used and first.rgb != WHITE.rgb):
        ground = next((spec for spec in specs if spec.name == BACKGROUND), ColorSpec(*WHITE)._replace(name=BACKGROUND))
        specs = [ground, *(spec for spec in specs if spec.name != BACKGROUND)]
        if all(spec.name != BLACK.name for spec in specs):
            specs.append(ColorSpec(*BLACK))
        is_nonnys = True
    marks = {spec.name: place for place, spec in enumerate(specs)}
    spare = [place for name, place in marks.items() if place > 0 and name not in used]
    default = marks[BLACK.name] if is_nonnys else spare[0] if len(spare) == 1 else None
    places = {"0": 0} if is_nonnys else {}
    places |= {spec.symbol: place for place, spec in enumerate(specs) if spec.symbol}
    return NonColors(palette_of(specs[1:], specs[0]), places, partial(_named_clue, marks, default, is_nonnys))


def _named_clue(colors: dict[str, int], default: int | None, names_last: bool, line: NumberedLine) -> Clue:
    """Parse numbers, each perhaps after the name of its colour. An empty line, or a single 0, is an empty clue.

    names_last   whether a name holds for all numbers up to the next one
    """
    number, text = line
    words = text.translate(SEPARATORS).split(maxsplit=2 * MAX_CELLS)
    if len(words) > 2 * MAX_CELLS:
        raise FormatError(f"line {number}: it has more than {MAX_CELLS} numbers")
    if words == ["0"]:
        return ()
    blocks, color, last = [], None, default
    for word in words:
        if word in colors:
            if color is not None:
                raise FormatError(f"line {number}: {clip(word)} is not a number")
            color = colors[word]
            if color == 0:
                raise FormatError(f"line {number}: {clip(word)} is the background")
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MAX_CELLS):
            what = "a declared colour" if not word[:1].isdigit() else f"a number from 1 to {MAX_CELLS}"
            raise FormatError(f"line {number}: {clip(word)} is not {what}")
        of = last if color is None else color
        if of is None:
            raise FormatError(f"line {number}: {clip(word)}: it has no colour, and there is no default")
        blocks.append(Block(int(word), of))
        last, color = of if names_last else default, None
    if color is not None:
        raise FormatError(f"line {number}: its last colour has no number")
    return tuple(blocks)
