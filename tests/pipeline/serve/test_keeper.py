"""What a study's server keeps, whatever becomes of it: replies lost, disks full, servers killed at any point."""

import json
import os
import secrets
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies import Did, Moved, acts, does, doings, frozen, planted, rows, solving

from pipeline.errors import InputError, StorageError
from pipeline.serve.study import keeper as keepers
from pipeline.serve.study.keeper import AHEAD, HOUR, Full, Keeper, Otherwise, Unknown
from pipeline.store.folder import Folder
from pipeline.study import people
from pipeline.study.attempt import Impossible
from pipeline.study.folder import Study, make_study, study_folder
from pipeline.study.moves import read_moves
from pipeline.study.people import participant_of
from solver.puzzle import from_picture

PICTURES = {"bar": [[1, 1, 0], [0, 0, 1]], "hook": [[1, 0], [1, 1]], "column": [[1], [1], [0]]}
PUZZLES = [
    from_picture(
        picture, puzzle_id=f"test/{name}", title=f"Title of {name}", author="Author", url=f"https://x.example/{name}"
    )
    for name, picture in PICTURES.items()
]
NOON = 1_700_000_000_000


class Clock:
    """A clock that goes on when it is told."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def new_study(place: Path) -> Study:
    return make_study(study_folder(str(place)), "a run", {"by": "ids", "count": 3}, frozen(PUZZLES), "Do you?")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return new_study(tmp_path / "study")


@pytest.fixture
def keeper(study: Study, clock: Clock) -> Keeper:
    return Keeper(study, clock)


@pytest.fixture
def secret(keeper: Keeper) -> str:
    return str(keeper.agree()["secret"])


def files(study: Study, *folders: str) -> list[str]:
    return sorted(path.name for name in folders for path in Path(study.folder.path, name).glob("*"))


def send(keeper: Keeper, secret: str, number: int, first: int, done: list[Did]) -> dict[str, Any]:
    return keeper.moves(secret, number, first, acts(done))


def solution(keeper: Keeper, secret: str) -> bytes:
    """The solution of the puzzle that somebody has open."""
    return keeper.puzzles[keeper.open[participant_of(secret)].attempt.name.place].solution


def picture(shown: dict[str, Any]) -> list[list[int]]:
    """The picture of a puzzle that was given: no two have the same size."""
    size = shown["puzzle"]["height"], shown["puzzle"]["width"]
    return next(picture for picture in PICTURES.values() if np.shape(picture) == size)


def kept(study: Study, number: int = 1) -> list[Moved]:
    """The rows of the only participant's attempt."""
    table = read_moves(study)
    assert len(set(table["participant"].to_pylist())) <= 1
    return rows(table.filter(np.array(table["number"].to_pylist()) == number))


PAINTED = [does(3, "set", [0], "1"), does(4, "undo", [0], "?"), does(9, "set", [0, 1], "00")]


def test_a_puzzle_from_its_first_sight_to_its_end(keeper: Keeper, secret: str, clock: Clock, study: Study) -> None:
    first = keeper.next(secret)
    assert {name: first[name] for name in ("number", "of", "kept", "elapsed")} == {
        "number": 1, "of": 3, "kept": 0, "elapsed": 0,
    }  # fmt: skip
    assert first["grid"] == "?" * (first["puzzle"]["width"] * first["puzzle"]["height"])
    assert first["puzzle"].keys() == {"width", "height", "rows", "columns", "palette"}
    clock.now += 5000
    assert send(keeper, secret, 1, 0, PAINTED) == {"kept": 3, "ended": None, "told": None}
    assert files(study, "moves") == []
    clock.now += 1000
    again = keeper.next(secret)
    assert (again["kept"], again["elapsed"], again["grid"]) == (3, 6000, "00" + first["grid"][2:])
    found = solution(keeper, secret)
    rest = solving(found, 6500)
    done = send(keeper, secret, 1, 3, rest)
    told = done["told"]
    assert (done["kept"], done["ended"]) == (3 + len(rest), "solved")
    assert told["picture"] == "".join(map(str, found))
    assert (told["title"], told["author"]) == (told["puzzle_id"].replace("test/", "Title of "), "Author")
    assert kept(study) == planted([*PAINTED, does(6000, "resumed"), *rest])
    assert files(study, "open") == []
    assert send(keeper, secret, 1, 3, rest) == done, "the reply was lost"
    assert send(Keeper(study, clock), secret, 1, 0, [*PAINTED, *rest]) == done


