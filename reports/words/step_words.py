"""The steps of an explanation in plain English, and as states of the grid."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.words.formatting import counted
from nonocensus.reports.words.line_ranges import Line
from nonocensus.reports.words.line_reasons import Reason, find_reasons, refutation
from nonocensus.reports.words.reason_words import LineWords, clue_words, color_name
from nonocensus.solver.model.puzzle import Clue, Puzzle
from nonocensus.solver.model.techniques import CLUE, TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, Step
from nonocensus.solver.proofs.record import RecordedAssumption, Ruled

AnyStep = TypeVar("AnyStep")


class MergedStep(NamedTuple):
    """A step of an explanation, or several that only exclude colours.

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
    what     sentences that say where, why and what follows, a line each
    brief    where and what follows, for a caption
    why      how to look there, in a sentence that gives nothing away
    """

    number: int
    step: AnyStep
    what: str
    brief: str
    why: str


def describe_steps(explanation: Explanation) -> Iterator[DescribedStep[Step]]:
    """Describe all steps."""
    cells = list(explanation.start)
    for number, step in enumerate(explanation.steps, 1):
        yield DescribedStep(number, step, *describe_step(explanation.puzzle, step, cells))
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)


def describe_merged(explanation: Explanation) -> Iterator[DescribedStep[MergedStep]]:
    """Describe all steps; consecutive ones of a technique that decide no cell, but only exclude colours, are one.

    Those that exclude colours which clues lack are the first, wherever they are found.
    """
    lacking: list[DescribedStep[Step]] = []
    groups: list[list[DescribedStep[Step]]] = []
    before = -1  # the technique of the step before, if it decides no cell
    for described, is_decisive in zip(describe_steps(explanation), explanation.decisive(), strict=True):
        technique = described.step.technique
        if technique == CLUE and not is_decisive:
            lacking.append(described)
            continue
        if before == technique and not is_decisive:
            groups[-1].append(described)
        else:
            groups.append([described])
        before = -1 if is_decisive else technique
    for number, steps in enumerate([lacking] * bool(lacking) + groups, 1):
        lines = tuple(step.step.line for step in steps if step.step.line is not None)
        ruled = tuple(ruled for step in steps for ruled in step.step.ruled)
        first, what, brief = steps[0], "\n".join(step.what for step in steps), steps[0].brief
        if len(steps) > 1:
            brief = f"{describe_lines(explanation.puzzle, lines)}: colours are excluded."
        if len(steps) > 1 and steps is lacking:
            what = f"{describe_lines(explanation.puzzle, lines)}: no cell has a colour that the clue of its line lacks."
        step = MergedStep(first.step.technique, lines, ruled, first.step.assumption)
        yield DescribedStep(number, step, what, brief, first.why)


def describe_step(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> tuple[str, str, str]:
    """Describe a step: `what`, `brief` and `why` of DescribedStep; `cells` are the possible colours before it."""
    why = TECHNIQUES[step.technique].says
    if step.assumption is None:
        assert step.line is not None
        words, reasons = _reasons(puzzle, step.line, step.ruled, cells, step.technique)
        ruled = frozenset(pair for reason in reasons for pair in reason.ruled)
        brief = f"{words.heading()}: {words.conclusion(ruled, words.line)}."
        return _sentences(words, reasons), brief, words.hint(reasons[0]) or why
    refuted, before = step.assumption, list(cells)
    where = describe_cell(puzzle, refuted.place)
    before[refuted.place] = 1 << refuted.color
    sentences = [f"Suppose {where} were {color_name(puzzle, refuted.color)}."]
    for then in refuted.then:
        sentences.append(_sentences(*_reasons(puzzle, then.line, then.ruled, before)))
        for place, color in then.ruled:
            before[place] &= ~(1 << color)
    sentences.append(f"Then {_lower(describe_contradiction(puzzle, refuted.end, before))}")
    row = line_words(puzzle, refuted.place // puzzle.width, cells)
    x = refuted.place % puzzle.width
    so = row.conclusion(frozenset({(x, refuted.color)}), row.line).removeprefix(row.cells([x]))
    return "\n".join([*sentences, f"So {where}{so}."]), f"{_upper(where)}{so}.", why


def line_words(puzzle: Puzzle, number: int, cells: Sequence[int]) -> LineWords:
    """Return the words for a line of a grid of possible colours."""
    clue, places = line_of(puzzle, number)
    return LineWords(puzzle, number, Line(clue, tuple(cells[place] for place in places)))


def _reasons(
    puzzle: Puzzle, number: int, ruled: Iterable[Ruled], cells: Sequence[int], technique: int = -1
) -> tuple[LineWords, list[Reason]]:
    """Return the words for a line, and the arguments by which it excludes colours from cells."""
    words, (_, places) = line_words(puzzle, number, cells), line_of(puzzle, number)
    return words, find_reasons(words.line, frozenset((places.index(place), color) for place, color in ruled), technique)


def _sentences(words: LineWords, reasons: Sequence[Reason]) -> str:
    """Say on which line, why and what some arguments exclude, a line each."""
    line, said = words.line, list[str]()
    for argument, reason in zip(words.arguments(reasons), reasons, strict=True):
        start = _upper(argument) if said else f"{words.heading()}: {argument}"
        said.append(f"{start}, so {words.conclusion(reason.ruled, line)}.")
        line = line.without(reason.ruled)
    return "\n".join(said)


def describe_contradiction(puzzle: Puzzle, number: int, cells: Sequence[int]) -> str:
    """Say why a line has no arrangement."""
    words = line_words(puzzle, number, cells)
    then, end = refutation(words.line)
    comma = "," * ("," in words.heading())
    return f"{words.heading()}{comma} has no arrangement: {words.then(then)}{words.argument(end)}."


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
        yield GridState(grid, marked, rows, columns, f"{described.number}. {described.brief}")


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
        return f"{describe_contradiction(puzzle, explanation.end, explanation.cells)} The puzzle has no solution."
    if explanation.state == "open":
        left = f"{counted(open_, 'cell')} {'is' if open_ == 1 else 'are'}"
        return f"{left} left open: only assumptions inside assumptions lead on."
    return f"The time ran out with {counted(open_, 'cell')} left open."


def describe_line(puzzle: Puzzle, line: int) -> str:
    """Describe a line with its clue: `Row 3 (4 2)`; rows are numbered before columns."""
    if line < puzzle.height:
        return f"Row {line + 1} ({clue_words(puzzle, puzzle.rows[line])})"
    column = line - puzzle.height
    return f"Column {column + 1} ({clue_words(puzzle, puzzle.columns[column])})"


def describe_lines(puzzle: Puzzle, lines: Sequence[int]) -> str:
    """Describe lines without their clues: `Rows 1 to 4, row 6, columns 2 and 3`; rows are numbered before columns."""
    sides = [("row", line + 1) if line < puzzle.height else ("column", line - puzzle.height + 1) for line in lines]
    parts = []
    for (side, _), run in groupby(enumerate(sides), lambda each: (each[1][0], each[1][1] - each[0])):
        numbers = [number for _, (_, number) in run]
        to = "and" if len(numbers) == 2 else "to"
        parts.append(f"{side} {numbers[0]}" if len(numbers) == 1 else f"{side}s {numbers[0]} {to} {numbers[-1]}")
    text = ", ".join(parts)
    return _upper(text)


def describe_cell(puzzle: Puzzle, place: int) -> str:
    """Describe a cell by its index, row by row."""
    y, x = divmod(place, puzzle.width)
    return f"row {y + 1}, column {x + 1}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
