"""A polite HTTP session: one request at a time, robots.txt, delays, retries and redirects."""

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Self
from urllib.parse import urljoin, urlsplit

import requests
from protego import Protego

from nonocensus.scrapers.http.connection import Deadline, limit_cookies, open_session, read_body
from nonocensus.scrapers.http.messages import (
    CONNECTION_ERRORS,
    DEFAULT_LIMITS,
    FailedAttempt,
    HostUnreachable,
    HttpLimits,
    Reply,
    Request,
    RequestFailed,
    RobotsDisallowed,
    attempt_without_reply,
    describe_connection_error,
    error_of_attempts,
    format_seconds,
    format_status,
    is_loopback,
    is_refusal,
    is_same_site,
    normalize_url,
)
from nonocensus.scrapers.http.throttle import MIN_RATE, Throttle, check_host_rate, check_rate, parse_retry_after
from nonocensus.solver import __version__

ROBOT = "nonocensus"
"""Our user agent in robots.txt."""

ROBOTS_LIFETIME = 24 * 3600.0
"""Seconds after which robots.txt is read again (RFC 9309, 2.4)."""

MAX_ROBOTS_BYTES = 500 << 10
"""Bytes of robots.txt that are parsed, the least that RFC 9309 (2.5) allows."""

MAX_ROBOTS_WORK = 2_000_000
"""Lines of robots.txt times lines that name a robot: Protego keeps each rule for each robot of its group."""

MAX_REDIRECTS = 5
"""Followed per request."""

CONDITIONAL_HEADERS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
"""Reply headers, and the request headers that make a later request conditional."""

EMAIL = re.compile(r"[!-'*+\-./0-9=?A-Z^-~]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9\[][!-'*-~]*")


def check_contact(contact: str) -> str:
    """Return a stripped e-mail or web address for the site's owner. Raises ValueError for anything else."""
    contact = contact.strip()
    if not (EMAIL.fullmatch(contact) or WEB_ADDRESS.fullmatch(contact)):
        raise ValueError(
            f"contact must be an e-mail address like me@example.org or a web address like https://example.org, "
            f"in ASCII; not {contact[:100]!r}"
        )
    return contact


def contact_for(urls: Sequence[str], contact: str | None) -> str:
    """Return the contact for these URLs; only this machine needs none. Raises ValueError."""
    if contact:
        return check_contact(contact)
    if all(is_loopback(url) for url in urls):
        return "http://localhost"
    raise ValueError("give --contact, or set NONOCENSUS_CONTACT: an e-mail or web address for the site's owner")


