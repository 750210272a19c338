"""Fault tolerance: processes killed at random, and the tests of single faults."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from nonocensus.pipeline.findings.figures_page import FigureTable

SEEDS = (1, 2)
PYTEST = [sys.executable, "-m", "pytest", "-q", "-s"]
TESTS = "tests/pipeline"

FAULTS = {
    "a puzzle kills its worker, another raises": "jobs/test_faults.py -k kills_workers",
    "a machine is lost": "jobs/test_faults.py::test_lost_node_costs_no_row",
    "the folder is not mounted on one of two machines": "jobs/test_shared_folder.py",
    "a machine writes elsewhere": "jobs/test_driver.py::test_invisible_file_ends_the_command",
    "a task has a damaged part": "jobs/test_driver.py::test_damaged_part_costs_other_parts_of_its_task_nothing",
    "the disk is full": "jobs/test_faults.py::test_full_disk_is_retried",
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
        command = [*PYTEST, "-m", "kills", f"{TESTS}/jobs/test_faults.py"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        printed: dict[str, Any] = next(
            (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"kills"')), {}
        )
        kills = ", ".join(f"{count} {name}" for name, count in printed.get("kills", {}).items())
        verdict = "equal to an undisturbed run's" if done.returncode == 0 else "DIFFERENT"
        figures = [printed.get(key, "") for key in ("starts", "tasks lost", "puzzles")]
        rows.append([seed, kills, *figures, verdict, time.monotonic() - start])
    heading = ["seed", "kill -9 of", "starts of the command", "tasks lost", "rows", "rows are", "total seconds"]
    return FigureTable("Killed at random, continued by the same command", heading, rows)


def single() -> FigureTable:
    """Return each single fault by its test."""
    rows: list[list[object]] = []
    for fault, test in FAULTS.items():
        start = time.monotonic()
        done = subprocess.run([*PYTEST, *f"{TESTS}/{test}".split()], capture_output=True, text=True, check=False)
        verdict = "no row lost or wrong" if done.returncode == 0 else "FAILED"
        rows.append([fault, f"`{test}`", verdict, time.monotonic() - start])
    return FigureTable("Single faults", ["fault", "test", "outcome", "seconds"], rows)
