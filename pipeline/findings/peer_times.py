"""Times of other programs on the puzzles of a benchmark, from a CSV file with the columns solver, puzzle, cpu_seconds.

cpu_seconds is empty if the program found no answer. `python -m benchmarks.peers_measured` writes such files.
"""

import csv
import math
from collections.abc import Collection
from pathlib import Path

from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.reports.charts.cpu_times import SolverTimes

COLUMNS = ["solver", "puzzle", "cpu_seconds"]


def read_peers(path: Path, puzzles: Collection[str]) -> list[SolverTimes]:
    """Return the times of each program on the puzzles measured here, in the order of the file.

    Raises UserError if the file is unreadable or has none of the puzzles, InputError if it is malformed.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            if lines.fieldnames != COLUMNS:
                raise InputError(f"{path}: its columns are not {', '.join(COLUMNS)}")
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
    return [_times(solver, [seconds for name, _, seconds in there if name == solver]) for solver in solvers]


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


def _times(solver: str, seconds: list[float | None]) -> SolverTimes:
    return SolverTimes(solver, [each for each in seconds if each is not None], len(seconds))
