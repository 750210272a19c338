"""Stores and runs written by other versions, with fewer, more or other columns, read by every command."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from stores import Nonocensus, Refused, change_file

import nonocensus as nc
from nonocensus.pipeline.errors import VersionError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.mend_job import mend_run
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import append, create_store, rewrite
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch

PUZZLES = [
    from_picture(np.eye(2, dtype=np.uint8), puzzle_id="test/switch"),
    *(from_picture(np.tri(side, dtype=np.uint8), puzzle_id=f"test/{side}") for side in (4, 5, 6, 7)),
]
"""One with two solutions, four with one."""

READERS = (
    ["status", "run"],
    ["status", "store"],
    ["status", "run", "--failed"],
    ["verify", "store"],
    ["verify", "run"],
    ["export", "run", "--csv", "x.csv"],
    ["dataset", "run", "--out", "data"],
    ["report", "run", "--out", "page"],
    ["pack", "run", "--out", "pack", "--count", "1", "--private"],
    ["compare", "run", "run"],
    ["dedup", "run"],
    ["query", "run", "select count(*), max(score) from results join puzzles using (puzzle_id)"],
    ["query", "run", "select * from certificates join grades using (puzzle_id)"],
    ["classify", "store", "--out", "run", "--dry-run"],
)


def changed(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change each Parquet file of a folder."""
    for path in sorted(folder.rglob("*.parquet")):
        change_file(path, change)


def without(*names: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([name for name in names if name in table.column_names])


def with_another(table: pa.Table) -> pa.Table:
    return table.append_column("sweetness", pa.array([1.5] * len(table)))


def assert_succeeds(nonocensus: Nonocensus, *command: str) -> None:
    done = nonocensus(*command)
    lines = [line for line in done.err.splitlines() if not line.startswith("reading: ")]  # progress, if it is slow
    assert (done.code, lines) == (0, []), command


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original of `run`."""
    place = tmp_path_factory.mktemp("made")
    append(create_store(str(place / "store")), [puzzle_batch(PUZZLES)])
    serial = Resources(serial=True)
    nc.classify_store(place / "store", place / "run", resources=serial)
    nc.certify_run(place / "run", resources=serial)
    nc.grade_run(place / "run", resources=serial)
    assert len(list(mend_run(open_run(str(place / "run")), JobRequest(resources=serial)))) == 1
    return place


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of a run with rows of every job, next to its store."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "run"


def trace(*folders: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for place in folders for path in (place, *place.rglob("*"))}


@pytest.mark.slow
def test_column_missing_in_older_files_is_null_and_readers_write_nothing(nonocensus: Nonocensus, run: Path) -> None:
    changed(run.parent / "store", without("site_quality", "license"))
    changed(run / "results", without("score", "wall_seconds", "host"))
    changed(run / "certificates", without("bytes"))
    changed(run / "grades", without("work", "steps_glue", "open"))
    changed(run / "mendings", without("cells"))
    before = trace(run, run.parent / "store")
    for command in READERS:
        assert_succeeds(nonocensus, *command)
        assert trace(run, run.parent / "store") == before, command
    opened = open_run(str(run))
    assert opened.table()["score"].null_count == 5
    assert [batch["license"].null_count for batch in opened.store.batches(["license"])] == [5]
    rewrite(opened.store, lambda batch: batch.slice(1))
    assert [batch["site_quality"].null_count for batch in opened.store.batches()] == [4]


@pytest.mark.parametrize("folder", ["results", "grades", "certificates"])
def test_missing_required_column_is_damage(refused: Refused, run: Path, folder: str) -> None:
    changed(run / folder, without("status"))
    assert "it has no column 'status'" in refused("verify", run.name, "--repair", code=1)
    assert not list((run / folder).glob("*.parquet"))


@pytest.mark.parametrize("folder", ["results", "grades", "certificates"])
def test_file_with_unknown_column_is_reported_but_not_quarantined(
    nonocensus: Nonocensus, refused: Refused, run: Path, folder: str
) -> None:
    changed(run / folder, with_another)
    before = set(run.rglob("*.parquet"))
    line = refused("verify", run.name, "--repair", code=1)
    assert "it has a column 'sweetness': a newer version of nonocensus wrote it" in line
    assert "repaired" not in line
    assert set(run.rglob("*.parquet")) == before
    exported = nonocensus("export", "run", "--csv", "x.csv")
    assert (exported.code, len(exported.err.splitlines())) == ((3, 1) if folder == "grades" else (0, 0))


@pytest.mark.parametrize(
    ("folder", "column"),
    [("results", "score"), ("grades", "work"), ("certificates", "bytes"), ("../store/puzzles", "width")],
)
def test_column_of_another_type_is_damage(nonocensus: Nonocensus, run: Path, folder: str, column: str) -> None:
    def as_text(table: pa.Table) -> pa.Table:
        place = table.column_names.index(column)
        return table.set_column(place, column, table[column].cast(pa.string()))

    changed(run / folder, as_text)
    found = nonocensus("verify", "store" if "store" in folder else "run", "--repair")
    assert found.code == 1
    assert f"column '{column}' is string, not" in found.err


def test_store_with_unknown_column_is_read_but_not_rewritten(nonocensus: Nonocensus, run: Path) -> None:
    store = run.parent / "store"
    changed(store, with_another)
    before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
    with pytest.raises(VersionError, match="has a column 'sweetness': a newer version"):
        rewrite(open_run(str(run)).store, lambda batch: batch.slice(1))
    assert {path: path.read_bytes() for path in store.rglob("*.parquet")} == before
    assert nonocensus("verify", "store").code == 0
    assert nonocensus("export", "run", "--csv", "x.csv").code == 0


def test_certificate_without_pictures_hash_is_damage(refused: Refused, run: Path) -> None:
    changed(run / "certificates", without("pictures_hash"))
    assert "a row has no pictures_hash; nonocensus verify run --repair moves it to damaged/" in refused(
        "query", "run", "select * from certificates", code=3
    )
