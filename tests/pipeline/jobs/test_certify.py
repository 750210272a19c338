"""Runs certified: every verdict proved again, what is wrong named, nothing lost and nothing done twice."""

import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from runs import Deadly, rewrite_results, run_serially
from stores import SMALL_GROUPS, Result

from pipeline.callbacks import SILENT, ProgressCallbacks
from pipeline.errors import UserError
from pipeline.executors.executor import Resources
from pipeline.jobs.certify_job import certify_run
from pipeline.run import results
from pipeline.run.job_tables import certificates_table, certified
from pipeline.run.plan import EVERYTHING
from pipeline.run.run_folder import Run, open_run
from pipeline.store.parts import Store, append, create_store
from pipeline.store.paths import Folder
from solver.model.puzzle import Block, Puzzle
from solver.model.tables import puzzle_batch
from solver.proofs.checker import check, lines_of

Row = dict[str, Any]
SERIAL = Resources(serial=True)


@pytest.fixture
def own(run: Run, tmp_path: Path) -> Run:
    """A copy of the run of 80 puzzles."""
    shutil.copytree(run.folder.path, tmp_path / "run")
    return open_run(str(tmp_path / "run"))


def change(run: Run, **values: dict[str, Any]) -> None:
    """Write other values into columns of the results, each for some puzzles by id."""
    for piece in run.pieces():
        table = run.read(piece)
        rows = table.to_pylist()
        for name, by_id in values.items():
            for row in rows:
                row[name] = by_id.get(row["puzzle_id"], row[name])
        rewrite_results(run, piece.name, pa.Table.from_pylist(rows, table.schema))


def of(run: Run, label: str) -> list[Row]:
    return [row for row in run.table().to_pylist() if row["label"] == label]


def done(run: Run, resources: Resources = SERIAL, out: str | None = None) -> list[Row]:
    """Certify what is left; returns the rows."""
    before = {path.name for path in files_of(run)}
    certify_run(run, EVERYTHING, None, 60.0, False, out, resources, SILENT)
    return [row for path in files_of(run) if path.name not in before for row in pq.read_table(path).to_pylist()]


def files_of(run: Run) -> list[Path]:
    return sorted(Path(run.folder.path, "certificates").glob("*"))


def lasting(rows: list[Row]) -> list[Row]:
    """What does not depend on the moment."""
    passing = ("cpu_seconds", "certified_at", "host")
    return sorted(
        ({key: row[key] for key in row if key not in passing} for row in rows), key=lambda row: row["puzzle_id"]
    )


def test_every_verdict_is_proved(own: Run, nonocensus: Callable[..., Result]) -> None:
    verdicts = Counter(
        " by ".join(filter(None, (row["solutions"], row["technique"]))) for row in own.table().to_pylist()
    )
    assert len(verdicts) > 2
    assert certified(own) is None
    first = nonocensus("certify", "run", "--serial")
    assert (first.code, first.err) == (0, "")
    assert "80 of 80 verdicts proved; 80 of them checked now" in first.out
    for kind, count in verdicts.items():
        assert str(count) in next(line for line in first.out.splitlines() if line.startswith(kind)).split()
    table = certificates_table(own)
    assert Counter(table["proved"].to_pylist()) == verdicts
    assert set(table["checker"].to_pylist()) == {"nonocensus derivation 1"}
    again = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (again["proved"], again["proved_before"], again["provable"]) == (80, 80, 80)
    assert (again["kinds"], again["failed"], again["nothing_to_prove"]) == (dict(sorted(verdicts.items())), [], 0)
    files = sorted(Path(own.folder.path).glob("certificates/*"))
    assert pa.concat_tables(map(pq.read_table, files)).num_rows == 80, "what is proved is not proved again"
    anew = json.loads(
        nonocensus("certify", "run", "--serial", "--json", "--again", "--ids", table["puzzle_id"][0].as_py()).out
    )
    assert (anew["proved"], anew["proved_before"]) == (1, 0)
    asked = nonocensus(
        "query", "run", "select count(*) as n, sum(steps) as s from certificates where status = 'proved'", "--json"
    )
    assert json.loads(asked.out) == [{"n": 80, "s": sum(table["steps"].to_pylist())}]


@pytest.mark.slow
def test_over_ray_as_in_this_process(own: Run, tmp_path: Path) -> None:
    shutil.copytree(own.folder.path, tmp_path / "other")
    spread = done(open_run(str(tmp_path / "other")), Resources(cpus=2), out=str(tmp_path / "proofs"))
    assert lasting(spread) == lasting(done(own))
    assert len(list((tmp_path / "proofs").iterdir())) == 80


