"""A study over HTTP: the whole way, two tabs at once, kills, a full disk; and the API as it describes itself."""

import hashlib
import json
import resource
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from serving import SECONDS, Server, running
from studies import Did, does, gallery, planted, rows, solving, study_of

from pipeline.run.folder import Run
from pipeline.serve.study.keeper import HOUR
from pipeline.study.folder import Study, open_study, read_puzzles
from pipeline.study.moves import read_moves

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def study(archive: Run, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study_of(archive, tmp_path_factory.mktemp("study") / "study")


@pytest.fixture(scope="module")
def server(study: Study) -> Iterator[Server]:
    with running("--study", study.folder.path) as server:
        yield server


class Person(NamedTuple):
    """Somebody who has agreed, as their browser knows them."""

    server: Server
    secret: str

    @property
    def participant(self) -> str:
        return hashlib.sha256(self.secret.encode()).hexdigest()[:16]

    def ask(self, what: str, **sent: Any) -> httpx.Response:
        return self.server.post(f"/api/study/{what}", json={"secret": self.secret, **sent})

    def next(self) -> dict[str, Any]:
        reply = self.ask("next")
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def send(self, number: int, first: int, done: list[Did]) -> httpx.Response:
        return self.ask("moves", number=number, first=first, acts=done)

    def moves(self, study: Study, number: int) -> list[Any]:
        table = read_moves(study)
        keys = zip(table["participant"].to_pylist(), table["number"].to_pylist(), strict=True)
        return rows(table.filter([key == (self.participant, number) for key in keys]))


def somebody(server: Server) -> Person:
    reply = server.post("/api/study/consent", json={"agreed": True})
    assert reply.status_code == 201
    return Person(server, reply.json()["secret"])


def given_to(study: Study, shown: dict[str, Any]) -> dict[str, Any]:
    """The row of the puzzle that somebody was shown."""
    clues = shown["puzzle"]["rows"], shown["puzzle"]["columns"]
    for row in read_puzzles(study).to_pylist():
        sides = [[[list(block.values()) for block in line] for line in row[side]] for side in ("rows", "columns")]
        if tuple(sides) == clues:
            return dict(row)
    raise AssertionError(shown)


def test_the_whole_way(server: Server, study: Study) -> None:
    about = server.get("/api/study").json()
    assert (about["puzzles"], len(about["consent"])) == (4, 3)
    me = somebody(server)
    seen = []
    for number in (1, 2, 3, 4):
        shown = me.next()
        assert (shown["number"], shown["of"], shown["kept"]) == (number, 4, 0)
        puzzle = given_to(study, shown)
        done = [does(0, "hidden"), does(0, "visible"), *solving(puzzle["solution"])]
        if number == 2:
            done[-1] = does(0, "gave up")
        assert me.send(number, 0, done[:1]).json() == {"kept": 1, "ended": None, "told": None}
        ended = me.send(number, 1, done[1:]).json()
        assert (ended["kept"], ended["ended"]) == (len(done), done[-1]["kind"])
        assert {name: ended["told"][name] for name in ("puzzle_id", "title", "author", "url")} == {
            name: puzzle[name] for name in ("puzzle_id", "title", "author", "url")
        }
        assert me.moves(study, number) == planted(done)
        seen.append(puzzle["puzzle_id"])
    assert len(set(seen)) == 4
    assert me.next() == {"number": None, "of": 4, "done": 4}


def test_nothing_is_told_before_the_end(server: Server, study: Study) -> None:
    me = somebody(server)
    shown = me.ask("next")
    puzzle = given_to(study, shown.json())
    replies = [
        shown,
        me.send(1, 0, solving(puzzle["solution"])[:-1]),
        me.send(1, 0, [does(0, "solved")]),
        me.ask("next"),
        server.get("/api/study"),
    ]
    secrets = [puzzle[name] for name in ("puzzle_id", "title", "author", "url", "clue_hash", "canonical_hash")]
    secrets.append("".join(map(str, puzzle["solution"])))
    for reply in replies:
        assert not [text for text in secrets if text and f'"{text}"' in reply.text]
    assert shown.json()["puzzle"].keys() == {"width", "height", "rows", "columns", "palette"}


REFUSED = [
    ("consent", {"agreed": False}, 422, "nobody takes part who does not agree"),
    ("consent", {}, 422, "Object missing required field `agreed`"),
    ("next", {"secret": "0" * 32}, 404, "there is no such participant: agree first"),
    ("next", {"secret": "x"}, 422, "Expected `str` matching regex '^[0-9a-f]{32}$' - at `$.secret`"),
    ("next", {"secret": "0" * 32, "more": 1}, 422, "Object contains unknown field `more`"),
    ("withdraw", {"secret": "0" * 32}, 404, "there is no such participant: agree first"),
    ("moves", {"number": 1, "first": -1, "acts": []}, 422, "Expected `int` >= 0 - at `$.first`"),
    ("moves", {"number": 1, "first": 0, "acts": [{"at": 0, "kind": "resumed"}]}, 422, "Invalid enum value 'resumed'"),
    ("moves", {"number": 1, "first": 0, "acts": [{"at": 0, "kind": "shown"}]}, 422, "Invalid enum value 'shown'"),
    ("moves", {"number": 1, "first": 0, "acts": [does(0, "set", [0], "!")]}, 422, "matching regex"),
    ("moves", {"number": 1, "first": 0, "acts": [does(-1, "hidden")]}, 422, "Expected `int` >= 0"),
    ("moves", {"number": 1, "first": 0, "acts": [does(10**9, "hidden")]}, 422, "a move is later than now"),
    ("moves", {"number": 1, "first": 0, "acts": [does(0, "solved")]}, 422, "it is not solved: the grid does not fit"),
    ("moves", {"number": 1, "first": 0, "acts": [does(0, "set", [9999], "1")]}, 422, "there is no cell 9999"),
    ("moves", {"number": 1, "first": 1, "acts": []}, 409, "acts from number 0 on are missing"),
    ("moves", {"number": 2, "first": 0, "acts": []}, 409, "there is no attempt 2"),
]


@pytest.mark.parametrize(("path", "sent", "status", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(server: Server, path: str, sent: dict[str, Any], status: int, said: str) -> None:
    me = somebody(server)
    me.next()
    reply = server.post(f"/api/study/{path}", json={**({"secret": me.secret} if path == "moves" else {}), **sent})
    assert (reply.status_code, said in reply.json()["detail"]) == (status, True), reply.text
    assert reply.json().keys() == {"detail", "kept"} if status == 409 else {"detail"}
    assert me.next()["kept"] == 0


@pytest.mark.parametrize("path", ["/api/about", "/api/puzzles", "/api/formats", "/api/jobs/x", "/validate", "/docs"])
def test_there_is_nothing_else(server: Server, path: str) -> None:
    assert server.get(path).status_code == 404
    assert server.post("/api/solve", json={}).status_code == server.post("/api/hint", json={}).status_code == 404
    assert server.get("/").status_code == 200
    assert server.post("/api/study/consent", content="agreed=true").status_code == 415


def test_two_tabs_at_once(server: Server, study: Study) -> None:
    """Both have the same attempt, and the acts of one of them count: never a mixture."""
    me = somebody(server)
    with ThreadPoolExecutor(8) as tabs:
        assert {shown["number"] for shown in tabs.map(lambda _: me.next(), range(16))} == {1}
        at = me.next()["elapsed"]
        sent = [[does(at, "set", [cell], "1"), does(at, "undo", [cell], "?"), does(at, "gave up")] for cell in range(8)]
        replies = list(tabs.map(lambda done: me.send(1, 0, done), sent))
        assert sorted(reply.status_code for reply in replies) == [200, *[409] * 7]
        (won,) = [done for done, reply in zip(sent, replies, strict=True) if reply.status_code == 200]
        assert set(tabs.map(lambda _: me.send(1, 0, won).status_code, range(16))) == {200}
        assert len({shown["number"] for shown in tabs.map(lambda _: me.next(), range(16))} | {2}) == 1
    told = [row[1:] for row in me.moves(study, 1) if row.kind != "resumed"]
    assert told == [row[1:] for row in planted(won)]


def test_many_people_at_once(archive: Run, tmp_path: Path) -> None:
    study = study_of(archive, tmp_path / "study")
    everybody_has_one = threading.Barrier(8, timeout=SECONDS)
    with running("--study", study.folder.path) as server, ThreadPoolExecutor(8) as browsers:

        def takes_part(_: int) -> int:
            me = somebody(server)
            for number in (1, 2):
                given = me.next()
                if number == 1:
                    everybody_has_one.wait()
                done = [*solving(given_to(study, given)["solution"])[:-1], does(0, "gave up")]
                for first, act in enumerate(done):
                    assert me.send(number, first, [act]).json()["kept"] == first + 1
                assert me.moves(study, number) == planted(done)
            return len(done)

        assert len(list(browsers.map(takes_part, range(8)))) == 8
    table = read_moves(study)
    ended = table.filter([kind == "gave up" for kind in table["kind"].to_pylist()]).to_pylist()
    assert Counter(row["number"] for row in ended) == {1: 8, 2: 8}
    first = Counter(row["puzzle_id"] for row in ended if row["number"] == 1)
    assert list(first.values()) == [2, 2, 2, 2], "spread evenly; later nobody gets the same puzzle again"


def test_a_killed_server_loses_nothing_that_it_has_confirmed(archive: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "study")
    with running(archive.folder.path, "--study", place, "--count", "3") as server:
        me = somebody(server)
        puzzle = given_to(open_study(place), me.next())
        done = solving(puzzle["solution"])
        half = len(done) // 2
        assert me.send(1, 0, done[:half]).json()["kept"] == half
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    with running("--study", place) as again:
        me = Person(again, me.secret)
        shown = me.next()
        assert shown["kept"] == half
        assert [cell for cell, value in enumerate(shown["grid"]) if value != "?"] == [
            act["cells"][0] for act in done[:half]
        ]
        assert me.send(1, half - 1, done[half - 1 : half]).json()["kept"] == half
        late = [{**act, "at": shown["elapsed"]} for act in done[half:]]
        assert me.send(1, half, late).json()["ended"] == "solved"
    study = open_study(place)
    assert me.moves(study, 1) == planted([*done[:half], does(shown["elapsed"], "resumed"), *late])
    assert len(list(Path(place, "moves").iterdir())) == 1
    assert not list(Path(place, "open").iterdir())


def test_a_server_that_is_killed_again_and_again(archive: Run, tmp_path: Path) -> None:
    """While acts are on their way to it: each is kept once, confirmed or not."""
    study = study_of(archive, tmp_path / "study")
    secret, done = "", list[Did]()
    confirmed = 0

    def sends(me: Person, enough: threading.Event, wanted: int) -> None:
        nonlocal confirmed
        with suppress(httpx.TransportError):  # killed
            while confirmed < len(done):
                confirmed = me.send(1, confirmed, [done[confirmed]]).json()["kept"]
                if confirmed >= wanted:
                    enough.set()

    for wanted in (5, 9, 14):
        with running("--study", study.folder.path) as server:
            me = Person(server, secret) if secret else somebody(server)
            shown = me.next()
            secret = me.secret
            done = done or [*solving(given_to(study, shown)["solution"])[:-1], does(0, "gave up")]
            assert len(done) > 20
            assert shown["kept"] - confirmed in (0, 1), "at most the act that was on its way"
            confirmed = shown["kept"]
            done[confirmed:] = [{**act, "at": shown["elapsed"]} for act in done[confirmed:]]
            enough = threading.Event()
            sender = threading.Thread(target=sends, args=(me, enough, wanted))
            sender.start()
            assert enough.wait(SECONDS)
            server.process.kill()
            sender.join()
    with running("--study", study.folder.path) as server:
        me = Person(server, secret)
        shown = me.next()
        if shown["number"] == 1:
            first = shown["kept"]
            done[first:] = [{**act, "at": shown["elapsed"]} for act in done[first:]]
            assert me.send(1, first, done[first:]).json()["ended"] == "gave up"
    told = [row[1:] for row in me.moves(study, 1) if row.kind != "resumed"]
    assert told == [row[1:] for row in planted(done)]


def test_an_attempt_that_was_open_over_night_is_left(archive: Run, tmp_path: Path) -> None:
    study = study_of(archive, tmp_path / "study")
    with running("--study", study.folder.path) as server:
        me = somebody(server)
        me.next()
        me.send(1, 0, [does(0, "hidden")])
    (path,) = Path(study.open.path).iterdir()
    first, rest = path.read_text().split("\n", 1)
    path.write_text(json.dumps({"shown": json.loads(first)["shown"] - 2 * HOUR}) + "\n" + rest)
    with running("--study", study.folder.path) as server:
        me = Person(server, me.secret)
        assert me.send(1, 1, [does(0, "visible")]).status_code == 409
        assert me.send(1, 0, [does(0, "hidden")]).json()["ended"] == "left"
        assert me.next()["number"] == 2
    assert me.moves(study, 1) == planted([does(0, "hidden"), does(0, "left")])


def test_who_withdraws(server: Server, study: Study) -> None:
    me = somebody(server)
    me.next()
    me.send(1, 0, [does(0, "gave up")])
    me.next()
    place = Path(study.folder.path)
    assert len(list(place.rglob(f"{me.participant}*"))) == 3
    assert me.ask("withdraw").json() == {"withdrawn": 2}
    assert not list(place.rglob(f"{me.participant}*"))
    assert {me.ask("withdraw").status_code, me.ask("next").status_code, me.send(1, 0, []).status_code} == {404}


def test_a_full_disk(archive: Run, tmp_path: Path) -> None:
    """No file may grow any more: a line is cut in its middle, told as such, and the same can be sent again."""
    study = study_of(archive, tmp_path / "study")
    with running("--study", study.folder.path) as server:
        me = somebody(server)
        puzzle = given_to(study, me.next())
        done = solving(puzzle["solution"])
        me.send(1, 0, done[:1])
        (path,) = Path(study.open.path).iterdir()
        before = path.read_bytes()
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (len(before) + 20, resource.RLIM_INFINITY))
        for sent in (done[1:4], done[1:]):
            refused = me.send(1, 1, sent)
            assert refused.status_code == 503
            assert refused.json() == {"detail": "the server's disk can't be written; nothing is lost, send it again"}
            assert refused.headers["retry-after"]
            assert not list(Path(study.folder.path).rglob("*.parquet.*"))
        assert path.read_bytes()[: len(before)] == before
        assert len(path.read_bytes()) == len(before) + 20, "the line was cut"
        assert me.ask("next").status_code == 503
        assert server.post("/api/study/consent", json={"agreed": True}).status_code in (201, 503)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert me.send(1, 1, done[1:4]).json()["kept"] == 4
        assert me.send(1, 1, done[1:]).json()["ended"] == "solved"
        server.process.send_signal(signal.SIGINT)
        _, said = server.process.communicate()
    assert all(line.startswith("nonocensus serve: ") for line in said.splitlines())
    assert "File too large" in said
    assert me.moves(study, 1) == planted(done)


def test_what_is_said_when_it_is_ready(archive: Run, tmp_path: Path) -> None:
    study = study_of(archive, tmp_path / "study")
    with running("--study", study.folder.path) as server:
        for _ in range(2):
            somebody(server).next()
    with running(archive.folder.path, "--study", study.folder.path) as server:
        assert server.ready.endswith("is ready: 4 puzzles, 2 people, 2 attempts so far; Ctrl-C ends it\n")


def test_the_api_is_as_described(archive: Run, tmp_path: Path) -> None:
    from described import assert_as_described  # here, as in test_fuzz.py

    study = study_of(archive, tmp_path / "study")
    with running("--study", study.folder.path) as server:
        assert_as_described(server.address, 5, 40)
