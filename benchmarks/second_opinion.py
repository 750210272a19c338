"""Compare the solver with an independent one by automata (tests/oracle.py) on random puzzles (tests/fuzz.py).

python -m benchmarks.second_opinion --seed N             show a seed's puzzle and both answers; reduce it if they differ
python -m benchmarks.second_opinion --seed N --count M   run the benchmark on M puzzles
"""

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

import numpy as np

from nonocensus.pipeline.findings.figures_page import FigureTable, figure
from nonocensus.solver.api import classify, solve
from nonocensus.solver.model.puzzle import Puzzle, clues_of
from nonocensus.solver.model.tables import puzzle_batch
from tests import fuzz, oracle

PROCESSES = 2
CHUNK = 250
"""Seeds per task."""

CPU_LIMIT = 60.0
MOST_CONFLICTS = 20_000
"""Conflicts after which the automata give up, some seconds; a few random 30x30 would take hours."""

LONGEST_SIDES = (30, 20)
"""Longest sides, alternating between chunks, since large puzzles are slow."""

REPORT_EVERY = 60.0
"""Seconds between progress lines."""

GROUPS = (*fuzz.KINDS, "mono", "colours", "blotted", "partly solved", "goal given", "a side over 20", "all")
"""Overlapping groups in which puzzles are counted."""

FIGURES = ("puzzles", "unique", "multiple", "none", "unknown", "solver", "automata")
HEADING = ["puzzles", "compared", "unique", "multiple", "none", "given up by automata", "CPU s, solver", "automata"]


class Conditions(NamedTuple):
    """Conditions of a chunk: longest side, and whether the solver gets the goal."""

    most: int
    check_goal: bool


class Findings(NamedTuple):
    """Result of some seeds: FIGURES by group, and a report on each wrong answer."""

    figures: dict[str, Counter[str]]
    wrong: list[str]


def second_opinion(count: int, seed: int) -> FigureTable:
    """Compare both solvers on the seeds `seed` to `seed` + `count` - 1.

    Differences are reported on standard error with their seeds. Raises SystemExit after any, or if a process dies.
    """
    chunks = list(chunks_of(range(seed, seed + count)))
    figures: dict[str, Counter[str]] = {group: Counter() for group in GROUPS}
    wrong, done, begun, reported = 0, 0, time.monotonic(), time.monotonic()
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        waiting: dict[Future[Findings], range] = {pool.submit(compare, chunk): chunk for chunk in chunks}
        for future in as_completed(waiting):
            try:
                found = future.result()
            except BrokenProcessPool:
                lost = [chunk for other, chunk in waiting.items() if not other.done() or other.exception()][:PROCESSES]
                seeds = " or ".join(f"{chunk.start} to {chunk.stop - 1}" for chunk in lost)
                raise SystemExit(f"a process died at one of the seeds {seeds}") from None
            for group in GROUPS:
                figures[group].update(found.figures[group])
            done, wrong = done + len(waiting[future]), wrong + len(found.wrong)
            for text in found.wrong:
                report(text)
            if time.monotonic() > reported + REPORT_EVERY or done == count:
                reported = time.monotonic()
                report(f"{done:,} of {count:,} puzzles in {reported - begun:.0f} s, {wrong} answers differ")
    if wrong:
        raise SystemExit(f"{wrong} of {count} answers differ")
    rows: list[list[object]] = [[group, *(figures[group][name] for name in FIGURES)] for group in GROUPS]
    return FigureTable(f"A second opinion on drawn puzzles, seeds {seed:,} to {seed + count - 1:,}", HEADING, rows)


