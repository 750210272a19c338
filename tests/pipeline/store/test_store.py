"""Files that appear whole or not at all, and the store that is made of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from stores import SMALL_GROUPS

from pipeline.errors import UserError
from pipeline.store.parts import Store, append, create_store, open_store, regrouped
from solver.puzzle import from_picture
from solver.tables import PUZZLES, VERSION_KEY, puzzle_batch, puzzles_of


def numbered(start: int, stop: int) -> pa.RecordBatch:
    return puzzle_batch([from_picture(np.eye(3, dtype=np.uint8), puzzle_id=f"test/{k}") for k in range(start, stop)])


def ids(store: Store) -> list[str]:
    return [puzzle_id for batch in store.batches(["puzzle_id"]) for puzzle_id in batch["puzzle_id"].to_pylist()]


def test_store_keeps_order_and_shape(tmp_path: Path) -> None:
    store = create_store(str(tmp_path / "s"))
    assert append(store, [numbered(0, 7), numbered(7, 73)], SMALL_GROUPS) == 73
    assert append(store, [numbered(73, 80)], SMALL_GROUPS) == 7
    store = open_store(str(tmp_path / "s"))
    assert ids(store) == [f"test/{k}" for k in range(80)]
    assert [part.groups for part in store.parts()] == [[5] * 10, [5] * 4 + [3], [5, 2]]
    part = store.parts()[1]
    (numbers, rows), *others = store.read(part, [(3, 4), (21, 23)], ["puzzle_id"])
    assert (numbers.tolist(), rows["puzzle_id"].to_pylist()) == ([3], ["test/53"])
    assert [(numbers.tolist(), rows["puzzle_id"].to_pylist()) for numbers, rows in others] == [
        ([21, 22], ["test/71", "test/72"])
    ]
    batch = next(store.batches())
    assert batch.schema.equals(PUZZLES)
    assert batch.schema.metadata[VERSION_KEY] == PUZZLES.metadata[VERSION_KEY]
    assert next(puzzles_of(batch)).rows == from_picture(np.eye(3, dtype=np.uint8)).rows


def test_a_part_without_statistics_does_not_count(store: Store, tmp_path: Path) -> None:
    (tmp_path / "store/puzzles/part-00005.json").unlink()
    assert store.rows() == 250
    append(store, [numbered(0, 3)], SMALL_GROUPS)
    assert [part.name for part in store.parts()][-1] == "part-00006"


def test_leftovers_of_a_killed_process_are_swept(store: Store, tmp_path: Path) -> None:
    leftover = tmp_path / "store/puzzles/part-00006.parquet.12345678.tmp"
    leftover.write_bytes(b"half")
    append(store, [numbered(0, 1)], SMALL_GROUPS)
    assert not leftover.exists()


def test_regrouped_loses_nothing() -> None:
    batches = [numbered(0, 3), numbered(3, 3), numbered(3, 4), numbered(4, 13)]
    groups = list(regrouped(batches, 4))
    assert [len(group) for group in groups] == [4, 4, 4, 1]
    assert [i for group in groups for i in group["puzzle_id"].to_pylist()] == [f"test/{k}" for k in range(13)]


def test_refused_folders(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/note.txt").write_text("mine")
    with pytest.raises(UserError, match="holds something else"):
        create_store(str(tmp_path / "other"))
    with pytest.raises(UserError, match="is a file, not a folder"):
        create_store(str(tmp_path / "other/note.txt"))
    with pytest.raises(UserError, match="is not a store of puzzles; make one with"):
        open_store(str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="nosuch://x"):
        open_store("nosuch://x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["note.txt", "other"]


@pytest.mark.usefixtures("store")
def test_damaged_or_foreign_store(tmp_path: Path) -> None:
    mark = tmp_path / "store/store.json"
    mark.write_text('{"kind": "nonocensus store", "schema": "0"}')
    with pytest.raises(UserError, match="has tables of version 0, this nonocensus reads version 2"):
        open_store(str(tmp_path / "store"))
    mark.write_text("{")
    with pytest.raises(UserError, match=r"store.json is damaged"):
        open_store(str(tmp_path / "store"))
