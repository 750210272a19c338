"""The Puzzle object: clues, palette, optional goal picture, and metadata.

Kernels never use it; they read the columns of the puzzles table (`solver.model.tables`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import chain, dropwhile, groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nonocensus.solver.model.named_colors import DISTINCT, SYMBOLS, make_distinct, parse_rgb

MAX_CELLS = 1023
"""Cells of the longest line: 16 words of 64 bits, less one bit for the place after the last cell."""

MAX_COLORS = 31
"""Colours besides the background."""

MAX_DEPTH = 2 * MAX_CELLS
"""Levels of the deepest lookahead: each level but the last adds at least one line."""

BLOT = 0
"""Length of a block whose length is hidden; it is at least one cell long."""


class InvalidPuzzle(ValueError):
    """A puzzle is impossible; the message names the line and the reason."""


class Block(NamedTuple):
    """A number of a clue: a run of `length` cells (0: a blot) of palette entry `color`."""

    length: int
    color: int = 1


@lru_cache(1 << 12, typed=True)  # integers of NumPy apart
def cached_block(length: int, color: int = 1) -> Block:
    """Return a block from a cache, which is faster than a new one."""
    return Block(length, color)


Clue = tuple[Block, ...]

INTEGER_TYPES = (int, np.integer)
"""Types accepted as an integer."""


class Color(NamedTuple):
    """A palette entry: name, one-character symbol for text pictures, and six hex digits."""

    name: str
    symbol: str
    rgb: str


WHITE = Color("white", ".", "ffffff")
BLACK = Color("black", "X", "000000")
BLACK_ON_WHITE = (WHITE, BLACK)


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A nonogram. Its fields are columns of the puzzles table; None is null there.

    rows, columns   one clue per line, from top to bottom and from left to right
    palette         entry 0 is the background; the clues' colours follow in order of first use (`normalize_palette`)
    goal            uint8[height, width] of palette entries: the author's picture
    saved           partly solved grids from its file, bool[height, width, palette]: the colours each cell may have. Not
                    stored in tables

    Raises InvalidPuzzle for what no table can hold: no lines or too many, a negative or huge number, a colour missing
    from the palette, a goal of another size. Clues that fit no picture are accepted: archives contain such puzzles, and
    the census reports them (`solver.model.check`).
    """

    rows: tuple[Clue, ...]
    columns: tuple[Clue, ...]
    palette: tuple[Color, ...] = BLACK_ON_WHITE
    goal: np.ndarray | None = None
    puzzle_id: str = ""
    source: str | None = None
    source_id: str | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    description: str | None = None
    copyright: str | None = None
    license: str | None = None
    site_note: str | None = None
    site_version: str | None = None
    site_quality: float | None = None
    site_difficulty: float | None = None
    site_seconds: float | None = None
    site_date: date | None = None
    site_steps: int | None = None
    fetched_at: datetime | None = None
    raw_sha256: str | None = None
    saved: tuple[np.ndarray, ...] = ()

    def __post_init__(self) -> None:
        for name, lines in (("rows", self.rows), ("columns", self.columns)):
            if not lines:
                raise InvalidPuzzle(f"it has no {name}")
            if len(lines) > MAX_CELLS:
                raise InvalidPuzzle(f"it has {len(lines)} {name}; the most is {MAX_CELLS}")
            if not _are_plainly_valid(lines, len(self.palette)):
                _check_blocks(name[:-1], lines, len(self.palette))
        if len(self.palette) - 1 > MAX_COLORS:
            raise InvalidPuzzle(f"it has {len(self.palette) - 1} colours; the most is {MAX_COLORS}")
        if self.goal is not None and not isinstance(self.goal, np.ndarray):
            raise InvalidPuzzle(f"its goal is a {type(self.goal).__name__}, not an array")
        if self.goal is not None and self.goal.shape != (self.height, self.width):
            shape = "x".join(str(side) for side in reversed(self.goal.shape))
            raise InvalidPuzzle(f"its goal is {shape}, its clues are {self.width}x{self.height}")
        for number, grid in enumerate(self.saved, 1):
            if grid.shape != (self.height, self.width, len(self.palette)):
                raise InvalidPuzzle(
                    f"saved grid {number} is {grid.shape[1]}x{grid.shape[0]}, its clues are {self.width}x{self.height}"
                )

    @classmethod
    def from_clues(
        cls,
        rows: Sequence[Any] | np.ndarray,
        columns: Sequence[Any] | np.ndarray,
        palette: Sequence[Color] | None = None,
        **metadata: Any,
    ) -> "Puzzle":
        """Return the puzzle of clues as plain lists; `metadata` are other fields (title, author, ...).

        rows, columns   for each line a list of numbers, or of pairs of a number and a colour: [3, 1], [(3, "red")]. A
                        single number needs no list; 0, [0], [] and None are an empty line, "?" is a hidden length.
                        Zeros before and after the numbers of a line are padding
        palette         the colours, the background first; a pair has the index, name, symbol or RGB of one. Without it
                        a colour may be anything: usual names and hexadecimal digits mean themselves

        Raises InvalidPuzzle for anything else.
        """
        for side, lines in (("rows", rows), ("columns", columns)):
            if not isinstance(lines, list | tuple | np.ndarray):
                raise InvalidPuzzle(f"the {side}: {lines!r:.60} is no list")
        pairs_of_rows = [_pairs(f"row {number}", line) for number, line in enumerate(rows, 1)]
        pairs_of_columns = [_pairs(f"column {number}", line) for number, line in enumerate(columns, 1)]
        marks = list(dict.fromkeys(mark for pairs in pairs_of_rows + pairs_of_columns for _, mark in pairs))
        if palette is None:
            palette, entries = _palette_of(marks)
        else:
            entries = {key: entry for entry, color in [*enumerate(palette)][:0:-1] for key in (entry, *color)}
            entries[None] = 1 if marks == [None] else entries.get("black", 0)
        if unknown := [mark for mark in marks if not entries.get(mark)]:
            raise InvalidPuzzle(f"the colour {unknown[0]!r} is not in the palette")
        made_rows, made_columns = (
            tuple([tuple([cached_block(length, entries[mark]) for length, mark in pairs]) for pairs in lines])
            for lines in (pairs_of_rows, pairs_of_columns)
        )
        return normalize_palette(cls(made_rows, made_columns, tuple(palette), **metadata))

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def colors(self) -> int:
        """Number of colours of the clues, without the background."""
        return max((block.color for clue in self.rows + self.columns for block in clue), default=0)

    @property
    def kind(self) -> str:
        """`mono` for at most one foreground colour, else `color`."""
        return "color" if self.colors > 1 else "mono"

    @property
    def blotted(self) -> bool:
        """Whether any length is hidden."""
        return any(block.length == BLOT for clue in self.rows + self.columns for block in clue)


