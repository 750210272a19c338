"""The command grade: runs, stores and files; the grades of a run, in reports, datasets and exports."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import mlcroissant
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from runs import WorkerKiller, run_of
from stores import Nonocensus, Refused, cut, other_columns, sampled

import nonocensus as nc
from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.grade_job import grade_run
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.run import results
from nonocensus.pipeline.run.job_tables import current_grades, read_grades
from nonocensus.pipeline.run.plan import Selection
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.paths import Folder
from nonocensus.scrapers.formats import named
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import GRADES
from nonocensus.solver.model.techniques import REACH, TECHNIQUES
from nonocensus.solver.people.minutes import parameters
from nonocensus.solver.people.puzzle_grade import grades

SERIAL = Resources(serial=True)

SWITCH = from_picture(np.eye(2, dtype=np.uint8), puzzle_id="local/switch", title="[bold]Switch")
PLAIN = from_picture([[1, 1], [0, 1]], puzzle_id="local/plain", title="[red]PlainFormat")
NONE = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)), puzzle_id="local/none")
OF_THE_MOMENT = ["cpu_seconds"]


def lasting(grades: pa.Table) -> list[dict[str, Any]]:
    return list(grades.drop_columns(OF_THE_MOMENT).sort_by("puzzle_id").to_pylist())


def directly(run: Run) -> pa.Table:
    """Grade a run's unique puzzles by the kernels directly."""
    results = {row["puzzle_id"]: row["solutions"] for row in run.table(["puzzle_id", "solutions"]).to_pylist()}
    batch = pa.Table.from_batches(list(run.store.batches())).combine_chunks().to_batches()[0]
    unique = np.array([results[name] == "unique" for name in batch["puzzle_id"].to_pylist()])
    return pa.Table.from_batches([grades(batch, unique)]).filter(pa.array(unique))


def write_grades(place: Folder, name: str, row: dict[str, Any]) -> None:
    with results.open_row_writer(place, name, GRADES) as writer:
        writer.write_table(pa.Table.from_pylist([row], GRADES))


def files_of(run: Run) -> list[Path]:
    return sorted(Path(run.folder.path, "grades").glob("*"))


def test_run_keeps_the_grades_of_its_unique_puzzles(own: Run, nonocensus: Nonocensus) -> None:
    assert read_grades(own).num_rows == 0
    done = nonocensus("grade", "run", "--serial", "--quiet")  # no progress lines on a busy machine
    assert (done.code, done.err) == (0, "")
    expected = directly(own)
    assert lasting(current_grades(own)) == lasting(expected)
    assert 20 < len(expected) < 80
    assert f"{len(expected)} of {len(expected)} puzzles with one solution graded" in done.out
    assert f"without one solution, or undecided: {80 - len(expected)}" in done.out
    hardest = Counter(expected["hardest"].to_pylist())
    assert len(hardest) > 3
    for name, puzzles in hardest.items():
        assert re.search(rf"(?m)^[\s\d,.<%]*{name} +{puzzles} ", done.out), name
    again = json.loads(nonocensus("grade", "run", "--serial", "--json").out)
    assert (again["graded"], again["graded_now"], again["techniques"]) == (len(expected), 0, {**hardest})
    assert again["grades"] == {str(k): n for k, n in sorted(Counter(expected["grade"].to_pylist()).items())}
    assert (again["late"], again["killed"], again["wrong"], again["puzzles"]) == ([], [], [], [])
    assert nonocensus("verify", "run").code == 0


@pytest.mark.slow
def test_ray_and_this_process_make_equal_rows(own: Run) -> None:
    grade_run(own, JobRequest(resources=Resources(cpus=2), settings=JobSettings(first_rows=5)))
    assert lasting(read_grades(own)) == lasting(directly(own))
    assert len(files_of(own)) == 1


