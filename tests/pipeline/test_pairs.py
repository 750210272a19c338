"""Pairs of concurrent commands on one store or run: one may be refused, nothing is lost, no file is partial."""

import csv
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from runs import lasting, run_serially

from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import Store

CLASSIFY = "classify store --out run --serial -x 10"
PAIRS = [
    ("import more.jsonl --out store", CLASSIFY),
    ("import more.jsonl --out store", "verify store --repair"),
    (CLASSIFY, CLASSIFY),
    (CLASSIFY, "verify run --repair"),
    (CLASSIFY, "grade run --serial"),
    (CLASSIFY, "dataset run --out dataset"),
    ("dataset run --out dataset", "dataset run --out dataset --private"),
    ("pack run --out pack --private --count 90", "pack run --out pack --private --count 50"),
]


def start(place: Path, command: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "nonocensus", *command.split()]
    return subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run_all(place: Path, *commands: str) -> None:
    for command in commands:
        process = start(place, command)
        errors = process.communicate()[1]
        assert process.returncode == 0, f"{command}: {errors}"


def check_files(place: Path) -> None:
    """Check that the commands have left no partial files."""
    assert not list(place.rglob("*.tmp"))
    for found in place.glob("dataset/croissant.json"):
        listed = {file["contentUrl"] for file in json.loads(found.read_text())["distribution"] if "contentUrl" in file}
        paths = list(place.glob("dataset/data/*"))
        assert {f"data/{path.name}" for path in paths} == listed - {"./"}
        assert len({pq.read_schema(path).metadata[b"nonocensus.content"] for path in paths}) == 1
    for found in place.glob("pack/pack.csv"):
        with found.open(newline="") as file:
            listed = {row["file"] for row in csv.DictReader(file)}
        assert {path.name for path in (place / "pack").iterdir()} == listed | {"pack.csv", "pack.json"}


@pytest.mark.kills
def test_concurrent_commands_lose_nothing(store: Store, tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("NONOCENSUS_SEED", "1")))
    run = run_serially(store, tmp_path / "run")
    expected = lasting(run)
    run_all(tmp_path, "convert store more.jsonl")
    more = (tmp_path / "more.jsonl").read_text().replace("test/", "more/")
    (tmp_path / "more.jsonl").write_text(more)
    for number, pair in enumerate(PAIRS):
        place = tmp_path / str(number)
        shutil.copytree(tmp_path / "store", place / "store")
        (place / "more.jsonl").write_text(more)
        run_all(place, f"{CLASSIFY} --limit 100" if CLASSIFY in pair else CLASSIFY)
        processes = []
        for command in pair:
            processes.append((command, start(place, command)))
            time.sleep(chance.uniform(0.0, 0.5))
        refused = []
        for command, process in processes:
            errors = process.communicate()[1]
            if process.returncode:
                assert process.returncode == 2, f"{pair}: {errors}"
                assert "is being written by nonocensus" in errors
                assert len(errors.splitlines()) == 1
                refused.append(command)
        assert len(refused) < 2
        check_files(place)
        run_all(place, *refused)
        check_files(place)
        run_all(place, CLASSIFY, "verify store", "verify run")
        rows = lasting(open_run(str(place / "run")))
        assert len(rows) == (600 if "import" in pair[0] else 300)
        assert rows.filter(pc.starts_with(rows["puzzle_id"], "test/")).equals(expected)
