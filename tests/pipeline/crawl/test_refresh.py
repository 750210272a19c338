"""What a refresh changes: rows follow the newest reply, and what may be published follows its rights."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import faulty_twin
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from misbehaving import Site, answer
from runs import run_serially
from stores import Nonocensus, Refused

from nonocensus.pipeline.crawl import table as crawled_table
from nonocensus.pipeline.crawl.ledger import Ledger, open_ledger
from nonocensus.pipeline.crawl.loop import OpenCrawl, catch_up, crawl
from nonocensus.pipeline.crawl.table import CrawlReport
from nonocensus.pipeline.crawl.table import reparse as reparse_replies
from nonocensus.pipeline.findings.dataset_folder import write_dataset
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import LEDGER, open_store, rewrite
from nonocensus.reports.dataset.dataset_columns import Content
from nonocensus.scrapers import webpbn
from nonocensus.scrapers.formats import jsonl, non, nonograms_org, webpbn_xml
from nonocensus.scrapers.http import PoliteSession, Reply, Request
from nonocensus.scrapers.twin import build_archive
from nonocensus.solver.model.puzzle import Puzzle, from_picture

FREE = "CC-BY-4.0"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
Crawl = Callable[..., dict[str, Any]]


def drawn(number: int, **texts: Any) -> Puzzle:
    """Return a puzzle with one solution, of its own size, that may be passed on."""
    picture = np.ones((3, 2 + number), np.uint8)
    picture[1, 1] = 0
    about = {"title": f"No. {number}", "author": "Ann", "copyright": "(c) Ann", "license": FREE}
    return from_picture(picture, source="webpbn", source_id=str(number), **{**about, **texts})


@pytest.fixture
def crawled(nonocensus: Nonocensus) -> Crawl:
    """Crawl numbers 1 to 4 of a twin with these puzzles into `store`; return what --json prints."""

    def run(puzzles: list[Puzzle], *options: str, unpublished: tuple[int, ...] = ()) -> dict[str, Any]:
        with faulty_twin.serve(build_archive(puzzles), pages=faulty_twin.unpublished(*unpublished)) as address:
            result = nonocensus(
                *("crawl", "webpbn", "--base-url", address, "--rate", "0", "--out", "store", "--ids", "1-4"),
                *("--json", *options),
            )
        assert result.code == 0, result.err
        return dict(json.loads(result.out))

    return run


def rows() -> dict[str, dict[str, Any]]:
    return {row["puzzle_id"]: row for batch in open_store("store").batches() for row in batch.to_pylist()}


def aged(batch: pa.RecordBatch) -> pa.RecordBatch:
    field = batch.schema.field("fetched_at")
    times = pa.array([LONG_AGO] * len(batch), field.type)
    return batch.set_column(batch.schema.get_field_index(field.name), field, times)


def timeless(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows without their times: of equal replies a new table has the newest's, an old one the first's."""
    return {name: row | {"fetched_at": None} for name, row in found.items()}


def rights() -> dict[str, tuple[str | None, str | None]]:
    return {name: (row["copyright"], row["license"]) for name, row in rows().items()}


def reparse(nonocensus: Nonocensus) -> dict[str, Any]:
    return dict(json.loads(nonocensus("crawl", "webpbn", "--reparse", "--out", "store", "--json").out))


def published(run: Run, nonocensus: Nonocensus) -> set[str]:
    """Return the puzzles whose clues are in a dataset for the public; those of a pack are the same."""
    write_dataset(run, "dataset", Content.licensed)
    table = pa.concat_tables(pq.read_table(path) for path in sorted(Path("dataset/data").iterdir()))
    listed = {row["puzzle_id"] for row in table.to_pylist() if row["rows"] is not None}
    nonocensus("pack", "run", "--out", "pack", "--count", "9")
    assert {row["id"] for row in json.loads(Path("pack/pack.json").read_text())["puzzles"]} == listed
    return listed


