"""The steps of an explained Sudoku in plain English. r3c5 is the usual notation for the cell in row 3, column 5."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from nonocensus.reports.explained.step_words import DescribedStep
from nonocensus.reports.sudoku_svg import sign
from nonocensus.solver.model import sudoku_techniques
from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
from nonocensus.solver.sudoku.techniques.steps import CELL, Board, Need, Node, Pattern, SudokuRefutation, SudokuStep
from nonocensus.solver.sudoku.techniques.sudoku_explanation import SudokuExplanation

KINDS = "row", "column", "box"
"""Kinds of units, in the order of their numbers."""


def describe_steps(explanation: SudokuExplanation) -> Iterator[DescribedStep[SudokuStep]]:
    """Describe all steps."""
    board = [set(digits) for digits in explanation.start]
    for number, step in enumerate(explanation.steps, 1):
        what = describe_step(step, board, explanation.puzzle.size)
        yield DescribedStep(number, step, what, TECHNIQUES[step.technique].says)
        for cell, digit in step.ruled:
            board[cell].discard(digit)


def describe_step(step: SudokuStep, board: Board, size: int) -> str:
    """Describe what follows from a step; `board` is the state before it."""
    name = TECHNIQUES[step.technique].name
    if isinstance(step.why, Pattern):
        text = _pattern(step.why, step.technique, name, board, size)
    else:
        text = _refuted(step.why, name, size)
    found = _node(step.placed, size) if step.placed else _ruled(step.ruled, size)
    return f"{text} {found}." if text.endswith(":") else f"{text} So {found}."


def describe_ending(explanation: SudokuExplanation) -> str:
    """Describe in a sentence how an explanation ends."""
    size = explanation.puzzle.size
    open_ = sum(len(digits) != 1 for digits in explanation.board)
    hardest = explanation.hardest
    if explanation.state == "solved":
        grade = f" The hardest technique was {hardest.name}, of grade {hardest.grade} of 9." if hardest else ""
        return f"Every cell has its digit, and there is no other solution.{grade}"
    if explanation.state == "contradiction":
        assert explanation.end is not None
        return f"Nothing is left for {describe_need(explanation.end, size)}: the puzzle has no solution."
    if explanation.state == "open":
        why = "only assumptions inside assumptions lead on, or there are several solutions"
        return f"{open_:,} cells are left open: {why}."
    return f"The time ran out with {open_:,} cells left open."


def describe_cell(cell: int, size: int) -> str:
    """Describe a cell: `r3c5`."""
    return f"r{cell // size + 1}c{cell % size + 1}"


def describe_need(need: Need, size: int) -> str:
    """Describe a cell, or a digit in a unit: `5 in box 2`; boxes are numbered row by row."""
    if need.unit == CELL:
        return describe_cell(need.which, size)
    return f"{sign(need.which)} in {_unit(need.unit, size)}"


def fields_of(explanation: SudokuExplanation) -> dict[str, Any]:
    """Return an explanation as JSON; rows, columns, units and digits count from 1."""
    size, hardest = explanation.puzzle.size, explanation.hardest
    return {
        "state": explanation.state,
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "steps": [_fields(described, size) for described in describe_steps(explanation)],
        "open": sum(len(digits) != 1 for digits in explanation.board),
    }


def _fields(described: DescribedStep[SudokuStep], size: int) -> dict[str, Any]:
    step, technique = described.step, TECHNIQUES[described.step.technique]
    fields: dict[str, Any] = {"technique": technique.name, "grade": technique.grade, "words": described.what}
    if step.placed:
        fields["is"] = _place(step.placed, size)
    fields["not"] = [_place(node, size) for node in step.ruled]
    if isinstance(step.why, Pattern):
        return fields | {
            "needs": [_need(need, size) for need in step.why.needs],
            "left": [_need(need, size) for need in step.why.left],
        }
    return fields | {
        "assume" if step.why.right else "assume_not": _place(step.why.supposed, size),
        "then": [{"is": _place(node, size), "for": _need(need, size)} for need, node in step.why.then],
        "contradiction": _need(step.why.end, size),
    }


def _place(node: Node, size: int) -> list[int]:
    """Row, column, digit."""
    return [node[0] // size + 1, node[0] % size + 1, node[1]]


def _need(need: Need, size: int) -> dict[str, Any]:
    if need.unit == CELL:
        return {"cell": [need.which // size + 1, need.which % size + 1]}
    return {KINDS[need.unit // size]: need.unit % size + 1, "digit": need.which}


def _pattern(why: Pattern, technique: int, name: str, board: Board, size: int) -> str:
    """Describe a pattern, without its consequence."""
    digits = _digits(need.which for need in (*why.needs, *why.left) if need.unit != CELL)
    if why.chain:
        return f"{name}: if {', so '.join(_links(why.chain, size))}."
    if technique == sudoku_techniques.NAKED_SINGLE:
        return f"{name}:"
    if technique in (sudoku_techniques.LAST_CELL, sudoku_techniques.HIDDEN_SINGLE):
        return f"{_first_up(_unit(why.needs[0].unit, size))}, {name}:"
    if technique == sudoku_techniques.LOCKED:
        where = _unit(why.left[0].unit, size)
        return f"{_first_up(_unit(why.needs[0].unit, size))}, {name} {digits} in {where}:"
    if technique == sudoku_techniques.XYZ_WING:
        cells = ", ".join(f"{describe_cell(need.which, size)} ({_digits(board[need.which])})" for need in why.needs)
        return f"{name} {cells}:"
    cells_of = [need.which for need in (*why.needs, *why.left) if need.unit == CELL]
    units = [need.unit for need in (*why.needs, *why.left) if need.unit != CELL]
    if cells_of:
        where = _first_up(_unit(units[0], size))
        return f"{where}, {name} {digits} in {_listed([describe_cell(cell, size) for cell in cells_of])}:"
    lines = _first_up(_lines([need.unit for need in why.needs], size))
    return f"{lines}, {name} {digits} in {_lines([need.unit for need in why.left], size)}:"


def _links(chain: Sequence[Node], size: int) -> Iterator[str]:
    """Describe the links of a chain: what is false, and then true; for one cell the second implies the first."""
    for k in range(0, len(chain), 2):
        wrong, right = chain[k : k + 2]
        if not k:
            yield f"{_node(wrong, size, 'is not')}, then {_node(right, size)}"
        elif wrong[0] == right[0]:
            yield _node(right, size)
        else:
            yield f"{_node(wrong, size, 'is not')} and {_node(right, size)}"


def _refuted(why: SudokuRefutation, name: str, size: int) -> str:
    """Describe an assumption and its contradiction."""
    sentences = [f"Suppose {_node(why.supposed, size, 'were' if why.right else 'were not')} ({name})."]
    sentences += [f"{_first_up(_because(need, size))} {_node(node, size)}." for need, node in why.then]
    return " ".join([*sentences, f"Then nothing would be left for {describe_need(why.end, size)}."])


def _because(need: Need, size: int) -> str:
    """Describe where a single was found."""
    return "so" if need.unit == CELL else f"in {_unit(need.unit, size)}"


def _node(node: Node, size: int, verb: str = "is") -> str:
    """Describe a digit in a cell: `r3c5 is 4`."""
    return f"{describe_cell(node[0], size)} {verb} {sign(node[1])}"


def _ruled(ruled: Sequence[Node], size: int) -> str:
    """Describe what is ruled out: `r3c5 is not 4 or 7, r3c6 is not 4`."""
    cells = [(cell, [digit for _, digit in nodes]) for cell, nodes in groupby(sorted(ruled), lambda node: node[0])]
    alike = groupby(sorted(cells, key=lambda each: (each[1], each[0])), lambda each: each[1])
    parts = []
    for digits, same in alike:
        which = [describe_cell(cell, size) for cell, _ in same]
        parts.append(f"{_listed(which)} {'is' if len(which) == 1 else 'are'} not {_listed(map(sign, digits), 'or')}")
    return ", ".join(parts)


def _unit(unit: int, size: int) -> str:
    return f"{KINDS[unit // size]} {unit % size + 1}"


def _lines(units: Sequence[int], size: int) -> str:
    """Describe several rows, or several columns."""
    return f"{KINDS[units[0] // size]}s {_listed([str(unit % size + 1) for unit in units])}"


def _digits(digits: Iterable[int]) -> str:
    return " ".join(sign(digit) for digit in sorted(set(digits)))


def _listed(words: Iterable[str], joined: str = "and") -> str:
    """Join words: `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} {joined} {last}" if first else last


def _first_up(text: str) -> str:
    return text[0].upper() + text[1:]
