"""Untrusted stores: every row gets an answer, and invalid parts are reported."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hostile import PALETTE, hostile_batch, sound
from runs import lasting, run_serially
from stores import SMALL_GROUPS, Refused, change_file, random_store

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.findings.reporting import write_run_report
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.jobs.kernel_compilation import batch_kinds
from nonocensus.pipeline.jobs.mend_job import mend_run
from nonocensus.pipeline.store.conversion import read_puzzles
from nonocensus.pipeline.store.parts import Store, append, create_store, drop_rows, rewrite
from nonocensus.pipeline.verify.verification import verify_store
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.ladder.memory import kernel_kinds
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import PALETTE as PALETTE_TYPE
from nonocensus.solver.model.tables import PUZZLES, puzzles_of
from nonocensus.solver.model.views import views


def test_hostile_rows_get_results(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    batches = [hostile_batch(rng, 60) for _ in range(10)]
    store = create_store(str(tmp_path / "store"))
    append(store, batches)
    run = run_serially(store, tmp_path / "run")
    assert len(store.parts()) == 1
    numbers = np.concatenate([file.places()[1] for file in run.result_files()])
    rows = run.table().take(numbers.argsort()).to_pylist()  # those that waited for kernels have come later
    puzzles = [puzzle for batch in batches for puzzle in batch.to_pylist()]
    assert [row["puzzle_id"] for row in rows] == [puzzle["puzzle_id"] for puzzle in puzzles]
    assert [row["status"] for row in rows] == ["ok" if sound(puzzle) else "invalid" for puzzle in puzzles]
    assert write_run_report(run, str(tmp_path / "report"))[0] == 600


@pytest.mark.parametrize(
    "file",
    ["../../victim.parquet", "{}/victim.parquet", "s3://a/victim.parquet", "part-00001.parquet", "part-00000.json"],
)
def test_part_naming_a_file_elsewhere_is_damage(store: Store, tmp_path: Path, file: str) -> None:
    """It would be read as this store's, and deleted when replaced."""
    victim = tmp_path / "victim.parquet"
    victim.write_bytes((tmp_path / "store/puzzles/part-00000.parquet").read_bytes())
    place = tmp_path / "store/puzzles/part-00000.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | {"file": file.format(tmp_path)}))
    with pytest.raises(InputError, match=r"part-00000.json is damaged: its file is called.*; run nonocensus verify "):
        rewrite(store, lambda batch: batch.slice(1))
    assert victim.exists()
    assert "its file is called" in verify_store(store)[0].what


def exchanged(store: Store, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the first part's rows."""
    change_file(Path(store.puzzles.path, "part-00000.parquet"), change)


def test_store_with_more_or_fewer_columns_is_read(store: Store) -> None:
    """Unknown columns are ignored, missing ones are null."""
    before = pa.Table.from_batches(store.batches())
    exchanged(store, lambda table: table.drop_columns(["title", "site_steps"]).append_column("new", table["width"]))
    after = pa.Table.from_batches(store.batches())
    assert after.schema.equals(PUZZLES)
    assert after["title"].to_pylist() == [None] * 50 + before["title"].to_pylist()[50:]
    assert after.drop_columns(["title", "site_steps"]).equals(before.drop_columns(["title", "site_steps"]))
    assert next(store.batches(["title", "width"])).schema.names == ["title", "width"]
    assert verify_store(store) == []


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda table: table.drop_columns("palette"), "it has no column 'palette'"),
        (lambda table: table.append_column("title", table["width"]), "it has several columns 'title'"),
        (lambda table: table.set_column(4, "title", table["width"]), "column 'title' is uint16, not string"),
    ],
)
def test_store_with_another_schema_is_damage(
    store: Store, refused: Refused, change: Callable[[pa.Table], pa.Table], error: str
) -> None:
    exchanged(store, change)
    for command in (["convert", "store", "a.jsonl"], ["mend", "store"]):
        assert f"part-00000.parquet can't be read: {error}; " in refused(*command, code=3)


