"""verify finds every kind of damage, and the commands that made the damaged files repair it."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from runs import CONFIG, lasting, rewrite_results, run_serially, start_run, work_on
from stores import Nonocensus, Refused, flip_page, held_by_another, sampled

from nonocensus.pipeline.commands.output import DONE, SOME_FAILED
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import Store, append, open_store, rewrite
from nonocensus.pipeline.verify.verification import verify_run, verify_store
from nonocensus.solver.model.tables import PUZZLES


def found(place: Run | Store) -> list[str]:
    """Return what verify reports."""
    damages = verify_run(place) if isinstance(place, Run) else verify_store(place)
    return [f"{damage.file}: {damage.what}" for damage in damages]


def flip(path: Path, place: float = 0.5) -> None:
    """Flip a bit in a file."""
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 1
    path.write_bytes(data)


def rewritten(path: Path, column: str, value: Any) -> None:
    """Change a value in a part's first row, keeping the Parquet file valid."""
    file = pq.ParquetFile(path)
    groups = [file.read_row_group(k) for k in range(file.num_row_groups)]
    rows = groups[0].to_pylist()
    rows[0][column] = value(rows[0][column])
    groups[0] = pa.Table.from_pylist(rows, PUZZLES)
    with pq.ParquetWriter(path, PUZZLES) as writer:
        for group in groups:
            writer.write_table(group)
        writer.add_key_value_metadata(
            {"nonocensus.sha256": json.loads(path.with_suffix(".json").read_text())["sha256"]}
        )


def record_size(path: Path) -> None:
    """Write a part's present size into its JSON."""
    about = path.with_suffix(".json")
    about.write_text(json.dumps(json.loads(about.read_text()) | {"size": path.stat().st_size}))


def longer(clues: list[list[dict[str, int]]]) -> list[list[dict[str, int]]]:
    """Other clues of the same total."""
    return [clues[1], clues[0], *clues[2:]]


PARTS: list[tuple[str, Callable[[Path], None], str]] = [
    ("part-00001.parquet", lambda path: path.write_bytes(path.read_bytes()[:500]), "500 bytes, not"),
    ("part-00001.parquet", flip_page, "can't be read"),
    ("part-00001.parquet", Path.unlink, "can't be read"),
    ("part-00001.json", lambda path: path.write_text("[]"), "is damaged: Expected `object`, got `array`"),
    ("part-00001.json", lambda path: path.write_text("{"), "is damaged"),
    ("part-00001.json", lambda path: path.write_text("{}"), "missing required field"),
]


@pytest.mark.parametrize(("name", "damage", "said"), sampled(PARTS, 3))
def test_damaged_part_is_found_and_repaired(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, name: str, damage: Callable[[Path], None], said: str
) -> None:
    assert found(store) == []
    path = tmp_path / "store/puzzles" / name
    damage(path)
    (line,) = found(store)[:1]
    assert "part-00001" in line
    assert said in line
    assert line == " ".join(line.split()), "one line"
    assert "Errno" not in line
    result = nonocensus("verify", "store")
    assert (result.code, "part-00001" in result.err, ": store/" in result.err) == (SOME_FAILED, True, False)
    assert "nonocensus verify" not in result.err, "which is the command that says so"
    size = "" if name.endswith(".json") else ", 50 puzzles,"
    repair = f"--repair moves the part's files{size} to damaged/; nonocensus import FILES --out store"
    assert f"{repair} restores" in result.err
    is_intact = path.exists() and (name.endswith(".json") or path.stat().st_size > 500)
    assert f"; {'store/damaged/*/*.parquet has' if is_intact else 'FILES are those it was'} " in result.err
    assert nonocensus("verify", "store", "--repair").code == SOME_FAILED
    assert nonocensus("verify", "store").code == DONE
    assert open_store(store.folder.uri).rows() == 250
    away = "What verify --repair moved away is in damaged/: nonocensus import FILES --out store restores it;"
    assert away in nonocensus("status", "store").out


