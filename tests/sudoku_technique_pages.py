"""docs/SUDOKU_TECHNIQUES.md and its pictures: the ladder as the program has it, and what a technique finds."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sudoku_desks import known
from sudoku_technique_examples import EXAMPLES
from technique_pages import linked

from nonocensus.solver.model import sudoku_techniques
from nonocensus.solver.model.sudoku_techniques import LEVELS, TECHNIQUES
from nonocensus.solver.sudoku.techniques.chains import FOUND
from nonocensus.solver.sudoku.techniques.patterns import reason_of
from nonocensus.solver.sudoku.techniques.steps import Node, SudokuRefutation, candidates, rules_of
from nonocensus.solver.sudoku.techniques.sudoku_desk import desk_for, lay_down
from nonocensus.solver.sudoku.techniques.sudoku_person import take_step

FOLDER = "sudoku-techniques"
"""The folder of the page's pictures."""

HEAD = """# Techniques and grades of Sudokus

How hard a Sudoku is for people. `nonocensus grade` solves it as a person would: with the named techniques of the table
below, always with the easiest one that still finds something. [COMMANDS.md](COMMANDS.md) has its options, and
[TECHNIQUES.md](TECHNIQUES.md) the techniques for nonograms.

    nonocensus grade some.sdk                   # the grade of each puzzle
    nonocensus grade run                        # a run keeps the grades, for its report, dataset and export
    nonocensus query run "select hardest, count(*) from grades group by 1"

## Definitions

- **grade**: 1 to 9, the grade of the hardest technique that the puzzle needs. Only a puzzle with exactly one solution
  has one; the others have a status or a verdict that says why. It does not depend on the order of work: with more
  known, the techniques up to any of them find no less.
- **hardest**: the name of that technique.
- **step**: a technique finds something: it writes a digit down, or takes digits away. After each step all begins again
  at the easiest technique.
- **work**: steps, divided by the cells that are to be filled. It is 1 where singles are enough.
- **open**: cells that all techniques but `search` leave open.

Rows, columns and boxes are units. Cells see each other if they share a unit. Digits that a cell may still have are its
candidates, and a person is supposed to write them all down.

## The scale

Published scales agree on this order: singles, then locked candidates and pairs, then larger subsets and fish, then
wings, then chains, then assumptions that are followed. Where they differ, grades follow the levels of HoDoKu (those of
its default settings), which have words:

| grade | level | Sudoku Explainer 1.2.1 |
|---|---|---|
| 1, 2 | easy | 1.0 to 2.3 |
| 3, 4 | medium | 2.6 to 4.0 |
| 5, 6 | hard | 3.2 to 5.4 |
| 7 | unfair | 6.5 to 7.5 |
| 8, 9 | extreme | above 7.5 |

Sudoku Explainer's ratings of these techniques are beside them for orientation. It goes by the size of a pattern,
whatever its kind: x-wings (3.2) come before hidden pairs (3.4), quads (5.0 and 5.4) after wings (4.2 and 4.4). Both
programs have techniques that are missing here: uniqueness (which takes for granted that there is one solution), finned
fish, almost locked sets, grouped chains. So a puzzle may have a higher grade here than another program gives it.

A grade does not say how much there is to do, and `work` does not say how difficult a step is: so there are both.

## The ladder

"""

EXAMPLES_HEAD = """
## Examples

Each grid is at the point where the technique is first needed. Shaded is what it looks at; struck out in red is
what it takes away, and a digit that it writes down is green. None has been found for `search`.
"""

TAIL = """
No technique decides a verdict: the classifier's rungs do, and a test holds that the hardest technique goes with the
rung. Each stands in `solver/sudoku/techniques`, and tests hold it against its definition by sets.

This page is made from the program and its tests' examples by `make docs`.
"""


class Example(NamedTuple):
    """A step of a technique, on 9x9 cells.

    givens    uint8[81]
    before    the digits that each cell may have, row by row
    written   whether each cell's digit has been written down
    shaded    cells that the technique looks at
    struck    what it takes away: cell and digit
    placed    what it writes down: cell and digit
    """

    givens: np.ndarray
    before: list[frozenset[int]]
    written: list[bool]
    shaded: set[int]
    struck: set[tuple[int, int]]
    placed: tuple[int, int] | None


