"""Engines beside each other: each solves the same puzzles, and no two of their verdicts may differ."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from solver.engines.answer import EngineAnswer, EngineLimits
from solver.engines.engines import COMPILED, ENGINES
from solver.ladder.ladder_kernels import warm_up
from solver.model.puzzle import Puzzle
from solver.model.tables import puzzles_of
from solver.model.views import views

BEFORE = 0.001
"""CPU seconds of a first try, so that nothing is compiled or loaded while an engine is measured."""


def compared(
    batches: Sequence[pa.RecordBatch], names: Sequence[str], limits: EngineLimits, seen: Callable[[], None]
) -> list[dict[str, Any]]:
    """A row for each puzzle and engine; `seen` is called for each. Seconds are CPU seconds, without any to compile."""
    if not set(names).isdisjoint(COMPILED):
        for batch in batches:
            warm_up(views(batch))
    rows = []
    for puzzle in puzzles_of(batches):
        for name in names:
            rows.append({"puzzle": puzzle.puzzle_id, "engine": name} | _figures_of(answered(puzzle, name, limits)))
            seen()
    return rows


def answered(puzzle: Puzzle, name: str, limits: EngineLimits) -> EngineAnswer:
    """An engine's answer, without the time to compile."""
    if name in COMPILED:
        ENGINES[name](puzzle, limits._replace(cpu_limit=BEFORE))
    return ENGINES[name](puzzle, limits)


def differing(rows: list[dict[str, Any]]) -> list[str]:
    """The puzzles on which two engines don't agree; one that was stopped says nothing."""
    verdicts: dict[str, set[str]] = {}
    for row in rows:
        verdicts.setdefault(row["puzzle"], set()).add(row["verdict"])
    return [puzzle for puzzle, said in verdicts.items() if len(said - {"unknown"}) > 1]


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all rows, which make one row of a table."""
    return {
        "puzzles": len({row["puzzle"] for row in rows}),
        "answers": len(rows),
        "undecided": sum(row["verdict"] == "unknown" for row in rows),
        "differing": len(differing(rows)),
        "seconds": sum(row["seconds"] for row in rows),
    }


def _figures_of(answer: EngineAnswer) -> dict[str, Any]:
    """An answer without its pictures."""
    names = ("verdict", "first_visits", "first_seconds", "visits", "seconds", "peak", "stopped")
    return {name: getattr(answer, name) for name in names}
