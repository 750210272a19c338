"""Other programs on puzzles, a process for each puzzle: CPU seconds until they know how many solutions there are.

python -m benchmarks.peers_measured FILE... --program NAME:FORMAT=COMMAND --csv OUT [--cpu-limit SECONDS]

COMMAND has {file} where the puzzle's file belongs, which is written in FORMAT (docs/FORMATS.md), or reads it as its
standard input. A program that ends well within the limit has decided the puzzle: have it look for two solutions.
What it prints is not looked at. Its time is that of its process, start and reading included.
"""

import argparse
import csv
import os
import resource
import shlex
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import nonocensus as nc
from nonocensus.pipeline.findings.benchmark import PEER_COLUMNS


class Program(NamedTuple):
    """A program: its name, the format of its files, its command."""

    name: str
    format: str
    command: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers_measured", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files, folders or archives of puzzles")
    parser.add_argument("--program", action="append", required=True, type=program, metavar="NAME:FORMAT=COMMAND")
    parser.add_argument("--csv", required=True, type=Path, help="file for a line a program and puzzle")
    parser.add_argument("--cpu-limit", type=int, default=60, help="CPU seconds for a puzzle (default: 60)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asked.csv.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(PEER_COLUMNS)
        for puzzle in nc.read(asked.files).puzzles:
            for each in asked.program:
                seconds = measured(puzzle, each, Path(folder), asked.cpu_limit)
                lines.writerow([each.name, puzzle.puzzle_id, "" if seconds is None else f"{seconds:.4g}"])
                print(f"{puzzle.puzzle_id}: {each.name} {'no answer' if seconds is None else f'{seconds:.3g} s'}")
                file.flush()


def program(text: str) -> Program:
    """Return what --program says."""
    head, found, command = text.partition("=")
    name, parted, known = head.partition(":")
    if not (name and found and parted and command):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:FORMAT=COMMAND")
    return Program(name, known, shlex.split(command))


def measured(puzzle: nc.Puzzle, program: Program, folder: Path, limit: int) -> float | None:
    """CPU seconds of a program on a puzzle; None if it ended badly or not in time."""
    path = folder / f"puzzle.{program.format}"
    nc.write([puzzle], path, to=program.format, lossy=True)
    with path.open("rb") as given:
        words = [word.replace("{file}", str(path)) for word in program.command]
        process = subprocess.Popen(words, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with suppress(ProcessLookupError):  # it has ended already
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if process.returncode == 0 else None


if __name__ == "__main__":
    main()
