"""Agreement with what others have published about real puzzles."""

import csv
from pathlib import Path
from typing import Any

import pytest

from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch


def classified(items: list[Puzzle], **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = classify(puzzle_batch(items), **options).to_pylist()
    return rows


def read(*paths: Path) -> list[Puzzle]:
    items = list(read_files(files_in(paths)))
    assert all(isinstance(item, Puzzle) for item in items)
    return [item for item in items if isinstance(item, Puzzle)]


DEEPER_THAN_TWO = {f"webpbn/{number}" for number in (6120, 12510)}
"""Where pbnsolve says depth-2 and the rung depth-2 does not suffice.

Its job heap forgets the depth of a job that it moves (job_move in job.c copies the priority and the line only), so it
sometimes solves lines three levels deep; built with that mended, it calls these two "unique" as well.
"""


@pytest.mark.slow
def test_verdicts_on_the_2014_archive(shared_data: Path) -> None:
    """All 6,746 puzzles: every one decided, and the same answer as pbnsolve wherever it has one."""
    with (shared_data / "known-results/webpbn-2014-pbnsolve.csv").open() as file:
        known = csv.DictReader(line for line in file if not line.startswith("#"))
        words = {f"webpbn/{row['webpbn_id']}": row["words"].removeprefix("trivial ") for row in known}
    rows = classified(read(shared_data / "webpbn-2014-mono.tar.xz"))
    assert len(rows) == 6746
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["goal_matches"] for row in rows} == {True}
    ours = {row["puzzle_id"]: row for row in rows}
    assert {i for i, row in ours.items() if (row["technique"] == "line") != (words[i] == "unique logical")} == set()
    assert {i for i in ours if words[i] == "multiple" and ours[i]["solutions"] != "multiple"} == set()
    assert {i for i in ours if words[i].startswith("unique") and ours[i]["solutions"] != "unique"} == set()
    deeper = {i for i in ours if words[i] == "unique depth-2" and ours[i]["technique"] != "depth-2"}
    assert deeper == DEEPER_THAN_TWO


TOO_LONG = {"meow", "faase", "25820"}
"""Puzzles that take longer than a test may: see benchmarks/results/survey.md and hard.md."""


@pytest.mark.parametrize(
    "folder", [pytest.param("color", marks=pytest.mark.slow), "webpbn-xml", "survey-mono", "hard-mono"]
)
def test_published_verdicts(shared_data: Path, folder: str) -> None:
    with (shared_data / "known-results/webpbn-survey-classification.tsv").open() as file:
        published = {row["webpbn_id"].lstrip("0"): row["solutions"] for row in csv.DictReader(file, delimiter="\t")}
    puzzles = [p for p in read(shared_data / folder) if (p.source_id or "").split("/")[-1] not in TOO_LONG]
    rows = classified(puzzles)
    assert {row["status"] for row in rows} == {"ok"}
    assert False not in {row["goal_matches"] for row in rows}
    for row in rows:
        number = row["puzzle_id"].split("/")[-1]
        assert row["solutions"] == published.get(number, row["solutions"]), row["puzzle_id"]
