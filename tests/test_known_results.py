"""Agreement with what others have published about real puzzles."""

import csv
from pathlib import Path

import pytest

from scrapers.files import files_in
from scrapers.importing import read_files
from solver.api import classify
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch


def test_line_logic_solves_what_pbnsolve_calls_logical(shared_data: Path) -> None:
    """All 6,746 puzzles of the 2014 archive, without exception; and every goal fits its clues."""
    with (shared_data / "known-results/webpbn-2014-pbnsolve.csv").open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        logical = {f"webpbn/{row['webpbn_id']}": "logical" in row["words"] for row in rows}
    items = read_files(files_in([shared_data / "webpbn-2014-mono.tar.xz"]))
    results = classify(puzzle_batch([item for item in items if isinstance(item, Puzzle)]))
    ours = dict(zip(results["puzzle_id"].to_pylist(), results["technique"].to_pylist(), strict=True))
    assert len(ours) == 6746
    assert {puzzle for puzzle in ours if (ours[puzzle] == "line") != logical[puzzle]} == set()
    assert set(results["goal_matches"].to_pylist()) == {True}


@pytest.mark.parametrize("folder", ["color", "webpbn-xml", "survey-mono", "hard-mono"])
def test_real_puzzles_of_every_kind_get_a_verdict(shared_data: Path, folder: str) -> None:
    items = list(read_files(files_in([shared_data / folder])))
    assert items
    rows = classify(puzzle_batch([item for item in items if isinstance(item, Puzzle)])).to_pylist()
    assert len(rows) == len(items)
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["label"] for row in rows} <= {"unique line", "trivial unique line", "stalled"}
