"""The roofline of line logic: how far it is from what the memory and the processor could do at best.

Operations are those that the source asks for on black-and-white lines up to 63 cells (solver.line, solver.propagate),
one each for a word, a vector of `LANES` words, a load or a store; compiled code has more of them, since addresses and
loops are not counted. Bytes are those that have to come from memory or go there: clues, pictures, results. A line's own
data stay in the first cache.
"""

import time
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np
import pyarrow as pa

from benchmarks.line_logic import sets_of
from pipeline.findings.figures_page import Table
from reports.charts.chart import alone, chart_of
from solver.bits import words_for
from solver.clock import cpu_seconds
from solver.jit import kernel
from solver.ladder.climb import climb
from solver.ladder.question import Allowance
from solver.ladder.rungs import LINE
from solver.lanes import LANES
from solver.tools import LINE_SOLVES, WORK
from solver.views import views

CHART = Path(__file__).parent.parent / "docs" / "roofline.svg"

A_LINE, A_BLOCK, A_GROUP, A_CELL = 45, 22, 46, 6
"""Operations of a line solve: once, for each block (both passes), for each group of `LANES` blocks, for each cell told.

A block: a shift, an intersection, a shift by its length, an intersection, an addition and two more in each of the two
passes; two seats and two lengths loaded, two starts and two gaps stored.
"""
CHAIN = 7
"""Operations of a pass on a block, each of which waits for the one before. Neither pass waits for the other one."""

ALUS = 4
"""Operations on words that a core begins in a cycle; so it is on the processors of the last ten years."""

RUNS, CHAIN_STEPS = 10, 1_000_000
FAR, NEAR = 1 << 23, 1 << 10  # words: 64 MiB, far more than a cache holds; 8 KiB, less than the first one


ENDS = (0.01, 100.0)
"""Operations a byte at the left and the right end of the chart."""


class Machine(NamedTuple):
    """What this machine can do at best: cycles a second; bytes a second to and from memory, and the first cache."""

    clock: float
    memory: float
    cache: float


class Work(NamedTuple):
    """What line logic does on a set, for each puzzle; `blocks` are those of the lines solved, a solve."""

    name: str
    solves: float
    blocks: float
    operations: float
    bytes: float
    seconds: float


