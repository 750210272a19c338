"""Single puzzles: read from files, solved, drawn."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reports.sheet.grid_state import GridState
from reports.sheet.svg import drawing
from solver import api
from solver.model.puzzle import Puzzle, from_picture
from solver.model.tables import picture
from solver.people import explanation as explanation
from solver.people import hints as hints
from solver.people.explanation import Explanation
from solver.people.hints import Hint

Paths = str | Path | Iterable[str | Path]


class Reading(NamedTuple):
    """What files hold: the puzzles, and of files that can't be read (or puzzles in them) the name and the reason."""

    puzzles: list[Puzzle]
    problems: list[Any]


def read(paths: Paths) -> Reading:
    """The puzzles of files, folders, .zip and .tar.* archives, in any known format.

    A UserError names a path that does not exist; what can't be read is among the problems.
    """
    from pipeline.errors import UserError
    from scrapers.file_batches import Problem, read_files
    from scrapers.files import files_in

    every = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    for path in every:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    items = list(read_files(files_in(every)))
    return Reading(
        [item for item in items if isinstance(item, Puzzle)], [item for item in items if isinstance(item, Problem)]
    )


def from_image(
    image: str | Path | bytes,
    size: tuple[int, int] | None = None,
    colors: int = 2,
    dither: Literal["none", "ordered", "floyd-steinberg"] = "none",
) -> Puzzle:
    """The puzzle of an image: a file of any kind that Pillow opens, or its bytes.

    size     width and height in cells; else 30 on the longer side
    colors   the background counted; 2 is black on white
    dither   how colours between those of the palette are shown

    A UserError says what is wrong with the image; a ValueError refuses a size, a number of colours, or a dither that
    is none.
    """
    from pipeline.errors import UserError
    from scrapers.formats import FormatError
    from scrapers.pictures.image import Wish, puzzle_of_image

    width, height = size or (None, None)
    wish = Wish(width, height, colors, dither)
    try:
        return puzzle_of_image(image if isinstance(image, bytes) else Path(image).read_bytes(), wish).puzzle
    except (FormatError, OSError) as error:
        name = "the image" if isinstance(image, bytes) else str(image)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"{name}: {reason}") from None


def make_unique(puzzle: Puzzle | ArrayLike, rung: str = "search", *, cpu_limit: float = 60.0) -> Puzzle:
    """The puzzle of a picture with as few cells changed as need be for the puzzle to have one solution.

    puzzle      that has a picture of its own (goal), or the picture
    rung        that has to be enough to solve it: line, depth-2, probe or search
    cpu_limit   CPU seconds for the whole search

    Raises TimeoutError if it was not reached, and ValueError for a puzzle without a picture and a rung that is none.
    """
    from scrapers.pictures.picture_repair import repaired, with_picture

    asked = _puzzle(puzzle)
    if asked.goal is None:
        raise ValueError("the puzzle has no picture of its own; solve it, and give a solution")
    made = repaired(asked.goal, rung, cpu_limit=cpu_limit)
    if not made.reached:
        raise TimeoutError(f"no such picture was found in {cpu_limit} CPU seconds, {made.changed} cells from the first")
    return with_picture(asked, made.picture)


def mend(puzzle: Puzzle | ArrayLike, *, cpu_limit: float = 60.0) -> list[Any]:
    """The smallest changes found that leave a puzzle of several solutions with one: of a clue, and of cells.

    Each has the changed `puzzle` with its solution as its goal, the `changes` of clues, and how many `cells` of the
    picture `before` differ. The list is empty if the puzzle has not several solutions, or if none was found.
    """
    from pipeline.callbacks import SILENT
    from pipeline.executors.executor import Resources
    from pipeline.jobs.mend_job import MendResult, mend_puzzles

    found = mend_puzzles(iter([_puzzle(puzzle)]), cpu_limit, Resources(serial=True), SILENT)
    return [mending for item in found if isinstance(item, MendResult) for mending in item.mendings]


def grade(puzzle: Puzzle | ArrayLike, *, cpu_limit: float = 60.0) -> dict[str, Any]:
    """How hard a puzzle, or a picture's, is for people: its row of the table grades (`nonocensus query --schema`).

    cpu_limit   CPU seconds to find out whether it has exactly one solution, and once more to grade it

    `grade` (1 to 9) and `hardest`, the technique that docs/TECHNIQUES.md describes, are None unless it has exactly one
    solution; what the techniques find is counted all the same.
    """
    from solver.model.tables import puzzle_batch
    from solver.people.puzzle_grade import grades

    batch = puzzle_batch([_puzzle(puzzle)])
    unique = api.classify(batch, cpu_limit=cpu_limit)["solutions"][0].as_py() == "unique"
    return dict(grades(batch, np.array([unique]), cpu_limit).to_pylist()[0])


def write(
    puzzles: Puzzle | Iterable[Puzzle],
    out: str | Path,
    *,
    to: str | None = None,
    lossy: bool = False,
    solve: Literal["no", "unique", "any"] = "no",
) -> Any:
    """Write puzzles as a file, or each as a file of a folder (`out` is one, or ends with a slash), as `convert` does.

    to      the format; else the end of `out` says it
    lossy   leave out what the format can't hold, if the puzzle stays the same
    solve   puzzles that have no picture, for formats that are one: those with one solution, or any

    Returns what was written: `puzzles`, `files`, `left_out`, and `problems` with the reason for each puzzle that could
    not be written. A UserError says so if none could be, if there is no such format, or if the file can hold only one.
    """
    from pipeline.store.conversion import ConversionOptions, convert, format_for, format_named

    several = [puzzles] if isinstance(puzzles, Puzzle) else puzzles
    known = format_for(str(out), None if to is None else format_named(to))
    return convert(several, str(out), ConversionOptions(known, lossy, solve))