def test_interrupted_command_resumes(own: Run) -> None:
    steps: list[int] = []

    def stop(count: int, _: str) -> None:
        steps.append(count)
        if len(steps) == 2:
            raise KeyboardInterrupt

    # kernels may have been compiled before
    progress, settings = ProgressCallbacks(lambda *_: steps.clear(), stop), JobSettings(first_rows=10)
    with pytest.raises(KeyboardInterrupt):
        grade_run(own, JobRequest(resources=SERIAL, progress=progress, settings=settings))
    tried = len(read_grades(own))
    tally = grade_run(own, JobRequest(Selection(limit=3), resources=SERIAL))
    assert (tally.graded, tally.unique, tally.others) == (tried + 3, len(directly(own)), 80 - len(directly(own)))
    kept_rows = len(read_grades(own))
    assert kept_rows == tried + 3 < len(directly(own))
    assert not list(Path(own.folder.path).rglob("*.tmp"))
    tally = nc.grade_run(own, resources=SERIAL)
    assert (tally.graded, tally.done) == (len(directly(own)), len(directly(own)) - kept_rows)
    assert lasting(read_grades(own)) == lasting(directly(own))
    assert len(files_of(own)) == 4, "two of the interrupted command, one each of the others"


def test_temporary_files_of_a_killed_process_are_deleted(own: Run, nonocensus: Nonocensus) -> None:
    place = Path(own.folder.path, "grades")
    place.mkdir()
    (place / "part-00001-00000-abcdef.parquet.0123.tmp").write_bytes(b"PAR1half")
    assert read_grades(own).num_rows == 0
    assert nonocensus("grade", "run", "--serial").code == 0
    assert [path.suffix for path in files_of(own)] == [".parquet"]


def test_timeouts_are_retried_with_more_time_only(own: Run, nonocensus: Nonocensus) -> None:
    expected = directly(own)
    late = expected.to_pylist()[5] | {"status": "timeout", "grade": None, "hardest": None, "cpu_seconds": 20.5}
    write_grades(own.folder / "grades", "part-00001-00000-aaaaaa", late)
    first = nonocensus("grade", "run", "--serial", "--cpu-limit", "20")
    assert first.code == 0
    assert f"{late['puzzle_id']}: not in time; raise --cpu-limit" in first.err
    again = json.loads(nonocensus("grade", "run", "--serial", "--json", "--cpu-limit", "20").out)
    assert (again["late"], again["graded_now"]) == ([late["puzzle_id"]], 0)
    then = json.loads(nonocensus("grade", "run", "--serial", "--json").out)
    assert (then["late"], then["graded_now"]) == ([], 1)
    assert lasting(read_grades(own)) == lasting(expected)


def test_grades_of_other_versions_are_made_again(own: Run, nonocensus: Nonocensus) -> None:
    expected = directly(own)
    older = expected.to_pylist()[5] | {"minutes": None, "stars": None, "solver_version": "0.1.0"}
    write_grades(own.folder / "grades", "part-00001-00000-aaaaaa", older)
    assert json.loads(nonocensus("grade", "run", "--serial", "--json").out)["graded_now"] == len(expected)
    assert lasting(read_grades(own)) == lasting(expected)
    assert json.loads(nonocensus("grade", "run", "--serial", "--json").out)["graded_now"] == 0


