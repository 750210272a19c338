"""The way of puzzles from replies into the store's table.

A puzzle whose clues have changed on the site becomes a new row, source/number@2 and so on; the earlier one stays as it
is. Equal clues of the same number are no new version, wherever the row has come from.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.crawl.ledger import Ledger
from pipeline.errors import NetworkError
from pipeline.settings import default_settings
from pipeline.store.parts import Store, append, create_store, rewrite, write_manifest
from scrapers.http import PoliteSession, Reply
from scrapers.http.messages import is_loopback
from scrapers.site import Judgement
from scrapers.webpbn import Bucket, listed
from solver.model.puzzle import Puzzle
from solver.model.tables import puzzle_batch


@dataclass
class CrawlReport:
    """What a crawl did.

    outcomes    numbers asked for, by what came of them
    added       rows added to the table; `changed` names those of them that are new versions
    rewritten   parts of the table in which replies that were read anew have changed something
    gone        rows whose replies are no puzzles any more, now that they were read anew
    known       numbers that were not asked for, since the ledger has them
    left        numbers still to be asked for
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    added: int = 0
    changed: list[str] = field(default_factory=list)
    known: int = 0
    left: int = 0
    rewritten: int = 0
    gone: int = 0


class CrawlStep(NamedTuple):
    """One number done: what came of it, or, on a refresh, that the site has nothing newer."""

    number: int
    outcome: str
    detail: str | None


Judges = dict[str, Callable[[Reply, int], Judgement]]
"""By source: what tells what a reply is."""


VERSION_COLUMNS = ["puzzle_id", "clue_hash"]

Versions = dict[str, dict[int, str]]
"""Of each puzzle, without its @version: the clue hash of each version."""


def crawl_store(place: Path) -> Store:
    """The store of a crawl, made if need be; UserError as for `create_store`."""
    store = create_store(str(place))
    write_manifest(store)
    return store


def judge_reply(judge: Callable[[Reply, int], Judgement], reply: Reply, number: int) -> Judgement:
    """What a reply is. One that a reader stumbles over must not end a crawl of weeks: it is kept, to be read again."""
    try:
        return judge(reply, number)
    except Exception as error:
        return Judgement("unsupported", f"the reader failed: {type(error).__name__}: {error}")


def stamp_reply(puzzle: Puzzle, reply: Reply) -> Puzzle:
    """A puzzle with when it came and the hash of what came.

    What this machine serves is a twin's: the page that the site has under its number is another puzzle's.
    """
    digest = hashlib.sha256(reply.body).hexdigest()
    url = None if is_loopback(reply.url) else puzzle.url
    return replace(puzzle, url=url, fetched_at=reply.fetched_at.replace(microsecond=0), raw_sha256=digest)


class PuzzleWriter:
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


def puzzle_writer(store: Store, ledger: Ledger, report: CrawlReport) -> PuzzleWriter:
    """The table of a store: what comes is appended to it, and then noted in the ledger."""

    def write(batch: pa.RecordBatch) -> None:
        report.added += append(store, [batch])

    return PuzzleWriter(
        ledger, report, lambda: latest_versions(store.batches(VERSION_COLUMNS)), write, ledger.set_tabled
    )


def latest_versions(batches: Iterable[pa.RecordBatch]) -> Versions:
    """The versions that some rows are of."""
    latest: Versions = {}
    for batch in batches:
        for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in VERSION_COLUMNS), strict=True):
            name, _, version = puzzle_id.partition("@")
            number = int(version) if version.isdigit() else 1
            latest.setdefault(name, {})[number] = clue_hash
    return latest


RATINGS_PENDING = "ratings not in the table"
"""A note of the ledger: whether rows may lack ratings that it has."""


def collect_ratings(
    store: Store, ledger: Ledger, buckets: Iterable[Bucket], session: PoliteSession, seen: Callable[[Bucket, int], None]
) -> int:
    """Ask the search which puzzles lie in each bucket of each rating; returns how many puzzles have one now.

    The ratings go to the ledger and from there into the table's rows of these puzzles.
    """
    found: dict[str, dict[int, float]] = {}
    for bucket in buckets:
        reply = session.fetch(bucket.request)
        if reply.status != 200:
            raise NetworkError(f"{bucket.request.url}: HTTP status {reply.status}; the ratings are as they were")
        ratings = found.setdefault(bucket.measure, {})
        numbers = listed(reply.body)
        for number in numbers:
            ratings.setdefault(number, bucket.rating)
        seen(bucket, len(numbers))
    if not any(found.values()):
        raise NetworkError("the search has listed no puzzle in any bucket; the ratings are as they were")
    ledger.set_note(RATINGS_PENDING, "yes")  # first: a crash from here on leaves rows to be filled in
    for measure, ratings in found.items():
        ledger.rate("webpbn", measure, ratings)
    fill_in_ratings(store, ledger)
    return len(set().union(*found.values()))


def fill_in_ratings(store: Store, ledger: Ledger) -> None:
    """Put the ledger's ratings into the table."""
    ratings = ledger.ratings()

    def rated(batch: pa.RecordBatch) -> pa.RecordBatch:
        keys = list(zip(batch["source"].to_pylist(), batch["source_id"].to_pylist(), strict=True))
        for place, name in enumerate(("site_difficulty", "site_quality")):
            new = pa.array([ratings[key][place] if key in ratings else None for key in keys], pa.float64())
            index = batch.schema.get_field_index(name)
            batch = batch.set_column(index, batch.schema.field(index), pc.coalesce(new, batch[name]))
        return batch

    rewrite(store, rated)
    ledger.set_note(RATINGS_PENDING, "no")
