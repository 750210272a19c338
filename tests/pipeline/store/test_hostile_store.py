"""Stores that strangers have written: each row gets its answer, and a part that is none is named."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hostile import hostile_batch, sound
from runs import CONFIG, lasting, run_serially, work_on
from stores import SMALL_GROUPS, random_store

from pipeline.classify.warm import needed
from pipeline.errors import InputError
from pipeline.findings.reporting import write_run_report
from pipeline.run.folder import start_run
from pipeline.store.parts import HASH_KEY, Store, append, create_store, rewrite
from pipeline.verify.store import verify_store
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.api import classify
from solver.families import NONOGRAM
from solver.ladder.groups import kinds
from solver.tables import PUZZLES
from solver.views import views


def test_hostile_rows_have_results_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    batches = [hostile_batch(rng, 60) for _ in range(10)]
    store = create_store(str(tmp_path / "store"))
    append(store, batches)
    run = run_serially(store, tmp_path / "run")
    assert len(store.parts()) == 1
    numbers = np.concatenate([piece.places()[1] for piece in run.pieces()])
    rows = run.table().take(numbers.argsort()).to_pylist()  # those that waited for kernels have come later
    puzzles = [puzzle for batch in batches for puzzle in batch.to_pylist()]
    assert [row["puzzle_id"] for row in rows] == [puzzle["puzzle_id"] for puzzle in puzzles]
    assert [row["status"] for row in rows] == ["ok" if sound(puzzle) else "invalid" for puzzle in puzzles]
    assert write_run_report(run, str(tmp_path / "report"))[0] == 600


def test_puzzles_without_clue_hashes_wait_for_more_time(tmp_path: Path) -> None:
    """Those with equal hashes wait as one; without one each waits for itself."""
    batch = recipe_batch(Recipe("random", 22, 22, 0.45, 5, 60), 0, 60)
    place = PUZZLES.get_field_index("clue_hash")
    bare = batch.set_column(place, PUZZLES.field(place), pa.nulls(60, pa.string()))
    runs = []
    for name, these in (("hashes", batch), ("none", bare)):
        store = create_store(str(tmp_path / f"{name}-store"))
        append(store, [these], SMALL_GROUPS)
        run = start_run(store, str(tmp_path / name), CONFIG)
        work_on(run, limits=[1e-4, 1e-3, 10.0])
        assert len([puzzle for piece in run.pieces() for puzzle in piece.left]) > 30
        runs.append(lasting(run).drop_columns(["clue_hash", "part"]))
    assert runs[0].equals(runs[1])


@pytest.mark.parametrize("change", ["column", "type"])
def test_a_part_of_another_table_is_unreadable(store: Store, tmp_path: Path, change: str) -> None:
    file = tmp_path / "store/puzzles/part-00002.parquet"
    table = pq.read_table(file)
    if change == "column":
        table, error = table.drop_columns("goal"), "it has no column 'goal', or several"
    else:
        table = table.set_column(PUZZLES.get_field_index("width"), "width", table["width"].cast(pa.int64()))
        error = "column 'width' is int64, not uint16"
    part = store.parts()[2]
    marked = table.replace_schema_metadata({HASH_KEY: part.sha256.encode()})
    pq.write_table(marked, file, row_group_size=part.groups[0])
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    (line,) = work_on(run)
    assert f"/store/puzzles/part-00002.parquet can't be read: it is no batch of the puzzles table: {error};" in line
    assert len(run.table()) == 250


@pytest.mark.parametrize(
    "file",
    ["../../victim.parquet", "{}/victim.parquet", "s3://a/victim.parquet", "part-00001.parquet", "part-00000.json"],
)
def test_a_part_that_names_a_file_of_another_place_is_damaged(store: Store, tmp_path: Path, file: str) -> None:
    """Read, it would be read as this store's; replaced, it would be deleted."""
    victim = tmp_path / "victim.parquet"
    victim.write_bytes((tmp_path / "store/puzzles/part-00000.parquet").read_bytes())
    place = tmp_path / "store/puzzles/part-00000.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | {"file": file.format(tmp_path)}))
    with pytest.raises(InputError, match=r"part-00000.json is damaged: its file is called"):
        rewrite(store, lambda batch: batch.slice(1))
    assert victim.exists()
    assert "its file is called" in verify_store(store, lambda _: None)[0].what


def test_results_that_name_a_file_of_another_place_are_damaged(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    place = next((tmp_path / "run/results").glob("*.json"))
    left = ["part-00000", 0, None, 3, "an id", "../results/x"]
    place.write_text(json.dumps(json.loads(place.read_text()) | {"left": [left]}))
    with pytest.raises(InputError, match="it names a file in another folder"):
        run.pieces()


def test_large_puzzles_go_in_small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many puzzles are classified in one call is bounded by their cells, and no row depends on it."""
    store = random_store(tmp_path, Recipe("random", 8, 9, 0.6, 4, 40), SMALL_GROUPS)
    sizes: list[int] = []

    def seen(batch: pa.RecordBatch, **settings: object) -> pa.RecordBatch:
        sizes.append(len(batch))
        return classify(batch, **settings)

    monkeypatch.setattr("solver.nonogram.RULES", NONOGRAM.rules._replace(classify=seen))
    together = lasting(run_serially(store, tmp_path / "together"))
    assert max(sizes) > 3
    sizes.clear()
    monkeypatch.setattr("pipeline.classify.task.CHUNK_CELLS", 3 * 8 * 9)
    assert lasting(run_serially(store, tmp_path / "apart")).equals(together)
    assert max(sizes) == 3
    assert sum(sizes) == 40
    monkeypatch.setattr("pipeline.classify.task.CHUNK_CELLS", 1)
    assert lasting(run_serially(store, tmp_path / "alone")).equals(together)


def test_no_kernels_are_compiled_for_what_none_will_see() -> None:
    batch = recipe_batch(Recipe("random", 5, 5, 0.5, 1, 10), 0, 10)
    place = PUZZLES.get_field_index("width")
    evil = batch.set_column(
        place, PUZZLES.field(place), pa.array([5, 0, 64, 1000, 65535, None, 5, 5, 5, 5], pa.uint16())
    )
    assert len(kinds(views(evil))) > 1
    assert needed(evil) == {(1, False)}
