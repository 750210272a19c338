"""Files that `solve --save` writes of a puzzle: pictures, print sheets, explanation pages and animations."""

from collections.abc import Callable
from pathlib import PurePath

import numpy as np
from rich.markup import escape

from nonocensus.pipeline.commands.output import err, show_progress
from nonocensus.pipeline.commands.solve.verdict_output import SolvedPuzzle
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.paths import folder, open_output
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState, empty, thin_states
from nonocensus.reports.drawings.raster import MOST_IMAGES, gif, images, most_frames, png
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.page.explanation_page import TooLarge, page
from nonocensus.reports.page.printing import TooSmall, a4
from nonocensus.reports.words.formatting import difficulty_words
from nonocensus.reports.words.step_words import grid_states
from nonocensus.solver.model.tables import picture

FOLDER = "/"
"""Pseudo-suffix of a folder that gets an image a step."""

EXPLAINED = (".html", ".gif", FOLDER)
"""Suffixes of files that show the explanation."""


def suffix_of(path: str) -> str:
    """Return what selects a file's format: its suffix in lower case, or FOLDER."""
    return FOLDER if path.endswith("/") else PurePath(path).suffix.lower()


def check_paths(paths: list[str]) -> None:
    """Raise a UserError for a path whose suffix names no format."""
    for path in paths:
        if suffix_of(path) not in (*WRITERS, FOLDER):
            ends = f"{', '.join(WRITERS)}, or / for a folder"
            raise UserError(f"--save {path}: unknown format; end it in {ends}; convert writes puzzles")


def needs_explanation(paths: list[str]) -> bool:
    """Return whether one of the files shows the explanation."""
    return any(suffix_of(path) in EXPLAINED for path in paths)


def save_files(paths: list[str], solved: SolvedPuzzle) -> None:
    """Write the files, each reported on standard error."""
    for path in paths:
        if suffix_of(path) == FOLDER:
            _save_steps(path, solved)
            continue
        with show_progress(f"drawing {path}"):
            data = WRITERS[suffix_of(path)](solved)
        with open_output(path) as stream:
            stream.write(data)
        err.print(f"{escape(path)} written, {len(data):,} bytes.")


def _state(solved: SolvedPuzzle) -> GridState:
    """Return the grid with its solution, or with the cells that are decided."""
    picture = _solution(solved)
    if picture is not None:
        return GridState(picture)
    if solved.known is None:
        return empty(solved.puzzle)
    return GridState(np.where(solved.known < 0, UNKNOWN, solved.known).astype(np.uint8))


def _solution(solved: SolvedPuzzle) -> np.ndarray | None:
    cells, puzzle = solved.row["solution"], solved.puzzle
    return None if cells is None else picture(cells, puzzle.width, puzzle.height)


def _pdf(solved: SolvedPuzzle) -> bytes:
    try:
        return a4(solved.puzzle, _solution(solved))
    except TooSmall as error:
        raise UserError(f"{solved.puzzle.puzzle_id}: {error}") from None


def _html(solved: SolvedPuzzle) -> bytes:
    assert solved.explanation is not None
    difficulty = "" if solved.grading is None else difficulty_words(solved.grading)
    try:
        return page(solved.explanation, difficulty).encode()
    except TooLarge as error:
        raise UserError(f"{solved.puzzle.puzzle_id}: {error}") from None


WRITERS: dict[str, Callable[[SolvedPuzzle], bytes]] = {
    ".png": lambda solved: png(drawing(solved.puzzle, _state(solved))),
    ".svg": lambda solved: drawing(solved.puzzle, _state(solved)).svg.encode(),
    ".pdf": _pdf,
    ".html": _html,
    ".gif": lambda solved: gif(solved.puzzle, _sampled_states(solved, most_frames(solved.puzzle))),
}


def _save_steps(path: str, solved: SolvedPuzzle) -> None:
    """Write an image a step into a folder."""
    puzzle = solved.puzzle
    target, count = folder(path), 0
    with show_progress(f"drawing {path}"):
        for name, data in images(puzzle, _sampled_states(solved, most_frames(puzzle, MOST_IMAGES))):
            with target.create(name) as stream:
                stream.write(data)
            count += 1
    err.print(f"{escape(str(PurePath(path)))}/ written, {count:,} images.")


def _sampled_states(solved: SolvedPuzzle, limit: int) -> list[GridState]:
    """Return the states of the explanation, thinned to at most `limit`."""
    assert solved.explanation is not None
    return list(thin_states(grid_states(solved.explanation), limit).states)
