"""The set engines of the command bench: puzzles by several engines, beside each other."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.markup import escape

from pipeline.commands.bench_figures import print_figures
from pipeline.commands.output import DONE, SOME_FAILED, err, progress

if TYPE_CHECKING:
    import pyarrow as pa


class Engine(StrEnum):
    """The engines of solver.engines.engines, which is imported only when they are asked."""

    dfs = "dfs"
    bfs = "bfs"
    astar = "astar"
    astar_wrong = "astar-wrong"
    astar_missing = "astar-missing"
    brute = "brute"
    exact_cover = "exact-cover"
    sat = "sat"
    ladder = "ladder"


MOST_MEMORY = 1 << 20
"""MiB: more than machines have."""


class EngineLimits(NamedTuple):
    """The options that limit an engine: states, MiB and CPU seconds for a puzzle."""

    visits: int
    memory: int
    cpu_limit: float


def compare_engines(
    batches: "Sequence[pa.RecordBatch]",
    engines: Sequence[Engine],
    allowed: EngineLimits,
    title: str,
    command: str,
    markdown: Path | None,
    as_json: bool,
) -> int:
    """Have engines solve puzzles, and print what they say. Returns the exit status: 1 if two verdicts differ."""
    from pipeline.findings.engine_comparison import compared, differing, figures
    from solver.engines.answer import EngineLimits

    limits = EngineLimits(allowed.visits, allowed.memory << 20, allowed.cpu_limit)
    names = [engine.value for engine in engines]
    with progress("solving", sum(map(len, batches)) * len(names)) as (bar, task):
        rows = compared(batches, names, limits, lambda: bar.update(task, advance=1))
    found = figures(rows)
    print_figures([found], title, command, markdown, as_json, rows, "engines")
    if found["undecided"]:
        err.print("[yellow]undecided:[/yellow] --visits, --memory and --cpu-limit allow an engine more")
    for puzzle_id in differing(rows):
        err.print(f"[red]verdicts differ:[/red] {escape(puzzle_id)}")
    return SOME_FAILED if differing(rows) else DONE
