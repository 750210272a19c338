"""Writing puzzles as files: what a format can't hold is refused, or dropped and reported.

Colours and hidden lengths are part of a puzzle, so a format without them can't hold it. Metadata may be dropped on
demand.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, WHITE, Puzzle, clues_of

if TYPE_CHECKING:
    from nonocensus.scrapers.formats import Format

COLORS, BLOTS, BACKGROUND = "colors", "blots", "background"


class Feature(NamedTuple):
    """Something that a puzzle may have and a format may hold.

    text     its name in messages
    is_in    whether a puzzle has it
    """

    text: str
    is_in: Callable[[Puzzle], bool]


def _has_field(field: str) -> Callable[[Puzzle], bool]:
    return lambda puzzle: getattr(puzzle, field) is not None


USUAL_NAME = re.compile(r"white|black|background|color[0-9]+")
"""Default names of colours."""

FEATURES: dict[str, Feature] = {
    COLORS: Feature(
        "colours", lambda puzzle: puzzle.kind == "color" or (puzzle.goal is not None and puzzle.goal.max() > 1)
    ),
    BLOTS: Feature("hidden lengths", lambda puzzle: puzzle.blotted),
    "goal": Feature("its author's picture", _has_field("goal")),
    "saved": Feature("partly solved grids", lambda puzzle: bool(puzzle.saved)),
    "rgb": Feature(
        "which colours they are", lambda puzzle: [c.rgb for c in puzzle.palette] != [c.rgb for c in BLACK_ON_WHITE]
    ),
    "names": Feature(
        "the colours' names", lambda puzzle: not all(USUAL_NAME.fullmatch(c.name) for c in puzzle.palette)
    ),
    "title": Feature("its title", _has_field("title")),
    "author": Feature("its author", _has_field("author")),
    "description": Feature("its description", _has_field("description")),
    "copyright": Feature("its copyright line", _has_field("copyright")),
    "license": Feature("its licence", _has_field("license")),
    "webpbn": Feature("its number at webpbn.com", lambda puzzle: puzzle.source == "webpbn"),
    "source": Feature("where it comes from", lambda puzzle: puzzle.source not in (None, "local", "webpbn")),
    "note": Feature("the site's verdict", _has_field("site_note")),
    "ratings": Feature(
        "the site's ratings and dates",
        lambda puzzle: any(
            getattr(puzzle, f"site_{name}") is not None for name in ("quality", "difficulty", "date", "steps")
        ),
    ),
}
"""What files can hold besides black-and-white clues."""

REQUIRED_FEATURES = (COLORS, BLOTS)


def is_picture(file_format: "Format") -> bool:
    """Check for a format of pictures, which can't hold a puzzle without one."""
    return getattr(file_format, "PICTURE", False)


def refused_features(file_format: "Format") -> list[str]:
    """Return what a puzzle may not have to be written: required features, or a `background` other than white."""
    missing = [name for name in REQUIRED_FEATURES if name not in file_format.HOLDS]
    return missing + [BACKGROUND] * getattr(file_format, "ON_WHITE", False)


def missing_features(puzzle: Puzzle, holds: frozenset[str]) -> list[str]:
    """Return what a puzzle has and a format can't hold."""
    return [name for name, feature in FEATURES.items() if name not in holds and feature.is_in(puzzle)]


def file_of(puzzle: Puzzle, file_format: "Format", lossy: bool = False) -> tuple[bytes, list[str]]:
    """Return a puzzle as a file of a format, and the texts of what was dropped, which only `lossy` allows.

    Each file is verified by reading it back. Raises FormatError for what can't be held.
    """
    missing = missing_features(puzzle, file_format.HOLDS)
    required = [name for name in missing if name in REQUIRED_FEATURES]
    if required:
        raise FormatError(
            f"the format {file_format.NAME} has no {' and no '.join(FEATURES[name].text for name in required)}"
        )
    if BACKGROUND in refused_features(file_format) and puzzle.palette[0].rgb != WHITE.rgb:
        raise FormatError(f"the format {file_format.NAME} has only white backgrounds")
    if is_picture(file_format):
        _check_picture(puzzle, file_format.NAME)
    if missing and not lossy:
        texts = ", ".join(FEATURES[name].text for name in missing)
        raise FormatError(f"the format {file_format.NAME} can't hold {texts}; --lossy leaves that out")
    data = file_format.write(puzzle)
    back = list(file_format.read(data))
    if len(back) != 1 or (back[0].rows, back[0].columns) != (puzzle.rows, puzzle.columns):
        raise FormatError(f"the format {file_format.NAME} can't hold it: read back, it would be another puzzle")
    return data, [FEATURES[name].text for name in missing]


def _check_picture(puzzle: Puzzle, name: str) -> None:
    """Raise FormatError unless a puzzle has a picture that fits its clues."""
    if puzzle.goal is None:
        raise FormatError(f"the format {name} is a picture, and the puzzle has none; --solve finds one")
    if clues_of(puzzle.goal) != (puzzle.rows, puzzle.columns):
        raise FormatError(f"the format {name} is a picture, and the puzzle's does not fit its clues")
