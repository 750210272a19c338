"""The whole command on a real archive: import, then classify over Ray on all cores; wall time and where it goes."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.tables import Table

COMMAND = [sys.executable, "-m", "pipeline"]


def run(archive: Path) -> list[Table]:
    if not archive.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        store, rows = f"{folder}/store", []
        for name, arguments in (
            ("import", ["import", str(archive), "--out", store]),
            ("classify, Ray", ["classify", store, "--out", f"{folder}/ray"]),
            ("classify, Ray, once more", ["classify", store, "--out", f"{folder}/ray2"]),
            ("classify, serial", ["classify", store, "--out", f"{folder}/serial", "--serial"]),
            ("classify, nothing left", ["classify", store, "--out", f"{folder}/serial", "--serial"]),
            ("report", ["report", f"{folder}/ray", "--out", f"{folder}/report"]),
        ):
            start = time.monotonic()
            done = subprocess.run([*COMMAND, *arguments, "--json"], check=True, capture_output=True, text=True)
            wall = time.monotonic() - start
            result = json.loads(done.stdout)
            kernels, tasks = result.get("cpu_solver"), result.get("cpu_tasks")
            share = f"{kernels / tasks:.0%}" if kernels and tasks else ""
            rows.append([name, result.get("rows", result.get("puzzles", "")), wall, kernels or "", tasks or "", share])
    heading = ["command", "puzzles", "wall s", "CPU s in kernels", "CPU s in tasks", "kernels' share"]
    return [Table(f"The commands on {archive.name}, caches warm", heading, rows)]
