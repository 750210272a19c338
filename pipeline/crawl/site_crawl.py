"""Crawl a site, collect its ratings, or re-parse its replies: the entry points and their options."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import platformdirs

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.crawl.ledger import Ledger, open_ledger
from nonocensus.pipeline.crawl.loop import OpenCrawl, catch_up, crawl, newest_number
from nonocensus.pipeline.crawl.table import CrawlReport, collect_ratings, crawl_store, reparse
from nonocensus.pipeline.errors import NetworkError, StorageError, UserError
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.paths import folder
from nonocensus.pipeline.store.spans import Spans, size, union
from nonocensus.scrapers import nonograms, webpbn
from nonocensus.scrapers.demo import SOURCE as DEMO
from nonocensus.scrapers.demo import demo_site as demo
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.formats.parsing import FormatError, clip
from nonocensus.scrapers.http import HostUnreachable, PoliteSession, RequestFailed
from nonocensus.scrapers.http.messages import host_of, is_loopback, normalize_url
from nonocensus.scrapers.http.polite_session import contact_for
from nonocensus.scrapers.http.throttle import check_host_rate, check_rate
from nonocensus.scrapers.site import Site
from nonocensus.scrapers.url import Url

HOMES = {webpbn.SOURCE: (webpbn.HOME,), nonograms.SOURCE: nonograms.HOMES, DEMO: ()}
"""Addresses by site; the demo archive has none but a twin's."""


class CrawlOptions(NamedTuple):
    """What to request from a site, and how.

    site       webpbn, nonograms or demo
    ids        numbers: 7, 1-5000, 1-10,20-30, or all up to the newest; None with `new`
    new        numbers above the highest one ever requested
    refresh    request known numbers again
    limit      maximum of numbers to request
    kind       nonograms.org: only mono or color
    base_urls  other addresses of the site (a mirror, a twin)
    contact    e-mail or web address for the site's owner; not needed for loopback addresses
    rate       minimum of seconds between requests; below 1.5 only for loopback addresses
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
        """The addresses to request."""
        return tuple(address.rstrip("/") for address in self.base_urls) or HOMES[self.site]


class CrawlResult(NamedTuple):
    """The store, the report, and failed numbers."""

    store: Store
    report: CrawlReport
    errors: list[Problem]


def crawl_site(place: Path, options: CrawlOptions, progress: ProgressCallbacks = SILENT) -> CrawlResult:
    """Crawl a site into a store, politely. The same call resumes an interrupted crawl.

    Raises UserError for conflicting options, NetworkError if the site gives no answer.
    """
    if (options.ids is None) != options.new:
        raise UserError("say what to crawl, by one of: --ids, --new, --ratings, --reparse")
    with _open_crawl(place, options, progress) as opened:
        return CrawlResult(opened.store, opened.report, _crawl_numbers(opened, options, progress))


def crawl_ratings(place: Path, options: CrawlOptions, progress: ProgressCallbacks = SILENT) -> int:
    """Collect the visitors' ratings of all puzzles from webpbn; return the number of rated puzzles."""
    if options.site != webpbn.SOURCE:
        raise UserError("--ratings is for webpbn; the pages of nonograms.org have their ratings on them")
    with _open_crawl(place, options, progress) as opened:
        buckets = list(webpbn.buckets(*options.addresses[:1]))
        progress.on_start("reading ratings", len(buckets), 0)

        def on_bucket(bucket: webpbn.RatingBucket, count: int) -> None:
            progress.on_progress(
                1, f"{bucket.measure} {bucket.low:g} to {bucket.high:g}: {count:,} {next_in(opened.session)}"
            )

        return collect_ratings(opened.store, opened.ledger, buckets, opened.session, on_bucket)


def reparse_store(place: Path, progress: ProgressCallbacks = SILENT) -> CrawlResult:
    """Re-parse stored replies offline and update the table."""
    store = crawl_store(place)
    with open_ledger(place) as ledger:
        progress.on_start("reading replies", ledger.size()["replies"], 0)
        return CrawlResult(store, reparse(store, ledger, partial(progress.on_progress, 1)), [])


