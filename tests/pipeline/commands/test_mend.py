"""The command mend: of runs, stores and files the puzzles with several solutions, and changes that leave one."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from stores import Result

import nonocensus as nc
from pipeline.store.parts import append, create_store
from scrapers.formats import named
from solver.api import solve
from solver.puzzle import Block, Puzzle, from_picture
from solver.tables import puzzle_batch

Nonocensus = Callable[..., Result]

SWITCH = from_picture(np.eye(2, dtype=np.uint8), puzzle_id="local/switch", title="[bold]Switch")
PLAIN = from_picture([[1, 1], [0, 1]], puzzle_id="local/plain")
BLOTTED = Puzzle(((Block(0),), (Block(0),)), ((Block(0),), (Block(0),)), puzzle_id="local/blotted")


@pytest.fixture
def store(tmp_path: Path) -> str:
    append(create_store(str(tmp_path / "store")), [puzzle_batch([SWITCH, PLAIN, BLOTTED])])
    return str(tmp_path / "store")


def test_a_store_and_a_run_say_the_same(nonocensus: Nonocensus, store: str, tmp_path: Path) -> None:
    assert nonocensus("classify", store, "--out", str(tmp_path / "run"), "--serial").code == 0
    told = [nonocensus("mend", place, "--json") for place in (store, str(tmp_path / "run"))]
    assert [each.code for each in told] == [0, 0]
    assert told[0].out == told[1].out
    one, other = map(json.loads, told[0].out.splitlines())
    assert (one["puzzle_id"], other["puzzle_id"]) == ("local/switch", "local/blotted")
    assert other["mendings"] == []
    smallest = one["mendings"][0]
    assert smallest["before"] == np.eye(2).tolist()
    assert smallest["cells"] == int((np.array(smallest["after"]) != np.eye(2)).sum()) == 1
    assert len(smallest["changes"]) == 2


def test_it_is_shown_and_written(nonocensus: Nonocensus, store: str, tmp_path: Path) -> None:
    done = nonocensus("mend", store, "--out", str(tmp_path / "mended.non"))
    assert done.code == 0
    assert 'local/switch "[bold]Switch" 2x2\n  1 cell of the picture changed: row ' in done.out
    assert "before   after" in done.out
    assert "no change found: it has hidden lengths" in done.out
    assert "2 with several solutions, 1 of them mended, 1 file written to" in done.out
    (written,) = named("non").read((tmp_path / "mended.non").read_bytes())
    assert solve(written)["solutions"] == "unique"
    assert written.title == "[bold]Switch"


def test_files_are_solved_and_named_if_they_can_not_be_read(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "switch.non").write_bytes(named("non").write(SWITCH))
    (tmp_path / "broken.non").write_text("rows\n1\n\ncolumns\nx\n")
    done = nonocensus("mend", str(tmp_path / "switch.non"), str(tmp_path / "broken.non"))
    assert done.code == 1
    assert "broken.non" in done.err
    assert "1 with several solutions, 1 of them mended." in done.out


def test_nothing_to_mend(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "plain.non").write_bytes(named("non").write(PLAIN))
    done = nonocensus("mend", str(tmp_path / "plain.non"), "--out", str(tmp_path / "out.non"))
    assert done.code == 0
    assert done.out == "0 with several solutions, nothing to mend.\n"
    assert not (tmp_path / "out.non").exists()


def test_from_python() -> None:
    assert [nc.solve(change.puzzle).row["solutions"] for change in nc.mend(np.eye(2, dtype=int))] == ["unique"]
    assert nc.mend(PLAIN) == nc.mend(BLOTTED) == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["nothing"], "nothing does not exist"),
        (["store", "--to", "non"], "name it with --out"),
        (["store", "--out", "-", "--to", "non"], "name a file with --out"),
        (["store", "--out", "x.unknown"], "its name says no format"),
    ],
)
def test_wrong_use(nonocensus: Nonocensus, store: str, options: list[str], reason: str) -> None:
    done = nonocensus("mend", *(store if word == "store" else word for word in options))
    assert done.code == 2
    assert reason in done.err