def test_dead_worker_costs_one_grade(own: Run, nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = directly(own)["puzzle_id"][7].as_py()

    warnings: list[str] = []
    progress, settings = ProgressCallbacks(on_warning=warnings.append), JobSettings(executor=WorkerKiller(victim))
    tally = grade_run(own, JobRequest(resources=SERIAL, progress=progress, settings=settings))
    assert (tally.killed, tally.graded) == ([victim], len(directly(own)) - 1)
    assert warnings == [f"{victim}: its worker died 3 times: out of memory"]
    with monkeypatch.context() as patch:
        patch.setattr("nonocensus.pipeline.jobs.engine.SerialExecutor", lambda: WorkerKiller(victim))
        patch.setattr("nonocensus.pipeline.executors.executor.SerialExecutor", lambda: WorkerKiller(victim))
        failed = nonocensus("grade", "run", "--serial")
    assert failed.code == 1
    assert f"{victim}: could not be graded; the same command tries it again" in failed.err
    assert [row["puzzle_id"] for row in read_grades(own).to_pylist() if row["status"] == "killed"] == [victim]
    assert nonocensus("grade", "run", "--serial").code == 0
    assert lasting(read_grades(own)) == lasting(directly(own))


def changed(name: str, value: Any) -> Callable[[Path], None]:
    """Change a value in the first row that has a grade."""

    def change(path: Path) -> None:
        rows = pq.read_table(path).to_pylist()
        rows[0][name] = value
        pq.write_table(pa.Table.from_pylist(rows, GRADES), path)

    change.__name__ = f"{name}-{value}"
    return change


@pytest.mark.parametrize(
    "damage",
    sampled(
        [
            *(cut, other_columns, changed("grade", 200), changed("grade", None), changed("hardest", "<script>")),
            *(changed("hardest", None), changed("status", "fine"), changed("clue_hash", None)),
            *(changed("work", float("inf")), changed("cpu_seconds", float("nan"))),
        ],
        3,
    ),
    ids=lambda damage: damage.__name__,
)
def test_damaged_file_is_named_and_quarantined(
    own: Run, nonocensus: Nonocensus, refused: Refused, damage: Callable[[Path], None]
) -> None:
    assert nonocensus("grade", "run", "--serial").code == 0
    whole = lasting(read_grades(own))
    (path,) = files_of(own)
    damage(path)
    for command in (
        ["report", "run", "--out", "report"],
        ["dataset", "run", "--out", "dataset"],
        ["export", "run", "--csv", "out.csv"],
        ["query", "run", "select 1"],
        ["grade", "run", "--serial"],
    ):
        said = refused(*command, code=3)
        assert f"{path.name} can't be read" in said
        assert "; nonocensus verify run --repair moves it to damaged/, and grade makes its rows again" in said
    assert not any(Path(name).exists() for name in ("report/report.html", "dataset/README.md", "out.csv"))
    assert nonocensus("status", "run").code == 0
    assert "(--repair moved it to damaged/; grade makes its rows again)" in refused("verify", "run", "--repair", code=1)
    assert nonocensus("verify", "run").code == 0
    assert nonocensus("grade", "run", "--serial").code == 0
    assert lasting(read_grades(own)) == whole


def test_last_grade_of_a_puzzle_wins(own: Run, nonocensus: Nonocensus) -> None:
    assert nonocensus("grade", "run", "--serial").code == 0
    first = read_grades(own)
    late = first.to_pylist()[3] | {"status": "timeout", "grade": None, "hardest": None}
    place = own.folder / "grades"
    write_grades(place, "part-00000-00000-aaaaaa", late)
    assert lasting(read_grades(own)) == lasting(first)
    write_grades(place, "part-99999-00000-aaaaaa", late)
    assert Counter(read_grades(own)["status"].to_pylist()) == {"ok": len(first) - 1, "timeout": 1}


def test_model_of_minutes_is_named_and_another_grades_again(own: Run, nonocensus: Nonocensus) -> None:
    """Grades that name no model stay."""
    assert nonocensus("grade", "run", "--serial").code == 0
    now, first = parameters().name, read_grades(own).to_pylist()
    assert {row["minutes_model"] for row in first} == {now}
    for number, model in enumerate((None, "0" * 16)):
        write_grades(
            own.folder / "grades", f"part-0099-aaaaaaaa-00000{number}", first[number] | {"minutes_model": model}
        )
    status = json.loads(nonocensus("status", "run", "--json").out)
    assert status["minutes_model"] == f"{'0' * 16}, {now}"
    assert json.loads(nonocensus("grade", "run", "--serial", "--json").out)["graded_now"] == 1
    assert json.loads(nonocensus("status", "run", "--json").out)["minutes_model"] == now
    assert nonocensus("report", "run", "--out", "report").code == 0
    assert json.loads(Path("report/report.json").read_text())["about"]["versions"]["minutes model"] == now
    assert nonocensus("dataset", "run", "--out", "dataset").code == 0
    assert f"a checksum that begins with `{now}`" in Path("dataset/README.md").read_text()


def test_grade_of_other_clues_is_ignored(own: Run, nonocensus: Nonocensus) -> None:
    assert nonocensus("grade", "run", "--serial").code == 0
    (path,) = files_of(own)
    changed("clue_hash", "0" * 32)(path)
    assert len(current_grades(own)) == len(read_grades(own)) - 1
    tally = nc.grade_run(own, resources=SERIAL)
    assert (tally.done, tally.graded) == (1, len(directly(own)))


@pytest.mark.slow
def test_report_shows_grades(own: Run, nonocensus: Nonocensus) -> None:
    def reported() -> tuple[str, dict[str, Any]]:
        assert nonocensus("report", "run", "--out", "report").code == 0
        page, figures = (Path(f"report/report.{kind}").read_text() for kind in ("html", "json"))
        return page, json.loads(figures)["figures"]

    page, figures = reported()
    assert "Difficulty for people" not in page
    assert figures["grades"] is None
    assert nonocensus("grade", "run", "--serial").code == 0
    page, figures = reported()
    expected = directly(own)
    assert figures["grades"]["graded"] == figures["grades"]["unique"] == len(expected)
    counts = {name: n for grade in figures["grades"]["grades"] for name, n in grade["techniques"].items()}
    assert counts == Counter(expected["hardest"].to_pylist())
    assert {(one["of"], one["measure"]) for one in figures["grades"]["agreements"]} > {
        ("grade", "work"), ("minutes", "difficulty"), ("minutes", "line_solves")
    }  # fmt: skip
    assert "Difficulty for people" in page
    assert TECHNIQUES[REACH].says in page
    assert Path("report/report-grades.svg").exists()
    assert Path("report/report-agreements.svg").exists()


def test_datasets_and_exports_have_the_grades(own: Run, nonocensus: Nonocensus) -> None:
    def columns() -> tuple[list[str], list[str]]:
        assert nonocensus("dataset", "run", "--out", "dataset").code == 0
        assert nonocensus("export", "run", "--csv", "out.csv").code == 0
        found = duckdb.sql("from 'dataset/data/*.parquet' limit 0").columns
        return found, next(csv.reader(Path("out.csv").read_text().splitlines()))

    before = columns()
    assert nonocensus("grade", "run", "--serial").code == 0
    after = columns()
    without = ("puzzle_id", "clue_hash", "status", "cpu_seconds", "solver_version")
    more = [name for name in GRADES.names if name not in without]
    assert after[0] == [*before[0], *more]
    assert after[1] == [*before[1], *(name for name in more if name != "grade")]
    expected = {row["puzzle_id"]: row for row in directly(own).to_pylist()}
    rows = duckdb.sql("select * from 'dataset/data/*.parquet'").to_arrow_table().to_pylist()
    assert len(rows) == 80
    for row in rows:
        assert {name: row[name] for name in more} == {
            name: expected[row["puzzle_id"]][name] if row["puzzle_id"] in expected else None for name in more
        }
    lines = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert {line["puzzle_id"]: line["hardest"] for line in lines if line["hardest"]} == {
        name: row["hardest"] for name, row in expected.items()
    }
    assert nonocensus("export", "run", "--csv", "some.csv", "--where", "grade > 3").code == 0
    wanted = [name for name, row in expected.items() if row["grade"] > 3]
    assert sorted(line["puzzle_id"] for line in csv.DictReader(Path("some.csv").read_text().splitlines())) == sorted(
        wanted
    )
    card = Path("dataset/README.md").read_text()
    assert "nonocensus grade RUN" in card
    assert "| `hardest` | string |" in card
    fields = mlcroissant.Dataset("dataset/croissant.json").metadata.record_sets[0].fields
    assert {"grade", "hardest", "work", "steps_long_chain"} <= {field.name for field in fields}


def test_queries_have_the_grades(own: Run, nonocensus: Nonocensus) -> None:
    select = "select hardest, count(*) as n from grades group by all"
    assert json.loads(nonocensus("query", "run", select, "--json").out) == []
    assert nonocensus("grade", "run", "--serial").code == 0
    rows = json.loads(nonocensus("query", "run", select, "--json").out)
    assert {row["hardest"]: row["n"] for row in rows} == Counter(directly(own)["hardest"].to_pylist())
    joined = "select count(*) as n from grades join results using (puzzle_id) where solutions <> 'unique'"
    assert json.loads(nonocensus("query", "run", joined, "--json").out) == [{"n": 0}]


def test_files_are_classified_first(nonocensus: Nonocensus, tmp_path: Path) -> None:
    for puzzle in (SWITCH, PLAIN, NONE):
        (tmp_path / f"{puzzle.puzzle_id.split('/')[1]}.non").write_bytes(named("non").write(puzzle))
    (tmp_path / "broken.non").write_text("rows\n1\n\ncolumns\nx\n")
    done = nonocensus("grade", "switch.non", "plain.non", "none.non", "broken.non")
    assert done.code == 1
    assert "broken.non" in done.err
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.startswith("local/")}
    shown = ["local/plain", '"[red]PlainFormat"', "2x2", "1.9", "s", "1.1", "1", "counting"]
    assert lines["local/plain"].split()[:8] == shown
    assert lines["local/plain"].rstrip().endswith("clue 2, counting 1")
    assert lines["local/switch"].split()[2:] == ["2x2", "–", "–", "–", "multiple"]
    assert lines["local/none"].split()[1:] == ["3x1", "–", "–", "–", "contradiction"]
    assert "1 of 1 puzzle with one solution graded" in done.out
    graded = json.loads(nonocensus("grade", "plain.non", "switch.non", "--json").out)
    plain, switch = graded["puzzles"]
    assert (plain["grade"], plain["label"], plain["status"]) == (1, "unique line", "ok")
    assert (switch["grade"], switch["label"], switch["status"]) == (None, "multiple", None)
    assert (graded["unique"], graded["without_one_solution"]) == (1, 1)


