"""The files that solve writes of a puzzle: pictures, pages, animations."""

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from rich.markup import escape

from pipeline.commands.output import err, working
from pipeline.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from pipeline.commands.solve.verdict_output import Solved
    from reports.sheet.state import State
    from solver.model.puzzle import Puzzle


class Pictures(NamedTuple):
    """Where they go, None for what is not wanted.

    png, svg   the puzzle with its clues, solved as far as it is
    pdf        to print: the empty grid on A4, and the solution
    gif        the explanation as an animation
    html       the explanation as a page to step through
    steps      a folder for an image a step
    """

    png: str | None
    svg: str | None
    pdf: str | None
    gif: str | None
    html: str | None
    steps: str | None

    @property
    def explained(self) -> bool:
        """Whether one of them needs the explanation."""
        return any((self.gif, self.html, self.steps))


def write(pictures: Pictures, solved: "Solved") -> None:
    """Write the files that are wanted; a line of each on standard error."""
    makers: tuple[tuple[str | None, Callable[[Solved], bytes]], ...] = (
        (pictures.png, _png),
        (pictures.svg, _svg),
        (pictures.pdf, _pdf),
        (pictures.html, _html),
        (pictures.gif, _gif),
    )
    for place, make in makers:
        if place is not None:
            with working(f"drawing {place}"):
                data = make(solved)
            _write(place, data)
    if pictures.steps is not None:
        _write_steps(pictures.steps, solved)


def _write(place: str, data: bytes) -> None:
    from pipeline.store.paths import STDOUT, open_output

    with open_output(place) as stream:
        stream.write(data)
    if place != STDOUT:
        err.print(f"{escape(place)} written, {len(data):,} bytes.")


def _state(solved: "Solved") -> "State":
    """The grid as far as it is solved."""
    import numpy as np

    from reports.sheet.state import UNKNOWN, State, empty

    picture = _solution(solved)
    if picture is not None:
        return State(picture)
    if solved.known is None:
        return empty(solved.puzzle)
    return State(np.where(solved.known < 0, UNKNOWN, solved.known).astype(np.uint8))


def _solution(solved: "Solved") -> "np.ndarray | None":
    from solver.model.tables import picture

    cells, puzzle = solved.row["solution"], solved.puzzle
    return None if cells is None else picture(cells, puzzle.width, puzzle.height)


def _png(solved: "Solved") -> bytes:
    from reports.sheet.raster import png
    from reports.sheet.svg import drawing

    return png(drawing(solved.puzzle, _state(solved)))


def _svg(solved: "Solved") -> bytes:
    from reports.sheet.svg import drawing

    return drawing(solved.puzzle, _state(solved)).svg.encode()


def _pdf(solved: "Solved") -> bytes:
    from reports.sheet.print_pages import TooSmall, a4

    try:
        return a4(solved.puzzle, _solution(solved))
    except TooSmall as error:
        raise UserError(f"{solved.puzzle.puzzle_id}: {error}") from None


def _html(solved: "Solved") -> bytes:
    from reports.explained.explanation_page import TooLarge, page

    assert solved.explanation is not None
    try:
        return page(solved.explanation).encode()
    except TooLarge as error:
        raise UserError(f"{solved.puzzle.puzzle_id}: {error}") from None


def _gif(solved: "Solved") -> bytes:
    from reports.sheet.animation import gif, most_frames

    return gif(solved.puzzle, _thinned(solved, most_frames(solved.puzzle)))


def _write_steps(place: str, solved: "Solved") -> None:
    from pipeline.store.paths import folder
    from reports.sheet.animation import MOST_IMAGES, images, most_frames

    puzzle: Puzzle = solved.puzzle
    target, number = folder(place), 0
    with working(f"drawing {place}"):
        for name, data in images(puzzle, _thinned(solved, most_frames(puzzle, MOST_IMAGES))):
            with target.create(name) as stream:
                stream.write(data)
            number += 1
    err.print(f"{escape(str(PurePath(place)))}/ written, {number:,} images.")


def _thinned(solved: "Solved", most: int) -> "list[State]":
    """The states of the explanation, at most so many."""
    from reports.explained.states import states
    from reports.sheet.thinning import thinned

    assert solved.explanation is not None
    return list(thinned(states(solved.explanation), most).states)
