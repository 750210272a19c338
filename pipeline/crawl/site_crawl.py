"""A whole crawl of a site: what is asked for, how politely, and what comes of it."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pipeline.callbacks import SILENT, ProgressCallbacks
from pipeline.crawl.ledger import Ledger, open_ledger
from pipeline.crawl.loop import CrawlRequest, catch_up, crawl, newest_number
from pipeline.crawl.reparse import reparse
from pipeline.crawl.table import CrawlReport, CrawlStep, Judges, collect_ratings, crawl_store
from pipeline.errors import NetworkError, UserError
from pipeline.store.parts import Store
from pipeline.store.spans import Spans, size, union
from scrapers import nonograms, webpbn
from scrapers.demo import SOURCE as DEMO
from scrapers.demo import demo_site as demo
from scrapers.formats.shared import clipped
from scrapers.http import HostUnreachable, PoliteSession, RequestFailed, RobotsDisallowed
from scrapers.http.messages import normalize_url
from scrapers.http.polite_session import contact_for
from scrapers.http.throttle import check_host_rate, check_rate
from scrapers.site import Site

JUDGES: Judges = {webpbn.SOURCE: webpbn.judge, nonograms.SOURCE: nonograms.judge, DEMO: demo.judge}

HOMES = {webpbn.SOURCE: (webpbn.HOME,), nonograms.SOURCE: nonograms.HOMES, DEMO: ()}
"""By site: where it is. The demo's archive is wherever a twin serves it."""


class CrawlOptions(NamedTuple):
    """What a site is asked for, and how.

    site       webpbn, nonograms or demo
    ids        numbers: 7, 1-5000, 1-10,20-30, or all up to the newest; or None with
    new        what has come since the highest number ever asked for
    refresh    ask again for what is there already
    limit      most numbers to ask for this time
    kind       nonograms: mono or color alone
    base_urls  other addresses of the site: its twin's, a mirror's
    contact    e-mail or web address for the site's owner; nobody needs one to ask their own machine
    rate       least seconds between requests; below 1.5 for this machine alone
    """

    site: str
    ids: str | None = None
    new: bool = False
    refresh: bool = False
    limit: int | None = None
    kind: str | None = None
    base_urls: tuple[str, ...] = ()
    contact: str | None = None
    rate: float = 1.5

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the site is asked."""
        return tuple(address.rstrip("/") for address in self.base_urls) or HOMES[self.site]


class CrawlResult(NamedTuple):
    """What came of a crawl: the store, the report, and of numbers that ended in an error (source, number, reason)."""

    store: Store
    report: CrawlReport
    errors: list[tuple[str, int, str]]


MOST_ERRORS = 1000
"""Errors that a crawl names."""


def crawl_site(place: Path, asking: CrawlOptions, callbacks: ProgressCallbacks = SILENT) -> CrawlResult:
    """Ask a site for puzzles, politely, into a store. Stop it when you like: the same call goes on from there.

    Raises UserError for what does not go together, NetworkError when the site gives no answer. On KeyboardInterrupt
    what has come is kept.
    """
    if (asking.ids is None) != asking.new:
        raise UserError("say what to crawl, by one of: --ids, --new, --ratings, --reparse")
    contact = check_options(asking)
    store = crawl_store(place)
    with open_ledger(place) as ledger:
        report = catch_up(store, ledger, JUDGES)
        with _polite(contact, asking.rate, callbacks) as session:
            _ask_numbers(store, ledger, session, asking, report, callbacks)
        return CrawlResult(store, report, ledger.errors(MOST_ERRORS))


def crawl_ratings(place: Path, asking: CrawlOptions, callbacks: ProgressCallbacks = SILENT) -> int:
    """Ask webpbn for the visitors' ratings of all puzzles; returns how many have one."""
    if asking.site != webpbn.SOURCE:
        raise UserError("--ratings is for webpbn; the pages of nonograms.org have their ratings on them")
    contact = check_options(asking)
    store = crawl_store(place)
    with open_ledger(place) as ledger, _polite(contact, asking.rate, callbacks) as session:
        catch_up(store, ledger, JUDGES)
        questions = list(webpbn.buckets(*asking.addresses[:1]))
        callbacks.on_start("asking for ratings", len(questions))

        def seen(bucket: webpbn.Bucket, count: int) -> None:
            callbacks.on_progress(
                1, f"{bucket.measure} {bucket.low:g} to {bucket.high:g}: {count:,} {next_in(session)}"
            )

        return collect_ratings(store, ledger, questions, session, seen)


def reparse_store(place: Path, callbacks: ProgressCallbacks = SILENT) -> CrawlResult:
    """Bring the table of a store up to date with the replies that were kept, without the network."""
    store = crawl_store(place)
    with open_ledger(place) as ledger:
        callbacks.on_start("reading replies", ledger.size()["replies"])

        def seen(step: CrawlStep) -> None:
            callbacks.on_progress(1, step.outcome)

        return CrawlResult(store, reparse(store, ledger, JUDGES, seen), [])


