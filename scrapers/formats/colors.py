"""Palettes of formats that say less of a colour than a name, a symbol and six hexadecimal digits."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scrapers.formats.clues import BLOCKS, MOST_DIGITS, Line
from scrapers.formats.shared import FormatError, clipped
from solver.model.puzzle import BLACK, MAX_CELLS, MAX_COLORS, WHITE, Block, Clue, Color, Puzzle, with_metadata

SYMBOLS = "X*%&@#$+=?oabcdefghijklmnpqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWYZ"
"""For colours that have none."""

DISTINCT = (
    *("000000", "e69f00", "56b4e9", "009e73", "d55e00", "0072b2", "cc79a7", "f0e442", "999999", "7f3b08"),
    *("8dd3c7", "bebada", "fb8072", "80b1d3", "fdb462", "b3de69", "fccde5", "bc80bd", "ccebc5", "ffed6f"),
    *("1b9e77", "d95f02", "7570b3", "e7298a", "66a61e", "e6ab02", "a6761d", "666666", "377eb8", "984ea3", "4daf4a"),
)
"""For colours of which nothing is known: Okabe and Ito's, which everybody can tell apart, then ColorBrewer's."""

HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
TRIPLET = re.compile(r"\(?\s*+([0-9]{1,3})(?:\s*+,\s*+|\s++)([0-9]{1,3})(?:\s*+,\s*+|\s++)([0-9]{1,3})\s*+\)?")
COLORED = re.compile(r"([0-9]+)(.*)")


class Wish(NamedTuple):
    """What a file says of a colour, as far as it does: the rest is empty."""

    name: str = ""
    symbol: str = ""
    rgb: str = ""


def rgb_of(text: str) -> str | None:
    """Six hexadecimal digits for a colour given by three or six of them, by three numbers, or by its name in CSS."""
    text = text.strip()
    if found := HEX.fullmatch(text):
        digits = found[1].lower()
        return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    if (found := TRIPLET.fullmatch(text)) and all(int(number) < 256 for number in found.groups()):
        return "".join(f"{int(number):02x}" for number in found.groups())
    from PIL import ImageColor  # it takes a moment, and most colours are not named

    named = ImageColor.colormap.get(text.lower().replace(" ", ""))
    return named[1:].lower() if isinstance(named, str) else None


def palette_of(wishes: Sequence[Wish], background: Wish = Wish()) -> tuple[Color, ...]:  # noqa: B008
    """The palette of these colours, the background first; what is not known of them, or taken, is made up."""
    if len(wishes) > MAX_COLORS:
        raise FormatError(f"it has {len(wishes)} colours; the most is {MAX_COLORS}")
    if not wishes or (len(wishes) == 1 and not any(wishes[0])):
        wishes = [Wish(*BLACK)]
    everything = [Wish(*(said or usual for said, usual in zip(background, WHITE, strict=True))), *wishes]
    given = {wish.rgb for wish in everything}
    spare_colors = [color for color in DISTINCT if color not in given]
    rgbs = [wish.rgb or spare_colors.pop(0) for wish in everything]
    names = distinct([wish.name for wish in everything], (f"color{k}" for k in range(1, 2 * len(everything) + 1)))
    symbols = distinct([wish.symbol for wish in everything], SYMBOLS)
    return tuple(map(Color, names, symbols, rgbs))


def declared(
    lines: Iterable[Line], parsed: Callable[[str], tuple[str, Wish] | None], example: str
) -> tuple[dict[str, int], list[Wish]]:
    """The colours that lines declare, and their places in the palette by the marks that stand behind numbers.

    `parsed` gives a line's mark and colour, None if it has none; `example` is a line that has.
    """
    marks, wishes = dict[str, int](), list[Wish]()
    for number, line in lines:
        found = parsed(line)
        if found is None:
            raise FormatError(f"line {number}: {clipped(line)} does not declare a colour, as '{example}' does")
        mark, wish = found
        if mark in marks:
            raise FormatError(f"line {number}: the colour {clipped(mark)} is declared for the second time")
        wishes.append(wish)
        marks[mark] = len(wishes)
        if len(wishes) > MAX_COLORS:
            break
    return marks, wishes


def distinct(wishes: Iterable[str], spare: Iterable[str]) -> list[str]:
    """The wishes, with something spare in place of those that are empty or taken."""
    wishes = list(wishes)
    spares = (text for text in spare if text not in wishes)
    taken: set[str] = set()
    for place, wish in enumerate(wishes):
        wishes[place] = wish if wish and wish not in taken else next(spares)
        taken.add(wishes[place])
    return wishes


class Marks:
    """What stands behind a number for its colour.

    colors      the places of the colours in the palette, by their marks
    default     the place of the colour of numbers without a mark; None if they must have one
    separator   between number and mark
    """

    def __init__(self, colors: dict[str, int], default: int | None, separator: str = "") -> None:
        self.colors, self.default, self.separator = colors, default, separator
        self._known: dict[str, Block] = BLOCKS.copy() if default == 1 else {}

    def clue_of(self, line: Line) -> Clue:
        """The clue on a line of numbers with marks. An empty line, or a single 0, is an empty clue."""
        number, text = line
        words = text.replace(",", " ").split(maxsplit=MAX_CELLS)
        if len(words) > MAX_CELLS:
            raise FormatError(f"line {number}: it has more than {MAX_CELLS} numbers")
        if words == ["0"]:
            return ()
        try:
            return tuple(map(self._known.__getitem__, words))
        except KeyError:  # a word of which there was none before
            return tuple([self._known.get(word) or self._block(number, word) for word in words])

    def _block(self, number: int, word: str) -> Block:
        found = COLORED.fullmatch(word)
        if not found or len(found[1]) > MOST_DIGITS or not 1 <= int(found[1]) <= MAX_CELLS:
            raise FormatError(f"line {number}: {clipped(word)} does not begin with a number from 1 to {MAX_CELLS}")
        mark = found[2].removeprefix(self.separator)
        color = self.colors.get(mark) if mark else self.default
        if color is None:
            said = (
                f"the colour {clipped(mark)} is not declared" if mark else "it has no colour, and there is no default"
            )
            raise FormatError(f"line {number}: {clipped(word)}: {said}")
        return self._known.setdefault(word, Block(int(found[1]), color))


def without_unused(puzzle: Puzzle) -> Puzzle:
    """An arranged puzzle without the colours of its palette that neither clue nor goal has."""
    highest = max(puzzle.colors, 1, 0 if puzzle.goal is None else int(puzzle.goal.max()))
    return with_metadata(puzzle, palette=puzzle.palette[: highest + 1])
