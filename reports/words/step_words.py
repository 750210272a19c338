"""The steps of an explanation in plain English, and as states of the grid."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.solver.model.puzzle import BLOT, Clue, Puzzle
from nonocensus.solver.model.techniques import CLUE, COUNTING, TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, Step
from nonocensus.solver.proofs.record import RecordedAssumption, Ruled

AnyStep = TypeVar("AnyStep")


class MergedStep(NamedTuple):
    """A step of an explanation, or several that only exclude colours which clues lack.

    technique    index in TECHNIQUES
    lines        the lines used, rows before columns; none for an assumption
    ruled        excluded colours: pairs of cell index and colour
    assumption   as of the explanation's step
    """

    technique: int
    lines: tuple[int, ...]
    ruled: tuple[Ruled, ...]
    assumption: RecordedAssumption | None


class DescribedStep(NamedTuple, Generic[AnyStep]):
    """A step in words.

    number   from 1
    step     the step
    what     sentences that say what follows, and where
    why      a sentence that justifies the step
    """

    number: int
    step: AnyStep
    what: str
    why: str


def describe_steps(explanation: Explanation) -> Iterator[DescribedStep[Step]]:
    """Describe all steps."""
    cells = list(explanation.start)
    for number, step in enumerate(explanation.steps, 1):
        what = describe_step(explanation.puzzle, step, cells)
        yield DescribedStep(number, step, what, reason(explanation.puzzle, step, cells))
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)


def describe_merged(explanation: Explanation) -> Iterator[DescribedStep[MergedStep]]:
    """Describe all steps; consecutive ones that decide no cell and only exclude colours which clues lack are one."""
    described = zip(describe_steps(explanation), explanation.decisive(), strict=True)
    groups = groupby(described, lambda each: 0 if each[0].step.technique == CLUE and not each[1] else each[0].number)
    for number, (_, group) in enumerate(groups, 1):
        steps = [step for step, _ in group]
        lines = tuple(step.step.line for step in steps if step.step.line is not None)
        ruled = tuple(ruled for step in steps for ruled in step.step.ruled)
        first, what, why = steps[0].step, steps[0].what, steps[0].why
        if len(steps) > 1:
            what = f"{describe_lines(explanation.puzzle, lines)}, clue: each line has only the colours of its clue."
            why = ""
        yield DescribedStep(number, MergedStep(first.technique, lines, ruled, first.assumption), what, why)


def describe_step(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> str:
    """Describe what follows from a step; `cells` are the possible colours before it, row by row, a bit each."""
    name = TECHNIQUES[step.technique].name
    if step.assumption is None:
        assert step.line is not None
        left = _left(step.ruled, {}, cells)
        return f"{describe_line(puzzle, step.line)}, {name}: {_cells(puzzle, step.line, left)}."
    refuted = step.assumption
    supposed = {refuted.place: 1 << refuted.color}
    sentences = [f"Suppose {describe_cell(puzzle, refuted.place)} were {_color(puzzle, refuted.color)} ({name})."]
    for then in refuted.then:
        left = _left(then.ruled, supposed, cells)
        supposed |= left
        sentences.append(f"{describe_line(puzzle, then.line)}: {_cells(puzzle, then.line, left)}.")
    sentences.append(f"Then {_lower(describe_line(puzzle, refuted.end))} would have no arrangement.")
    still = cells[refuted.place] & ~(1 << refuted.color)
    sentences.append(f"So {describe_cell(puzzle, refuted.place)} is {_possible(puzzle, still)}.")
    return " ".join(sentences)


def _left(ruled: Iterable[Ruled], supposed: Mapping[int, int], cells: Sequence[int]) -> dict[int, int]:
    """Return the remaining colours of the cells that a step changes, from `supposed`, or else from `cells`."""
    left: dict[int, int] = {}
    for place, color in ruled:
        left[place] = left.get(place, supposed.get(place, cells[place])) & ~(1 << color)
    return left


def reason(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> str:
    """Justify a step in a sentence: by the case of its technique that applies, if that has several."""
    said = ""
    if step.technique == CLUE:
        said = _clue_reason(puzzle, step)
    elif step.technique == COUNTING:
        said = _counting_reason(puzzle, step, cells)
    return said or TECHNIQUES[step.technique].says


def _clue_reason(puzzle: Puzzle, step: Step) -> str:
    """Say that a clue is empty, fills its line or lacks colours."""
    assert step.line is not None
    clue, places = line_of(puzzle, step.line)
    if not clue:
        return "The clue is 0: the line stays empty."
    lacking = {color for _, color in step.ruled} - {block.color for block in clue} - {0}
    gaps = sum(one.color == other.color for one, other in pairwise(clue))
    lengths = [block.length for block in clue]
    if BLOT not in lengths and sum(lengths) + gaps == len(places):
        between = f" and {gaps} gap{'s' * (gaps > 1)}" if gaps else ""
        sum_ = f"{'+'.join(map(str, lengths))}{between} are {len(places)}: the line is full."
        return sum_ if len(lengths) > 1 else "The block is as long as the line."
    names = " or ".join(_color(puzzle, color) for color in sorted(lacking))
    return f"The clue has no {names}." if lacking else ""


def _counting_reason(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> str:
    """Say which colours are found in all their cells, or needed in all cells that can have them.

    The background comes last and is left out where the other colours explain all that is ruled out.
    """
    assert step.line is not None
    clue, places = line_of(puzzle, step.line)
    left = _left(step.ruled, {}, cells)
    open_ = set(step.ruled)
    sentences = []
    for color in (*range(1, max(puzzle.colors, 1) + 1), 0):
        blocks = [block for block in clue if color in (0, block.color)]
        if any(block.length == BLOT for block in blocks):
            continue
        length = sum(block.length for block in blocks)
        count = length if color else len(places) - length
        name = _color(puzzle, color)
        excluded = {pair for pair in open_ if pair[1] == color}
        others = {pair for pair in open_ if left[pair[0]] == 1 << color}
        if excluded and count and sum(cells[place] == 1 << color for place in places) == count:
            many = "Both" if count == 2 else f"All {count}"
            sentences.append(f"{many} {name} cells are found." if count > 1 else f"The {name} cell is found.")
            open_ -= excluded
        elif others and sum(cells[place] >> color & 1 for place in places) == count:
            are = f"{count} cells" if count > 1 else "one cell"
            sentences.append(f"Only {are} can be {name}, as many as are needed.")
            open_ -= others
    return "" if open_ else " ".join(sentences)


def line_of(puzzle: Puzzle, line: int) -> tuple[Clue, range]:
    """Return the clue and the cells of a line; rows are numbered before columns."""
    if line < puzzle.height:
        return puzzle.rows[line], range(line * puzzle.width, (line + 1) * puzzle.width)
    column = line - puzzle.height
    return puzzle.columns[column], range(column, puzzle.width * puzzle.height, puzzle.width)


def grid_states(explanation: Explanation) -> Iterator[GridState]:
    """Yield the grid before the first step and after each, with the step's cells and line highlighted."""
    puzzle = explanation.puzzle
    cells, grid = list(explanation.start), known_grid(explanation.start, puzzle.width)
    yield GridState(grid)
    for described in describe_steps(explanation):
        step, grid = described.step, grid.copy()
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)
            grid.ravel()[place] = _entry(cells[place])
        marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
        marked.ravel()[[place for place, _ in step.ruled]] = True
        lines = [step.line] if step.line is not None else []
        rows = tuple(line for line in lines if line < puzzle.height)
        columns = tuple(line - puzzle.height for line in lines if line >= puzzle.height)
        yield GridState(grid, marked, rows, columns, f"{described.number}. {described.what}")


