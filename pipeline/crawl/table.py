"""Puzzles from replies into the store's table.

A puzzle whose clues changed on the site becomes a new row, source/number@2 and so on; the earlier row stays. Equal
clues of the same number are not a new version, whether crawled or imported.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.crawl.ledger import Ledger
from nonocensus.pipeline.errors import NetworkError
from nonocensus.pipeline.store.parts import (
    DEFAULT_SHAPE,
    Store,
    append,
    create_store,
    one_batch,
    rewrite,
    write_manifest,
)
from nonocensus.scrapers import demo, nonograms, webpbn
from nonocensus.scrapers.demo import demo_site
from nonocensus.scrapers.http import PoliteSession, Reply
from nonocensus.scrapers.http.messages import is_loopback
from nonocensus.scrapers.site import Judgement
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import PUZZLES, puzzle_batch


@dataclass
class CrawlReport:
    """What a crawl or reparse did.

    outcomes    requested numbers by outcome
    added       rows added to the table
    changed     ids of added rows that are new versions
    known       numbers not requested, because the ledger has them
    left        numbers still to request
    rewritten   parts of the table that a reparse changed
    gone        rows removed because their reply is no longer judged to be a puzzle
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    added: int = 0
    changed: list[str] = field(default_factory=list)
    known: int = 0
    left: int = 0
    rewritten: int = 0
    gone: int = 0


JUDGES = {webpbn.SOURCE: webpbn.judge, nonograms.SOURCE: nonograms.judge, demo.SOURCE: demo_site.judge}
"""Functions that judge a reply for a number, by source."""

MAX_TEXT = 300
"""Characters of a site's text about a puzzle, or of a colour's name; what is longer is cut."""

TEXT_LIMITS = dict.fromkeys(("title", "author", "copyright", "license", "site_note", "site_version"), MAX_TEXT)
TEXT_LIMITS |= {"description": 10_000}
"""By field of Puzzle."""

VERSION_COLUMNS = ["puzzle_id", "clue_hash"]

Versions = dict[str, dict[int, str]]
"""Clue hashes by id without @version, then by version."""


def crawl_store(place: Path) -> Store:
    """Open or create the store of a crawl. Raises UserError as `create_store`."""
    store = create_store(str(place))
    write_manifest(store)
    return store


def judge_reply(judge: Callable[[Reply, int], Judgement], reply: Reply, number: int) -> Judgement:
    """Judge a reply; a parser's bug must not end a long crawl, and `reparse` judges again."""
    try:
        return judge(reply, number)
    except Exception as error:
        return Judgement("unsupported", f"the reader failed: {type(error).__name__}: {error}")


def stamp_reply(puzzle: Puzzle, reply: Reply) -> Puzzle:
    """Return a puzzle with fetch time and body hash, and its texts within TEXT_LIMITS.

    A loopback reply is a twin's, so it gets no URL: the real site has another puzzle under that number.
    """
    digest = hashlib.sha256(reply.body).hexdigest()
    url = None if is_loopback(reply.url) else puzzle.url
    texts = {name: text[:limit] for name, limit in TEXT_LIMITS.items() if (text := getattr(puzzle, name))}
    palette = tuple(color._replace(name=color.name[:MAX_TEXT]) for color in puzzle.palette)
    fetched_at = reply.fetched_at.replace(microsecond=0)
    return replace(puzzle, **texts, palette=palette, url=url, fetched_at=fetched_at, raw_sha256=digest)


class PuzzleWriter:
    """Writes crawled puzzles to a table in batches of a row group, skipping known versions."""

    def __init__(
        self,
        ledger: Ledger,
        report: CrawlReport,
        latest: Callable[[], Versions],
        write: Callable[[pa.RecordBatch], object],
        settle: Callable[[list[int]], object],
    ) -> None:
        """Initialize with functions that read the table's versions, write rows, and mark replies as written."""
        self.report = report
        self._ledger, self._find_latest, self._write, self._settle = ledger, latest, write, settle
        self._queue: list[tuple[int, Puzzle]] = []
        self._latest: Versions | None = None

    def add(self, key: int, puzzle: Puzzle) -> None:
        """Enqueue the puzzle of a reply, by the reply's key."""
        self._queue.append((key, puzzle))
        if len(self._queue) == DEFAULT_SHAPE.rows_per_group:
            self.flush()

    def flush(self) -> None:
        """Write the queue, except for known versions."""
        if not self._queue:
            return
        if self._latest is None:
            self._latest = self._find_latest()
        puzzles = [puzzle for _, puzzle in self._queue]
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
        self._settle([key for key, _ in self._queue])
        self._queue.clear()

    def _version(self, puzzle_id: str, clue_hash: str) -> int:
        """Return the number of a new version, or 0 if the table has it."""
        assert self._latest is not None
        there = self._latest.setdefault(puzzle_id, {})
        if clue_hash in there.values():
            return 0
        # the first free number: a version whose part was damaged returns under its own
        number = next(number for number in itertools.count(1) if number not in there)
        there[number] = clue_hash
        if number > 1:
            self.report.changed.append(puzzle_id)
        return number


