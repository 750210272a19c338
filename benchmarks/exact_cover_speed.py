"""Exact cover: compare the layouts, and other programs, on tilings, queens, squares and Sudoku.

Sudoku puzzles come from the .txt files of a folder. Other programs take part where they are: the packages exact-cover
and xcover if they can be imported, Knuth's dlx1 if it is on the PATH.
"""

import importlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.result_pages import ARCHIVE
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.solver.exact_cover.layouts import LAYOUTS, best_layout
from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.exact_cover.solve import Covers, solve, solve_each
from tests.cover_problems import (
    crossing_words,
    givens,
    langford,
    latin_squares,
    pentominoes,
    queens,
    sudoku,
    sudoku_puzzles,
)

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

WORDS = ["".join(letters) for letters in product("abcd", repeat=4) if "a" in letters and letters[0] != letters[-1]]


def run(archive: Path) -> list[FigureTable]:
    folder = SUDOKU if archive == ARCHIVE else archive
    files = {path.name: list(sudoku_puzzles(path.read_text())) for path in sorted(folder.glob("*.txt"))}
    files = {name: puzzles for name, puzzles in files.items() if puzzles}
    return [
        _problems(),
        *([_nine(files)] if files else []),
        _sixteen(),
        _others(next(iter(files.values()), [])),
        _compiling(),
    ]


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
        "150 queens, the first 100,000": (queens(150), 100_000),
        "Latin squares of 5x5": (latin_squares(5), None),
        "Latin squares of 9x9, the first 100,000": (latin_squares(9), 100_000),
        "Langford pairs of 11": (langford(11), None),
        f"squares of {len(WORDS)} words, in colours, the first 100,000": (crossing_words(WORDS, 4), 100_000),
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
    return BRUTE_LIMIT if layout == "brute-force" else LIMIT


def _nine(files: dict[str, list[str]]) -> FigureTable:
    """Sudoku: each puzzle's solution found, and proved to be the only one."""
    cover, rows = sudoku(3), []
    for name, puzzles in files.items():
        for layout in LAYOUTS:
            some = puzzles[:BRUTE_PUZZLES] if layout == "brute-force" else puzzles
            answers = _quickest(cover, [givens(puzzle, 9) for puzzle in some], layout)
            rows.append([name, layout, *_times(answers)])
            print(*rows[-1], file=sys.stderr, flush=True)
    heading = ["puzzles", "layout", "number", "unique", "undecided", "CPU s", "ms each", "slowest, ms", "nodes each"]
    return FigureTable("9x9 Sudoku, uniqueness proved (limit 2), laid out once for each file", heading, rows)


def _sixteen() -> FigureTable:
    cover, puzzles = sudoku(4), [hard_puzzle(4, seed) for seed in range(HARD)]
    rows = []
    for layout in [name for name in LAYOUTS if name != "brute-force"]:
        rows.append([layout, *_times(_quickest(cover, puzzles, layout))])
        print(*rows[-1], file=sys.stderr, flush=True)
    heading = ["layout", "number", "unique", "undecided", "CPU s", "ms each", "slowest, ms", "nodes each"]
    few, many = min(map(len, puzzles)), max(map(len, puzzles))
    return FigureTable(f"16x16 Sudoku, uniqueness proved: {HARD} puzzles made, {few} to {many} givens", heading, rows)


