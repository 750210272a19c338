"""Sudokus through the whole program: import, classify, report, verify."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import open_store
from nonocensus.scrapers.formats import non
from nonocensus.solver.model.families import NONOGRAM, SUDOKU
from nonocensus.solver.model.puzzle import from_picture

Run = Any
"""The fixture `nonocensus`: runs a command; returns status and output."""

ROWS = np.arange(9)[:, None]
FULL = (3 * (ROWS % 3) + ROWS // 3 + np.arange(9)) % 9 + 1

ONE, TWO, NONE, TWICE = "one", "two", "none", "twice"


def line(grid: np.ndarray) -> str:
    return "".join(map(str, grid.ravel().tolist())) + "\n"


def puzzles() -> dict[str, np.ndarray]:
    """Return grids with one solution, several, none, and a digit twice in a row."""
    one, two, twice = (FULL.copy() for _ in range(3))
    one[[0, 4, 8], [0, 4, 8]] = 0
    two[two <= 2] = 0  # both can be exchanged everywhere
    twice[0, 0] = twice[0, 1]
    return {ONE: one, TWO: two, NONE: _contradictory(), TWICE: twice}


def _contradictory() -> np.ndarray:
    """Return a grid without repeated digits whose upper left cell has no candidate."""
    grid = np.zeros((9, 9), np.int64)
    grid[0, 3:8] = np.arange(1, 6)
    grid[3:7, 0] = np.arange(6, 10)
    return grid


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Write them to a file, one per line."""
    path = tmp_path / "some.txt"
    path.write_text("".join(map(line, puzzles().values())))
    return path


