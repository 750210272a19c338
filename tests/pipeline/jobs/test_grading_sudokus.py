"""The command grade with Sudokus: the same engine as for nonograms, other techniques."""

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sudokus
from runs import WorkerKiller
from stores import Result
from sudoku_technique_examples import EXAMPLES

import nonocensus as nc
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.grade_files import grade_batch, graded_schema, killed_rows, other_family_problem
from nonocensus.pipeline.jobs.grade_job import grade_run, lost_rows
from nonocensus.pipeline.jobs.job import Chunk, JobCall, JobSettings, Loss
from nonocensus.pipeline.run.job_tables import current_grades, read_grades
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.scrapers.formats import named
from nonocensus.solver.model.families import NONOGRAM, SUDOKU
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
from nonocensus.solver.model.tables import SUDOKU_GRADES
from nonocensus.solver.sudoku import family
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades

Nonocensus = Callable[..., Result]
SERIAL = Resources(serial=True)

UNIQUE = len(EXAMPLES) + 4  # and of sudokus.puzzles() those with one solution: 6x6, 9x9, 25x25, 36x36
OTHERS = 3


def puzzles() -> pa.RecordBatch:
    """Return an example of each technique, and Sudokus of several sizes, some without exactly one solution."""
    lines = [line.replace(".", "0") for line in EXAMPLES.values()]
    grids = [np.array(list(line), np.uint8).reshape(9, 9) for line in lines]
    examples = [Sudoku(grid, puzzle_id=f"made/{k}", title=f"[bold]{k}") for k, grid in enumerate(grids)]
    return sudoku_batch([*examples, *sudokus.puzzles().values()])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and its run."""
    place = tmp_path_factory.mktemp("sudokus")
    append(create_store(str(place / "store"))._replace(family=SUDOKU), [puzzles()])
    nc.classify_store(place / "store", place / "run", resources=SERIAL)
    return place


@pytest.fixture
def own(made: Path, tmp_path: Path) -> Run:
    """A copy of both, where commands run."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return open_run(str(tmp_path / "run"))


def lasting(found: pa.Table) -> list[dict[str, Any]]:
    return list(found.drop_columns(["cpu_seconds"]).sort_by("puzzle_id").to_pylist())


def directly(run: Run) -> pa.Table:
    """Grade a run's unique puzzles by the kernels directly."""
    results = {row["puzzle_id"]: row["solutions"] for row in run.table(["puzzle_id", "solutions"]).to_pylist()}
    unique = np.array([results[name] == "unique" for name in puzzles()["puzzle_id"].to_pylist()])
    return pa.Table.from_batches([grades(puzzles(), unique)]).filter(pa.array(unique))


def test_run_keeps_the_grades_of_its_unique_puzzles(own: Run, nonocensus: Nonocensus) -> None:
    done = nonocensus("grade", "run", "--serial")
    assert (done.code, done.err) == (0, "")
    expected = directly(own)
    assert current_grades(own).schema.equals(SUDOKU_GRADES)
    assert lasting(current_grades(own)) == lasting(expected)
    assert f"{UNIQUE} of {UNIQUE} puzzles with one solution have a grade" in done.out
    assert f"{OTHERS} others have no solution, several, or are undecided" in done.out
    hardest = Counter(expected["hardest"].to_pylist())
    assert len(hardest) > 8
    for name, number in hardest.items():
        assert re.search(rf"(?m)^[a-z\s\d,.<%]*{name} +{number} ", done.out), name
    assert re.search(r"(?m)^ *unfair 7 ", done.out)
    again = json.loads(nonocensus("grade", "run", "--serial", "--json").out)
    assert (again["family"], again["graded"], again["graded_now"]) == ("sudoku", UNIQUE, 0)
    assert again["techniques"] == {**hardest}
    assert (again["late"], again["killed"], again["wrong"], again["without_one_solution"]) == ([], [], [], OTHERS)
    assert nonocensus("verify", "run").code == 0


def test_dead_worker_costs_one_grade(own: Run) -> None:
    settings = JobSettings(executor=WorkerKiller(sudokus.LARGE))
    tally = grade_run(own, JobRequest(resources=SERIAL, settings=settings))
    assert (tally.killed, tally.graded) == ([sudokus.LARGE], UNIQUE - 1)
    assert nc.grade_run(own, resources=SERIAL).killed == []
    assert lasting(read_grades(own)) == lasting(directly(own))


def test_killed_puzzle_of_a_file_is_shown_with_title_and_of_a_run_with_its_hash() -> None:
    rows = puzzles().slice(0, 2)
    (shown,) = killed_rows(SUDOKU, pa.table(rows.slice(0, 1))).to_pylist()
    assert (shown["puzzle_id"], shown["title"], shown["width"], shown["status"]) == ("made/0", "[bold]0", 9, "killed")
    assert killed_rows(SUDOKU, pa.table(rows)).schema == graded_schema(SUDOKU)
    chunk = Chunk([], rows.slice(0, 1).select([*SUDOKU.decisive]))
    lost = lost_rows(chunk, JobCall(SUDOKU, {}, 1.0), Loss("out of memory", has_raised=False))
    (bare,) = lost.to_pylist()
    assert (bare["puzzle_id"], bare["clue_hash"], bare["status"]) == (shown["puzzle_id"], shown["clue_hash"], "killed")
    assert lost.schema == SUDOKU_GRADES