def check_options(options: CrawlOptions) -> str:
    """Validate the options and return the contact to send. Raises UserError."""
    if options.site not in HOMES:
        raise UserError(f"{clip(options.site)} is none of the sites that can be crawled: {', '.join(HOMES)}")
    if not options.addresses:
        raise UserError(
            "the demo's archive has no site: serve it with `python -m nonocensus.pipeline.commands.twin` "
            "and give its --base-url"
        )
    if options.refresh and options.ids is None:
        raise UserError("--refresh goes with --ids")
    if options.kind and options.site != nonograms.SOURCE:
        raise UserError("--kind is for nonograms; elsewhere one address serves both kinds")
    if options.kind and options.kind not in nonograms.KINDS:
        raise UserError(f"--kind {clip(options.kind)}: one of {', '.join(nonograms.KINDS)}")
    if options.ids not in (None, "all"):
        parse_ids(str(options.ids))
    for address in options.base_urls:
        try:
            normalize_url(address)
        except ValueError:
            raise UserError(f"--base-url {clip(address)}: not an address like https://webpbn.com") from None
        if set("?#") & set(address) or "@" in urlsplit(Url(address).secret).netloc:
            raise UserError("--base-url takes no ?, # or name and password; give an address like https://webpbn.com")
    try:
        check_rate(options.rate)
        for address in options.addresses:
            check_host_rate(address, options.rate)
    except ValueError as error:
        raise UserError(f"--rate: {error}") from None
    if len(options.base_urls) > 1 and options.site != nonograms.SOURCE:
        raise UserError(f"{options.site} has one address: give --base-url once")
    try:
        return contact_for(options.addresses, options.contact)
    except ValueError as error:
        raise UserError(f"--contact: {error}" if options.contact else str(error)) from None


def next_in(session: PoliteSession) -> str:
    """Return the delay of the next request as status text."""
    return f"next in {session.delay:.1f} s" if session.delay else ""


def _crawl_numbers(opened: OpenCrawl, options: CrawlOptions, progress: ProgressCallbacks) -> list[Problem]:
    """Request the numbers that the ledger lacks, or all on a refresh; return failed ones."""
    report, session = opened.report, opened.session
    site = _site(opened.ledger, session, options, progress)
    every = _numbers(opened.ledger, session, site, options)
    numbers = every if options.refresh else opened.ledger.open_numbers(site.source, every, site.kinds)
    report.known = size(every) - size(numbers)
    progress.on_start(f"crawling {options.site}", min(size(numbers), options.limit or size(numbers)), 0)

    def on_number(is_first: bool) -> None:
        counts = "  ".join(f"{name} {count:,}" for name, count in report.outcomes.items())
        progress.on_progress(int(is_first), f"{counts} {next_in(session)}")

    errors = crawl(opened, site, numbers, options.limit, options.refresh, on_number)
    return [Problem(f"{site.source}/{number}", reason) for number, reason in sorted(errors.items())]


def _site(ledger: Ledger, session: PoliteSession, options: CrawlOptions, progress: ProgressCallbacks) -> Site:
    """Return the site; for all of nonograms.org its lists are read first."""
    if options.site != nonograms.SOURCE:
        return (demo.site if options.site == DEMO else webpbn.site)(options.addresses[0])
    kinds = [options.kind] if options.kind else list(nonograms.KINDS)
    if options.ids == "all":
        progress.on_start("reading lists", None, 0)

        def on_page(kind: str, page: int, count: int) -> None:
            progress.on_progress(1, f"{kind} page {page}: {count} puzzles {next_in(session)}")

        for kind in kinds:
            if reason := walk_list(ledger, options.addresses[0], kind, session, on_page):
                progress.on_warning(f"{reason}; numbers not yet listed are requested as both kinds")
    return nonograms.site(options.addresses, kinds, ledger.kinds(nonograms.SOURCE))


