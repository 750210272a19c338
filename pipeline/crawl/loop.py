"""The crawl loop: request a site's numbers one by one, resumable at any point.

Every outcome goes to the ledger before a crawl can end, and numbers that failed are requested last, so no number keeps
a crawl from the others. Puzzles are added to the table in batches; `catch_up` adds those that a killed process did not.
"""

import itertools
from collections import Counter
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
    stamp_reply,
)
from nonocensus.pipeline.errors import NetworkError
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.spans import Spans
from nonocensus.scrapers.http import HostUnreachable, PoliteSession, Reply, RequestFailed
from nonocensus.scrapers.http.messages import DEFAULT_LIMITS, normalize_url
from nonocensus.scrapers.http.polite_session import CONDITIONAL_HEADERS
from nonocensus.scrapers.site import Judgement, Site

RETRIES = 2
"""Rounds over the numbers that failed, after all others."""

MOST_ERRORS = 20
"""Consecutive errors after which a crawl stops, among numbers that had none before."""

MOST_REFUSALS = 2
"""Consecutive numbers refused after all attempts, after which a crawl stops."""

HIGHEST = 1_000_000
"""The highest plausible newest number; both sites have less than a tenth of it."""

REFUSALS = (429, 503)
"""Statuses with which a site declines because of its load."""


class OpenCrawl(NamedTuple):
    """A crawl at work: the store, its ledger, the session, and the report so far."""

    store: Store
    ledger: Ledger
    session: PoliteSession
    report: CrawlReport


class Answer(NamedTuple):
    """The outcome of requesting a number: of a judgement or `unchanged`, with a line; whether the site refused it."""

    outcome: str
    detail: str | None = None
    is_refusal: bool = False


def catch_up(store: Store, ledger: Ledger) -> CrawlReport:
    """Update the table from the ledger, as after a crash."""
    report = CrawlReport()
    table = PuzzleWriter(store, ledger, report)
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
    opened: OpenCrawl, site: Site, chosen: Spans, limit: int | None, refresh: bool, on_number: Callable[[bool], None]
) -> dict[int, str]:
    """Request the numbers one by one, and return those that failed, with the reason.

    Numbers never requested come first, then those requested least often, and at the end, in RETRIES rounds, those that
    fail now or failed last time. At most `limit` are requested; with `refresh`, what is newer than the stored reply.
    `on_number` is called after each request, with whether it was the number's first.

    The report is updated as the crawl goes, so it is complete when an exception ends it: KeyboardInterrupt,
    HostUnreachable, or NetworkError after too many errors or refusals in a row.
    """
    report, table = opened.report, PuzzleWriter(opened.store, opened.ledger, opened.report)
    answered, failed = opened.ledger.asked_numbers(site.source, chosen)
    never = spans.minus(chosen, spans.union((number, number + 1) for number in (*answered, *failed)))
    room = None if limit is None else max(0, limit - spans.size(never) - len(answered))
    numbers: Iterable[int] = itertools.islice(itertools.chain(spans.numbers_in(never), answered), limit)
    report.left = spans.size(chosen)
    settled, errors = Counter[str](), dict[int, str]()
    try:
        for is_retry in (False, *itertools.repeat(True, RETRIES)):
            in_a_row = refusals = 0
            for number in numbers:
                answer = _request_number(opened, site, number, refresh, table)
                is_first = errors.pop(number, None) is None
                if answer.outcome == "error":
                    errors[number] = answer.detail or ""
                else:
                    settled[answer.outcome] += 1
                    report.left -= 1
                in_a_row = in_a_row + 1 if answer.outcome == "error" else 0
                refusals = refusals + 1 if answer.is_refusal else 0
                report.outcomes = dict(settled | Counter(error=len(errors)))
                on_number(is_first)
                if refusals == MOST_REFUSALS:
                    raise NetworkError(f"{answer.detail}; the same command resumes later")
                if in_a_row == MOST_ERRORS and not is_retry:
                    raise NetworkError(
                        f"{MOST_ERRORS} replies in a row were errors, the last one: {answer.detail}; "
                        "the same command resumes with other numbers"
                    )
            numbers = [*failed[:room], *errors] if not is_retry else list(errors)
    finally:
        table.flush()
    return errors


def _request_number(opened: OpenCrawl, site: Site, number: int, refresh: bool, table: PuzzleWriter) -> Answer:
    """Request one number and store its outcome.

    Raises HostUnreachable, or NetworkError if the site asks to wait for too long, once the number has its error.
    """
    ledger = opened.ledger
    url, headers = ledger.newest(site.source, number) if refresh else ("", {})
    kinds = ",".join(sorted({*site.kinds, *filter(None, ledger.missing_kinds(site.source, number).split(","))}))
    replies: list[tuple[Reply, Judgement]] = []
    for request in site.requests(number):
        known = headers if url == normalize_url(request.url) else {}
        try:
            reply = opened.session.fetch(request, known)
        except (RequestFailed, HostUnreachable) as failed:
            tries = failed.attempts if isinstance(failed, RequestFailed) else 1
            ledger.record_failure(site.source, number, str(failed), tries, kinds)
            if isinstance(failed, HostUnreachable):
                if not replies:
                    raise
                return Answer("error", str(failed))
            if (failed.retry_after or 0) > DEFAULT_LIMITS.max_wait:
                raise NetworkError(f"{failed}; the same command resumes later") from failed
            return Answer("error", str(failed), failed.status in REFUSALS)
        if reply.status == 304 and reply.url == url and any(map(known.get, CONDITIONAL_HEADERS)):
            ledger.record_unchanged(site.source, number)
            return Answer("unchanged")
        judgement = judge_reply(site.judge, reply, number)
        replies.append((reply, judgement))
        if judgement.outcome != "missing":
            break
    key = ledger.record_replies(site.source, number, replies, kinds)
    puzzle = stamp_reply(judgement.puzzle, reply) if judgement.puzzle else None
    license_ = puzzle.license if puzzle else None
    # what is withdrawn is not to be published by anything that runs meanwhile
    is_withdrawn = judgement.outcome != "error" and table.licenses.get((site.source, str(number)), license_) != license_
    if (puzzle and table.add(key, puzzle)) or is_withdrawn:
        table.flush()
    return Answer(judgement.outcome, judgement.detail)


def newest_number(site: Site, session: PoliteSession) -> int:
    """Return the site's newest number. Raises NetworkError if its page has none, or an implausible one."""
    reply = session.fetch(site.newest_page)
    newest = site.newest(reply.body) if reply.status == 200 else None
    if newest is None:
        wrong = f"names no newest puzzle (HTTP status {reply.status})"
    elif newest > HIGHEST:
        wrong = f"names {newest:,} as its newest puzzle, which is implausible"
    else:
        return newest
    raise NetworkError(f"{site.newest_page.url} {wrong}; give --ids FIRST-LAST")