def with_metadata(puzzle: Puzzle, **metadata: object) -> Puzzle:
    """Return a copy of a puzzle with other fields (id, source, ...), without checking it again."""
    changed = object.__new__(Puzzle)
    vars(changed).update(vars(puzzle) | metadata)
    return changed


def _are_plainly_valid(lines: Sequence[Clue], palette: int) -> bool:
    """Return whether clues pass `_check_blocks` by a quick check, in a tenth of the time; False if it can't tell."""
    blocks = {id(block): block for block in chain.from_iterable(lines)}.values()  # most are shared (cached_block)
    if not blocks:
        return True
    if max(map(len, lines)) > MAX_CELLS or set(map(type, blocks)) != {Block}:
        return False
    lengths, colors = zip(*blocks, strict=True)
    if set(map(type, lengths + colors)) != {int}:
        return False
    return bool(0 <= min(lengths) <= max(lengths) <= MAX_CELLS and 1 <= min(colors) <= max(colors) < palette)


def _check_blocks(side: str, lines: Sequence[Clue], palette: int) -> None:
    """Raise InvalidPuzzle for the first clue that no table can hold."""
    for number, clue in enumerate(lines, 1):
        if len(clue) > MAX_CELLS:
            raise InvalidPuzzle(f"{side} {number}: it has {len(clue)} numbers; the most is {MAX_CELLS}")
        for block in clue:
            if not (isinstance(block, Block) and isinstance(block.length, INTEGER_TYPES)):
                raise InvalidPuzzle(
                    f"{side} {number}: {block!r} is not a Block of integers; Puzzle.from_clues takes lists of numbers"
                )
            if not 0 <= block.length <= MAX_CELLS:
                what = "negative" if block.length < 0 else f"more than {MAX_CELLS}"
                raise InvalidPuzzle(f"{side} {number}: the number {block.length} is {what}")
            if not (isinstance(block.color, INTEGER_TYPES) and 1 <= block.color < palette):
                raise InvalidPuzzle(f"{side} {number}: colour {block.color} is not in the palette")


