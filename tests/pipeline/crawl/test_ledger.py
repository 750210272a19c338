"""The ledger keeps replies unchanged, and reading it leaves no files."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nonocensus.pipeline.crawl.ledger import open_ledger
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.store.parts import LEDGER
from nonocensus.scrapers.http import Reply
from nonocensus.scrapers.site import Judgement

OK, GONE, BAD = Judgement("ok", None), Judgement("missing", None), Judgement("error", "broken")


def reply(number: int, body: bytes = b"a puzzle") -> Reply:
    return Reply(f"http://127.0.0.1/{number}", 200, {"etag": f"{number}"}, body, datetime.now(UTC), 0.1)


def test_equal_bodies_are_stored_once(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for number in (1, 2, 3):
            ledger.record_replies("webpbn", number, [(reply(number), OK)], "any")
        assert ledger.size()["replies"] == 3
        assert ledger.size()["bytes"] == len(b"a puzzle")
        assert [kept.reply.body for kept in ledger.replies(only_untabled=True)] == [b"a puzzle"] * 3
        assert len(ledger.contents()) == 3


def test_error_keeps_the_known_outcome(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.record_replies("webpbn", 1, [(reply(1), OK)], "any")
        ledger.record_failure("webpbn", 1, "no answer", 3, "any")
        assert ledger.outcomes() == {"webpbn": {"ok": 1}}
        assert ledger.open_numbers("webpbn", [(1, 4)], ["any"]) == [(2, 4)]


def test_reset_tabled_yields_good_replies_again(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        keys = [
            ledger.record_replies("webpbn", k, [(reply(k), judgement)], "any") for k, judgement in ((1, OK), (2, BAD))
        ]
        ledger.set_tabled(keys)
        assert list(ledger.replies(only_untabled=True)) == []
        ledger.reset_tabled()
        assert [kept.number for kept in ledger.replies(only_untabled=True)] == [1]


@pytest.mark.parametrize("folder", ["plain", "with # and ? in it", "ünï"])
def test_read_only_ledger_leaves_no_files(tmp_path: Path, folder: str) -> None:
    place = tmp_path / folder
    with open_ledger(place) as ledger:
        ledger.record_replies("webpbn", 1, [(reply(1), OK)], "any")
    before = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    with open_ledger(place, read_only=True) as ledger:
        assert ledger.highest("webpbn") == 1
        assert list(ledger.damage()) == []
    assert {path: path.stat().st_mtime_ns for path in place.iterdir()} == before


def test_damage_is_found(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.record_replies("webpbn", 1, [(reply(1), OK)], "any")
    with closing(sqlite3.connect(tmp_path / LEDGER)) as database, database:
        database.execute("update bodies set sha256 = ?", ("0" * 64,))
    with open_ledger(tmp_path, read_only=True) as ledger:
        assert list(ledger.damage()) == ["the reply with the hash 0000000000000000 is damaged"]
    with closing(sqlite3.connect(tmp_path / LEDGER)) as database, database:
        database.execute("pragma user_version = 99")
    with pytest.raises(UserError, match="is of version 99"), open_ledger(tmp_path, read_only=True):
        pass
    (tmp_path / LEDGER).write_bytes(b"no database, but long enough to be looked at as one" * 100)
    with pytest.raises(InputError, match="is damaged"), open_ledger(tmp_path):
        pass
