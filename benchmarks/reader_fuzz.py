"""Readers of files against files that were changed at random: what they say, how long it takes, and how much memory.

The quick reader of large files of JSON lines is held against the plain one, which reads a puzzle at a time.

Set COUNT for fewer files of each format.
"""

import multiprocessing
import os
import random
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.formats import FORMATS, named
from tests.mutations import mutated, mutated_lines, refusal, rows_and_problems, samples

COUNT = 200_000
SEED = 1_000
"""The tests have another one."""

LONGEST = 2_000
"""Characters of what may be said about a file."""


def run(archive: Path) -> list[FigureTable]:  # noqa: ARG001
    count = int(os.environ.get("COUNT", COUNT))
    spawned = multiprocessing.get_context("spawn")  # a process each: what it takes is its own
    with ProcessPoolExecutor(os.cpu_count(), spawned, max_tasks_per_child=1) as pool:
        rows = list(pool.map(figures, [known.NAME for known in FORMATS], [count] * len(FORMATS)))
        compared = pool.submit(comparison, count).result()
    heading = [
        "format",
        "files",
        "read",
        "refused in a line",
        "anything else",
        "slowest, ms of CPU",
        "memory, MiB more",
    ]
    return [
        FigureTable("Files changed at random", heading, rows),
        FigureTable(
            "JSON lines changed at random: the quick reader against the plain one",
            ["files", "same rows and errors", "of them read whole", "in part", "not at all", "different"],
            [compared],
        ),
    ]


def figures(name: str, count: int) -> list[object]:
    known, source = named(name), random.Random(SEED)
    sound = samples(known)
    for data in sound:
        refusal(known, data)
    before = _peak()
    ends, slowest = Counter[str](), 0.0
    for _ in range(count):
        data = mutated(source.choice(sound), source)
        start = time.process_time()
        ends[_end(name, data)] += 1
        slowest = max(slowest, time.process_time() - start)
    return [name, count, ends["read"], ends["refused"], ends["else"], 1e3 * slowest, (_peak() - before) / 1024]


def comparison(count: int) -> list[object]:
    source = random.Random(SEED)
    ends = Counter[str]()
    for _ in range(count):
        data = mutated_lines(source)
        quick, slow = (rows_and_problems(data, bulk_bytes) for bulk_bytes in (0, 1 << 30))
        end = ("in part" if len(quick[0]) else "none") if quick[1] else "whole"
        if quick != slow:
            print(repr(data))
            end = "different"
        ends[end] += 1
    return [count, count - ends["different"], *(ends[end] for end in ("whole", "in part", "none", "different"))]


def _peak() -> int:
    """Return the most memory that this process has had, in KiB; getrusage would give the parent's if that was more."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _end(name: str, data: bytes) -> str:
    """Outcome of reading a file."""
    try:
        said = refusal(named(name), data)
    except Exception as error:  # whatever it is, it is what is looked for
        print(f"{name}: {data!r}: {error!r}")
        return "else"
    if said is None:
        return "read"
    return "refused" if "\n" not in said and len(said) < LONGEST else "else"