def chunks_of(seeds: range) -> Iterator[range]:
    """Split seeds at multiples of CHUNK, so that a puzzle's conditions depend only on its seed."""
    while seeds:
        end = (seeds.start // CHUNK + 1) * CHUNK - seeds.start
        yield seeds[:end]
        seeds = seeds[end:]


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def compare(seeds: range) -> Findings:
    """Classify the puzzles of some seeds, partly solved ones individually, and compare the answers."""
    figures: dict[str, Counter[str]] = {group: Counter() for group in GROUPS}
    wrong = []
    most, check_goal = conditions_of(seeds.start)
    puzzles = [fuzz.drawn(seed, most=most) for seed in seeds]
    starts = [fuzz.begun(puzzle, seed) for puzzle, seed in zip(puzzles, seeds, strict=True)]
    for puzzle, start, row in zip(puzzles, starts, rows_of(puzzles, starts, check_goal), strict=True):
        cpu = time.process_time()
        expected = oracle.verdict(puzzle, start, MOST_CONFLICTS)
        automata = time.process_time() - cpu
        if (text := oracle.objection(puzzle, start, row, expected)) is not None:
            wrong.append(f"seed {puzzle.source_id}: {text}\n{fuzz.text(puzzle, start)}")
        numbers = {"puzzles": 1, expected: 1, "solver": row["cpu_seconds"] or 0.0, "automata": automata}
        for group in groups_of(puzzle, start, check_goal):
            for name, number in numbers.items():
                figures[group][name] += number  # type: ignore[assignment]
    return Findings(figures, wrong)


def conditions_of(seed: int) -> Conditions:
    """Return the conditions of a seed's chunk; a quarter of the chunks get their goals."""
    chunk = seed // CHUNK
    return Conditions(LONGEST_SIDES[chunk % 2], chunk // 2 % 4 == 3)


def rows_of(puzzles: list[Puzzle], starts: Sequence[np.ndarray | None], check_goal: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the results table."""
    whole = [puzzle for puzzle, start in zip(puzzles, starts, strict=True) if start is None]
    rows = iter(classify(puzzle_batch(whole), cpu_limit=CPU_LIMIT, check_goal=check_goal).to_pylist())
    for puzzle, start in zip(puzzles, starts, strict=True):
        if start is None:
            yield next(rows)
        else:
            yield solve(puzzle, cpu_limit=CPU_LIMIT, check_goal=check_goal, start=start)


def groups_of(puzzle: Puzzle, start: np.ndarray | None, check_goal: bool) -> Iterator[str]:
    """Yield the groups of a puzzle."""
    assert puzzle.source is not None
    yield from (puzzle.source, "all", "colours" if puzzle.colors > 1 else "mono")
    for group, holds in (
        ("blotted", puzzle.blotted),
        ("partly solved", start is not None),
        ("goal given", check_goal and puzzle.goal is not None),
        ("a side over 20", max(puzzle.width, puzzle.height) > 20),
    ):
        if holds:
            yield group


def show(seed: int) -> None:
    """Print a seed's puzzle and both answers; if they differ, also a reduced puzzle."""
    most, check_goal = conditions_of(seed)
    puzzle = fuzz.drawn(seed, most=most)
    start = fuzz.begun(puzzle, seed)
    print(fuzz.text(puzzle, start))
    wrong = objection_to(puzzle, start, check_goal)
    print(wrong or f"both say {oracle.verdict(puzzle, start, MOST_CONFLICTS)}")
    if wrong:
        puzzle, start = reduced(puzzle, start, check_goal)
        print(f"smaller:\n{fuzz.text(puzzle, start)}\n{objection_to(puzzle, start, check_goal)}")


def objection_to(puzzle: Puzzle, start: np.ndarray | None, check_goal: bool) -> str | None:
    """Return what is wrong with the solver's answer, None if it is right."""
    row = next(rows_of([puzzle], [start], check_goal))
    return oracle.objection(puzzle, start, row, oracle.verdict(puzzle, start, MOST_CONFLICTS))


def reduced(puzzle: Puzzle, start: np.ndarray | None, check_goal: bool) -> tuple[Puzzle, np.ndarray | None]:
    """Remove lines and colours while the answer stays wrong; returns the reduced puzzle."""
    for smaller, rest in smaller_ones(puzzle, start):
        if objection_to(smaller, rest, check_goal):
            return reduced(smaller, rest, check_goal)
    return puzzle, start


def smaller_ones(puzzle: Puzzle, start: np.ndarray | None) -> Iterator[tuple[Puzzle, np.ndarray | None]]:
    """Yield the puzzles of a solution without one line or colour; none without a solution."""
    whole = next(oracle.learned_solutions(puzzle, start, MOST_CONFLICTS), None)
    if whole is None:
        return
    may = np.ones((*whole.shape, oracle.palette_size(puzzle)), np.bool_) if start is None else start
    parts = [
        (np.delete(whole, line, axis), np.delete(may, line, axis))
        for axis in (0, 1)
        for line in range(whole.shape[axis] if whole.shape[axis] > 1 else 0)
    ]
    for color in range(1, may.shape[2]):
        without = may.copy()
        without[:, :, 0] |= may[:, :, color]
        parts.append((np.where(whole == color, 0, whole).astype(np.uint8), without))
    for picture, rest in parts:
        if not (picture.shape == whole.shape and (picture == whole).all()):
            smaller = Puzzle(*clues_of(picture), puzzle.palette, picture, puzzle.puzzle_id)
            yield smaller, None if start is None else rest[:, :, : oracle.palette_size(smaller)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.second_opinion", description=__doc__)
    parser.add_argument(
        "--seed", type=int, required=True, help="seed of the puzzle to show, or of the first to compare"
    )
    parser.add_argument("--count", type=int, help="number of puzzles to compare")
    options = parser.parse_args()
    if options.count is None:
        show(options.seed)
    else:
        table = second_opinion(options.count, options.seed)
        print(" | ".join(table.heading))
        for row in table.rows:
            print(" | ".join(map(figure, row)))


if __name__ == "__main__":
    main()