def test_a_damaged_row_is_named(own: Run, nonocensus: Callable[..., Result]) -> None:
    (solution, technique, clues, name, *_), answer = of(own, "multiple"), of(own, "unique line")[0]
    change(
        own,
        solution={solution["puzzle_id"]: solution["second_solution"], answer["puzzle_id"]: bytes(144)},
        clue_hash={clues["puzzle_id"]: "0" * 32},
        technique={technique["puzzle_id"]: "line"},
        puzzle_id={name["puzzle_id"]: "other/1"},
    )
    result = nonocensus("certify", "run", "--serial")
    assert result.code == 1
    named = {line.split(":")[0]: line for line in result.err.splitlines()}
    assert len(named) == 5
    assert "two different pictures" in named[solution["puzzle_id"]]
    assert "does not fit the clues" in named[answer["puzzle_id"]]
    assert f"in the run {'0' * 32}" in named[clues["puzzle_id"]]
    assert f"{name['puzzle_id']}, in the run other/1" in named["other/1"]
    assert "75 of 80 verdicts proved" in result.out
    listed = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert {item["puzzle_id"] for item in listed["failed"]} == set(named)
    refused = nonocensus("report", "run", "--out", "report")
    assert (refused.code, "holds results of other puzzles than" in refused.err) == (3, True)
    change(own, puzzle_id={"other/1": name["puzzle_id"]})
    nonocensus("report", "run", "--out", "report")
    page, text = (Path(f"report/report.{kind}").read_text() for kind in ("html", "md"))
    found = json.loads(Path("report/report.json").read_text())["about"]["certificates"]
    assert (found["provable"], found["proved"], len(found["failed"])) == (80, 75, 4)
    assert "75 of 80 verdicts have a proof" in page
    assert "75 of 80 verdicts have a proof" in text
    assert '<table class="wrong">' in page
    assert page.split('<table class="wrong">')[1].count('class="id"') >= 5


def test_a_report_without_certificates_says_nothing(own: Run, nonocensus: Callable[..., Result]) -> None:
    assert nonocensus("report", "run", "--out", "report").code == 0
    assert "have a proof" not in Path("report/report.html").read_text() + Path("report/report.md").read_text()
    assert own.rows == 80


def test_clues_without_their_hash_are_named(own: Run) -> None:
    """A store whose first puzzle has other clues than the hash beside them says."""
    place, part = own.store.puzzles, own.parts[0].name
    file = Path(place.path) / f"{part}.parquet"
    kept = file.read_bytes()
    first, *others = pq.read_table(file).to_pylist()
    turned = first | {"rows": first["rows"][::-1], "goal": None}
    assert turned["rows"] != first["rows"]
    try:
        pq.write_table(pa.Table.from_pylist([turned, *others], pq.read_schema(file)), file, row_group_size=5)
        rows = done(own)
    finally:
        file.write_bytes(kept)
    assert [row["puzzle_id"] for row in rows if row["status"] != "proved"] == [first["puzzle_id"]]
    (error,) = [row["error"] for row in rows if row["error"]]
    assert error.endswith(f"its verdict {first['clue_hash']}")


def test_retried_verdicts_are_proved_then(hard: Store, nonocensus: Callable[..., Result]) -> None:
    nonocensus("classify", hard.folder.uri, "--out", "run", "--serial", "--cpu-limit", "0.001")
    first = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert first["nothing_to_prove"] > 20
    assert first["provable"] + first["nothing_to_prove"] == 80
    nonocensus("retry", "run", "--serial", "--cpu-limit", "10")
    then = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (then["provable"], then["proved"], then["proved_before"]) == (80, 80, first["proved"])


def test_a_certificate_belongs_to_one_verdict(own: Run) -> None:
    done(own)
    other = of(own, "multiple")[0]
    change(
        own,
        second_solution={other["puzzle_id"]: other["solution"]},
        solution={other["puzzle_id"]: other["second_solution"]},
    )
    found = certified(own)
    assert found is not None
    assert (found.proved, found.provable) == (79, 80)
    (row,) = done(own)
    assert (row["puzzle_id"], row["status"]) == (other["puzzle_id"], "proved")


def test_samples(own: Run, nonocensus: Callable[..., Result]) -> None:
    ids = []
    for number in ("10", "20"):
        assert json.loads(nonocensus("certify", "run", "--serial", "--json", "--sample", number).out)["proved"] == int(
            number
        )
        ids.append(set(certificates_table(own)["puzzle_id"].to_pylist()))
    assert (len(ids[0]), len(ids[1]), ids[0] < ids[1]) == (10, 20, True)
    assert json.loads(nonocensus("certify", "run", "--serial", "--json", "--sample", "20").out)["proved_before"] == 20
    where = json.loads(nonocensus("certify", "run", "--serial", "--json", "--where", "width > 12").out)
    assert (where["provable"], where["proved"]) == (0, 0)


