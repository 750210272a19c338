"""Findings: report, dataset, export, dedup, compare, query. Wall time, memory, size of what they write."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scale import COMMAND, timed
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.run.run_folder import Run, open_run

HEADING = ["command", "puzzles", "wall s", "peak MB", "writes MB"]
LABELS = "select label, count(*) as puzzles, sum(cpu_seconds) as seconds from results group by all"
JOINED = "select kind, avg(width * height), avg(probes) from puzzles join results using (puzzle_id) group by all"


def run(archive: Path) -> list[FigureTable]:
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        if archive.exists():
            run_command("import", str(archive), "--out", f"{folder}/archive")
            tables.append(FigureTable(f"The {archive.name}", HEADING, findings(f"{folder}/archive")))
        for name, recipe in (
            ("50,000 smooth blobs, 30x30", ("blobs", "30x30", "--count", "50000")),
            ("A million random 10x10", ("random", "10x10", "--count", "1000000")),
        ):
            store = f"{folder}/{recipe[0]}"
            run_command("generate", *recipe, "--out", store)
            tables.append(FigureTable(name, HEADING, findings(store)))
    return tables


def run_command(*arguments: str) -> None:
    subprocess.run([*COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_job(archive: Path, folder: str, job: str) -> tuple[Run, float]:
    """Import and classify an archive, then run certify or grade; returns the run, and the job's wall seconds."""
    store, place = f"{folder}/store", f"{folder}/run"
    run_command("import", str(archive), "--out", store)
    run_command("classify", store, "--out", place, "--cpu-limit", "10")
    _, wall, *_ = timed((job, place))
    return open_run(place), wall


def findings(store: str) -> list[list[Any]]:
    """Return a line for each command, on a run of this store."""
    run = f"{store}-run"
    run_command("classify", store, "--out", run, "--cpu-limit", "10")
    page, data, csv = (f"{store}-{name}" for name in ("report", "dataset", "export.csv"))
    rows = [
        ["report", *measured(f"{page}/report.html", "report", run, "--out", page)],
        ["dataset", *measured(data, "dataset", run, "--out", data)],
        ["dataset --private", *measured(f"{data}-private", "dataset", run, "--out", f"{data}-private", "--private")],
        ["export", *measured(csv, "export", run, "--csv", csv)],
        ["dedup", *measured(None, "dedup", store)],
        ["compare with itself", *measured(None, "compare", run, run)],
        ["query: labels", *measured(None, "query", run, LABELS)],
        ["query: puzzles joined with results", *measured(None, "query", run, JOINED)],
    ]
    puzzles = rows[0][1]
    return [[name, puzzles, *rest] for name, _, *rest in rows]


def measured(written: str | None, *arguments: str) -> list[Any]:
    """Return puzzles, wall seconds, peak memory and megabytes of a file or folder that the command writes."""
    puzzles, wall, memory, _ = timed(arguments)
    return [puzzles, wall, memory, size(Path(written)) / 1e6 if written else ""]


def size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())
