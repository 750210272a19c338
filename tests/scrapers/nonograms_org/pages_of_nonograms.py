"""A puzzle of our own with its array and its page, and what a page is read as."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from nonocensus.scrapers.formats.nonograms_codec import Array, encode
from nonocensus.scrapers.formats.nonograms_org import ARRAY, judge
from nonocensus.solver.model.puzzle import BLACK, WHITE, Color, Puzzle, from_picture

SITE = "https://www.nonograms.org"

PICTURE = np.array([[0, 1, 1, 0], [2, 2, 0, 1], [0, 0, 0, 0]], np.uint8)

COLORS = ("000000", "c04010")

STEPS = np.array([[3, 1, 1, 3], [2, 2, 5, 5], [7, 7, 7, 7]], np.int32)

ENTRIES = encode(PICTURE, COLORS, STEPS)
"""Places: width 1, height 2, colours 3, base 4, two colours 5 and 6, header 7, base 8, 3 runs, header 12, base 13."""

OURS = replace(
    from_picture(PICTURE, (WHITE, BLACK, Color("color2", "b", "c04010"))),
    title='Fish & "chips" <ä>',
    author="Zoë <z>",
    copyright="Copyright 2026 the authors",
)


def puzzle_of(data: bytes, number: int = 7, colored: bool = False) -> Puzzle:
    judgement = judge(data, 200, number, colored, SITE)
    assert judgement.outcome == "ok", judgement.detail
    assert judgement.detail is None
    assert judgement.puzzle is not None
    return judgement.puzzle


def error_of(data: bytes, status: int = 200, number: int = 7) -> str:
    outcome, detail, puzzle = judge(data, status, number, False, SITE)
    assert (outcome, puzzle) == ("error", None)
    assert detail
    assert "\n" not in detail
    assert len(detail) < 120
    return detail


def page(array: str, size: str = "Size: 4x3") -> bytes:
    return f'<div class="content"><table><tr><td>{size}</td></tr></table><script>\n {array}\n</script></div>'.encode()


def array_of(path: Path) -> Array:
    found = ARRAY.search(path.read_text(encoding="utf-8"))
    assert found
    array: Array = json.loads(found[1])
    return array