@pytest.mark.usefixtures("store")
def test_intact_row_groups_of_a_damaged_part_are_imported_again(tmp_path: Path, nonocensus: Nonocensus) -> None:
    before = {row["puzzle_id"]: row for batch in open_store("store").batches() for row in batch.to_pylist()}
    flip_page(tmp_path / "store/puzzles/part-00001.parquet")
    nonocensus("verify", "store", "--repair")
    (file,) = map(str, (tmp_path / "store/damaged").rglob("*.parquet"))
    told = nonocensus("import", file, "--out", "store")
    found = re.search(r"(\d+) of its 50 rows are damaged", told.err)
    assert found is not None, told.err
    after = {row["puzzle_id"]: row for batch in open_store("store").batches() for row in batch.to_pylist()}
    assert len(after) == 300 - int(found[1]) > 250
    same = [name for name in PUZZLES.names if name not in ("raw_sha256", "fetched_at")]
    assert all(row[name] == before[key][name] for key, row in after.items() for name in same)


def test_part_with_wrong_hash_is_found(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "store/puzzles/part-00002.parquet"
    whole = path.read_bytes()
    rewritten(path, "puzzle_id", lambda _: "test/9999")
    assert any("hash mismatch of its ids, clue hashes" in line or "bytes, not" in line for line in found(store))
    record_size(path)
    assert ["hash mismatch of its ids, clue hashes and goals" in line for line in found(store)] == [True]
    path.write_bytes(whole)
    rewritten(path, "rows", longer)
    record_size(path)
    assert ["1 puzzle with clues that do not match their clue hash" in line for line in found(store)] == [True]


def test_swapped_part_is_found(store: Store, tmp_path: Path) -> None:
    """An intact file of another part: no reader uses its rows."""
    parts = tmp_path / "store/puzzles"
    run = run_serially(store, tmp_path / "run")
    (parts / "part-00001.parquet").write_bytes((parts / "part-00002.parquet").read_bytes())
    assert any("part-00001" in line for line in found(store))
    assert any("holds other puzzles than part-00001.json says" in line for line in found(run))


def flip_solutions(path: Path) -> None:
    """Damage that only readers of the column see."""
    file = path.with_suffix(".parquet")
    group = pq.ParquetFile(file).metadata.row_group(0)
    (column,) = (group.column(k) for k in range(group.num_columns) if group.column(k).path_in_schema == "solution")
    flip(file, (column.data_page_offset + column.total_compressed_size * 0.7) / file.stat().st_size)


RESULTS: list[tuple[Callable[[Path], None], str]] = [
    (lambda path: path.with_suffix(".parquet").write_bytes(b"PAR1"), "4 of"),
    (flip_solutions, "can't be read"),
    (lambda path: path.with_suffix(".parquet").unlink(), "it is not there"),
    (lambda path: path.write_text("[]"), "is damaged"),
    (lambda path: path.write_text("null"), "is damaged"),
]


@pytest.mark.parametrize(("damage", "said"), sampled(RESULTS, 3))
def test_damaged_results_are_found_and_repaired(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused, damage: Callable[[Path], None], said: str
) -> None:
    run = run_serially(store, tmp_path / "run")
    before = lasting(run)
    assert found(run) == []
    path = sorted((tmp_path / "run/results").glob("*.json"))[2]
    damage(path)
    assert [path.stem in line and said in line for line in found(run)] == [True]
    commands = ["status", "run", "--failed"], ["export", "run", "--csv", "x.csv"], ["report", "run", "--out", "page"]
    for command in () if damage is flip_solutions else commands:
        assert path.stem in refused(*command, code=3)
    assert ("nonocensus verify" in nonocensus("status", "run").err) == (damage is not flip_solutions)
    assert nonocensus("verify", "run", "--repair").code == SOME_FAILED
    assert nonocensus("verify", "run").code == DONE
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--cpu-limit", "10").code == DONE
    assert lasting(open_run(run.folder.uri)).equals(before)


def test_lost_json_is_found_at_once_and_what_is_left_is_said(
    store: Store, tmp_path: Path, nonocensus: Nonocensus
) -> None:
    run = run_serially(store, tmp_path / "run")
    said = "has no JSON: lost, or never written by a killed command"
    sorted((tmp_path / "run/results").glob("*.json"))[2].unlink()
    assert ["results/part-" in line and said in line for line in found(run)] == [True]
    with held_by_another(tmp_path / "run"):
        assert found(run) == []
    result = nonocensus("verify", "run", "--repair")
    assert (result.code, "(--repair moved its files to damaged/; classify repeats" in result.err) == (1, True)
    intact = nonocensus("verify", "run").out
    assert re.fullmatch(r"run is intact\.\n\d+ of 300 puzzles without .*: .*classify .*store --out run .*\.\n", intact)
    for command in ("export run --csv x.csv", "grade run --limit 1", "mend run --limit 1"):
        assert " of 300 puzzles without a result: nonocensus classify " in nonocensus(*command.split()).err
    (tmp_path / "store/puzzles/part-00001.json").unlink()
    assert "without a result" not in nonocensus("export", "run", "--csv", "x.csv").err
    os.utime(tmp_path / "store/puzzles/part-00001.parquet", (1, 1))
    told = nonocensus("classify", "store", "--out", "new", "--serial", "--limit", "1").err
    assert told.startswith("store/puzzles/part-00001.parquet has no JSON, so its puzzles are left out; run")
    assert found(store) == [f"{tmp_path}/store/puzzles/part-00001.parquet: {said}"]
    assert "nonocensus import FILES --out store restores" in nonocensus("verify", "store", "--repair").err
    (file,) = map(str, (tmp_path / "store/damaged").rglob("part-00001.parquet"))
    assert nonocensus("verify", "store").code == DONE
    before = run.folder.names(), (run.folder / "results").names()
    for command in ("retry run --changed", "status run", "report run --out page", "grade run", "verify run"):
        told = "".join(map(str, nonocensus(*command.split())))
        assert f"moved part-00001.parquet to {tmp_path}/store/damaged: nonocensus import FILES --out" in told
        assert "updates the run" not in told
    assert (run.folder.names(), (run.folder / "results").names()) == before
    assert nonocensus("import", file, "--out", "store").code == DONE
    assert open_store("store").rows() == 300
    assert "part of its store changed since: nonocensus retry run --changed" in nonocensus("status", "run").out
    assert nonocensus("retry", "run", "--changed", "--serial").code == DONE
    assert len(open_run("run").table()) == 300


def test_classify_repeats_unreadable_results(store: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    run = run_serially(store, tmp_path / "run")
    before = lasting(run)
    path = sorted((tmp_path / "run/results").glob("*.parquet"))[1]
    path.write_bytes(path.read_bytes()[:-7])
    again = nonocensus("classify", "store", "--out", "run", "--serial", "--cpu-limit", "10", "--json")
    assert again.code == DONE
    assert json.loads(again.out)["new_rows"] > 0
    assert f"{path.stem}.parquet can't be read" in again.err
    assert lasting(open_run(run.folder.uri)).equals(before)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("solution", lambda cells: bytes(1 - cell for cell in cells), "answers are wrong, the first is that of test/"),
        ("puzzle_id", lambda _: "test/9999", "its puzzle_id is not that of the store's puzzles"),
        ("clue_hash", lambda _: "0" * 32, "its clue_hash is not that"),
        ("part", lambda _: "part-00099", "its rows name other parts"),
    ],
)
def test_wrong_rows_are_found(
    store: Store, tmp_path: Path, column: str, value: Callable[[Any], Any], said: str
) -> None:
    run = run_serially(store, tmp_path / "run")
    file = run.result_files()[1]
    table = run.read(file)
    rows = table.to_pylist()
    rows[0][column] = value(rows[0][column])
    rewrite_results(run, file.name, pa.Table.from_pylist(rows, table.schema))
    assert [said in line for line in found(run)] == [True]


