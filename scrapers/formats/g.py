"""Mirek and Petr Olšák's .g: text, optional colours, then the clues of the rows and of the columns.

    #d
      0:   white
      1:*  black
      r:%  #ff0000   dark red
    : rows
    1 2r
    : columns
    1
    1r
    1r
    : end

`#d` begins the colours: the mark after a block's number, a colon, a character to print, and the colour itself. `0` is
the background, `1` the default colour. Without colours a puzzle is black and white. Text may precede and follow.
Triddlers (`#t`) and triangles, colours with a slash, are other puzzles.
"""

import re

from nonocensus.scrapers.formats.colors import ColorMarks, ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, NumberedLine, TextFormat, bounded_lines, clip
from nonocensus.solver.model.named_colors import SYMBOLS, make_distinct, parse_rgb
from nonocensus.solver.model.puzzle import BLACK, MAX_CELLS, MAX_COLORS, WHITE, Color, Puzzle, normalize_palette

PARTS = re.compile(rb"(?:^|[\r\n]):.*?[\r\n]:", re.DOTALL)
"""Two lines that begin with a colon."""
COLOR = re.compile(r"(\S):(\S?)\s*(\S+)\s*(.*)")
MAX_LINES = 16 * MAX_CELLS
BACKGROUND, DEFAULT = "0", "1"
NO_MARKS = " \t0123456789,:#"
"""Characters that can't mark a colour."""


def _puzzle(text: str) -> Puzzle:
    lines = bounded_lines(text, MAX_LINES)
    starts = [k for k, (_, line) in enumerate(lines) if line.startswith(":")]
    if len(starts) < 2:
        raise FormatError("it should have two lines that begin with a colon, before the rows and before the columns")
    if len(starts) == 2:
        starts.append(max(k for k, (_, line) in enumerate(lines, 1) if line.strip()))
    head, rows, columns = lines[: starts[0]], lines[starts[0] + 1 : starts[1]], lines[starts[1] + 1 : starts[2]]
    if any(line[:2].lower() == "#t" for _, line in head):
        raise FormatError("it is a triddler, whose lines run in three directions; only grids are read")
    declared = next((k for k, (_, line) in enumerate(head) if line[:2].lower() == "#d"), len(head))
    title = [line.strip() for _, line in head[:declared] if line.strip()]
    palette, marks, default = _colors(head[declared + 1 :]) if declared < len(head) else ((WHITE, BLACK), {}, 1)
    for side in (rows, columns):
        if not 1 <= len(side) <= MAX_CELLS:
            raise FormatError(f"it has {len(side)} clues between two lines with colons; a side has 1 to {MAX_CELLS}")
    known = ColorMarks(marks, default)
    row_clues, column_clues = (tuple(map(known.clue_of, side)) for side in (rows, columns))
    return normalize_palette(Puzzle(row_clues, column_clues, palette, title=title[0] if len(title) == 1 else None))


def _colors(lines: list[NumberedLine]) -> tuple[tuple[Color, ...], dict[str, int], int | None]:
    """Return the palette, palette indices by mark, and the default index."""
    background, specs, marks, default = ColorSpec(), list[ColorSpec](), dict[str, int](), None
    for number, line in lines:
        if not line.strip():
            continue
        found = COLOR.fullmatch(line.strip())
        if not found:
            raise FormatError(f"line {number}: {clip(line)} does not declare a colour, as 'r:% #ff0000' does")
        mark, symbol, word, comment = found.groups()
        if "/" in word or "\\" in word:
            raise FormatError(f"line {number}: {clip(word)} is a triangle of two colours; those are not read")
        rgb = parse_rgb(word)
        if rgb is None:
            raise FormatError(f"line {number}: {clip(word)} is neither a colour like #ff0000 nor a colour's name")
        spec = ColorSpec(comment.strip() if word.startswith("#") else word, symbol, rgb)
        if mark == BACKGROUND:
            background = spec
            continue
        if mark in marks:
            raise FormatError(f"line {number}: the colour {clip(mark)} is declared twice")
        specs.append(spec)
        marks[mark] = len(specs)
        if mark == DEFAULT:
            default = len(specs)
        if len(specs) > MAX_COLORS:
            break
    return palette_of(specs, background), marks, default


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle; colours other than black on white are declared."""
    colors = [(color.name, color.rgb) for color in puzzle.palette]
    plain = [color.rgb for color in puzzle.palette] == [WHITE.rgb, BLACK.rgb]
    specs = ["" if color.symbol in NO_MARKS else color.symbol for color in puzzle.palette[1:]]
    marks = ["", *make_distinct(specs, (mark for mark in SYMBOLS if mark not in NO_MARKS))]
    lines = [" ".join(puzzle.title.split()).lstrip(":#")] if puzzle.title else []
    if not plain:
        lines.append("#d")
        for mark, color, (name, rgb) in zip([BACKGROUND, *marks[1:]], puzzle.palette, colors, strict=True):
            lines.append(f"   {mark}:{color.symbol.strip() or '.'}  #{rgb}  {' '.join(name.split())}".rstrip())
    for heading, clues in (("rows", puzzle.rows), ("columns", puzzle.columns)):
        texts = (" ".join([f"{block.length}{'' if plain else marks[block.color]}" for block in clue]) for clue in clues)
        lines += [f": {heading}", *(text or "0" for text in texts)]
    return "".join(f"{line}\n" for line in (*lines, ": end")).encode()


G = TextFormat("g", __doc__, (".g",), (PARTS.search,), _puzzle, write, frozenset({"colors", "rgb", "names", "title"}))