def _pairs(where: str, line: Any) -> list[tuple[int, Any]]:
    """Return the blocks of a plain clue as pairs of length and colour, None for a number without one."""
    line = line.tolist() if isinstance(line, np.ndarray) else line
    items = line if isinstance(line, list | tuple) else [] if line is None else [line]
    pairs = [tuple(item) if isinstance(item, list | tuple) and len(item) == 2 else (item, None) for item in items]
    for item, (number, mark) in zip(items, pairs, strict=True):
        is_number = isinstance(number, INTEGER_TYPES) and not isinstance(number, bool) and (number != 0 or mark is None)
        if not (is_number or (isinstance(number, str) and number == "?")) or not isinstance(mark, int | str | None):
            wanted = "a number ('?' if it is hidden), or a pair of a number and a colour"
            raise InvalidPuzzle(f"{where}: {item!r:.60} is not {wanted}")
    padding = (0, None)
    for _ in range(2):
        pairs = list(dropwhile(padding.__eq__, pairs))[::-1]
    if padding in pairs:
        raise InvalidPuzzle(f"{where}: there is a 0 between its numbers")
    return [(BLOT if number == "?" else int(number), mark) for number, mark in pairs]


def _palette_of(marks: list[Any]) -> tuple[tuple[Color, ...], dict[Any, int]]:
    """Return the palette of the colours in plain clues, and its entries by colour."""
    if len(marks) > MAX_COLORS:
        raise InvalidPuzzle(f"it has {len(marks)} colours; the most is {MAX_COLORS}")
    if not marks or (len(marks) == 1 and not isinstance(marks[0], str)):
        return BLACK_ON_WHITE, dict.fromkeys(marks, 1)
    names = ["black" if mark is None else mark if isinstance(mark, str) else f"color{mark}" for mark in marks]
    known = [parse_rgb(name) for name in names]
    spare = (rgb for rgb in DISTINCT if rgb not in known)
    rgbs = [rgb or next(spare) for rgb in known]
    colors = dict(zip(reversed(rgbs), reversed(names), strict=True))
    order = list(dict.fromkeys(rgbs))
    letters = ["X" if rgb == BLACK.rgb else colors[rgb][:1] * colors[rgb][:1].isalnum() for rgb in order]
    symbols = make_distinct([WHITE.symbol, *letters], SYMBOLS)[1:]
    return (WHITE, *map(Color, map(colors.__getitem__, order), symbols, order)), {
        mark: 1 + order.index(rgb) for mark, rgb in zip(marks, rgbs, strict=True)
    }


