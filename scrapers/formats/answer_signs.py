"""Signs of cells in answers: what each may mean, by the puzzle's palette and by a legend in the text.

A sign has one meaning, and each meaning one sign: a second one is refused, since it may be another. Symbols of the
puzzle's palette precede

    painted     # * █ ■ ⬛ ● B and 1, squares of any colour; in several colours the palette's symbols, the number of the
                colour in base 36, its name, its initial if no other has it, its square, circle or heart
    empty       . - 0 _ □ ░ ⬜ ○ · × W and a blank
    unknown     ?
    X, O        whichever of painted and empty no other sign means; X painted and O empty if they are the only signs
    others      by a legend in the text: "A = red, - = empty"
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats import matrix
from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.scrapers.formats.matrix import EITHER
from nonocensus.scrapers.formats.parsing import FormatError, clip
from nonocensus.solver.model.puzzle import Color

UNKNOWN = 255
"""Entry of a cell that the grid leaves open."""

BLANK = "␣"
"""Stands for an empty field between bars."""

PAINTED, EMPTY, OPEN = matrix.PAINTED + "☒☑B", matrix.EMPTY + f"☐✕✖W{BLANK}", "?"

PAINTED_WORDS = ("filled", "painted", "black", "full", "shaded", "true")
EMPTY_WORDS = ("empty", "blank", "white", "unfilled", "false")
OPEN_WORDS = ("unknown", "none", "null", "nan", "-1", str(UNKNOWN))

HUES = {
    "black": ("000000", "⬛⚫🖤"), "white": ("ffffff", "⬜⚪🤍"), "red": ("e02020", "🟥🔴❤"),
    "orange": ("ff8c1a", "🟧🟠🧡"), "yellow": ("ffe020", "🟨🟡💛"), "green": ("20a030", "🟩🟢💚"),
    "blue": ("2060e0", "🟦🔵💙"), "purple": ("802090", "🟪🟣💜"), "brown": ("8b5020", "🟫🟤🤎"),
    "grey": ("888888", ""), "pink": ("ff9db5", ""),
}  # fmt: skip
"""Six hex digits of a colour, and its signs."""

SOFT, HARD = ",、&\"'`“”‘’«»„", "[](){}|:;/→=<>!\\$…。+✓✔✅✗✘❌←"
"""Delimiters between cells of a row, and between a row and other text."""

Meanings = Mapping[str, tuple[int, ...]]
"""The palette entries that each sign may mean: one, or several of which the grid decides."""

Row = Sequence[str]
"""The signs of a row."""


class AnswerSigns(NamedTuple):
    """The signs of a puzzle's cells."""

    meanings: Meanings  # of signs, and of words in lower case
    word: re.Pattern[str]  # of cells, or a number
    piece: re.Pattern[str]  # such words with nothing but blanks and soft delimiters between
    legend: re.Pattern[str]  # a sign and its meaning, or a meaning and its sign


@lru_cache
def signs_of(palette: tuple[Color, ...]) -> AnswerSigns:
    """Return the signs of puzzles that have these colours."""
    return _with_patterns(_meanings(palette))


def _with_patterns(meanings: Meanings) -> AnswerSigns:
    """Return signs of these meanings."""
    soft, hard = (re.escape("".join(sign for sign in signs if sign not in meanings)) for signs in (SOFT, HARD))
    signs = re.escape("".join(sign for sign in meanings if len(sign) == 1 and not sign.isspace()))
    names = sorted((name for name in meanings if len(name) > 1), key=len, reverse=True)
    end = rf"(?![^\s{soft}{hard}])"
    word = rf"(?:[{signs}]+|(?i:{'|'.join(map(re.escape, names))})|\d+){end}"
    piece = rf"(?<![^\s{soft}{hard}]){word}(?:[\s{soft}]++{word})*+"
    meaning = rf"\b({'|'.join(name for name in names if len(name) > 2 and name.isalpha())})\b(?: cells?| squares?)?"
    legend = f"(?:{LEGEND_SIGN}{LEGEND_IS}{meaning}|{meaning}{LEGEND_IS}{LEGEND_SIGN}{LEGEND_END})"
    return AnswerSigns(meanings, *map(re.compile, (word, piece, f"(?im){LEGEND_BEGIN}{legend}")))


def _meanings(palette: Sequence[Color]) -> Meanings:
    """Return what each sign may mean in a grid of a puzzle with this palette."""
    colors = len(palette) - 1
    ground, *symbols = (color.symbol for color in palette)
    meanings: dict[str, tuple[int, ...]] = dict.fromkeys((*EMPTY, *EMPTY_WORDS), (0,))
    meanings |= dict.fromkeys((*OPEN, *OPEN_WORDS), (UNKNOWN,))
    if colors == 1:
        meanings |= dict.fromkeys(EITHER, (1, 0)) | dict.fromkeys((*PAINTED, *PAINTED_WORDS), (1,))
    else:
        del meanings["white"], meanings["W"]
        meanings |= {sign: tuple(sorted(entries)) for sign, entries in _color_signs(palette).items()}
    meanings |= {sign: (entry,) for entry in range(1, colors + 1) for sign in (str(entry), DIGITS[entry])}
    meanings[ground] = (0,)
    own = {symbol: (entry,) for entry, symbol in enumerate(symbols, 1)}
    return meanings | {symbol: entry for symbol, entry in own.items() if colors > 1 or symbol not in EITHER}


