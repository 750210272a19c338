"""MiniZinc's data files (.dzn): the clues of the rows and of the columns as two arrays, padded to the longest.

    rows = 2; row_rule_len = 1; row_rules = array2d(1..2, 1..1, [1, 2]);
    cols = 2; col_rule_len = 2; col_rules = array2d(1..cols, 1..col_rule_len, [0,2, 0,1]);

or `row_rules = [| 1 | 2 |];`. An array's name begins with `row` or `col`, as in hakank's files; numbers of 0 and -1 at
either end of a clue are padding. The files of MiniZinc's benchmarks, which declare `X`, `Y` and `maxlen`, write a
clue's cells instead, 1,1,0,1 for the clue 2 1.
"""

import re
from itertools import groupby, islice

from nonocensus.scrapers.formats.parsing import BLOCKS, FormatError, TextFormat, clip
from nonocensus.solver.model.puzzle import MAX_CELLS, Clue, Puzzle

NAMES = {"rows": ("row", "left", "hor"), "columns": ("col", "top", "ver")}
"""Beginnings of the arrays' names."""
SIZES = {
    "rows": ("rows", "n_rows", "num_rows", "nrows", "height", "Y"),
    "columns": ("cols", "columns", "n_cols", "num_cols", "ncols", "width", "X"),
}
"""Settings that are the number of rows, and of columns."""

ARRAYS = [
    re.compile(rf"\b(?:{'|'.join(names)})\w*\s*=\s*(?:array2d\s*\(|\[\s*\|)".encode(), re.IGNORECASE).search
    for names in NAMES.values()
]
COMMENT = re.compile(r"%[^\r\n]*")
SETTING = re.compile(r"\b([A-Za-z]\w*)\s*=([^;=]*)")
NUMBERS = re.compile(r"\s*+(?:-?[0-9]{1,9}\s*+(?:,\s*+|$))*+")
"""Numbers separated by commas, the last one perhaps with a comma too."""
RANGES = re.compile(r"array2d\s*\(\s*(\w+)\s*\.\.\s*(\w+)\s*,\s*(\w+)\s*\.\.\s*(\w+)\s*,\s*\[([^\]|]*)\]\s*\)\s*")
TABLE = re.compile(r"\[\s*\|(.*)\|\s*\]\s*", re.DOTALL)
LIST = re.compile(r"\[([^\]|]*)\]\s*")

MAX_SETTINGS = 1_000
CELLS = ("X", "Y", "maxlen")
"""Settings of the files whose clues are cells."""


def _puzzle(text: str) -> Puzzle:
    found = list(islice(SETTING.finditer(COMMENT.sub("", text)), MAX_SETTINGS + 1))
    if len(found) > MAX_SETTINGS:
        raise FormatError(f"it has more than {MAX_SETTINGS:,} settings")
    settings = {name: value.strip() for name, value in (setting.groups() for setting in found)}
    sides = {side: _lines(settings, side) for side in SIZES}
    if settings.keys() >= set(CELLS):
        sides = _lengths_of_cells(sides)
    rows, columns = (
        tuple([_clue(line, f"{side[:-1]} {number}") for number, line in enumerate(lines, 1)])
        for side, lines in sides.items()
    )
    return Puzzle(rows, columns)


def _lines(settings: dict[str, str], side: str) -> list[list[int]]:
    """Return the numbers of each line of a side, without padding."""
    arrays = {name: value for name, value in settings.items() if name.lower().startswith(NAMES[side]) and "[" in value}
    if len(arrays) != 1:
        several = f"several arrays, {clip(', '.join(arrays))}," if arrays else "no array"
        raise FormatError(f"it has {several} for its {side}; one of clues is read")
    ((name, value),) = arrays.items()
    lines = _array(name, value, settings)
    if not 1 <= len(lines) <= MAX_CELLS:
        raise FormatError(f"{clip(name)} has {len(lines)} lines; a side has 1 to {MAX_CELLS}")
    for size in SIZES[side]:
        if settings.get(size, "").isdecimal() and settings[size].lstrip("0") != str(len(lines)):
            raise FormatError(f"{size} is {clip(settings[size])}, but {clip(name)} has {len(lines)} lines")
    return [_strip(line) for line in lines]


def _array(name: str, value: str, settings: dict[str, str]) -> list[list[int]]:
    if found := TABLE.fullmatch(value):
        return [_numbers(name, line) for line in found[1].split("|", MAX_CELLS + 1) if line.strip()]
    if found := LIST.fullmatch(value):
        return [[number] for number in _numbers(name, found[1])]
    if not (found := RANGES.fullmatch(value)):
        raise FormatError(f"{clip(name)} is {clip(value)}, neither [| 1,1 | 2 |] nor array2d(1..2, 1..2, [1,1,2,0])")
    bounds = [settings.get(bound, bound) for bound in found.groups()[:4]]
    if not all(bound in BLOCKS or bound == "0" for bound in bounds):
        raise FormatError(f"{clip(name)}: its bounds are {clip(', '.join(bounds))}; each should be a number")
    height, width = (int(bounds[k + 1]) - int(bounds[k]) + 1 for k in (0, 2))
    numbers = _numbers(name, found[5])
    if min(height, width) < 1 or len(numbers) != height * width:
        raise FormatError(f"{clip(name)} has {len(numbers)} numbers, not {height} lines of {width}")
    return [numbers[k : k + width] for k in range(0, len(numbers), width)]


def _numbers(name: str, text: str) -> list[int]:
    """Parse numbers separated by commas."""
    if text.count(",") > MAX_CELLS * MAX_CELLS or not NUMBERS.fullmatch(text):
        raise FormatError(f"{clip(name)}: {clip(text)} is not a list of numbers")
    return [int(number) for number in map(str.strip, text.split(",")) if number]


def _strip(line: list[int]) -> list[int]:
    """Drop numbers of 0 and -1 at both ends."""
    filled = [place for place, number in enumerate(line) if number > 0]
    return line[filled[0] : filled[-1] + 1] if filled else []


def _lengths_of_cells(sides: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """Return the lengths of the blocks of clues that are given as cells, if they are.

    Without a gap in any clue, two neighbouring cells might as well be two clues of 1, which is refused.
    """
    lines = [line for side in sides.values() for line in side]
    if not all(number in (0, 1) for line in lines for number in line):
        return sides
    if max(map(len, lines)) > 1 and all(0 not in line for line in lines):
        raise FormatError("its clues of 1s only could be lengths of blocks, or the cells of one block")
    return {
        side: [[len(list(run)) for number, run in groupby(line) if number] for line in sides[side]] for side in sides
    }


def _clue(line: list[int], name: str) -> Clue:
    try:
        return tuple([BLOCKS[str(number)] for number in line])
    except KeyError as error:
        raise FormatError(f"{name}: {error.args[0]} is not a number from 1 to {MAX_CELLS}") from None


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle, its clues padded with 0."""
    lines = []
    for side, size, clues in (("row", "rows", puzzle.rows), ("col", "cols", puzzle.columns)):
        longest = max(1, *map(len, clues))
        padded = [[0] * (longest - len(clue)) + [block.length for block in clue] for clue in clues]
        lines += [f"{size} = {len(clues)};", f"{side}_rule_len = {longest};"]
        lines += [f"{side}_rules = array2d(1..{size}, 1..{side}_rule_len, ["]
        lines += [*(f"  {', '.join(map(str, line))}," for line in padded), "]);"]
    return "".join(f"{line}\n" for line in lines).encode()


MINIZINC = TextFormat("minizinc", __doc__, (".dzn",), ARRAYS, _puzzle, write)
