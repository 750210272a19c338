"""The dataset of a run: what others read of it is what the run has, and nothing that is not to be passed on."""

import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import mlcroissant
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from runs import CONFIG, run_of, start_run
from stores import Nonocensus, Refused

from nonocensus.pipeline.findings import dataset_folder
from nonocensus.pipeline.findings.dataset_folder import write_dataset
from nonocensus.pipeline.findings.sql_tables import open_tables
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.reports.dataset.dataset_columns import SPLITS, Content, schema
from nonocensus.reports.rights import CONTENT
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture, normalize_palette
from nonocensus.solver.model.tables import puzzle_batch

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # mlcroissant's, of rdflib and pandas

FREE, MINE = "CC-BY-3.0", None


def drawn(number: int, cells: np.ndarray, text: str | None = MINE) -> Puzzle:
    puzzle = from_picture(cells, title=f"Title {number}", author=f"Author {number}", copyright="(c)", license=text)
    return replace(puzzle, puzzle_id=f"webpbn/{number}", source="webpbn", source_id=str(number))


def impossible(number: int) -> Puzzle:
    rows = ((Block(2, 1),), (Block(2, 1),))
    puzzle = normalize_palette(Puzzle(rows, ((Block(1, 1),), ()), license=FREE))
    return replace(puzzle, puzzle_id=f"webpbn/{number}", source="webpbn", source_id=str(number))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Puzzles with a licence and without, of one's own drawing and made by rule, twins, equals, one that can't be."""
    rng = np.random.default_rng(7)
    pictures = (rng.random((60, 7, 6)) < 0.6).astype(np.uint8)
    puzzles = [drawn(k, cells, FREE if k % 3 == 0 else MINE) for k, cells in enumerate(pictures, 1)]
    twins = [drawn(101, pictures[0]), drawn(100, pictures[0]), drawn(102, pictures[0][::-1]), drawn(103, pictures[0].T)]
    made_by_rule = recipe_batch(Recipe("random", 5, 5, 0.5, 1, 40), 0, 40)
    return run_of(tmp_path_factory.mktemp("census"), [*puzzles, *twins, impossible(200)], made_by_rule)


@pytest.fixture(scope="module")
def made(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its dataset of measures."""
    folder = tmp_path_factory.mktemp("dataset")
    write_dataset(run, str(folder), Content.none)
    return folder


def everything(run: Run) -> pa.Table:
    """Results and puzzles, joined by hand."""
    puzzles = pa.Table.from_batches(list(run.store.batches()))
    own = [name for name in puzzles.column_names if name == "puzzle_id" or name not in run.table().column_names]
    return run.table().join(puzzles.select(own).drop_columns(NESTED), "puzzle_id").sort_by("puzzle_id")


NESTED = ["rows", "columns", "palette"]
"""Columns that Arrow can't join."""


def read(folder: Path, *splits: str) -> pa.Table:
    files = [path for split in splits or SPLITS for path in sorted((folder / "data").glob(f"{split}-*.parquet"))]
    return pa.concat_tables([pq.read_table(file) for file in files])


def test_rows_equal_those_of_the_run(run: Run, made: Path) -> None:
    rows, expected = read(made).sort_by("puzzle_id"), everything(run)
    assert len(rows) == run.rows == 105
    for name in rows.column_names:
        if name in expected.column_names:
            assert rows[name].to_pylist() == expected[name].to_pylist(), name
    assert rows.filter(pc.field("puzzle_id") == "webpbn/200")["status"].to_pylist() == ["invalid"]
    assert not [path for path in made.rglob("*") if path.suffix == ".tmp"]


def test_rows_are_sorted_and_split(made: Path) -> None:
    for split in SPLITS:
        rows = read(made, split).to_pylist()
        keys = [(row["source"], [int(part) for part in row["source_id"].split("-")[-1:]]) for row in rows]
        assert keys == sorted(keys)
        names = ["train"] * 8 + ["validation", "test"]
        assert {names[int(row["canonical_hash"][-8:], 16) % 10] for row in rows} == {split}


def test_duplicates_name_the_first_row(made: Path) -> None:
    rows = {row["puzzle_id"]: row for row in read(made).to_pylist()}
    assert [rows[f"webpbn/{k}"]["duplicate_of"] for k in (1, 100, 101)] == [None, "webpbn/1", "webpbn/1"]
    others = [row for row in rows.values() if row["duplicate_of"] is None]
    assert len({row["clue_hash"] for row in others}) == len(others) == len({row["clue_hash"] for row in rows.values()})
    splits = [
        split for split in SPLITS for name in read(made, split)["puzzle_id"].to_pylist()
        if name in ("webpbn/1", "webpbn/100", "webpbn/101", "webpbn/102", "webpbn/103")
    ]  # fmt: skip
    assert len(splits) == 5
    assert len(set(splits)) == 1