def _numbers(ledger: Ledger, session: PoliteSession, site: Site, options: CrawlOptions) -> Spans:
    """Return the selected numbers, requested before or not."""
    if options.ids not in (None, "all"):
        return parse_ids(str(options.ids))
    first = ledger.highest(site.source) + 1 if options.new else 1
    return [(first, max(first, newest_number(site, session) + 1))]


@contextmanager
def _open_crawl(place: Path, options: CrawlOptions, progress: ProgressCallbacks) -> Iterator[OpenCrawl]:
    """Open a crawl; the session's errors become NetworkErrors."""
    contact = check_options(options)
    with host_locks(options.addresses, progress):
        store = crawl_store(place)
        with open_ledger(place) as ledger:
            report = catch_up(store, ledger)
            try:
                with PoliteSession(contact, rate=options.rate, report=progress.on_warning) as session:
                    yield OpenCrawl(store, ledger, session, report)
            except (RequestFailed, HostUnreachable) as error:
                raise NetworkError(f"{error}; what was finished is kept, the same command resumes") from error


@contextmanager
def host_locks(addresses: Iterable[str], progress: ProgressCallbacks) -> Iterator[None]:
    """Lock the hosts against other crawls on this machine, which would double the rate.

    Raises UserError naming the other crawl. If the cache folder can't be written, it warns and does without.
    """
    cache = platformdirs.user_cache_path("nonocensus")
    with ExitStack() as locks:
        try:
            cache.mkdir(parents=True, exist_ok=True)
            for host in sorted(set(map(_rated_host, addresses))):
                locked = folder(str(cache / f"crawl-{host}"))._replace(name=host)
                locks.enter_context(writer_lock(locked, "crawled"))
        except (OSError, StorageError):
            progress.on_warning(f"{cache} can't be written, so another crawl of the site would go unnoticed")
        yield


def _rated_host(address: str) -> str:
    """Return the host that keeps a rate: each port of this machine is one, for twins."""
    url = normalize_url(address)
    return host_of(url) if is_loopback(url) else (urlsplit(url).hostname or "").removeprefix("www.")


def walk_list(
    ledger: Ledger, base: str, kind: str, session: PoliteSession, on_page: Callable[[str, int, int], None]
) -> str | None:
    """Read from a list of nonograms.org which numbers are of a kind, which saves requests for the other kind.

    The list is read once, resuming after an interruption; later numbers are requested as both kinds. `on_page` gets
    kind, page and count of numbers. Return why a page can't be read, if so: the next crawl tries it again.
    """
    place = f"next page of the list of {kind}"
    page, known = int(ledger.read_note(place) or 1), set[int]()
    while 0 < page <= nonograms.LAST_PAGE:
        request = nonograms.list_page(base, kind, page)
        try:
            reply = session.fetch(request)
            if reply.status not in (200, 404):
                return f"{request.url}: HTTP status {reply.status}"
            numbers = nonograms.listed_numbers(reply.body, kind) if reply.status == 200 else []
        except RequestFailed as failed:
            return str(failed)
        except FormatError as error:
            return f"{request.url}: {error}"
        # past the last page the site serves nothing, or an earlier page
        page = page + 1 if not known.issuperset(numbers) else 0
        known.update(numbers)
        ledger.record_kinds(nonograms.SOURCE, numbers, nonograms.KINDS[kind])
        ledger.set_note(place, str(page))
        on_page(kind, page - 1, len(numbers))
    return None


RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_ids(text: str) -> Spans:
    """Parse numbers like 7, 1-5000 or 1-10,20-30. Raises UserError."""
    spans = []
    for part in map(str.strip, text.split(",")):
        found = RANGE.fullmatch(part)
        if not found:
            raise UserError(f"--ids: {clip(part)} is neither a number nor a range like 1-5000, of 9 digits at most")
        first, last = int(found[1]), int(found[2] or found[1])
        if first == 0:
            raise UserError(f"--ids: ids begin at 1, not {part}")
        if last < first:
            raise UserError(f"--ids: {part} runs backwards")
        spans.append((first, last + 1))
    return union(spans)
