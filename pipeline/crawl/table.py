"""The way of puzzles from replies into the store's table.

A puzzle whose clues have changed on the site becomes a new row, source/number@2 and so on; the earlier one stays as it
is. Equal clues of the same number are no new version, wherever the row has come from.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from pipeline.crawl.crawl_report import CrawlReport
from pipeline.crawl.ledger import Ledger
from pipeline.settings import default_settings
from pipeline.store.parts import Store, append, create_store, mark
from scrapers.http import Reply
from scrapers.http.messages import is_loopback
from scrapers.site import Judgement
from solver.model.puzzle import Puzzle
from solver.model.tables import puzzle_batch

VERSION_COLUMNS = ["puzzle_id", "clue_hash"]

Versions = dict[str, dict[int, str]]
"""Of each puzzle, without its @version: the clue hash of each version."""


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
    """A puzzle with when it came and the hash of what came.

    What this machine serves is a twin's: the page that the site has under its number is another puzzle's.
    """
    digest = hashlib.sha256(reply.body).hexdigest()
    url = None if is_loopback(reply.url) else puzzle.url
    return replace(puzzle, url=url, fetched_at=reply.fetched_at.replace(microsecond=0), raw_sha256=digest)


class Table:
    """Puzzles on their way into a table, in batches of a row group, but for those that the table has."""

    def __init__(
        self,
        ledger: Ledger,
        report: CrawlReport,
        latest: Callable[[], Versions],
        write: Callable[[pa.RecordBatch], object],
        settle: Callable[[list[int]], object],
    ) -> None:
        """`latest` finds what the table has, `write` takes rows, `settle` the keys of replies that are in it then."""
        self.report = report
        self._ledger, self._find_latest, self._write, self._settle = ledger, latest, write, settle
        self._waiting: list[tuple[int, Puzzle]] = []
        self._latest: Versions | None = None

    def add(self, key: int, puzzle: Puzzle) -> None:
        """Take in the puzzle of the reply with this key."""
        self._waiting.append((key, puzzle))
        if len(self._waiting) == default_settings().rows_per_group:
            self.flush()

    def flush(self) -> None:
        """Write what waits, but for what is there already."""
        if not self._waiting:
            return
        if self._latest is None:
            self._latest = self._find_latest()
        puzzles = [puzzle for _, puzzle in self._waiting]
        ratings = self._ledger.ratings()
        fresh = []
        for puzzle, clue_hash in zip(puzzles, puzzle_batch(puzzles)["clue_hash"].to_pylist(), strict=True):
            version = self._version(puzzle.puzzle_id, clue_hash)
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
            self._write(puzzle_batch(fresh))
        self._settle([key for key, _ in self._waiting])
        self._waiting.clear()

    def _version(self, puzzle_id: str, clue_hash: str) -> int:
        """The number of a version that the table does not have, else 0."""
        assert self._latest is not None
        there = self._latest.setdefault(puzzle_id, {})
        if clue_hash in there.values():
            return 0
        # the first that is free: a version whose part was damaged comes back under its own number
        number = next(number for number in itertools.count(1) if number not in there)
        there[number] = clue_hash
        if number > 1:
            self.report.changed.append(puzzle_id)
        return number


def table_of(store: Store, ledger: Ledger, report: CrawlReport) -> Table:
    """The table of a store: what comes is appended to it, and then noted in the ledger."""

    def write(batch: pa.RecordBatch) -> None:
        report.added += append(store, [batch])

    return Table(ledger, report, lambda: latest_versions(store.batches(VERSION_COLUMNS)), write, ledger.set_tabled)


def latest_versions(batches: Iterable[pa.RecordBatch]) -> Versions:
    """The versions that some rows are of."""
    latest: Versions = {}
    for batch in batches:
        for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in VERSION_COLUMNS), strict=True):
            name, _, version = puzzle_id.partition("@")
            number = int(version) if version.isdigit() else 1
            latest.setdefault(name, {})[number] = clue_hash
    return latest
