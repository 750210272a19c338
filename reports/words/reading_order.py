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


def reading_order(explanation: Explanation) -> tuple[list[list[Step]], bool]:
    """Return the needed steps in groups of alike ones, and whether the first group excludes what clues lack."""
    puzzle, (lacking, steps) = explanation.puzzle, _lacking_first(explanation)
    begun, looks = list(explanation.start), list[_Look]()
    exclude(begun, (pair for step in lacking for pair in step.ruled))
    cells = list(begun)
    for step in steps:
        looks += _by_argument(_look(puzzle, step, cells))
        exclude(cells, step.ruled)
    for k in reversed(range(len(looks))):
        without = _without(explanation, looks[k:])
        looks[k:] = looks[k:] if without is None else without
    return [lacking] * bool(lacking) + list(_together(puzzle, [look.step for look in looks], begun)), bool(lacking)


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


def _lacking_first(explanation: Explanation) -> tuple[list[Step], list[Step]]:
    """Return steps that exclude the colours that clues lack, one for each line, and the steps without these colours."""
    puzzle, lacking = explanation.puzzle, list[Step]()
    left = {pair for step in explanation.steps if step.technique == CLUE for pair in step.ruled}
    for number in range(puzzle.height + puzzle.width):
        clue, places = line_of(puzzle, number)
        colors = {0, *(block.color for block in clue)}
        if ruled := sorted((place, color) for place, color in left if place in places and color not in colors):
            left -= set(ruled)
            lacking.append(Step(CLUE, number, tuple(ruled)))
    if puzzle.colors < 2 or len(lacking) < 2:
        return [], explanation.steps
    gone = {pair for step in lacking for pair in step.ruled}
    rest = (step._replace(ruled=tuple(pair for pair in step.ruled if pair not in gone)) for step in explanation.steps)
    return lacking, [step for step in rest if step.ruled]


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
    """Return the steps after the first one without what that excludes; None if they, or the end, need it."""
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


def _together(puzzle: Puzzle, rest: list[Step], cells: list[int]) -> Iterator[list[Step]]:
    """Yield steps of a technique on rows, or on columns, with later ones that hold before; update the cells.

    Each says all that its arguments show.
    """
    while rest:
        first, group = rest[0], list[Step]()
        for step in rest[:AHEAD]:
            if step is not first and step.line is None:
                break  # what an assumption leads to is told of the grid as it was
            left = step._replace(ruled=tuple(pair for pair in step.ruled if cells[pair[0]] >> pair[1] & 1))
            shown = _shown(_look(puzzle, left, cells))
            sides = {(each.line or 0) < puzzle.height for each in (first, step)}
            is_alike = step.technique == first.technique and len(sides) == 1
            if step is first or (is_alike and shown.issuperset(left.ruled)):
                rest.remove(step)
                group += [left._replace(ruled=tuple(sorted({*left.ruled, *shown})))] * bool(left.ruled)
                exclude(cells, shown.union(left.ruled))
        if group:
            yield group