def known_grid(cells: list[int], width: int) -> np.ndarray:
    """Return the palette entries of cells that are sets of colours, a bit each; UNKNOWN if there are several."""
    return np.array([_entry(colors) for colors in cells], np.uint8).reshape(-1, width)


def _entry(colors: int) -> int:
    return UNKNOWN if colors & (colors - 1) else colors.bit_length() - 1


def describe_ending(explanation: Explanation) -> str:
    """Describe in a sentence how an explanation ends."""
    puzzle = explanation.puzzle
    open_ = sum(colors & (colors - 1) != 0 for colors in explanation.cells)
    hardest = explanation.hardest
    if explanation.state == "solved":
        grade = f" The hardest technique was {hardest.name}, of grade {hardest.grade} of 9." if hardest else ""
        return f"Every cell is known, and there is no other solution.{grade}"
    if explanation.state == "contradiction":
        assert explanation.end is not None
        return f"{describe_line(puzzle, explanation.end)} has no arrangement left: the puzzle has no solution."
    if explanation.state == "open":
        return f"{open_:,} cells are left open: only assumptions inside assumptions lead on."
    return f"The time ran out with {open_:,} cells left open."


def describe_line(puzzle: Puzzle, line: int) -> str:
    """Describe a line with its clue: `Row 3 (4 2)`; rows are numbered before columns."""
    if line < puzzle.height:
        return f"Row {line + 1} ({describe_clue(puzzle, puzzle.rows[line])})"
    column = line - puzzle.height
    return f"Column {column + 1} ({describe_clue(puzzle, puzzle.columns[column])})"


