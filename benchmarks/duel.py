"""Compare this checkout's speed with another's: python -m benchmarks.duel CHECKOUT [ARCHIVE].

A machine's speed drifts by more than the difference to measure. So two processes, one per checkout, hold the same
puzzles and compiled kernels and alternate on one core in batches of 128 puzzles. A round is the whole archive; its
ratio compares times half a second apart.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.result_pages import ARCHIVE

BATCH, ROUNDS = 128, 8
HERE = Path(__file__).resolve().parent.parent

PROGRAM = f"""
import sys
from pathlib import Path
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.file_batches import read_files
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
puzzles = [each for each in read_files(files_in([Path(sys.argv[1])])) if isinstance(each, Puzzle)]
batches = [puzzle_batch(puzzles[k : k + {BATCH}]) for k in range(0, len(puzzles), {BATCH})]
for batch in batches:
    classify(batch, cpu_limit=60.0)
print(len(batches), flush=True)
for line in sys.stdin:
    print(sum(classify(batches[int(line)], cpu_limit=60.0)["cpu_seconds"].to_pylist()), flush=True)
"""


def start_process(checkout: Path, archive: Path) -> "subprocess.Popen[str]":
    """Start a process that runs the code of a checkout."""
    environment = {"PYTHONPATH": str(checkout), "NUMBA_CACHE_DIR": str(checkout / ".cache" / "numba")}
    command = [sys.executable, "-c", PROGRAM, str(archive)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=checkout, env=os.environ | environment, stdin=pipe, stdout=pipe, text=True)


def read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("a process ended early; see its output above")
    return line


def seconds(process: "subprocess.Popen[str]", batch: int) -> float:
    """Return the CPU seconds of a process for a batch."""
    assert process.stdin is not None
    process.stdin.write(f"{batch}\n")
    process.stdin.flush()
    return float(read_line(process))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.duel", description=__doc__)
    parser.add_argument("checkout", type=Path, help="folder of the other checkout")
    parser.add_argument("archive", type=Path, nargs="?", default=ARCHIVE)
    options = parser.parse_args()
    archive = options.archive.resolve()
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    processes = [start_process(folder, archive) for folder in (HERE, options.checkout.resolve())]
    try:
        compare(processes)
    finally:
        for process in processes:
            process.kill()


def compare(processes: "list[subprocess.Popen[str]]") -> None:
    """Alternate between the processes and print each round's ratio."""
    batches, others = (int(read_line(process)) for process in processes)
    assert batches == others, "different puzzles"
    ratios = []
    for turn in range(ROUNDS):
        spent = [0.0, 0.0]
        for batch in range(batches):
            first = (turn + batch) % 2
            for index in (first, 1 - first):
                spent[index] += seconds(processes[index], batch)
        ratios.append(spent[0] / spent[1])
        print(f"round {turn + 1}: {spent[0]:.2f} and {spent[1]:.2f} CPU s, ratio {ratios[-1]:.3f}", flush=True)
    print(f"median of {ROUNDS} rounds: ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
