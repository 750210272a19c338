"""Compare whole runs with another checkout's: python -m benchmarks.stages CHECKOUT [--size 4x5] [--rounds 2].

Both checkouts alternate at generating, classifying and reporting every picture of a size, on one core (--serial). CPU
seconds include child processes. A first round on small pictures compiles the kernels.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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


def measure(checkout: Path, arguments: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak memory in MB of a command of a checkout."""
    environment = {"PYTHONPATH": str(checkout), "NUMBA_CACHE_DIR": str(checkout / ".cache" / "numba")}
    command = [sys.executable, "-m", "nonocensus", *arguments]
    process = subprocess.Popen(command, cwd=checkout, env=os.environ | environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} of {checkout} failed: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


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
                (cpu, memory), (other, others) = (measure(there, stages(size, out)[name]) for there, out in pairs)
                if number >= 0:
                    print(
                        f"round {number + 1}, {name} {size}: {cpu:.1f} and {other:.1f} CPU s, "
                        f"{memory:.0f} and {others:.0f} MB",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
