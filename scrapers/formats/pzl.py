"""Izaron's .pzl: a palette, height and width, then for each row and each column its number of blocks, and the blocks.

    1
    #ff0000

    1 2
    1 2 255 0 0
    1 1 255 0 0
    1 1 255 0 0

A block is its length and its colour as three numbers. The background is white and need not be named; a colour that is
white too is another one. A file without a palette is black and white, and its blocks are lengths alone.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import chain, islice

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of, without_unused
from nonocensus.scrapers.formats.parsing import MAX_DIGITS, FormatError, TextFormat, clip
from nonocensus.solver.model.named_colors import parse_rgb
from nonocensus.solver.model.puzzle import BLACK, MAX_CELLS, MAX_COLORS, Block, Clue, Puzzle, normalize_palette

BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*[0-9]{1,3}\s+#[0-9a-fA-F]{6}\s")
WORDS = re.compile(r".{1,4096}\S*", re.DOTALL)
"""Words of a file that may be in memory together."""


def _puzzle(text: str) -> Puzzle:
    words = chain.from_iterable(found[0].split() for found in WORDS.finditer(text))
    first = next(words, "")
    rgbs: list[str] = []
    if "#" in text:
        for word in islice(words, _number(first, "the number of colours", MAX_COLORS + 1)):
            if not word.startswith("#") or not (found := parse_rgb(word)):
                raise FormatError(f"{clip(word)} is not a colour like #ff0000")
            rgbs.append(found)
        first = next(words, "")
    colors = list(dict.fromkeys(rgbs))
    height = _number(first, "the height", MAX_CELLS)
    width = _number(next(words, ""), "the width", MAX_CELLS)
    places = {color: number for number, color in enumerate(colors, 1)}
    rows = _side(words, places, height, width, "row")
    columns = _side(words, places, width, height, "column")
    if rest := next(words, ""):
        raise FormatError(f"{clip(rest)} follows the last column")
    return without_unused(
        normalize_palette(Puzzle(rows, columns, palette_of([ColorSpec(rgb=color) for color in colors or [BLACK.rgb]])))
    )


def _side(words: Iterator[str], places: dict[str, int], count: int, cells: int, name: str) -> tuple[Clue, ...]:
    """Parse `count` clues of lines of `cells` cells; `places` are palette indices by RGB."""
    block = lru_cache(1 << 12)(partial(_block, places, cells))  # most repeat
    size = 4 if places else 1
    clues: list[Clue] = []
    for number in range(1, count + 1):
        try:
            length = size * _number(next(words, ""), "the number of blocks", cells, least=0)
            said = list(islice(words, length))
            said += [""] * (length - len(said))
            clues.append(tuple(map(block, zip(*[iter(said)] * size, strict=True))))
        except FormatError as error:
            raise FormatError(f"{name} {number}: {error}") from None
    return tuple(clues)


def _block(places: dict[str, int], cells: int, words: tuple[str, ...]) -> Block:
    """Parse a block: its length and, with a palette, three numbers of its colour."""
    length = _number(words[0], "a length", cells)
    if not places:
        return Block(length)
    rgb = "".join([f"{_number(word, 'a colour', 255, least=0):02x}" for word in words[1:]])
    if rgb not in places:
        raise FormatError(f"the colour #{rgb} is not in the palette")
    return Block(length, places[rgb])


def _number(word: str, what: str, most: int, least: int = 1) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) <= MAX_DIGITS and least <= int(word) <= most):
        raise FormatError(f"{what} is {clip(word) if word else 'missing'}, not a number from {least} to {most}")
    return int(word)


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle, always with a palette."""
    lines = [str(len(puzzle.palette) - 1), *(f"#{color.rgb}" for color in puzzle.palette[1:]), ""]
    lines.append(f"{puzzle.height} {puzzle.width}")
    colors = [" ".join(map(str, bytes.fromhex(color.rgb))) for color in puzzle.palette]
    lines += [
        " ".join([str(len(clue)), *(f"{block.length} {colors[block.color]}" for block in clue)])
        for clue in (*puzzle.rows, *puzzle.columns)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


PZL = TextFormat("pzl", __doc__, (".pzl",), (BEGINNING.match,), _puzzle, write, frozenset({"colors", "rgb"}))
