"""Fault tolerance: processes killed at random, and the tests of single faults."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pipeline.findings.figures_page import FigureTable

SEEDS = (1, 2)
PYTEST = [sys.executable, "-m", "pytest", "-q", "-s"]
TESTS = "tests/pipeline"

FAULTS = {
    "a puzzle kills its worker, another raises": "classify/test_faults.py -k kills_workers",
    "a machine is lost": "classify/test_faults.py::test_a_lost_node_costs_no_row",
    "the folder is not mounted on one of two machines": "classify/test_shared_folder.py",
    "a machine writes elsewhere": "classify/test_driver.py::test_a_file_counts_when_it_is_seen",
    "a damaged part shares a task with others": "classify/test_driver.py::test_a_damaged_part_takes_no_other_with_it",
    "the disk is full": "classify/test_faults.py::test_a_full_disk_is_waited_for",
    "two imports at once": "store/test_lock.py::test_two_imports_at_once_lose_nothing",
    "two commands on one run": "store/test_lock.py::test_second_classify_does_not_disturb_the_first",
    "the store changes between classify and report": "verify/test_verify.py::test_carry_over_follows_the_changed_store",
    "killed while a run follows its store": "verify/test_verify.py::test_killed_carry_over_changes_nothing",
    "a reparse is cut short": "crawl/test_crawl.py::test_reparse_keeps_imported_rows",
    "parts and results damaged in every way": "verify/test_verify.py",
}
"""Single faults, and the test that makes each happen and compares all rows with an undisturbed run's."""


def run(_: Path) -> list[FigureTable]:
    return [killed(), single()]


def killed() -> FigureTable:
    """Twenty processes killed at random moments of a run, for several seeds."""
    rows: list[list[object]] = []
    for seed in SEEDS:
        start = time.monotonic()
        environment = os.environ | {"NONOCENSUS_SEED": str(seed)}
        command = [*PYTEST, "-m", "kills", f"{TESTS}/classify/test_faults.py"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        printed: dict[str, Any] = next(
            (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"kills"')), {}
        )
        kills = ", ".join(f"{count} {name}" for name, count in printed.get("kills", {}).items())
        verdict = "equal to an undisturbed run's" if done.returncode == 0 else "DIFFERENT"
        figures = [printed.get(key, "") for key in ("starts", "tasks lost", "puzzles")]
        rows.append([seed, kills, *figures, verdict, time.monotonic() - start])
    heading = ["seed", "kill -9 of", "starts of the command", "tasks lost", "rows", "rows are", "seconds in all"]
    return FigureTable("Killed at random, continued by the same command", heading, rows)


def single() -> FigureTable:
    """Return each single fault by its test."""
    rows: list[list[object]] = []
    for fault, test in FAULTS.items():
        start = time.monotonic()
        done = subprocess.run([*PYTEST, *f"{TESTS}/{test}".split()], capture_output=True, text=True, check=False)
        verdict = "no row lost or wrong" if done.returncode == 0 else "NOT WITHSTOOD"
        rows.append([fault, f"`{test}`", verdict, time.monotonic() - start])
    return FigureTable("Single faults", ["fault", "test", "what became of it", "seconds"], rows)
