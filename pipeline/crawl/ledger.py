"""The ledger of a crawl: STORE/crawl.sqlite, from which the puzzles table is derived.

The replies for a number are one transaction: bodies (compressed, deduplicated by content), headers, times, judgements,
and the number's outcome. A crash loses at most the request in flight. One process at a time writes; others may read.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from nonocensus.pipeline.errors import InputError, StorageError, UserError
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import LEDGER
from nonocensus.pipeline.store.paths import folder
from nonocensus.pipeline.store.spans import Spans, minus, within
from nonocensus.scrapers.http import Reply
from nonocensus.scrapers.site import FINAL, Judgement

VERSION = 1

TABLES = """
    create table bodies (sha256 text primary key, size integer not null, packed blob not null) without rowid;
    create table replies (
        reply integer primary key,
        source text not null, number integer not null,
        url text not null, fetched_at text not null, status integer not null, headers text not null,
        sha256 text not null references bodies,
        outcome text not null, detail text,
        tabled integer not null default 0  -- whether the table of puzzles has taken it in
    );
    create index replies_by_number on replies (source, number);
    create index replies_to_table on replies (reply) where tabled = 0;
    create table numbers (
        source text not null, number integer not null,
        outcome text not null, detail text, tries integer not null, last_at text not null,
        asked text not null,  -- the kinds of puzzle that it was asked for as
        primary key (source, number)
    ) without rowid;
    create table ratings (
        source text not null, number integer not null, difficulty real, quality real,
        primary key (source, number)
    ) without rowid;
    create table kinds (
        source text not null, number integer not null, colored integer not null,
        primary key (source, number)
    ) without rowid;
    create table notes (name text primary key, value text not null) without rowid;
"""


class StoredReply(NamedTuple):
    """A stored reply: `key` identifies it in the ledger, `number` is the puzzle's at the site."""

    key: int
    source: str
    number: int
    reply: Reply
    sha256: str


