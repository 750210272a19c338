"""Exact cover: compare the layouts on tilings, queens, squares and Sudoku. Puzzles are the .txt files of a folder."""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.result_pages import ARCHIVE
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.solver.exact_cover.cover_search import LAYOUTS, best_layout
from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.exact_cover.solve import Covers, solve
from nonocensus.solver.exact_cover.sudoku import SudokuAnswer, SudokuPuzzle, read_sudokus, solve_sudoku
from tests.cover_problems import langford, latin_squares, pentominoes, queens, sudoku

SUDOKU = ARCHIVE.parent / "sudoku"
"""Where Sudoku puzzles are, if no other folder is named."""

RUNS = 2
LIMIT = 10.0
"""CPU seconds for a problem, in each layout."""

BRUTE_LIMIT = 2.0
BRUTE_PUZZLES = 10
"""Brute force has less time for a problem, and of a file it tries the first puzzles only."""

HARD = 20
"""Puzzles of 16x16 made, of which each needs all its givens."""


def run(archive: Path) -> list[FigureTable]:
    folder = SUDOKU if archive == ARCHIVE else archive
    files = {path.name: read_sudokus(path.read_text()) for path in sorted(folder.glob("*.txt"))}
    named = {name: [each for each in found if isinstance(each, SudokuPuzzle)] for name, found in files.items()}
    named[f"{HARD} of 16x16, made"] = [hard_puzzle(4, seed) for seed in range(HARD)]
    return [_problems(), _sudokus({name: puzzles for name, puzzles in named.items() if puzzles}), _compiling()]


def problems() -> dict[str, tuple[Cover, int | None]]:
    """By name a problem, and the solutions to stop at."""
    hole = [(3, 3), (3, 4), (4, 3), (4, 4)]
    return {
        "pentominoes 6x10": (pentominoes(10, 6), None),
        "pentominoes 5x12": (pentominoes(12, 5), None),
        "pentominoes 4x15": (pentominoes(15, 4), None),
        "pentominoes 3x20": (pentominoes(20, 3), None),
        "pentominoes 8x8, a hole in the middle": (pentominoes(8, 8, hole), None),
        "12 queens": (queens(12), None),
        "60 queens, the first 100,000": (queens(60), 100_000),
        "Latin squares of 5x5": (latin_squares(5), None),
        "Latin squares of 9x9, the first 100,000": (latin_squares(9), 100_000),
        "Langford pairs of 11": (langford(11), None),
        "grids of 9x9 Sudoku, the first 100,000": (sudoku(3), 100_000),
        "grids of 16x16 Sudoku, the first 100,000": (sudoku(4), 100_000),
        "grids of 25x25 Sudoku, the first 100,000": (sudoku(5), 100_000),
    }


def _problems() -> FigureTable:
    rows = []
    for name, (cover, limit) in problems().items():
        answers = [_best(cover, limit, layout) for layout in LAYOUTS]
        one = answers[1]  # links of 32 bits: never too narrow
        assert one is not None
        size = f"{cover.rows:,} x {cover.primary + cover.secondary}"
        seconds = [_seconds(answer) for answer in answers]
        rows.append([name, size, one.count, one.nodes, one.updates, *seconds, best_layout(cover)])
        print(*rows[-1], file=sys.stderr, flush=True)
    seconds_by = [f"{name}, s" for name in LAYOUTS]
    heading = ["problem", "rows x items", "solutions", "nodes", "updates", *seconds_by, "chosen"]
    return FigureTable("Solutions counted: CPU seconds by layout", heading, rows)


def _best(cover: Cover, limit: int | None, layout: str) -> Covers | None:
    """Return the quickest of some runs; None for a layout that is too narrow."""
    found: list[Covers] = []
    try:
        while len(found) < RUNS and sum(answer.cpu_seconds for answer in found) < LIMIT / 4:
            found.append(solve(cover, limit=limit, keep=0, cpu_limit=_limit(layout), layout=layout))  # type: ignore[arg-type]
    except ValueError:
        return None
    return min(found, key=lambda answer: answer.cpu_seconds)


