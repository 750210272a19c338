"""Meanings of the signs in a drawn grid. One sign for each meaning: a second one is refused, since it may be another.

    painted   # █ ■ ⬛ ◼ ▓ ● and 1; in several colours the palette's symbols, or the number of the colour in base 36
    empty     . - 0 _ □ ░ ⬜ ◻ ○ · × and a blank
    unknown   ?
    X, O      whichever of painted and empty no other sign means; X painted and O empty if they are the only signs

Symbols of the puzzle's palette precede these.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.scrapers.formats.parsing import FormatError, clipped
from nonocensus.solver.model.puzzle import Puzzle

UNKNOWN = 255
"""Entry of a cell that the grid leaves open."""

PAINTED, EMPTY, OPEN, EITHER = "#█■⬛◼▓●", ".-0_□░⬜◻○·× ", "?", "xXoO"

Meanings = Mapping[str, tuple[int, ...]]
"""The palette entries that each sign may mean: one, or painted and empty."""


def meanings_of(puzzle: Puzzle) -> Meanings:
    """Return what each sign may mean in a grid of this puzzle."""
    colors = max(puzzle.colors, 1)
    ground, *symbols = (color.symbol for color in puzzle.palette[: colors + 1])
    meanings: dict[str, tuple[int, ...]] = dict.fromkeys(EITHER, (1, 0)) if colors == 1 else {}
    meanings |= dict.fromkeys(EMPTY, (0,)) | dict.fromkeys(OPEN, (UNKNOWN,)) | {ground: (0,)}
    meanings |= dict.fromkeys(PAINTED, (1,)) if colors == 1 else {}
    meanings |= {str(entry): (entry,) for entry in range(1, colors + 1)}
    meanings |= {DIGITS[entry]: (entry,) for entry in range(1, colors + 1)}
    others = {symbol.swapcase(): (entry,) for entry, symbol in enumerate(symbols, 1)} if colors > 1 else {}
    return others | meanings | {symbol: (entry,) for entry, symbol in enumerate(symbols, 1)}


def entries_of(rows: Sequence[Sequence[str]], meanings: Meanings) -> np.ndarray:
    """Return the palette entries of a grid of known signs, uint8[height, width]; UNKNOWN for open cells.

    Raises FormatError if a sign is ambiguous.
    """
    signs = {sign: meanings[sign] for row in rows for sign in row}
    entries = {sign: entry for sign, (entry, *others) in signs.items() if not others}
    for sign, entry in entries.items():
        first = next(other for other in entries if entries[other] == entry)
        if first != sign:
            raise FormatError(f"{clipped(first)} and {clipped(sign)} both mean {_words(entry)}: write ? for open cells")
    entries |= _resolved([sign for sign in signs if sign not in entries], set(entries.values()))
    return np.array([[entries[sign] for sign in row] for row in rows], np.uint8)


def _resolved(either: Sequence[str], taken: set[int]) -> dict[str, int]:
    """Return the meanings of the signs EITHER; `taken` are the entries that other signs mean."""
    free = {0, 1} - taken
    if not either:
        return {}
    if len(either) == 1 and len(free) == 1:
        return {either[0]: free.pop()}
    if len(free) == 2 and sorted(sign.lower() for sign in either) == ["o", "x"]:
        return {sign: int(sign in "xX") for sign in either}
    raise FormatError(f"{' and '.join(map(clipped, either))} could be painted or empty: write # and .")


def _words(entry: int) -> str:
    return {0: "empty", UNKNOWN: "open"}.get(entry, f"colour {entry}")
