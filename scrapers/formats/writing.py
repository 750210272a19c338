"""Puzzles written as files: what a format can't hold is refused, or left out and said.

Colours and hidden lengths are part of a puzzle: a format without them can't hold it. Other things are about it, and may
be left out on demand.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapers.formats.shared import FormatError
from solver.model.puzzle import BLACK_ON_WHITE, Puzzle, clues_of

if TYPE_CHECKING:
    from scrapers.formats import Format

COLORS, BLOTS = "colors", "blots"


class Word(NamedTuple):
    """Something that a puzzle may have and a format may hold.

    text     as people say it
    there    whether a puzzle has it, for what is about it also a Sudoku
    """

    text: str
    there: Callable[[Any], bool]


def _given(field: str) -> Callable[[Puzzle], bool]:
    return lambda puzzle: getattr(puzzle, field) is not None


def _goal_colors(puzzle: Puzzle) -> int:
    """The highest colour of the author's picture, which may have others than the clues."""
    return 0 if puzzle.goal is None else int(puzzle.goal.max())


def _has_colors(puzzle: Puzzle) -> bool:
    """Whether it is not just black on white."""
    return [color.rgb for color in puzzle.palette] != [color.rgb for color in BLACK_ON_WHITE]


USUAL_NAME = re.compile(r"white|black|background|color[0-9]+")
"""A colour's name that nobody has thought of."""

WORDS: dict[str, Word] = {
    COLORS: Word("colours", lambda puzzle: puzzle.kind == "color" or _goal_colors(puzzle) > 1),
    BLOTS: Word("hidden lengths", lambda puzzle: puzzle.blotted),
    "goal": Word("its author's picture", _given("goal")),
    "saved": Word("partly solved grids", lambda puzzle: bool(puzzle.saved)),
    "rgb": Word("which colours they are", _has_colors),
    "names": Word("the colours' names", lambda puzzle: not all(USUAL_NAME.fullmatch(c.name) for c in puzzle.palette)),
    "title": Word("its title", _given("title")),
    "author": Word("its author", _given("author")),
    "description": Word("its description", _given("description")),
    "copyright": Word("its copyright line", _given("copyright")),
    "license": Word("its licence", _given("license")),
    "webpbn": Word("its number at webpbn.com", lambda puzzle: puzzle.source == "webpbn"),
    "source": Word("where it comes from", lambda puzzle: puzzle.source not in (None, "local", "webpbn")),
    "note": Word("the site's verdict", _given("site_note")),
    "ratings": Word(
        "the site's ratings and dates",
        lambda puzzle: any(
            getattr(puzzle, f"site_{name}") is not None for name in ("quality", "difficulty", "date", "steps")
        ),
    ),
}
"""What files can hold beside black-and-white clues."""

PART_OF_IT = (COLORS, BLOTS)


def is_picture(known: "Format") -> bool:
    """Whether its files are pictures: a puzzle without one can't be written."""
    return getattr(known, "PICTURE", False)


def lacking(puzzle: Puzzle, holds: frozenset[str]) -> list[str]:
    """What a puzzle has and a format can't hold."""
    return [name for name, word in WORDS.items() if name not in holds and word.there(puzzle)]


def file_of(puzzle: Puzzle, known: "Format", lossy: bool = False) -> tuple[bytes, list[str]]:
    """A puzzle as a file of a format, and what the file lacks of it, in words: nothing unless that is allowed.

    Each file is read back before anybody gets it. A FormatError says what can't be left out.
    """
    lost = lacking(puzzle, known.HOLDS)
    vital = [word for word in lost if word in PART_OF_IT]
    if vital:
        raise FormatError(f"the format {known.NAME} has no {' and no '.join(WORDS[word].text for word in vital)}")
    if is_picture(known):
        _check_picture(puzzle, known.NAME)
    if lost and not lossy:
        said = ", ".join(WORDS[word].text for word in lost)
        raise FormatError(f"the format {known.NAME} can't hold {said}; --lossy leaves that out")
    data = known.write(puzzle)
    back = list(known.read(data))
    if len(back) != 1 or (back[0].rows, back[0].columns) != (puzzle.rows, puzzle.columns):
        raise FormatError(f"the format {known.NAME} can't hold it: read back, it would be another puzzle")
    return data, [WORDS[word].text for word in lost]


def _check_picture(puzzle: Puzzle, name: str) -> None:
    """Raise a FormatError unless a puzzle has a picture, of which it is the puzzle."""
    if puzzle.goal is None:
        raise FormatError(f"the format {name} is a picture, and the puzzle has none; --solve finds one")
    if clues_of(puzzle.goal) != (puzzle.rows, puzzle.columns):
        raise FormatError(f"the format {name} is a picture, and the puzzle's does not fit its clues")