def test_proofs_are_kept_under_safe_names(tmp_path: Path, nonocensus: Callable[..., Result]) -> None:
    names = ["../../up", "..", "a/b", "a-b", "a%2Fb", "x" * 300, "tab\tand\nline", "-rf"]
    clue = ((Block(1),),)
    append(
        create_store(str(tmp_path / "store")),
        [puzzle_batch([Puzzle(clue, clue, puzzle_id=name) for name in names])],
        SMALL_GROUPS,
    )
    run_serially(create_store(str(tmp_path / "store")), tmp_path / "run")
    assert nonocensus("certify", "run", "--serial", "--out", "deep/proofs").code == 0
    files = sorted((tmp_path / "deep" / "proofs").iterdir())
    assert {check(lines_of(file)).puzzle_id for file in files} == set(names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "run", "store"]


def test_what_is_kept_can_be_checked_by_others(own: Run, nonocensus: Callable[..., Result]) -> None:
    assert nonocensus("certify", "run", "--serial", "--out", "proofs").code == 0
    rows = {row["puzzle_id"]: row for row in own.table().to_pylist()}
    for file in Path("proofs").iterdir():
        proved = check(lines_of(file))
        row = rows[proved.puzzle_id]
        assert (proved.clue_hash, proved.claim, proved.rung) == (row["clue_hash"], row["solutions"], row["technique"])
        assert len(gzip.decompress(file.read_bytes())) > 0


def test_interrupted_and_continued(own: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.jobs.engine.FIRST", 25)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify_run(own, EVERYTHING, None, 60.0, False, None, SERIAL, ProgressCallbacks(on_progress=stop))
    assert len(certificates_table(own)) == 25
    assert len(done(own)) == 80 - 25
    assert not list(Path(own.folder.path).rglob("*.tmp"))
    found = certified(own)
    assert found is not None
    assert found.proved == 80


def test_a_full_disk_leaves_nothing_half_written(
    own: Run, nonocensus: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pipeline.jobs.driver.GIVE_UP", 0.0)
        patch.setattr(results.pq.ParquetWriter, "write", full)
        result = nonocensus("certify", "run", "--serial")
    assert (result.code, len(result.err.splitlines())) == (4, 2)
    assert "No space left" in result.err
    with monkeypatch.context() as patch:
        patch.setattr("pipeline.jobs.driver.GIVE_UP", 0.0)
        patch.setattr(Folder, "write", full)
        result = nonocensus("certify", "run", "--serial", "--out", "proofs")
    assert (result.code, len(result.err.splitlines())) == (4, 2)
    assert not list(Path(own.folder.path).glob("certificates/*"))
    assert nonocensus("certify", "run", "--serial").code == 0


def test_a_worker_that_dies_costs_one_verdict(
    own: Run, nonocensus: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = own.table()["puzzle_id"][3].as_py()

    with monkeypatch.context() as patch:
        patch.setattr(Deadly, "victim", victim)
        patch.setattr("pipeline.executors.executor.SerialExecutor", Deadly)
        rows = done(own)
    assert Counter(row["status"] for row in rows) == {"proved": 79, "killed": 1}
    assert [row["error"] for row in rows if row["status"] == "killed"] == [
        "no proof: its worker died 3 times: out of memory"
    ]
    found = certified(own)
    assert found is not None
    assert [item.puzzle_id for item in found.killed] == [victim]
    assert "80 of 80 verdicts proved; 1 of them checked now" in nonocensus("certify", "run", "--serial").out


def test_timeouts_are_tried_again_only_with_more_time(own: Run, nonocensus: Callable[..., Result]) -> None:
    late = json.loads(nonocensus("certify", "run", "--serial", "--json", "--cpu-limit", "0.001").out)
    assert len(late["late"]) > 5
    again = json.loads(nonocensus("certify", "run", "--serial", "--json", "--cpu-limit", "0.001").out)
    assert (again["late"], again["cpu_seconds"]) == (late["late"], 0)
    then = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (then["proved"], then["proved_before"], then["late"]) == (80, 80 - len(late["late"]), [])
    assert nonocensus("certify", "run", "--serial", "--again", "--cpu-limit", "0.001").code == 0
    found = certified(own)
    assert found is not None
    assert found.proved == 80  # a proof stands, whatever is tried later


def test_what_can_not_be_read_is_named(own: Run, nonocensus: Callable[..., Result]) -> None:
    assert nonocensus("certify", "nowhere", "--serial").code == 2
    nonocensus("certify", "run", "--serial", "--sample", "5")
    (file,) = Path(own.folder.path).glob("certificates/*")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(UserError, match=rf"{file.name} can't be read.*delete it"):
        certified(own)
    for command in (["certify", "run", "--serial"], ["report", "run", "--out", "report"]):
        result = nonocensus(*command)
        assert (result.code, len(result.err.splitlines())) == (3, 1)
    file.unlink()
    results = next(Path(own.results.path).glob("*.parquet"))
    kept = results.read_bytes()
    results.write_bytes(kept[:-100])
    result = nonocensus("certify", "run", "--serial")
    assert (result.code, len(result.err.splitlines())) == (3, 1)
    results.write_bytes(kept)
    wrong = nonocensus("certify", "run", "--serial", "--where", "nosuch = 1")
    assert (wrong.code, len(wrong.err.splitlines())) == (2, 1)
