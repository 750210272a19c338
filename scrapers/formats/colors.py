"""Palettes of formats whose colours lack a name, a symbol or RGB, and colour marks of blocks."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from nonocensus.scrapers.formats.parsing import BLOCKS, MAX_DIGITS, FormatError, NumberedLine, clip
from nonocensus.solver.model.named_colors import DISTINCT, SYMBOLS, make_distinct
from nonocensus.solver.model.puzzle import (
    BLACK,
    MAX_CELLS,
    MAX_COLORS,
    WHITE,
    Block,
    Clue,
    Color,
    Puzzle,
    with_metadata,
)

COLORED = re.compile(r"([0-9]+)(.*)")


class ColorSpec(NamedTuple):
    """A colour as a file describes it; missing parts are empty."""

    name: str = ""
    symbol: str = ""
    rgb: str = ""


def palette_of(specs: Sequence[ColorSpec], background: ColorSpec = ColorSpec()) -> tuple[Color, ...]:  # noqa: B008
    """Return the palette of these colours, the background first; missing and duplicate parts are made up."""
    if len(specs) > MAX_COLORS:
        raise FormatError(f"it has {len(specs)} colours; the most is {MAX_COLORS}")
    if not specs or (len(specs) == 1 and not any(specs[0])):
        specs = [ColorSpec(*BLACK)]
    everything = [ColorSpec(*(given or usual for given, usual in zip(background, WHITE, strict=True))), *specs]
    given = {spec.rgb for spec in everything}
    spare_colors = [color for color in DISTINCT if color not in given]
    rgbs = [spec.rgb or spare_colors.pop(0) for spec in everything]
    names = make_distinct([spec.name for spec in everything], (f"color{k}" for k in range(1, 2 * len(everything) + 1)))
    symbols = make_distinct([spec.symbol for spec in everything], SYMBOLS)
    return tuple(map(Color, names, symbols, rgbs))


def parse_color_lines(
    lines: Iterable[NumberedLine], parse: Callable[[str], tuple[str, ColorSpec] | None], example: str
) -> tuple[dict[str, int], list[ColorSpec]]:
    """Parse colour declarations: return the palette indices by mark, and the colours.

    `parse` returns a line's mark and colour, None for an invalid line; `example` is a valid line for error messages.
    """
    marks, specs = dict[str, int](), list[ColorSpec]()
    for number, line in lines:
        found = parse(line)
        if found is None:
            raise FormatError(f"line {number}: {clip(line)} does not declare a colour, as '{example}' does")
        mark, spec = found
        if mark in marks:
            raise FormatError(f"line {number}: the colour {clip(mark)} is declared twice")
        specs.append(spec)
        marks[mark] = len(specs)
        if len(specs) > MAX_COLORS:
            break
    return marks, specs


class ColorMarks:
    """Parser of clues whose numbers carry a colour mark.

    colors      palette indices by mark
    default     palette index of numbers without a mark; None if a mark is required
    separator   between number and mark
    """

    def __init__(self, colors: dict[str, int], default: int | None, separator: str = "") -> None:
        self.colors, self.default, self.separator = colors, default, separator
        self._known: dict[str, Block] = BLOCKS.copy() if default == 1 else {}

    def clue_of(self, line: NumberedLine) -> Clue:
        """Parse numbers with marks. An empty line, or a single 0, is an empty clue."""
        number, text = line
        words = text.replace(",", " ").split(maxsplit=MAX_CELLS)
        if len(words) > MAX_CELLS:
            raise FormatError(f"line {number}: it has more than {MAX_CELLS} numbers")
        if words == ["0"]:
            return ()
        try:
            return tuple(map(self._known.__getitem__, words))
        except KeyError:  # a new word
            return tuple([self._known.get(word) or self._block(number, word) for word in words])

    def _block(self, number: int, word: str) -> Block:
        found = COLORED.fullmatch(word)
        if not found or len(found[1]) > MAX_DIGITS or not 1 <= int(found[1]) <= MAX_CELLS:
            raise FormatError(f"line {number}: {clip(word)} does not begin with a number from 1 to {MAX_CELLS}")
        mark = found[2].removeprefix(self.separator)
        color = self.colors.get(mark) if mark else self.default
        if color is None:
            reason = f"the colour {clip(mark)} is not declared" if mark else "it has no colour, and there is no default"
            raise FormatError(f"line {number}: {clip(word)}: {reason}")
        return self._known.setdefault(word, Block(int(found[1]), color))


def without_unused(puzzle: Puzzle) -> Puzzle:
    """Drop trailing palette entries of a puzzle with normalized palette that no clue, goal and decided cell has."""
    decided = [grid[grid.sum(axis=2) == 1].argmax(axis=1).max(initial=0) for grid in puzzle.saved]
    kept = 1 + max(puzzle.colors, 1, 0 if puzzle.goal is None else int(puzzle.goal.max()), *map(int, decided))
    return with_metadata(puzzle, palette=puzzle.palette[:kept], saved=tuple(grid[:, :, :kept] for grid in puzzle.saved))
