"""Benchmarks of the solver: CPU seconds of named sets of puzzles, on one core or on several per puzzle.

Kernels are compiled before measuring. Puzzles are classified in batches, as by a worker.
"""

import csv
import math
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.run.configuration import DEPTH
from nonocensus.reports.charts.cpu_times import SolverTimes
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch, views_of
from nonocensus.scrapers.pictures.rules import every_picture
from nonocensus.solver.api import classify
from nonocensus.solver.engines.searches import COMPILED, ENGINES, EngineLimits
from nonocensus.solver.ladder.climb import climb, warm_up
from nonocensus.solver.ladder.ladder_options import LINE, LadderOptions
from nonocensus.solver.ladder.outcome import MULTIPLE, UNIQUE
from nonocensus.solver.lines.workspace import LINE_SOLVES
from nonocensus.solver.model.check import faults
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of
from nonocensus.solver.model.views import Views, views

SURVEY = (
    *("1", "6", "16", "21", "23", "27", "65", "436", "529", "803", "1611", "1694", "2040", "2413", "2556", "2712"),
    *("3541", "4645", "6574", "6739", "7604", "8098", "9892", "10088", "10810", "12548", "18297", "22336"),
    *("knotty", "meow", "faase"),
)
"""The puzzles of Jan Wolter's survey of solvers (webpbn.com/survey), most by their number on webpbn."""

COLOR_SURVEY = (
    *("47", "220", "551", "672", "1503", "2073", "2257", "2498", "2684", "2814", "2817", "2984", "3149", "3620"),
    *("4364", "4445", "4809", "4940", "5193", "25344", "30216"),
)
"""Coloured puzzles of webpbn on which solvers have been compared, those of the survey included."""

BATCH = 250
LINE_RUNS = 10
EXHAUSTIVE_BATCH = 1 << 14
MOST_CELLS = 26
"""Most cells of a grid in `exhaust`, which sorts one key per picture in memory."""


class BenchmarkResult(NamedTuple):
    """Results of a set of puzzles.

    results   the results table
    seconds   CPU seconds of all calls: kernels, clause learning, checking, building the table
    """

    results: pa.Table
    seconds: float


def survey_of(puzzles: Iterable[Puzzle], wanted: tuple[str, ...]) -> tuple[list[Puzzle], list[str]]:
    """Return the wanted puzzles, by their number on webpbn or file name, and the missing names."""
    found: dict[str, Puzzle] = {}
    for puzzle in puzzles:
        name = PurePosixPath(puzzle.puzzle_id).name.lower().removeprefix("webpbn-").lstrip("0")
        if name in wanted:
            found.setdefault(name, puzzle)
    return [found[name] for name in wanted if name in found], [name for name in wanted if name not in found]


def random_batches(count: int, width: int, height: int, density: float, seed: int) -> list[pa.RecordBatch]:
    """Return puzzles of random pictures in batches."""
    recipe = Recipe("random", width, height, density, seed, count)
    return [recipe_batch(recipe, k, min(k + BATCH, count)) for k in range(0, count, BATCH)]


def batches_of(puzzles: Sequence[Puzzle]) -> list[pa.RecordBatch]:
    """Return puzzles in batches."""
    return [puzzle_batch(puzzles[k : k + BATCH]) for k in range(0, len(puzzles), BATCH)]


def measure(
    batches: list[pa.RecordBatch], cpu_limit: float, check_goal: bool, progress: ProgressCallbacks = SILENT
) -> BenchmarkResult:
    """Classify a set on one core."""
    progress.on_start("classifying", sum(map(len, batches)), 0)
    options: dict[str, Any] = {"rung": "search", "depth": DEPTH, "check_goal": check_goal}
    for batch in batches:
        warm_up(views(batch))
        classify(batch.slice(0, 1), cpu_limit=0.001, **options)
    results, seconds = [], 0.0
    for batch in batches:
        start = time.thread_time()
        results.append(classify(batch, cpu_limit=cpu_limit, **options))
        seconds += time.thread_time() - start
        progress.on_progress(len(batch), "")
    return BenchmarkResult(pa.Table.from_batches(results), seconds)