def test_nothing_is_left_to_give(keeper: Keeper, secret: str) -> None:
    seen = []
    for number in (1, 2, 3):
        assert keeper.next(secret)["number"] == number
        seen.append(send(keeper, secret, number, 0, [does(0, "gave up")])["told"]["puzzle_id"])
    assert sorted(seen) == sorted(puzzle.puzzle_id for puzzle in PUZZLES)
    assert keeper.next(secret) == {"number": None, "of": 3, "done": 3}


def test_what_was_given_out_least_often_comes_next(keeper: Keeper) -> None:
    for _ in range(7):
        secret = keeper.agree()["secret"]
        for number in (1, 2):
            before = Counter({place: keeper.given[place] for place in range(3)})
            keeper.next(secret)
            place = keeper.open[participant_of(secret)].attempt.name.place
            had = {name.place for name in keeper.ended[participant_of(secret)].values()}
            assert before[place] == min(before[other] for other in range(3) if other not in had)
            send(keeper, secret, number, 0, [does(0, "gave up")])
    assert keeper.attempts == sum(keeper.given.values()) == 14
    assert Keeper(keeper.study, keeper.now).given == keeper.given


def test_acts_again_gaps_and_others(keeper: Keeper, secret: str, study: Study, clock: Clock) -> None:
    keeper.next(secret)
    clock.now += 50
    send(keeper, secret, 1, 0, PAINTED[:2])
    before = Path(study.open.path, files(study, "open")[0]).read_bytes()
    assert send(keeper, secret, 1, 0, PAINTED[:2])["kept"] == 2, "the reply was lost"
    assert send(keeper, secret, 1, 1, PAINTED[1:2])["kept"] == 2
    assert send(keeper, secret, 1, 2, [])["kept"] == 2
    for first, done, why in (
        (3, PAINTED[2:], "acts from number 2 on are missing"),
        (0, [does(3, "set", [1], "1")], "another page has gone on"),
        (1, [does(5, "undo", [0], "?")], "another page has gone on"),
    ):
        with pytest.raises(Otherwise, match=why) as raised:
            send(keeper, secret, 1, first, done)
        assert raised.value.kept == 2
    for number in (2, 7):
        with pytest.raises(Otherwise, match=f"there is no attempt {number}"):
            send(keeper, secret, number, 0, PAINTED)
    assert Path(study.open.path, files(study, "open")[0]).read_bytes() == before
    assert send(keeper, secret, 1, 1, PAINTED[1:])["kept"] == 3, "known ones and new ones"
    send(keeper, secret, 1, 3, [does(9, "gave up")])
    with pytest.raises(Otherwise, match="the attempt has ended: gave up") as raised:
        send(keeper, secret, 1, 4, [does(9, "set", [0], "1")])
    assert raised.value.kept == 4
    assert kept(study) == planted([*PAINTED, does(9, "gave up")])


def test_acts_of_a_page_that_another_has_taken_the_place_of(keeper: Keeper, secret: str, clock: Clock) -> None:
    keeper.next(secret)
    clock.now += 1000
    keeper.next(secret)
    with pytest.raises(Otherwise, match="another page has gone on"):
        send(keeper, secret, 1, 0, [does(999, "hidden")])
    assert send(keeper, secret, 1, 0, [does(1000, "hidden")])["kept"] == 1


@pytest.mark.parametrize(
    ("done", "why"),
    [
        ([does(AHEAD + 51, "hidden")], "a move is later than now"),
        ([does(40, "hidden"), does(39, "visible")], "visible at 39 ms comes before hidden at 40 ms"),
        ([does(1, "hidden"), does(2, "solved")], "it is not solved"),
        ([does(1, "hidden"), does(2, "gave up"), does(2, "hidden")], "nothing comes after gave up"),
    ],
)
def test_acts_that_cannot_be_change_nothing(
    keeper: Keeper, secret: str, clock: Clock, study: Study, done: list[Did], why: str
) -> None:
    keeper.next(secret)
    clock.now += 50
    before = Path(study.open.path, files(study, "open")[0]).read_bytes(), dict(keeper.open)
    with pytest.raises(Impossible, match=why):
        send(keeper, secret, 1, 0, done)
    assert (Path(study.open.path, files(study, "open")[0]).read_bytes(), keeper.open) == before
    assert send(keeper, secret, 1, 0, [does(AHEAD + 50, "hidden")])["kept"] == 1


