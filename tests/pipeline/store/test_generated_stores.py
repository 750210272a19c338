"""Generated stores: complete, reproducible after a kill, never mixed."""

import errno
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stores import Nonocensus, Result, exhaustive

from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.store.generation import make_part, missing_parts, rows_per_group
from nonocensus.pipeline.store.parts import PartShape, append, create_store, open_store
from nonocensus.scrapers.pictures.recipe import KINDS, Recipe, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import normalize_palette
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of

RECIPE = Recipe("random", 4, 3, 0.5, 1, 55)


SMALL = PartShape(rows_per_group=10, groups_per_part=2)


def filled(store: Path, recipe: Recipe) -> dict[str, int]:
    """Make the missing parts; returns their rows."""
    return {task.name: make_part(task) for task in missing_parts(str(store), recipe, SMALL)}


def files(store: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in store.rglob("*.*")}


def test_generated_store_matches_its_recipe(tmp_path: Path) -> None:
    assert filled(tmp_path / "s", RECIPE) == {"part-00000": 20, "part-00001": 20, "part-00002": 15}
    store = open_store(str(tmp_path / "s"))
    assert [part.groups for part in store.parts()] == [[10, 10], [10, 10], [10, 5]]
    table = pa.Table.from_batches(store.batches()).combine_chunks()
    assert table.equals(pa.Table.from_batches([recipe_batch(RECIPE, 0, 55)]))
    assert missing_parts(str(tmp_path / "s"), RECIPE, SMALL) == []


def test_larger_count_extends_the_store(tmp_path: Path) -> None:
    """Also from an incomplete store, repeatedly, and after a kill; existing parts stay."""
    place = tmp_path / "s"
    filled(place, RECIPE)
    before = files(place)
    (place / "puzzles/part-00002.json").unlink()
    assert [*filled(place, replace(RECIPE, count=70)).values()] == [15, 15]
    assert {name: digest for name, digest in files(place).items() if name in before and name != "generate.json"} == {
        name: digest for name, digest in before.items() if name != "generate.json"
    }
    largest = replace(RECIPE, count=71)
    missing_parts(str(place), largest, SMALL)  # and the process dies
    assert [*filled(place, largest).values()] == [1]
    assert missing_parts(str(place), largest, SMALL) == []
    table = pa.Table.from_batches(open_store(str(place)).batches()).combine_chunks()
    assert table.equals(pa.Table.from_batches([recipe_batch(largest, 0, 71)]))
    with pytest.raises(UserError, match="count is 71 there and 55 here; choose another"):
        missing_parts(str(place), RECIPE, SMALL)


def test_parts_missing_after_a_kill_are_made(tmp_path: Path) -> None:
    filled(tmp_path / "s", RECIPE)
    before = files(tmp_path / "s")
    parts = tmp_path / "s/puzzles"
    (parts / "part-00000.parquet").unlink()
    (parts / "part-00000.json").unlink()
    (parts / "part-00002.json").unlink()  # killed between a part and its statistics
    (parts / "part-00002.parquet.0a1b2c3d.tmp").write_bytes(b"half")
    assert [*filled(tmp_path / "s", RECIPE)] == ["part-00000", "part-00002"]
    assert files(tmp_path / "s") == before


def test_store_of_another_recipe_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "s", RECIPE)
    with pytest.raises(UserError, match=r"seed is 1 there and 2 here; count is 55 there and 99 here; choose another"):
        missing_parts(str(tmp_path / "s"), Recipe("random", 4, 3, 0.5, 2, 99), SMALL)
    with pytest.raises(UserError, match="kind is random there and exhaustive here"):
        missing_parts(str(tmp_path / "s"), exhaustive(4, 3), SMALL)


def test_store_with_other_puzzles_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "s", RECIPE)
    append(open_store(str(tmp_path / "s")), [recipe_batch(RECIPE, 0, 3)])
    with pytest.raises(UserError, match="holds other puzzles than those of its recipe, in part-00003"):
        missing_parts(str(tmp_path / "s"), RECIPE, SMALL)
    append(create_store(str(tmp_path / "imported")), [recipe_batch(RECIPE, 0, 3)])
    with pytest.raises(UserError, match="holds puzzles of no recipe"):
        missing_parts(str(tmp_path / "imported"), RECIPE, SMALL)