def normalize_palette(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle with its palette in order of first use in the clues, rows before columns.

    So the same puzzle from two sources has the same colour numbers and the same clue hash. Unused colours come last, in
    their old order.
    """
    if len(puzzle.palette) <= 2:
        return puzzle
    used = [color for clue in puzzle.rows + puzzle.columns for _, color in clue]
    order = list(dict.fromkeys([0, *used, *range(len(puzzle.palette))]))
    if order == sorted(order):
        return puzzle
    place = np.argsort(order).tolist()

    def renumbered(lines: Iterable[Clue]) -> tuple[Clue, ...]:
        return tuple([tuple([cached_block(length, place[color]) for length, color in clue]) for clue in lines])

    return replace(
        puzzle,
        rows=renumbered(puzzle.rows),
        columns=renumbered(puzzle.columns),
        palette=tuple(puzzle.palette[c] for c in order),
        goal=None if puzzle.goal is None else np.array(place, np.uint8)[puzzle.goal],
        saved=tuple(grid[:, :, order] for grid in puzzle.saved),
    )


def clue_of(cells: Sequence[int] | np.ndarray) -> Clue:
    """Return the clue of a line of palette entries: its runs of one colour, without the background."""
    return clue_of_ints(np.asarray(cells).tolist())


def clue_of_ints(cells: Iterable[int]) -> Clue:
    """Return the clue of a line that is bytes or a list of Python integers."""
    return tuple(Block(len(list(run)), color) for color, run in groupby(cells) if color)


def fits_clue(clue: Clue, found: Clue) -> bool:
    """Return whether the clue of a picture's line fits a puzzle's clue, whose lengths may be hidden."""
    pairs, is_same = zip(clue, found, strict=False), len(clue) == len(found)
    return is_same and all(block.color == color and block.length in (BLOT, length) for block, (length, color) in pairs)


def clues_of(picture: np.ndarray) -> tuple[tuple[Clue, ...], tuple[Clue, ...]]:
    """Return the clues (rows, columns) of a picture, uint8[height, width] of palette entries.

    All rows and then all columns are laid out in one array, each line after a cell of background, so that no run
    crosses lines.
    """
    height, width = picture.shape
    rows = height * (width + 1)
    cells = np.zeros(rows + width * (height + 1) + 1, np.uint8)
    cells[:rows].reshape(height, -1)[:, 1:] = picture
    cells[rows:-1].reshape(width, -1)[:, 1:] = picture.T
    changes = np.flatnonzero(cells[1:] != cells[:-1]) + 1
    starts = np.flatnonzero(cells[changes])
    lengths = np.diff(changes)[starts]
    blocks = list(map(cached_block, lengths.tolist(), cells[changes[starts]].tolist()))
    lines = np.concatenate([np.arange(0, rows, width + 1), np.arange(rows, len(cells), height + 1)])
    bounds = np.searchsorted(changes[starts], lines).tolist()
    clues = [tuple(blocks[first:last]) for first, last in pairwise(bounds)]
    return tuple(clues[:height]), tuple(clues[height:])


def from_picture(picture: ArrayLike, palette: Sequence[Color] = BLACK_ON_WHITE, **metadata: object) -> Puzzle:
    """Return the puzzle with this picture as goal; `metadata` are other fields of Puzzle (title, author, ...).

    picture   palette entries, [height, width]: anything that NumPy converts to an integer array, nested lists too

    Raises InvalidPuzzle for any other picture, one too large, or with entries missing from the palette.
    """
    try:
        cells = np.asarray(picture)
    except ValueError:  # rows of different lengths
        raise InvalidPuzzle("a picture is a grid of integers: the rows of this one differ in length") from None
    if cells.ndim != 2 or cells.dtype.kind not in "biu":
        raise InvalidPuzzle(f"a picture is a grid of integers, not {cells.dtype}{list(cells.shape)}")
    if not 0 < min(cells.shape) <= max(cells.shape) <= MAX_CELLS:
        height, width = cells.shape
        raise InvalidPuzzle(f"the picture is {width}x{height}; a side may have 1 to {MAX_CELLS} cells")
    if not 0 <= cells.min() <= cells.max() < len(palette):
        raise InvalidPuzzle(
            f"the picture holds {cells.min()} to {cells.max()}; the palette has entries 0 to {len(palette) - 1}"
        )
    goal = np.ascontiguousarray(cells, dtype=np.uint8)
    rows, columns = clues_of(goal)
    return normalize_palette(Puzzle(rows, columns, tuple(palette), goal, **metadata))  # type: ignore[arg-type]