def _color_signs(palette: Sequence[Color]) -> dict[str, set[int]]:
    """Return the entries that names, initials, other cases of symbols, and coloured signs may mean."""
    signs: dict[str, set[int]] = {}
    for entry, color in enumerate(palette):
        name, hue = color.name.lower(), _hue(color)
        found = {name, hue, name[:1], name[:1].upper(), hue[0], hue[0].upper(), *HUES[hue][1]}
        found |= {"gray"} if hue == "grey" else set()
        found |= {color.symbol.swapcase()} if entry else set()
        for sign in found:
            if sign.isalpha() or sign in HUES[hue][1]:
                signs.setdefault(sign, set()).add(entry)
    return signs


def _hue(color: Color) -> str:
    """Return the common name of a colour: that in its own name, or else the nearest."""
    words: list[str] = re.findall("[a-z]+", color.name.lower().replace("gray", "grey"))
    named = [word for word in words if word in HUES]
    if named and color.name.lower() not in ("white", "black"):  # formats give these names to colours without one
        return named[-1]
    if not re.fullmatch("[0-9a-fA-F]{6}", color.rgb):
        return named[-1] if named else "grey"
    return min(HUES, key=lambda name: math.dist(bytes.fromhex(color.rgb), bytes.fromhex(HUES[name][0])))


LEGEND_SIGN = r"[\"'`“‘]?([^\s\"'`“”‘’,;:=()|])[\"'`”’)]{0,2}"
LEGEND_IS = r"\s{0,3}(=|:|→|–|\b(?:is|are|means?|denotes?|represents?|(?:stands )?for)\b)\s{0,3}(?:an? |the )?"
LEGEND_BEGIN = r"(?:^[ \t>*-]{0,9}|[,;(:][ \t]?|\b(?:and|where|with|using|here) )"
LEGEND_END = r"(?=[ \t\"'`”’),.;*]{0,9}$|[ \t\"'`”’]{0,4}[),.;]|[\"'`”’]? and\b)"


def with_legend(text: str, signs: AnswerSigns) -> AnswerSigns:
    """Return the signs, with those of the legend that a text holds.

    A sign that means something else by itself, unless a letter, may then be both.
    """
    added: dict[str, set[int]] = {}
    for found in signs.legend.finditer(text):
        sign, verb, name = found[1] or found[6], found[2] or found[5], found[3] or found[4]
        if verb.lower() not in ("is", "are", ":", "–") or not sign.isdigit():  # "Row 1 is empty"
            known = () if sign.isalpha() else signs.meanings.get(sign, ())
            added.setdefault(sign, {*known}).update(signs.meanings[name.lower()])
    meanings = {sign: tuple(sorted(entries)) for sign, entries in added.items()}
    return _with_patterns({**signs.meanings, **meanings}) if meanings else signs


def entries_of(rows: Sequence[Sequence[str]], meanings: Meanings) -> np.ndarray:
    """Return the palette entries of a grid, uint8[height, width]; UNKNOWN for open cells.

    Raises FormatError if a sign is unknown or ambiguous.
    """
    signs = dict.fromkeys(sign for row in rows for sign in row)
    if any(sign not in meanings for sign in signs):
        y, x = next((y, x) for y, row in enumerate(rows, 1) for x, sign in enumerate(row, 1) if sign not in meanings)
        raise FormatError(f"row {y}, column {x}: {clip(rows[y - 1][x - 1])} is not a sign of a cell")
    entries = {sign: meanings[sign][0] for sign in signs if len(meanings[sign]) == 1}
    for sign, entry in entries.items():
        first = next(other for other in entries if entries[other] == entry)
        if first != sign and min(len(first), len(sign)) == 1:
            raise FormatError(f"{clip(first)} and {clip(sign)} both mean {_words(entry)}: write ? for open cells")
    either = {sign: meanings[sign] for sign in signs if sign not in entries}
    entries |= _resolve(either, set(entries.values()), "2" not in meanings)
    return np.array([[entries[sign] for sign in row] for row in rows], np.uint8)


def _resolve(either: Meanings, taken: set[int], is_mono: bool) -> dict[str, int]:
    """Return the meanings of ambiguous signs; `taken` are the entries that other signs mean."""
    if not either:
        return {}
    free = {0, 1} - taken
    if all(meanings == (1, 0) for meanings in either.values()):
        if len(either) == 1 and (len(free) == 1 or (len(free) == 2 and next(iter(either)) in "xX")):
            return {sign: max(free) for sign in either}
        if len(free) == 2 and sorted(sign.lower() for sign in either) == ["o", "x"]:
            return {sign: int(sign in "xX") for sign in either}
    if is_mono:
        raise FormatError(f"{' and '.join(map(clip, either))} could be painted or empty: write # and .")
    sign, meanings = next(iter(either.items()))
    raise FormatError(f"{clip(sign)} could be {' or '.join(map(_words, meanings))}: write numbers of colours")


def _words(entry: int) -> str:
    return {0: "empty", UNKNOWN: "open"}.get(entry, f"colour {entry}")
