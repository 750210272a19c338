"""Crawls of the local twin without pauses: replies a second, memory, and what the store takes."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.store.parts import LEDGER

COMMAND = [sys.executable, "-m", "nonocensus"]
IDS = "1-5000"


def run(archive: Path) -> list[FigureTable]:
    if not archive.exists():
        return []
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store"
        subprocess.run([*COMMAND, "import", str(archive), "--out", store], check=True, capture_output=True)
        with twin(store) as address:
            base = ["--base-url", address, "--rate", "0"]
            rows += [crawl(site, ["--ids", IDS, *base], Path(folder) / site) for site in ("webpbn", "nonograms")]
            every = ["--ids", "all", *base]
            rows.append(crawl("webpbn", every, Path(folder) / "webpbn"))
        rows.append(crawl("webpbn", ["--reparse"], Path(folder) / "webpbn"))
    heading = ["crawl", "numbers", "puzzles", "wall s", "numbers a second", "most memory MB", "bytes a puzzle: ledger"]
    return [FigureTable(f"A twin of {archive.name}, start of the process included", [*heading, "Parquet"], rows)]


@contextmanager
def twin(store: str) -> Iterator[str]:
    """Run the twin in a subprocess; yields its address."""
    command = [sys.executable, "-m", "nonocensus.pipeline.commands.twin", "--store", store, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0]
        process.terminate()


def crawl(site: str, options: list[str], store: Path) -> list[object]:
    """Return one crawl: what was asked, how fast, and the process's greatest memory."""
    start = time.monotonic()
    command = [*COMMAND, "crawl", site, *options, "--out", str(store), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        report = json.loads(process.stdout.read())
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    assert process.returncode == 0
    numbers, total = sum(report["outcomes"].values()), report["puzzles"]
    ledger, parquet = (store / LEDGER).stat().st_size, sum(path.stat().st_size for path in store.glob("puzzles/*"))
    name = f"{site} {' '.join(option for option in options if '://' not in option and option != '--base-url')}"
    return [name, numbers, total, wall, numbers / wall, used.ru_maxrss / 1000, ledger // total, parquet // total]
