"""The steps of an explanation for a reader: none that later ones make needless, and alike ones together.

Steps stay claims about one line that its cells show, so the certificate checker can verify them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from nonocensus.reports.words.line_ranges import Line, Pairs
from nonocensus.reports.words.line_reasons import RULES, Reason, find_reasons
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.techniques import CLUE, COUNTING, PUNCTUATING
from nonocensus.solver.people.explanation import Explanation, Step
from nonocensus.solver.proofs.record import Ruled, exclude

AHEAD = 100
"""Steps among which those like another one are sought."""

MOST_WEIGHED = 1500
"""Maximum number of steps to prune: that takes seconds, and minutes for four times as many."""

Cells = Sequence[int] | Mapping[int, int]
"""The possible colours of all cells, or of those of a line by their indices, a bit each."""

Look = tuple[Step, dict[int, int]]
"""A step, and the cells of its line before it; none for an assumption."""


def reading_order(explanation: Explanation, is_hint: bool = False) -> tuple[list[list[Step]], bool]:
    """Return the needed steps in groups of alike ones, and whether the first group excludes what clues lack.

    The last step of a hint is alone, after those that it needs.
    """
    puzzle, (lacking, steps) = explanation.puzzle, ([], explanation.steps) if is_hint else _lacking_first(explanation)
    begun, looks = list(explanation.start), list[Look]()
    exclude(begun, (pair for step in lacking for pair in step.ruled))
    cells = list(begun)
    for step in steps:
        for part in _by_argument(puzzle, step, cells):
            looks.append((part, {place: cells[place] for place in places_of(puzzle, step.line)}))
            exclude(cells, part.ruled)
    for k in reversed(range(len(looks) if len(looks) <= MOST_WEIGHED else 0)):
        without = _without(explanation, looks[k:])
        looks[k:] = looks[k:] if without is None else without
    needed = [step for step, _ in looks]
    last = list(takewhile(lambda step: step[:2] == needed[-1][:2], reversed(needed)))[::-1] if is_hint else []
    groups = [*_together(puzzle, needed[: len(needed) - len(last)], begun), *_together(puzzle, last, begun)]
    return [lacking] * bool(lacking) + groups, bool(lacking)


def places_of(puzzle: Puzzle, number: int | None) -> range:
    """Return the cells of a line, none without one; rows are numbered before columns."""
    if number is None:
        return range(0)
    if number < puzzle.height:
        return range(number * puzzle.width, (number + 1) * puzzle.width)
    return range(number - puzzle.height, puzzle.width * puzzle.height, puzzle.width)


def line_of(puzzle: Puzzle, number: int, cells: Cells) -> Line:
    """Return a line of a grid of possible colours."""
    return Line((puzzle.rows + puzzle.columns)[number], tuple(cells[place] for place in places_of(puzzle, number)))


def reasons_of(puzzle: Puzzle, number: int, ruled: Iterable[Ruled], cells: Cells, technique: int) -> list[Reason]:
    """Return the arguments by which a line excludes colours from cells, those of a technique first."""
    places = places_of(puzzle, number)
    pairs = frozenset((places.index(place), color) for place, color in ruled)
    return find_reasons(line_of(puzzle, number, cells), pairs, technique)


def union(steps: Sequence[Step]) -> Step:
    """Return steps of a technique and line as one."""
    return steps[0]._replace(ruled=tuple(pair for step in steps for pair in step.ruled))


def shown_by(puzzle: Puzzle, step: Step, cells: Cells) -> set[Ruled]:
    """Return what the arguments of a step's technique exclude that have to do with what it excludes."""
    if step.line is None:
        return set()
    places = places_of(puzzle, step.line)
    said = {(places.index(place), color) for place, color in step.ruled}
    shown = (pairs for pairs in _arguments(step.technique, line_of(puzzle, step.line, cells)) if pairs & said)
    return {(places[x], color) for pairs in shown for x, color in pairs}


@lru_cache(65_536)
def _arguments(technique: int, line: Line) -> list[Pairs]:
    """Return what each argument of a technique excludes on a line."""
    return [reason.ruled for rule in RULES.get(technique, ()) for reason in rule(line)]


