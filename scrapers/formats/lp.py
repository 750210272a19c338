"""Robert Bosch's format for his integer programs: numbers of rows and columns, then each with its clusters' sizes.

    number_of_rows: 2
    number_of_columns: 1
    row_1
    number_of_clusters: 1
    size(s): 1
    ...
    column_1
    ...

The words before the numbers vary and are ignored.
"""

import re

from nonocensus.scrapers.formats.parsing import BLOCKS, MAX_DIGITS, FormatError, TextFormat, clip
from nonocensus.solver.model.puzzle import MAX_CELLS, Block, Clue, Puzzle

BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*number_of_rows:\s*[0-9]", re.IGNORECASE)
HEADING = re.compile(r"(row|column)_([0-9]{1,4})", re.IGNORECASE)
"""The heading of a line's clue."""


def _puzzle(text: str) -> Puzzle:
    parts = HEADING.split(text, 2 * MAX_CELLS + 1)
    head, found = parts[0], parts[1:]
    sides = [int(number) for number in _numbers(head, "its head")]
    if len(sides) != 2 or not all(1 <= side <= MAX_CELLS for side in sides):
        raise FormatError(f"its head should have the numbers of rows and of columns, from 1 to {MAX_CELLS}")
    clues: dict[tuple[str, int], Clue] = {}
    for kind, number, content in zip(found[::3], found[1::3], found[2::3], strict=True):
        place = kind.lower(), int(number)
        name = f"{place[0]}_{place[1]}"
        count, *lengths = _numbers(content, name) or ["0"]
        if int(count) != len(lengths):
            raise FormatError(f"{name} has {len(lengths)} sizes, not {int(count)}")
        if place in clues:
            raise FormatError(f"{name} occurs twice")
        clues[place] = tuple([BLOCKS.get(length) or _block(length, name) for length in lengths])
    rows, columns = (
        tuple([_clue(clues, kind, number) for number in range(1, side + 1)])
        for kind, side in zip(("row", "column"), sides, strict=True)
    )
    if clues:
        kind, number = next(iter(clues))
        raise FormatError(f"{kind}_{number} is beyond the last {kind}")
    return Puzzle(rows, columns)


def _numbers(text: str, name: str) -> list[str]:
    """Return the numbers among the words, as text."""
    words = text.replace(",", " ").split(maxsplit=2 * MAX_CELLS)
    numbers = [*filter(str.isascii, filter(str.isdecimal, words))]
    if max(map(len, numbers), default=0) > MAX_DIGITS or len(words) > 2 * MAX_CELLS:
        raise FormatError(f"{name} has a number, or a count of them, beyond any puzzle: {clip(text)}")
    return numbers


def _block(number: str, name: str) -> Block:
    """Parse a number with leading zeros, or an invalid one."""
    length = int(number)
    if not 1 <= length <= MAX_CELLS:
        raise FormatError(f"{name}: {length} is not a size from 1 to {MAX_CELLS}")
    return BLOCKS[str(length)]


def _clue(clues: dict[tuple[str, int], Clue], kind: str, number: int) -> Clue:
    if (kind, number) not in clues:
        raise FormatError(f"it has no {kind}_{number}")
    return clues.pop((kind, number))


def write(puzzle: Puzzle) -> bytes:
    """Return a file with this puzzle."""
    lines = [f"number_of_rows: {puzzle.height}", f"number_of_columns: {puzzle.width}"]
    for kind, clues in (("row", puzzle.rows), ("column", puzzle.columns)):
        for number, clue in enumerate(clues, 1):
            sizes = " ".join([str(block.length) for block in clue])
            lines += ["", f"{kind}_{number}", f"number_of_clusters: {len(clue)}", f"size(s): {sizes}".rstrip()]
    return "".join(f"{line}\n" for line in lines).encode()


LP = TextFormat("lp", __doc__, (".lp",), (BEGINNING.match,), _puzzle, write)