def test_too_many_pictures_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"2\^1046529 pictures of 1023x1023 are too many"):
        missing_parts(str(tmp_path / "s"), exhaustive(1023, 1023), SMALL)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("recipe", "rows"),
    [
        (Recipe("random", 10, 10, 0.5, 1, 10**7), 16_384),
        (Recipe("random", 30, 30, 0.5, 1, 10**7), 8_048),
        (Recipe("random", 30, 30, 0.5, 1, 64_000), 1_000),
        (Recipe("random", 1023, 1023, 0.5, 1, 10**7), 8),
        (Recipe("random", 1023, 1, 0.5, 1, 10**7), 1_792),
    ],
)
def test_row_group_size_is_bounded_by_memory_and_cores(recipe: Recipe, rows: int) -> None:
    assert rows_per_group(recipe, recipe.count, SMALL.rows_per_group) == rows


@pytest.fixture
def generate(nonocensus: Nonocensus, tmp_path: Path) -> Nonocensus:
    """Return a function that runs `generate`."""

    def run(kind: str, size: str, *flags: str, **options: Any) -> Result:
        named = (text for name, value in options.items() for text in (f"--{name}", str(value)))
        return nonocensus("generate", kind, size, "--out", str(tmp_path / "s"), "--serial", *flags, *named)

    return run


def test_generate_prints_what_it_made(generate: Nonocensus) -> None:
    assert json.loads(generate("random", "4x3", "--json", count=30).out)["made"] == 30
    assert "is complete: 30 puzzles" in generate("random", "4x3", count=30).out


def test_full_disk_is_reported_as_by_other_commands(generate: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("nonocensus.pipeline.store.generation.write_part", full)
    result = generate("random", "4x3", "--count", "5")
    assert result.code == 4
    assert "part-00000 can't be written: No space left on device; once that is fixed" in result.err


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_fills_a_store(generate: Nonocensus, tmp_path: Path, kind: str) -> None:
    """Puzzles are valid, goals fit, colours are used, and the same command again adds nothing."""
    size = {"exhaustive": "3x2", "letters": "11x7"}.get(kind, "7x7")
    options: dict[str, Any] = {} if KINDS[kind].total else {"count": 12}
    if KINDS[kind].seed:
        options["colors"] = 3
    assert generate(kind, size, **options).code == 0
    table = pa.Table.from_batches(open_store(str(tmp_path / "s")).batches())
    assert len(table) == {"exhaustive": 64, "dominoes": 1}.get(kind, 12)
    assert len(set(table["puzzle_id"].to_pylist())) == len(table)
    assert classify(table, rung="line")["goal_matches"].to_pylist() == [True] * len(table)
    assert set(table["kind"].to_pylist()) == ({"color"} if KINDS[kind].seed else {"mono"})
    for one, puzzle in zip(puzzles_of(table.to_batches()), puzzles_of(table.to_batches()), strict=True):
        assert puzzle_batch([one])["clue_hash"][0] == puzzle_batch([normalize_palette(puzzle)])["clue_hash"][0]
    assert "is complete" in generate(kind, size, **options).out


def test_imported_puzzles_in_a_generated_store_are_detected(tmp_path: Path) -> None:
    """They have the size of the missing part; the stored recipe stays."""
    place = str(tmp_path / "s")
    filled(tmp_path / "s", RECIPE)
    kept = (tmp_path / "s/generate.json").read_text()
    larger = replace(RECIPE, count=RECIPE.count + 20)
    (task,) = missing_parts(place, larger, SMALL)
    (tmp_path / "s/generate.json").write_text(kept)
    others = replace(RECIPE, seed=9)
    append(open_store(place), [recipe_batch(others, group.start, group.stop) for group in task.groups])
    with pytest.raises(UserError, match="holds other puzzles than those of its recipe"):
        missing_parts(place, larger, SMALL)
    assert (tmp_path / "s/generate.json").read_text() == kept


@pytest.mark.parametrize("text", ["[]", "{}", '{"kind": "random", "count": "x"}', '{"earlier_counts": 7}'])
def test_damaged_recipe_is_reported(tmp_path: Path, text: str) -> None:
    filled(tmp_path / "s", RECIPE)
    (tmp_path / "s/generate.json").write_text(text)
    with pytest.raises(InputError, match=r"generate.json is damaged"):
        missing_parts(str(tmp_path / "s"), RECIPE, SMALL)
