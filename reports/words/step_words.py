"""The steps of an explanation in plain English, and as states of the grid."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.words.formatting import count_text, join_words
from nonocensus.reports.words.line_reasons import Reason, refutation
from nonocensus.reports.words.reading_order import line_of, reading_order, reasons_of, shown_by, union
from nonocensus.reports.words.reason_words import LONGEST_PIECES, LineWords, clue_words, color_name, name_lines
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, Step
from nonocensus.solver.proofs.record import RecordedAssumption, Ruled, exclude

MOST_SENTENCES = 4
"""Sentences of a step, unless those of one line are more."""

MOST_NAMED = 12
"""Groups of rows that a step about the whole grid names."""

NO_STEP = {
    "solved": "The grid is solved: nothing is left to do.",
    "none": "The puzzle has no solution.",
    "open": "Only assumptions inside assumptions lead on.",
    "multiple": "The puzzle has several solutions, so steps can't decide every cell.",
    "timeout": "No step was found within the time limit.",
}
"""Why there is no next step, by the kind of a hint."""


class DescribedStep(NamedTuple):
    """A step, or several, in words.

    number       from 1
    technique    index in TECHNIQUES
    lines        the lines used, rows before columns; none for an assumption
    ruled        excluded colours: pairs of cell index and colour
    assumption   as of the explanation's step
    what         sentences that say where, why and what follows, one per line
    why          how to look at the first line, in a sentence that gives nothing away
    brief        where and what follows, for the caption of a single step
    """

    number: int
    technique: int
    lines: tuple[int, ...]
    ruled: tuple[Ruled, ...]
    assumption: RecordedAssumption | None
    what: str
    why: str
    brief: str = ""


def describe_steps(explanation: Explanation) -> Iterator[DescribedStep]:
    """Describe all steps."""
    cells = list(explanation.start)
    for number, step in enumerate(explanation.steps, 1):
        yield _described(number, [step], *describe_step(explanation.puzzle, step, cells))
        exclude(cells, step.ruled)


def _described(number: int, steps: Sequence[Step], *words: str) -> DescribedStep:
    lines = tuple(dict.fromkeys(step.line for step in steps if step.line is not None))
    return DescribedStep(number, steps[0].technique, lines, union(steps).ruled, steps[0].assumption, *words)


def describe_merged(explanation: Explanation, is_hint: bool = False) -> Iterator[DescribedStep]:
    """Describe the steps that a reader needs; those of a technique that hold at once are one.

    So are lines of which the same is said; and colours that clues lack are excluded first of all, in one step. The last
    step of a hint has one line.
    """
    groups, is_lacking = reading_order(explanation, is_hint)
    puzzle, cells, number = explanation.puzzle, list(explanation.start), 0
    for steps in groups:
        before, ordered = list(cells), sorted(steps, key=lambda step: step.line or 0)
        runs = [_describe_run(puzzle, list(run), list(before)) for _, run in groupby(ordered, lambda step: step.line)]
        exclude(cells, union(steps).ruled)
        if is_lacking and not number:
            decided = [place for place in range(len(cells)) if before[place] != cells[place] == 1]
            runs = [_Run(steps, None, _lacking_words(puzzle, decided), runs[0].why)]
        for said in _at_once(runs):
            number += 1
            steps = [step for alike in said for run in alike for step in run.steps]
            what = "\n".join(_headed(puzzle, alike) for alike in said)
            yield _described(number, steps, what, said[0][0].why)


class _Run(NamedTuple):
    """Steps of a line and what is said of them, without the line and its clue, which are not named if that is None."""

    steps: list[Step]
    clue: str | None
    what: str
    why: str


def _at_once(runs: Iterable[_Run]) -> Iterator[list[list[_Run]]]:
    """Yield what one step says: a few sentences, each with the lines of which it is said."""
    alike: dict[str, list[_Run]] = {}
    for run in runs:
        alike.setdefault(run.what, []).append(run)
    said = list[list[_Run]]()
    for same in alike.values():
        if said and sum(runs[0].what.count("\n") + 1 for runs in (*said, same)) > MOST_SENTENCES:
            yield said
            said = []
        said.append(same)
    yield said


def _headed(puzzle: Puzzle, alike: list[_Run]) -> str:
    """Name some lines, with their clue, or with each one's if all are short, before what is said of them."""
    clues = [run.clue for run in alike if run.clue is not None]
    if not clues:
        return alike[0].what
    lines = [run.steps[0].line for run in alike if run.steps[0].line is not None]
    clue = f"clues {'; '.join(each.removeprefix('clue ') for each in clues)}" if len({*clues}) > 1 else clues[0]
    named = f", {clue}" if all(clues) and len(clue) <= LONGEST_PIECES else ""
    return f"{describe_lines(puzzle, lines)}{named}: {alike[0].what}"


