"""A grid that someone has begun to draw, read from text: a row per line, or all cells on one line.

    painted   the symbols that `solve` prints, or else the palette's; digits of palette entries; in one colour # X █ ■
    empty     0 - x ×
    open      ? _ and blanks, and the symbol that `solve` prints for open cells
    .         empty if the text has signs of open cells, else open; refused if it has both other kinds

A symbol precedes these. Cells may be separated by blanks or commas.
"""

import numpy as np

from nonocensus.pipeline.commands.solve.puzzle_arguments import read_bytes
from nonocensus.pipeline.commands.terminal_drawing import free_symbol, symbols_of
from nonocensus.pipeline.errors import UserError
from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.scrapers.formats.parsing import clip, decode_text
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle

PAINTED, EMPTY, OPEN, BLANK = "#X█■", "0-x×", "?_ ", "."

MAX_SIZE = 8 * MAX_CELLS**2


def read_state(path: str, puzzle: Puzzle) -> np.ndarray:
    """Return the grid in a text file, or in standard input, bool[height, width, palette]: the colours of each cell.

    Raises UserError for a file that is unreadable, of another size, or ambiguous.
    """
    try:
        return parse_state(decode_text(read_bytes(path, f"--state {path}", MAX_SIZE)), puzzle)
    except FormatError as error:
        raise UserError(f"--state {path}: {error}") from None


def parse_state(text: str, puzzle: Puzzle) -> np.ndarray:
    """Return the grid of a text as `read_state`. Raises FormatError for another size, or signs without one meaning."""
    rows = _rows(text, puzzle.width, puzzle.height)
    meanings = _meanings({sign for row in rows for sign in row}, puzzle)
    grid = np.zeros((puzzle.height, puzzle.width, len(puzzle.palette)), np.bool_)
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign not in meanings:
                names = zip(symbols_of(puzzle), color_names(puzzle.palette), strict=True)
                colors = " ".join(f"{symbol} ({name})" for symbol, name in list(names)[1 : puzzle.colors + 1])
                raise FormatError(
                    f"row {y + 1}, column {x + 1}: {clip(sign)} is not a sign of a cell; "
                    f"write {colors}, 0 for empty, ? for open"
                )
            grid[y, x, meanings[sign]] = True
    return grid


def _rows(text: str, width: int, height: int) -> list[list[str]]:
    """Split a text into rows of single characters."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    while len(lines) > height and not lines[-1].strip():
        del lines[-1]
    while len(lines) > height and not lines[0].strip():
        del lines[0]
    if len(lines) == 1 < height and len(lines[0].strip()) == width * height:
        cells = lines[0].strip()
        lines = [cells[k : k + width] for k in range(0, len(cells), width)]
    if len(lines) != height:
        raise FormatError(f"its height is {len(lines)}, the puzzle's {height}")
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        row = words if len(words) == width and max(map(len, words)) == 1 else list(line)
        if len(row) > width:
            row = list(line.rstrip().ljust(width))
        if len(row) != width:
            raise FormatError(f"row {number} has {len(row)} cells, not {width}")
        rows.append(row)
    return rows


def _meanings(signs: set[str], puzzle: Puzzle) -> dict[str, int | slice]:
    """Return the palette entry of each sign, or all entries for open cells."""
    anything = slice(None)
    colors = max(puzzle.colors, 1)
    ground, *symbols = (color.symbol for color in puzzle.palette[: colors + 1])
    meanings: dict[str, int | slice] = dict.fromkeys(OPEN + free_symbol(puzzle), anything)
    meanings |= dict.fromkeys(EMPTY, 0) | dict(zip(DIGITS[1:], range(1, colors + 1), strict=False))
    if colors == 1:
        meanings |= dict.fromkeys(PAINTED, 1)
    blank = {BLANK, ground} - set(EMPTY)
    meanings = {sign: meaning for sign, meaning in meanings.items() if sign not in blank}
    for printed in (symbols, symbols_of(puzzle)[1 : colors + 1]):
        meanings |= dict(zip(printed, range(1, colors + 1), strict=True))
    kinds = {sign: meanings[sign] for sign in signs & meanings.keys()}
    if kinds.get("x") == 0 and colors == 1 and 1 not in kinds.values():
        raise FormatError("x could be painted or empty: write # or 0")
    has_open = anything in kinds.values()
    if signs & (blank - meanings.keys()) and has_open and 0 in kinds.values():
        raise FormatError(f"{' '.join(sorted(signs & blank))} could be empty or open: write 0 or ?")
    return dict.fromkeys(blank, 0 if has_open else anything) | meanings