def page() -> str:
    """docs/SUDOKU_TECHNIQUES.md."""
    rows = ["| grade | technique | what it says | described by |", "|---|---|---|---|"]
    for technique in TECHNIQUES:
        level = LEVELS[technique.grade - 1]
        rows.append(f"| {level} {technique.grade} | {technique.name} | {technique.says} | {linked(technique.source)} |")
    lines = [HEAD + "\n".join(rows), EXAMPLES_HEAD]
    for number in EXAMPLES:
        technique, found = TECHNIQUES[number], example(number)
        picture = f"![an example of {technique.name}]({FOLDER}/{technique.name}.svg)"
        lines.append(f"### {technique.name}\n\n{technique.says} {_told(found)}\n\n{picture}\n")
    return "\n".join(lines) + TAIL


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files, as SVG."""
    return {f"{TECHNIQUES[number].name}.svg": _drawn(example(number)) + "\n" for number in EXAMPLES}


def example(technique: int) -> Example:
    """Return the first step by a technique in its example."""
    givens = np.array([0 if sign == "." else int(sign) for sign in EXAMPLES[technique]], np.uint8)
    desk = desk_for(3, 3)
    lay_down(desk, givens)
    number = 0
    while True:
        before, written = list(known(desk, 9).values()), desk.placed.tolist()
        found = take_step(desk, number, math.inf) == FOUND
        if found and number == technique:
            break
        number = 0 if found else number + 1
    after = list(known(desk, 9).values())
    new = [cell for cell in range(81) if desk.placed[cell] and not written[cell]]
    placed = [(cell, *after[cell]) for cell in new]
    struck = {(cell, digit) for cell in range(81) for digit in before[cell] - after[cell]} if not new else set()
    shaded = _looked_at(desk.chosen.tolist(), technique, before, placed)
    return Example(givens, before, written, shaded, struck, placed[0] if placed else None)


def _looked_at(noted: list[int], technique: int, before: list[frozenset[int]], placed: list[Node]) -> set[int]:
    """Return the cells that a find was made of: those that its reason is about."""
    rules, board = rules_of(3, 3), [set(digits) for digits in before]
    if technique in (sudoku_techniques.LAST_CELL, sudoku_techniques.HIDDEN_SINGLE):
        return set(rules.units[noted[0]])
    if technique in (sudoku_techniques.FORCING, sudoku_techniques.LONG_FORCING):
        return {noted[0]}
    why = reason_of(rules, board, technique, noted, placed)
    if isinstance(why, SudokuRefutation):
        return {cell for cell, _ in (why.supposed, *(follows.node for follows in why.then))}
    return {cell for need in why.needs for cell, _ in candidates(rules, board, need)}


def _told(found: Example) -> str:
    """Return what a step comes to, in words."""
    if found.placed is not None:
        return f"Here {_name(found.placed[0])} is {found.placed[1]}."
    return f"Here {_and([f'{_name(cell)} is not {digit}' for cell, digit in sorted(found.struck)])}."


def _name(cell: int) -> str:
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


CELL, EDGE = 36, 4
SHADE, GIVEN, WRITTEN, OPEN, GONE, NEW = "#fbe6a2", "#111", "#1a5fb4", "#666", "#c01c28", "#1c8a74"


def _drawn(found: Example) -> str:
    """Return a grid with all candidates, and what a step looks at and finds."""
    side = 9 * CELL + 2 * EDGE
    head = f'width="{side}" height="{side}" viewBox="0 0 {side} {side}" role="img" aria-label="{_told(found)}"'
    font = 'font-family="Liberation Sans, Arial, Helvetica, sans-serif" text-anchor="middle"'
    paper = f'<path fill="#fff" d="M0 0h{side}v{side}H0z"/>'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {head} {font}>', paper]
    parts += (f'<path fill="{SHADE}" d="M{_x(k)} {_y(k)}h{CELL}v{CELL}h-{CELL}z"/>' for k in sorted(found.shaded))
    for width, step in ((0.5, 1), (2, 3)):
        lines = "".join(
            f"M{EDGE + k * CELL} {EDGE}v{9 * CELL}M{EDGE} {EDGE + k * CELL}h{9 * CELL}" for k in range(0, 10, step)
        )
        parts.append(f'<path fill="none" stroke="#111" stroke-width="{width}" d="{lines}"/>')
    for cell, digits in enumerate(found.before):
        parts += _cell(found, cell, sorted(digits))
    return "\n".join([*parts, "</svg>"])


def _cell(found: Example, cell: int, digits: list[int]) -> Iterator[str]:
    """Yield text of a cell: its digit, or its candidates."""
    big = f'x="{_x(cell) + CELL / 2:g}" y="{_y(cell) + 27}" font-size="24"'
    if found.written[cell]:
        color, weight = (GIVEN, "bold") if found.givens[cell] else (WRITTEN, "normal")
        yield f'<text {big} fill="{color}" font-weight="{weight}">{digits[0]}</text>'
    elif found.placed is not None and found.placed[0] == cell:
        yield f'<text {big} fill="{NEW}" font-weight="bold">{found.placed[1]}</text>'
    else:
        for digit in digits:
            x, y = _x(cell) + 6 + 12 * ((digit - 1) % 3), _y(cell) + 10 + 11.5 * ((digit - 1) // 3)
            gone = (cell, digit) in found.struck
            yield f'<text x="{x}" y="{y:g}" font-size="10" fill="{GONE if gone else OPEN}">{digit}</text>'
            if gone:
                yield f'<path stroke="{GONE}" stroke-width="1.5" d="M{x - 4} {y:g}l8 -8"/>'


def _x(cell: int) -> int:
    return EDGE + CELL * (cell % 9)


def _y(cell: int) -> int:
    return EDGE + CELL * (cell // 9)