def test_damaged_run_json_is_reported(store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    run_serially(store, tmp_path / "run")
    (tmp_path / "run/progress.json").write_bytes(bytes(30))
    told = nonocensus("status", "run")
    assert (told.code, "; run nonocensus verify run --repair\n" in told.err) == (DONE, True)
    assert [nonocensus("verify", "run", *option).code for option in (["--repair"], [])] == [SOME_FAILED, DONE]
    about = tmp_path / "run/run.json"
    whole = json.loads(about.read_text())
    for text in ("[]", "null", "{}", "{", json.dumps(whole | {"inputs": 3}), json.dumps(whole | {"config": {}})):
        about.write_text(text)
        for command in (["status", "run"], ["report", "run", "--out", "page"], ["verify", "run"]):
            assert "run.json is damaged" in refused(*command, code=3)
    (tmp_path / "store/store.json").write_text("[1]")
    assert nonocensus("status", "store").code == 3


def test_run_without_store_is_partly_verified(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused
) -> None:
    run_serially(store, tmp_path / "run")
    (tmp_path / "store").rename(tmp_path / "elsewhere")
    for command in (["export", "run", "--csv", "x.csv"], ["report", "run", "--out", "page"]):
        assert "record its place: nonocensus status run --store STORE" in refused(*command, code=3)
    assert nonocensus("query", "run", "select count(*) from results").code == DONE
    assert nonocensus("verify", "run").code == SOME_FAILED
    assert nonocensus("status", "run", "--store", "elsewhere").code == DONE
    assert nonocensus("verify", "run").code == DONE
    assert nonocensus("export", "run", "--csv", "x.csv").code == DONE
    (tmp_path / "elsewhere").rename(tmp_path / "third")
    assert nonocensus("classify", "third", "--out", "run", "--serial", "--cpu-limit", "10").code == DONE
    assert nonocensus("export", "run", "--csv", "x.csv").code == DONE, "classify records the place too"


@pytest.mark.usefixtures("store")
def test_run_finds_store_moved_together(tmp_path: Path, nonocensus: Nonocensus) -> None:
    place = tmp_path / "a"
    place.mkdir()
    (tmp_path / "store").rename(place / "store")
    run = run_serially(open_store(str(place / "store")), place / "run")
    place.rename(tmp_path / "b")
    assert nonocensus("export", "b/run", "--csv", "x.csv").code == DONE
    assert nonocensus("classify", "b/../b/store", "--out", "b/run", "--serial", "--cpu-limit", "10").code == DONE
    assert len(open_run(str(tmp_path / "b/run")).table()) == run.rows == 300


def test_another_store_is_refused(store: Store, tmp_path: Path, refused: Refused) -> None:
    """Same puzzles, at the same path or another, but another store id."""
    run_serially(store, tmp_path / "run")
    before = (tmp_path / "run/run.json").read_bytes()
    mark = tmp_path / "store/store.json"
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"id": "0" * 32}))
    shutil.copytree(tmp_path / "store", tmp_path / "other")
    assert "is not the store of run" in refused("export", "run", "--csv", "x.csv", code=3)
    assert "it classifies another store" in refused("classify", "store", "--out", "run", "--cpu-limit", "10")
    assert "other is not the store of run; record its place" in refused("status", "run", "--store", "other", code=3)
    refused("status", "store", "--store", "other")
    assert (tmp_path / "run/run.json").read_bytes() == before