def puzzle_writer(store: Store, ledger: Ledger, report: CrawlReport) -> PuzzleWriter:
    """Return a writer that appends to the store and then marks replies in the ledger."""

    def write(batch: pa.RecordBatch) -> None:
        report.added += append(store, [batch])

    return PuzzleWriter(
        ledger, report, lambda: latest_versions(store.batches(VERSION_COLUMNS)), write, ledger.set_tabled
    )


def latest_versions(batches: Iterable[pa.RecordBatch]) -> Versions:
    """Return the versions in some rows."""
    latest: Versions = {}
    for batch in batches:
        for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in VERSION_COLUMNS), strict=True):
            name, _, version = puzzle_id.partition("@")
            number = int(version) if version.isdigit() else 1
            latest.setdefault(name, {})[number] = clue_hash
    return latest


RATINGS_PENDING = "ratings not in the table"
"""Ledger note: whether rows may lack ratings that the ledger has."""


def collect_ratings(
    store: Store,
    ledger: Ledger,
    buckets: Iterable[webpbn.RatingBucket],
    session: PoliteSession,
    on_bucket: Callable[[webpbn.RatingBucket, int], None],
) -> int:
    """Search webpbn by rating bucket, store the ratings in ledger and table; return the number of rated puzzles."""
    found: dict[str, dict[int, float]] = {}
    for bucket in buckets:
        reply = session.fetch(bucket.request)
        if reply.status != 200:
            raise NetworkError(f"{bucket.request.url}: HTTP status {reply.status}; the ratings are as they were")
        ratings = found.setdefault(bucket.measure, {})
        numbers = webpbn.listed(reply.body)
        for number in numbers:
            ratings.setdefault(number, bucket.rating)
        on_bucket(bucket, len(numbers))
    if not any(found.values()):
        raise NetworkError("the search has listed no puzzle in any bucket; the ratings are as they were")
    ledger.set_note(RATINGS_PENDING, "yes")  # before the ratings: after a crash `catch_up` fills them in
    for measure, ratings in found.items():
        ledger.rate("webpbn", measure, ratings)
    fill_in_ratings(store, ledger)
    return len(set().union(*found.values()))


def fill_in_ratings(store: Store, ledger: Ledger) -> None:
    """Write the ledger's ratings to the table."""
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


def reparse(store: Store, ledger: Ledger, on_reply: Callable[[str], None]) -> CrawlReport:
    """Judge all replies again, as after a parser was improved, and update the rows made from them.

    `on_reply` gets each outcome. Imported rows stay. Parts without changes are not rewritten, so results on them stay
    valid. If the process dies, the next crawl does the rest.
    """
    report = CrawlReport()
    batches: list[pa.RecordBatch] = []
    keys: list[int] = []
    imported = lambda: latest_versions(_imported(batch, ledger) for batch in store.batches(ORIGIN))  # noqa: E731
    table = PuzzleWriter(ledger, report, imported, batches.append, keys.extend)
    for kept in ledger.replies():
        judgement = judge_reply(JUDGES[kept.source], kept.reply, kept.number)
        ledger.judge_again(kept, judgement)
        if judgement.puzzle is not None:
            table.add(kept.key, stamp_reply(judgement.puzzle, kept.reply))
        on_reply(judgement.outcome)
    table.flush()
    _replace(store, ledger, pa.Table.from_batches(batches, PUZZLES), report)
    ledger.set_tabled(keys)
    report.changed.clear()  # known versions
    for counts in ledger.outcomes().values():
        for outcome, count in counts.items():
            report.outcomes[outcome] = report.outcomes.get(outcome, 0) + count
    return report


ORIGIN = [*VERSION_COLUMNS, "source", "source_id", "fetched_at", "raw_sha256"]
"""Columns that identify the origin of a row."""


def _crawled(batch: pa.RecordBatch, ledger: Ledger) -> np.ndarray:
    """Return which rows were made from replies in the ledger, bool[rows]."""
    keys = zip(*(batch[name].to_pylist() for name in ("source", "source_id", "raw_sha256")), strict=True)
    known = ledger.contents
    fetched: np.ndarray = batch["fetched_at"].is_valid().to_numpy(zero_copy_only=False)
    there: np.ndarray = fetched & np.array([key in known for key in keys], np.bool_)
    return there


def _imported(batch: pa.RecordBatch, ledger: Ledger) -> pa.RecordBatch:
    return batch.filter(pa.array(~_crawled(batch, ledger)))


def _replace(store: Store, ledger: Ledger, fresh: pa.Table, report: CrawlReport) -> None:
    """Replace the crawled rows by fresh ones, and append new ones."""
    used = np.zeros(len(fresh), np.bool_)
    ids = fresh["puzzle_id"].combine_chunks()

    def renewed(batch: pa.RecordBatch) -> pa.RecordBatch:
        crawled = _crawled(batch, ledger)
        where = pc.index_in(batch["puzzle_id"], ids).fill_null(-1).to_numpy()
        used[where[crawled & (where >= 0)]] = True
        places = np.where(crawled, np.where(where >= 0, where + len(batch), -1), np.arange(len(batch)))
        report.gone += int((places < 0).sum())
        return one_batch(pa.concat_tables([pa.Table.from_batches([batch]), fresh]).take(places[places >= 0]))

    report.rewritten = rewrite(store, renewed)
    rest = fresh.filter(pa.array(~used))
    if len(rest):
        report.added = append(store, rest.to_batches())