def figures(measured: BenchmarkResult) -> dict[str, Any]:
    """Return the figures of a set, one row of a table."""
    results = measured.results
    seconds = results["cpu_seconds"].fill_null(0.0).to_numpy()
    solutions = results["solutions"].to_pylist()
    return {
        "puzzles": len(seconds),
        "unique": solutions.count("unique"),
        "multiple": solutions.count("multiple"),
        "none": solutions.count("none"),
        "undecided": solutions.count("unknown"),
        "cpu_seconds": float(seconds.sum()),
        "with_overhead": measured.seconds,
        "mean": float(seconds.mean()),
        "median": float(np.median(seconds)),
        "p99": float(np.quantile(seconds, 0.99)),
        "most": float(seconds.max()),
    }


def slowest(measured: BenchmarkResult, count: int) -> list[dict[str, Any]]:
    """Return the rows of the slowest puzzles, slowest first."""
    rows: list[dict[str, Any]] = measured.results.sort_by([("cpu_seconds", "descending")]).slice(0, count).to_pylist()
    return rows


class Throughput(NamedTuple):
    """Throughput of line logic on whole batches, the best of several runs."""

    puzzles: int
    solved: int
    line_solves: int
    seconds: float


def line_throughput(batches: list[pa.RecordBatch]) -> Throughput:
    """Measure line logic to its fixpoint on all puzzles, on one core."""
    puzzles = solved = line_solves = 0
    seconds = 0.0
    for batch in batches:
        seen = views(batch)
        sound = np.setdiff1d(np.arange(len(batch)), list(faults(seen)))
        best = np.inf
        for _ in range(LINE_RUNS + 1):
            start = time.thread_time()
            outcome = climb(seen, sound, LadderOptions(np.inf, top=LINE))
            best = min(best, time.thread_time() - start)
        puzzles += len(batch)
        solved += int((outcome.solutions == UNIQUE).sum())
        line_solves += int(outcome.counters[:, LINE_SOLVES].sum())
        seconds += best
    return Throughput(puzzles, solved, line_solves, seconds)


class Exhausted(NamedTuple):
    """Pictures of a size, and their distinct clues that are unique, multiple or solved by line logic."""

    pictures: int
    distinct: int
    unique: int
    multiple: int
    line: int
    seconds: float


def exhaust(width: int, height: int, progress: ProgressCallbacks = SILENT) -> Exhausted:
    """Classify the puzzle of every black and white picture of a size.

    Clues are also encoded as a number, so that distinct ones can be counted.
    """
    pictures = 1 << (width * height)
    if width * height > MOST_CELLS:
        raise UserError(f"{width}x{height} has 2^{width * height} pictures; the most cells for this is {MOST_CELLS}")
    progress.on_start("classifying", pictures, 0)
    warm_up(views_of(every_picture(width, height, 0, 1)))
    start = time.thread_time()
    keys = np.empty(pictures, np.int64)
    multiple = np.zeros(pictures, bool)
    unique = line = 0
    for first in range(0, pictures, EXHAUSTIVE_BATCH):
        last = min(first + EXHAUSTIVE_BATCH, pictures)
        cells = every_picture(width, height, first, last)
        batch = views_of(cells)
        outcome = climb(batch, np.arange(last - first), LadderOptions(np.inf))
        if not np.isin(outcome.solutions, (UNIQUE, MULTIPLE)).all():
            raise AssertionError("a picture's clues have no solution")
        unique += int((outcome.solutions == UNIQUE).sum())
        line += int(((outcome.solutions == UNIQUE) & (outcome.rung == LINE)).sum())
        multiple[first:last] = outcome.solutions == MULTIPLE
        keys[first:last] = _keys(batch, width, height)
        progress.on_progress(last - first, "")
    shared = keys[multiple]
    shared.sort()
    several = int((np.diff(shared) != 0).sum()) + (len(shared) > 0)
    return Exhausted(pictures, unique + several, unique, several, line, time.thread_time() - start)