def describe_lines(puzzle: Puzzle, lines: Sequence[int]) -> str:
    """Describe lines without their clues: `Rows 1 to 4, row 6, columns 2 to 3`; rows are numbered before columns."""
    sides = [("row", line + 1) if line < puzzle.height else ("column", line - puzzle.height + 1) for line in lines]
    parts = []
    for (side, _), run in groupby(enumerate(sides), lambda each: (each[1][0], each[1][1] - each[0])):
        numbers = [number for _, (_, number) in run]
        parts.append(f"{side} {numbers[0]}" if len(numbers) == 1 else f"{side}s {numbers[0]} to {numbers[-1]}")
    text = ", ".join(parts)
    return text[0].upper() + text[1:]


def describe_clue(puzzle: Puzzle, clue: Clue) -> str:
    """Describe a clue: its numbers, with colours if there are several; a hidden length is a question mark."""
    lengths = ("?" if block.length == BLOT else str(block.length) for block in clue)
    if puzzle.colors < 2:
        return " ".join(lengths) or "0"
    named = zip(lengths, clue, strict=True)
    return ", ".join(f"{length} {_color(puzzle, block.color)}" for length, block in named) or "0"


def describe_cell(puzzle: Puzzle, place: int) -> str:
    """Describe a cell by its index, row by row."""
    y, x = divmod(place, puzzle.width)
    return f"row {y + 1}, column {x + 1}"


def _cells(puzzle: Puzzle, line: int, left: Mapping[int, int]) -> str:
    """Describe the possible colours of cells of a line: `columns 4 to 6 black, column 9 white`."""
    is_row = line < puzzle.height
    side = "column" if is_row else "row"
    numbers = sorted(
        (place % puzzle.width if is_row else place // puzzle.width, colors) for place, colors in left.items()
    )
    runs = groupby(enumerate(numbers), lambda each: (each[1][0] - each[0], each[1][1]))
    parts = []
    for (_, colors), run in runs:
        found = [number + 1 for _, (number, _) in run]
        where = f"{side} {found[0]}" if len(found) == 1 else f"{side}s {found[0]} to {found[-1]}"
        parts.append(f"{where} {_possible(puzzle, colors)}")
    return ", ".join(parts)


def _possible(puzzle: Puzzle, colors: int) -> str:
    """List the colours of a set as alternatives."""
    names = [_color(puzzle, color) for color in range(colors.bit_length()) if colors >> color & 1]
    return " or ".join(names)


def _color(puzzle: Puzzle, color: int) -> str:
    """Return a colour's name, or its number if the palette lacks it."""
    return color_names(puzzle.palette)[color] if color < len(puzzle.palette) else f"colour {color}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