def _lacking_words(puzzle: Puzzle, decided: list[int]) -> str:
    """Say that cells lack the colours that one of their two clues lacks, and which are background by that."""
    said = "A cell can only have a colour that stands both in the clue of its row and in the clue of its column"
    if not decided:
        return f"{said}."
    rows: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for y, places in groupby(decided, lambda place: place // puzzle.width):
        colors = tuple(sorted({block.color for block in puzzle.rows[y]}))
        rows.setdefault((colors, name_lines("column", (place % puzzle.width for place in places))), []).append(y)
    where = [
        f"{name_lines('row', ys)} ({join_words([color_name(puzzle, c) for c in colors], 'or') or 'no block'}) in {at}"
        for (colors, at), ys in rows.items()
    ]
    named = "; ".join(where) if len(where) <= MOST_NAMED else f"{len(decided)} cells"
    return f"{said}. Where these share none, it is {color_name(puzzle, 0)}: {named}."


def _describe_run(puzzle: Puzzle, steps: list[Step], cells: list[int]) -> _Run:
    """Describe the steps of a line, at once if they hold at once; update the cells."""
    described, clue = list[tuple[str, str, str]](), None
    for _, alike in groupby(steps, lambda step: step.technique):
        whole = union(some := list(alike))
        for step in [whole] if shown_by(puzzle, whole, cells).issuperset(whole.ruled) else some:
            described.append(describe_step(puzzle, step, cells))
            exclude(cells, step.ruled)
    said = [what for what, *_ in described]
    if steps[0].line is not None:
        clue = said[0].partition(": ")[0].partition(", ")[2]
        said = [what.partition(": ")[2] for what in said]
    return _Run(steps, clue, "\n".join([said[0], *map(_upper, said[1:])]), described[0][1])


def describe_step(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> tuple[str, str, str]:
    """Describe a step: `what`, `why` and `brief` of DescribedStep; `cells` are the possible colours before it."""
    why = TECHNIQUES[step.technique].says
    if step.assumption is None:
        assert step.line is not None
        words = LineWords(puzzle, step.line, line_of(puzzle, step.line, cells))
        reasons = reasons_of(puzzle, step.line, step.ruled, cells, step.technique)
        ruled = frozenset(pair for reason in reasons for pair in reason.ruled)
        what = sentences(words, reasons)
        return what, words.hint(reasons[0]) or why, f"{words.heading()}: {words.conclusion(ruled, words.line)}."
    refuted, before = step.assumption, list(cells)
    where = describe_cell(puzzle, refuted.place)
    before[refuted.place] = 1 << refuted.color
    said = [f"Assume {where} is {color_name(puzzle, refuted.color)}."]
    for then in refuted.then:
        words = LineWords(puzzle, then.line, line_of(puzzle, then.line, before))
        said.append(sentences(words, reasons_of(puzzle, then.line, then.ruled, before, -1)))
        exclude(before, then.ruled)
    end = describe_contradiction(puzzle, refuted.end, before)
    said.append(f"Then {end[0].lower()}{end[1:]}")
    y, x = divmod(refuted.place, puzzle.width)
    row = LineWords(puzzle, y, line_of(puzzle, y, cells))
    so = row.conclusion(frozenset({(x, refuted.color)}), row.line).removeprefix(row.cells([x]))
    return "\n".join([*said, f"So {where}{so}."]), why, f"{_upper(where)}{so}."


def sentences(words: LineWords, reasons: Sequence[Reason]) -> str:
    """Say on which line, why and what some arguments exclude, one per line."""
    line, said = words.line, list[str]()
    for argument, reason in zip(words.arguments(reasons), reasons, strict=True):
        sentence = f"{_sentenced(argument)}, so {words.conclusion(reason.ruled, line)}."
        said.append(_upper(sentence) if said else sentence)
        line = line.without(reason.ruled)
    return "\n".join([f"{words.heading()}: {said[0]}", *said[1:]])


def describe_contradiction(puzzle: Puzzle, number: int, cells: Sequence[int]) -> str:
    """Say why a line has no arrangement."""
    words = LineWords(puzzle, number, line_of(puzzle, number, cells))
    then, end = refutation(words.line)
    why = words.then(then) + words.argument(end)
    comma = "," * ("," in words.heading())
    return f"{words.heading()}{comma} has no arrangement: {_sentenced(why)}."


def grid_states(explanation: Explanation) -> Iterator[GridState]:
    """Yield the grid before the first step and after each, with the step's cells and line highlighted."""
    puzzle, cells = explanation.puzzle, list(explanation.start)
    yield GridState(known_grid(cells, puzzle.width))
    for described in describe_steps(explanation):
        marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
        exclude(cells, described.ruled)
        marked.ravel()[[place for place, _ in described.ruled]] = True
        rows = tuple(line for line in described.lines if line < puzzle.height)
        columns = tuple(line - puzzle.height for line in described.lines if line >= puzzle.height)
        words = f"{described.number}. {described.brief}"
        yield GridState(known_grid(cells, puzzle.width), marked, rows, columns, words)


def known_grid(cells: list[int], width: int) -> np.ndarray:
    """Return the palette entries of cells that are sets of colours, a bit each; UNKNOWN if there are several."""
    entries = (UNKNOWN if colors & (colors - 1) else colors.bit_length() - 1 for colors in cells)
    return np.fromiter(entries, np.uint8).reshape(-1, width)


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
    if explanation.state in ("open", "multiple"):
        left = f"{count_text(open_, 'cell')} {'is' if open_ == 1 else 'are'}"
        return f"{left} left open. {NO_STEP[explanation.state]}"
    return f"The time ran out with {count_text(open_, 'cell')} left open."


def describe_line(puzzle: Puzzle, line: int) -> str:
    """Describe a line with its clue: `Row 3 (4 2)`; rows are numbered before columns."""
    return f"{describe_lines(puzzle, [line])} ({clue_words(puzzle, (puzzle.rows + puzzle.columns)[line])})"


def describe_lines(puzzle: Puzzle, lines: Sequence[int]) -> str:
    """Describe lines without their clues: `Rows 1 to 4 and 6, columns 2 and 3`; rows are numbered before columns."""
    sides = {"row": [line for line in lines if line < puzzle.height]}
    sides["column"] = [line - puzzle.height for line in lines if line >= puzzle.height]
    return _upper(", ".join(name_lines(side, places) for side, places in sides.items() if places))


def describe_cell(puzzle: Puzzle, place: int) -> str:
    """Describe a cell by its index, row by row."""
    y, x = divmod(place, puzzle.width)
    return f"row {y + 1}, column {x + 1}"


def _sentenced(argument: str) -> str:
    """Make a sentence of each part of an argument but the first, which follows a colon."""
    first, *others = argument.split("; ")
    return ". ".join([first, *map(_upper, others)])


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