def test_card_joins_each_row_with_its_puzzle(run: Run, made: Path) -> None:
    (query,) = re.findall("```sql\n(select p.rows.*)\n```", (made / "README.md").read_text())
    query = query.replace("DIR/", f"{made}/").replace("'store/", f"'{run.store.folder.path}/")
    assert len(duckdb.sql(query).fetchall()) == len(read(made))


def test_card_tells_whether_a_store_has_the_same_puzzles(run: Run, made: Path) -> None:
    (query,) = re.findall('nonocensus query store "(.*)"', (made / "README.md").read_text())
    with open_tables(run.store) as database:
        ((checksum,),) = database.execute(query).fetchall()
    assert f"that of this dataset, `{checksum}`:" in (made / "README.md").read_text()


def test_files_describe_themselves(run: Run, made: Path) -> None:
    for path in (made / "data").iterdir():
        file = pq.ParquetFile(path)
        stored = file.schema_arrow
        assert stored == schema(Content.none)
        assert stored.metadata[b"nonocensus.run_id"].decode() == run.manifest["run_id"]
        assert {b"nonocensus.config_hash", b"nonocensus.solver_version", b"nonocensus.schema"} <= stored.metadata.keys()
        for field in stored:
            assert field.metadata[b"description"] == schema(Content.none).field(field.name).metadata[b"description"]
        column = file.metadata.row_group(0).column(0)
        assert column.compression == "ZSTD"
        assert column.has_column_index
        assert column.has_offset_index


