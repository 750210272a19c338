"""Single puzzles of the sites by their ids, asked for with a crawl's manners, and kept for a day.

What is kept are the replies, as they came, in the user's cache folder: a file for each number of each site's address.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta

import msgspec
import platformdirs

from pipeline.crawl.ids import FetchOptions, PuzzleId
from pipeline.crawl.site_crawl import CrawlOptions, check_options
from pipeline.crawl.table import judge_reply, stamp_reply
from pipeline.errors import InputError, NetworkError
from pipeline.store.paths import Folder, folder
from scrapers import nonograms, webpbn
from scrapers.http import HostUnreachable, HttpLimits, PoliteSession, Reply, RequestFailed, RobotsDisallowed
from scrapers.http.messages import is_loopback
from scrapers.http.throttle import MIN_RATE
from scrapers.site import FINAL, Judgement, Site
from solver.model.puzzle import Puzzle

KEPT_FOR = timedelta(days=1)

LIMITS = HttpLimits(attempts=3, max_wait=60.0)
"""Somebody waits for the puzzle."""

SUFFIX = ".json"


class CachedReply(msgspec.Struct):
    """A reply as a file of the cache holds it: the fields of scrapers.http.Reply that a judge reads."""

    url: str
    status: int
    body: bytes
    fetched_at: datetime


def check_fetch(ids: list[PuzzleId], wish: FetchOptions) -> None:
    """Raise a UserError if the ids can't be asked for in this way."""
    for puzzle_id in ids:
        check_options(_asking(puzzle_id.source, wish))


@contextmanager
def open_fetcher(wish: FetchOptions, listen: Callable[[str], None]) -> "Iterator[PuzzleFetcher]":
    """The sites, to be asked for puzzles as long as the block lasts; `listen` is told in one line of long waits."""
    with ExitStack() as sessions:
        yield PuzzleFetcher(wish, listen, sessions)


class PuzzleFetcher:
    """One session with each site that is asked; see `open_fetcher`."""

    def __init__(self, wish: FetchOptions, listen: Callable[[str], None], sessions: ExitStack) -> None:
        self._wish, self._listen, self._ends = wish, listen, sessions
        self._sessions: dict[str, PoliteSession] = {}

    def puzzle(self, puzzle_id: PuzzleId) -> Puzzle | str:
        """The puzzle of an id, from the cache or from its site; one line of why the site has none to give.

        Raises NetworkError if it gives no answer or robots.txt does not allow to ask, UserError as `check_wish`.
        """
        asking = _asking(puzzle_id.source, self._wish)
        cache, name = cache_folder(), _name(puzzle_id, asking.addresses)
        site = _site(asking)
        reply = None if self._wish.refresh else _read(cache, name)
        if reply is None:
            reply, judgement = self._asked(site, asking, puzzle_id.number)
            if judgement.outcome in FINAL:
                _keep(cache, name, reply)
        else:
            judgement = judge_reply(site.judge, reply, puzzle_id.number)
        if judgement.puzzle is None:
            return f"{judgement.outcome}: {judgement.detail or reply.url}"
        return stamp_reply(judgement.puzzle, reply)

    def _asked(self, site: Site, asking: CrawlOptions, number: int) -> tuple[Reply, Judgement]:
        """The reply that decides, of those to all that is to be asked for a number."""
        try:
            session = self._session(asking)
            for request in site.requests(number):
                reply = session.fetch(request)
                judgement = judge_reply(site.judge, reply, number)
                if judgement.outcome != "missing":
                    break
        except (RequestFailed, RobotsDisallowed, HostUnreachable) as error:
            raise NetworkError(str(error)) from error
        return reply, judgement

    def _session(self, asking: CrawlOptions) -> PoliteSession:
        if asking.site not in self._sessions:
            rate = 0.0 if all(is_loopback(address) for address in asking.addresses) else MIN_RATE
            session = PoliteSession(check_options(asking), rate=rate, limits=LIMITS, report=self._listen)
            self._sessions[asking.site] = self._ends.enter_context(session)
        return self._sessions[asking.site]


def cache_folder() -> Folder:
    """Where replies are kept."""
    return folder(str(platformdirs.user_cache_path("nonocensus") / "replies"))


def _asking(source: str, wish: FetchOptions) -> CrawlOptions:
    return CrawlOptions(source, base_urls=wish.base_urls, contact=wish.contact)


def _site(asking: CrawlOptions) -> Site:
    if asking.site == webpbn.SOURCE:
        return webpbn.site(asking.addresses[0])
    return nonograms.site(asking.addresses)


def _name(puzzle_id: PuzzleId, addresses: tuple[str, ...]) -> str:
    """The name of a number's file: what is asked elsewhere, of a twin say, is kept apart."""
    place = hashlib.sha256("\n".join(addresses).encode()).hexdigest()[:16]
    return f"{puzzle_id.source}-{puzzle_id.number}-{place}{SUFFIX}"


def _read(cache: Folder, name: str) -> Reply | None:
    """The reply that is kept under a name, None if there is none of today that can be read."""
    try:
        kept = cache.read_record(name, CachedReply)
        age = datetime.now(UTC) - kept.fetched_at
    except (OSError, InputError, TypeError):  # TypeError: a time without its zone
        return None
    return Reply(kept.url, kept.status, {}, kept.body, kept.fetched_at, 0.0) if timedelta() <= age < KEPT_FOR else None


def _keep(cache: Folder, name: str, reply: Reply) -> None:
    """Keep a reply, and drop those that are too old. A cache that can't be written to is none, and no trouble."""
    try:
        for other in cache.names():
            if other.endswith(SUFFIX) and (cache.age(other) or 0.0) > KEPT_FOR.total_seconds():
                cache.delete(other)
        cache.sweep()
        cache.write(name, msgspec.json.encode(CachedReply(reply.url, reply.status, reply.body, reply.fetched_at)))
    except OSError:
        return