class PoliteSession:
    """A session with a site, as a context manager. Requests are sequential; not thread-safe."""

    def __init__(
        self,
        contact: str,
        *,
        rate: float = MIN_RATE,
        limits: HttpLimits = DEFAULT_LIMITS,
        can_redirect: Callable[[str, str], bool] = is_same_site,
        report: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a session without connecting.

        Args:
            contact: E-mail or web address for the site's owner, sent in the user agent.
            rate: Least seconds between requests.
            limits: Attempts, timeouts and sizes.
            can_redirect: Whether a redirect from one URL to another is followed.
            report: Callback for long waits, with one line of text.
            sleep: Sleeps for seconds.
            clock: Monotonic seconds.

        Raises:
            ValueError: The contact or a number is invalid.

        """
        check_rate(rate)
        self._rate, self._limits, self._can_redirect, self._clock = rate, limits, can_redirect, clock
        self._session = open_session(f"{ROBOT}/{__version__} (+{check_contact(contact)})")
        self._throttle = Throttle(rate, limits, report, sleep, clock)
        # by origin: the rules, or why they can't be read, and the time of reading
        self._robots: dict[str, tuple[Protego | str, float]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    @property
    def delay(self) -> float:
        """Current seconds between requests: never less than the rate and robots.txt's Crawl-delay."""
        return self._throttle.delay

    def fetch(self, request: Request, known: Mapping[str, str] | None = None) -> Reply:
        """Return the site's reply, after delays, retries and redirects.

        Args:
            request: What to fetch.
            known: Headers of an earlier reply; if nothing has changed since, the status is 304.

        Raises:
            RequestFailed: All attempts failed, or a redirect led to a URL that can't be fetched.
            RobotsDisallowed: robots.txt disallows the URL.
            HostUnreachable: No connection to the host, or its robots.txt can't be read.
            ValueError: The URL is not of HTTP, or of another host than this machine with a rate below MIN_RATE.

        """
        request = request._replace(url=normalize_url(request.url))
        headers = {sent: known[had] for had, sent in CONDITIONAL_HEADERS.items() if known and known.get(had)}
        return self._follow(request, headers)

    def _follow(self, request: Request, headers: Mapping[str, str], is_robots: bool = False) -> Reply:
        """Return the reply at the end of all redirects, checking robots.txt for each URL."""
        visited: list[str] = []
        following: Request | None = request
        while following:
            request = following
            check_host_rate(request.url, self._rate)
            try:
                if not is_robots:
                    self._check_robots(request.url)
                reply = self._request(request, headers)
            except (RobotsDisallowed, HostUnreachable) as error:
                if not visited:
                    raise
                raise RequestFailed(f"{visited[0]}: after a redirect: {error}", len(visited)) from error
            visited.append(request.url)
            following = redirect_of(request, reply, visited, self._can_redirect)
        return reply

    def _check_robots(self, url: str) -> None:
        """Raise RobotsDisallowed, or HostUnreachable without rules, if a URL may not be fetched (RFC 9309)."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules, read_at = self._robots.get(origin, ("", -math.inf))
        if self._clock() - read_at > ROBOTS_LIFETIME:
            rules = self._read_robots(origin)
            self._robots[origin] = rules, self._clock()
        if isinstance(rules, str):
            raise HostUnreachable(rules)
        if not rules.can_fetch(url, ROBOT):
            raise RobotsDisallowed(f"{url}: disallowed by {origin}/robots.txt", 0)

    def _read_robots(self, origin: str) -> Protego | str:
        """Return a site's rules, or why nothing may be fetched (RFC 9309, 2.3.1)."""
        try:
            reply = self._follow(Request(f"{origin}/robots.txt"), {}, is_robots=True)
        except RequestFailed as error:
            return f"{error}; nothing may be fetched there until it can be read"
        if 400 <= reply.status < 500:
            return Protego.parse("")
        if not 200 <= reply.status < 300:
            return f"{reply.url}: {format_status(reply.status)}; nothing may be fetched there until it can be read"
        body = reply.body
        if len(body) > MAX_ROBOTS_BYTES:
            body = body[: body.rfind(b"\n", 0, MAX_ROBOTS_BYTES) + 1]
        text = body.decode("utf-8-sig", "replace")
        lines = [line.lstrip()[:4].lower() for line in text.splitlines()]
        if len(lines) * lines.count("user") > MAX_ROBOTS_WORK:
            return f"{reply.url}: too many robots and rules; treated as disallowed"
        rules = Protego.parse(text)
        crawl_delay, limit = rules.crawl_delay(ROBOT) or 0.0, self._limits.max_wait
        if crawl_delay > limit:
            delay = f"{format_seconds(crawl_delay)} exceeds the limit of {format_seconds(limit)}"
            return f"{reply.url}: Crawl-delay of {delay}; treated as disallowed"
        self._throttle.raise_min_delay(crawl_delay)
        return rules

    def _request(self, request: Request, headers: Mapping[str, str]) -> Reply:
        """Request one URL with retries."""
        failed: list[FailedAttempt] = []
        while True:
            self._throttle.wait(request.url)
            outcome = self._exchange(request, headers)
            if isinstance(outcome, Reply):
                return outcome
            failed.append(outcome)
            if outcome.can_retry:
                self._throttle.back_off(request.url, outcome, len(failed))
            if self._is_last(failed):
                raise error_of_attempts(request.url, failed)

    def _is_last(self, failed: list[FailedAttempt]) -> bool:
        last, limits = failed[-1], self._limits
        return len(failed) == limits.attempts or not last.can_retry or (last.retry_after or 0) > limits.max_wait

    def _exchange(self, request: Request, headers: Mapping[str, str]) -> Reply | FailedAttempt:
        """Send a request once, within the total timeout."""
        with Deadline(self._limits.total_timeout) as deadline:
            try:
                outcome = self._attempt(request, headers)
            finally:
                self._throttle.end_exchange()
        if deadline.is_past and isinstance(outcome, FailedAttempt) and not outcome.advice:
            reason = f"reply not complete after {format_seconds(self._limits.total_timeout)}"
            return outcome._replace(reason=reason)
        return outcome

    def _attempt(self, request: Request, headers: Mapping[str, str]) -> Reply | FailedAttempt:
        start, status = self._clock(), None
        try:
            with self._send(request, headers) as response:  # closed, as an unread rest makes the connection useless
                latency, status = self._clock() - start, response.status_code
                self._throttle.adapt(status, latency)
                if is_refusal(status):
                    return FailedAttempt(format_status(status), status, retry_after=parse_retry_after(response))
                body = read_body(response, self._limits.max_bytes)
        except CONNECTION_ERRORS as error:
            reason = describe_connection_error(error)
            return attempt_without_reply(error) if status is None else FailedAttempt(reason, status)
        if isinstance(body, FailedAttempt):
            return body
        lower = {name.lower(): value for name, value in response.headers.items()}
        return Reply(request.url, status, lower, body, datetime.now(UTC), latency)

    def _send(self, request: Request, headers: Mapping[str, str]) -> requests.Response:
        """Send a request; return the response with its body unread."""
        method, form, limits = ("GET" if request.form is None else "POST"), request.form, self._limits
        timeouts = min(limits.connect_timeout, limits.total_timeout), limits.read_timeout
        response = self._session.request(method, request.url, data=form, headers=headers, timeout=timeouts, stream=True)
        limit_cookies(self._session.cookies)
        return response


def redirect_of(
    request: Request, reply: Reply, visited: Sequence[str], can_redirect: Callable[[str, str], bool]
) -> Request | None:
    """Return the next request, None if the reply is not a redirect; `visited` are the URLs so far, in order.

    Raises RequestFailed for redirects that are not allowed, and for too many.
    """
    if "location" not in reply.headers or reply.status not in requests.sessions.REDIRECT_STATI:
        return None
    target = _redirect_target(reply)
    if not can_redirect(reply.url, target):
        hint = "not https" if reply.url.startswith("https:") and target.startswith("http:") else "a login page?"
        raise RequestFailed(f"{reply.url}: redirected to {target[:200]} ({hint})", 1, reply.status)
    if len(visited) > MAX_REDIRECTS:
        what = "redirects in a circle" if target in visited else f"more than {MAX_REDIRECTS} redirects"
        raise RequestFailed(f"{visited[0]}: {what}", 1, reply.status)
    # as in browsers, only 307 and 308 send the form again
    return Request(target, request.form if reply.status in (307, 308) else None)


def _redirect_target(reply: Reply) -> str:
    """Return where a redirect points, safe to print."""
    location = reply.headers["location"].encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        return normalize_url(urljoin(reply.url, location)).partition("#")[0]
    except ValueError:
        return "an address that is not http or https"
