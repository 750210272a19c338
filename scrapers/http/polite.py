"""The session with a site: one thing at a time, robots.txt first, pauses, and patience with trouble."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from scrapers.http.addresses import normal, same_site
from scrapers.http.body import read_body
from scrapers.http.connection import Connection
from scrapers.http.deadline import ends_within, is_over
from scrapers.http.http_limits import USUAL, Limits
from scrapers.http.manners import ROBOT, SHORTEST_RATE, check_pace, check_rate, checked_contact
from scrapers.http.messages import Reply, Request
from scrapers.http.redirects import redirected
from scrapers.http.robots import Robots
from scrapers.http.throttle import Throttle, retry_after
from scrapers.http.trouble import CONNECTION_TROUBLE, Trouble, given_up, in_words, is_refusal, no_headers
from scrapers.http.wording import seconds_in_words, status_in_words
from solver import __version__

CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
"""Headers of an earlier reply, and those of a request that wants nothing but news since."""


class Polite:
    """A session with a site, for a `with` block. It asks one thing at a time and is not for several threads."""

    def __init__(
        self,
        contact: str,
        *,
        rate: float = SHORTEST_RATE,
        limits: Limits = USUAL,
        may_lead: Callable[[str, str], bool] = same_site,
        listen: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens no connection yet.

        `contact` is an address at which the site's owner can complain. `rate` is the least number of seconds between
        requests. `may_lead` says whether a redirect from one address to another is followed. `listen` is told in one
        line about long waits. `sleep` and `clock` are those of the pauses.

        Raises ValueError if the contact is no address, or a number makes no sense.
        """
        check_rate(rate)
        if limits.tries < 1:
            raise ValueError(f"tries must be at least 1, not {limits.tries}")
        self._rate, self._limits, self._may_lead, self._clock = rate, limits, may_lead, clock
        user_agent = f"{ROBOT}/{__version__} (+{checked_contact(contact)})"
        self._connection = Connection(user_agent, limits)
        self._throttle = Throttle(rate, limits, listen, sleep, clock)
        self._robots = Robots(self._read_robots, self._throttle.never_below, limits.longest_wait, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @property
    def delay(self) -> float:
        """Seconds that are now kept between requests: never less than the rate and robots.txt's Crawl-delay."""
        return self._throttle.delay

    def fetch(self, request: Request, known: Mapping[str, str] | None = None) -> Reply:
        """The site's reply, after as many waits, tries and redirects as it takes.

        `known` are the headers of an earlier reply; if nothing has changed since, one with status 304 comes back.
        Raises Failed, Forbidden, Unreachable, or ValueError if the URL is none of HTTP, or of another host than this
        machine while the rate is below 1.5 s.
        """
        request = request._replace(url=normal(request.url))
        headers = {asked: known[had] for had, asked in CONDITIONS.items() if known and known.get(had)}
        return self._follow(request, headers)

    def _read_robots(self, url: str) -> Reply:
        return self._follow(Request(url), {}, ask_robots=False)

    def _follow(self, request: Request, headers: Mapping[str, str], ask_robots: bool = True) -> Reply:
        """The reply at the end of all redirects; robots.txt is asked about each address on the way."""
        addresses: list[str] = []
        following: Request | None = request
        while following:
            request = following
            check_pace(request.url, self._rate)
            if ask_robots:
                self._robots.ask(request.url)
            reply = self._reply(request, headers)
            addresses.append(request.url)
            following = redirected(request, reply, addresses, self._may_lead)
        return reply

    def _reply(self, request: Request, headers: Mapping[str, str]) -> Reply:
        """The reply of one address, a redirect perhaps, tried for as often as need be."""
        troubles: list[Trouble] = []
        while True:
            self._throttle.wait(request.url)
            outcome = self._exchange(request, headers)
            if isinstance(outcome, Reply):
                return outcome
            troubles.append(outcome)
            if outcome.again:
                self._throttle.back_off(request.url, outcome, len(troubles))
            if self._is_last(troubles):
                raise given_up(request.url, troubles)

    def _is_last(self, troubles: list[Trouble]) -> bool:
        last, limits = troubles[-1], self._limits
        return len(troubles) == limits.tries or not last.again or (last.asked or 0) > limits.longest_wait

    def _exchange(self, request: Request, headers: Mapping[str, str]) -> Reply | Trouble:
        """Asks once."""
        with ends_within(self._limits.total_timeout):
            try:
                return self._asked(request, headers)
            finally:
                self._throttle.end_exchange()

    def _asked(self, request: Request, headers: Mapping[str, str]) -> Reply | Trouble:
        start = self._clock()
        try:
            response = self._connection.send(request, headers)
        except CONNECTION_TROUBLE as error:
            return self._in_time(no_headers(error))
        seconds = self._clock() - start
        status = response.status_code
        self._throttle.adapt(status, seconds)
        try:
            if is_refusal(status):
                return Trouble(status_in_words(status), status, asked=retry_after(response))
            body = read_body(response, self._limits.most_bytes)
        except CONNECTION_TROUBLE as error:
            return self._in_time(Trouble(in_words(error), status))
        finally:
            response.close()  # unless all was read, the connection is of no more use
        if isinstance(body, Trouble):
            return body
        lower = {name.lower(): value for name, value in response.headers.items()}
        return Reply(request.url, status, lower, body, datetime.now(UTC), seconds)

    def _in_time(self, trouble: Trouble) -> Trouble:
        """The trouble, or that of a reply that did not end in time."""
        if trouble.advice or not is_over():
            return trouble
        return trouble._replace(reason=f"reply not complete after {seconds_in_words(self._limits.total_timeout)}")
