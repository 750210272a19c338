"""Puzzles from replies into the store's table.

A puzzle whose clues changed on the site becomes a new row, source/number@2 and so on; the earlier row stays. Equal
clues of the same number are not a new version, whether crawled or imported; a crawled row follows the newest reply.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

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
    updated     rows whose texts, rights or picture the newest reply has changed
    rewritten   parts of the table that were replaced
    gone        rows removed because their reply is no longer judged to be a puzzle
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    added: int = 0
    changed: list[str] = field(default_factory=list)
    known: int = 0
    left: int = 0
    updated: int = 0
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

RIGHTS = ["source", "source_id", "fetched_at", "license"]
ORIGIN = [*VERSION_COLUMNS, *RIGHTS, "raw_sha256"]
"""Columns that identify the origin of a row."""

STATED = [*TEXT_LIMITS, "site_date", "goal"]
"""Columns with what a site states about a puzzle, but for its clues and ratings."""

Versions = dict[str, dict[int, str]]
"""Clue hashes by id without @version, then by version."""

Rights = dict[tuple[str, str], tuple[str | None, str | None]]
"""Copyright and licence by source and number."""


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
    """Brings puzzles from replies into the table.

    Each version of a puzzle is a row, made from the newest reply that has it. Copyright and licence of all versions
    are those of the newest reply; without a puzzle in it, there is no licence. Rows of imported files stay.
    """

    def __init__(self, store: Store, ledger: Ledger, report: CrawlReport, has_all: bool = False) -> None:
        """Initialize; with `has_all` all replies will be added, so rows of replies without their puzzle are removed."""
        self._store, self._ledger, self._report, self._has_all = store, ledger, report, has_all
        self._queue: list[tuple[int, Puzzle]] = []
        self._rows: list[pa.RecordBatch] = []
        self._keys: list[int] = []
        self._rights: Rights = {}
        self._versions: Versions | None = None
        self._has_known = has_all

    @cached_property
    def licenses(self) -> dict[tuple[str, str], str]:
        """Licences in the table, by source and number of crawled rows."""
        found: dict[tuple[str, str], str] = {}
        for batch in self._store.batches(RIGHTS):
            licensed = batch.filter(batch["license"].is_valid())
            pairs = zip(_numbers(licensed), licensed["license"].to_pylist(), strict=True)
            found.update((number, license_) for number, license_ in pairs if number)
        return found

    def add(self, key: int, puzzle: Puzzle) -> bool:
        """Add the puzzle of a reply, by the reply's key, after older ones; return whether a row group is complete."""
        self._queue.append((key, puzzle))
        is_complete = len(self._queue) == DEFAULT_SHAPE.rows_per_group
        if is_complete:
            self._tabulate()
        return is_complete

    def flush(self) -> None:
        """Update the table, then mark the replies as tabled."""
        self._tabulate()
        withdrawn = self._ledger.withdrawn()
        table = pa.Table.from_batches(self._rows, PUZZLES)
        last = {puzzle_id: place for place, puzzle_id in enumerate(table["puzzle_id"].to_pylist())}
        rows = one_batch(table.take(pa.array(last.values(), pa.int64())))
        fresh = _with_rights(rows, self._rights, withdrawn)
        present = np.zeros(len(fresh), np.bool_)
        if not withdrawn.isdisjoint(self.licenses) or self._has_known:
            contents = self._ledger.contents() if self._has_all else None
            renewed = partial(self._renewed, fresh, present, withdrawn, contents)
            self._report.rewritten += rewrite(self._store, renewed)
        if not present.all():
            self._report.added += append(self._store, [fresh.filter(pa.array(~present))])
        self._ledger.set_tabled(self._keys)
        self._rows, self._keys, self._rights, self._has_known = [], [], {}, False
        del self.licenses

    def _tabulate(self) -> None:
        """Turn the queue into rows with the ids of their versions."""
        if not self._queue:
            return
        if self._versions is None:
            self._versions = latest_versions(self._known_rows())
        puzzles = [puzzle for _, puzzle in self._queue]
        ratings = self._ledger.ratings()
        fresh = []
        for puzzle, clue_hash in zip(puzzles, puzzle_batch(puzzles)["clue_hash"].to_pylist(), strict=True):
            version = self._version(puzzle.puzzle_id, clue_hash)
            number = puzzle.source or "", puzzle.source_id or ""
            difficulty, quality = ratings.get(number, (None, None))
            self._rights[number] = puzzle.copyright, puzzle.license
            fresh.append(
                replace(
                    puzzle,
                    puzzle_id=puzzle.puzzle_id if version == 1 else f"{puzzle.puzzle_id}@{version}",
                    site_difficulty=puzzle.site_difficulty if difficulty is None else difficulty,
                    site_quality=puzzle.site_quality if quality is None else quality,
                )
            )
        self._rows.append(puzzle_batch(fresh))
        self._keys += [key for key, _ in self._queue]
        self._queue.clear()

    def _known_rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows that have versions already: all, or those that replies in the ledger were not made into."""
        if not self._has_all:
            yield from self._store.batches(VERSION_COLUMNS)
            return
        contents = self._ledger.contents()
        for batch in self._store.batches(ORIGIN):
            yield batch.filter(pa.array(~_made_from(batch, contents)))

    def _version(self, puzzle_id: str, clue_hash: str) -> int:
        """Return the number of the version with these clues, a new one if the table has none."""
        assert self._versions is not None
        there = self._versions.setdefault(puzzle_id, {})
        self._has_known |= bool(there)
        for number, known in there.items():
            if known == clue_hash:
                return number
        # the first free number: a version whose part was damaged returns under its own
        number = next(number for number in itertools.count(1) if number not in there)
        there[number] = clue_hash
        if number > 1:
            self._report.changed.append(puzzle_id)
        return number

    def _renewed(
        self,
        fresh: pa.RecordBatch,
        present: np.ndarray,
        withdrawn: set[tuple[str, str]],
        contents: set[tuple[str, str, str]] | None,
        batch: pa.RecordBatch,
    ) -> pa.RecordBatch:
        """Return rows of the table as the replies have them; mark in `present` which fresh ones are among them.

        A row whose reply has the same body keeps its time. Rows made from one of `contents` that have no fresh row are
        removed.
        """
        crawled: np.ndarray = batch["fetched_at"].is_valid().to_numpy(zero_copy_only=False)
        where = pc.index_in(batch["puzzle_id"], fresh["puzzle_id"]).fill_null(-1).to_numpy()
        present[where[where >= 0]] = True
        places = np.where(crawled & (where >= 0), where + len(batch), np.arange(len(batch)))
        new = one_batch(pa.Table.from_batches([batch, fresh]).take(places))
        same = pc.equal(new["raw_sha256"], batch["raw_sha256"])
        times = pc.if_else(same.fill_null(True), batch["fetched_at"], new["fetched_at"])  # null in imported rows
        new = _set(new, "fetched_at", times)
        new = _with_rights(new, self._rights, withdrawn)
        self._report.updated += int(np.count_nonzero(_differ(new, batch)))
        if contents is None:
            return new
        gone = (where < 0) & _made_from(batch, contents)
        self._report.gone += int(np.count_nonzero(gone))
        return new.filter(pa.array(~gone))


def latest_versions(batches: Iterable[pa.RecordBatch]) -> Versions:
    """Return the versions in some rows."""
    latest: Versions = {}
    for batch in batches:
        for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in VERSION_COLUMNS), strict=True):
            name, _, version = puzzle_id.partition("@")
            number = int(version) if version.isdigit() else 1
            latest.setdefault(name, {})[number] = clue_hash
    return latest


def _numbers(batch: pa.RecordBatch) -> list[tuple[str, str] | None]:
    """Return source and number of crawled rows, None for others."""
    columns = (batch[name].to_pylist() for name in ("source", "source_id", "fetched_at"))
    return [None if time is None else (source, number) for source, number, time in zip(*columns, strict=True)]


def _with_rights(batch: pa.RecordBatch, rights: Rights, withdrawn: set[tuple[str, str]]) -> pa.RecordBatch:
    """Return rows with the rights of their numbers; crawled rows of withdrawn numbers lose their licence."""
    numbers = _numbers(batch)
    own = zip(batch["copyright"].to_pylist(), batch["license"].to_pylist(), strict=True)
    stated = [rights.get(number, pair) if number else pair for number, pair in zip(numbers, own, strict=True)]
    licenses = [None if n in withdrawn else license_ for n, (_, license_) in zip(numbers, stated, strict=True)]
    return _set(_set(batch, "copyright", [copyright_ for copyright_, _ in stated]), "license", licenses)


def _set(batch: pa.RecordBatch, name: str, values: Any) -> pa.RecordBatch:
    field = batch.schema.field(name)
    return batch.set_column(batch.schema.get_field_index(name), field, pa.array(values, field.type))


def _differ(new: pa.RecordBatch, old: pa.RecordBatch) -> np.ndarray:
    """Return which rows differ in what a site states about a puzzle, bool[rows]."""
    differ = np.zeros(len(new), np.bool_)
    for name in STATED:
        same = pc.equal(new[name], old[name])
        both_null = pc.and_(new[name].is_null(), old[name].is_null())
        differ |= ~pc.coalesce(same, both_null).to_numpy(zero_copy_only=False)
    return differ


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
        numbers = webpbn.listed_numbers(reply.body)
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
            batch = _set(batch, name, pc.coalesce(new, batch[name]))
        return batch

    rewrite(store, rated)
    ledger.set_note(RATINGS_PENDING, "no")


def reparse(store: Store, ledger: Ledger, on_reply: Callable[[str], None]) -> CrawlReport:
    """Judge all replies again, as after a parser was improved, and update the rows made from them.

    `on_reply` gets each outcome. Imported rows stay. Parts without changes are not rewritten, so results on them stay
    valid. If the process dies, the next crawl does the rest.
    """
    report = CrawlReport()
    table = PuzzleWriter(store, ledger, report, has_all=True)
    for kept in ledger.replies():
        judgement = judge_reply(JUDGES[kept.source], kept.reply, kept.number)
        ledger.judge_again(kept, judgement)
        if judgement.puzzle is not None:
            table.add(kept.key, stamp_reply(judgement.puzzle, kept.reply))
        on_reply(judgement.outcome)
    table.flush()
    report.changed.clear()  # known versions
    for counts in ledger.outcomes().values():
        for outcome, count in counts.items():
            report.outcomes[outcome] = report.outcomes.get(outcome, 0) + count
    return report


def _made_from(batch: pa.RecordBatch, contents: set[tuple[str, str, str]]) -> np.ndarray:
    """Return which rows were made from replies with these contents (`Ledger.contents`), bool[rows]."""
    keys = zip(*(batch[name].to_pylist() for name in ("source", "source_id", "raw_sha256")), strict=True)
    fetched: np.ndarray = batch["fetched_at"].is_valid().to_numpy(zero_copy_only=False)
    made: np.ndarray = fetched & np.array([key in contents for key in keys], np.bool_)
    return made