@pytest.mark.slow
def test_carry_over_follows_the_changed_store(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused
) -> None:
    """Moved puzzles keep their results; changed and new ones are classified."""
    run = run_serially(store, tmp_path / "run")
    before = {row["puzzle_id"]: row for row in run.table().to_pylist()}
    shuffle(store)
    asked = "report run --out p", "export run --csv x", "dataset run --out d", "classify store --out run --cpu-limit 10"
    for command in map(str.split, asked):
        assert "retry run --changed updates the run" in refused(*command, code=3)
    assert nonocensus("query", "run", "select count(*) from results").code == DONE
    for command in (
        ["query", "run", "select count(*) from puzzles join results using (puzzle_id)"],
        ["retry", "run", "--cpu-limit", "20", "--failed"],
        ["certify", "run", "--serial"],
    ):
        assert nonocensus(*command).code == 3, command
    again = nonocensus("retry", "run", "--changed", "--serial", "--json")
    assert again.code == DONE, again.err
    told = json.loads(again.out)
    assert (told["rows"], told["missing"]) == (299, 0)
    assert 1 <= told["new_rows"] <= 2
    now = open_run(run.folder.uri)
    after = {row["puzzle_id"]: row for row in now.table().to_pylist()}
    assert after.keys() == before.keys() - {"test/0"}
    moment = ("part", "run_id", "host", *(name for name in after["test/1"] if "seconds" in name or "cpu" in name))
    for name, row in after.items():
        same = {key: value for key, value in row.items() if key not in moment}
        if name not in ("test/7", "test/8"):
            assert same == {key: value for key, value in before[name].items() if key not in moment}
    assert found(now) == []