def _seconds(answer: Covers | None) -> object:
    if answer is None:
        return "-"
    return f"over {_limit(answer.layout):.0f}" if answer.status == "timeout" else answer.cpu_seconds


def _limit(layout: str) -> float:
    return BRUTE_LIMIT if layout == "brute" else LIMIT


def _sudokus(files: dict[str, list[SudokuPuzzle]]) -> FigureTable:
    """Each puzzle's solution found, and proved to be the only one."""
    rows = []
    for name, puzzles in files.items():
        for layout in LAYOUTS:
            rows.append(
                [name, layout, *_times(_quickest(puzzles[:BRUTE_PUZZLES] if layout == "brute" else puzzles, layout))]
            )
            print(*rows[-1], file=sys.stderr, flush=True)
    heading = ["puzzles", "layout", "number", "unique", "undecided", "CPU s", "ms each", "slowest, ms", "nodes each"]
    return FigureTable("Sudoku, uniqueness proved", heading, rows)


def hard_puzzle(box: int, seed: int) -> SudokuPuzzle:
    """Return a puzzle of which no given can go: a shuffled grid, its numbers taken away by chance.

    One whose going leaves a puzzle that is not decided in half a CPU second stays.
    """
    n, draw = box * box, random.Random(seed)
    ys, xs = (
        [band * box + k for band in draw.sample(range(box), box) for k in draw.sample(range(box), box)] for _ in "yx"
    )
    names = draw.sample(range(n), n)
    cells = np.array([[1 + names[(ys[y] * box + ys[y] // box + xs[x]) % n] for x in range(n)] for y in range(n)])
    puzzle = SudokuPuzzle(1, cells, box, box)
    for cell in draw.sample(range(n * n), n * n):
        digit, cells.flat[cell] = cells.flat[cell], 0
        if solve_sudoku(puzzle, cpu_limit=0.5).verdict != "unique":
            cells.flat[cell] = digit
    return puzzle


def _quickest(puzzles: Sequence[SudokuPuzzle], layout: str) -> list[SudokuAnswer]:
    """Return the answers of the quickest of some runs."""
    several = []
    for _ in range(RUNS):
        several.append([solve_sudoku(each, layout=layout, cpu_limit=_limit(layout)) for each in puzzles])  # type: ignore[arg-type]
        if sum(answer.covers.cpu_seconds for answer in several[-1]) > LIMIT / 4:
            break
    return min(several, key=lambda answers: sum(answer.covers.cpu_seconds for answer in answers))


def _times(answers: list[SudokuAnswer]) -> list[object]:
    seconds = np.array([answer.covers.cpu_seconds for answer in answers])
    verdicts = [answer.verdict for answer in answers]
    nodes = float(np.mean([answer.covers.nodes for answer in answers]))
    counts = [len(answers), verdicts.count("unique"), verdicts.count("unknown")]
    return [*counts, seconds.sum(), seconds.mean() * 1e3, seconds.max() * 1e3, nodes]


COMPILE = """
import sys, time
from nonocensus.solver.exact_cover import solve
start = time.process_time()
solve.compile_layout(sys.argv[1])
print(time.process_time() - start)
"""


def _compiling() -> FigureTable:
    """CPU seconds of a new process for its kernels, compiled and then loaded."""
    rows = []
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"NUMBA_CACHE_DIR": cache}
            command = [sys.executable, "-c", COMPILE, layout]
            times: list[object] = []
            for _ in range(2):
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                times.append(float(done.stdout))
        rows.append([layout, *times])
    title = "Kernels on a new machine: CPU seconds of a process, compiled and then loaded, with Numba's own start"
    return FigureTable(title, ["layout", "compiled", "loaded"], rows)
