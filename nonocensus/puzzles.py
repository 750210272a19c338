"""Single puzzles: reading, solving, drawing."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from nonocensus.pipeline.errors import UserError
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.words.answer_verdict import Checked as Checked
from nonocensus.reports.words.answer_verdict import check_answer, check_grids
from nonocensus.solver import api
from nonocensus.solver.model.puzzle import Block as Block
from nonocensus.solver.model.puzzle import Color as Color
from nonocensus.solver.model.puzzle import InvalidPuzzle as InvalidPuzzle
from nonocensus.solver.model.puzzle import Puzzle as Puzzle
from nonocensus.solver.model.puzzle import from_picture as from_picture
from nonocensus.solver.model.tables import picture
from nonocensus.solver.people import explanation as explanation
from nonocensus.solver.people import hints as hints
from nonocensus.solver.people.explanation import Explanation
from nonocensus.solver.people.hints import Hint

Paths = str | Path | Iterable[str | Path]

PuzzleLike = Puzzle | ArrayLike | Sequence[Sequence[Any]] | Mapping[str, Any]
"""A puzzle; a picture; or clues: lists of rows and columns, or these by name, {"rows": ..., "columns": ...}."""


class Reading(NamedTuple):
    """Puzzles of files, and problems: name and reason of what can't be read."""

    puzzles: list[Puzzle]
    problems: list[Any]


def read(paths: Paths) -> Reading:
    """Read the puzzles of files, folders, .zip and .tar.* archives, in any known format.

    Unreadable files are among the problems. Raises UserError for a path that does not exist.
    """
    from nonocensus.pipeline.store.sources import exists
    from nonocensus.scrapers.file_batches import Problem, read_files
    from nonocensus.scrapers.files import files_in

    every = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    for path in every:
        if not exists(path):
            hint = "; clues as lists: nc.Puzzle.from_clues(rows, columns)" if "[" in str(path) else ""
            raise UserError(f"{str(path)[:200]} does not exist{hint}")
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
    """Convert an image into a puzzle: a file of any kind that Pillow opens, or its bytes.

    Args:
        image: Path or content of the image.
        size: Width and height in cells (default: 30 on the longer side).
        colors: Number of colours, background included; 2 is black on white.
        dither: Dithering of colours between those of the palette.

    Raises:
        UserError: The image can't be read.
        ValueError: An argument is invalid.

    """
    from nonocensus.scrapers.formats import FormatError
    from nonocensus.scrapers.pictures.image import ImageOptions, puzzle_of_image

    width, height = size or (None, None)
    options = ImageOptions(width, height, colors, dither)
    try:
        return puzzle_of_image(image if isinstance(image, bytes) else Path(image).read_bytes(), options).puzzle
    except (FormatError, OSError) as error:
        name = "the image" if isinstance(image, bytes) else str(image)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"{name}: {reason}") from None


def make_unique(puzzle: PuzzleLike, rung: str = "search", *, cpu_limit: float = 60.0) -> Puzzle:
    """Change few cells of a picture so that its puzzle has exactly one solution.

    Warns if one was found and the search for fewer changes was not finished.

    Args:
        puzzle: A puzzle with a goal, or a picture.
        rung: Rung that must solve it: line, depth-2, probe or search.
        cpu_limit: CPU seconds in total.

    Raises:
        TimeoutError: No such picture was found.
        ValueError: The puzzle has no picture, or the rung is unknown.

    """
    from nonocensus.scrapers.pictures.picture_repair import repair_picture, with_picture

    puzzle = _puzzle(puzzle)
    if puzzle.goal is None:
        raise ValueError("the puzzle has no picture; solve it and pass a solution")
    made = repair_picture(puzzle.goal, rung, cpu_limit=cpu_limit)
    if not made.reached:
        spent = "" if made.finished else f" in {cpu_limit} CPU seconds"
        raise TimeoutError(f"no such picture was found{spent}, {made.changed} cells from the first")
    if not made.finished:
        _warn_unfinished(cpu_limit)
    return with_picture(puzzle, made.picture)


def mend(puzzle: PuzzleLike, *, cpu_limit: float = 60.0) -> list[Any]:
    """Find the smallest changes that give a puzzle with several solutions exactly one: to a clue, and to cells.

    Each has the changed `puzzle` with its solution as goal, the `changes` of clues, and the number of `cells` in which
    it differs from the picture `before`: at most 10, or 1 % of all. The list is empty without several solutions or
    changes.

    Raises TimeoutError if nothing was found within the limit, and warns if the search was not finished.
    """
    from nonocensus.pipeline.callbacks import SILENT
    from nonocensus.pipeline.executors.executor import Resources
    from nonocensus.pipeline.jobs.mend_job import mend_puzzles
    from nonocensus.scrapers.file_batches import Problem

    found = list[Any]()
    for item in mend_puzzles(iter([_puzzle(puzzle)]), cpu_limit, Resources(serial=True), SILENT):
        if isinstance(item, Problem):
            raise TimeoutError(item.reason)
        if not item.finished:
            if not item.mendings:
                raise TimeoutError(f"no change was found in {cpu_limit} CPU seconds")
            _warn_unfinished(cpu_limit)
        found += item.mendings
    return found


