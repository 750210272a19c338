"""Comparison of engines on the same puzzles, whose verdicts must agree."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.solver.engines.searches import COMPILED, ENGINES, EngineAnswer, EngineLimits
from nonocensus.solver.ladder.climb import warm_up
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.views import views

BEFORE = 0.001
"""CPU limit of a warm-up, so that nothing is compiled or loaded while measuring."""


def compared(
    batches: Sequence[pa.RecordBatch], names: Sequence[str], limits: EngineLimits, progress: ProgressCallbacks = SILENT
) -> list[dict[str, Any]]:
    """Return a row for each puzzle and engine, with CPU seconds after a warm-up."""
    progress.on_start("solving", sum(map(len, batches)) * len(names), 0)
    if not set(names).isdisjoint(COMPILED):
        for batch in batches:
            warm_up(views(batch))
    rows = []
    for puzzle in puzzles_of(batches):
        for name in names:
            rows.append({"puzzle": puzzle.puzzle_id, "engine": name} | _figures_of(answered(puzzle, name, limits)))
            progress.on_progress(1, "")
    return rows


def answered(puzzle: Puzzle, name: str, limits: EngineLimits) -> EngineAnswer:
    """Return an engine's answer after a warm-up."""
    if name in COMPILED:
        ENGINES[name](puzzle, limits._replace(cpu_limit=BEFORE))
    return ENGINES[name](puzzle, limits)


def differing(rows: list[dict[str, Any]]) -> list[str]:
    """Return the puzzles on which two engines disagree; engines that timed out do not count."""
    verdicts: dict[str, set[str]] = {}
    for row in rows:
        verdicts.setdefault(row["puzzle"], set()).add(row["verdict"])
    return [puzzle for puzzle, said in verdicts.items() if len(said - {"unknown"}) > 1]


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of all rows, one row of a table."""
    return {
        "puzzles": len({row["puzzle"] for row in rows}),
        "answers": len(rows),
        "undecided": sum(row["verdict"] == "unknown" for row in rows),
        "differing": len(differing(rows)),
        "seconds": sum(row["seconds"] for row in rows),
    }


def _figures_of(answer: EngineAnswer) -> dict[str, Any]:
    """Return an answer without its pictures."""
    names = ("verdict", "first_visits", "first_seconds", "visits", "seconds", "peak", "stopped")
    return {name: getattr(answer, name) for name in names}