def test_rows_follow_the_newest_reply(nonocensus: Nonocensus, crawled: Crawl) -> None:
    """Old texts stay in the ledger; rows whose reply is the same keep their time."""
    assert crawled([drawn(k, description="old") for k in range(1, 5)])["added"] == 4
    before = rows()
    new = [drawn(1, title="New", author="Ben", copyright="(c) Ben", description=None), *map(drawn, (2, 3))]
    new.append(drawn(4, description="old"))
    done = crawled(new, "--refresh")
    assert (done["outcomes"], done["added"], done["updated"]) == ({"ok": 4}, 0, 3)
    after = rows()
    row = after["webpbn/1"]
    assert (row["title"], row["author"], row["copyright"], row["description"]) == ("New", "Ben", "(c) Ben", None)
    assert row["raw_sha256"] != before["webpbn/1"]["raw_sha256"]
    assert after["webpbn/4"] == before["webpbn/4"]
    rewrite(open_store("store"), aged)
    after = {name: row | {"fetched_at": LONG_AGO} for name, row in after.items()}
    same = crawled(new, "--refresh")
    assert (same["outcomes"], same["updated"], same["rewritten"], rows()) == ({"ok": 4}, 0, 0, after)
    again = reparse(nonocensus)
    assert (again["updated"], again["rewritten"], again["gone"], rows()) == (0, 0, 0, after)
    rewrite(open_store("store"), lambda batch: batch.slice(len(batch)))
    assert (reparse(nonocensus)["added"], timeless(rows())) == (4, timeless(after))
    with closing(sqlite3.connect(f"store/{LEDGER}")) as database:
        assert database.execute("select count(distinct sha256) from replies where number = 1").fetchone() == (2,)


WITHDRAWN: dict[str, tuple[Puzzle | None, tuple[str | None, str | None]]] = {
    "no licence": (drawn(1, license=None), ("(c) Ann", None)),
    "another notice": (drawn(1, license=None, copyright="No redistribution"), ("No redistribution", None)),
    "a stricter licence": (drawn(1, license="CC-BY-NC-4.0"), ("(c) Ann", "CC-BY-NC-4.0")),
    "other clues": (replace(drawn(7, license=None), source_id="1"), ("(c) Ann", None)),
    "not published": (None, ("(c) Ann", None)),
}
"""What the site has of number 1 after a refresh, and the rights that follow."""


