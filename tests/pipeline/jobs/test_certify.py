"""The job certify: every verdict proved again, damage named, nothing lost or done twice."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from runs import WorkerKiller, rewrite_results, run_of, run_serially
from stores import Nonocensus, Refused

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.certify_job import PROBE, certify_run
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.job import DEFAULTS, JobSettings
from nonocensus.pipeline.run import results
from nonocensus.pipeline.run.job_tables import certificate_summary, certificates_table
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import Store, append, create_store
from nonocensus.pipeline.store.paths import Folder
from nonocensus.solver.model.puzzle import Block, Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.proofs.checker import check, lines_of

Row = dict[str, Any]
SERIAL = Resources(serial=True)


def change(run: Run, **values: dict[str, Any]) -> None:
    """Change columns of the results for some puzzles, by id."""
    for file in run.result_files():
        table = run.read(file)
        rows = table.to_pylist()
        for name, by_id in values.items():
            for row in rows:
                row[name] = by_id.get(row["puzzle_id"], row[name])
        rewrite_results(run, file.name, pa.Table.from_pylist(rows, table.schema))


def labelled(run: Run, label: str) -> list[Row]:
    return [row for row in run.table().to_pylist() if row["label"] == label]


def certify_rest(
    run: Run, resources: Resources = SERIAL, out: str | None = None, settings: JobSettings = DEFAULTS
) -> list[Row]:
    """Certify the rest; returns the new rows."""
    before = {path.name for path in files_of(run)}
    certify_run(run, JobRequest(resources=resources, settings=settings), proofs=out)
    return [row for path in files_of(run) if path.name not in before for row in pq.read_table(path).to_pylist()]


def files_of(run: Run) -> list[Path]:
    return sorted(Path(run.folder.path, "certificates").glob("*"))


def lasting(rows: list[Row]) -> list[Row]:
    """Drop the columns that differ from run to run, and sort."""
    passing = ("cpu_seconds", "certified_at", "host")
    return sorted(
        ({key: row[key] for key in row if key not in passing} for row in rows), key=lambda row: row["puzzle_id"]
    )


def test_every_verdict_is_proved_once(own: Run, nonocensus: Nonocensus) -> None:
    verdicts = Counter(
        " by ".join(filter(None, (row["solutions"], row["technique"]))) for row in own.table().to_pylist()
    )
    assert len(verdicts) > 2
    assert certificate_summary(own) is None
    first = nonocensus("certify", "run", "--serial", "--out", "proofs")
    assert (first.code, first.err) == (0, "")
    assert "80 of 80 verdicts proved; 80 of them checked now" in first.out
    for kind, count in verdicts.items():
        assert str(count) in next(line for line in first.out.splitlines() if line.startswith(kind)).split()
    assert json.loads(Path("run/progress.json").read_text())["outcomes"] == {"proved": 80}
    table = certificates_table(own)
    assert Counter(table["proved"].to_pylist()) == verdicts
    assert set(table["checker"].to_pylist()) == {"nonocensus derivation 1"}
    rows = {row["puzzle_id"]: row for row in own.table().to_pylist()}
    for file in Path("proofs").iterdir():
        proved = check(lines_of(file))
        row = rows[proved.puzzle_id]
        assert (proved.clue_hash, proved.claim, proved.rung) == (row["clue_hash"], row["solutions"], row["technique"])
    again = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (again["proved"], again["proved_before"], again["provable"]) == (80, 80, 80)
    assert (again["kinds"], again["failed"], again["nothing_to_prove"]) == (dict(sorted(verdicts.items())), [], 0)
    files = sorted(Path(own.folder.path).glob("certificates/*"))
    assert pa.concat_tables(map(pq.read_table, files)).num_rows == 80, "verdicts are proved once"
    redone = json.loads(
        nonocensus("certify", "run", "--serial", "--json", "--again", "--ids", table["puzzle_id"][0].as_py()).out
    )
    assert (redone["proved"], redone["proved_before"]) == (1, 0)
    queried = nonocensus(
        "query", "run", "select count(*) as n, sum(steps) as s from certificates where status = 'proved'", "--json"
    )
    assert json.loads(queried.out) == [{"n": 80, "s": sum(table["steps"].to_pylist())}]


@pytest.mark.slow
def test_ray_and_this_process_make_equal_rows(own: Run, tmp_path: Path) -> None:
    shutil.copytree(own.folder.path, tmp_path / "other")
    spread = certify_rest(open_run(str(tmp_path / "other")), Resources(cpus=2), out=str(tmp_path / "proofs"))
    assert lasting(spread) == lasting(certify_rest(own))
    assert len(list((tmp_path / "proofs").iterdir())) == 80


@pytest.mark.slow
def test_damaged_rows_fail_by_name_also_in_the_report(own: Run, nonocensus: Nonocensus) -> None:
    assert nonocensus("report", "run", "--out", "report").code == 0
    assert "have a proof" not in Path("report/report.html").read_text()
    (solution, technique, clues, name, *_), answer = labelled(own, "multiple"), labelled(own, "unique line")[0]
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
    page = Path("report/report.html").read_text()
    found = json.loads(Path("report/report.json").read_text())["about"]["certificates"]
    assert (found["provable"], found["proved"], len(found["failed"])) == (80, 75, 4)
    assert "75 of 80 verdicts have a proof" in page
    assert '<table class="wrong">' in page
    assert page.split('<table class="wrong">')[1].count('class="id"') >= 5


def test_store_with_wrong_clue_hash_fails_by_name(own: Run) -> None:
    """The first puzzle's clues don't have the hash that the store says."""
    place, part = own.store.puzzles, own.parts[0].name
    file = Path(place.path) / f"{part}.parquet"
    kept = file.read_bytes()
    first, *others = pq.read_table(file).to_pylist()
    turned = first | {"rows": first["rows"][::-1], "goal": None}
    assert turned["rows"] != first["rows"]
    try:
        schema = pq.read_schema(file).with_metadata(pq.read_metadata(file).metadata)  # the latter has the part's hash
        pq.write_table(pa.Table.from_pylist([turned, *others], schema), file, row_group_size=5)
        rows = certify_rest(own)
    finally:
        file.write_bytes(kept)
    assert [row["puzzle_id"] for row in rows if row["status"] != "proved"] == [first["puzzle_id"]]
    (error,) = [row["error"] for row in rows if row["error"]]
    assert error.endswith(f"the verdict {first['clue_hash']}")


@pytest.mark.slow
def test_verdicts_of_retry_are_proved(hard: Store, nonocensus: Nonocensus) -> None:
    nonocensus("classify", hard.folder.uri, "--out", "run", "--serial", "--cpu-limit", "0.001")
    first = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert first["nothing_to_prove"] > 20
    assert first["provable"] + first["nothing_to_prove"] == 80
    nonocensus("retry", "run", "--serial", "--cpu-limit", "10")
    then = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (then["provable"], then["proved"], then["proved_before"]) == (80, 80, first["proved"])


def test_changed_verdict_needs_a_new_certificate(own: Run) -> None:
    certify_rest(own)
    other = labelled(own, "multiple")[0]
    name = other["puzzle_id"]
    change(own, second_solution={name: other["solution"]}, solution={name: other["second_solution"]})
    found = certificate_summary(own)
    assert found is not None
    assert (found.proved, found.provable) == (79, 80)
    (row,) = certify_rest(own)
    assert (row["puzzle_id"], row["status"]) == (other["puzzle_id"], "proved")


def test_sample_is_deterministic_and_nested(own: Run, nonocensus: Nonocensus) -> None:
    ids = []
    for number in (10, 20):
        sampled = nonocensus("certify", "run", "--serial", "--json", "--sample", str(number))
        assert json.loads(sampled.out)["proved"] == number
        ids.append(set(certificates_table(own)["puzzle_id"].to_pylist()))
    assert (len(ids[0]), len(ids[1]), ids[0] < ids[1]) == (10, 20, True)
    assert json.loads(nonocensus("certify", "run", "--serial", "--json", "--sample", "20").out)["proved_before"] == 20
    where = json.loads(nonocensus("certify", "run", "--serial", "--json", "--where", "width > 12").out)
    assert (where["provable"], where["proved"]) == (0, 0)


def test_proof_files_have_safe_names(tmp_path: Path, nonocensus: Nonocensus) -> None:
    names = ["../../up", "..", "a/b", "a-b", "a%2Fb", "x" * 300, "tab\tand\nline", "-rf"]
    clue = ((Block(1),),)
    store = create_store(str(tmp_path / "store"))
    append(store, [puzzle_batch([Puzzle(clue, clue, puzzle_id=name) for name in names])])
    run_serially(store, tmp_path / "run")
    assert nonocensus("certify", "run", "--serial", "--out", "deep/proofs").code == 0
    files = sorted((tmp_path / "deep" / "proofs").iterdir())
    assert {check(lines_of(file)).puzzle_id for file in files} == set(names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "run", "store"]


def test_full_disk_leaves_no_partial_files(
    own: Run, nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*arguments: object, **_: object) -> None:
        if PROBE not in arguments:
            raise OSError(28, "No space left on device")

    for owner, proofs in ((results.pq.ParquetWriter, None), (Folder, str(tmp_path / "proofs"))):
        warnings: list[str] = []
        progress = ProgressCallbacks(on_warning=warnings.append)
        request = JobRequest(resources=SERIAL, progress=progress, settings=JobSettings(give_up_after=0.0))
        with monkeypatch.context() as patch:
            patch.setattr(owner, "write", full)
            with pytest.raises(StorageError, match="No space left"):
                certify_run(own, request, proofs=proofs)
        assert [line.endswith("; next try in 1 s, the last in 0 s") for line in warnings] == [True]
    assert not list(Path(own.folder.path).glob("certificates/*"))
    assert nonocensus("certify", "run", "--serial").code == 0


def test_dead_worker_costs_one_verdict(own: Run, nonocensus: Nonocensus) -> None:
    victim = own.table()["puzzle_id"][3].as_py()
    rows = certify_rest(own, settings=JobSettings(executor=WorkerKiller(victim)))
    assert Counter(row["status"] for row in rows) == {"proved": 79, "killed": 1}
    assert [row["error"] for row in rows if row["status"] == "killed"] == [
        "no proof: its worker died 3 times: out of memory"
    ]
    found = certificate_summary(own)
    assert found is not None
    assert [item.puzzle_id for item in found.killed] == [victim]
    assert "80 of 80 verdicts proved; 1 of them checked now" in nonocensus("certify", "run", "--serial").out


def test_timeouts_are_retried_with_more_time_only(own: Run, nonocensus: Nonocensus) -> None:
    late = json.loads(nonocensus("certify", "run", "--serial", "--json", "--cpu-limit", "0.001").out)
    assert len(late["late"]) > 5
    again = json.loads(nonocensus("certify", "run", "--serial", "--json", "--cpu-limit", "0.001").out)
    assert (again["late"], again["cpu_seconds"]) == (late["late"], 0)
    then = json.loads(nonocensus("certify", "run", "--serial", "--json").out)
    assert (then["proved"], then["proved_before"], then["late"]) == (80, 80 - len(late["late"]), [])
    assert nonocensus("certify", "run", "--serial", "--again", "--cpu-limit", "0.001").code == 0
    found = certificate_summary(own)
    assert found is not None
    assert found.proved == 80  # a later failure does not replace a proof


def test_unreadable_files_are_named(own: Run, nonocensus: Nonocensus, refused: Refused) -> None:
    nonocensus("certify", "run", "--serial", "--sample", "5")
    (file,) = Path(own.folder.path).glob("certificates/*")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(UserError, match=rf"{file.name} can't be read.*run --repair moves it"):
        certificate_summary(own)
    for command in (["certify", "run", "--serial"], ["report", "run", "--out", "report"]):
        refused(*command, code=3)
    file.unlink()
    results = next(Path(own.results.path).glob("*.parquet"))
    kept = results.read_bytes()
    results.write_bytes(kept[:-100])
    refused("certify", "run", "--serial", code=3)
    results.write_bytes(kept)


def test_folder_that_cannot_be_written_is_refused_before_any_proof(tmp_path: Path, refused: Refused) -> None:
    clue = ((Block(1),),)
    run_of(tmp_path, [Puzzle(clue, clue, puzzle_id="a/1")])
    assert "/proc/proofs" in refused("certify", "run", "--serial", "--out", "/proc/proofs", code=4)
