"""Crawls of the local twin: complete, interrupted, killed, with faulty replies, repeated, and with invalid options."""

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from faulty_twin import ADULT, DELETED, Faults, serve, unpublished

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.commands.twin import twin
from nonocensus.pipeline.crawl import table as crawled_table
from nonocensus.pipeline.crawl.ledger import Ledger, open_ledger
from nonocensus.pipeline.crawl.site_crawl import host_locks
from nonocensus.pipeline.crawl.table import crawl_store
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store import parts
from nonocensus.pipeline.store.parts import LEDGER, open_store, rewrite
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.formats import non, webpbn_xml
from nonocensus.scrapers.http import PoliteSession
from nonocensus.scrapers.twin import build_archive
from nonocensus.solver.model.puzzle import BLACK, WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

Run = Callable[..., Any]
PALETTE = (WHITE, BLACK, Color("red", "r", "ff0000"))
REPARSE = ("crawl", "webpbn", "--reparse", "--out", "store")


@pytest.fixture
def crawl(nonocensus: Run) -> Run:
    """Crawl a twin at an address into the folder `store`."""

    def run(address: str, *options: str, site: str = "webpbn") -> Any:
        return nonocensus("crawl", site, "--base-url", address, "--rate", "0", "--out", "store", *options)

    return run


def puzzles(count: int, seed: int = 1) -> list[Puzzle]:
    """Random puzzles, every third in colour."""
    rng = np.random.default_rng(seed)
    return [
        from_picture(
            rng.integers(0, 2 + (k % 3 == 0), (6, 5)).astype(np.uint8), PALETTE, title=f"No. {k}", author="Zoë’s twin"
        )
        for k in range(1, count + 1)
    ]