def check_options(asking: CrawlOptions) -> str:
    """The contact that the site's owner is told. A UserError refuses what does not go together or is too quick."""
    if asking.site not in HOMES:
        raise UserError(f"{clipped(asking.site)} is none of the sites that can be crawled: {', '.join(HOMES)}")
    if not asking.addresses:
        raise UserError(
            "the demo's archive has no address of its own: `nonocensus twin` serves it, --base-url says where"
        )
    if asking.refresh and asking.ids is None:
        raise UserError("--refresh goes with --ids")
    if asking.kind and asking.site != nonograms.SOURCE:
        raise UserError("--kind is for nonograms; elsewhere one address serves both kinds")
    if asking.kind and asking.kind not in nonograms.KINDS:
        raise UserError(f"--kind {clipped(asking.kind)}: one of {', '.join(nonograms.KINDS)}")
    if asking.ids not in (None, "all"):
        parse_ids(str(asking.ids))
    for address in asking.base_urls:
        try:
            normalize_url(address)
        except ValueError:
            raise UserError(f"--base-url {clipped(address)}: no address like https://webpbn.com") from None
    try:
        check_rate(asking.rate)
        for address in asking.addresses:
            check_host_rate(address, asking.rate)
    except ValueError as error:
        raise UserError(f"--rate: {error}") from None
    if len(asking.base_urls) > 1 and asking.site != nonograms.SOURCE:
        raise UserError(f"{asking.site} has one address: give --base-url once")
    try:
        return contact_for(asking.addresses, asking.contact)
    except ValueError as error:
        raise UserError(f"--contact: {error}" if asking.contact else str(error)) from None


def next_in(session: PoliteSession) -> str:
    """How long the next request waits, in a few words."""
    return f"next in {session.delay:.1f} s" if session.delay else ""


def _ask_numbers(
    store: Store,
    ledger: Ledger,
    session: PoliteSession,
    asking: CrawlOptions,
    report: CrawlReport,
    callbacks: ProgressCallbacks,
) -> None:
    """Ask for the numbers that are not there yet."""
    site = _site(ledger, session, asking, callbacks)
    every = _numbers(ledger, session, site, asking)
    numbers = every if asking.refresh else ledger.open_numbers(site.source, every, site.kinds)
    report.known = size(every) - size(numbers)
    callbacks.on_start(f"crawling {asking.site}", min(size(numbers), asking.limit or size(numbers)))

    def seen() -> None:
        counts = "  ".join(f"{name} {count:,}" for name, count in report.outcomes.items())
        callbacks.on_progress(1, f"{counts} {next_in(session)}")

    crawl(store, ledger, site, session, CrawlRequest(numbers, asking.limit, asking.refresh), report, seen)


def _site(ledger: Ledger, session: PoliteSession, asking: CrawlOptions, callbacks: ProgressCallbacks) -> Site:
    """The site; its lists are read first, if they are of use."""
    if asking.site != nonograms.SOURCE:
        return (demo.site if asking.site == DEMO else webpbn.site)(asking.addresses[0])
    kinds = [asking.kind] if asking.kind else list(nonograms.KINDS)
    if asking.ids == "all":
        callbacks.on_start("reading lists", None)

        def seen(kind: str, page: int, count: int) -> None:
            callbacks.on_progress(1, f"{kind} page {page}: {count} puzzles {next_in(session)}")

        walk_lists(ledger, asking.addresses[0], kinds, session, seen)
    return nonograms.site(asking.addresses, kinds, ledger.kinds(nonograms.SOURCE))


def _numbers(ledger: Ledger, session: PoliteSession, site: Site, asking: CrawlOptions) -> Spans:
    """The numbers that are meant, asked for before or not."""
    if asking.ids not in (None, "all"):
        return parse_ids(str(asking.ids))
    first = ledger.highest(site.source) + 1 if asking.new else 1
    return [(first, max(first, newest_number(site, session) + 1))]


@contextmanager
def _polite(contact: str, rate: float, callbacks: ProgressCallbacks) -> Iterator[PoliteSession]:
    """A session with the site whose troubles are NetworkErrors."""
    try:
        with PoliteSession(contact, rate=rate, report=callbacks.on_warning) as session:
            yield session
    except (RequestFailed, RobotsDisallowed, HostUnreachable) as error:
        raise NetworkError(f"{error}. What has come is kept; the same command goes on from there") from error


def walk_lists(
    ledger: Ledger, base: str, kinds: Iterable[str], session: PoliteSession, seen: Callable[[str, int, int], None]
) -> None:
    """Learn from nonograms.org's lists which kind its numbers are, so that each is asked for under the right address.

    Each list is walked once, from where an earlier walk was stopped; what comes to the site later is asked for as both
    kinds. `seen` is told kind, page and numbers of each page.
    """
    for kind in kinds:
        place = f"next page of the list of {kind}"
        page, known = int(ledger.noted(place) or 1), set[int]()
        while page > 0:
            request = nonograms.list_page(base, kind, page)
            reply = session.fetch(request)
            if reply.status not in (200, 404):
                raise NetworkError(f"{request.url}: HTTP status {reply.status}; the same command goes on from there")
            numbers = nonograms.listed(reply.body, kind) if reply.status == 200 else []
            # behind the last page there may be nothing, or a page that was there before
            page = page + 1 if not known.issuperset(numbers) else 0
            known.update(numbers)
            ledger.note_kinds(nonograms.SOURCE, numbers, nonograms.KINDS[kind])
            ledger.set_note(place, str(page))
            seen(kind, page - 1, len(numbers))


RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_ids(text: str) -> Spans:
    """Numbers like 7, 1-5000 or 1-10,20-30. Raises UserError for anything else, a reversed range too."""
    spans = []
    for part in map(str.strip, text.split(",")):
        found = RANGE.fullmatch(part)
        if not found:
            raise UserError(f"--ids: {clipped(part)} is neither a number nor a range like 1-5000, of 9 digits at most")
        first, last = int(found[1]), int(found[2] or found[1])
        if first == 0:
            raise UserError(f"--ids: ids begin at 1, not {part}")
        if last < first:
            raise UserError(f"--ids: {part} runs backwards")
        spans.append((first, last + 1))
    return union(spans)
