"""robots.txt: what a site lets robots fetch, and how often (RFC 9309)."""

import math
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from protego import Protego

from scrapers.http.manners import ROBOT
from scrapers.http.messages import Failed, Forbidden, Reply
from scrapers.http.wording import seconds_in_words, status_in_words

AGE = 24 * 3600.0
"""Seconds after which robots.txt is read again (RFC 9309, 2.4)."""


class Robots:
    """The rules of the sites that a session asks."""

    def __init__(
        self,
        read: Callable[[str], Reply],
        never_below: Callable[[float], None],
        longest_delay: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`read` fetches a robots.txt. `never_below` is told a Crawl-delay; one that is longer than this is a no."""
        self._read, self._never_below = read, never_below
        self._longest_delay, self._clock = longest_delay, clock
        # by origin: the rules, or a line where they can't be read, and when they were read
        self._known: dict[str, tuple[Protego | str, float]] = {}

    def ask(self, url: str) -> None:
        """Raise Forbidden if an address may not be fetched."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules, read_at = self._known.get(origin, ("", -math.inf))
        if self._clock() - read_at > AGE:
            rules = self._rules(origin)
            self._known[origin] = rules, self._clock()
        if isinstance(rules, str):
            raise Forbidden(rules)
        if not rules.can_fetch(url, ROBOT):
            raise Forbidden(f"{url}: {origin}/robots.txt does not allow it")

    def _rules(self, origin: str) -> Protego | str:
        """The rules of a site, or a line that says why nothing may be fetched (RFC 9309, 2.3.1)."""
        try:
            reply = self._read(f"{origin}/robots.txt")
        except Failed as error:
            return f"{error}; as long as it can't be read nothing may be fetched there"
        if 400 <= reply.status < 500:
            return Protego.parse("")
        if not 200 <= reply.status < 300:
            what = status_in_words(reply.status)
            return f"{reply.url}: {what}; as long as it can't be read nothing may be fetched there"
        rules = Protego.parse(reply.body.decode("utf-8-sig", "replace"))
        crawl_delay = rules.crawl_delay(ROBOT) or 0.0
        if crawl_delay > self._longest_delay:
            asked = seconds_in_words(crawl_delay)
            return f"{reply.url}: asks for {asked} between requests, which is as good as a no"
        self._never_below(crawl_delay)
        return rules
