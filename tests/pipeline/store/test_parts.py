"""The parts of a store, and what lies beside them."""

from pathlib import Path

from runs import run_serially

from pipeline.store.parts import Store, append


def test_strange_files_in_a_store(store: Store, tmp_path: Path) -> None:
    """Somebody's notes, a copy by hand, what a file manager leaves: none is a part, and none is in the way."""
    for name in ("notes.json", "part-1.txt", ".DS_Store", "part-00000 (copy).json", "part-x.parquet", "Thumbs.db"):
        (tmp_path / "store/puzzles" / name).write_text("{")
    assert append(store, [next(store.batches())]) == 5
    assert store.rows() == 305
    assert len(run_serially(store, tmp_path / "run").table()) == 305
