"""Fetch single puzzles by id, with a crawl's politeness, and cache the replies for a day.

The user's cache folder has one file per number and site address.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec
import platformdirs

from nonocensus.pipeline.crawl.site_crawl import CrawlOptions, check_options
from nonocensus.pipeline.crawl.table import judge_reply, stamp_reply
from nonocensus.pipeline.errors import InputError, NetworkError, UserError
from nonocensus.pipeline.store.paths import Folder, folder
from nonocensus.scrapers import nonograms, webpbn
from nonocensus.scrapers.http import HostUnreachable, HttpLimits, PoliteSession, Reply, RequestFailed
from nonocensus.scrapers.http.messages import is_loopback
from nonocensus.scrapers.http.throttle import MIN_RATE
from nonocensus.scrapers.site import FINAL, Judgement, Site
from nonocensus.solver.model.puzzle import Puzzle

SITES = (webpbn.SOURCE, nonograms.SOURCE)
ID = re.compile(rf"({'|'.join(SITES)})[/:]0*([1-9][0-9]{{0,8}})")


class PuzzleId(NamedTuple):
    """A site, webpbn or nonograms, and a puzzle's number there."""

    source: str
    number: int

    def __str__(self) -> str:
        return f"{self.source}/{self.number}"


class FetchOptions(NamedTuple):
    """How single puzzles are fetched.

    base_urls   other addresses of the site (a mirror, a twin)
    contact     e-mail or web address for the site's owner
    refresh     bypass the cache
    """

    base_urls: tuple[str, ...] = ()
    contact: str | None = None
    refresh: bool = False


def parse_id(text: str) -> PuzzleId | None:
    """Parse an id like webpbn/6574 or nonograms:12345; None if the text is not one."""
    found = ID.fullmatch(text)
    return PuzzleId(found[1], int(found[2])) if found else None


CACHE_TTL = timedelta(days=1)

LIMITS = HttpLimits(attempts=3, max_wait=60.0)
"""Short: a user is waiting for the puzzle."""

SUFFIX = ".json"


def check_fetch(ids: list[PuzzleId], options: FetchOptions) -> None:
    """Raise a UserError if the ids can't be fetched with these options."""
    for puzzle_id in ids:
        try:
            check_options(_crawl_options(puzzle_id.source, options))
        except UserError as error:
            if options.contact:
                raise
            raise UserError(f"{error}; from a store or run without it: nonocensus solve RUN {puzzle_id}") from None


@contextmanager
def open_fetcher(options: FetchOptions, on_wait: Callable[[str], None]) -> "Iterator[PuzzleFetcher]":
    """Open a fetcher; `on_wait` gets one line for each long wait."""
    with ExitStack() as sessions:
        yield PuzzleFetcher(options, on_wait, sessions)


class PuzzleFetcher:
    """Fetches puzzles, with one session per site; see `open_fetcher`."""

    def __init__(self, options: FetchOptions, on_wait: Callable[[str], None], sessions: ExitStack) -> None:
        self._options, self._on_wait, self._exits = options, on_wait, sessions
        self._sessions: dict[str, PoliteSession] = {}

    def puzzle(self, puzzle_id: PuzzleId) -> Puzzle | str:
        """Return the puzzle of an id, from the cache or its site, or one line of why there is none.

        Raises NetworkError if the site gives no answer or robots.txt disallows it, UserError as `check_fetch`.
        """
        options = _crawl_options(puzzle_id.source, self._options)
        cache, name = cache_folder(), _name(puzzle_id, options.addresses)
        site = _site(options)
        reply = None if self._options.refresh else _read(cache, name)
        if reply is None:
            reply, judgement = self._request(site, options, puzzle_id.number)
            if judgement.outcome in FINAL:
                _keep(cache, name, reply)
        else:
            judgement = judge_reply(site.judge, reply, puzzle_id.number)
        if judgement.puzzle is None:
            return f"{judgement.outcome}: {judgement.detail or reply.url}"
        return stamp_reply(judgement.puzzle, reply)

    def _request(self, site: Site, options: CrawlOptions, number: int) -> tuple[Reply, Judgement]:
        """Request a number; return the deciding reply with its judgement."""
        try:
            session = self._session(options)
            for request in site.requests(number):
                reply = session.fetch(request)
                judgement = judge_reply(site.judge, reply, number)
                if judgement.outcome != "missing":
                    break
        except (RequestFailed, HostUnreachable) as error:
            raise NetworkError(str(error)) from error
        return reply, judgement

    def _session(self, options: CrawlOptions) -> PoliteSession:
        if options.site not in self._sessions:
            rate = 0.0 if all(is_loopback(address) for address in options.addresses) else MIN_RATE
            session = PoliteSession(check_options(options), rate=rate, limits=LIMITS, report=self._on_wait)
            self._sessions[options.site] = self._exits.enter_context(session)
        return self._sessions[options.site]


def cache_folder() -> Folder:
    """Return the folder of cached replies."""
    return folder(str(platformdirs.user_cache_path("nonocensus") / "replies"))


def _crawl_options(source: str, options: FetchOptions) -> CrawlOptions:
    return CrawlOptions(source, base_urls=options.base_urls, contact=options.contact)


def _site(options: CrawlOptions) -> Site:
    if options.site == webpbn.SOURCE:
        return webpbn.site(options.addresses[0])
    return nonograms.site(options.addresses)


def _name(puzzle_id: PuzzleId, addresses: tuple[str, ...]) -> str:
    """Return the cache key of a number; other addresses of a site (a twin) have their own."""
    place = hashlib.sha256("\n".join(addresses).encode()).hexdigest()[:16]
    return f"{puzzle_id.source}-{puzzle_id.number}-{place}{SUFFIX}"


def _read(cache: Folder, name: str) -> Reply | None:
    """Return the cached reply of a key, or None if missing, expired or damaged."""
    try:
        reply = cache.read_record(name, Reply)
        age = datetime.now(UTC) - reply.fetched_at
    except (OSError, InputError, TypeError):  # TypeError: a time without its zone
        return None
    return reply if timedelta() <= age < CACHE_TTL else None


def _keep(cache: Folder, name: str, reply: Reply) -> None:
    """Cache a reply and evict expired ones. Cache write errors are ignored."""
    try:
        for other in cache.names():
            if other.endswith(SUFFIX) and (cache.age(other) or 0.0) > CACHE_TTL.total_seconds():
                cache.delete(other)
        cache.sweep()
        cache.write(name, msgspec.json.encode(reply))
    except OSError:
        return
