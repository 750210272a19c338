"""Tasks that find hints and explanations: steps with their techniques, words, lines and cells."""

import json
from typing import Any

from nonocensus.pipeline.serve.records import check_area, grid_text, parse_grid, parse_puzzle
from nonocensus.pipeline.serve.serve_limits import MAX_EXPLAINED_CELLS, MAX_EXPLANATION
from nonocensus.pipeline.serve.task_budget import Deferred, TaskBudget, ensure_kernels
from nonocensus.reports.explained.step_words import (
    DescribedStep,
    MergedStep,
    describe_cell,
    describe_ending,
    describe_line,
    describe_lines,
    describe_merged,
)
from nonocensus.reports.explained.step_words import known_grid as known_cells
from nonocensus.solver.ladder.ladder_kernels import warm_up
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.assume import compile_for
from nonocensus.solver.people.explanation import explain
from nonocensus.solver.people.hints import hint, start_of


def find_hint(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Find the next step on a grid. Arguments: puzzle, begun."""
    puzzle = parse_puzzle(arguments["puzzle"])
    start = start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, compile_for)
    seconds = budget.try_seconds / 2  # for each of the two searches
    found = hint(puzzle, start, cpu_limit=seconds)
    if found.kind == "timeout" and budget.can_defer:
        raise Deferred
    steps = [] if found.next is None else [step_record(puzzle, described) for described in describe_merged(found.next)]
    return {"kind": found.kind, "wrong": found.wrong, "steps": steps}


def explain_puzzle(arguments: dict[str, Any], budget: TaskBudget, max_bytes: int = MAX_EXPLANATION) -> dict[str, Any]:
    """Explain how to solve a puzzle, step by step. Arguments: puzzle, begun (or None).

    Steps beyond `max_bytes` of JSON are only counted.
    """
    puzzle = check_area(parse_puzzle(arguments["puzzle"]), MAX_EXPLAINED_CELLS, "explains")
    start = start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, compile_for)
    found = explain(puzzle, start=start, cpu_limit=budget.try_seconds)
    if found.state == "timeout" and budget.can_defer:
        raise Deferred
    merged = list(describe_merged(found))
    steps: list[dict[str, Any]] = []
    size = 0
    for described in merged:
        step = step_record(puzzle, described)
        size += len(json.dumps(step))
        if size > max_bytes:
            break
        steps.append(step)
    hardest = found.hardest
    return {
        "state": found.state,
        "ending": describe_ending(found),
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "start": grid_text(known_cells(found.start, puzzle.width)),
        "steps": steps,
        "left_out": len(merged) - len(steps),
        "end": found.end,
    }


def step_record(puzzle: Puzzle, described: DescribedStep[MergedStep]) -> dict[str, Any]:
    """Return a step as JSON: technique, where to look, what follows and why; cells are pairs of place and colour."""
    step = described.step
    technique = TECHNIQUES[step.technique]
    supposed = step.assumption
    if supposed:
        where = describe_cell(puzzle, step.ruled[0][0])
    else:
        where = describe_lines(puzzle, step.lines) if len(step.lines) > 1 else describe_line(puzzle, step.lines[0])
    return {
        "technique": technique.name,
        "grade": technique.grade,
        "line": step.lines[0] if len(step.lines) == 1 else None,
        "where": where,
        "what": described.what,
        "why": described.why,
        "ruled": step.ruled,
        "assumption": supposed
        and {
            "place": supposed.place,
            "color": supposed.color,
            "then": [{"line": then.line, "ruled": then.ruled} for then in supposed.then],
            "end": supposed.end,
        },
    }
