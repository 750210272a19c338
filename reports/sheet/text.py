"""A line of text in a drawing: of strangers perhaps, so it is cleaned, escaped, and cut where its room ends."""

import re
from html import escape
from itertools import accumulate
from unicodedata import east_asian_width

from reports.clean import clean

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first one comes with vl-convert, so that pictures are the same everywhere and need no network."""

ASCENT = 0.36
"""How far below its centre a line of digits has its baseline, in sizes of the font."""

LETTER, WIDE_LETTER = 0.62, 1.0
"""Widths of letters in sizes of the font: more than most of Liberation Sans have, and those of East Asia."""

MOST_LETTERS = 1000
NO_XML = re.compile("[\ufffe\uffff]")


def text(words: str, x: float, y: float, size: float, room: float, attributes: str = "") -> str:
    """An SVG text element.

    words        one line; what there is of line breaks becomes blanks
    x, y         where it begins, or where `text-anchor` among the attributes says, and its baseline
    size         of the font
    room         how wide it may be: the rest is left out for an ellipsis
    attributes   further ones of the element, as they are
    """
    line = NO_XML.sub("\ufffd", clean(" ".join(words[:MOST_LETTERS].split())))
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" {attributes}>{escape(_fitted(line, room / size))}</text>'


def _fitted(line: str, room: float) -> str:
    """As much of a line as fits into so many sizes of its font."""
    widths = list(accumulate(WIDE_LETTER if east_asian_width(letter) in "WF" else LETTER for letter in line))
    if not widths or widths[-1] <= room:
        return line
    return line[: sum(width <= room - WIDE_LETTER for width in widths)].rstrip() + "…"
