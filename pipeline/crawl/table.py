"""The way of puzzles from replies into the store's table."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from pipeline.crawl.ledger import Ledger
from pipeline.crawl.report import CrawlReport, Judges, Step
from pipeline.settings import default_settings
from pipeline.store.parts import Store, append, create_store, mark
from scrapers.http import Reply
from scrapers.site import Judgement
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch

VERSION_COLUMNS = ["puzzle_id", "clue_hash", "goal", "site_version"]

REPARSED = "reparsed"
"""The folder in the store where a table is made anew."""


def crawl_store(place: Path) -> Store:
    """The store of a crawl, made if need be; UserError as for `create_store`."""
    store = create_store(str(place))
    mark(store)
    return store


def judged(judge: Callable[[Reply, int], Judgement], reply: Reply, number: int) -> Judgement:
    """What a reply is. One that a reader stumbles over must not end a crawl of weeks: it is kept, to be read again."""
    try:
        return judge(reply, number)
    except Exception as error:
        return Judgement("unsupported", f"the reader failed: {type(error).__name__}: {error}")


def dated(puzzle: Puzzle, reply: Reply) -> Puzzle:
    """A puzzle with when it came and the hash of what came."""
    digest = hashlib.sha256(reply.body).hexdigest()
    return replace(puzzle, fetched_at=reply.fetched_at.replace(microsecond=0), raw_sha256=digest)


class Table:
    """The way of puzzles from replies into the store's table, in batches of a row group."""

    def __init__(self, store: Store, ledger: Ledger, report: CrawlReport) -> None:
        self.report = report
        self._store, self._ledger = store, ledger
        self._waiting: list[tuple[int, Puzzle]] = []
        self._latest: dict[str, tuple[int, bytes]] | None = None  # of each id: its last version and what that was

    def add(self, key: int, puzzle: Puzzle) -> None:
        """Take in the puzzle of the reply with this key."""
        self._waiting.append((key, puzzle))
        if len(self._waiting) == default_settings().rows_per_group:
            self.flush()

    def flush(self) -> None:
        """Add what waits to the table, but for what the table has already."""
        if not self._waiting:
            return
        if self._latest is None:
            self._latest = _latest_versions(self._store)
        puzzles = [puzzle for _, puzzle in self._waiting]
        batch = puzzle_batch(puzzles)
        ratings = self._ledger.ratings()
        fresh = []
        for puzzle, *rest in zip(puzzles, *(batch[name].to_pylist() for name in VERSION_COLUMNS[1:]), strict=True):
            version = self._version(puzzle.puzzle_id, _identity(*rest))
            if version:
                difficulty, quality = ratings.get((puzzle.source or "", puzzle.source_id or ""), (None, None))
                fresh.append(
                    replace(
                        puzzle,
                        puzzle_id=puzzle.puzzle_id if version == 1 else f"{puzzle.puzzle_id}@{version}",
                        site_difficulty=puzzle.site_difficulty if difficulty is None else difficulty,
                        site_quality=puzzle.site_quality if quality is None else quality,
                    )
                )
        if fresh:
            append(self._store, [puzzle_batch(fresh)])
            self.report.added += len(fresh)
        self._ledger.set_tabled(key for key, _ in self._waiting)
        self._waiting.clear()

    def _version(self, puzzle_id: str, what: bytes) -> int:
        """The number of a version that the table does not have, else 0."""
        assert self._latest is not None
        number, there = self._latest.get(puzzle_id, (0, b""))
        if there == what:
            return 0
        self._latest[puzzle_id] = (number + 1, what)
        if number:
            self.report.changed.append(puzzle_id)
        return number + 1


def _identity(clue_hash: str, goal: bytes | None, site_version: str | None) -> bytes:
    """What makes a version of a puzzle, as 16 bytes."""
    return hashlib.sha256(repr((clue_hash, goal, site_version)).encode()).digest()[:16]


def _latest_versions(store: Store) -> dict[str, tuple[int, bytes]]:
    """Of each puzzle of a store, without its @version: the highest version and its identity."""
    latest: dict[str, tuple[int, bytes]] = {}
    for batch in store.batches(VERSION_COLUMNS):
        for puzzle_id, *rest in zip(*(batch[name].to_pylist() for name in VERSION_COLUMNS), strict=True):
            name, _, version = puzzle_id.partition("@")
            number = int(version) if version.isdigit() else 1
            if number > latest.get(name, (0, b""))[0]:
                latest[name] = (number, _identity(*rest))
    return latest


def reparse(store: Store, ledger: Ledger, judges: Judges, seen: Callable[[Step], None]) -> CrawlReport:
    """Judge all replies again and make the table anew from them, without the network.

    Rows that come from elsewhere, imported files say, stay. The new table is made beside the old one and takes its
    place when it is complete.
    """
    report = CrawlReport()
    end_swap(store)
    fresh = Store(store.folder / REPARSED)
    append(fresh, _from_elsewhere(store, ledger.crawled()))
    table = Table(fresh, ledger, report)
    for kept in ledger.every_reply():
        judgement = judged(judges[kept.source], kept.reply, kept.number)
        ledger.judge_again(kept, judgement)
        if judgement.puzzle is not None:
            table.add(kept.key, dated(judgement.puzzle, kept.reply))
        seen(Step(kept.number, judgement.outcome, judgement.detail))
    table.flush()
    for counts in ledger.outcomes().values():
        for outcome, count in counts.items():
            report.outcomes[outcome] = report.outcomes.get(outcome, 0) + count
    mark(fresh)
    _swap(store)
    return report


def _from_elsewhere(store: Store, crawled: set[tuple[str, str]]) -> Iterator[pa.RecordBatch]:
    """The rows of a table that don't come from the ledger's replies."""
    for batch in store.batches():
        keys = zip(batch["source"].to_pylist(), batch["source_id"].to_pylist(), strict=True)
        rest = batch.filter(pa.array([key not in crawled for key in keys], pa.bool_()))
        if len(rest):
            yield rest


def _swap(store: Store) -> None:
    """Put the table that was made anew in place of the old one, by two renames."""
    place = Path(store.folder.path)
    if (place / "puzzles").exists():
        (place / "puzzles").rename(place / REPARSED / "old")
    end_swap(store)


def end_swap(store: Store) -> None:
    """Do what is left to do of a swap that a killed process has begun, and delete the rest of it."""
    place = Path(store.folder.path)
    if (place / REPARSED / "old").exists() and not (place / "puzzles").exists():
        (place / REPARSED / "puzzles").rename(place / "puzzles")
    shutil.rmtree(place / REPARSED, ignore_errors=True)