def _warn_unfinished(cpu_limit: float) -> None:
    warnings.warn(f"not finished in {cpu_limit} CPU seconds: more time may find smaller changes", stacklevel=3)


def grade(puzzle: PuzzleLike, *, cpu_limit: float = 60.0) -> dict[str, Any]:
    """Grade a puzzle, or that of a picture, by how hard it is for people.

    Returns a row of the table of grades (`nonocensus query --schema`). `grade` (1 to 9) and `hardest`, a technique of
    docs/TECHNIQUES.md, are None without exactly one solution; what the techniques find is counted anyway.
    `cpu_limit` is CPU seconds each for classifying and grading.
    """
    from nonocensus.solver.model.tables import puzzle_batch
    from nonocensus.solver.people.puzzle_grade import grades

    batch = puzzle_batch([_puzzle(puzzle)])
    unique = api.classify(batch, cpu_limit=cpu_limit)["solutions"][0].as_py() == "unique"
    return dict(grades(batch, np.array([unique]), cpu_limit).to_pylist()[0])


def features(puzzles: pa.RecordBatch, *, cpu_limit: float = 60.0) -> pa.Table:
    """Count the features that minutes and stars are estimated from: puzzle_id and a column each, a row per puzzle.

    They are null where techniques find no solution without search, and with blots. `puzzles` is a batch of the puzzles
    table, as `open_store(store).batches()` yields.
    """
    from nonocensus.solver.people.features import FEATURES
    from nonocensus.solver.people.puzzle_grade import grade as grade_batch

    columns = zip(FEATURES, grade_batch(puzzles, np.ones(len(puzzles), np.bool_), cpu_limit).features.T, strict=True)
    counted = {name: pa.array(values, mask=np.isnan(values)) for name, values in columns}
    return pa.table({"puzzle_id": puzzles["puzzle_id"], **counted})


def check(puzzle: PuzzleLike, answer: Any, *, cpu_limit: float = 60.0) -> Checked:
    """Check an answer to a puzzle: any grid that fits the clues is right, and true.

    Args:
        puzzle: A puzzle, or a picture.
        answer: Palette entries (255 for open cells), or an answer in any notation of docs/TASKS.md: text, JSON, lists.
        cpu_limit: CPU seconds for completing a partial grid.

    Raises:
        InvalidPuzzle: Impossible clues, to which the answer is partial.

    """
    return check_answer(_puzzle(puzzle), answer, cpu_limit=cpu_limit)


def check_each(
    puzzles: Puzzle | Sequence[Puzzle] | pa.RecordBatch, grids: Sequence[ArrayLike] | np.ndarray
) -> np.ndarray:
    """Return which complete grids fit their clues, bool[grids]: compiled, for many at a time.

    Args:
        puzzles: One puzzle for all grids, or one for each: Puzzles, or a batch of the puzzles table.
        grids: uint8[grids, height, width] of palette entries, or an array for each.

    Raises:
        ValueError: The numbers of puzzles and grids differ.

    """
    return check_grids(puzzles, grids)


def write(
    puzzles: Puzzle | Iterable[Puzzle],
    out: str | Path,
    *,
    to: str | None = None,
    lossy: bool = False,
    solve: Literal["no", "unique", "any"] = "no",
) -> Any:
    """Write puzzles as one file, or as a file each (`out` is a folder, or ends with a slash), like `convert`.

    to      the format (default: by the suffix of `out`)
    lossy   drop metadata that the format can't hold
    solve   solve puzzles without a picture, for formats of pictures: those with one solution, or any

    Returns the counts `puzzles`, `files`, `left_out` (dropped metadata), and `problems` with reasons. Raises UserError
    if no puzzle can be written, the format is unknown, or the file can hold only one puzzle.
    """
    from nonocensus.pipeline.store.conversion import ConversionOptions, convert, format_for, format_named

    several = [puzzles] if isinstance(puzzles, Puzzle) else puzzles
    known = format_for(str(out), None if to is None else format_named(to))
    return convert(several, str(out), ConversionOptions(known, lossy, solve))


@dataclass(frozen=True)
class Solved:
    """A puzzle with its result, drawn in notebooks.

    puzzle   the puzzle
    row      its row of the results table (`nonocensus query --schema`), by column
    """

    puzzle: Puzzle
    row: dict[str, Any]

    @property
    def label(self) -> str:
        """The verdict in pbnsolve's terms: unique line, unique depth-2, unique, multiple, contradiction, timeout..."""
        return str(self.row["label"] or self.row["status"])

    @property
    def solution(self) -> np.ndarray | None:
        """A solution, uint8[height, width] of palette entries, or None."""
        return self._picture("solution")

    @property
    def second_solution(self) -> np.ndarray | None:
        """Another solution, or None."""
        return self._picture("second_solution")

    def _picture(self, name: str) -> np.ndarray | None:
        cells = self.row[name]
        return None if cells is None else picture(cells, self.puzzle.width, self.puzzle.height)

    def __repr__(self) -> str:
        """Return the verdict in a line."""
        name = self.puzzle.puzzle_id or "a puzzle"
        return f"<{name} {self.puzzle.width}x{self.puzzle.height}: {self.label}>"

    def _repr_html_(self) -> str:
        states = [GridState(cells) for cells in (self.solution, self.second_solution) if cells is not None]
        drawn = [drawing(self.puzzle, state).svg for state in states]
        return f"<p><b>{self.label}</b></p>" + (" ".join(drawn) or drawing(self.puzzle).svg)


