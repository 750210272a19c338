"""Puzzles left to the next level: read beside the results, and in the store where that can't be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from runs import CONFIG, lasting, run_serially, work_on

from pipeline.classify import task as tasks
from pipeline.run.beside import beside, read_beside, write_beside
from pipeline.run.folder import start_run
from pipeline.store import spans
from pipeline.store.folder import folder
from pipeline.store.parts import Store, one_batch
from solver.families import NONOGRAM

LEVELS = [1e-4, 1e-3, 10.0]


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each reading of the store's rows took by a task."""
    read, sizes = tasks._read, list[int]()

    def noting(store: Store, part: Any, wanted: spans.Spans) -> Any:
        sizes.append(spans.size(wanted))
        return read(store, part, wanted)

    monkeypatch.setattr(tasks, "_read", noting)
    return sizes


def test_the_store_is_read_once(hard: Store, tmp_path: Path, readings: list[int]) -> None:
    alone = run_serially(hard, tmp_path / "alone")
    readings.clear()
    run = start_run(hard, str(tmp_path / "run"), CONFIG)
    assert work_on(run, limits=LEVELS) == []
    assert lasting(run).equals(lasting(alone))
    assert sum(readings) == 80
    assert len({piece.limit for piece in run.pieces()}) > 1, "no level above the sweep was needed"
    assert not (tmp_path / "run/beside").exists()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 4] ^= 1
    file.write_bytes(data)


def of_another_store(file: Path) -> None:
    """The same places, other puzzles: what a part held that has been replaced."""
    table = pq.read_table(file)
    order = pa.array(np.roll(np.arange(len(table)), 1))
    others = table.drop_columns(["part", "row"]).take(order)
    others = others.set_column(0, "sha256", pa.array(["0" * 64] * len(table)))
    pq.write_table(others.append_column("part", table["part"]).append_column("row", table["row"]), file)


def a_stranger_s(file: Path) -> None:
    pq.write_table(pq.read_table(file).drop_columns(["rows"]), file)


def with_the_first_left_out(file: Path) -> None:
    pq.write_table(pq.read_table(file).slice(1), file)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [Path.unlink, cut, flipped, of_another_store, a_stranger_s, with_the_first_left_out])
def test_whatever_happens_to_the_file_the_rows_are_the_same(
    hard: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: list[int], damage: Callable[[Path], None]
) -> None:
    alone = run_serially(hard, tmp_path / "alone")
    readings.clear()

    def written(run: Any, name: str, *others: Any) -> None:
        write_beside(run, name, *others)
        damage(Path(beside(run).path, f"{name}.parquet"))

    monkeypatch.setattr(tasks, "write_beside", written)
    run = start_run(hard, str(tmp_path / "run"), CONFIG)
    assert work_on(run, limits=LEVELS) == []
    assert lasting(run).equals(lasting(alone))
    assert sum(readings) > 80


def test_files_that_overlap_give_each_row_once(hard: Store, tmp_path: Path) -> None:
    """All that is wanted of a part or nothing, in the order of the rows: as row by row from the store."""
    parts = {part.name: part for part in hard.parts()}
    everything = {
        name: one_batch(pa.Table.from_batches([batch for _, batch in hard.read(part, [(0, part.rows)])]))
        for name, part in parts.items()
    }
    rng = np.random.default_rng(1)
    place = folder(str(tmp_path / "run"))
    held: dict[str, set[int]] = {name: set() for name in parts}
    for number in range(6):
        puzzles = []
        for name, part in parts.items():
            rows = np.flatnonzero(rng.random(part.rows) < 0.3)
            puzzles.append((part, rows, everything[name].take(pa.array(rows))))
            held[name].update(rows.tolist())
        write_beside(place, f"part-{number}", puzzles, NONOGRAM)
    names = [f"part-{number}" for number in range(6)]
    found = 0
    for _ in range(50):
        wanted = {name: spans.of_rows(np.flatnonzero(rng.random(part.rows) < 0.1)) for name, part in parts.items()}
        rows = read_beside(place, names, wanted, parts, NONOGRAM)
        for name, those in wanted.items():
            numbers = spans.rows_of(those)
            assert (name in rows) == (set(numbers.tolist()) <= held[name])
            if name in rows:
                found += len(numbers)
                assert rows[name][0].tolist() == numbers.tolist()
                ids = everything[name].take(pa.array(numbers))["puzzle_id"]
                assert pc.equal(rows[name][1]["puzzle_id"], ids).to_pylist() == [True] * len(numbers)
    assert found > 100
