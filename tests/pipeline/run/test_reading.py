"""Reading commands and refused commands write nothing."""

from pathlib import Path

import pytest
from runs import run_serially
from stores import Nonocensus

from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.paths import Folder


def trace(*folders: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for place in folders for path in (place, *place.rglob("*"))}


def test_file_that_stays_listed_and_unreadable_is_damage(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_serially(store, tmp_path / "run")
    names = [name.removesuffix(".json") for name in run.results.names() if name.endswith(".json")]

    def vanished(_: Folder, names: list[str], __: type) -> list[FileNotFoundError]:
        return [FileNotFoundError(name) for name in names]

    monkeypatch.setattr(Folder, "read_each", vanished)
    files, damaged = run.survey()
    assert (files, [*damaged]) == ([], names)


@pytest.mark.slow
def test_reading_commands_write_nothing(store: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    run_serially(store, tmp_path / "run")
    before = trace(tmp_path / "run", tmp_path / "store")
    for command in (
        ["status", "run"],
        ["status", "store"],
        ["status", "run", "--failed"],
        ["report", "run", "--out", "page"],
        ["dataset", "run", "--out", "data"],
        ["export", "run", "--csv", "x.csv"],
        ["query", "run", "select count(*) from results"],
        ["compare", "run", "run"],
        ["verify", "run"],
        ["verify", "store"],
        ["classify", "store", "--out", "run", "--cpu-limit", "10", "--dry-run"],
    ):
        assert nonocensus(*command).code == 0, command
        assert trace(tmp_path / "run", tmp_path / "store") == before, command