def solve(puzzle: PuzzleLike, **settings: Any) -> Solved:
    """Solve a puzzle, or that of a picture: rows of palette entries, 0 the background (lists or an array).

    Here and below a puzzle may also be its clues, ([[1], [3]], [[1], [2], [1]]) or {"rows": ..., "columns": ...}.

    Settings: cpu_limit (CPU seconds, 60), rung, depth, check_goal, start, as for `nonocensus.solver.api.solve`.
    """
    puzzle = _puzzle(puzzle)
    return Solved(puzzle, dict(api.solve(puzzle, **settings)))


@dataclass(frozen=True)
class Explained:
    """A step-by-step solution, listed in notebooks.

    explanation   the steps as data (nonocensus.solver.people.explanation.Explanation)
    """

    explanation: Explanation

    @property
    def steps(self) -> list[str]:
        """The steps as text."""
        from nonocensus.reports.words.step_words import describe_steps

        return [step.what for step in describe_steps(self.explanation)]

    @property
    def ending(self) -> str:
        """The outcome, in a sentence."""
        from nonocensus.reports.words.step_words import describe_ending

        return describe_ending(self.explanation)

    @property
    def hardest(self) -> str | None:
        """The name of the hardest technique needed."""
        hardest = self.explanation.hardest
        return hardest and hardest.name

    @property
    def grade(self) -> int | None:
        """The grade, 1 to 9."""
        hardest = self.explanation.hardest
        return hardest and hardest.grade

    def page(self) -> str:
        """Return an offline HTML page to step through. Raises ValueError for grids of over 40,000 cells."""
        from nonocensus.reports.page.explanation_page import page

        return page(self.explanation)

    def _repr_html_(self) -> str:
        steps = "".join(f"<li>{escape(step)}</li>" for step in self.steps).replace("\n", "<br>")
        return f"<ol>{steps}</ol><p>{escape(self.ending)}</p>"


def explain(
    puzzle: PuzzleLike, *, start: np.ndarray | None = None, most: int = -1, cpu_limit: float = 60.0
) -> Explained:
    """Return how a person solves a puzzle, each step verified by the certificate checker.

    start       bool[height, width, colours + 1]: the colours that each cell may have, where the grid is partly solved
    most        steps after which to stop; -1 for all
    cpu_limit   CPU seconds; what was found until then is kept

    Raises InvalidPuzzle for clues that no picture can have, and ValueError for a start of another shape.
    """
    return Explained(explanation.explain(_puzzle(puzzle), start=start, most=most, cpu_limit=cpu_limit))


def hint(puzzle: PuzzleLike, cells: ArrayLike, *, cpu_limit: float = 60.0) -> Hint:
    """Return a hint for a partly solved grid: `kind`, the `wrong` cells, or the `next` steps up to a decided cell.

    cells       uint8[height, width] of palette entries, 255 for an open cell

    Raises InvalidPuzzle for impossible clues, and ValueError for a grid of another shape.
    """
    puzzle = _puzzle(puzzle)
    return hints.hint(puzzle, hints.start_of(puzzle, np.asarray(cells)), cpu_limit=cpu_limit)


def iter_solutions(puzzle: PuzzleLike, **settings: Any) -> Iterator[np.ndarray]:
    """Yield all solutions of a puzzle, each uint8[height, width] of palette entries.

    Settings: cpu_limit (CPU seconds per solution, 60), start. Raises TimeoutError.
    """
    return api.iter_solutions(_puzzle(puzzle), **settings)


def _puzzle(puzzle: PuzzleLike) -> Puzzle:
    """Return a puzzle, that of clues in two lists or by name, or that of a picture. Raises InvalidPuzzle."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    if isinstance(puzzle, Mapping):
        from nonocensus.scrapers.formats.clue_lists import puzzle_of
        from nonocensus.scrapers.formats.parsing import FormatError

        try:
            return puzzle_of(
                {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in puzzle.items()}
            )
        except FormatError as error:
            raise InvalidPuzzle(str(error)) from None
    if isinstance(puzzle, list | tuple) and len(puzzle) == 2 and all(map(_has_lines, puzzle)):
        return Puzzle.from_clues(*puzzle)
    return from_picture(puzzle)


def _has_lines(side: Any) -> bool:
    """Return whether a value is a list of lists, so the clues of a side, not a row of a picture."""
    return isinstance(side, list | tuple | np.ndarray) and any(
        isinstance(line, list | tuple | np.ndarray) for line in side
    )


# Notebooks look for a method, but the solver does not depend on drawing.
setattr(Puzzle, "_repr_html_", lambda puzzle: drawing(puzzle).svg)  # noqa: B010