def test_a_client_that_runs_ahead_can_go_on(keeper: Keeper, secret: str, study: Study, clock: Clock) -> None:
    keeper.next(secret)
    send(keeper, secret, 1, 0, [does(AHEAD, "hidden")])
    assert keeper.next(secret)["elapsed"] == AHEAD
    assert Keeper(study, clock).next(secret)["elapsed"] == AHEAD
    send(Keeper(study, clock), secret, 1, 1, [does(AHEAD, "gave up")])
    assert [row.milliseconds for row in kept(study)] == [0, *[AHEAD] * 4]


@pytest.mark.parametrize("restarted", [False, True])
def test_an_attempt_is_left_after_an_hour_without_a_message(
    keeper: Keeper, secret: str, clock: Clock, study: Study, restarted: bool
) -> None:
    keeper.next(secret)
    clock.now += HOUR
    send(keeper, secret, 1, 0, [does(7, "hidden")])
    clock.now += HOUR
    if restarted:
        keeper = Keeper(study, clock)
    assert send(keeper, secret, 1, 0, [does(7, "hidden")])["ended"] is None, "an hour, and no more"
    clock.now += HOUR + 1
    if restarted:
        keeper = Keeper(study, clock)
    else:
        keeper.next(keeper.agree()["secret"])  # anybody's request
    assert [name for name in files(study, "moves") if name.startswith(participant_of(secret))]
    with pytest.raises(Otherwise, match="the attempt has ended: left"):
        send(keeper, secret, 1, 1, [does(8, "visible")])
    assert send(keeper, secret, 1, 0, [does(7, "hidden")])["ended"] == "left"
    assert kept(study) == planted([does(7, "hidden"), does(7, "left")])
    assert keeper.next(secret)["number"] == 2


def test_a_clock_that_was_set_back(keeper: Keeper, secret: str, clock: Clock, study: Study) -> None:
    keeper.next(secret)
    clock.now += 60_000
    send(keeper, secret, 1, 0, [does(59_000, "hidden")])
    clock.now -= 24 * HOUR
    again = Keeper(study, clock)
    assert again.next(secret)["elapsed"] == 60_000
    clock.now += 500
    send(again, secret, 1, 1, [does(60_400, "gave up")])
    assert [row.milliseconds for row in kept(study)] == [0, 59_000, 60_000, 60_400]


def test_two_open_it_again_and_again(
    keeper: Keeper, secret: str, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepers, "MOST_ACTS", 5)
    for _ in range(20):
        keeper.next(secret)
    send(keeper, secret, 1, 0, [does(0, "gave up")])
    assert [row.kind for row in kept(study)] == ["shown", *["resumed"] * 4, "gave up"], "and no further"


def test_people_are_bounded(keeper: Keeper, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keepers, "MOST_PEOPLE", 1)
    with pytest.raises(Full):
        keeper.agree()
    keeper.withdraw(secret)
    keeper.agree()


def test_who_has_not_agreed_is_not_known(keeper: Keeper, secret: str) -> None:
    for stranger in ("0" * 32, participant_of(secret), secret.upper() if secret.upper() != secret else "x"):
        for ask in (keeper.next, keeper.withdraw, lambda who: send(keeper, who, 1, 0, [])):
            with pytest.raises(Unknown):
                ask(stranger)


def test_who_withdraws_is_gone_for_good(keeper: Keeper, secret: str, study: Study, clock: Clock) -> None:
    stays = keeper.agree()["secret"]
    for who in (secret, stays):
        keeper.next(who)
        send(keeper, who, 1, 0, [does(0, "gave up")])
        keeper.next(who)
    assert keeper.withdraw(secret) == {"withdrawn": 2}
    assert not list(Path(study.folder.path).rglob(f"{participant_of(secret)}*"))
    assert keeper.attempts == 2
    for again in (keeper, Keeper(study, clock)):
        for ask in (again.next, again.withdraw, lambda who: send(again, who, 1, 0, [])):  # noqa: B023
            with pytest.raises(Unknown):
                ask(secret)
        assert again.next(stays)["number"] == 2
    assert len(read_moves(study)) == 2


