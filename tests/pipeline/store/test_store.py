"""Stores: parts, appending, refused folders."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from runs import run_serially
from stores import SMALL_GROUPS

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.file_import import Terms, import_paths
from nonocensus.pipeline.store.parts import Store, append, chunk_tables, create_store, open_store
from nonocensus.pipeline.store.paths import Folder
from nonocensus.scrapers.formats import jsonl
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import PUZZLES, VERSION_KEY, puzzle_batch, puzzles_of


def numbered(start: int, stop: int) -> pa.RecordBatch:
    return puzzle_batch([from_picture(np.eye(3, dtype=np.uint8), puzzle_id=f"test/{k}") for k in range(start, stop)])


def ids(store: Store) -> list[str]:
    return [puzzle_id for batch in store.batches(["puzzle_id"]) for puzzle_id in batch["puzzle_id"].to_pylist()]


def test_store_keeps_order_and_shape(tmp_path: Path) -> None:
    store = create_store(str(tmp_path / "s"))
    assert append(store, [numbered(0, 7), numbered(7, 7), numbered(7, 8), numbered(8, 73)], SMALL_GROUPS) == 73
    assert append(store, [numbered(73, 80)], SMALL_GROUPS) == 7
    store = open_store(str(tmp_path / "s"))
    assert ids(store) == [f"test/{k}" for k in range(80)]
    assert [part.groups for part in store.parts()] == [[5] * 10, [5] * 4 + [3], [5, 2]]
    part = store.parts()[1]
    some = store.read(part, [(3, 4), (21, 23)], ["puzzle_id"])
    assert [(numbers.tolist(), rows["puzzle_id"].to_pylist()) for numbers, rows in some] == [
        ([3], ["test/53"]),
        ([21, 22], ["test/71", "test/72"]),
    ]
    batch = next(store.batches())
    assert batch.schema.equals(PUZZLES)
    assert batch.schema.metadata[VERSION_KEY] == PUZZLES.metadata[VERSION_KEY]
    assert next(puzzles_of(batch)).rows == from_picture(np.eye(3, dtype=np.uint8)).rows


def test_leftovers_of_a_killed_process_do_not_count(store: Store, tmp_path: Path) -> None:
    """Neither a part without JSON nor an unfinished file."""
    puzzles = tmp_path / "store/puzzles"
    (puzzles / "part-00005.json").unlink()
    (puzzles / "part-00006.parquet.12345678.tmp").write_bytes(b"half")
    assert store.rows() == 250
    append(store, [numbered(0, 3)], SMALL_GROUPS)
    assert [part.name for part in store.parts()][-1] == "part-00006"
    assert not list(puzzles.glob("*.tmp"))


def test_chunks_end_at_either_limit() -> None:
    batch = numbered(0, 3)
    for rows, size in ((5, 1 << 30), (1 << 30, batch.nbytes + 1)):
        assert [len(table) for table in chunk_tables([batch] * 5, rows, size)] == [6, 6, 3]


def test_terms_fill_in_missing_licence_and_owner(tmp_path: Path) -> None:
    cells = np.ones((1, 2), np.uint8)
    said = {
        "a/silent": {},
        "a/by-bob": {"author": "Bob"},
        "a/licensed": {"license": "CC-BY-NC-4.0"},
        "a/anns": {"copyright": "(c) 2004 by Ann O'Neil (ann)", "author": "Bob"},
        "a/bobs": {"copyright": "(c) 2004 by Joann O'Neill"},
    }
    puzzles = [from_picture(cells, puzzle_id=name, **terms) for name, terms in said.items()]  # type: ignore[arg-type]
    (tmp_path / "x.jsonl").write_bytes(b"".join(map(jsonl.write, puzzles)))
    report = import_paths([tmp_path / "x.jsonl"], str(tmp_path / "store"), terms=Terms("CC0-1.0", " Ann O'Neil "))
    columns = ["puzzle_id", "license", "copyright", "author"]
    (batch,) = open_store(str(tmp_path / "store")).batches(columns)
    assert {row["puzzle_id"]: tuple(row.values())[1:] for row in batch.to_pylist()} == {
        "a/silent": ("CC0-1.0", "Ann O'Neil", "Ann O'Neil"),
        "a/by-bob": ("CC0-1.0", "Ann O'Neil", "Bob"),
        "a/licensed": ("CC-BY-NC-4.0", "Ann O'Neil", "Ann O'Neil"),
        "a/anns": ("CC0-1.0", "(c) 2004 by Ann O'Neil (ann)", "Bob"),
        "a/bobs": (None, "(c) 2004 by Joann O'Neill", None),
    }
    assert report.licensed == 3
    again = import_paths([tmp_path / "x.jsonl"], str(tmp_path / "store"), terms=Terms("MIT"))
    assert (again.known, again.licensed) == (5, 0)
    with pytest.raises(UserError, match="--license must not be empty"):
        import_paths([tmp_path / "x.jsonl"], str(tmp_path / "other"), terms=Terms(" "))
    assert not (tmp_path / "other").exists()


@pytest.mark.usefixtures("store")
def test_damaged_or_foreign_store_is_refused(tmp_path: Path) -> None:
    mark = tmp_path / "store/store.json"
    mark.write_text('{"kind": "nonocensus store", "schema": "0"}')
    with pytest.raises(UserError, match="has tables of version 0, this nonocensus reads version 2"):
        open_store(str(tmp_path / "store"))
    mark.write_text("{")
    with pytest.raises(UserError, match=r"store.json is damaged"):
        open_store(str(tmp_path / "store"))


def test_store_inside_imported_folder_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = from_picture(np.eye(3, dtype=np.uint8))
    (tmp_path / "a.jsonl").write_bytes(jsonl.write(puzzle))
    monkeypatch.chdir(tmp_path)
    first, again = (import_paths(["."], "sub/../store") for _ in range(2))
    assert (first.added, first.problems) == (1, [])
    assert (again.added, again.known, again.problems) == (0, 1, [])


def test_full_disk_leaves_no_orphaned_file(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted((tmp_path / "store/puzzles").iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "commit", full)
    with pytest.raises(OSError, match="No space"):
        append(store, [numbered(0, 3)], SMALL_GROUPS)
    assert sorted((tmp_path / "store/puzzles").iterdir()) == before


def test_unknown_files_in_a_store_are_ignored(store: Store, tmp_path: Path) -> None:
    """Notes, copies and a file manager's files are no parts."""
    for name in ("notes.json", "part-1.txt", ".DS_Store", "part-00000 (copy).json", "part-x.parquet", "Thumbs.db"):
        (tmp_path / "store/puzzles" / name).write_text("{")
    assert append(store, [next(store.batches())]) == 5
    assert store.rows() == 305
    assert len(run_serially(store, tmp_path / "run").table()) == 305