WRONG: list[tuple[str, object, str]] = [
    ("puzzle_id", None, "it has no id"),
    ("width", None, "its width is null"),
    ("width", 0, "it has 0 columns; there may be 1 to 1023"),
    ("width", 30000, "it has 30000 columns; there may be 1 to 1023"),
    ("height", 7, "it has clues for 8 rows but 7 rows"),
    ("rows", None, "its rows are null"),
    ("columns", [None] * 9, "column 1 is null"),
    ("rows", [[{"length": 2000, "color": 1}]] * 8, "row 1: more than 1023 numbers, or one larger than that"),
    ("rows", [[{"length": 2, "color": 0}]] * 8, "row 1: colour 0 is not one of 1 to 31"),
    ("rows", [[{"length": 2, "color": 2}]] * 8, "its palette has 2 colours, its clues have colour 2"),
    ("palette", None, "its palette has 0 colours, its clues have colour 1"),
    ("palette", [{"name": "a", "symbol": None, "rgb": "000000"}] * 2, "a colour of its palette is null"),
    ("goal", bytes(3), "its goal has 3 cells, not 72"),
]
"""Column, value in one row, and the fault reported."""


@pytest.mark.slow
def test_invalid_rows_are_named(store: Store, tmp_path: Path) -> None:
    """Each fault in its own row; the rows between them are converted, and `verify` finds the faults."""

    def wrong(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        for row, (name, value, _) in enumerate(WRONG):
            rows[2 * row][name] = value
        return pa.Table.from_pylist(rows, PUZZLES)

    before = [puzzle.puzzle_id for puzzle in puzzles_of(store.batches())]
    exchanged(store, wrong)
    found = list(read_puzzles([str(tmp_path / "store")], None, SILENT))
    problems = [item for item in found if isinstance(item, Problem)]
    assert [problem.reason for problem in problems] == [f"it is not a puzzle: {reason}" for *_, reason in WRONG]
    assert [problem.name for problem in problems] == ["a puzzle", *before[2 : 2 * len(WRONG) : 2]]
    others = [item.puzzle_id for item in found if isinstance(item, Puzzle)]
    assert others == before[1 : 2 * len(WRONG) : 2] + before[2 * len(WRONG) :]
    assert "is not a valid puzzle: it has no id" in verify_store(store)[0].what
    run = run_serially(store, tmp_path / "run")
    assert len(run.table()) == 300
    assert sum(1 for _ in mend_run(run, JobRequest(cpu_limit=0.1, resources=Resources(serial=True)))) > 0


@pytest.mark.parametrize("seed", range(20))
def test_rows_without_fault_are_puzzles(seed: int) -> None:
    """Of any rows: what has passed becomes a Puzzle, and what `sound` calls good has passed but for its goal and id."""
    batch = hostile_batch(np.random.default_rng(seed), 60)
    palette = pa.array([[color._asdict() for color in PALETTE]] * 60, PALETTE_TYPE)
    batch = batch.set_column(batch.schema.get_field_index("palette"), PUZZLES.field("palette"), palette)
    bad = malformed(batch)
    assert len(list(puzzles_of(drop_rows(batch, bad)))) == 60 - len(bad)
    for row, why in bad.items():
        assert not sound(batch.slice(row, 1).to_pylist()[0]) or "goal" in why or "id" in why


def test_large_puzzles_are_classified_in_small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of puzzles per call is bounded by their cells; rows don't depend on it."""
    store = random_store(tmp_path, Recipe("random", 8, 9, 0.6, 4, 40), SMALL_GROUPS)
    sizes: list[int] = []

    def seen(batch: pa.RecordBatch, **settings: object) -> pa.RecordBatch:
        sizes.append(len(batch))
        return classify(batch, **settings)

    monkeypatch.setattr("nonocensus.pipeline.jobs.classify_job.classify", seen)
    together = lasting(run_serially(store, tmp_path / "together"))
    assert max(sizes) > 3
    sizes.clear()
    apart = run_serially(store, tmp_path / "apart", JobSettings(chunk_cells=3 * 8 * 9))
    assert lasting(apart).equals(together)
    assert max(sizes) == 3
    assert sum(sizes) == 40
    alone = run_serially(store, tmp_path / "alone", JobSettings(chunk_cells=1))
    assert lasting(alone).equals(together)


def test_invalid_puzzles_need_no_kernels() -> None:
    batch = recipe_batch(Recipe("random", 5, 5, 0.5, 1, 10), 0, 10)
    place = PUZZLES.get_field_index("width")
    evil = batch.set_column(
        place, PUZZLES.field(place), pa.array([5, 0, 64, 1000, 65535, None, 5, 5, 5, 5], pa.uint16())
    )
    assert len(kernel_kinds(views(evil))) > 1
    assert batch_kinds(evil) == {(1, False)}
