"""Crawl a site into a store: number by number, politely, so that it can be stopped at any moment for any time.

The ledger has every reply; the store's table of puzzles follows from it. Puzzles are added to the table in batches, and
what a killed process did not come to add is added first thing the next time.

A puzzle that has changed on the site becomes a new row, source/number@2 and so on; the earlier one stays as it is. What
counts as a change are its clues.
"""

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pipeline.crawl.ledger import Ledger
from pipeline.crawl.table import (
    RATINGS_PENDING,
    CrawlReport,
    CrawlStep,
    Judges,
    PuzzleWriter,
    fill_in_ratings,
    judge_reply,
    puzzle_writer,
    stamp_reply,
)
from pipeline.errors import NetworkError
from pipeline.store import spans
from pipeline.store.parts import Store
from pipeline.store.spans import Spans
from scrapers.http import PoliteSession, Reply, RequestFailed
from scrapers.site import Judgement, Site

PASSES = 3
"""How often a crawl comes back to numbers that ended in an error."""

MOST_ERRORS = 20
"""Errors in a row after which a crawl stops: the site is not what it was."""

HIGHEST = 1_000_000
"""The highest number that a site is believed to have; both have less than a tenth of that."""

AWAY = (429, 503)
"""Statuses that say, after all tries, that the site wants no more requests for now."""


class CrawlRequest(NamedTuple):
    """What a crawl is to ask for: these numbers, at most `limit` of them, for what is newer if it is a refresh."""

    numbers: Spans
    limit: int | None = None
    refresh: bool = False


def catch_up(store: Store, ledger: Ledger, judges: Judges) -> CrawlReport:
    """Bring the table up to date with the ledger, as after a crash."""
    report = CrawlReport()
    table = puzzle_writer(store, ledger, report)
    for kept in ledger.untabled():
        judgement = judge_reply(judges[kept.source], kept.reply, kept.number)
        if judgement.puzzle is None:
            ledger.judge_again(kept, judgement)
        else:
            table.add(kept.key, stamp_reply(judgement.puzzle, kept.reply))
    table.flush()
    if ledger.noted(RATINGS_PENDING) == "yes":
        fill_in_ratings(store, ledger)
    return report


def crawl(
    store: Store,
    ledger: Ledger,
    site: Site,
    session: PoliteSession,
    wanted: CrawlRequest,
    report: CrawlReport,
    seen: Callable[[], None],
) -> None:
    """Ask for the numbers, one after the other; `seen` is called after each. Errors are asked for again at the end.

    The report is updated as the crawl goes, so it is complete when an exception ends it: KeyboardInterrupt,
    RobotsDisallowed, HostUnreachable, or NetworkError after too many errors or refusals in a row.
    """
    table = puzzle_writer(store, ledger, report)
    report.left = spans.size(wanted.numbers)
    numbers: Iterable[int] = itertools.islice(spans.numbers_in(wanted.numbers), wanted.limit)
    in_a_row = 0
    try:
        for again in range(PASSES):
            errors = []
            for number in numbers:
                step = _ask(ledger, site, session, number, wanted.refresh, table)
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
                    raise NetworkError(
                        f"{MOST_ERRORS} replies in a row were errors, the last one: {step.detail}; "
                        "when the site is well again, the same command goes on"
                    )
            numbers = errors
    finally:
        table.flush()


def _ask(
    ledger: Ledger, site: Site, session: PoliteSession, number: int, refresh: bool, table: PuzzleWriter
) -> CrawlStep:
    """Ask for one number and keep what comes."""
    known = ledger.headers(site.source, number) if refresh else None
    asked = ",".join(sorted({*site.kinds, *filter(None, ledger.asked_before(site.source, number).split(","))}))
    replies: list[tuple[Reply, Judgement]] = []
    for request in site.requests(number):
        try:
            reply = session.fetch(request, known)
        except RequestFailed as failed:
            if failed.status in AWAY:
                raise NetworkError(f"{failed}; the same command goes on another time") from failed
            ledger.note_failure(site.source, number, str(failed), failed.attempts, asked)
            return CrawlStep(number, "error", str(failed))
        if reply.status == 304:
            ledger.note_unchanged(site.source, number)
            return CrawlStep(number, "unchanged", None)
        judgement = judge_reply(site.judge, reply, number)
        replies.append((reply, judgement))
        if judgement.outcome != "missing":
            break
    key = ledger.note(site.source, number, replies, asked)
    if judgement.puzzle is not None:
        table.add(key, stamp_reply(judgement.puzzle, reply))
    return CrawlStep(number, judgement.outcome, judgement.detail)


def newest_number(site: Site, session: PoliteSession) -> int:
    """The newest number that the site has. A NetworkError says if its list does not tell, or hardly the truth."""
    reply = session.fetch(site.news)
    newest = site.newest(reply.body) if reply.status == 200 else None
    if newest is None:
        wrong = f"names no newest puzzle (HTTP status {reply.status})"
    elif newest > HIGHEST:
        wrong = f"names {newest:,} as its newest puzzle, which can hardly be"
    else:
        return newest
    raise NetworkError(f"{site.news.url} {wrong}; give --ids FIRST-LAST")