def refusing(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


REST = [{**act, "at": 50} for act in PAINTED[1:]]

DISK: dict[str, Callable[[Keeper, str], Any]] = {
    "agree": lambda keeper, _: keeper.agree(),
    "next": lambda keeper, secret: keeper.next(secret),
    "moves": lambda keeper, secret: send(keeper, secret, 1, 1, REST),
    "end": lambda keeper, secret: send(keeper, secret, 1, 1, [does(3, "gave up")]),
    "withdraw": lambda keeper, secret: keeper.withdraw(secret),
}

BREAKS = [(os, "fsync"), (Path, "rename"), (Path, "unlink"), (Path, "open"), (Path, "replace")]


@pytest.mark.parametrize("broken", BREAKS, ids=[name for _, name in BREAKS])
@pytest.mark.parametrize("asked", DISK)
@pytest.mark.parametrize("killed", [False, True])
def test_whatever_the_disk_refuses_can_be_sent_again(
    keeper: Keeper, secret: str, study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch,
    broken: tuple[Any, str], asked: str, killed: bool,
) -> None:  # fmt: skip
    """And it comes to the same as if the disk had not been full, also in a server that is started again."""
    keeper.next(secret)
    clock.now += 50
    send(keeper, secret, 1, 0, PAINTED[:1])
    refused = False
    with monkeypatch.context() as patch:
        patch.setattr(*broken, refusing)
        try:
            DISK[asked](keeper, secret)
        except (OSError, StorageError):
            refused = True
    assert refused or broken != BREAKS[0], "all is on the disk before it is confirmed"
    if killed:
        keeper = Keeper(study, clock)
    if asked == "withdraw":
        if participant_of(secret) in keeper.people | keeper.leaving:
            keeper.withdraw(secret)
        assert not list(Path(study.folder.path).rglob(f"{participant_of(secret)}*"))
        return
    if refused:
        DISK[asked](keeper, secret)
    if asked == "end":
        assert kept(study) == planted([PAINTED[0], does(3, "gave up")])
    else:
        send(keeper, secret, 1, 1, [*REST, does(50, "gave up")])
        told = [row[1:] for row in kept(study) if row.kind != "resumed"]
        assert told == [row[1:] for row in planted([PAINTED[0], *REST, does(50, "gave up")])]
    assert files(study, "open") == []
    assert not [name for name in files(study, "moves", "people") if name.endswith(".tmp")]


def test_an_end_is_neither_lost_nor_doubled_by_a_kill(
    keeper: Keeper, secret: str, study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the file of moves and the deletion of the journal."""
    keeper.next(secret)
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "delete", refusing)
        reply = send(keeper, secret, 1, 0, [does(0, "gave up")])
    assert len(files(study, "open")) == len(files(study, "moves")) == 1
    again = Keeper(study, clock)
    assert (len(files(study, "open")), again.attempts) == (0, 1)
    assert send(again, secret, 1, 0, [does(0, "gave up")]) == reply
    assert again.next(secret)["number"] == 2
    assert kept(study) == planted([does(0, "gave up")])


def test_a_withdrawal_that_was_killed_is_gone_on_with(
    keeper: Keeper, secret: str, study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.next(secret)
    with monkeypatch.context() as patch:
        patch.setattr(people, "erase", refusing)
        with pytest.raises(OSError, match="No space"):
            keeper.withdraw(secret)
        with pytest.raises(Unknown):
            keeper.next(secret)
    assert len(files(study, "open")) == 1
    Keeper(study, clock)
    assert files(study, "open", "people") == []


def journal_of(study: Study) -> Path:
    (path,) = Path(study.open.path).glob("*")
    return path


def test_a_journal_that_was_cut_anywhere_has_all_that_was_confirmed(
    keeper: Keeper, secret: str, study: Study, clock: Clock
) -> None:
    keeper.next(secret)
    clock.now += 50
    sizes = [journal_of(study).stat().st_size]
    for number, act in enumerate(PAINTED):
        send(keeper, secret, 1, number, [act])
        sizes.append(journal_of(study).stat().st_size)
    whole, path = journal_of(study).read_bytes(), journal_of(study)
    assert len(whole) == sizes[-1]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        again = Keeper(study, clock)
        confirmed = sum(size <= cut for size in sizes) - 1
        if confirmed < 0:
            assert again.attempts == 0, "its puzzle was never shown"
            continue
        first = again.next(secret)["kept"]
        assert first == confirmed
        clock.now += 1
        late = [{**act, "at": clock.now - NOON} for act in PAINTED[first:]]
        assert send(again, secret, 1, first, late)["kept"] == 3
        clock.now = NOON + 50


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [b"{}", *lines[1:]], "missing required field `shown`"),
        (lambda lines: [lines[0], b"nonsense", *lines[1:]], "JSON is malformed"),
        (lambda lines: [lines[0], b"\xff", *lines[1:]], "invalid character"),
        (lambda lines: [lines[0], b"", *lines[1:]], "truncated"),
        (lambda lines: [*lines, lines[1]], "comes before"),
        (
            lambda lines: [lines[0], lines[1].replace(b'"cells":[0]', b'"cells":[99]'), *lines[2:]],
            "there is no cell 99",
        ),
        (lambda lines: [*lines, b'{"heard":50,"acts":[{"at":50,"kind":"gave up"}]}'], "it has ended"),
    ],
)
def test_damaged_journals_are_named(
    keeper: Keeper, secret: str, study: Study, clock: Clock, change: Callable[[list[bytes]], list[bytes]], said: str
) -> None:
    keeper.next(secret)
    clock.now += 50
    send(keeper, secret, 1, 0, PAINTED[:2])
    send(keeper, secret, 1, 2, PAINTED[2:])
    path = journal_of(study)
    path.write_bytes(b"\n".join(change(path.read_bytes().splitlines())) + b"\n")
    with pytest.raises(InputError, match=rf"{path.name} can't be read: .*{said}.*; delete it, and this") as raised:
        Keeper(study, clock)
    assert len(str(raised.value).splitlines()) == 1
    assert path.exists()


@pytest.mark.parametrize(
    ("folder", "name", "said"),
    [
        ("open", "ffffffffffffffff-1-0.jsonl", "is of nobody who has agreed"),
        ("moves", "ffffffffffffffff-1-0.parquet", "is of nobody who has agreed"),
        ("open", "WHO-2-9.jsonl", "is of puzzle 9, which the study does not have"),
        ("moves", "WHO-2-9.parquet", "is of puzzle 9, which the study does not have"),
        ("open", "WHO-2-2.jsonl", "is a second open attempt of one person"),
        ("moves", "WHO-1-0.parquet", "has the number of another attempt"),
    ],
)
def test_strange_files_are_named(
    keeper: Keeper, secret: str, study: Study, clock: Clock, folder: str, name: str, said: str
) -> None:
    keeper.next(secret)
    send(keeper, secret, 1, 0, [does(0, "gave up")])
    keeper.next(secret)
    send(keeper, secret, 2, 0, [does(0, "gave up")]) if "second" not in said and folder == "open" else None
    name = name.replace("WHO", participant_of(secret)).replace("-2-9", "-3-9").replace("-2-2", "-9-2")
    path = Path(study.folder.path, folder, name)
    if path.exists():
        path = path.with_name(name.replace("-1-0", "-1-1"))
    path.write_bytes(json.dumps({"shown": NOON}).encode() + b"\n")
    with pytest.raises(InputError, match=said):
        Keeper(study, clock)


@st.composite
def batches(draw: st.DrawFn, count: int) -> list[tuple[int, int]]:
    """In which pieces acts are sent: (first, end) each, in order, with pieces sent again and no gaps."""
    sent, pieces = 0, list[tuple[int, int]]()
    while sent < count:
        first = draw(st.integers(0, sent))
        end = count - draw(st.integers(0, count - sent))
        pieces.append((first, end))
        sent = max(sent, end)
    return pieces


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_exactly_what_was_done_is_kept(data: st.DataObject) -> None:
    """Random acts in random pieces, some again, pages opened again, replies lost, servers killed."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "choice", max)  # what is drawn next depends on the puzzle
        clock = Clock()
        keeper = Keeper(new_study(Path(place, "study")), clock)
        secret = keeper.agree()["secret"]
        for number in (1, 2):
            shown = keeper.next(secret)
            cells = shown["puzzle"]["width"] * shown["puzzle"]["height"]
            done = [*data.draw(doings(cells, 1)), does(9000, "gave up")]
            clock.now += 9000
            happened: list[Did] = []
            known = 0
            for first, end in data.draw(batches(len(done))):
                reply = send(keeper, secret, number, first, done[first:end])
                happened += done[known:end]
                known = max(known, end)
                assert reply["kept"] == known
                if data.draw(st.booleans()):
                    keeper = Keeper(keeper.study, clock)
                if reply["ended"] is None and data.draw(st.integers(0, 5)) == 0:
                    clock.now += 1
                    at = keeper.next(secret)["elapsed"]
                    happened.append(does(at, "resumed"))
                    done[known:] = [{**act, "at": max(act["at"], at)} for act in done[known:]]
            assert kept(keeper.study, number) == planted(happened)
