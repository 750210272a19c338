"""The steps of an explanation in plain English."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from solver.model.puzzle import BLOT, Clue, Puzzle
from solver.model.techniques import TECHNIQUES
from solver.people.explanation import Explanation, Step
from solver.proofs.record import Ruled

AnyStep = TypeVar("AnyStep")


class Told(NamedTuple, Generic[AnyStep]):
    """A step in words, of a nonogram or a Sudoku.

    number   from 1
    step     itself
    what     what is found and where, in a sentence or some
    why      why the technique may do so, in a sentence
    """

    number: int
    step: AnyStep
    what: str
    why: str


def in_words(explanation: Explanation) -> Iterator[Told[Step]]:
    """All steps in words."""
    cells = list(explanation.start)
    for number, step in enumerate(explanation.steps, 1):
        what = step_in_words(explanation.puzzle, step, cells)
        yield Told(number, step, what, TECHNIQUES[step.technique].says)
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)


def step_in_words(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> str:
    """What a step finds and where; `cells` are the colours that each may have before it, row by row, a bit each."""
    name = TECHNIQUES[step.technique].name
    if step.assumption is None:
        assert step.line is not None
        left = _left(step.ruled, {}, cells)
        return f"{line_in_words(puzzle, step.line)}, {name}: {_cells(puzzle, step.line, left)}."
    refuted = step.assumption
    supposed = {refuted.place: 1 << refuted.color}
    told = [f"Suppose {cell_in_words(puzzle, refuted.place)} were {_color(puzzle, refuted.color)} ({name})."]
    for then in refuted.then:
        left = _left(then.ruled, supposed, cells)
        supposed |= left
        told.append(f"{line_in_words(puzzle, then.line)}: {_cells(puzzle, then.line, left)}.")
    told.append(f"Then {_lower(line_in_words(puzzle, refuted.end))} would have no arrangement.")
    still = cells[refuted.place] & ~(1 << refuted.color)
    told.append(f"So {cell_in_words(puzzle, refuted.place)} is {_possible(puzzle, still)}.")
    return " ".join(told)


def _left(ruled: Iterable[Ruled], supposed: Mapping[int, int], cells: Sequence[int]) -> dict[int, int]:
    """What is left of the cells that something is ruled out for: of what is supposed of them, or else of `cells`."""
    left: dict[int, int] = {}
    for place, color in ruled:
        left[place] = left.get(place, supposed.get(place, cells[place])) & ~(1 << color)
    return left


def ending(explanation: Explanation) -> str:
    """How an explanation ends, in a sentence."""
    puzzle = explanation.puzzle
    open_ = sum(colors & (colors - 1) != 0 for colors in explanation.cells)
    hardest = explanation.hardest
    if explanation.state == "solved":
        grade = f" The hardest technique was {hardest.name}, of grade {hardest.grade} of 9." if hardest else ""
        return f"Every cell is known, and there is no other solution.{grade}"
    if explanation.state == "contradiction":
        assert explanation.end is not None
        return f"{line_in_words(puzzle, explanation.end)} has no arrangement left: the puzzle has no solution."
    if explanation.state == "open":
        return f"{open_:,} cells are left open: only assumptions inside assumptions lead on."
    return f"The time ran out with {open_:,} cells left open."


def line_in_words(puzzle: Puzzle, line: int) -> str:
    """A line with its clue, rows numbered before columns: `Row 3 (4 2)`."""
    if line < puzzle.height:
        return f"Row {line + 1} ({clue_in_words(puzzle, puzzle.rows[line])})"
    column = line - puzzle.height
    return f"Column {column + 1} ({clue_in_words(puzzle, puzzle.columns[column])})"


def clue_in_words(puzzle: Puzzle, clue: Clue) -> str:
    """A clue's numbers, in a puzzle of several colours with their colours; a hidden length as a question mark."""
    lengths = ("?" if block.length == BLOT else str(block.length) for block in clue)
    if puzzle.colors < 2:
        return " ".join(lengths) or "0"
    named = zip(lengths, clue, strict=True)
    return ", ".join(f"{length} {_color(puzzle, block.color)}" for length, block in named) or "0"


def cell_in_words(puzzle: Puzzle, place: int) -> str:
    """A cell by its place, row by row."""
    y, x = divmod(place, puzzle.width)
    return f"row {y + 1}, column {x + 1}"


def _cells(puzzle: Puzzle, line: int, left: Mapping[int, int]) -> str:
    """What some cells of a line can be, by their places: `columns 4 to 6 black, column 9 white`."""
    is_row = line < puzzle.height
    side = "column" if is_row else "row"
    numbers = sorted(
        (place % puzzle.width if is_row else place // puzzle.width, colors) for place, colors in left.items()
    )
    runs = groupby(enumerate(numbers), lambda each: (each[1][0] - each[0], each[1][1]))
    told = []
    for (_, colors), run in runs:
        found = [number + 1 for _, (number, _) in run]
        where = f"{side} {found[0]}" if len(found) == 1 else f"{side}s {found[0]} to {found[-1]}"
        told.append(f"{where} {_possible(puzzle, colors)}")
    return ", ".join(told)


def _possible(puzzle: Puzzle, colors: int) -> str:
    """The colours of a set: one by its name, several as alternatives."""
    names = [_color(puzzle, color) for color in range(colors.bit_length()) if colors >> color & 1]
    return " or ".join(names)


def _color(puzzle: Puzzle, color: int) -> str:
    """A colour's name; of a puzzle without a palette for it, its number."""
    return puzzle.palette[color].name if color < len(puzzle.palette) else f"colour {color}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
