"""The whole way from files of puzzles to their report: CPU and wall seconds of import, classify, grade and report.

With a baseline, a checkout of another commit, the two alternate. A first round compiles the kernels. The machine should
do nothing else.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.people import PEOPLE
from benchmarks.stages import HERE, Spent, measure
from nonocensus.pipeline.findings.figures_page import FigureTable

ROUNDS = 2
SECONDS = "2"
"""CPU limit of a puzzle."""

TITLE = "The whole way, over Ray, kernels cached: median of {} rounds, CPU seconds of all processes of the machine"


def run(_: Path, files: Sequence[Path] = (), baseline: Path | None = None) -> list[FigureTable]:
    """Measure the whole way of files; by default those of people's times, none if they are missing."""
    files = [file.resolve() for file in files] or sorted(PEOPLE.resolve().glob("*.jsonl.xz"))
    if not files:
        return []
    checkouts = [HERE, *([baseline.resolve()] if baseline else [])]
    rounds: list[list[list[Spent]]] = [[] for _ in checkouts]
    for _turn in range(1 + ROUNDS):
        for checkout, spent in zip(checkouts, rounds, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                spent.append([measure(checkout, arguments) for arguments in commands(files, folder)])
    names = [arguments[0] for arguments in commands(files, "")]
    sums = [[medians(spent[1:], slice(k, k + 1)) for spent in rounds] for k in range(len(names))]
    sums.append([medians(spent[1:], slice(None)) for spent in rounds])
    rows = [[name, *(x for pair in one for x in pair)] for name, one in zip([*names, "all four"], sums, strict=True)]
    columns = [f"{unit}, {commit_of(checkout)}" for checkout in checkouts for unit in ("CPU s", "wall s")]
    return [FigureTable(TITLE.format(ROUNDS), ["command", *columns], rows)]


def commands(files: list[Path], folder: str) -> list[list[str]]:
    """Return the commands of the whole way."""
    store, run, report = (f"{folder}/{name}" for name in ("store", "run", "report"))
    return [
        ["import", *map(str, files), "--out", store],
        ["classify", store, "--out", run, "--cpu-limit", SECONDS],
        ["grade", run, "--cpu-limit", SECONDS],
        ["report", run, "--out", report],
    ]


def commit_of(checkout: Path) -> str:
    """Return the short hash of a checkout's commit, with a mark if its files differ."""
    command = ["git", "-C", str(checkout), "describe", "--always", "--exclude=*", "--dirty"]
    return subprocess.check_output(command, text=True).strip()


def medians(rounds: list[list[Spent]], which: slice) -> tuple[float, float]:
    """Return the medians over rounds of the CPU and of the wall seconds of some commands."""
    cpu, wall = ([sum(spent[k] for spent in one[which]) for one in rounds] for k in range(2))
    return median(cpu), median(wall)