def hard_puzzle(box: int, seed: int) -> list[int]:
    """Return a puzzle of which no given can go, as rows of `sudoku`: a shuffled grid, its numbers taken away by chance.

    One whose going leaves a puzzle that is not decided in half a CPU second stays.
    """
    n, draw, cover = box * box, random.Random(seed), sudoku(box)
    ys, xs = (
        [band * box + k for band in draw.sample(range(box), box) for k in draw.sample(range(box), box)] for _ in "yx"
    )
    names = draw.sample(range(n), n)
    left = [(y * n + x) * n + names[(ys[y] * box + ys[y] // box + xs[x]) % n] for y, x in product(range(n), repeat=2)]
    for row in draw.sample(left, len(left)):
        without = [other for other in left if other != row]
        answer = solve(cover, given=without, limit=2, keep=0, cpu_limit=0.5)
        if (answer.status, answer.count) == ("complete", 1):
            left = without
    return left


def _quickest(cover: Cover, questions: Sequence[Sequence[int]], layout: str) -> list[Covers]:
    """Return the answers of the quickest of some runs."""
    several = []
    for _ in range(RUNS):
        several.append(solve_each(cover, questions, layout=layout, cpu_limit=_limit(layout)))  # type: ignore[arg-type]
        if sum(answer.cpu_seconds for answer in several[-1]) > LIMIT / 4:
            break
    return min(several, key=lambda answers: sum(answer.cpu_seconds for answer in answers))


def _times(answers: list[Covers]) -> list[object]:
    seconds = np.array([answer.cpu_seconds for answer in answers])
    unique = sum((answer.status, answer.count) == ("complete", 1) for answer in answers)
    late = sum(answer.status == "timeout" for answer in answers)
    nodes = float(np.mean([answer.nodes for answer in answers]))
    return [len(answers), unique, late, seconds.sum(), seconds.mean() * 1e3, seconds.max() * 1e3, nodes]


def _others(puzzles: list[str]) -> FigureTable:
    """Return same problems by other programs. Of Sudoku each gets a puzzle's own rows, those that fit its givens."""
    several = {name: [problems()[name][0]] for name in SHORT}
    if puzzles:
        several[f"{len(puzzles)} Sudoku, one by one"] = [_with_givens(sudoku(3), givens(each, 9)) for each in puzzles]
    programs = {name: count for name, count in PROGRAMS.items() if name == "nonocensus" or _is_here(name)}
    rows = []
    for name, covers in several.items():
        counts, seconds = [], []
        for count in programs.values():
            start = _cpu_time()
            counts.append([count(cover) for cover in covers])
            seconds.append(_cpu_time() - start if None not in counts[-1] else "-")
        assert all(each in (counts[0], [None] * len(covers)) for each in counts), f"{name}: the programs differ"
        rows.append([name, *seconds])
        print(*rows[-1], file=sys.stderr, flush=True)
    title = "Compared with other programs: CPU seconds for all solutions, from a problem in memory"
    return FigureTable(title, ["problem", *(f"{name}, s" for name in programs)], rows)


def _with_givens(cover: Cover, rows: list[int]) -> Cover:
    """Return the problem without the rows that given ones shut out."""
    items = cover.items.reshape(cover.rows, -1)
    fits: np.ndarray = np.logical_not(np.isin(items, items[rows]).any(axis=1))
    fits[rows] = True
    left = items[fits]
    return Cover(np.arange(len(left) + 1) * items.shape[1], left.ravel(), cover.colors, cover.primary)


def _by_us(cover: Cover) -> int:
    return solve(cover, keep=0, cpu_limit=float("inf")).count


def _by_exact_cover(cover: Cover) -> int | None:
    if cover.secondary:
        return None
    matrix = np.zeros((cover.rows, cover.primary), np.int32)
    matrix[np.repeat(np.arange(cover.rows), np.diff(cover.offsets)), cover.items] = 1
    return int(importlib.import_module("exact_cover").get_solution_count(matrix))


def _by_xcover(cover: Cover) -> int:
    u = np.uint32
    search = importlib.import_module("xcover.dancing_cells").algorithm_c
    items, secondary = u(cover.primary + cover.secondary), u(cover.secondary)
    found = search(cover.items.astype(u), cover.offsets.astype(u), np.zeros(len(cover.items), u), items, secondary)
    return sum(1 for _ in found)


def _by_dlx1(cover: Cover) -> int:
    said = subprocess.run(["dlx1", "v1"], input=_as_text(cover), capture_output=True, text=True, check=False).stderr
    return int(said.partition("Altogether ")[2].split()[0])


def _as_text(cover: Cover) -> str:
    """Return a problem as Knuth's programs read it."""
    names = [f"i{item}" for item in range(cover.primary + cover.secondary)]
    lines = [" ".join(names[: cover.primary]) + " | " + " ".join(names[cover.primary :])]
    for first, last in zip(cover.offsets[:-1], cover.offsets[1:], strict=True):
        lines.append(" ".join(names[item] for item in cover.items[first:last]))
    return "\n".join([*lines, ""])


SHORT = (
    "pentominoes 3x20",
    "pentominoes 8x8, a hole in the middle",
    "12 queens",
    "Latin squares of 5x5",
    "Langford pairs of 11",
)
"""Problems that the others are given."""

PROGRAMS: dict[str, Callable[[Cover], int | None]] = {
    "nonocensus": _by_us,
    "dlx1": _by_dlx1,
    "exact_cover": _by_exact_cover,
    "xcover": _by_xcover,
}


def _is_here(program: str) -> bool:
    """Return whether another program can be run here, after running it once to compile and load it."""
    if program == "dlx1" and shutil.which("dlx1") is None:
        return False
    try:
        PROGRAMS[program](langford(3))
    except ImportError:
        return False
    return True


def _cpu_time() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


COMPILE = """
import sys, time
from nonocensus.solver.exact_cover import solve
start = time.process_time()
solve._compile(sys.argv[1])
one = time.process_time()
solve._compile_each(sys.argv[1])
print(one - start, time.process_time() - one)
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
                times += map(float, done.stdout.split())
        rows.append([layout, *times])
    heading = ["layout", "a problem", "many questions", "a problem, loaded", "many questions, loaded"]
    title = "Kernels on a new machine: CPU seconds of a process, compiled and then loaded, with Numba's own start"
    return FigureTable(title, heading, rows)
