"""Whole commands over Ray: wall time, puzzles a second, how busy the cores are, memory of driver and workers."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil

from nonocensus.pipeline.findings.figures_page import FigureTable

COMMAND = [sys.executable, "-m", "nonocensus"]
LOOK_EVERY = 0.25
HEADING = ["command", "puzzles", "wall s", "peak MB, command", "peak MB, a worker"]
TASKS = [
    *("command", "tasks", "s from first task to last", "puzzles a second", "CPU s in tasks", "in kernels"),
    *("cores busy", "busy until the last two"),
]


def run(archive: Path) -> list[FigureTable]:
    commands, tasks = [], []
    with tempfile.TemporaryDirectory() as folder:

        def measured(name: str, *arguments: str) -> None:
            commands.append([name, *timed(arguments)])

        def classified(name: str, store: str, *options: str) -> None:
            measured(f"classify {name}", "classify", store, "--out", f"{store}-run", *options)
            tasks.append([f"classify {name}", *work_of(Path(f"{store}-run"))])

        if archive.exists():
            measured(f"import {archive.name}", "import", str(archive), "--out", f"{folder}/archive")
            classified(f"{archive.name} --cpu-limit 10", f"{folder}/archive", "--cpu-limit", "10")
            serially = ("classify", f"{folder}/archive", "--out", f"{folder}/serial", "--serial")
            measured("classify the same --serial", *serially)
            measured("the same again, nothing left", *serially)
            measured("report", "report", f"{folder}/archive-run", "--out", f"{folder}/archive-report")
        million = ("generate", "random", "10x10", "--count", "1000000", "--out", f"{folder}/million")
        measured("generate random 10x10 --count 1000000", *million)
        classified("a million random 10x10", f"{folder}/million")
        measured("generate exhaustive 5x5", "generate", "exhaustive", "5x5", "--out", f"{folder}/five")
        classified("every 5x5", f"{folder}/five")
        measured("report on every 5x5", "report", f"{folder}/five-run", "--out", f"{folder}/report")
    return [
        FigureTable("Whole commands over Ray, all cores, caches warm", HEADING, commands),
        FigureTable("Their tasks", TASKS, tasks),
    ]


def timed(arguments: tuple[str, ...]) -> list[Any]:
    """Run a command; puzzles, wall seconds, peak memory (MB, resident) of the command and of its largest worker."""
    start = time.monotonic()
    process = psutil.Popen([*COMMAND, *arguments, "--json"], stdout=subprocess.PIPE)
    driver = worker = 0
    while process.poll() is None:
        time.sleep(LOOK_EVERY)
        try:
            driver = max(driver, process.memory_info().rss)
            for child in process.children(recursive=True):
                if child.cmdline()[:1] and child.cmdline()[0].startswith("ray::"):
                    worker = max(worker, child.memory_info().rss)
        except (psutil.Error, IndexError):
            continue  # it has ended
    wall = time.monotonic() - start
    assert process.returncode == 0
    assert process.stdout is not None
    printed = json.loads(process.stdout.read())
    puzzles = printed.get("rows", printed.get("puzzles", printed.get("added"))) if isinstance(printed, dict) else None
    return [puzzles, wall, round(driver / 1e6), round(worker / 1e6) if worker else ""]


def work_of(run: Path) -> list[Any]:
    """Return what the log of a run's last session says about its tasks."""
    lines = max((run / "log").iterdir()).read_text().splitlines()
    events = [event for event in map(json.loads, lines) if event["event"] == "task finished"]
    spans = [
        tuple(datetime.fromisoformat(event[key]).timestamp() for key in ("started", "finished")) for event in events
    ]
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    before = sorted(end for _, end in spans)[-3]
    cores = psutil.cpu_count() or 1
    busy = sum(end - start for start, end in spans) / (last - first) / cores
    busy_before = sum(max(0.0, min(end, before) - start) for start, end in spans) / (before - first) / cores
    rows = sum(event["rows"] for event in events)
    cpu, kernels = (sum(event[key] for event in events) for key in ("cpu_task", "cpu_solver"))
    return [len(events), last - first, rows / (last - first), cpu, kernels, f"{busy:.1%}", f"{busy_before:.1%}"]
