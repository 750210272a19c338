"""Other programs' times on the puzzles of a bench: a CSV file with the columns solver, puzzle, cpu_seconds.

A line for each program and puzzle; cpu_seconds is empty where the program came to no answer.
`python -m benchmarks.peers_measured` measures programs so.
"""

import csv
import math
from collections.abc import Collection
from pathlib import Path

from pipeline.errors import InputError, UserError
from reports.charts.cpu_times import SolverTimes

COLUMNS = ["solver", "puzzle", "cpu_seconds"]


def read_peers(path: Path, puzzles: Collection[str]) -> list[SolverTimes]:
    """The times of each program on those puzzles that were measured here too, in the file's order.

    A UserError says so if the file can't be read or has none of the puzzles; an InputError names what is wrong with it.
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
        raise InputError(f"{path} is no CSV file: {error}") from error
    there = [row for row in rows if row[1] in puzzles]
    if not there:
        raise UserError(f"{path} has none of the puzzles that were measured")
    solvers = list(dict.fromkeys(solver for solver, _, _ in there))
    if len({row[:2] for row in there}) < len(there):
        raise InputError(f"{path} has a program's time on a puzzle twice")
    return [_times(solver, [seconds for name, _, seconds in there if name == solver]) for solver in solvers]


def _seconds(path: Path, line: int, text: str | None) -> float | None:
    """A time; None where there was no answer."""
    if text == "":
        return None
    try:
        seconds = float(text or "nothing")
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise InputError(f"{path}, line {line}: {text!r} is no number of seconds")
    return seconds


def _times(solver: str, seconds: list[float | None]) -> SolverTimes:
    return SolverTimes(solver, [each for each in seconds if each is not None], len(seconds))
