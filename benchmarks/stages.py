"""Compare whole runs with another checkout's: python -m benchmarks.stages CHECKOUT [--size 4x5] [--rounds 2].

Both checkouts alternate at generating, classifying and reporting every picture of a size, on one core (--serial). CPU
seconds are the machine's, which should do nothing else. A first round on small pictures compiles the kernels.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

HERE = Path(__file__).resolve().parent.parent
SMALL = "3x4"


def stages(size: str, folder: Path) -> dict[str, list[str]]:
    """Return the commands of a whole run by name."""
    store, run = str(folder / size), str(folder / f"{size}-run")
    return {
        "generate": ["generate", "exhaustive", size, "--out", store, "--serial"],
        "classify": ["classify", store, "--out", run, "--serial"],
        "report": ["report", run, "--out", str(folder / f"{size}-report")],
    }


class Spent(NamedTuple):
    """What a command took: CPU seconds of the machine, wall seconds, peak memory of its own process in MB."""

    cpu: float
    wall: float
    memory: float


def measure(checkout: Path, arguments: list[str]) -> Spent:
    """Run a command of a checkout on a machine that does nothing else: Ray's workers are no children of the command."""
    environment = {"PYTHONPATH": str(checkout), "NUMBA_CACHE_DIR": str(checkout / ".cache" / "numba")}
    command = [sys.executable, "-m", "nonocensus", *arguments]
    start, busy = time.monotonic(), busy_seconds()
    process = subprocess.Popen(command, cwd=checkout, env=os.environ | environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    spent = Spent(busy_seconds() - busy, time.monotonic() - start, used.ru_maxrss / 1e3)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} of {checkout} failed: exit status {process.returncode}")
    return spent


def busy_seconds() -> float:
    """Return the CPU seconds that the machine's cores have worked."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    parser.add_argument("checkout", type=Path, help="folder of the other checkout")
    parser.add_argument("--size", default="4x5")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    checkouts = HERE, options.checkout.resolve()
    for number in range(-1, options.rounds):
        with tempfile.TemporaryDirectory() as made:
            folders = [Path(made) / str(k) for k in range(len(checkouts))]
            size = SMALL if number < 0 else options.size
            for name in stages(size, folders[0]):
                pairs = zip(checkouts, folders, strict=True)
                now, before = (measure(there, stages(size, out)[name]) for there, out in pairs)
                if number >= 0:
                    print(
                        f"round {number + 1}, {name} {size}: {now.cpu:.1f} and {before.cpu:.1f} CPU s, "
                        f"{now.memory:.0f} and {before.memory:.0f} MB",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
