"""The steps of an explanation for a reader: none that later ones make needless, and alike ones together.

Steps stay claims about one line that its cells show, so the certificate checker can verify them.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from nonocensus.reports.words.line_ranges import Line, Pairs
from nonocensus.reports.words.line_reasons import RULES, find_reasons
from nonocensus.solver.model.puzzle import Clue, Puzzle
from nonocensus.solver.model.techniques import CLUE
from nonocensus.solver.people.explanation import Explanation, Step, exclude
from nonocensus.solver.proofs.record import Ruled

AHEAD = 100
"""Steps among which those like another one are sought."""


class _Look(NamedTuple):
    """A step, and its line as known before; an assumption has no line."""

    step: Step
    line: Line | None
    places: range


def reading_order(explanation: Explanation) -> tuple[Explanation, int]:
    """Return the needed steps, alike ones together; the first ones, whose number is returned, say what clues lack."""
    explanation, lacking = _lacking_first(explanation)
    steps = _together(explanation, _needed(explanation, lacking), lacking)
    shorter = explanation._replace(steps=steps)
    return shorter._replace(cells=[shorter.start, *shorter.grids()][-1]), lacking


def is_alike(step: Step, other: Step, height: int) -> bool:
    """Return whether steps are of a technique on lines that share no cell, or on the same one."""
    if step.line is None or other.line is None:
        return False
    return step.technique == other.technique and (step.line < height) == (other.line < height)


def union(steps: Sequence[Step]) -> Step:
    """Return steps of a technique and line as one."""
    return steps[0]._replace(ruled=tuple(pair for step in steps for pair in step.ruled))


def holds(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> bool:
    """Return whether arguments of its technique show what a step excludes on its line."""
    return _shown(_look(puzzle, step, cells)).issuperset(step.ruled)


def line_of(puzzle: Puzzle, line: int) -> tuple[Clue, range]:
    """Return the clue and the cells of a line; rows are numbered before columns."""
    if line < puzzle.height:
        return puzzle.rows[line], range(line * puzzle.width, (line + 1) * puzzle.width)
    column = line - puzzle.height
    return puzzle.columns[column], range(column, puzzle.width * puzzle.height, puzzle.width)


def _lacking_first(explanation: Explanation) -> tuple[Explanation, int]:
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


@lru_cache(65_536)
def _arguments(technique: int, line: Line) -> list[Pairs]:
    """Return what each argument of a technique excludes on a line."""
    return [reason.ruled for rule in RULES.get(technique, ()) for reason in rule(line)]


def _shown(look: _Look) -> set[Ruled]:
    """Return what the arguments of a step exclude, as far as they have to do with what it says."""
    step, line, places = look
    if line is None:
        return set()
    said = {(places.index(place), color) for place, color in step.ruled}
    shown = (pairs for pairs in _arguments(step.technique, line) if pairs & said)
    return {(places[x], color) for pairs in shown for x, color in pairs}


def _look(puzzle: Puzzle, step: Step, cells: Sequence[int]) -> _Look:
    if step.line is None:
        return _Look(step, None, range(0))
    clue, places = line_of(puzzle, step.line)
    return _Look(step, Line(clue, tuple(cells[place] for place in places)), places)


def _needed(explanation: Explanation, lacking: int) -> list[Step]:
    """Leave out, from the last step on, arguments that no later one needs if these decide the same cells."""
    cells, looks = list(explanation.start), list[_Look]()
    for number, step in enumerate(explanation.steps):
        looks += _by_argument(_look(explanation.puzzle, step, cells)) if number >= lacking else []
        exclude(cells, step.ruled)
    for k in reversed(range(len(looks))):
        without = _without(explanation, looks[k:])
        if without is not None:
            looks[k:] = without
    return [*explanation.steps[:lacking], *(look.step for look in looks)]


def _by_argument(look: _Look) -> Iterator[_Look]:
    """Yield a step on a line for each of its arguments."""
    step, line, places = look
    if line is None:
        yield look
        return
    reasons = find_reasons(line, frozenset((places.index(place), color) for place, color in step.ruled), step.technique)
    for reason in reasons:
        ruled = tuple((places[x], color) for x, color in sorted(reason.ruled))
        yield _Look(step._replace(ruled=ruled), line, places)
        line = line.without(reason.ruled)


def _without(explanation: Explanation, looks: Sequence[_Look]) -> list[_Look] | None:
    """Return the steps after the first one without what that excludes; None if they then lack a premise or a result."""
    missing, changed = set(looks[0].step.ruled), list(looks[1:])
    for number, look in enumerate(changed):
        if not missing:
            return changed
        if look.line is None:
            return None
        if back := [(look.places.index(place), color) for place, color in missing if place in look.places]:
            weaker = look._replace(line=look.line.including(back))
            shown = _shown(weaker)
            if not shown.issuperset(look.step.ruled):
                return None
            ruled = tuple(sorted({*look.step.ruled, *(shown & missing)}))
            changed[number] = weaker._replace(step=look.step._replace(ruled=ruled))
            missing -= shown
    is_open = explanation.end is None and all(explanation.cells[k] & (explanation.cells[k] - 1) for k, _ in missing)
    return changed if is_open or not missing else None


def _together(explanation: Explanation, steps: list[Step], lacking: int) -> list[Step]:
    """Move steps forward to one that they are like, if they hold there; each then says all that its arguments show."""
    puzzle, ordered, rest = explanation.puzzle, steps[:lacking], steps[lacking:]
    cells = list(explanation.start)
    for step in ordered:
        exclude(cells, step.ruled)
    while rest:
        first = rest[0]
        for step in rest[:AHEAD]:
            if step is not first and step.line is None:
                break  # what an assumption leads to is told of the grid as it was
            left = step._replace(
                ruled=tuple((place, color) for place, color in step.ruled if cells[place] >> color & 1)
            )
            shown = _shown(_look(puzzle, left, cells))
            if step is first or (is_alike(first, step, puzzle.height) and shown.issuperset(left.ruled)):
                rest.remove(step)
                if left.ruled:
                    ordered.append(left._replace(ruled=tuple(sorted({*left.ruled, *shown}))))
                    exclude(cells, ordered[-1].ruled)
    return ordered
