"""The command convert with Sudokus: stores and files to text formats, one family at a time."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from stores import Result
from sudokus import full, opened

from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.scrapers.file_batches import read_all
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import non
from nonocensus.solver.model.families import SUDOKU
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

Nonocensus = Callable[..., Result]

GRIDS = [opened(full(9), *digits) for digits in ((1,), (2, 3), (4, 5, 6))]


def found(path: Path) -> list[bytes]:
    return [item.givens.tobytes() for item in read_all(files_in([path])) if isinstance(item, Sudoku)]


@pytest.fixture
def store(tmp_path: Path) -> str:
    puzzles = [
        Sudoku(grid, puzzle_id=f"local/p{k}", source="local", source_id=f"p{k}", author="[b]Ann")
        for k, grid in enumerate(GRIDS)
    ]
    append(create_store(str(tmp_path / "store"))._replace(family=SUDOKU), [sudoku_batch(puzzles)])
    return "store"


def test_store_converted_to_files_and_back_is_equal(tmp_path: Path, nonocensus: Nonocensus, store: str) -> None:
    wanted = [grid.tobytes() for grid in GRIDS]
    done = nonocensus("convert", store, "all.jsonl", "--json")
    assert json.loads(done.out) == {"puzzles": 3, "files": 1, "left_out": {}, "problems": []}
    assert nonocensus("convert", "all.jsonl", "all/", "--to", "sdk").code == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["p0.sdk", "p1.sdk", "p2.sdk"]
    refused = nonocensus("convert", "all", "all.sdm")
    assert (refused.code, "can't hold its author; --lossy leaves that out" in refused.err) == (2, True)
    assert not (tmp_path / "all.sdm").exists()
    done = nonocensus("convert", "all", "all.sdm", "--lossy")
    assert "Left out: its author (3)." in done.out
    assert nonocensus("convert", "all.sdm", "all.txt", "--to", "lines").code == 0
    assert nonocensus("convert", "all.sdm", "one.ss", "-n", "2").code == 0
    assert (tmp_path / "all.sdm").read_text().replace("0", ".") == (tmp_path / "all.txt").read_text()
    for name, grids in (("all.jsonl", wanted), ("all", wanted), ("all.txt", wanted), ("one.ss", wanted[1:2])):
        assert found(tmp_path / name) == grids
    assert nonocensus("import", "all.jsonl", "--out", "again").code == 0
    assert json.loads(nonocensus("query", "again", "select puzzle_id, author from puzzles", "--json").out) == [
        {"puzzle_id": f"local/p{k}", "author": "[b]Ann"} for k in range(3)
    ]


def test_puzzles_of_two_families_are_refused(tmp_path: Path, nonocensus: Nonocensus, store: str) -> None:
    (tmp_path / "eye.non").write_bytes(non.write(from_picture(np.eye(3, dtype=np.uint8), puzzle_id="local/eye")))
    for arguments, said in (
        (
            (store, "out.non"),
            "out.non names no format of Sudokus, which come first here; give one with --to: fpuzzles, ",
        ),
        ((store, "out/", "--to", "non"), "non names no format of Sudokus"),
        (("eye.non", "out.sdm"), "out.sdm names no format of nonograms"),
        (("eye.non", store, "out.jsonl"), "local/p0 is a Sudoku among nonograms; convert one family per command"),
        ((store, "eye.non", "out.jsonl"), "local/eye is a nonogram among Sudokus"),
        ((store, "out.sdk", "--lossy"), "a file of the format sdk holds one puzzle; name a folder"),
        ((store, "out.xyz"), "out.xyz: no format has this suffix"),
        ((store, "out.sdm", "-n", "9"), "no puzzle could be written"),
    ):
        refused = nonocensus("convert", *arguments)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), arguments
        assert said in refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eye.non", "store"]