def test_datasets_loads_it(made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    loaded = datasets.load_dataset(str(made), cache_dir=str(tmp_path))
    assert {name: len(rows) for name, rows in loaded.items()} == {name: len(read(made, name)) for name in SPLITS}
    for rows in loaded.values():
        assert rows.features.arrow_schema == schema(Content.none)
    assert loaded["train"]["puzzle_id"][:] == read(made, "train")["puzzle_id"].to_pylist()


def test_croissant_reads_it(made: Path) -> None:
    described = mlcroissant.Dataset(jsonld=made / "croissant.json")
    assert not described.metadata.issues.errors
    records = list(described.records("puzzles", filters={"puzzles/split": "test"}))
    found = [record["puzzles/puzzle_id"].decode() for record in records]
    assert found == read(made, "test")["puzzle_id"].to_pylist()
    assert {record["puzzles/split"] for record in records} == {b"test"}
    for entry in json.loads((made / "croissant.json").read_text())["distribution"][:-1]:
        data = (made / entry["contentUrl"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
        assert entry["contentSize"] == f"{len(data)} B"


def test_a_dataset_of_measures_holds_no_texts_or_clues(made: Path) -> None:
    assert not set(CONTENT) & set(read(made).column_names)
    for path in made.rglob("*.*"):
        assert b"Title" not in path.read_bytes()
        assert b"Author 1" not in path.read_bytes()


def test_content_of_the_licensed_only(run: Run, tmp_path: Path) -> None:
    write_dataset(run, str(tmp_path / "d"), Content.licensed)
    rows = read(tmp_path / "d").to_pylist()
    for row in rows:
        free = row["license"] == FREE or row["source"] == "random"
        texts = [row[name] for name in ("rows", "columns", "palette")]
        assert all(texts) if free else not any(row[name] is not None for name in CONTENT if name in row)
        assert (row["solution"] is not None) == (free and row["status"] == "ok")
    goals = dict(zip(*(everything(run)[name].to_pylist() for name in ("puzzle_id", "goal")), strict=True))
    assert {row["goal"] == goals[row["puzzle_id"]] for row in rows if row["license"] == FREE} == {True}
    assert "Private" not in (tmp_path / "d/README.md").read_text()
    described = mlcroissant.Dataset(jsonld=tmp_path / "d/croissant.json")
    assert len(list(described.records("puzzles"))) == 105


def test_private_has_everything_and_says_so(run: Run, tmp_path: Path) -> None:
    write_dataset(run, str(tmp_path / "d"), Content.everything)
    rows = read(tmp_path / "d").sort_by("puzzle_id")
    for name in ("title", "goal", "solution", "second_solution"):
        assert rows[name].to_pylist() == everything(run)[name].to_pylist()
    _, head, text = (tmp_path / "d/README.md").read_text().split("---\n", 2)
    assert text.lstrip().startswith("> **Private: this dataset must not be published.**")
    assert {'license: "other"', 'license_name: "private"'} < set(head.splitlines())
    assert not (tmp_path / "d/.zenodo.json").exists()


def test_only_a_dataset_of_measures_is_for_publication(made: Path, nonocensus: Nonocensus, run: Run) -> None:
    assert not (made / ".zenodo.json").exists()
    options = ((), ("--out", str(made.parent / "own"), "--measures"))
    told = [nonocensus("dataset", run.folder.uri, "--out", str(made), *more).out for more in options]
    assert ["--measures" in each for each in told] == [True, False]
    assert (made.parent / "own/.zenodo.json").exists()


def test_files_roll_over(run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_folder, "FILE_BYTES", 1)
    monkeypatch.setattr(dataset_folder, "GROUP_ROWS", 20)
    monkeypatch.setattr(dataset_folder, "FETCHED_ROWS", 10)
    written = write_dataset(run, str(tmp_path / "d"), Content.none)
    assert "data/train-00001.parquet" in written["files"]
    assert sorted(written["files"]) == sorted(f"data/{path.name}" for path in (tmp_path / "d/data").iterdir())
    assert read(tmp_path / "d").equals(read(made))


def test_a_previous_dataset_is_replaced(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    write_dataset(run, str(folder), Content.everything)
    (folder / "data/train-00007.parquet").write_bytes(b"stale")
    (folder / "README.md").unlink()  # as a killed process leaves it
    (folder / "data/test-00000.parquet.abc.tmp").write_bytes(b"half")
    (folder / "notes.txt").write_text("mine")
    write_dataset(run, str(folder), Content.measures)
    assert read(folder).column_names == schema(Content.measures).names
    assert sorted(path.name for path in folder.iterdir()) == [
        ".zenodo.json", "README.md", "croissant.json", "data", "dataset.json", "notes.txt"
    ]  # fmt: skip
    assert {path.name for path in (folder / "data").iterdir()} == {f"{split}-00000.parquet" for split in SPLITS}


@pytest.mark.parametrize("step", ["pairs", "croissant"])
def test_full_disk_keeps_previous_dataset(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Whether the rows are there or not."""
    write_dataset(run, str(tmp_path / "d"), Content.none)
    former = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def broken(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(dataset_folder, step, broken)
    with pytest.raises(OSError, match="disk full"):
        write_dataset(run, str(tmp_path / "d"), Content.none)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == former


@pytest.mark.parametrize("mark", [None, "{}", "[1]", '{"kind": "other"}'])
def test_a_foreign_folder_is_refused(mark: str | None, run: Run, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "d/data").mkdir(parents=True)
    (tmp_path / "d/data/train-00000.parquet").write_bytes(b"other")
    if mark:
        (tmp_path / "d/dataset.json").write_text(mark)
    assert "d is not empty and not a nonocensus dataset" in refused("dataset", run.folder.uri, "--out", "d")
    assert (tmp_path / "d/data/train-00000.parquet").read_bytes() == b"other"


@pytest.mark.parametrize("puzzles", [[drawn(1, np.eye(3, dtype=np.uint8))], [impossible(k) for k in (1, 2)]])
def test_small_datasets(puzzles: list[Puzzle], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One puzzle, or none but failures: splits without a row have no file, and what is there loads."""
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    made = write_dataset(run_of(tmp_path, puzzles), str(tmp_path / "d"), Content.none)
    [split] = [name for name, rows in made["splits"].items() if rows]
    assert made["files"] == [f"data/{split}-00000.parquet"]
    loaded = datasets.load_dataset(str(tmp_path / "d"), cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {split: len(puzzles)}


def test_a_first_file_of_results_of_which_no_row_counts(tmp_path: Path, nonocensus: Nonocensus) -> None:
    run = run_of(tmp_path, [drawn(k, np.eye(k, dtype=np.uint8)) for k in (3, 4)])
    file = run.result_files()[0]
    results = tmp_path / "run/results"
    for suffix in (".parquet", ".json"):  # as a retry leaves it that is killed before it joins files
        shutil.copy(results / f"{file.name}{suffix}", results / f"part-0002-aaaa{suffix}")
    done = nonocensus("dataset", "run", "--out", "dataset", "--private")
    assert (done.code, done.err) == (0, "")
    assert len(read(tmp_path / "dataset")) == 2


def test_a_run_without_results_is_refused(tmp_path: Path, refused: Refused) -> None:
    store = create_store(str(tmp_path / "store"))
    append(store, [puzzle_batch([drawn(1, np.eye(3, dtype=np.uint8))])])
    start_run(store, str(tmp_path / "run"), CONFIG)
    assert "run has no results yet" in refused("dataset", "run", "--out", "d")
    assert not (tmp_path / "d").exists()


def test_command(run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    told = nonocensus("dataset", run.folder.uri, "--out", "d", "--title", "Owls", "--by", "Ada")
    assert told.code == 0
    assert "# Owls\n\nBy Ada." in (tmp_path / "d/README.md").read_text()
    assert "105 puzzles" in told.out
    assert "load_dataset('d')" in told.out
    made = json.loads(nonocensus("dataset", run.folder.uri, "--out", "d", "--private", "--json").out)
    assert made["rows"] == sum(made["splits"].values()) == 105
    assert made["folder"] == "d"
    assert all((tmp_path / "d" / name).exists() for name in made["files"])