def rows(store: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a store by id, asserting that ids are unique."""
    found = [row for batch in open_store(str(store)).batches() for row in batch.to_pylist()]
    by_id = {row["puzzle_id"]: row for row in found}
    assert len(by_id) == len(found)
    return by_id


def outcomes(store: Path) -> dict[str, dict[str, int]]:
    with open_ledger(store, read_only=True) as ledger:
        return ledger.outcomes()


def same_puzzle(row: dict[str, Any], puzzle: Puzzle) -> bool:
    served = puzzle_batch([puzzle]).to_pylist()[0]
    return all(row[name] == served[name] for name in ("clue_hash", "goal", "title", "author", "width", "height"))


def test_webpbn_crawl_fills_the_store(nonocensus: Run, crawl: Run, tmp_path: Path) -> None:
    every = puzzles(30)
    counts = Counter[str]()
    with serve(build_archive(every), counts=counts, pages=unpublished(31)) as address:
        first = crawl(address, "--ids", "1-35", "--json")
        assert first.code == 0
        assert json.loads(first.out)["outcomes"] == {"ok": 30, "unpublished": 1, "missing": 4}
        requests = sum(counts.values())
        again = crawl(address, "--ids", "1-20")
        assert "20 were known" in again.out
        assert sum(counts.values()) == requests, "nothing is requested again"
        assert crawl(address, "--ids", "all").code == 0
    table = rows(tmp_path / "store")
    assert list(table) == [f"webpbn/{number}" for number in range(1, 31)]
    assert all(same_puzzle(table[f"webpbn/{number}"], puzzle) for number, puzzle in enumerate(every, 1))
    assert table["webpbn/3"]["url"] is None, "webpbn.com has another puzzle under this number"
    assert table["webpbn/3"]["fetched_at"] is not None
    status = nonocensus("status", "store", "--json")
    assert json.loads(status.out)["crawl"]["outcomes"] == {"webpbn": {"ok": 30, "missing": 4, "unpublished": 1}}


def test_nonograms_crawl_fills_the_store(crawl: Run, tmp_path: Path) -> None:
    every = puzzles(40)
    counts = Counter[str]()
    notices = {"nonograms/41": DELETED, "nonograms/42": ADULT}
    with serve(build_archive(every), counts=counts, pages=notices) as address:
        assert crawl(address, "--ids", "1-10", "--kind", "mono", site="nonograms").code == 0
        mono = {number for number in range(1, 11) if number % 3}
        assert set(rows(tmp_path / "store")) == {f"nonograms/{number}" for number in mono}
        assert crawl(address, "--ids", "1-42", site="nonograms").code == 0
        before = counts.copy()
        assert crawl(address, "--ids", "all", site="nonograms").code == 0
        again = counts - before
        assert not any(name.startswith("nonograms") for name in again)
    table = rows(tmp_path / "store")
    assert set(table) == {f"nonograms/{number}" for number in range(1, 41)}
    assert all(same_puzzle(table[f"nonograms/{number}"], puzzle) for number, puzzle in enumerate(every, 1))
    assert all(row["site_steps"] for row in table.values())
    assert outcomes(tmp_path / "store") == {"nonograms": {"ok": 40, "deleted": 1, "adult": 1}}


def test_lists_avoid_requests_for_the_wrong_kind(crawl: Run) -> None:
    counts = Counter[str]()
    with serve(build_archive(puzzles(70)), counts=counts) as address:
        assert crawl(address, "--ids", "all", site="nonograms").code == 0
        assert counts["list"] >= 2
        pages = sum(count for name, count in counts.items() if name.startswith("nonograms"))
        assert pages == 70
        lists = counts["list"] + counts["list2"]
        assert crawl(address, "--ids", "all", site="nonograms").code == 0
        assert counts["list"] + counts["list2"] == lists, "lists are read once"


@pytest.mark.slow
def test_crawl_survives_faults_and_kills(tmp_path: Path) -> None:
    """2,000 ids, a fifth of the replies faulty, ten times SIGKILL: the table equals the twin's."""
    every = puzzles(1500)
    faults = Faults(0.2, seed=5, pause=0.0)
    chance = random.Random(7)
    store = tmp_path / "store"
    with serve(build_archive(every), faults=faults, pages=unpublished(*range(1501, 1701))) as address:
        command = [sys.executable, "-m", "nonocensus", "crawl", "webpbn", "--base-url", address, "--rate", "0"]
        command += ["--ids", "1-2000", "--out", str(store)]
        kills = 0
        for _ in range(40):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if kills < 10:
                wait_for_replies(store, chance.randrange(20, 120), process)
                kills += process.poll() is None
                process.kill()
            if process.wait() == 0:
                break
        assert kills == 10
        assert process.returncode == 0
    assert outcomes(store) == {"webpbn": {"ok": 1500, "missing": 300, "unpublished": 200}}
    table = rows(store)
    assert set(table) == {f"webpbn/{number}" for number in range(1, 1501)}
    assert all(same_puzzle(table[f"webpbn/{number}"], puzzle) for number, puzzle in enumerate(every, 1))


def wait_for_replies(store: Path, more: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until the ledger has `more` further replies."""
    before = replies_in(store)
    while process.poll() is None and replies_in(store) < before + more:
        time.sleep(0.005)


def replies_in(store: Path) -> int:
    if not (store / LEDGER).exists():
        return 0
    try:
        with open_ledger(store, read_only=True) as ledger:
            return ledger.size()["replies"]
    except Exception:  # it is only just being made
        return 0


@pytest.mark.slow
def test_interrupted_crawl_says_how_to_resume(tmp_path: Path) -> None:
    with serve(build_archive(puzzles(400)), faults=Faults(1.0, ("slow",), pause=0.05)) as address:
        command = [sys.executable, "-m", "nonocensus", "crawl", "webpbn", "--base-url", address, "--rate", "0"]
        command += ["--out", str(tmp_path / "store"), "--ids"]
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([*command, "1-400"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for_replies(tmp_path / "store", 5, process)  # type: ignore[arg-type]
            process.send_signal(number)
            _, said = process.communicate()
            assert process.returncode == 130
            assert "are left" in said
            assert "Traceback" not in said
        subprocess.run([*command, "1"], check=True, capture_output=True)  # adds the row of a reply before Ctrl-C
    with open_ledger(tmp_path / "store", read_only=True) as ledger:
        numbers = [stored.number for stored in ledger.replies()]
    assert len(numbers) >= 10  # one may have been interrupted after its reply, and asked again
    assert rows(tmp_path / "store").keys() == {f"webpbn/{number}" for number in numbers}


def test_early_interrupt_says_how_to_resume(crawl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("nonocensus.pipeline.crawl.site_crawl.newest_number", interrupted)
    with serve(build_archive(puzzles(1))) as address:
        result = crawl(address, "--ids", "all")
    assert result.code == 130
    assert "the same command resumes" in result.err


def test_changed_puzzle_becomes_another_version(nonocensus: Run, crawl: Run, tmp_path: Path) -> None:
    every = puzzles(6)
    with serve(build_archive(every)) as address:
        assert crawl(address, "--ids", "1-6").code == 0
        refreshed = crawl(address, "--ids", "1-6", "--refresh", "--json")
        assert json.loads(refreshed.out)["outcomes"] == {"unchanged": 6}
    before = rows(tmp_path / "store")
    changed = [*every[:2], from_picture(np.eye(5, dtype=np.uint8), title="new"), *every[3:]]
    with serve(build_archive(changed)) as address:
        refreshed = crawl(address, "--ids", "1-6", "--refresh", "--json")
        assert json.loads(refreshed.out)["changed"] == ["webpbn/3"]
        assert json.loads(crawl(address, "--ids", "1-6", "--refresh", "--json").out)["changed"] == []
    after = rows(tmp_path / "store")
    assert before.items() <= after.items()
    assert set(after) - set(before) == {"webpbn/3@2"}
    assert after["webpbn/3@2"]["title"] == "new"
    assert json.loads(nonocensus(*REPARSE, "--json").out)["added"] == 0
    assert rows(tmp_path / "store") == after


def test_ratings_reach_the_table(nonocensus: Run, crawl: Run, tmp_path: Path) -> None:
    every = [replace(puzzle, site_quality=1 + k / 2, site_difficulty=2.3) for k, puzzle in enumerate(puzzles(8))]
    every.append(puzzles(9)[8])  # unrated
    with serve(build_archive(every)) as address:
        assert crawl(address, "--ids", "1-5").code == 0
        assert rows(tmp_path / "store")["webpbn/2"]["site_quality"] is None
        assert json.loads(crawl(address, "--ratings", "--json").out) == {"rated": 8}
        assert crawl(address, "--ids", "6-9").code == 0
    table = rows(tmp_path / "store")
    for number in range(1, 9):
        row = table[f"webpbn/{number}"]
        assert abs(row["site_quality"] - (1 + (number - 1) / 2)) <= 0.125
        assert row["site_difficulty"] == 2.375
    assert table["webpbn/9"]["site_quality"] is None
    assert nonocensus(*REPARSE).code == 0
    assert rows(tmp_path / "store") == table


def spoil(store: Path) -> None:
    """Make the table one of an older parser: other titles in one part, no row in another."""
    place = open_store(str(store))

    def older(batch: pa.RecordBatch) -> pa.RecordBatch:
        if {"webpbn/1", "webpbn/2"} & set(batch["puzzle_id"].to_pylist()):
            return batch.filter(pc.not_equal(batch["puzzle_id"], "webpbn/2"))
        there = zip(batch["source"].to_pylist(), batch["title"].to_pylist(), strict=True)
        titles = pa.array(["old" if source == "webpbn" else title for source, title in there], pa.string())
        return batch.set_column(batch.schema.get_field_index("title"), batch.schema.field("title"), titles)

    rewrite(place, older)


def test_reparse_keeps_imported_rows(
    nonocensus: Run, crawl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reparse interrupted at any point can be repeated."""
    (tmp_path / "mine.non").write_bytes(non.write(puzzles(1)[0]))
    with serve(build_archive(puzzles(4))) as address:
        for ids in ("1-2", "3-4"):
            assert crawl(address, "--ids", ids).code == 0
        assert nonocensus("import", "mine.non", "--out", "store").code == 0
    before = rows(tmp_path / "store")
    assert set(before) == {"webpbn/1", "webpbn/2", "webpbn/3", "webpbn/4", "local/mine"}
    for module, moment in (
        (crawled_table, "puzzle_batch"),
        (crawled_table, "rewrite"),
        (parts, "write_part"),
        (crawled_table, "append"),
    ):
        spoil(tmp_path / "store")
        assert rows(tmp_path / "store") != before
        with monkeypatch.context() as cut:
            cut.setattr(module, moment, interrupting)
            assert nonocensus(*REPARSE).code == 130
        assert nonocensus(*REPARSE).code == 0
        assert rows(tmp_path / "store") == before


def interrupting(*_: Any) -> Any:
    raise KeyboardInterrupt


def test_reparse_does_not_rewrite_unchanged_parts(nonocensus: Run, crawl: Run, tmp_path: Path) -> None:
    """Parts keep their files, so a run on the store stays valid."""
    with serve(build_archive(puzzles(4))) as address:
        assert crawl(address, "--ids", "1-4").code == 0
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()}
    said = json.loads(nonocensus(*REPARSE, "--json").out)
    assert (said["added"], said["rewritten"], said["gone"]) == (0, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()} == before


def test_reply_that_crashes_the_parser_is_stored(
    nonocensus: Run, crawl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = webpbn_xml.read

    def stumble(data: bytes) -> Iterator[Puzzle]:
        if b"#2 " in data:
            raise RecursionError("too deep")
        return read(data)

    with serve(build_archive(puzzles(4))) as address:
        monkeypatch.setattr(webpbn_xml, "read", stumble)
        assert crawl(address, "--ids", "1-4").code == 0
    assert outcomes(tmp_path / "store") == {"webpbn": {"ok": 3, "unsupported": 1}}
    monkeypatch.setattr(webpbn_xml, "read", read)
    assert nonocensus(*REPARSE).code == 0
    assert outcomes(tmp_path / "store") == {"webpbn": {"ok": 4}}
    assert set(rows(tmp_path / "store")) == {f"webpbn/{number}" for number in range(1, 5)}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:9", "connection refused"),
        ("http://nonocensus.invalid", "name can't be looked up"),
    ],
)
def test_unreachable_site_is_a_network_error(
    nonocensus: Run, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    def unknown(*_: Any, **__: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    if "invalid" in address:
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setitem(PoliteSession.__init__.__kwdefaults__, "sleep", lambda _: None)
    result = nonocensus("crawl", "webpbn", "--out", "store", "--ids", "1", "--base-url", address, "--contact", "a@b.c")
    assert result.code == 5
    assert said in result.err
    assert "the same command resumes" in result.err


def test_unsuitable_folders_are_refused(nonocensus: Run, tmp_path: Path) -> None:
    with serve(build_archive(puzzles(3))) as address:
        crawl = ("crawl", "webpbn", "--base-url", address, "--rate", "0", "--ids", "1-3", "--out")
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "file").write_text("mine")
        assert "is not empty and not a store" in nonocensus(*crawl, "other").err
        assert "local folder" in nonocensus(*crawl, "s3://bucket/store").err
        assert nonocensus(*crawl, "a:/store").code == 0, "a legal name of a folder"
        assert nonocensus(*crawl, "store").code == 0
        with sqlite3.connect(tmp_path / "store" / LEDGER) as db:
            db.execute("pragma user_version = 99")
        assert "version 99" in nonocensus(*crawl, "store").err
        for part in ("", "-wal", "-shm"):
            (tmp_path / "store" / f"{LEDGER}{part}").unlink(missing_ok=True)
        (tmp_path / "store" / LEDGER).write_bytes(b"no database at all" * 100)
        for command in ((*crawl, "store"), ("status", "store")):
            damaged = nonocensus(*command)
            assert damaged.code == 3
            assert "is damaged: file is not a database; restore a copy, or move crawl.sqlite*" in damaged.err
        before = rows(tmp_path / "store")
        (tmp_path / "store" / LEDGER).unlink()
        assert nonocensus(*crawl, "store").code == 0
        assert rows(tmp_path / "store") == before, "what the line says is so"


def test_second_crawl_is_refused(crawl: Run, tmp_path: Path) -> None:
    crawl_store(tmp_path / "store")
    with serve(build_archive(puzzles(3))) as address, ThreadPoolExecutor(1) as other, ExitStack() as held:
        other.submit(held.enter_context, open_ledger(tmp_path / "store")).result()
        result = crawl(address, "--ids", "1-3")
        other.submit(held.close).result()
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "store is being written by nonocensus" in result.err


def test_second_crawl_of_a_host_is_refused(nonocensus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into another store; other hosts, and ports of this machine, are free."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    crawl = ("crawl", "webpbn", "--rate", "0", "--ids", "1-3", "--out", "store", "--base-url")
    with serve(build_archive(puzzles(3))) as first, serve(build_archive(puzzles(3))) as second:
        with ThreadPoolExecutor(1) as other, ExitStack() as held:
            other.submit(held.enter_context, host_locks([f"{first}/", "https://www.webpbn.com"], SILENT)).result()
            result = nonocensus(*crawl, first)
            assert (result.code, len(result.err.splitlines())) == (2, 1)
            assert f"{first.removeprefix('http://')} is being crawled by nonocensus" in result.err
            assert f"(process {os.getpid()} on " in result.err
            assert not (tmp_path / "store").exists()
            refused = nonocensus(*crawl[:3], "2", *crawl[4:], "http://webpbn.com", "--contact", "a@b.c")
            assert "webpbn.com is being crawled by nonocensus" in refused.err
            assert nonocensus(*crawl, second).code == 0
            other.submit(held.close).result()
        assert nonocensus(*crawl, first).code == 0
    assert list((tmp_path / "cache" / "nonocensus").iterdir()) == []


def test_crawl_without_cache_folder_warns_once(
    nonocensus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serve(build_archive(puzzles(3))) as first, serve(build_archive(puzzles(3))) as second:
        bases = ("--base-url", first, "--base-url", second)
        result = nonocensus("crawl", "nonograms", *bases, "--rate", "0", "--ids", "1-3", "--out", "store")
    assert result.code == 0
    assert result.err.count("can't be written, so another crawl of the site would go unnoticed") == 1


def test_long_texts_of_a_site_are_cut(crawl: Run, tmp_path: Path) -> None:
    long = replace(puzzles(1)[0], title="t" * 1_000_000, description="d" * 1_000_000, author="a" * 300)
    with serve(build_archive([long])) as address:
        assert crawl(address, "--ids", "1").code == 0
    row = rows(tmp_path / "store")["webpbn/1"]
    assert (row["title"], row["description"], row["author"]) == ("t" * 300, "d" * 10_000, "a" * 300)


def test_crawl_resumes_after_a_full_disk(crawl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep, left = Ledger._add_reply, iter(range(5))

    def keep_while_there_is_room(self: Ledger, *arguments: Any) -> int:
        if next(left, None) is None:
            raise sqlite3.OperationalError("database or disk is full")
        return keep(self, *arguments)

    with serve(build_archive(puzzles(9))) as address:
        monkeypatch.setattr(Ledger, "_add_reply", keep_while_there_is_room)
        result = crawl(address, "--ids", "1-9")
        assert result.code == 4
        assert "disk is full" in result.err
        monkeypatch.setattr(Ledger, "_add_reply", keep)
        assert outcomes(tmp_path / "store") == {"webpbn": {"ok": 5}}
        assert crawl(address, "--ids", "1-9").code == 0
    assert len(rows(tmp_path / "store")) == 9


def test_new_requests_numbers_above_the_highest(crawl: Run, tmp_path: Path) -> None:
    with serve(build_archive(puzzles(5))) as address:
        assert crawl(address, "--ids", "1-3", "--limit", "2").code == 0
        assert len(rows(tmp_path / "store")) == 2
        assert crawl(address, "--new").code == 0
    assert set(rows(tmp_path / "store")) == {f"webpbn/{number}" for number in (1, 2, 3, 4, 5)}


def test_limit_leaves_the_rest_for_the_next_crawl(crawl: Run, tmp_path: Path) -> None:
    """However many numbers that is."""
    with serve(build_archive(puzzles(9))) as address:
        first = json.loads(crawl(address, "--ids", "1-999999999", "--limit", "3", "--json").out)
        assert (first["known"], first["added"], first["left"]) == (0, 3, 999_999_996)
        second = crawl(address, "--ids", "1-999999999", "--limit", "2")
        assert "ok 2, 3 were known, 999,999,994 are left for another time" in second.out
    assert set(rows(tmp_path / "store")) == {f"webpbn/{number}" for number in range(1, 6)}


@pytest.mark.parametrize("option", [["--ids", "all"], ["--new"]])
def test_implausible_newest_number_is_refused(crawl: Run, option: list[str]) -> None:
    absurd = replace(puzzles(1)[0], source="webpbn", source_id="999999999")
    with serve(build_archive([absurd])) as address:
        result = crawl(address, *option)
    assert result.code == 5
    assert "names 999,999,999 as its newest puzzle, which is implausible; give --ids FIRST-LAST" in result.err


@contextmanager
def twin_process(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "nonocensus.pipeline.commands.twin", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "200"}) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0


def test_twin_refuses_a_port_in_use() -> None:
    with serve(build_archive(puzzles(1))) as address:
        port = address.rpartition(":")[2]
        with pytest.raises(UserError, match=f"can't listen on port {port}: Address already in use; choose another"):
            twin(port=int(port))


@pytest.mark.slow
def test_twin_serves_the_demo(nonocensus: Run, crawl: Run, tmp_path: Path) -> None:
    """Its puzzles have the demo's ids, not those of the site that the twin imitates."""
    with twin_process() as address:
        assert crawl(address, "--ids", "all", site="demo").code == 0
    own = {row["puzzle_id"]: row for row in puzzle_batch(demo_puzzles()).to_pylist()}
    found = rows(tmp_path / "store")
    same = ("source", "source_id", "url", "title", "author", "copyright", "license", "clue_hash", "goal")
    assert {name: [row[of] for of in same] for name, row in found.items()} == {
        name: [row[of] for of in same] for name, row in own.items()
    }
    assert nonocensus("crawl", "demo", "--reparse", "--out", "store").code == 0
    assert rows(tmp_path / "store") == found
