"""Crawl a site into a store: number by number, politely, so that it can be stopped at any moment for any time.

The ledger has every reply; the store's table of puzzles follows from it. Puzzles are added to the table in batches, and
what a killed process did not come to add is added first thing the next time.

A puzzle that has changed on the site becomes a new row, source/number@2 and so on; the earlier one stays as it is. What
counts as a change are clues, goal, and the site's own version.
"""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.crawl.ledger import Ledger
from pipeline.errors import UserError
from pipeline.settings import default_settings
from pipeline.store.parts import Store, append, create_store, mark, rewrite
from scrapers import nonograms
from scrapers.http import Failed, Polite, Reply
from scrapers.site import Judgement, Site
from scrapers.webpbn import Bucket, listed
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch

PASSES = 3
"""How often a crawl comes back to numbers that ended in an error."""

MOST_ERRORS = 20
"""Errors in a row after which a crawl stops: the site is not what it was."""

AWAY = (429, 503)
"""Statuses that say, after all tries, that the site wants no more requests for now."""

RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
VERSION_COLUMNS = ["puzzle_id", "clue_hash", "goal", "site_version"]
REPARSED = "reparsed"
"""The folder in the store where a table is made anew."""

RATINGS_WAIT = "ratings not in the table"
"""A note of the ledger: whether rows may lack ratings that it has."""


def parse_ids(text: str) -> list[range]:
    """Numbers like 7, 1-5000 or 1-10,20-30. Raises UserError for anything else, a reversed range too."""
    ranges = []
    for part in text.split(","):
        found = RANGE.fullmatch(part.strip())
        if not found:
            raise UserError(f"--ids {text}: {part.strip()!r} is neither a number nor a range like 1-5000")
        first, last = int(found[1]), int(found[2] or found[1])
        if first == 0:
            raise UserError(f"--ids {text}: ids begin at 1")
        if last < first:
            raise UserError(f"--ids {text}: {part.strip()} runs backwards")
        ranges.append(range(first, last + 1))
    return ranges