@dataclass(frozen=True)
class Solved:
    """A puzzle and what is known of it; in a notebook it draws itself.

    puzzle   what was solved
    row      its row of the results table (`nonocensus query --schema`), by column
    """

    puzzle: Puzzle
    row: dict[str, Any]

    @property
    def label(self) -> str:
        """The verdict in pbnsolve's words: unique line, unique depth-2, unique, multiple, contradiction, timeout..."""
        return str(self.row["label"] or self.row["status"])

    @property
    def solution(self) -> np.ndarray | None:
        """A solution, uint8[height, width] of palette entries; None if none is known."""
        return self._picture("solution")

    @property
    def second_solution(self) -> np.ndarray | None:
        """Another solution, if there are several."""
        return self._picture("second_solution")

    def _picture(self, name: str) -> np.ndarray | None:
        cells = self.row[name]
        return None if cells is None else picture(cells, self.puzzle.width, self.puzzle.height)

    def __repr__(self) -> str:
        """The verdict in a line."""
        name = self.puzzle.puzzle_id or "a puzzle"
        return f"<{name} {self.puzzle.width}x{self.puzzle.height}: {self.label}>"

    def _repr_html_(self) -> str:
        states = [GridState(cells) for cells in (self.solution, self.second_solution) if cells is not None]
        drawn = [drawing(self.puzzle, state).svg for state in states]
        return f"<p><b>{self.label}</b></p>" + (" ".join(drawn) or drawing(self.puzzle).svg)


def solve(puzzle: Puzzle | ArrayLike, **settings: Any) -> Solved:
    """Solve a puzzle, or that of a picture: rows of palette entries, 0 the background (lists or an array).

    Settings: cpu_limit (CPU seconds, 60), rung, depth, check_goal, start, as for `solver.api.solve`.
    """
    asked = _puzzle(puzzle)
    return Solved(asked, dict(api.solve(asked, **settings)))


@dataclass(frozen=True)
class Explained:
    """How a puzzle is solved, step by step; in a notebook it tells the steps.

    explanation   the steps as data (solver.people.explanation.Explanation)
    """

    explanation: Explanation

    @property
    def steps(self) -> list[str]:
        """The steps in words."""
        from reports.explained.step_words import describe_steps

        return [told.what for told in describe_steps(self.explanation)]

    @property
    def ending(self) -> str:
        """ConversionOptions it ends, in a sentence."""
        from reports.explained.step_words import describe_ending

        return describe_ending(self.explanation)

    @property
    def hardest(self) -> str | None:
        """The name of the hardest technique that was needed."""
        hardest = self.explanation.hardest
        return hardest and hardest.name

    @property
    def grade(self) -> int | None:
        """Its grade, 1 to 9."""
        hardest = self.explanation.hardest
        return hardest and hardest.grade

    def page(self) -> str:
        """An HTML page to step through, which needs no network. Raises ValueError for grids of over 40,000 cells."""
        from reports.explained.explanation_page import page

        return page(self.explanation)

    def _repr_html_(self) -> str:
        steps = "".join(f"<li>{escape(step)}</li>" for step in self.steps)
        return f"<ol>{steps}</ol><p>{escape(self.ending)}</p>"


def explain(
    puzzle: Puzzle | ArrayLike, *, start: np.ndarray | None = None, most: int = -1, cpu_limit: float = 60.0
) -> Explained:
    """How a puzzle is solved by a person, each step held against the checker of certificates.

    start       bool[height, width, colours + 1]: the colours that each cell may have, where the grid is partly solved
    most        steps after which to stop; -1 for all
    cpu_limit   CPU seconds; what was found until then is kept

    Raises InvalidPuzzle for clues that no picture can have, and ValueError for a start of another shape.
    """
    return Explained(explanation.explain(_puzzle(puzzle), start=start, most=most, cpu_limit=cpu_limit))


def hint(puzzle: Puzzle | ArrayLike, cells: ArrayLike, *, cpu_limit: float = 60.0) -> Hint:
    """What to do next on a partly solved grid: `kind`, the places that are `wrong`, or the `next` step.

    cells       uint8[height, width] of palette entries, 255 for a cell that is open

    Raises InvalidPuzzle for clues that no picture can have, and ValueError for a grid of another shape.
    """
    asked = _puzzle(puzzle)
    return hints.hint(asked, hints.start_of(asked, np.asarray(cells)), cpu_limit=cpu_limit)


def iter_solutions(puzzle: Puzzle | ArrayLike, **settings: Any) -> Iterator[np.ndarray]:
    """All solutions of a puzzle, one after the other, each uint8[height, width] of palette entries.

    Settings: cpu_limit (CPU seconds for each solution, 60), start. Raises TimeoutError when that is spent.
    """
    return api.iter_solutions(_puzzle(puzzle), **settings)


def _puzzle(puzzle: Puzzle | ArrayLike) -> Puzzle:
    return puzzle if isinstance(puzzle, Puzzle) else from_picture(puzzle)


# Drawing is no business of the solver's, and a method is what notebooks look for.
setattr(Puzzle, "_repr_html_", lambda puzzle: drawing(puzzle).svg)  # noqa: B010