def test_store_and_its_run_get_equal_tallies(own: Run, nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonocensus.pipeline.jobs.grade_job.BATCH", 7)
    store = json.loads(nonocensus("grade", own.store.folder.uri, "--serial", "--json").out)
    run = json.loads(nonocensus("grade", "run", "--serial", "--json").out)
    assert len(store.pop("puzzles")) == 80
    run.pop("puzzles")
    for each in (store, run):
        each.pop("cpu_seconds")
    assert store == run
    both = json.loads(nonocensus("grade", "run", own.store.folder.uri, "--serial", "--json").out)
    assert both["graded"] == 2 * run["graded"]


def test_from_python() -> None:
    row = nc.grade([[1, 1], [0, 1]])
    assert (row["grade"], row["hardest"], row["status"]) == (1, "counting", "ok")
    assert nc.grade(SWITCH)["grade"] is None
    assert nc.grade(Puzzle(((Block(3),),), ((Block(1),),)))["status"] == "invalid"
    assert set(row) == set(GRADES.names)


def test_invalid_cpu_limits_are_refused_before_any_work(own: Run) -> None:
    for limit in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="cpu_limit is a number of CPU seconds"):
            nc.grade_run(own, cpu_limit=limit, resources=SERIAL)
    assert files_of(own) == []


def test_run_without_unique_puzzles_has_no_grades(nonocensus: Nonocensus, tmp_path: Path) -> None:
    run_of(tmp_path, [SWITCH])
    done = nonocensus("grade", "run")
    assert done.code == 0
    assert done.out.startswith("0 of 0 puzzles with one solution graded")
    (tmp_path / "junk.txt").write_text("junk")
    assert nonocensus("grade", "junk.txt")[:2] == (2, "")
    assert not (tmp_path / "run" / "grades").exists()