@dataclass
class CrawlReport:
    """What a crawl did.

    outcomes    numbers asked for, by what came of them
    added       rows added to the table; `changed` names those of them that are new versions
    known       numbers that were not asked for, since the ledger has them
    left        numbers still to be asked for
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    added: int = 0
    changed: list[str] = field(default_factory=list)
    known: int = 0
    left: int = 0


class Step(NamedTuple):
    """One number done: what came of it, or, on a refresh, that the site has nothing newer."""

    number: int
    outcome: str
    detail: str | None


Judges = dict[str, Callable[[Reply, int], Judgement]]
"""By source: what tells what a reply is."""


def crawl_store(place: Path) -> Store:
    """The store of a crawl, made if need be; UserError as for `create_store`."""
    store = create_store(str(place))
    mark(store)
    return store


def begin(store: Store, ledger: Ledger, judges: Judges) -> CrawlReport:
    """Bring the table up to date with the ledger, as after a crash."""
    _end_swap(store)
    report = CrawlReport()
    table = _Table(store, ledger, report)
    for kept in ledger.untabled():
        judgement = _judged(judges[kept.source], kept.reply, kept.number)
        if judgement.puzzle is None:
            ledger.judge_again(kept, judgement)
        else:
            table.add(kept.key, _dated(judgement.puzzle, kept.reply))
    table.flush()
    if ledger.noted(RATINGS_WAIT) == "yes":
        _fill_in_ratings(store, ledger)
    return report


def crawl(
    store: Store,
    ledger: Ledger,
    site: Site,
    session: Polite,
    numbers: list[int],
    kinds: str,
    refresh: bool,
    report: CrawlReport,
    seen: Callable[[], None],
) -> None:
    """Ask for the numbers, one after the other; `seen` is called after each. Errors are asked for again at the end.

    `kinds` are the kinds of puzzle that the site is asked for, comma-separated. The report is kept up to date, so that
    it stands when an exception ends the crawl: KeyboardInterrupt, Forbidden, Unreachable, or UserError when the site
    keeps asking us to wait or too many errors come in a row.
    """
    table = _Table(store, ledger, report)
    report.left = len(numbers)
    in_a_row = 0
    try:
        for again in range(PASSES):
            errors = []
            for number in numbers:
                step = _ask(ledger, site, session, number, kinds, refresh, table)
                if step.outcome == "error":
                    errors.append(number)
                    in_a_row += 1
                else:
                    in_a_row = 0
                    report.left -= 1
                if step.outcome != "error" or again == PASSES - 1:
                    report.outcomes[step.outcome] = report.outcomes.get(step.outcome, 0) + 1
                    seen()
                if in_a_row == MOST_ERRORS:
                    raise UserError(
                        f"{MOST_ERRORS} replies in a row were errors, the last one: {step.detail}; "
                        "when the site is well again, the same command goes on"
                    )
            numbers = errors
    finally:
        table.flush()


def _ask(ledger: Ledger, site: Site, session: Polite, number: int, kinds: str, refresh: bool, table: "_Table") -> Step:
    """Ask for one number and keep what comes."""
    known = ledger.headers(site.source, number) if refresh else None
    asked = ",".join(sorted({*kinds.split(","), *filter(None, ledger.asked_before(site.source, number).split(","))}))
    replies: list[tuple[Reply, Judgement]] = []
    for request in site.requests(number):
        try:
            reply = session.fetch(request, known)
        except Failed as failed:
            if failed.status in AWAY:
                raise UserError(f"{failed}; the same command goes on another time") from failed
            ledger.note_failure(site.source, number, str(failed), failed.tries, asked)
            return Step(number, "error", str(failed))
        if reply.status == 304:
            ledger.note_unchanged(site.source, number)
            return Step(number, "unchanged", None)
        judgement = _judged(site.judge, reply, number)
        replies.append((reply, judgement))
        if judgement.outcome != "missing":
            break
    key = ledger.note(site.source, number, replies, asked)
    if judgement.puzzle is not None:
        table.add(key, _dated(judgement.puzzle, reply))
    return Step(number, judgement.outcome, judgement.detail)


def _judged(judge: Callable[[Reply, int], Judgement], reply: Reply, number: int) -> Judgement:
    """What a reply is. One that a reader stumbles over must not end a crawl of weeks: it is kept, to be read again."""
    try:
        return judge(reply, number)
    except Exception as error:
        return Judgement("unsupported", f"the reader failed: {type(error).__name__}: {error}")


def _dated(puzzle: Puzzle, reply: Reply) -> Puzzle:
    digest = hashlib.sha256(reply.body).hexdigest()
    return replace(puzzle, fetched_at=reply.fetched_at.replace(microsecond=0), raw_sha256=digest)


class _Table:
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
    _end_swap(store)
    fresh = Store(store.folder / REPARSED)
    append(fresh, _from_elsewhere(store, ledger.crawled()))
    table = _Table(fresh, ledger, report)
    for kept in ledger.every_reply():
        judgement = _judged(judges[kept.source], kept.reply, kept.number)
        ledger.judge_again(kept, judgement)
        if judgement.puzzle is not None:
            table.add(kept.key, _dated(judgement.puzzle, kept.reply))
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
    _end_swap(store)


def _end_swap(store: Store) -> None:
    """Do what is left to do of a swap that a killed process has begun, and delete the rest of it."""
    place = Path(store.folder.path)
    if (place / REPARSED / "old").exists() and not (place / "puzzles").exists():
        (place / REPARSED / "puzzles").rename(place / "puzzles")
    shutil.rmtree(place / REPARSED, ignore_errors=True)


def newest_number(site: Site, session: Polite) -> int:
    """The newest number that the site has. A UserError says if its list does not tell."""
    reply = session.fetch(site.news)
    newest = site.newest(reply.body) if reply.status == 200 else None
    if newest is None:
        raise UserError(f"{site.news.url} names no newest puzzle (HTTP status {reply.status}); give --ids FIRST-LAST")
    return newest


def walk_lists(
    ledger: Ledger, base: str, kinds: Iterable[str], session: Polite, seen: Callable[[str, int, int], None]
) -> None:
    """Learn from nonograms.org's lists which kind its numbers are, so that each is asked for under the right address.

    Each list is walked once, from where an earlier walk was stopped; what comes to the site later is asked for as both
    kinds. `seen` is told kind, page and numbers of each page.
    """
    for kind in kinds:
        place = f"next page of the list of {kind}"
        page, before = int(ledger.noted(place) or 1), None
        while page > 0:
            request = nonograms.list_page(base, kind, page)
            reply = session.fetch(request)
            if reply.status not in (200, 404):
                raise UserError(f"{request.url}: HTTP status {reply.status}; the same command goes on from there")
            numbers = nonograms.listed(reply.body, kind) if reply.status == 200 else []
            # behind the last page there may be nothing, or the last page once more
            page = page + 1 if numbers and numbers != before else 0
            before = numbers
            ledger.note_kinds(nonograms.SOURCE, numbers, nonograms.KINDS[kind])
            ledger.set_note(place, str(page))
            seen(kind, page - 1, len(numbers))


def collect_ratings(
    store: Store, ledger: Ledger, buckets: Iterable[Bucket], session: Polite, seen: Callable[[Bucket, int], None]
) -> int:
    """Ask the search which puzzles lie in each bucket of each rating; returns how many puzzles have one now.

    The ratings go to the ledger and from there into the table's rows of these puzzles.
    """
    found: dict[str, dict[int, float]] = {}
    for bucket in buckets:
        reply = session.fetch(bucket.request)
        if reply.status != 200:
            raise UserError(f"{bucket.request.url}: HTTP status {reply.status}; the ratings are as they were")
        ratings = found.setdefault(bucket.measure, {})
        numbers = listed(reply.body)
        for number in numbers:
            ratings.setdefault(number, bucket.rating)
        seen(bucket, len(numbers))
    if not any(found.values()):
        raise UserError("the search has listed no puzzle in any bucket; the ratings are as they were")
    ledger.set_note(RATINGS_WAIT, "yes")  # first: a crash from here on leaves rows to be filled in
    for measure, ratings in found.items():
        ledger.rate("webpbn", measure, ratings)
    _fill_in_ratings(store, ledger)
    return len(set().union(*found.values()))


def _fill_in_ratings(store: Store, ledger: Ledger) -> None:
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
    ledger.set_note(RATINGS_WAIT, "no")