def _lacking_first(explanation: Explanation) -> tuple[list[Step], list[Step]]:
    """Return steps that exclude the colours that clues lack, one for each line, and the steps without these colours."""
    puzzle, lacking = explanation.puzzle, list[Step]()
    left = {pair for step in explanation.steps if step.technique == CLUE for pair in step.ruled}
    for number, clue in enumerate(puzzle.rows + puzzle.columns):
        places, colors = places_of(puzzle, number), {0, *(block.color for block in clue)}
        if ruled := sorted((place, color) for place, color in left if place in places and color not in colors):
            left -= set(ruled)
            lacking.append(Step(CLUE, number, tuple(ruled)))
    if puzzle.colors < 2 or len(lacking) < 2:
        return [], explanation.steps
    gone = {pair for step in lacking for pair in step.ruled}
    rest = (step._replace(ruled=tuple(pair for pair in step.ruled if pair not in gone)) for step in explanation.steps)
    return lacking, [step for step in rest if step.ruled]


def _by_argument(puzzle: Puzzle, step: Step, cells: Cells) -> list[Step]:
    """Return a step on a line for each of its arguments."""
    if step.line is None:
        return [step]
    places, reasons = places_of(puzzle, step.line), reasons_of(puzzle, step.line, step.ruled, cells, step.technique)
    return [step._replace(ruled=tuple((places[x], color) for x, color in sorted(each.ruled))) for each in reasons]


def _without(explanation: Explanation, looks: Sequence[Look]) -> list[Look] | None:
    """Return the steps after the first one without what that excludes; None if they, or the end, need it."""
    missing, changed = set(looks[0][0].ruled), list(looks[1:])
    for number, (step, known) in enumerate(changed):
        if not missing:
            break
        if step.line is None:
            return None
        if back := [pair for pair in missing if pair[0] in known]:
            weaker = dict(known)
            for place, color in back:
                weaker[place] |= 1 << color
            shown = shown_by(explanation.puzzle, step, weaker)
            if not shown.issuperset(step.ruled):
                return None
            changed[number] = step._replace(ruled=tuple(sorted({*step.ruled, *(shown & missing)}))), weaker
            missing -= shown
    is_open = explanation.end is None and all(explanation.cells[k] & (explanation.cells[k] - 1) for k, _ in missing)
    return changed if is_open or not missing else None


def _together(puzzle: Puzzle, rest: list[Step], cells: list[int]) -> Iterator[list[Step]]:
    """Yield steps of a technique with later ones that hold before, and what counting then shows on their lines.

    Each says all that its arguments show, by complete blocks if these show it; the cells are updated.
    """
    kept = max(rest, key=lambda step: step.technique, default=None)  # so that the hardest technique is named
    while rest:
        first, group, begun, lines = rest[0], list[Step](), list(cells), dict[int | None, list[Ruled]]()
        for step in rest[:AHEAD]:
            if step is not first and step.line is None:
                break  # what an assumption leads to rests on the grid as it was
            known = {place: begun[place] for place in places_of(puzzle, step.line)}
            exclude(known, lines.get(step.line, ()))
            left = {pair for pair in step.ruled if cells[pair[0]] >> pair[1] & 1}
            told = step._replace(ruled=tuple(left))
            told = told if step is kept else _by_found(puzzle, told, known)
            if group and told.technique not in (group[0].technique, COUNTING if step.line in lines else None):
                continue
            shown = shown_by(puzzle, told, known)
            if step is first or shown.issuperset(left):
                rest.remove(step)
                said = sorted(left | {pair for pair in shown if cells[pair[0]] >> pair[1] & 1})
                group += [told._replace(ruled=tuple(said))] * bool(said)
                lines.setdefault(step.line, []).extend(said)
                exclude(cells, said)
        if group:
            yield group


def _by_found(puzzle: Puzzle, step: Step, cells: Cells) -> Step:
    """Return a step as one of an easier technique if complete blocks alone show it."""
    easier = (step._replace(technique=technique) for technique in (COUNTING, PUNCTUATING) if technique < step.technique)
    if step.line is None or not all(color for _, color in step.ruled):
        return step
    return next((each for each in easier if shown_by(puzzle, each, cells).issuperset(each.ruled)), step)
