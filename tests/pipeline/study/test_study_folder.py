"""The study's folder: made once, opened again, refused where it is another; and its damaged files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stores import Result, held_by_another
from studies import acts, frozen, gallery, planted, rows, solving, study_of

from pipeline.errors import InputError, UserError
from pipeline.run.folder import Run
from pipeline.store.folder import Folder
from pipeline.study import opening
from pipeline.study.attempt import Name, begun, given_puzzles, gone_on, step_of
from pipeline.study.consent import CONSENT, paragraphs, read_consent
from pipeline.study.folder import STUDY_PUZZLES, Study, make_study, open_study, read_puzzles
from pipeline.study.moves import read_moves, write_attempt
from pipeline.study.opening import Wanted, opened
from pipeline.study.people import agree, begin_to_leave, erase, known, participant_of, withdrawing
from solver.puzzle import from_picture

Nonocensus = Callable[..., Result]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture
def study(archive: Run, tmp_path: Path) -> Study:
    return study_of(archive, tmp_path / "study")


def attempted(study: Study, number: int = 1, place: int = 0, who: str | None = None) -> Name:
    """Somebody solves a puzzle of a study."""
    name = Name(who or participant_of(agree(study)), number, place)
    given = given_puzzles(read_puzzles(study))[place]
    done = [step_of(act) for act in acts(solving(given.solution, 7))]
    write_attempt(study, gone_on(begun(name, given), given, done), given)
    return name


def files(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.rglob("*") if path.is_file() and path.name != "writer.lock"}


def test_it_is_made_once(archive: Run, tmp_path: Path) -> None:
    study = study_of(archive, tmp_path / "study")
    before = files(tmp_path / "study")
    assert before.keys() == {"study.json", "puzzles.parquet"}
    assert read_puzzles(study).schema.equals(STUDY_PUZZLES, check_metadata=True)
    for run, wanted in ((None, Wanted()), (archive, Wanted()), (archive, Wanted(4))):
        with opened(str(tmp_path / "study"), run, wanted) as again:
            assert again == study
    assert files(tmp_path / "study") == before


def test_what_it_is_of_stays_whatever_becomes_of_the_run(archive: Run, tmp_path: Path) -> None:
    shutil.copytree(Path(archive.folder.path).parent, tmp_path / "archive")
    study = study_of(archive, tmp_path / "study")
    puzzles = read_puzzles(study)
    shutil.rmtree(tmp_path / "archive")
    assert read_puzzles(open_study(str(tmp_path / "study"))).equals(puzzles)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--count", "5"], "--count 5: study was made with --count 4; leave that out, or make another study"),
        (["--ids", "ids"], "--ids ids: study has other puzzles, or in another order; leave that out"),
        (["--consent", "text"], "--consent text: in study people agree to another text; leave that out"),
        (["--count", "4", "--ids", "ids"], "--count chooses puzzles, --ids names them; give one of the two"),
    ],
)
def test_another_one_is_not_made_of_it(
    study: Study, tmp_path: Path, nonocensus: Nonocensus, change: list[str], said: str
) -> None:
    (tmp_path / "ids").write_text("demo/1\n")
    (tmp_path / "text").write_text("Do you?\n")
    before = files(tmp_path / "study")
    refused = nonocensus("serve", "--port", "0", "--study", study.folder.name.rsplit("/", 1)[-1], *change)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
    assert said in refused.err
    assert files(tmp_path / "study") == before


def test_refusals_of_the_command(
    archive: Run, study: Study, tmp_path: Path, nonocensus: Nonocensus, store: Any
) -> None:
    other = gallery(tmp_path / "other").folder.path
    run, there = archive.folder.path, study.folder.path
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    (tmp_path / "empty").write_text(" \n")
    for command, code, said in (
        ([other, "--study", there], 2, f"is a study of another run, {archive.about['run_id']}; name that one, none"),
        (["--study", "new"], 2, "new is no study yet; nonocensus serve RUN --study new makes one of a run's puzzles"),
        ([store.folder.path, "--study", "new"], 2, "is not a run"),
        ([run, "--study", "full"], 2, "full holds something else than a study; name an empty or a new folder"),
        ([run, "--study", "s3://bucket/study"], 2, "s3://bucket/study is no folder on a disk of this machine"),
        ([run, "--study", "new", "--consent", "nothing"], 2, "--consent nothing can't be read: No such file"),
        ([run, "--study", "new", "--consent", "empty"], 2, "--consent empty is empty; people have to know"),
        ([run, "--study", "new", "--ids", "empty"], 2, "--ids empty names no puzzle"),
        ([run, "--count", "5"], 2, "--count, --ids and --consent are about a study"),
        ([run, "--study", "new", "--count", "0"], 2, "--count"),
    ):
        refused = nonocensus("serve", "--port", "0", *command)
        assert (refused.code, refused.out, len(refused.err.splitlines())) == (code, "", 1), refused
        assert said in refused.err
        assert not (tmp_path / "new").exists()
    assert sorted(path.name for path in (tmp_path / "full").iterdir()) == ["note.txt"]


def test_one_server_at_a_time(study: Study, nonocensus: Nonocensus) -> None:
    with held_by_another(Path(study.folder.path)):
        refused = nonocensus("serve", "--port", "0", "--study", study.folder.path)
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert "is being written by" in refused.err


def test_one_that_was_killed_while_it_was_made_is_made_again(
    archive: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            study_of(archive, tmp_path / "study")
    assert files(tmp_path / "study").keys() == {"puzzles.parquet"}
    with pytest.raises(UserError, match="is no study yet"):
        open_study(str(tmp_path / "study"))
    assert len(read_puzzles(study_of(archive, tmp_path / "study", 3))) == 3


def test_a_consent_of_ones_own(archive: Run, tmp_path: Path) -> None:
    text = "\ufeffFirst\nline.\n \n\n  Second.\n"
    (tmp_path / "text").write_text(text)
    with opened(str(tmp_path / "study"), archive, Wanted(3, consent=tmp_path / "text")) as study:
        assert paragraphs(study.about["consent"]) == ["First line.", "Second."]
    with opened(str(tmp_path / "study"), archive, Wanted(3, consent=tmp_path / "text")):
        pass
    assert len(paragraphs(CONSENT)) == 3
    for wrong, said in ((b"a\xff", "byte 1 is not UTF-8"), (b"\x1b[2J", "control"), (b"a" * 20_001, "20,001")):
        (tmp_path / "text").write_bytes(wrong)
        with pytest.raises(UserError, match=said):
            read_consent(tmp_path / "text")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda about: about | {"schema": "1"}, "has tables of version 1"),
        (lambda about: about | {"kind": "nonocensus run"}, "of another kind than a study: nonocensus run"),
        (lambda about: about | {"puzzles": 3}, "study.json is damaged"),
        (lambda about: about | {"puzzles": "0" * 64}, "is not the file that the study was made with"),
    ],
)
def test_a_changed_mark(study: Study, change: Callable[[dict[str, Any]], dict[str, Any]], said: str) -> None:
    path = Path(study.folder.path, "study.json")
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(InputError, match=said):
        read_puzzles(open_study(study.folder.path))


def test_damaged_puzzles(study: Study) -> None:
    path = Path(study.folder.path, "puzzles.parquet")
    whole = path.read_bytes()
    for wrong in (whole[:-9], b"", whole[:100] + b"\xff" * 50 + whole[150:]):
        path.write_bytes(wrong)
        with pytest.raises(InputError, match=r"puzzles\.parquet"):
            read_puzzles(study)


BAR = from_picture([[1, 1, 0], [0, 0, 1]], puzzle_id="test/bar")


def with_column(name: str, value: Any) -> pa.Table:
    table = frozen([BAR])
    return table.set_column(table.schema.get_field_index(name), name, pa.array([value], table.schema.field(name).type))


@pytest.mark.parametrize(
    ("puzzles", "said"),
    [
        (frozen([BAR]).slice(1), "there is no puzzle"),
        (with_column("solution", bytes(6)), "the solution of test/bar does not fit its clues"),
        (with_column("solution", None), "the solution of test/bar does not fit its clues"),
        (with_column("solution", b"\1"), "the solution of test/bar does not fit its clues"),
        (with_column("width", 4), "test/bar has clues that no picture can have"),
        (with_column("rows", None), "test/bar has clues that no picture can have"),
        (with_column("palette", None), "no palette"),
        (with_column("palette", []), "puzzles.parquet can't be read"),
        (with_column("puzzle_id", None), "no id"),
        (frozen([from_picture([[1] * 41], puzzle_id="test/long")]), "test/long is larger than 40x40"),
    ],
)
def test_a_strangers_puzzles(tmp_path: Path, puzzles: pa.Table, said: str) -> None:
    """Files that are as a study wrote them, but for what they hold."""
    place = opening.study_folder(str(tmp_path))
    study = make_study(place, "run", {"by": "ids", "count": 1}, puzzles, "Do you?")
    with pytest.raises(InputError, match=said):
        read_puzzles(study)


def test_moves_of_a_study(study: Study) -> None:
    assert read_moves(study).num_rows == 0
    names = [attempted(study), attempted(study, place=2), attempted(study, place=1)]
    names.append(attempted(study, 2, 3, names[0].participant))
    table = read_moves(study)
    keys = list(zip(table["participant"].to_pylist(), table["number"].to_pylist(), strict=True))
    assert list(dict.fromkeys(keys)) == sorted(name[:2] for name in names)
    puzzles = read_puzzles(study)
    for name in names:
        mask = pa.array([key == name[:2] for key in keys])
        assert rows(table.filter(mask)) == planted(solving(puzzles["solution"][name.place].as_py(), 7))


def test_who_withdraws_is_gone_at_once(study: Study) -> None:
    stays, goes = attempted(study), attempted(study)
    begin_to_leave(study, goes.participant)
    assert set(read_moves(study)["participant"].to_pylist()) == {stays.participant}
    assert (known(study), withdrawing(study)) == ([stays.participant], [goes.participant])
    begin_to_leave(study, goes.participant)
    for _ in range(2):
        erase(study, goes.participant)
        assert not list(Path(study.folder.path).rglob(f"*{goes.participant}*"))
    assert len(known(study)) == 1


def test_no_file_tells_an_hour(study: Study) -> None:
    name = attempted(study)
    for path in (Path(study.moves.path, f"{name}.parquet"), Path(study.people.path, f"{name.participant}.json")):
        assert path.stat().st_mtime % 86_400 == 0
    person = json.loads(Path(study.people.path, f"{name.participant}.json").read_text())
    assert person.keys() == {"day", "consent"}
    assert len(person["day"]) == len("2000-01-01")


def changed(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[Path], None]:
    """A file of moves with other rows."""

    def write(path: Path) -> None:
        table = pq.read_table(path)
        told = table.to_pylist()
        change(told)
        pq.write_table(pa.Table.from_pylist(told, table.schema), path)

    return write


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-10]),
    "empty": lambda path: path.write_bytes(b""),
    "no rows": changed(lambda told: told.clear()),
    "not begun": changed(lambda told: told.pop(0)),
    "not ended": changed(lambda told: told.pop()),
    "a row less": changed(lambda told: told.pop(2)),
    "another person": changed(lambda told: told[1].update(participant="f" * 16)),
    "another puzzle": changed(lambda told: told[1].update(puzzle_id="x")),
    "no cell": changed(lambda told: told[1].update(cell=10_000)),
    "null": changed(lambda told: told[1].update(milliseconds=None)),
    "no kind": changed(lambda told: told[1].update(kind="dreaming")),
    "kind null": changed(lambda told: told[1].update(kind=None)),
    "other colour": changed(lambda told: told[1].update(after=200)),
    "held something else": changed(lambda told: told[1].update(before=0)),
    "times that fall": changed(lambda told: told[1].update(milliseconds=9)),
    "another table": lambda path: pq.write_table(pa.table({"a": [1]}), path),
    "no such puzzle": lambda path: path.rename(path.with_name(path.name.replace("-1-0.", "-1-9."))),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_moves_are_named(study: Study, how: str) -> None:
    name = attempted(study)
    path = Path(study.moves.path, f"{name}.parquet")
    DAMAGE[how](path)
    with pytest.raises(InputError, match=rf"{name.participant}-1-\d\.parquet can't be read: .*; delete it") as raised:
        read_moves(study)
    assert len(str(raised.value).splitlines()) == 1


def test_moves_of_nobody_are_named_and_not_deleted(study: Study) -> None:
    name = attempted(study)
    Path(study.people.path, f"{name.participant}.json").unlink()
    with pytest.raises(InputError, match=f"{name}.parquet is of nobody who has agreed"):
        read_moves(study)
    assert Path(study.moves.path, f"{name}.parquet").exists()


def test_files_that_are_not_ours_are_left_alone(study: Study) -> None:
    attempted(study)
    for file in ("moves/.DS_Store", "moves/notes.parquet", "people/notes.json", "moves/0123456789abcdef-01-0.parquet"):
        Path(study.folder.path, file).write_text("x")
    assert len(set(read_moves(study)["participant"].to_pylist())) == 1