def shuffle(store: Store) -> None:
    """The store reversed, with a row removed, one with another goal, and one with another's clues."""
    rows = pa.Table.from_batches(list(store.batches())).to_pylist()
    by_id = {row["puzzle_id"]: row for row in rows}
    for name in ("rows", "columns", "clue_hash", "canonical_hash", "goal"):
        by_id["test/7"][name] = by_id["test/9"][name]
    by_id["test/8"]["goal"] = bytes(72)
    turned = iter(rows[::-1][:-1])

    def others(batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([row for _, row in zip(range(len(batch)), turned, strict=False)], PUZZLES)

    rewrite(store, others)


def test_killed_carry_over_changes_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nonocensus.pipeline.run import carry

    run = run_serially(store, tmp_path / "run")
    shuffle(store)

    def killed(_: Run) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(carry, "write_manifest", killed)
        with pytest.raises(KeyboardInterrupt):
            carry.carry_over(open_run(run.folder.uri))
    assert lasting(open_run(run.folder.uri)).equals(lasting(run))
    after, kept = carry.carry_over(open_run(run.folder.uri))
    assert 297 <= kept <= 298
    assert len(after.table()) == kept
    assert work_on(after) == []
    assert len(after.table()) == 299
    assert start_run(store, run.folder.uri, CONFIG).manifest == after.manifest


@pytest.mark.slow
def test_carry_over_to_a_replaced_store_keeps_nothing(store: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Also where a result file keeps no row."""
    run = run_serially(store, tmp_path / "run")
    names = iter(range(300))

    def renamed(batch: pa.RecordBatch) -> pa.RecordBatch:
        ids = pa.array([f"other/{next(names)}" for _ in range(len(batch))])
        return batch.set_column(0, PUZZLES.field("puzzle_id"), ids)

    assert PUZZLES.names[0] == "puzzle_id"
    rewrite(store, renamed)
    told = json.loads(nonocensus("retry", "run", "--changed", "--serial", "--json").out)
    assert (told["rows"], told["new_rows"], told["missing"]) == (300, 300, 0)
    assert found(open_run(run.folder.uri)) == []


@pytest.mark.parametrize(
    "covers",
    [{"part-00000": [[-5, 10**12]]}, {"nopart": [[0, 30]]}, {"part-00000": [[1000, 1043]]}, {"part-00000": [[10, 5]]}],
)
def test_invalid_covers_are_damage(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused, covers: Any
) -> None:
    run = run_serially(store, tmp_path / "run")
    before = lasting(run)
    path = sorted((tmp_path / "run/results").glob("*.json"))[0]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"covers": covers}))
    assert "it covers rows that the store does not have" in refused("export", "run", "--csv", "x.csv", code=3)
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--cpu-limit", "10").code == DONE
    assert lasting(open_run(run.folder.uri)).equals(before)


@pytest.mark.usefixtures("store")
def test_invalid_parts_are_damage(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "store/puzzles/part-00000.json"
    whole = path.read_text()
    for change in ({"rows": -5}, {"rows": 60}, {"groups": [0, 50]}, {"name": "part-00001"}):
        path.write_text(json.dumps(json.loads(whole) | change))
        assert "part-00000.json" in refused("classify", "store", "--out", "run", "--serial", code=3)


@pytest.mark.slow
def test_repair_leaves_files_of_running_commands_and_foreign_files(
    store: Store, tmp_path: Path, nonocensus: Nonocensus
) -> None:
    place = tmp_path / "store/puzzles"
    (place / "part-x.parquet").write_text("other")
    (place / "part-00009.parquet").write_bytes((place / "part-00005.parquet").read_bytes())
    with held_by_another(tmp_path / "store"):
        assert found(store) == [], "it may be of a command at work"
    assert nonocensus("verify", "store", "--repair").code == SOME_FAILED
    assert (place / "part-x.parquet").exists()
    assert [path.name for path in (tmp_path / "store/damaged").rglob("*.parquet")] == ["part-00009.parquet"]
    with held_by_another(tmp_path / "store"):
        assert nonocensus("verify", "store", "--repair").code == 2
    for _ in range(2):
        (place / "part-00001.parquet").write_bytes(b"cut")
        append(store, [next(store.batches())]) if not (place / "part-00001.json").exists() else None
        assert nonocensus("verify", "store", "--repair").code == SOME_FAILED
        (place / "part-00001.json").write_text("{")
    assert len(list((tmp_path / "store/damaged").rglob("part-00001.parquet"))) == 2, "nothing is overwritten there"
