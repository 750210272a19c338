"""Line logic: puzzles a second on one core, and the time of one line solve as lines grow."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.tables import Table
from solver.bits import marker, words_for
from solver.board import Board, Scratch
from solver.clock import cpu_seconds
from solver.jit import kernel
from solver.ladder import LINE, UNIQUE, climb
from solver.line import solve_line
from solver.propagate import LINE_SOLVES
from solver.puzzle import Puzzle, clue_of, from_picture
from solver.tables import puzzle_batch
from solver.views import views

RUNS = 10


def run(archive: Path) -> list[Table]:
    sets: list[tuple[str, pa.RecordBatch]] = [
        ("10,000 random 10x10, half black", puzzle_batch(random_puzzles(10_000, 10))),
        ("2,000 random 30x30, half black", puzzle_batch(random_puzzles(2_000, 30))),
        ("2,000 smooth 30x30", puzzle_batch(smooth_puzzles(2_000, 30))),
    ]
    if archive.exists():
        sets.insert(0, (archive.name, puzzle_batch(archived(archive))))
    throughput = [throughput_of(name, batch) for name, batch in sets]
    return [
        Table(
            "Line logic to the fixpoint, whole batches, one core",
            ["puzzles", "number", "solved", "puzzles a second", "us a puzzle", "line solves", "ns a line solve"],
            throughput,
        ),
        Table(
            "One line solve, half of the cells known, by length and number of blocks",
            ["cells", "words", "blocks", "mono, ns", "three colours, ns"],
            [line_time(cells, share) for cells in (10, 20, 40, 63, 64, 127, 255, 511, 1023) for share in (0.1, 0.5)],
        ),
    ]


def archived(archive: Path) -> list[Puzzle]:
    """The puzzles of a local archive."""
    from scrapers.files import files_in
    from scrapers.importing import read_files

    return [item for item in read_files(files_in([archive])) if isinstance(item, Puzzle)]


def random_puzzles(count: int, side: int) -> list[Puzzle]:
    rng = np.random.default_rng(1)
    return [from_picture((rng.random((side, side)) < 0.5).astype(np.uint8)) for _ in range(count)]


def smooth_puzzles(count: int, side: int) -> list[Puzzle]:
    """Pictures of smooth blobs: random numbers averaged over their neighbourhood, the upper half black."""
    rng = np.random.default_rng(2)

    def smooth(field: np.ndarray) -> np.ndarray:
        for axis in (0, 1):
            field = sum(np.roll(field, step, axis) for step in range(-3, 4))  # type: ignore[assignment]
        return field

    fields = (smooth(rng.random((side, side))) for _ in range(count))
    return [from_picture((field > np.median(field)).astype(np.uint8)) for field in fields]


def best(function: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest CPU time of several runs, and the last result; a first run compiles."""
    result = function()
    shortest = float("inf")
    for _ in range(RUNS):
        start = time.thread_time()
        result = function()
        shortest = min(shortest, time.thread_time() - start)
    return shortest, result


def throughput_of(name: str, batch: pa.RecordBatch) -> list[object]:
    seen = views(batch)
    seconds, outcome = best(lambda: climb(seen, np.arange(len(batch)), 60.0, top=LINE))
    solves = int(outcome.counters[:, LINE_SOLVES].sum())
    solved = int((outcome.solutions == UNIQUE).sum())
    count = len(batch)
    return [name, count, solved, count / seconds, seconds / count * 1e6, solves, seconds / solves * 1e9]


@kernel
def _repeat(n: int, board: Board, color: np.ndarray | None, scratch: Scratch, times: int, like: Any) -> float:
    """CPU seconds of so many solves of the same line."""
    start = cpu_seconds()
    for _ in range(times):
        solve_line(n, 0, board, color, scratch, like)
    return cpu_seconds() - start


def line_time(cells: int, share: float) -> list[object]:
    """Time of one solve of a random line with a share of block starts, mono and in three colours."""
    words = words_for(cells)
    times = []
    blocks = 0
    for colors in (1, 3):
        rng = np.random.default_rng(cells)
        line = np.zeros(cells, np.uint8)
        color = 1
        for x in range(1, cells):
            change = rng.random() < share
            if change:
                color = int(rng.integers(1, colors + 1))
            line[x] = (0 if line[x - 1] else color) if change else line[x - 1]
        clue = clue_of(line)
        blocks = len(clue) if colors == 1 else blocks
        board = Board(
            np.array([cells, 1, colors + 1]),
            np.array([0, len(clue)], np.int32),
            np.array([block.length for block in clue], np.uint16),
            np.zeros((colors + 1, words), np.uint64),
        )
        known = rng.random(cells) < 0.5
        for c in range(colors + 1):
            mask = sum(1 << x for x in range(cells) if not known[x] or line[x] == c)
            for k in range(words):
                board.can[c, k] = mask >> (64 * k) & (2**64 - 1)
        scratch = Scratch(*(np.zeros((rows, words), np.uint64) for rows in (cells + 1, cells + 1, colors + 1, 4)))
        block_colors = None if colors == 1 else np.array([block.color for block in clue], np.uint8)
        repeats = 20_000 // words
        _repeat(cells, board, block_colors, scratch, 1, marker(words))
        seconds = min(_repeat(cells, board, block_colors, scratch, repeats, marker(words)) for _ in range(RUNS))
        times.append(seconds / repeats * 1e9)
    return [cells, words, blocks, *times]