@pytest.mark.parametrize("way", WITHDRAWN)
def test_withdrawn_licence_is_not_published_again(
    nonocensus: Nonocensus, crawled: Crawl, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the site states it again; a reparse, whenever it is interrupted, finds the same."""
    puzzle, stated = WITHDRAWN[way]
    others = [drawn(2), drawn(3, license=None)]
    old, new = [drawn(1), *others], [*([puzzle] if puzzle else []), *others]
    crawled(old)
    run = run_serially(open_store("store"), Path("run"))
    assert published(run, nonocensus) == {"webpbn/1", "webpbn/2"}
    unpublished = () if puzzle else (1,)
    crawled(new, "--refresh", unpublished=unpublished)
    assert {terms for name, terms in rights().items() if name.startswith("webpbn/1")} == {stated}
    assert published(run, nonocensus) == {"webpbn/2"}
    crawled(old, "--refresh")
    assert rights()["webpbn/1"] == ("(c) Ann", FREE)
    assert published(run, nonocensus) == {"webpbn/1", "webpbn/2"}
    crawled(new, "--refresh", unpublished=unpublished)
    after = rows()
    assert published(run, nonocensus) == {"webpbn/2"}
    assert (reparse(nonocensus)["rewritten"], rows()) == (0, after)
    rewrite(open_store("store"), lambda batch: batch.slice(len(batch)))
    for moment in ("append", "puzzle_batch"):
        with monkeypatch.context() as cut:
            cut.setattr(crawled_table, moment, interrupting)
            assert nonocensus("crawl", "webpbn", "--reparse", "--out", "store").code == 130
    crawled(new, unpublished=unpublished)
    assert timeless(rows()) == timeless(after)


@pytest.mark.parametrize("puzzle", [None, drawn(1, license=None), drawn(1, license="CC-BY-NC-4.0")])
def test_licence_is_withdrawn_before_the_next_request(
    crawled: Crawl, puzzle: Puzzle | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refresh may take a day, and may be killed."""
    crawled([drawn(1), drawn(2)])
    fetch, seen = PoliteSession.fetch, []

    def watched(self: PoliteSession, request: Request, known: Any = None) -> Reply:
        seen.append(rights()["webpbn/1"][1])
        return fetch(self, request, known)

    monkeypatch.setattr(PoliteSession, "fetch", watched)
    crawled([*([puzzle] if puzzle else []), drawn(2)], "--refresh", "--limit", "2", unpublished=() if puzzle else (1,))
    assert seen == [FREE, puzzle.license if puzzle else None]


class State(NamedTuple):
    """What the site has of a number: a puzzle, no puzzle, or an error."""

    answer: Literal["puzzle", "gone", "broken"]
    clues: int = 1
    title: str = ""
    license: str | None = None


STATES = st.builds(
    State,
    st.sampled_from(["puzzle", "puzzle", "puzzle", "gone", "broken"]),
    *(st.sampled_from([1, 2, 3]), st.sampled_from(["a", "b"]), st.sampled_from([None, FREE])),
)
ROUNDS = st.lists(
    st.tuples(st.tuples(STATES, STATES), st.sampled_from(["", "rewrite", "append", "set_tabled"])),
    min_size=1,
    max_size=6,
)


class ScriptedSession:
    """A session that sends what the site has of each number, and keeps what it has sent."""

    def __init__(self, states: Sequence[State], sent: Mapping[int, list[State]]) -> None:
        self.states, self.sent = states, sent

    def fetch(self, request: Request, known: object = None) -> Reply:  # noqa: ARG002
        number = int((request.form or {})["id"])
        state = self.states[number - 1]
        self.sent[number].append(state)
        puzzle = replace(drawn(state.clues, title=state.title, license=state.license), source_id=str(number))
        body = {
            "puzzle": webpbn_xml.write(puzzle),
            "gone": f"Puzzle {number} does not exist\n".encode(),
            "broken": b"please log in",
        }[state.answer]
        return Reply(request.url, 200, {}, body, datetime.now(UTC), 0.0)


def expected_rows(sent: Mapping[int, list[State]]) -> dict[str, tuple[str, str | None]]:
    """Return title and licence by id, as the definition has them: versions one by one, then the newest rights."""
    found: dict[str, tuple[str, str | None]] = {}
    for number, states in sent.items():
        versions: dict[int, str] = {}
        license_ = None
        for state in states:
            if state.answer == "puzzle":
                versions[state.clues] = state.title
            if state.answer != "broken":
                license_ = state.license if state.answer == "puzzle" else None
        for version, title in enumerate(versions.values(), 1):
            found[f"webpbn/{number}" + (f"@{version}" if version > 1 else "")] = title, license_
    return found


@settings(max_examples=8)
@given(ROUNDS)
def test_table_follows_from_the_replies(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[tuple[tuple[State, State], str]]
) -> None:
    """After any refreshes, each killed at some moment; of a reparse of the table, and of a new one."""
    place = tmp_path_factory.mktemp("crawl") / "store"
    store = crawled_table.crawl_store(place)

    def found() -> dict[str, tuple[str, str | None]]:
        every = (row for batch in store.batches() for row in batch.to_pylist())
        return {row["puzzle_id"]: (row["title"], row["license"]) for row in every}

    sent: dict[int, list[State]] = {1: [], 2: []}
    for states, killed in rounds:
        with open_ledger(place) as ledger, pytest.MonkeyPatch.context() as cut:
            catch_up(store, ledger)
            if killed:
                cut.setattr(Ledger if killed == "set_tabled" else crawled_table, killed, interrupting)
            opened = OpenCrawl(store, ledger, ScriptedSession(states, sent), CrawlReport())  # type: ignore[arg-type]
            with suppress(KeyboardInterrupt):
                crawl(opened, webpbn.site(), [(1, 3)], None, True, lambda _: None)
    with open_ledger(place) as ledger:
        catch_up(store, ledger)
        assert found() == expected_rows(sent)
        assert reparse_replies(store, ledger, lambda _: None).rewritten == 0
        rewrite(store, lambda batch: batch.slice(len(batch)))
        reparse_replies(store, ledger, lambda _: None)
        assert found() == expected_rows(sent)


def interrupting(*_: Any) -> Any:
    raise KeyboardInterrupt


def test_an_error_withdraws_nothing(nonocensus: Nonocensus, crawled: Crawl) -> None:
    site = Site()
    crawled([drawn(1)])
    site.answers["/export.cgi"] = [answer(200, b"please log in")]
    options = ("--base-url", site.url, "--rate", "0", "--ids", "1", "--out", "store", "--refresh")
    assert nonocensus("crawl", "webpbn", *options).code == 1
    assert rights() == {"webpbn/1": ("(c) Ann", FREE)}
    crawled([], "--refresh", unpublished=(1,))
    assert nonocensus("crawl", "webpbn", *options).code == 1
    site.close()
    for _ in range(2):
        assert rights() == {"webpbn/1": ("(c) Ann", None)}
        assert reparse(nonocensus)["outcomes"] == {"missing": 3, "error": 1}


def test_table_written_before_a_withdrawal_catches_up(crawled: Crawl) -> None:
    """As one of a crawl that was killed, or of an older version."""
    crawled([drawn(1)])
    stale = rows()
    crawled([], "--refresh", unpublished=(1,))

    def revert(batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([stale[name] for name in batch["puzzle_id"].to_pylist()], batch.schema)

    rewrite(open_store("store"), revert)
    assert rights() == {"webpbn/1": ("(c) Ann", FREE)}
    crawled([], unpublished=(1,))
    assert rights() == {"webpbn/1": ("(c) Ann", None)}


def test_imported_rows_keep_what_their_files_say(nonocensus: Nonocensus, crawled: Crawl) -> None:
    """Of numbers that the site has, does not publish or misses."""
    for number in (1, 2):
        Path(f"{number}.non").write_bytes(non.write(drawn(number)))
    assert nonocensus("import", "1.non", "2.non", "--out", "store").code == 0
    before = rows()
    assert list(before) == ["webpbn/1", "webpbn/2"]
    for puzzles, unpublished in (([drawn(1, title="New", license=None)], ()), ([], (1,))):
        assert crawled(puzzles, "--refresh", unpublished=unpublished)["added"] == 0
        assert rows() == before
        reparse(nonocensus)
        assert rows() == before


def test_rows_are_updated_without_their_ledger(nonocensus: Nonocensus, crawled: Crawl) -> None:
    """A damaged ledger is moved away, and everything is requested again."""
    crawled([drawn(1)])
    Path("store", LEDGER).unlink()
    crawled([drawn(1, title="New", license=None)])
    assert (rows()["webpbn/1"]["title"], rights()) == ("New", {"webpbn/1": ("(c) Ann", None)})
    assert reparse(nonocensus)["rewritten"] == 0


def test_only_the_url_of_the_newest_puzzle_is_conditional(nonocensus: Nonocensus) -> None:
    """A 304 from elsewhere, or after the puzzle was gone, says nothing."""
    puzzle = replace(drawn(2), source="nonograms")
    page = answer(200, nonograms_org.write_page(puzzle, 2, "https://www.nonograms.org"), ETag='"1"')
    site = Site()
    site.answers |= {"/nonograms/i/2": [answer(404)], "/nonograms2/i/2": [page]}
    options = ("--base-url", site.url, "--rate", "0", "--ids", "2", "--out", "store", "--refresh", "--json")

    def outcomes() -> dict[str, int]:
        site.asked.clear()
        return dict(json.loads(nonocensus("crawl", "nonograms", *options).out)["outcomes"])

    def conditional() -> list[str]:
        return [asked.path for asked in site.asked if "if-none-match" in asked.headers]

    assert outcomes() == {"ok": 1}
    site.answers["/nonograms2/i/2"] = [answer(200, b"please log in")]
    assert outcomes() == {"error": 1}, "not missing, as the page for the other kind is"
    site.answers["/nonograms2/i/2"] = [answer(304)]
    assert (outcomes(), conditional()) == ({"unchanged": 1}, ["/nonograms2/i/2"])
    site.answers |= {"/nonograms2/i/2": [answer(302, Location="/moved")], "/moved": [answer(304)]}
    assert outcomes() == {"error": 1}
    site.answers["/nonograms2/i/2"] = [answer(404, ETag='"2"')]
    assert outcomes() == {"missing": 1}
    site.answers["/nonograms2/i/2"] = [page]
    assert (outcomes(), conditional()) == ({"ok": 1}, [])
    site.close()


def test_files_update_a_copy_of_a_crawled_store(nonocensus: Nonocensus, refused: Refused, crawled: Crawl) -> None:
    """A crawled row must keep following its replies: an imported one would keep a licence that the site withdraws."""
    crawled([drawn(k) for k in (1, 2)])
    before = rows()
    Path("new.jsonl").write_bytes(jsonl.write(replace(drawn(3), puzzle_id="webpbn/1", source_id="1")))
    advice = refused("import", "new.jsonl", "--out", "store", "--update").partition("; ")[2]
    assert rows() == before
    assert advice.startswith("nonocensus convert store ALL.jsonl writes its puzzles to import into a new store")
    assert (
        nonocensus("convert", "store", "ALL.jsonl").code == nonocensus("import", "ALL.jsonl", "--out", "new").code == 0
    )
    done = nonocensus("import", "new.jsonl", "--out", "new", "--update")
    assert (done.code, done.out.splitlines()[0]) == (0, "1 puzzle updated in new: 2 in all.")