def test_sudokus_pass_from_files_to_reports(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    imported = nonocensus("import", str(archive), "--out", "store")
    assert "1 can have no solution as they stand" in imported.err
    assert (imported.code, "local/some#4: row 1, columns 1 and 2: 2 twice" in imported.err) == (0, True)
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 1
    run = open_run(str(tmp_path / "run"))
    assert run.family is SUDOKU
    rows = {row["puzzle_id"]: row for row in run.table().to_pylist()}
    results = [rows[f"local/some{end}"] for end in ("", "#2", "#3", "#4")]
    assert [row["solutions"] for row in results] == ["unique", "multiple", "none", "unknown"]
    assert [row["status"] for row in results] == ["ok", "ok", "ok", "invalid"]
    assert results[0]["label"] == "unique line"
    assert results[0]["solution"] == FULL.astype(np.uint8).tobytes()
    assert results[1]["solution"] != results[1]["second_solution"]
    assert results[3]["error"] == "row 1, columns 1 and 2: 2 twice"

    status = json.loads(nonocensus("status", "store", "--json").out)
    assert status["kinds"] == [{"source": "local", "kind": "sudoku 3x3", "puzzles": 4}]
    assert nonocensus("verify", "store").code == nonocensus("verify", "run").code == 0
    asked = nonocensus(
        "query", "run", "select size, clues, label from puzzles join results using (puzzle_id)", "--json"
    )
    assert len(json.loads(asked.out)) == 4
    assert nonocensus("report", "run", "--out", "report").code == 0
    assert json.loads((tmp_path / "report" / "report.json").read_text())["figures"]["total"] == 4
    assert nonocensus("dataset", "run", "--out", "dataset").code == 0
    assert sum(pq.read_table(file).num_rows for file in (tmp_path / "dataset").rglob("*.parquet")) == 4
    assert nonocensus("export", "run", "--csv", "run.csv").code == 0
    head, *lines = (tmp_path / "run.csv").read_text().splitlines()
    assert len(lines) == 4
    assert '"difficulty"' in head
    counted = [int(line.rsplit(",", 1)[1]) for line in lines]
    assert head.endswith('"givens_count"')
    assert counted == [np.count_nonzero(grid) for grid in puzzles().values()]
    assert not {'"goal"', '"density"', '"palette"', '"score"'} & set(head.split(","))
    assert nonocensus("retry", "run", "--cpu-limit", "100").code in (0, 1)


def test_dataset_describes_givens(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    """Only private datasets hold them; card, files and Croissant call them givens."""
    nonocensus("import", str(archive), "--out", "store")
    nonocensus("classify", "store", "--out", "run", "--serial")
    for option, with_givens in ((None, False), ("--private", True)):
        options = [option] if option else []
        assert nonocensus("dataset", "run", "--out", "dataset", *options).code == 0
        place = tmp_path / "dataset"
        (rows,) = (pq.read_table(file) for file in (place / "data").glob("train-*.parquet"))
        described = json.loads((place / "croissant.json").read_text())
        fields = {field["name"]: field["description"] for field in described["recordSet"][0]["field"]}
        assert fields.keys() - {"split"} == set(rows.column_names)
        assert ("goal" in rows.column_names) == with_givens
        assert fields["givens_count"] == "number of givens"
        assert set(rows["givens_count"].to_pylist()) <= {np.count_nonzero(grid) for grid in puzzles().values()}
        card = (place / "README.md").read_text()
        assert "Sudokus" in card
        assert "onogram" not in card.replace("our own, as for nonograms", "")
        assert "p.givens" in card
        assert "store/sudokus/" in card
        if with_givens:
            assert fields["goal"].startswith("the givens: ")
            given = {name: grid.astype(np.uint8).tobytes() for name, grid in puzzles().items()}
            assert set(rows["goal"].to_pylist()) <= set(given.values())


def test_same_command_continues_after_import(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    nonocensus("import", str(archive), "--out", "store")
    nonocensus("classify", "store", "--out", "run", "--serial", "--limit", "2")
    assert open_run(str(tmp_path / "run")).table().num_rows == 2
    more = tmp_path / "more.txt"
    more.write_text(line(puzzles()[ONE]))
    assert nonocensus("import", str(more), "--out", "store").code == 0
    nonocensus("classify", "store", "--out", "run", "--serial")
    assert open_run(str(tmp_path / "run")).table().num_rows == 5


def test_store_of_both_families_needs_a_choice(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    """Each family has a folder, whose name chooses it."""
    puzzle = tmp_path / "eye.non"
    puzzle.write_bytes(non.write(from_picture(np.eye(3, dtype=np.uint8))))
    assert nonocensus("import", str(puzzle), "--out", "store").code == 0
    nonocensus("import", str(archive), "--out", "store")
    asked = nonocensus("classify", "store", "--out", "run", "--serial")
    assert (asked.code, asked.err.count("\n")) == (2, 1)
    assert "store/puzzles or store/sudokus" in asked.err
    assert not (tmp_path / "run").exists()
    for family, count in ((NONOGRAM, 1), (SUDOKU, 4)):
        place = f"store/{family.folder}"
        assert open_store(str(tmp_path / place)).family is family
        nonocensus("classify", place, "--out", family.name, "--serial")
        run = open_run(str(tmp_path / family.name))
        assert (run.family, run.table().num_rows) == (family, count)
        assert nonocensus("verify", place).code == 0
    other = nonocensus("classify", "store/puzzles", "--out", "sudoku", "--serial")
    assert other.code == 2
    assert "family" in other.err


def test_import_into_a_family_folder_creates_no_nested_store(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "eye.non").write_bytes(non.write(from_picture(np.eye(3, dtype=np.uint8))))
    nonocensus("import", "eye.non", "--out", "store")
    nonocensus("import", str(archive), "--out", "store/sudokus")
    assert not (tmp_path / "store" / "sudokus" / "store.json").exists()
    assert open_store(str(tmp_path / "store" / "sudokus")).rows() == 4


def test_nonogram_options_are_refused(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    nonocensus("import", str(archive), "--out", "store")
    for option in (("--depth", "3"), ("--check-goal",)):
        refused = nonocensus("classify", "store", "--out", "run", "--serial", *option)
        assert (refused.code, "for nonograms" in refused.err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_second_family_of_an_import_is_left_out(nonocensus: Run, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "z.non").write_bytes(non.write(from_picture(np.eye(3, dtype=np.uint8))))
    done = nonocensus("import", str(archive), str(tmp_path / "z.non"), "--out", "store")
    assert done.code == 1
    assert "it is a nonogram, what came first a sudoku" in done.out + done.err
    assert open_store(str(tmp_path / "store")).rows() == 4


@pytest.mark.parametrize("command", ["certify", "mend"])
def test_nonogram_commands_refuse_sudokus(nonocensus: Run, archive: Path, command: str) -> None:
    nonocensus("import", str(archive), "--out", "store")
    nonocensus("classify", "store", "--out", "run", "--serial")
    refused = nonocensus(command, "run")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "takes nonograms" in refused.err