def test_rows_without_a_grade_have_a_reason() -> None:
    found = {row["puzzle_id"]: row for row in grade_batch(SUDOKU.name, puzzles(), 60.0).to_pylist()}
    names = (sudokus.TWO, sudokus.NONE, sudokus.TWICE)
    assert [(found[name]["label"], found[name]["solutions"]) for name in names] == [
        ("multiple", "multiple"),
        ("contradiction", "none"),
        ("invalid", "unknown"),
    ]
    assert all(found[name]["grade"] is found[name]["status"] is None for name in names)
    assert all(found[f"made/{k}"]["hardest"] is not None for k in range(len(EXAMPLES)))


def test_grades_by_techniques_of_another_family_are_refused(own: Run, nonocensus: Nonocensus) -> None:
    assert nonocensus("grade", "run", "--serial").code == 0
    (path,) = Path(own.folder.path, "grades").glob("*")
    rows = pq.read_table(path).to_pylist()
    rows[0] |= {"hardest": "overlap", "grade": 1}
    pq.write_table(pa.Table.from_pylist(rows, SUDOKU_GRADES), path)
    refused = nonocensus("grade", "run", "--serial")
    assert (refused.code, len(refused.err.splitlines())) == (3, 1)
    assert f"{path.name} can't be read: the grade 1 does not go with the technique overlap" in refused.err
    assert nonocensus("verify", "run", "--repair").code == 1
    assert nonocensus("grade", "run", "--serial").code == nonocensus("verify", "run").code == 0


@pytest.mark.slow
def test_reports_datasets_exports_and_queries_have_the_grades(own: Run, nonocensus: Nonocensus) -> None:
    assert nonocensus("grade", "run", "--serial").code == 0
    expected = {row["puzzle_id"]: row for row in directly(own).to_pylist()}
    assert nonocensus("report", "run", "--out", "report").code == 0
    page, figures = (Path(f"report/report.{kind}").read_text() for kind in ("html", "json"))
    found = json.loads(figures)["figures"]["grades"]
    counts = {name: number for grade in found["grades"] for name, number in grade["techniques"].items()}
    assert counts == Counter(row["hardest"] for row in expected.values())
    assert found["grades"][0]["level"] == "easy"
    assert "Difficulty for people" in page
    assert "Two cells of a unit have two digits between them." in page
    assert "on a single line" not in page
    assert "steps for each cell to be filled" in page
    assert Path("report/report-grades.svg").exists()

    assert nonocensus("dataset", "run", "--out", "dataset").code == 0
    assert nonocensus("export", "run", "--csv", "out.csv").code == 0
    more = ["grade", "hardest", "steps", "work", "open", *(technique.column for technique in TECHNIQUES[:-1])]
    rows = duckdb.sql("select * from 'dataset/data/*.parquet'").to_arrow_table().to_pylist()
    for row in rows:
        known = expected.get(row["puzzle_id"], dict.fromkeys(more))
        assert {name: row[name] for name in more} == {name: known[name] for name in more}
    lines = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert [name for name in lines[0] if name in more] == more
    assert {line["puzzle_id"]: line["hardest"] for line in lines if line["hardest"]} == {
        name: row["hardest"] for name, row in expected.items()
    }
    assert "steps for each cell to be filled" in Path("dataset/README.md").read_text()
    queried = nonocensus("query", "run", "select count(*) as n from grades where steps_x_wing > 0", "--json")
    assert json.loads(queried.out) == [{"n": sum(row["steps_x_wing"] > 0 for row in expected.values())}]


@pytest.mark.usefixtures("own")
def test_store_and_its_run_get_equal_tallies(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "RULES", family.RULES._replace(grading_batch_size=7))
    store, run = (json.loads(nonocensus("grade", place, "--serial", "--json").out) for place in ("store", "run"))
    assert len(store.pop("puzzles")) == UNIQUE + OTHERS
    run.pop("puzzles")
    for each in (store, run):
        each.pop("cpu_seconds")
    assert store == run


def test_puzzles_of_another_family_are_problems(own: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    """The family of the first puzzles counts."""
    (tmp_path / "some.sdk").write_text("\n".join([*list(EXAMPLES.values())[:5], "1" * 81]))
    (tmp_path / "eye.non").write_bytes(named("non").write(from_picture([[1, 1], [0, 1]])))
    done = nonocensus("grade", "some.sdk", "eye.non", "--serial")
    assert (done.code, "5 of 5 puzzles with one solution" in done.out) == (1, True)
    assert other_family_problem("local/eye", NONOGRAM, SUDOKU).reason in done.err
    assert re.search(r"(?m)^local/some#6 +9x9 +– +– +invalid", done.out)
    other = nonocensus("grade", "eye.non", "run", "--serial", "--json")
    assert (other.code, json.loads(other.out)["family"]) == (1, "nonogram")
    assert read_grades(own).num_rows == 0