class Ledger:
    """An open ledger; see `open_ledger`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def record_replies(self, source: str, number: int, replies: Sequence[tuple[Reply, Judgement]], kinds: str) -> int:
        """Store the replies for a number in one transaction; the last one decides. Return its key.

        `kinds` are those that it was requested as, comma-separated. Replies before an error are dropped: of those that
        are no error the newest holds, and `missing` as one kind is no outcome.
        """
        if replies[-1][1].outcome == "error":
            replies = replies[-1:]
        with self._db:
            keys = [self._add_reply(source, number, reply, judgement) for reply, judgement in replies]
            self._update_outcome(source, number, replies[-1][1], len(replies), kinds)
        return keys[-1]

    def record_failure(self, source: str, number: int, why: str, tries: int, kinds: str) -> None:
        """Record that a number got no reply; a known outcome stays."""
        with self._db:
            self._update_outcome(source, number, Judgement("error", why), tries, kinds)

    def record_unchanged(self, source: str, number: int) -> None:
        """Record that the site has nothing newer."""
        with self._db:
            self._db.execute(
                "update numbers set last_at = ?, tries = tries + 1 where source = ? and number = ?",
                (_now(), source, number),
            )

    def _add_reply(self, source: str, number: int, reply: Reply, judgement: Judgement) -> int:
        sha256 = hashlib.sha256(reply.body).hexdigest()
        packed = pa.compress(reply.body, codec="zstd", asbytes=True)
        self._db.execute("insert or ignore into bodies values (?, ?, ?)", (sha256, len(reply.body), packed))
        inserted = self._db.execute(
            "insert into replies (source, number, url, fetched_at, status, headers, sha256, outcome, detail, tabled)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(source, number, reply.url, reply.fetched_at.isoformat(), reply.status, json.dumps(reply.headers)),
                *(sha256, judgement.outcome, judgement.detail, judgement.outcome != "ok"),
            ),
        )
        return int(inserted.lastrowid or 0)

    def _update_outcome(self, source: str, number: int, judgement: Judgement, tries: int, kinds: str) -> None:
        """Update a number's outcome; an error does not replace 'ok'."""
        self._db.execute(
            "insert into numbers values (?, ?, ?, ?, ?, ?, ?) on conflict do update set"
            " outcome = iif(excluded.outcome = 'error' and outcome = 'ok', outcome, excluded.outcome),"
            " detail = excluded.detail, tries = tries + excluded.tries,"
            " last_at = excluded.last_at, asked = excluded.asked",
            (source, number, judgement.outcome, judgement.detail, tries, _now(), kinds),
        )

    def open_numbers(self, source: str, numbers: Spans, kinds: Sequence[str]) -> Spans:
        """Return the numbers without a final outcome.

        A number that is missing as one kind of puzzle is open as another.
        """
        finals = ", ".join("?" * len(FINAL))
        conditions = "".join(" and instr(',' || asked || ',', ',' || ? || ',')" for _ in kinds)
        done = self._db.execute(
            "select min(number), max(number) + 1 from"
            " (select number, number - row_number() over (order by number) as span from numbers where source = ?"
            f" and outcome in ({finals}) and (outcome != 'missing' or (true{conditions}))) group by span order by 1",
            (source, *FINAL, *kinds),
        )
        return minus(numbers, done.fetchall())

    def asked_numbers(self, source: str, numbers: Spans) -> tuple[list[int], list[int]]:
        """Return which of these numbers were requested before, least often first: those without and with an error."""
        asked: tuple[list[int], list[int]] = ([], [])
        for number, has_failed in self._db.execute(
            "select number, outcome = 'error' from numbers where source = ? order by tries, number", (source,)
        ):
            if within(numbers, number, number + 1):
                asked[has_failed].append(number)
        return asked

    def missing_kinds(self, source: str, number: int) -> str:
        """Return the kinds of puzzle that a number was missing as, comma-separated."""
        row = self._db.execute(
            "select asked from numbers where source = ? and number = ? and outcome = 'missing'", (source, number)
        ).fetchone()
        return str(row[0]) if row else ""

    def highest(self, source: str) -> int:
        """Return the highest number ever requested, or 0."""
        row = self._db.execute("select max(number) from numbers where source = ?", (source,)).fetchone()
        return int(row[0] or 0)

    def contents(self) -> set[tuple[str, str, str]]:
        """Source, number (text, as in the table) and body hash of every reply."""
        rows = self._db.execute("select distinct source, number, sha256 from replies")
        return {(source, str(number), sha256) for source, number, sha256 in rows}

    def newest(self, source: str, number: int) -> tuple[str, dict[str, str]]:
        """Return URL and headers of the newest reply for a number that is no error, empty unless it has a puzzle."""
        row = self._db.execute(
            "select url, headers, outcome from replies where source = ? and number = ? and outcome != 'error'"
            " order by reply desc limit 1",
            (source, number),
        ).fetchone()
        return (row[0], dict(json.loads(row[1]))) if row and row[2] == "ok" else ("", {})

    def withdrawn(self) -> set[tuple[str, str]]:
        """Return source and number (text, as in the table) of which the newest reply that is no error has no puzzle."""
        rows = self._db.execute(
            "select source, number from (select source, number, outcome, max(reply) from replies"
            " where outcome != 'error' group by source, number) where outcome != 'ok'"
        )
        return {(source, str(number)) for source, number in rows}

    def outcomes(self) -> dict[str, dict[str, int]]:
        """Count numbers by source and outcome."""
        counts: dict[str, dict[str, int]] = {}
        for source, outcome, count in self._db.execute(
            "select source, outcome, count(*) from numbers group by 1, 2 order by 1, 3 desc"
        ):
            counts.setdefault(source, {})[outcome] = count
        return counts

    def size(self) -> dict[str, int]:
        """Return the number of replies, and their bytes raw and compressed."""
        replies = self._db.execute("select count(*) from replies").fetchone()[0]
        bodies = self._db.execute("select coalesce(sum(size), 0), coalesce(sum(length(packed)), 0) from bodies")
        raw, packed = bodies.fetchone()
        return {"replies": replies, "bytes": raw, "packed": packed}

    def errors(self, most: int) -> list[tuple[str, int, str]]:
        """Return source, number and reason of up to `most` failed numbers."""
        rows = self._db.execute(
            "select source, number, detail from numbers where outcome = 'error' order by 1, 2 limit ?", (most,)
        )
        return [(source, number, detail or "") for source, number, detail in rows]

    def replies(self, only_untabled: bool = False) -> Iterator[StoredReply]:
        """Yield the replies, oldest first: all, or the good ones not yet in the table."""
        condition = "where tabled = 0" if only_untabled else ""
        keys = [key for (key,) in self._db.execute(f"select reply from replies {condition} order by reply")]
        for key in keys:
            source, number, url, fetched_at, status, headers, sha256, size, packed = self._db.execute(
                "select source, number, url, fetched_at, status, headers, sha256, size, packed"
                " from replies join bodies using (sha256) where reply = ?",
                (key,),
            ).fetchone()
            body = pa.decompress(packed, decompressed_size=size, codec="zstd", asbytes=True)
            at = datetime.fromisoformat(fetched_at)
            yield StoredReply(key, source, number, Reply(url, status, json.loads(headers), body, at, 0.0), sha256)

    def set_tabled(self, keys: Iterable[int]) -> None:
        """Record that these replies are in the table."""
        with self._db:
            self._db.executemany("update replies set tabled = 1 where reply = ?", ((key,) for key in keys))

    def reset_tabled(self) -> None:
        """Forget which replies are in the table: the next crawl adds those it lacks."""
        with self._db:
            self._db.execute("update replies set tabled = 0 where outcome = 'ok'")

    def damage(self) -> Iterator[str]:
        """Yield the faults that SQLite finds, and bodies with a hash mismatch."""
        for (line,) in self._db.execute("pragma integrity_check"):
            if line != "ok":
                yield line
        for sha256, size, packed in self._db.execute("select sha256, size, packed from bodies"):
            try:
                body = pa.decompress(packed, decompressed_size=size, codec="zstd", asbytes=True)
            except (OSError, ValueError, pa.ArrowException):
                body = b""
            if hashlib.sha256(body).hexdigest() != sha256:
                yield f"the reply with the hash {sha256[:16]} is damaged"

    def judge_again(self, kept: StoredReply, judgement: Judgement) -> None:
        """Replace a reply's judgement, and its number's outcome if it is the last reply.

        As in `record_replies`, an error does not replace an 'ok'. Older replies must have been judged again before.
        """
        with self._db:
            self._db.execute(
                "update replies set outcome = ?, detail = ?, tabled = ? where reply = ?",
                (judgement.outcome, judgement.detail, judgement.outcome != "ok", kept.key),
            )
            self._db.execute(
                "update numbers set detail = :detail, outcome = iif(:outcome = 'error' and 'ok' ="
                " (select outcome from replies where source = :source and number = :number and outcome != 'error'"
                " order by reply desc limit 1), 'ok', :outcome) where source = :source and number = :number"
                " and :key = (select max(reply) from replies where source = :source and number = :number)",
                {
                    "outcome": judgement.outcome,
                    "detail": judgement.detail,
                    "source": kept.source,
                    "number": kept.number,
                    "key": kept.key,
                },
            )

    def rate(self, source: str, measure: str, ratings: dict[int, float]) -> None:
        """Replace all ratings of a measure, difficulty or quality, by number."""
        assert measure in ("difficulty", "quality")
        with self._db:
            self._db.execute(f"update ratings set {measure} = null where source = ?", (source,))
            self._db.executemany(
                f"insert into ratings (source, number, {measure}) values (?, ?, ?)"
                f" on conflict do update set {measure} = excluded.{measure}",
                ((source, number, rating) for number, rating in ratings.items()),
            )

    def ratings(self) -> dict[tuple[str, str], tuple[float | None, float | None]]:
        """Return difficulty and quality by source and number (text, as in the table)."""
        rows = self._db.execute("select source, number, difficulty, quality from ratings")
        return {(source, str(number)): (difficulty, quality) for source, number, difficulty, quality in rows}

    def record_kinds(self, source: str, numbers: Iterable[int], colored: bool) -> None:
        """Record the kind of puzzle that a list has these numbers as."""
        with self._db:
            self._db.executemany(
                "insert or ignore into kinds values (?, ?, ?)", ((source, number, colored) for number in numbers)
            )

    def kinds(self, source: str) -> dict[int, bool]:
        """Return, for the numbers in lists, whether the puzzle is coloured."""
        rows = self._db.execute("select number, colored from kinds where source = ?", (source,))
        return {number: bool(colored) for number, colored in rows}

    def read_note(self, name: str) -> str | None:
        """Return the note of a name."""
        row = self._db.execute("select value from notes where name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_note(self, name: str, value: str) -> None:
        """Set the note of a name."""
        with self._db:
            self._db.execute("insert or replace into notes values (?, ?)", (name, value))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def open_ledger(place: Path, read_only: bool = False) -> Iterator[Ledger]:
    """Open the ledger of a store, created if missing; with `read_only` it must exist, and no lock is taken.

    Raises:
        UserError: another process writes to it, or it has another version
        InputError: it is damaged
        StorageError: it can't be read or written

    """
    path = place / LEDGER
    if read_only:
        # immutable, which leaves no files, unless a writer has it open
        mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
        with _connect(path, f"{path.absolute().as_uri()}?{mode}") as connection:
            _check_version(connection, path)
            yield Ledger(connection)
        return
    place.mkdir(parents=True, exist_ok=True)
    with writer_lock(folder(str(place))), _connect(path, path.absolute().as_uri()) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        if connection.execute("pragma user_version").fetchone()[0] == 0:
            connection.executescript(f"begin; {TABLES} pragma user_version = {VERSION}; commit;")
        _check_version(connection, path)
        yield Ledger(connection)


@contextmanager
def _connect(path: Path, uri: str) -> Iterator[sqlite3.Connection]:
    """Open a connection; SQLite's errors in the block become UserErrors."""
    connection = None
    try:
        connection = sqlite3.connect(uri, uri=True)
        yield connection
    except sqlite3.DatabaseError as error:
        raise _user_error(path, error) from error
    finally:
        if connection is not None:
            connection.close()


def _user_error(path: Path, error: sqlite3.DatabaseError) -> UserError:
    """Translate an SQLite error: disk full or unavailable, or file damaged."""
    if isinstance(error, sqlite3.OperationalError):
        return StorageError(f"{path}: {error}; what was finished is kept, the same command resumes")
    return InputError(
        f"{path} is damaged: {error}; restore a copy, or move {LEDGER}* away: a crawl then requests everything again, "
        "and the table keeps its puzzles"
    )


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    there = connection.execute("pragma user_version").fetchone()[0]
    if there != VERSION:
        raise UserError(f"{path} is of version {there}, this nonocensus reads version {VERSION}")