def _keys(batch: Views, width: int, height: int) -> np.ndarray:
    """Return a number for each puzzle's clues, injective for puzzles of one size."""
    key = np.zeros(len(batch.width), np.int64)
    for clues, cells, lines in ((batch.rows, width, height), (batch.columns, height, width)):
        # a clue as a set of cells: its blocks packed to the left, each with the gap after it
        steps = clues.length.astype(np.int64) + 1
        ends = np.concatenate([[0], np.cumsum(steps)])
        offset = ends[:-1] - np.repeat(ends[clues.blocks[:-1]], np.diff(clues.blocks))
        masks = ((np.int64(1) << clues.length.astype(np.int64)) - 1) << offset
        sums = np.concatenate([[0], np.cumsum(masks)])
        packed = (sums[clues.blocks[1:]] - sums[clues.blocks[:-1]]).reshape(-1, lines)
        for i in range(lines):
            key = (key << cells) | packed[:, i]
    return key


WARM_UP = 0.001
"""CPU limit of an engine's warm-up, so that nothing is compiled or loaded while measuring."""

ENGINE_COLUMNS = ("verdict", "first_visits", "first_seconds", "visits", "seconds", "peak", "stopped")
"""What a row has of an engine's answer: all but its pictures."""


def compare_engines(
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
            if name in COMPILED:
                ENGINES[name](puzzle, limits._replace(cpu_limit=WARM_UP))
            answer = ENGINES[name](puzzle, limits)
            shown = {column: getattr(answer, column) for column in ENGINE_COLUMNS}
            rows.append({"puzzle": puzzle.puzzle_id, "engine": name} | shown)
            progress.on_progress(1, "")
    return rows


def differing(rows: list[dict[str, Any]]) -> list[str]:
    """Return the puzzles on which two engines disagree; engines that timed out do not count."""
    verdicts: dict[str, set[str]] = {}
    for row in rows:
        verdicts.setdefault(row["puzzle"], set()).add(row["verdict"])
    return [puzzle for puzzle, said in verdicts.items() if len(said - {"unknown"}) > 1]


def engine_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of all rows of engines, one row of a table."""
    return {
        "puzzles": len({row["puzzle"] for row in rows}),
        "answers": len(rows),
        "undecided": sum(row["verdict"] == "unknown" for row in rows),
        "differing": len(differing(rows)),
        "seconds": sum(row["seconds"] for row in rows),
    }


PEER_COLUMNS = ["solver", "puzzle", "cpu_seconds"]
"""Columns of other programs' times, which `python -m benchmarks.peers_measured` writes; without an answer no time."""


def read_peers(path: Path, puzzles: Collection[str]) -> list[SolverTimes]:
    """Return the times of other programs on the puzzles measured here, in the order of the file.

    Raises UserError if the file is unreadable or has none of the puzzles, InputError if it is malformed.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            if lines.fieldnames != PEER_COLUMNS:
                raise InputError(f"{path}: its columns are not {', '.join(PEER_COLUMNS)}")
            rows = [(row["solver"], row["puzzle"], _seconds(path, lines.line_num, row["cpu_seconds"])) for row in lines]
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV file: {error}") from error
    there = [row for row in rows if row[1] in puzzles]
    if not there:
        raise UserError(f"{path} has none of the puzzles that were measured")
    solvers = list(dict.fromkeys(solver for solver, _, _ in there))
    if len({row[:2] for row in there}) < len(there):
        raise InputError(f"{path} has a program's time on a puzzle twice")
    times = {solver: [seconds for name, _, seconds in there if name == solver] for solver in solvers}
    return [SolverTimes(name, [one for one in some if one is not None], len(some)) for name, some in times.items()]


def _seconds(path: Path, line: int, text: str | None) -> float | None:
    """Parse a time, None without an answer."""
    if text == "":
        return None
    try:
        seconds = float(text or "nothing")
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise InputError(f"{path}, line {line}: {text!r} is not a number of seconds")
    return seconds
