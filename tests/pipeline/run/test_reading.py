"""Reading commands and refused commands write nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runs import run_serially

from nonocensus.pipeline.store.parts import Store

Nonocensus = Callable[..., Any]


def trace(*folders: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for place in folders for path in (place, *place.rglob("*"))}


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


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--serial", "--cpus", "2"], 2),
        (["--address", "foo"], 2),
        (["--address", "127.0.0.1:1"], 6),
        (["--ids", "test/unknown"], 2),
        (["--where", "nosuch = 1"], 2),
    ],
)
def test_refused_commands_leave_nothing(tmp_path: Path, nonocensus: Nonocensus, options: list[str], code: int) -> None:
    refused = nonocensus("classify", "store", "--out", "run", *options)
    assert (refused.code, len(refused.err.splitlines())) == (code, 1)
    assert not (tmp_path / "run").exists()
