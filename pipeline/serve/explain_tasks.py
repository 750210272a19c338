"""Hints and explanations, made in a worker: steps with their techniques, words, lines and cells."""

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from pipeline.serve.allowance import Allowed, Later, prepare
from pipeline.serve.records import grid_of, grid_text, puzzle_of, within_limits
from pipeline.serve.serve_limits import MOST_EXPLAINED, MOST_EXPLAINED_CELLS, MOST_HINTED
from reports.explained.states import grid_of as known_cells
from reports.explained.step_words import Told, cell_in_words, ending, in_words, line_in_words
from solver.ladder.ladder_kernels import warm_up
from solver.model.puzzle import Puzzle
from solver.model.techniques import TECHNIQUES
from solver.people.assume import compile_for
from solver.people.explanation import Step, explain
from solver.people.hints import Hint, hint, start_of


def hinted(asked: dict[str, Any], allowed: Allowed) -> dict[str, Any]:
    """What to do next on a grid: `puzzle`, `begun`."""
    puzzle = puzzle_of(asked["puzzle"])
    start = start_of(puzzle, grid_of(asked["begun"], puzzle))
    prepare(puzzle, allowed, warm_up, compile_for)
    seconds = allowed.now / 2  # for each part of the work
    found = _decisive(hint(puzzle, start, cpu_limit=seconds), start, seconds)
    if found.kind == "timeout" and allowed.later:
        raise Later
    steps = [] if found.next is None else [step_record(puzzle, told) for told in in_words(found.next)]
    return {"kind": found.kind, "wrong": found.wrong, "steps": steps}


def _decisive(found: Hint, start: np.ndarray, seconds: float) -> Hint:
    """A hint whose last step decides a cell.

    In a puzzle of several colours a step may only rule some of them out. Nobody can fill that in, and the next hint
    would be the same.
    """
    if found.next is None or _decides(found.next.steps[0], found.next.cells):
        return found
    more = explain(found.next.puzzle, start=start, most=MOST_HINTED, cpu_limit=seconds)
    for count, (step, cells) in enumerate(zip(more.steps, more.grids(), strict=True), 1):
        if _decides(step, cells):
            return Hint("step", next=more._replace(steps=more.steps[:count], cells=cells))
    return Hint("open" if more.state == "open" else "timeout")


def _decides(step: Step, cells: list[int]) -> bool:
    """Whether a step leaves one colour of a cell; `cells` as they are after it."""
    return any(cells[place] & (cells[place] - 1) == 0 for place, _ in step.ruled)


def explained(asked: dict[str, Any], allowed: Allowed) -> dict[str, Any]:
    """How a puzzle is solved, step by step: `puzzle`, and the grid as far as it is `begun`, or none."""
    puzzle = within_limits(puzzle_of(asked["puzzle"]), MOST_EXPLAINED_CELLS, "explains")
    start = start_of(puzzle, grid_of(asked["begun"], puzzle))
    prepare(puzzle, allowed, warm_up, compile_for)
    found = explain(puzzle, start=start, cpu_limit=allowed.now)
    if found.state == "timeout" and allowed.later:
        raise Later
    steps = list(_within(step_record(puzzle, told) for told in in_words(found)))
    hardest = found.hardest
    return {
        "state": found.state,
        "ending": ending(found),
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "start": grid_text(known_cells(found.start, puzzle.width)),
        "steps": steps,
        "left_out": len(found.steps) - len(steps),
        "end": found.end,
    }


def _within(steps: Iterator[dict[str, Any]]) -> Iterator[msgspec.Raw]:
    """The first steps as JSON, as many as MOST_EXPLAINED bytes hold."""
    held = 0
    for step in steps:
        told = msgspec.json.encode(step)
        held += len(told)
        if held > MOST_EXPLAINED:
            return
        yield msgspec.Raw(told)


def step_record(puzzle: Puzzle, told: Told[Step]) -> dict[str, Any]:
    """A step as JSON: technique, where to look, what it finds and why it may; cells as pairs of place and colour."""
    step = told.step
    technique = TECHNIQUES[step.technique]
    supposed = step.assumption
    where = line_in_words(puzzle, step.line) if step.line is not None else cell_in_words(puzzle, step.ruled[0][0])
    return {
        "technique": technique.name,
        "grade": technique.grade,
        "line": step.line,
        "where": where,
        "what": told.what,
        "why": told.why,
        "ruled": step.ruled,
        "assumption": supposed
        and {
            "place": supposed.place,
            "color": supposed.color,
            "then": [{"line": then.line, "ruled": then.ruled} for then in supposed.then],
            "end": supposed.end,
        },
    }
