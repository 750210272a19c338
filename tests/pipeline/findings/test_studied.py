"""The report of a run with a study of it: what people have done in the folder is what the report tells."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from players import Act, Person, moves_of, play
from runs import run_serially
from stores import SMALL_GROUPS, Result, random_store

import nonocensus as nc
from pipeline.run.folder import Run
from pipeline.study.attempt import Name, Step, begun, given_puzzles, gone_on
from pipeline.study.folder import Study, make_study, open_study, read_puzzles, study_folder
from pipeline.study.moves import read_moves, write_attempt
from pipeline.study.opening import Wanted, opened
from pipeline.study.people import agree, begin_to_leave, participant_of
from reports.page import ATTEMPTS_FILE
from reports.study import relations
from reports.study.tables import ATTEMPTS, LEFT, OUTCOMES
from scrapers.pictures.recipe import Recipe
from solver.derivation.explain import explain

Nonocensus = Callable[..., Result]

PEOPLE = (Person(slips=0.2), Person(speed=10.0, rests=0.1), Person(knows=8), Person(leaves=0.1))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws of the bootstrap."""
    monkeypatch.setattr(relations, "REPLICATES", 20)


@pytest.fixture
def study(run: Run, tmp_path: Path) -> Study:
    """A study of a dozen of the run's puzzles, which nobody has seen yet."""
    with opened(str(tmp_path / "study"), run, Wanted(12)):
        pass
    return open_study(str(tmp_path / "study"))


def keep(study: Study, participant: str, number: int, place: int, acts: Iterable[Act]) -> None:
    """Keep an attempt that has ended as the server does."""
    given = given_puzzles(read_puzzles(study))[place]
    steps = [Step(act["at"], act["kind"], tuple(act["cells"]), act["values"]) for act in acts]
    if not steps or steps[-1].kind not in OUTCOMES:
        steps.append(Step(steps[-1].at if steps else 0, LEFT))
    write_attempt(study, gone_on(begun(Name(participant, number, place), given), given, steps), given)


def solved_by(study: Study, people: Iterable[Person]) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Have people agree and play all puzzles; returns their moves, and the attempts that are planted."""
    generator = np.random.default_rng(2)
    puzzles = read_puzzles(study).to_pylist()
    explanations = [explain(given.puzzle) for given in given_puzzles(read_puzzles(study))]
    moves, planted = [], []
    for participant, person in sorted((participant_of(agree(study)), person) for person in people):
        for number, (place, puzzle) in enumerate(enumerate(puzzles), 1):
            game = play(explanations[place], puzzle["solution"], person, generator)
            keep(study, participant, number, place, game.acts)
            moves.append(moves_of(game.acts, participant, number, puzzle))
            about = {"participant": participant, "number": number}
            planted.append(about | {name: puzzle[name] for name in ("puzzle_id", "clue_hash")} | game.planted)
    return pa.concat_tables(moves), planted


def reported(nonocensus: Nonocensus, run: Run, study: Study, *options: str) -> dict[str, Any]:
    """The report's study."""
    told = nonocensus("report", run.folder.path, "--study", study.folder.path, "--out", "out", "--json", *options)
    assert told.code == 0, told.err
    figures: dict[str, Any] = json.loads(Path("out/report.json").read_text())["figures"]["study"]
    return figures


def refused(nonocensus: Nonocensus, run: Run, study: str, code: int) -> str:
    """The line in which a report with a study is refused; nothing is written then."""
    told = nonocensus("report", run.folder.path, "--study", study, "--out", "out")
    assert (told.code, told.out, Path("out").exists()) == (code, "", False)
    (line,) = (line for line in told.err.splitlines() if not line.startswith("reading"))
    return line


