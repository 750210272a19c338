"""Sudoku: the bit-parallel search, the ladder and hashes on files of 9x9 puzzles; other sizes, made by rule.

python -m benchmarks sudoku FILE... [--peer LIBRARY]; a file has a puzzle a line, 81 characters, 0 or . for open cells.
LIBRARY is tdoku's shared library, to be measured on the same puzzles in the same run.
"""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time

import numba
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.ladder_options import RUNGS
from nonocensus.solver.sudoku.bands import BandBoard, count_solutions, desk_for
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import grid_batch, with_hashes

RUNS = 5
LIMIT = 10.0
OTHERS = [((3, 2), 0.0), ((4, 3), 0.0), ((4, 4), 0.45), ((4, 4), 0.0), ((5, 5), 0.5), ((5, 5), 0.0)]
"""Boxes, and the share of givens at which no more are taken away, if the puzzle is not minimal before."""

MADE, PATIENCE = 5, 0.1
"""Puzzles of each, and CPU seconds for the answer whether a given is needed: a puzzle without one is hard enough."""


def run(_: Path, files: Sequence[Path] = (), peer: Path | None = None) -> list[FigureTable]:
    sets = {file.name: read(file) for file in files}
    others = FigureTable(
        f"Other sizes: solved grids whose givens are taken away one by one, {LIMIT:.0f} CPU seconds a puzzle",
        ["size", "puzzles", "least givens", *RUNGS, "several", "not decided", "median CPU s", "slowest"],
        [other(kind, share) for kind, share in OTHERS],
    )
    if not sets:
        return [others]
    return [
        FigureTable(
            "Two solutions looked for, one core, the best of five runs",
            ["puzzles", "number", "seconds", "a second", "nodes a puzzle", "tdoku: seconds", "tdoku: a second"],
            [searched(name, givens, peer) for name, givens in sets.items()],
        ),
        FigureTable(
            "`classify`, Arrow to Arrow, and both hashes",
            ["puzzles", "singles only: a second", "all rungs: a second", "hashes: a second", *RUNGS, "not decided"],
            [classified(name, grid_batch(givens, 3, 3)) for name, givens in sets.items()],
        ),
        others,
    ]


def read(file: Path) -> np.ndarray:
    """Return puzzles as uint8[puzzles, 81]."""
    lines = [line.split()[0] for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    text = "".join(line for line in lines if len(line) == 81).replace(".", "0")
    return (np.frombuffer(text.encode(), np.uint8) - ord("0")).reshape(-1, 81)


def best(work: Callable[[], object]) -> float:
    """CPU seconds of the quickest of some runs, after one that compiles."""
    work()
    times = []
    for _ in range(RUNS):
        begun = thread_time()
        work()
        times.append(thread_time() - begun)
    return min(times)


@kernel
def _search_all(
    givens: np.ndarray, solutions: np.ndarray, number: np.ndarray, effort: np.ndarray, desk: BandBoard
) -> None:
    for p in range(len(givens)):
        number[p] = 0
        count_solutions(givens[p], solutions[0], solutions[1], number[p : p + 1], effort, desk, np.inf)


def searched(name: str, givens: np.ndarray, peer: Path | None) -> list[object]:
    number, effort = np.zeros(len(givens), np.int8), np.zeros(2, np.int64)
    solutions, desk = np.zeros((2, 81), np.uint8), desk_for()
    seconds = best(lambda: _search_all(givens, solutions, number, effort, desk))
    nodes = effort[0] / len(givens) / (RUNS + 1)
    row = [name, len(givens), seconds, len(givens) / seconds, float(nodes)]
    if peer is None:
        return [*row, None, None]
    theirs = peer_seconds(peer, givens, number)
    return [*row, theirs, len(givens) / theirs]


def peer_seconds(library: Path, givens: np.ndarray, number: np.ndarray) -> float:
    """Return the same by tdoku, called from machine code; its numbers of solutions must be ours."""
    solve = ctypes.CDLL(str(library)).TdokuSolverDpllTriadSimd
    solve.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p]
    solve.restype = ctypes.c_size_t
    texts = np.zeros((len(givens), 82), np.uint8)  # each ends with a zero
    texts[:, :81] = np.where(givens == 0, ord("."), givens + ord("0"))
    solution, guesses, found = np.zeros(128, np.uint8), np.zeros(1, np.uint64), np.zeros(len(givens), np.int8)

    @numba.njit  # type: ignore[untyped-decorator]
    def all_of_them(found: np.ndarray, texts: int, solution: int, guesses: int) -> None:
        for p in range(len(found)):
            found[p] = solve(texts + 82 * p, 2, 0, solution, guesses)

    seconds = best(lambda: all_of_them(found, texts.ctypes.data, solution.ctypes.data, guesses.ctypes.data))
    assert (found == number).all()
    return seconds


def classified(name: str, batch: pa.RecordBatch) -> list[object]:
    classify(batch)
    hashes = best(lambda: with_hashes(batch))
    line = best(lambda: classify(batch, rung="line"))
    begun = thread_time()
    rows = classify(batch)
    whole = thread_time() - begun
    assert rows["error"].null_count == len(rows)
    by_rung = [int(pc.sum(pc.equal(rows["technique"], rung)).as_py() or 0) for rung in RUNGS]
    speeds = [len(batch) / seconds for seconds in (line, whole, hashes)]
    return [name, *speeds, *by_rung, len(batch) - sum(by_rung)]


def other(kind: tuple[int, int], share: float) -> list[object]:
    wide, high = kind
    rng = np.random.default_rng(1)
    batch = grid_batch(np.array([dug(wide, high, share, rng) for _ in range(MADE)]), wide, high)
    rows = classify(batch, cpu_limit=LIMIT)
    counts = [int(pc.sum(pc.equal(rows["technique"], rung)).as_py() or 0) for rung in RUNGS]
    counts += [int(pc.sum(pc.equal(rows["solutions"], word)).as_py() or 0) for word in ("multiple", "unknown")]
    seconds = rows["cpu_seconds"]
    size, least = wide * high, pc.min(batch["clues"]).as_py()
    times = [pc.quantile(seconds, 0.5)[0].as_py(), pc.max(seconds).as_py()]
    return [f"{size}x{size}", MADE, least, *counts, *times]


def dug(wide: int, high: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return solved grid without givens that are not needed, or the first on the way that takes more than PATIENCE."""
    size = wide * high
    y, x = np.indices((size, size))
    rows = np.concatenate([band * high + rng.permutation(high) for band in rng.permutation(wide)])
    columns = np.concatenate([stack * wide + rng.permutation(wide) for stack in rng.permutation(high)])
    cyclic = (y % high * wide + y // high + x) % size
    givens: np.ndarray = (1 + rng.permutation(size)[cyclic[rows][:, columns]]).astype(np.uint8).ravel()
    for cell in rng.permutation(size * size):
        if np.count_nonzero(givens) <= share * size * size:
            break
        less = givens.copy()
        less[cell] = 0
        answer = classify(grid_batch(less[None], wide, high), cpu_limit=PATIENCE)["solutions"][0].as_py()
        if answer == "unknown":
            return less
        if answer == "unique":
            givens = less
    return givens
