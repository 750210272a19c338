"""Delays between requests: the rate, robots.txt's Crawl-delay, backoff, and more while the site is slow.

A delay is kept between the end of an exchange and the start of the next. It follows the site's latency, as in
Scrapy's AutoThrottle (https://docs.scrapy.org/en/latest/topics/autothrottle.html) with a concurrency of 1.
"""

import math
import random
import sys
from collections.abc import Callable

import requests
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from nonocensus.scrapers.http.messages import (
    FailedAttempt,
    HttpLimits,
    format_seconds,
    host_of,
    is_loopback,
    is_refusal,
)

MIN_RATE = 1.5
"""Seconds between two requests to any host but this machine, at the least."""

MAX_RATE = 24 * 3600.0

REPORTED_WAIT = 5.0
"""Seconds; longer waits are reported."""

BACKOFF, LOOPBACK_BACKOFF = 1.0, 0.01
"""Seconds of the first backoff at most, for other hosts and for this machine; it doubles with each attempt."""


def check_rate(rate: float) -> None:
    """Raise ValueError unless a rate is from 0 seconds to a day."""
    if not 0 <= rate <= MAX_RATE:
        raise ValueError(f"rate must be from 0 to {MAX_RATE:,.0f} seconds, not {rate:g}")


def check_host_rate(url: str, rate: float) -> None:
    """Raise ValueError if a rate is too short for the host of a URL."""
    if rate < MIN_RATE and not is_loopback(url):
        raise ValueError(
            f"rate must be at least {MIN_RATE} s for {host_of(url)}, not {rate:g}; only this machine takes less"
        )


class Throttle:
    """The delay before the next request: `delay` seconds, and backoff."""

    def __init__(
        self,
        rate: float,
        limits: HttpLimits,
        report: Callable[[str], None] | None,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        """Keep at least `rate` seconds; 0 keeps none, however slow the site."""
        self._rate, self._limits = rate, limits
        self._report, self._sleep, self._clock = report, sleep, clock
        self._min_delay = self.delay = rate
        self._last_end = self._backoff_end = -math.inf
        self._backoff_reason = ""

    def raise_min_delay(self, seconds: float) -> None:
        """Keep at least this many seconds from now on, as for a Crawl-delay."""
        self._min_delay = max(self._min_delay, seconds)
        self.delay = max(self.delay, seconds)

    def wait(self, url: str) -> None:
        """Sleep until the next request, for this URL, may be sent."""
        now = self._clock()
        pause, backoff = self._last_end + self.delay - now, self._backoff_end - now
        seconds = max(pause, backoff)
        if self._report and seconds > REPORTED_WAIT:
            delay = f"{host_of(url)}: {format_seconds(self.delay)} between requests"
            self._report(self._backoff_reason if backoff >= pause else delay)
        if seconds > 0:
            self._sleep(seconds)

    def end_exchange(self) -> None:
        """Start the delay now."""
        self._last_end = self._clock()

    def adapt(self, status: int, latency: float) -> None:
        """Adapt the delay to a reply."""
        if is_refusal(status):
            delay = 2 * self.delay
        else:
            delay = (self.delay + (latency if self._rate else 0.0)) / 2
            if not (200 <= status < 400 or status == 404):
                # errors are quick, which is no reason to shorten the delay
                delay = max(delay, self.delay)
        self.delay = max(min(delay, self._limits.max_delay), self._min_delay)

    def back_off(self, url: str, attempt: FailedAttempt, count: int) -> None:
        """Delay the next request after the `count`th failed attempt, exponentially or as Retry-After asks."""
        host, limit = host_of(url), self._limits.max_wait
        base = LOOPBACK_BACKOFF if is_loopback(url) else BACKOFF
        longest = min(base * 2.0 ** (count - 1), limit)
        seconds = random.uniform(longest / 2, longest)
        if attempt.retry_after and seconds < attempt.retry_after <= limit:
            seconds = attempt.retry_after
            self._backoff_reason = f"{host} asks to wait {format_seconds(seconds)}"
        else:
            self._backoff_reason = f"{host}: {attempt.reason}, trying again in {format_seconds(seconds)}"
        self._backoff_end = self._clock() + seconds


def parse_retry_after(response: requests.Response) -> float | None:
    """Return the seconds of Retry-After, None if it is missing or invalid."""
    retry = Retry()
    retry.retry_after_max = sys.maxsize  # the default caps at six hours
    try:
        return retry.parse_retry_after(response.headers["retry-after"])
    except (KeyError, ValueError, OverflowError, InvalidHeader):
        return None
