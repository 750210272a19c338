"""The crawl loop: request a site's numbers one by one, resumable at any point.

Every reply goes to the ledger first. Puzzles are added to the table in batches; `catch_up` adds those that a killed
process did not.
"""

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from nonocensus.pipeline.crawl.ledger import Ledger
from nonocensus.pipeline.crawl.table import (
    JUDGES,
    RATINGS_PENDING,
    CrawlReport,
    PuzzleWriter,
    fill_in_ratings,
    judge_reply,
    puzzle_writer,
    stamp_reply,
)
from nonocensus.pipeline.errors import NetworkError
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.spans import Spans
from nonocensus.scrapers.http import PoliteSession, Reply, RequestFailed
from nonocensus.scrapers.site import Judgement, Site

PASSES = 3
"""Rounds over the numbers that failed."""

MOST_ERRORS = 20
"""Consecutive errors after which a crawl stops."""

HIGHEST = 1_000_000
"""The highest plausible newest number; both sites have less than a tenth of it."""

OVERLOAD = (429, 503)
"""Statuses that end a crawl if they persist after all retries."""


class OpenCrawl(NamedTuple):
    """A crawl at work: the store, its ledger, the session, and the report so far."""

    store: Store
    ledger: Ledger
    session: PoliteSession
    report: CrawlReport


def catch_up(store: Store, ledger: Ledger) -> CrawlReport:
    """Update the table from the ledger, as after a crash."""
    report = CrawlReport()
    table = puzzle_writer(store, ledger, report)
    for kept in ledger.replies(only_untabled=True):
        judgement = judge_reply(JUDGES[kept.source], kept.reply, kept.number)
        if judgement.puzzle is None:
            ledger.judge_again(kept, judgement)
        else:
            table.add(kept.key, stamp_reply(judgement.puzzle, kept.reply))
    table.flush()
    if ledger.read_note(RATINGS_PENDING) == "yes":
        fill_in_ratings(store, ledger)
    return report


def crawl(
    opened: OpenCrawl, site: Site, chosen: Spans, limit: int | None, refresh: bool, on_number: Callable[[], None]
) -> None:
    """Request the numbers one by one, calling `on_number` after each; failed ones are retried at the end.

    At most `limit` are requested; with `refresh`, what is newer than the stored reply.

    The report is updated as the crawl goes, so it is complete when an exception ends it: KeyboardInterrupt,
    RobotsDisallowed, HostUnreachable, or NetworkError after too many errors or refusals in a row.
    """
    report = opened.report
    table = puzzle_writer(opened.store, opened.ledger, report)
    report.left = spans.size(chosen)
    numbers: Iterable[int] = itertools.islice(spans.numbers_in(chosen), limit)
    in_a_row = 0
    try:
        for again in range(PASSES):
            errors = []
            for number in numbers:
                outcome, detail = _crawl_number(opened, site, number, refresh, table)
                if outcome == "error":
                    errors.append(number)
                    in_a_row += 1
                else:
                    in_a_row = 0
                    report.left -= 1
                if outcome != "error" or again == PASSES - 1:
                    report.outcomes[outcome] = report.outcomes.get(outcome, 0) + 1
                    on_number()
                if in_a_row == MOST_ERRORS:
                    raise NetworkError(
                        f"{MOST_ERRORS} replies in a row were errors, the last one: {detail}; "
                        "the same command resumes later"
                    )
            numbers = errors
    finally:
        table.flush()


def _crawl_number(
    opened: OpenCrawl, site: Site, number: int, refresh: bool, table: PuzzleWriter
) -> tuple[str, str | None]:
    """Request one number and store the replies; return its outcome with a line, or `unchanged` if nothing is newer."""
    ledger = opened.ledger
    known = ledger.headers(site.source, number) if refresh else None
    kinds = ",".join(sorted({*site.kinds, *filter(None, ledger.missing_kinds(site.source, number).split(","))}))
    replies: list[tuple[Reply, Judgement]] = []
    for request in site.requests(number):
        try:
            reply = opened.session.fetch(request, known)
        except RequestFailed as failed:
            if failed.status in OVERLOAD:
                raise NetworkError(f"{failed}; the same command resumes later") from failed
            ledger.record_failure(site.source, number, str(failed), failed.attempts, kinds)
            return "error", str(failed)
        if reply.status == 304:
            ledger.record_unchanged(site.source, number)
            return "unchanged", None
        judgement = judge_reply(site.judge, reply, number)
        replies.append((reply, judgement))
        if judgement.outcome != "missing":
            break
    key = ledger.record_replies(site.source, number, replies, kinds)
    if judgement.puzzle is not None:
        table.add(key, stamp_reply(judgement.puzzle, reply))
    return judgement.outcome, judgement.detail


def newest_number(site: Site, session: PoliteSession) -> int:
    """Return the site's newest number. Raises NetworkError if its news page has none, or an implausible one."""
    reply = session.fetch(site.news)
    newest = site.newest(reply.body) if reply.status == 200 else None
    if newest is None:
        wrong = f"names no newest puzzle (HTTP status {reply.status})"
    elif newest > HIGHEST:
        wrong = f"names {newest:,} as its newest puzzle, which is implausible"
    else:
        return newest
    raise NetworkError(f"{site.news.url} {wrong}; give --ids FIRST-LAST")
