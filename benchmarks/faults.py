"""Twenty processes killed at random moments of a run: the test that does it, for several seeds."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pipeline.findings.figures_page import Table

SEEDS = (1, 2)
COMMAND = [sys.executable, "-m", "pytest", "-q", "-s", "-m", "kills", "tests/pipeline/test_faults.py"]


def run(_: Path) -> list[Table]:
    rows: list[list[object]] = []
    for seed in SEEDS:
        start = time.monotonic()
        environment = os.environ | {"NONOCENSUS_SEED": str(seed)}
        done = subprocess.run(COMMAND, capture_output=True, text=True, env=environment, check=False)
        printed: dict[str, Any] = next(
            (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"kills"')), {}
        )
        kills = ", ".join(f"{count} {name}" for name, count in printed.get("kills", {}).items())
        verdict = "equal to an undisturbed run's" if done.returncode == 0 else "DIFFERENT"
        figures = [printed.get(key, "") for key in ("starts", "tasks lost", "puzzles")]
        rows.append([seed, kills, *figures, verdict, time.monotonic() - start])
    heading = ["seed", "kill -9 of", "starts of the command", "tasks lost", "rows", "rows are", "seconds in all"]
    return [Table("Killed at random, continued by the same command", heading, rows)]