@pytest.mark.slow
def test_what_people_have_done_is_what_the_report_tells(run: Run, study: Study, nonocensus: Nonocensus) -> None:
    moves, planted = solved_by(study, PEOPLE)
    assert read_moves(study).equals(moves)
    told = reported(nonocensus, run, study)
    table = pq.read_table(f"out/{ATTEMPTS_FILE}")
    assert table.select(ATTEMPTS.names).to_pylist() == planted
    assert (told["people"], told["attempts"], told["puzzles"]) == (4, 48, 12)
    results = {row["puzzle_id"]: row for row in run.table(["puzzle_id", "line_solves"]).to_pylist()}
    for row in table.to_pylist():
        assert row["line_solves"] == results[row["puzzle_id"]]["line_solves"]
    assert "Solved by people" in Path("out/report.html").read_text()
    assert {one["of"] for one in told["relations"]} == {"solving time", "errors", "not solved"}
    page = nc.make_report(run.folder.path, "again", study=study.folder.path)
    assert Path(page).with_name(ATTEMPTS_FILE).read_bytes() == Path("out", ATTEMPTS_FILE).read_bytes()


@pytest.mark.slow
def test_a_later_report_without_the_study_does_not_keep_its_attempts(
    run: Run, study: Study, nonocensus: Nonocensus
) -> None:
    solved_by(study, PEOPLE[:1])
    reported(nonocensus, run, study, "--public")
    assert Path("out", ATTEMPTS_FILE).exists()
    assert nonocensus("report", run.folder.path, "--public", "--out", "out").code == 0
    assert not Path("out", ATTEMPTS_FILE).exists()
    assert not Path("out/report-solving.svg").exists()


def test_who_has_withdrawn_is_not_told_of(run: Run, study: Study, nonocensus: Nonocensus) -> None:
    _, planted = solved_by(study, PEOPLE[:2])
    begin_to_leave(study, planted[0]["participant"])
    assert reported(nonocensus, run, study)["people"] == 1
    rest = {row["participant"] for row in pq.read_table(f"out/{ATTEMPTS_FILE}").to_pylist()}
    assert rest == {planted[-1]["participant"]}


def test_a_study_that_nobody_has_ended_an_attempt_of(run: Run, study: Study, nonocensus: Nonocensus) -> None:
    agree(study)
    assert reported(nonocensus, run, study)["attempts"] == 0
    assert "no attempt that has ended" in Path("out/report.md").read_text()
    assert pq.read_table(f"out/{ATTEMPTS_FILE}").num_rows == 0


def test_a_study_of_another_run_is_refused(study: Study, nonocensus: Nonocensus, tmp_path: Path) -> None:
    store = random_store(tmp_path / "other", Recipe("random", 5, 5, 0.5, 1, 10), SMALL_GROUPS)
    other = run_serially(store, tmp_path / "other" / "run")
    line = refused(nonocensus, other, study.folder.path, 2)
    assert f"is a study of the run {study.about['run']}, not of {other.about['run_id']}" in line


def test_puzzles_that_the_run_does_not_have_are_refused(
    run: Run, study: Study, nonocensus: Nonocensus, tmp_path: Path
) -> None:
    """As after `retry --changed`, when clues have changed since the study was made."""
    puzzles = read_puzzles(study)
    store = random_store(tmp_path / "other", Recipe("random", 12, 12, 0.55, 6, 20), SMALL_GROUPS)
    other = run_serially(store, tmp_path / "other" / "run")
    with opened(str(tmp_path / "theirs"), other, Wanted(2)):
        pass
    theirs = read_puzzles(open_study(str(tmp_path / "theirs")))
    mixed = pa.concat_tables([puzzles, theirs])
    strange = make_study(study_folder(str(tmp_path / "strange")), run.about["run_id"], study.about["chosen"], mixed, "")
    line = refused(nonocensus, run, strange.folder.path, 3)
    assert "has 2 puzzles that" in line
    assert any(name in line for name in theirs["puzzle_id"].to_pylist())


def test_a_damaged_attempt_is_named(run: Run, study: Study, nonocensus: Nonocensus) -> None:
    _, planted = solved_by(study, PEOPLE[:1])
    path = Path(study.moves.path, f"{planted[0]['participant']}-1-0.parquet")
    path.write_bytes(path.read_bytes()[:-10])
    assert path.name in refused(nonocensus, run, study.folder.path, 3)


def test_what_is_no_study_is_refused(run: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    for place in (str(tmp_path / "nowhere"), run.folder.path):
        assert f"{place} is no study" in refused(nonocensus, run, place, 2)
