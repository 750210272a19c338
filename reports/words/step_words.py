"""The steps of an explanation in plain English, and as states of the grid."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.words.formatting import count_text, join_words
from nonocensus.reports.words.line_ranges import Line
from nonocensus.reports.words.line_reasons import Reason, find_reasons, refutation
from nonocensus.reports.words.reason_words import HINTS, LineWords, clue_words, color_name, name_lines
from nonocensus.solver.model.puzzle import Clue, Puzzle
from nonocensus.solver.model.techniques import CLUE, TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, Step
from nonocensus.solver.proofs.record import RecordedAssumption, Ruled

AnyStep = TypeVar("AnyStep")

MOST_NAMED = 12
"""Groups of rows that a step about the whole grid names."""


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
    brief    where and what follows, for a caption; of several lines, the first
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
    """Describe all steps for a reader: consecutive ones of a line and technique are one.

    So are those of a technique on several lines that decide no cell, but only exclude colours, and those of which the
    same is said; and colours that clues lack are excluded first of all, in one step.
    """
    explanation, lacking = lacking_first(explanation)
    groups: list[list[Step]] = [explanation.steps[:lacking]] * bool(lacking)
    was_decisive = True
    pairs = list(zip(explanation.steps, explanation.decisive(), strict=True))[lacking:]
    for k, (step, is_decisive) in enumerate(pairs):
        is_same = k > 0 and step.line is not None and groups[-1][-1].technique == step.technique
        is_on = is_same and groups[-1][-1].line == step.line
        if is_on or (is_same and not (was_decisive or is_decisive)):
            groups[-1].append(step)
        else:
            groups.append([step])
        was_decisive = is_decisive or (is_on and was_decisive)
    puzzle, cells = explanation.puzzle, list(explanation.start)
    described = list[_StepGroup]()
    for steps in groups:
        before = list(cells)
        runs = [list(run) for _, run in groupby(steps, lambda step: step.line)]
        words = [_describe_run(puzzle, run, cells) for run in runs]
        said = [_Said(run[0].line, clue, what) for run, (clue, what, _, _) in zip(runs, words, strict=True)]
        brief, why = words[0][2:]
        if lacking and not described:
            why = HINTS["lacks"]
            decided = [place for place in range(len(cells)) if before[place] != cells[place] == 1]
            said = [_Said(None, "", _lacking_words(puzzle, decided))]
        if earlier := _earlier(puzzle, described, steps[0].technique, said):
            earlier.steps.extend(steps)
            earlier.said.extend(said)
        else:
            described.append(_StepGroup(list(steps), said, brief, why))
    for number, (steps, said, brief, why) in enumerate(described, 1):
        lines = tuple(dict.fromkeys(step.line for step in steps if step.line is not None))
        ruled = tuple(ruled for step in steps for ruled in step.ruled)
        merged = MergedStep(steps[0].technique, lines, ruled, steps[0].assumption)
        what = "\n".join(_headed(puzzle, alike) for alike in _alike(puzzle, said))
        yield DescribedStep(number, merged, what, brief, why)


class _Said(NamedTuple):
    """What is said of a line, without naming it and its clue; line None: of an assumption, or of the whole grid."""

    line: int | None
    clue: str
    what: str


class _StepGroup(NamedTuple):
    """Steps that are described as one, and what is said of each line."""

    steps: list[Step]
    said: list[_Said]
    brief: str
    why: str


def _earlier(puzzle: Puzzle, merged: list[_StepGroup], technique: int, said: list[_Said]) -> _StepGroup | None:
    """Return the step that says the same of other rows or other columns, with steps of such lines alone in between."""
    for earlier in reversed(merged):
        lines = [each.line for each in earlier.said + said]
        is_row = {line is not None and line < puzzle.height for line in lines}
        if earlier.steps[0].technique != technique or len(is_row) > 1 or None in lines:
            return None
        if len(list(_alike(puzzle, earlier.said + said))) == 1:
            return earlier
    return None


def _alike(puzzle: Puzzle, said: Sequence[_Said]) -> Iterator[list[_Said]]:
    """Yield what is said of consecutive rows or columns, those together of which the same is said."""
    for _, same in groupby(said, lambda each: (each.line is not None and each.line < puzzle.height, each.what)):
        yield list(same)


def _headed(puzzle: Puzzle, alike: list[_Said]) -> str:
    """Name some lines, with their clue if it is the same, before what is said of them."""
    lines, clues = sorted(each.line for each in alike if each.line is not None), {each.clue for each in alike}
    if not lines:
        return alike[0].what
    clue = clues.pop() if len(clues) == 1 else ""
    return f"{describe_lines(puzzle, lines)}{', ' * bool(clue)}{clue}: {alike[0].what}"


def lacking_first(explanation: Explanation) -> tuple[Explanation, int]:
    """Move the colours that clues lack to the first steps, one for each line; return the number of these steps."""
    puzzle, lacking = explanation.puzzle, list[Step]()
    left = {pair for step in explanation.steps if step.technique == CLUE for pair in step.ruled}
    for number in range(puzzle.height + puzzle.width):
        clue, places = line_of(puzzle, number)
        colors = {0, *(block.color for block in clue)}
        if ruled := sorted((place, color) for place, color in left if place in places and color not in colors):
            left -= set(ruled)
            lacking.append(Step(CLUE, number, tuple(ruled)))
    if puzzle.colors < 2 or len(lacking) < 2:
        return explanation, 0
    gone = {pair for step in lacking for pair in step.ruled}
    rest = (step._replace(ruled=tuple(pair for pair in step.ruled if pair not in gone)) for step in explanation.steps)
    return explanation._replace(steps=[*lacking, *(step for step in rest if step.ruled)]), len(lacking)


def _lacking_words(puzzle: Puzzle, decided: list[int]) -> str:
    """Say that cells lack the colours that one of their two clues lacks, and which are background by that."""
    said = "A cell can only have a colour that stands both in the clue of its row and in the clue of its column"
    if not decided:
        return f"{said}."
    columns: dict[int, list[int]] = {}
    for place in decided:
        columns.setdefault(place // puzzle.width, []).append(place % puzzle.width)
    rows: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for y, xs in columns.items():
        colors = tuple(sorted({block.color for block in puzzle.rows[y]}))
        rows.setdefault((colors, name_lines("column", xs)), []).append(y)
    where = [
        f"{name_lines('row', ys)} ({join_words([color_name(puzzle, c) for c in colors], 'or') or 'no block'}) in {at}"
        for (colors, at), ys in rows.items()
    ]
    named = "; ".join(where) if len(where) <= MOST_NAMED else f"{len(decided)} cells"
    return f"{said}. Where these share none, it is {color_name(puzzle, 0)}: {named}."


def _describe_run(puzzle: Puzzle, steps: list[Step], cells: list[int]) -> tuple[str, str, str, str]:
    """Describe consecutive steps of a line and technique, by one argument if there is one for all; update the cells.

    The clue is apart from `what`, which does not name the line.
    """
    whole = describe_step(puzzle, steps[0]._replace(ruled=tuple(pair for step in steps for pair in step.ruled)), cells)
    line, is_one = steps[0].line, len(steps) == 1 or "\n" not in whole[0]
    described = []
    for step in steps:
        described += [] if is_one else [describe_step(puzzle, step, cells)]
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)
    if line is None:
        return "", *whole
    heading, _, what = whole[0].partition(": ")
    if described:
        first, *others = (what.partition(": ")[2] for what, _, _ in described)
        what = "\n".join([first, *map(_upper, others)])
    return heading.partition(", ")[2], what, whole[1], (described or [whole])[0][2]


def describe_step(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> tuple[str, str, str]:
    """Describe a step: `what`, `brief` and `why` of DescribedStep; `cells` are the possible colours before it."""
    why = TECHNIQUES[step.technique].says
    if step.assumption is None:
        assert step.line is not None
        words, reasons = _reasons(puzzle, step.line, step.ruled, cells, step.technique)
        ruled = frozenset(pair for reason in reasons for pair in reason.ruled)
        what = _sentences(words, reasons)
        return what, f"{words.heading()}: {words.conclusion(ruled, words.line)}.", words.hint(reasons[0]) or why
    refuted, before = step.assumption, list(cells)
    where = describe_cell(puzzle, refuted.place)
    before[refuted.place] = 1 << refuted.color
    sentences = [f"Assume {where} is {color_name(puzzle, refuted.color)}."]
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
        said.append(f"{_upper(argument) if said else argument}, so {words.conclusion(reason.ruled, line)}.")
        line = line.without(reason.ruled)
    return "\n".join([f"{words.heading()}: {said[0]}", *said[1:]])


def describe_contradiction(puzzle: Puzzle, number: int, cells: Sequence[int]) -> str:
    """Say why a line has no arrangement."""
    words = line_words(puzzle, number, cells)
    then, end = refutation(words.line)
    why = words.then(then) + words.argument(end)
    comma = "," * ("," in words.heading())
    return f"{words.heading()}{comma} has no arrangement: {why}."


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
        left = f"{count_text(open_, 'cell')} {'is' if open_ == 1 else 'are'}"
        return f"{left} left open: only assumptions inside assumptions lead on."
    return f"The time ran out with {count_text(open_, 'cell')} left open."


def describe_line(puzzle: Puzzle, line: int) -> str:
    """Describe a line with its clue: `Row 3 (4 2)`; rows are numbered before columns."""
    if line < puzzle.height:
        return f"Row {line + 1} ({clue_words(puzzle, puzzle.rows[line])})"
    column = line - puzzle.height
    return f"Column {column + 1} ({clue_words(puzzle, puzzle.columns[column])})"


def describe_lines(puzzle: Puzzle, lines: Sequence[int]) -> str:
    """Describe lines without their clues: `Rows 1 to 4 and 6, columns 2 and 3`; rows are numbered before columns."""
    sides = {"row": [line for line in lines if line < puzzle.height]}
    sides["column"] = [line - puzzle.height for line in lines if line >= puzzle.height]
    return _upper(", ".join(name_lines(side, places) for side, places in sides.items() if places))


def describe_cell(puzzle: Puzzle, place: int) -> str:
    """Describe a cell by its index, row by row."""
    y, x = divmod(place, puzzle.width)
    return f"row {y + 1}, column {x + 1}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
