"""Stores and runs that other versions have written, opened by every command that reads."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stores import Result

from pipeline.run.run_folder import open_run

Nonocensus = Callable[..., Result]

DATA = Path(__file__).resolve().parents[2] / "data"
VERSIONS = sorted(path.name for path in DATA.iterdir() if path.is_dir())

READERS = (
    ["status", "run"],
    ["failed", "run"],
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
)


def changed(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change each Parquet file of a folder, and what a file's statistics say of its size."""
    for path in sorted(folder.rglob("*.parquet")):
        size = path.stat().st_size
        pq.write_table(change(pq.read_table(path)), path, write_page_checksum=True)
        statistics = path.with_suffix(".json")
        if statistics.exists():
            text = statistics.read_text()
            assert f'"size": {size}' in text
            statistics.write_text(text.replace(f'"size": {size}', f'"size": {path.stat().st_size}'))


def without(*names: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([name for name in names if name in table.column_names])


def with_another(table: pa.Table) -> pa.Table:
    return table.append_column("sweetness", pa.array([1.5] * len(table)))


@pytest.fixture(params=VERSIONS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a version's run, beside its store."""
    shutil.copytree(DATA / request.param, tmp_path, dirs_exist_ok=True)
    return tmp_path / "run"


@pytest.mark.usefixtures("run")
def test_every_command_reads_what_another_version_wrote(nonocensus: Nonocensus) -> None:
    for command in READERS:
        done = nonocensus(*command)
        assert (done.code, done.err) == (0, ""), command


def test_a_column_added_since_is_null_in_an_older_run(nonocensus: Nonocensus, run: Path) -> None:
    changed(run / "results", without("score", "wall_seconds", "host"))
    changed(run / "certificates", without("bytes"))
    changed(run / "grades", without("work", "steps_glue", "open"))
    mendings = run / "mendings.parquet"
    pq.write_table(pq.read_table(mendings).drop_columns(["cells"]), mendings)
    for command in READERS:
        done = nonocensus(*command)
        assert (done.code, done.err) == (0, ""), command
    assert open_run(str(run)).table()["score"].null_count == 5


@pytest.mark.parametrize("folder", ["results", "grades", "certificates"])
def test_what_lacks_a_column_of_all_versions_is_damaged(nonocensus: Nonocensus, run: Path, folder: str) -> None:
    changed(run / folder, without("status"))
    found = nonocensus("verify", run.name, "--repair")
    assert (found.code, len(found.err.splitlines())) == (1, 1)
    assert "it has no column 'status'" in found.err
    assert not list((run / folder).glob("*.parquet"))


@pytest.mark.parametrize("folder", ["results", "grades", "certificates"])
def test_what_a_newer_version_wrote_is_never_set_aside(nonocensus: Nonocensus, run: Path, folder: str) -> None:
    changed(run / folder, with_another)
    before = set(run.rglob("*.parquet"))
    found = nonocensus("verify", run.name, "--repair")
    assert (found.code, len(found.err.splitlines())) == (1, 1)
    assert "it has a column 'sweetness': a newer version of nonocensus wrote it" in found.err
    assert "repaired" not in found.err
    assert set(run.rglob("*.parquet")) == before
    exported = nonocensus("export", "run", "--csv", "x.csv")
    assert (exported.code, len(exported.err.splitlines())) == ((3, 1) if folder == "grades" else (0, 0))
