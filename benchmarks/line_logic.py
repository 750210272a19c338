"""Line logic: puzzles per second on one core, and the time of a line solve by length."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.findings.benchmark import batches_of, line_throughput, random_batches
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.bits import words_for
from nonocensus.solver.lines.board import Board
from nonocensus.solver.lines.lanes import ROOM
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.workspace import Workspace, make_workspace
from nonocensus.solver.model.puzzle import Puzzle, clue_of

RUNS = 10


def run(archive: Path) -> list[FigureTable]:
    return [
        FigureTable(
            "Line logic to the fixpoint, whole batches, one core",
            ["puzzles", "number", "solved", "puzzles a second", "us a puzzle", "line solves", "ns a line solve"],
            [throughput_of(name, batches) for name, batches in sets_of(archive).items()],
        ),
        FigureTable(
            "One line solve, half of the cells known, by length and number of blocks",
            ["cells", "words", "blocks", "mono, ns", "three colours, ns"],
            [line_time(cells, share) for cells in (10, 20, 40, 63, 64, 127, 255, 511, 1023) for share in (0.1, 0.5)],
        ),
    ]


def sets_of(archive: Path) -> dict[str, list[pa.RecordBatch]]:
    """Return the puzzles to measure on by name, in batches; the archive first, if it exists."""
    blobs = Recipe("blobs", 30, 30, 0.5, 2, 2_000)
    sets: dict[str, list[pa.RecordBatch]] = {
        "10,000 random 10x10, half black": random_batches(10_000, 10, 10, 0.5, 1),
        "2,000 random 30x30, half black": random_batches(2_000, 30, 30, 0.5, 1),
        "2,000 smooth 30x30": [recipe_batch(blobs, 0, blobs.count)],
    }
    if archive.exists():
        puzzles = [item for item in read_files(files_in([archive])) if isinstance(item, Puzzle)]
        sets = {archive.name: batches_of(puzzles)} | sets
    return sets


def throughput_of(name: str, batches: list[pa.RecordBatch]) -> list[object]:
    count, solved, solves, seconds = line_throughput(batches)
    return [name, count, solved, count / seconds, seconds / count * 1e6, solves, seconds / solves * 1e9]


@kernel
def _repeat(n: int, board: Board, color: np.ndarray | None, workspace: Workspace, times: int) -> float:
    """Return the CPU seconds of `times` solves of the same line."""
    start = cpu_seconds()
    for _ in range(times):
        solve_line(n, 0, board, color, workspace)
    return cpu_seconds() - start


def line_time(cells: int, share: float) -> list[object]:
    """Measure one solve of a random line with this share of block starts, mono and in three colours."""
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
            np.array([block.length for block in clue] + [0] * ROOM, np.uint16),
            np.zeros((colors + 1, words), np.uint64),
            np.zeros(0, np.uint8),
        )
        known = rng.random(cells) < 0.5
        for c in range(colors + 1):
            mask = sum(1 << x for x in range(cells) if not known[x] or line[x] == c)
            for k in range(words):
                board.can[c, k] = mask >> (64 * k) & (2**64 - 1)
        workspace = make_workspace(cells, colors + 1, words)
        block_colors = None if colors == 1 else np.array([block.color for block in clue], np.uint8)
        repeats = 20_000 // words
        _repeat(cells, board, block_colors, workspace, 1)
        seconds = min(_repeat(cells, board, block_colors, workspace, repeats) for _ in range(RUNS))
        times.append(seconds / repeats * 1e9)
    return [cells, words, blocks, *times]
