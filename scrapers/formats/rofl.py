"""ROFL, a picture as the clues of its puzzle, after a sketch of Izaron's; docs/ROFL.md is the specification."""

from collections.abc import Iterator

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, read_each
from nonocensus.solver.model.puzzle import (
    BLACK,
    BLOT,
    MAX_CELLS,
    MAX_COLORS,
    Block,
    Clue,
    Puzzle,
    cached_block,
    normalize_palette,
)

NAME = "rofl"
SUFFIXES: tuple[str, ...] = (".rofl",)
HOLDS = frozenset({"colors", "rgb"})
ON_WHITE = True

MAGIC = b"ROFL"
WIDE = b"\0\0"
"""In place of width and height: these and all numbers follow in two bytes each."""


def recognizes(data: bytes) -> bool:
    """Check the magic bytes."""
    return data.startswith(MAGIC)


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of a file."""
    return read_each([data], _puzzle)


class _NumberReader:
    """A file's numbers in order."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place, self.size = data, place, 1

    def next(self, what: str, least: int, most: int, size: int | None = None) -> int:
        size = size or self.size
        digits = self.data[self.place : self.place + size]
        if len(digits) < size:
            raise FormatError(f"it ends where {what} should be")
        number = int.from_bytes(digits)
        if not least <= number <= most:
            raise FormatError(f"byte {self.place}: {what} is {number}, not a number from {least} to {most}")
        self.place += size
        return number


def _puzzle(data: bytes) -> Puzzle:
    if not data.startswith(MAGIC):
        raise FormatError("it does not begin with ROFL")
    numbers = _NumberReader(data, len(MAGIC))
    if data.startswith(MAGIC + WIDE):
        numbers.place, numbers.size = numbers.place + len(WIDE), 2
    width, height = (numbers.next(f"the {side}", 1, MAX_CELLS) for side in ("width", "height"))
    colors = numbers.next("the number of colours", 1, MAX_COLORS, 1)
    rgbs = [f"{numbers.next(f'colour {k}', 0, 0xFFFFFF, 3):06x}" for k in range(colors)]
    rows, columns = (
        tuple([_clue(numbers, cells, colors, f"{side} {k + 1}") for k in range(count)])
        for side, count, cells in (("row", height, width), ("column", width, height))
    )
    if numbers.place < len(data):
        raise FormatError(f"byte {numbers.place}: data follows the last column")
    specs = [ColorSpec(*BLACK) if rgb == BLACK.rgb else ColorSpec(rgb=rgb) for rgb in rgbs]
    return normalize_palette(Puzzle(rows, columns, palette_of(specs)))


def _clue(numbers: _NumberReader, cells: int, colors: int, where: str) -> Clue:
    """Parse a clue, which must fit into its line."""
    blocks, taken = list[Block](), 0
    for _ in range(numbers.next(f"{where}: the number of groups", 0, cells)):
        length = numbers.next(f"{where}: a length", BLOT + 1, cells)
        blocks.append(cached_block(length, numbers.next(f"{where}: a colour", 1, colors, 1) if colors > 1 else 1))
        taken += length
        if taken > cells:
            raise FormatError(f"{where}: its groups take more than {cells} cells")
    return tuple(blocks)


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle."""
    size = 1 if max(puzzle.width, puzzle.height) < 256 else 2
    colors = puzzle.palette[1:]

    def number(value: int) -> bytes:
        return value.to_bytes(size)

    parts = [MAGIC, b"" if size == 1 else WIDE, number(puzzle.width), number(puzzle.height), bytes([len(colors)])]
    parts += [bytes.fromhex(color.rgb) for color in colors]
    for clue in (*puzzle.rows, *puzzle.columns):
        parts.append(number(len(clue)))
        parts += [number(block.length) + (bytes([block.color]) if len(colors) > 1 else b"") for block in clue]
    return b"".join(parts)
