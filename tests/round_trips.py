"""What of a puzzle comes back when it is written in a format and read: for docs/FORMATS.md, and for the tests."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats import Format, FormatError
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, BLOT, Block, Color, Puzzle, from_picture

PICTURE = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], np.uint8)
PLAIN = from_picture(PICTURE)
NAVY = Color("navy blue", "n", "000080")
RED = Color("red", "r", "ff0000")


class Sample(NamedTuple):
    """A puzzle that has something, and how to see whether another one has it too."""

    puzzle: Puzzle
    seen: Callable[[Puzzle], object]


def _field(name: str, value: object) -> Sample:
    return Sample(replace(PLAIN, **{name: value}), lambda puzzle: getattr(puzzle, name))


SAMPLES: dict[str, Sample] = {
    "colors": Sample(
        from_picture(PICTURE + (PICTURE & np.eye(3, dtype=np.uint8)), (*BLACK_ON_WHITE, RED)),
        lambda puzzle: (puzzle.rows, puzzle.columns),
    ),
    "blots": Sample(
        replace(PLAIN, rows=(((Block(BLOT),), *PLAIN.rows[1:]))), lambda puzzle: (puzzle.rows, puzzle.columns)
    ),
    "goal": Sample(PLAIN, lambda puzzle: puzzle.goal is not None and puzzle.goal.tolist()),
    "saved": Sample(
        replace(PLAIN, saved=(np.ones((3, 3, 2), np.bool_),)), lambda puzzle: [grid.tolist() for grid in puzzle.saved]
    ),
    "rgb": Sample(
        from_picture(PICTURE, (BLACK_ON_WHITE[0], NAVY)), lambda puzzle: [color.rgb for color in puzzle.palette]
    ),
    "names": Sample(
        from_picture(PICTURE, (BLACK_ON_WHITE[0], NAVY)), lambda puzzle: [color.name for color in puzzle.palette]
    ),
    "title": _field("title", "A & B, ä"),
    "author": _field("author", "A & B, ä"),
    "description": _field("description", "two words"),
    "copyright": _field("copyright", "(c) 2000 me"),
    "license": _field("license", "CC-BY-3.0"),
    "webpbn": Sample(
        replace(PLAIN, source="webpbn", source_id="5", puzzle_id="webpbn/5"),
        lambda puzzle: (puzzle.source, puzzle.source_id),
    ),
    "source": Sample(
        replace(PLAIN, source="nonograms", source_id="5", puzzle_id="nonograms/5"),
        lambda puzzle: (puzzle.source, puzzle.source_id),
    ),
    "note": _field("site_note", "published"),
    "ratings": Sample(
        replace(
            PLAIN, site_quality=3.5, site_difficulty=2.5, site_seconds=90.0, site_date=date(2020, 1, 2), site_steps=7
        ),
        lambda puzzle: (
            *(puzzle.site_quality, puzzle.site_difficulty, puzzle.site_seconds, puzzle.site_date, puzzle.site_steps),
        ),
    ),
}
"""By the names of scrapers.formats.writing.FEATURES."""


def kept(known: Format) -> set[str]:
    """Return what comes back."""
    return {name for name, sample in SAMPLES.items() if _comes_back(known, sample)}


def _comes_back(known: Format, sample: Sample) -> bool:
    try:
        (back,) = known.read(known.write(sample.puzzle))
    except (FormatError, IndexError):
        return False
    return bool(sample.seen(back) == sample.seen(sample.puzzle))