def run(archive: Path) -> list[Table]:
    machine = Machine(_clock(), _bandwidth(FAR, 1), _bandwidth(NEAR, FAR // NEAR))
    works = [_work(name, batches) for name, batches in sets_of(archive).items()]
    CHART.write_bytes(alone(_chart(machine, works)))
    limits = [
        ["cycles a second, from a chain of operations", machine.clock / 1e9, "GHz"],
        ["memory, read and written", machine.memory / 1e9, "GB/s"],
        ["first cache, read and written", machine.cache / 1e9, "GB/s"],
    ]
    return [
        Table("What the machine can do", ["what", "figure", "unit"], limits),
        Table(
            "Line logic, a puzzle",
            [
                *("puzzles", "line solves", "blocks a solve", "operations", "bytes to and from memory"),
                *("us", "us at the memory's bandwidth", f"us at {ALUS} operations a cycle"),
            ],
            [_of_a_puzzle(machine, work) for work in works],
        ),
        Table(
            "Line logic, a line solve",
            ["puzzles", "ns", "cycles", "operations", "operations a cycle", "cycles that its chain takes at least"],
            [_of_a_line(machine, work) for work in works],
        ),
    ]


def _of_a_puzzle(machine: Machine, work: Work) -> list[object]:
    by_memory, by_core = work.bytes / machine.memory, work.operations / ALUS / machine.clock
    sizes = [work.name, work.solves, work.blocks, work.operations, work.bytes]
    return [*sizes, work.seconds * 1e6, by_memory * 1e6, by_core * 1e6]


def _of_a_line(machine: Machine, work: Work) -> list[object]:
    cycles = work.seconds / work.solves * machine.clock
    operations = work.operations / work.solves
    return [work.name, cycles / machine.clock * 1e9, cycles, operations, operations / cycles, CHAIN * work.blocks]


def _work(name: str, batches: list[pa.RecordBatch]) -> Work:
    """Line logic on the puzzles of a set that take one word a line."""
    puzzles = solves = work = cells = size = 0
    seconds = 0.0
    for batch in batches:
        seen = views(batch)
        which = np.flatnonzero([words_for(max(sides)) == 1 for sides in zip(seen.width, seen.height, strict=True)])
        allowance = Allowance(np.inf, top=LINE)
        outcome = climb(seen, which, allowance)
        best = min(climb(seen, which, allowance).seconds[:, LINE].sum() for _ in range(RUNS))
        counters = outcome.counters[which].sum(axis=0)
        puzzles += len(which)
        solves += int(counters[LINE_SOLVES])
        work += int(counters[WORK])
        cells += int(outcome.decided[which, LINE].sum())
        clues = sum(side.length.nbytes + side.blocks.nbytes + side.lines.nbytes for side in (seen.rows, seen.columns))
        results = (outcome.counters, outcome.decided, outcome.seconds, outcome.first)
        size += (clues + sum(array.nbytes for array in results)) * len(which) // len(batch)
        seconds += best
    blocks = work / solves - 1  # the work of a line is its blocks and one
    groups = blocks / LANES + 0.5
    operations = solves * (A_LINE + A_BLOCK * blocks + A_GROUP * groups) + A_CELL * cells
    return Work(name, solves / puzzles, blocks, operations / puzzles, size / puzzles, seconds / puzzles)


@kernel
def _chain(seed: int, steps: int) -> float:
    """CPU seconds of so many steps of six operations (Marsaglia's xorshift), each of which waits for the one before."""
    x = np.uint64(seed)
    start = cpu_seconds()
    for _ in range(steps):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    spent = cpu_seconds() - start
    return spent if x > np.uint64(0) else 0.0  # x is never 0; so it is needed


def _clock() -> float:
    """Cycles a second: an operation on words takes one."""
    return 6 * CHAIN_STEPS / min(_chain(1, CHAIN_STEPS) for _ in range(RUNS))


@kernel
def _copy(source: np.ndarray, target: np.ndarray, times: int) -> None:
    for k in range(times):
        for i in range(len(source)):
            target[i] = source[i] ^ np.uint64(k)


def _bandwidth(words: int, times: int) -> float:
    """Bytes a second that are read and written while arrays of so many words are copied."""
    source, target = np.ones(words, np.uint64), np.zeros(words, np.uint64)
    best = np.inf
    for _ in range(RUNS):
        start = time.thread_time()
        _copy(source, target, times)
        best = min(best, time.thread_time() - start)
    return 2 * source.nbytes * times / best


def _chart(machine: Machine, works: list[Work]) -> str:
    """Operations a second over operations a byte, both on log scales: the machine's roofs, and the sets below them."""
    most, (left, right) = ALUS * machine.clock, ENDS
    slopes = [("memory", machine.memory), ("first cache", machine.cache)]
    flats = [(f"{ALUS} operations a cycle", most), ("one chain: an operation a cycle", machine.clock)]
    roofs = [
        {"roof": f"{name}, {speed / 1e9:,.0f} GB/s", "x": x, "y": x * speed}
        for name, speed in slopes
        for x in (left, most / speed)
    ]
    roofs += [{"roof": name, "x": x, "y": rate} for name, rate in flats for x in (rate / machine.cache, right)]
    points = [
        {"set": work.name, "x": work.operations / work.bytes, "y": work.operations / work.seconds} for work in works
    ]
    x = alt.X("x:Q", title="operations for each byte to or from memory", scale=alt.Scale(type="log", domain=list(ENDS)))
    y = alt.Y("y:Q", title="operations a second", scale=alt.Scale(type="log"), axis=alt.Axis(format=".0e", tickCount=4))
    lines = alt.Chart(alt.InlineData(values=roofs)).mark_line().encode(x=x, y=y, color=alt.Color("roof:N", title=None))
    marks = alt.Chart(alt.InlineData(values=points)).mark_point(filled=True, size=60).encode(x=x, y=y)
    names = marks.mark_text(align="right", dx=-8).encode(text="set:N")
    title = "Line logic below the roofs of the machine"
    return chart_of(alt.layer(lines, marks, names).properties(height=300), "roofline", title, title).svg
