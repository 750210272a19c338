"""The pauses between requests: the rate, what a site asks for, and more while it is slow or in trouble.

Between the end of one exchange and the start of the next a delay is kept. As in Scrapy's AutoThrottle
(https://docs.scrapy.org/en/latest/topics/autothrottle.html, concurrency 1) it follows the site's latency.
"""

import math
import random
import sys
import time
from collections.abc import Callable

import requests
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from scrapers.http.addresses import host_of, is_loopback
from scrapers.http.http_limits import Limits
from scrapers.http.trouble import Trouble, is_refusal
from scrapers.http.wording import seconds_in_words

LONG_WAIT = 5.0
"""Seconds; of longer waits the listener is told."""

BACKOFF, LOOPBACK_BACKOFF = 1.0, 0.01
"""Seconds, at most, of the first wait after trouble, at other hosts and at this machine; it doubles each time."""


class Throttle:
    """How long the next request has to wait."""

    def __init__(
        self,
        rate: float,
        limits: Limits,
        listen: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`rate` is the shortest delay; 0 keeps none, however slow the site."""
        self._rate, self._limits = rate, limits
        self._listen, self._sleep, self._clock = listen, sleep, clock
        self._shortest_delay = self._delay = rate
        self._ended = self._held_until = -math.inf
        self._held_why = ""

    @property
    def delay(self) -> float:
        """Seconds that are now kept between requests."""
        return self._delay

    def never_below(self, seconds: float) -> None:
        """Keep at least so many seconds from now on: a Crawl-delay."""
        self._shortest_delay = max(self._shortest_delay, seconds)
        self._delay = max(self._delay, seconds)

    def wait(self, url: str) -> None:
        """Until the next request may go out; this address is the one asked for."""
        now = self._clock()
        pause, held = self._ended + self._delay - now, self._held_until - now
        longer = max(pause, held)
        if self._listen and longer > LONG_WAIT:
            between = f"{host_of(url)}: {seconds_in_words(self._delay)} between requests"
            self._listen(self._held_why if held >= pause else between)
        if longer > 0:
            self._sleep(longer)

    def end_exchange(self) -> None:
        """Note that an exchange has ended now."""
        self._ended = self._clock()

    def adapt(self, status: int, seconds: float) -> None:
        """Change the delay by what came: this status, after so many seconds."""
        if is_refusal(status):
            delay = 2 * self._delay
        else:
            delay = (self._delay + (seconds if self._rate else 0.0)) / 2
            if not (200 <= status < 400 or status == 404):
                # refusals are quick; that is no reason to ask more often
                delay = max(delay, self._delay)
        self._delay = max(min(delay, self._limits.longest_delay), self._shortest_delay)

    def back_off(self, url: str, trouble: Trouble, times: int) -> None:
        """Hold the next request back after so many troubles in a row, longer each time, or for as long as is asked."""
        host, most = host_of(url), self._limits.longest_wait
        base = LOOPBACK_BACKOFF if is_loopback(url) else BACKOFF
        longest = min(base * 2.0 ** (times - 1), most)
        seconds = random.uniform(longest / 2, longest)
        if trouble.asked and seconds < trouble.asked <= most:
            self._hold(trouble.asked, f"{host} asks to wait {seconds_in_words(trouble.asked)}")
        else:
            self._hold(seconds, f"{host}: {trouble.reason}, trying again in {seconds_in_words(seconds)}")

    def _hold(self, seconds: float, why: str) -> None:
        self._held_until, self._held_why = self._clock() + seconds, why


def retry_after(response: requests.Response) -> float | None:
    """Seconds that the site asks to wait, or None if it does not say, or not so that one could understand it."""
    retry = Retry()
    retry.retry_after_max = sys.maxsize  # it would make six hours of all that is longer
    try:
        return retry.parse_retry_after(response.headers["retry-after"])
    except (KeyError, ValueError, OverflowError, InvalidHeader):
        return None
