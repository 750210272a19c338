"""Asking sites politely: one connection, pauses, robots.txt, an honest name, and patience with trouble.

Every scraper asks through `Polite`. What comes back is a `Reply`, or one of three exceptions: `Failed` (this request
has no answer, others may have), `Forbidden` (robots.txt says no) and `Unreachable` (nothing will come from this host).
"""

import math
import random
import socket
import ssl
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPException, IncompleteRead, RemoteDisconnected, responses
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
import urllib3
from protego import Protego
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.utils import requote_uri
from urllib3.exceptions import NewConnectionError
from urllib3.util import Retry, parse_url

from solver import __version__

ROBOT = "nonocensus"
"""The name by which robots.txt may address us."""

MOST_REDIRECTS = 5
"""Redirects of one request that are followed."""

ROBOTS_AGE = 24 * 3600.0
"""Seconds after which robots.txt is read again (RFC 9309, 2.4)."""

LONG_WAIT = 5.0
"""Seconds; of longer waits the listener is told."""

READ_BYTES = 1 << 16
"""The most that is read from a connection at a time."""

PIECE_BYTES = 1 << 12
"""What is unpacked at a time."""

GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
"""Tells zlib to see for itself which of the two it is."""

CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
"""Headers of an earlier reply, and those of a request that wants nothing but news since."""

CONNECTION_TROUBLE = (OSError, HTTPException, urllib3.exceptions.HTTPError)
"""What the libraries raise when an exchange goes wrong; requests' own exceptions are OSErrors."""


class Request(NamedTuple):
    """What to ask for: POST if there is a form, else GET."""

    url: str
    form: dict[str, str] | None = None


class Reply(NamedTuple):
    """What a site said: any status but 429 and 5xx, and no redirect that can be followed.

    `url` is where it was found after redirects. Names of headers are in lower case. The body is unpacked, though the
    headers may speak of gzip. `seconds` is the latency, from asking until the headers were here.
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    fetched_at: datetime
    seconds: float


class Failed(Exception):
    """A request got no reply worth keeping after all tries; one line says what and where.

    `tries` is how often it was asked for, `status` the last HTTP status, or None if there was none.
    """

    def __init__(self, line: str, tries: int, status: int | None = None) -> None:
        super().__init__(line)
        self.tries = tries
        self.status = status


class Forbidden(Exception):
    """robots.txt does not allow it or can't be read; one line says which."""


class Unreachable(Exception):
    """The host can't be reached, so other requests are no use either; one line says why and what to do."""


class Polite:
    """A session with a site, for a `with` block. It asks one thing at a time and is not for several threads.

    Between the end of one exchange and the start of the next it keeps `delay` seconds. As in Scrapy's AutoThrottle
    (https://docs.scrapy.org/en/latest/topics/autothrottle.html, concurrency 1) the delay follows the site's latency.
    """

    def __init__(
        self,
        contact: str,
        *,
        rate: float = 1.5,
        tries: int = 5,
        connect_timeout: float = 10.0,
        read_timeout: float = 30.0,
        total_timeout: float = 120.0,
        most_bytes: int = 16 << 20,
        longest_delay: float = 60.0,
        longest_wait: float = 900.0,
        base: float = 1.0,
        listen: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens no connection yet. All times are in seconds.

        `contact` is an address at which the site's owner can complain. `rate` is the shortest delay; 0 keeps none,
        however slow the site. `read_timeout` is for each piece of a reply, `total_timeout` for a body that comes in
        drips. `longest_wait` is the most that Retry-After may ask for (more is `Failed`) and that a backoff may take.
        A try after k others waits up to `base` * 2^(k-1), at random. `listen` is told in one line about long waits.

        Raises ValueError if the contact is missing or no line of ASCII, or a number makes no sense.
        """
        if not (contact.strip() and contact.isascii() and contact.isprintable()):
            raise ValueError(
                f"contact must be an e-mail or web address for the site's owner, in ASCII, not {contact!r}"
            )
        if tries < 1 or not 0 <= rate < math.inf:
            raise ValueError(f"tries must be at least 1 and rate at least 0, not {tries} and {rate}")
        self._tries, self._rate, self._base = tries, rate, base
        self._timeouts, self._total_timeout = (connect_timeout, read_timeout), total_timeout
        self._most_bytes = most_bytes
        self._longest_delay, self._longest_wait = longest_delay, longest_wait
        self._listen, self._sleep, self._clock = listen, sleep, clock
        self._session = _session(f"{ROBOT}/{__version__} (+{contact.strip()})")
        self._environments: dict[str, Mapping[str, Any]] = {}  # by host
        # by origin: the rules, or a line where they can't be read, and when they were read
        self._robots: dict[str, tuple[Protego | str, float]] = {}
        self._shortest_delay = self._delay = rate
        self._ended = self._held_until = float("-inf")
        self._held_why = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    @property
    def delay(self) -> float:
        """Seconds that are now kept between requests: never less than the rate and robots.txt's Crawl-delay."""
        return self._delay

    def fetch(self, request: Request, known: Mapping[str, str] | None = None) -> Reply:
        """The site's reply, after as many waits, tries and redirects as it takes.

        `known` are the headers of an earlier reply; if nothing has changed since, one with status 304 comes back.
        Raises Failed, Forbidden, Unreachable, or ValueError if the URL is none of HTTP.
        """
        try:
            url = _normal(request.url)
        except (ValueError, requests.RequestException) as error:
            raise ValueError(f"{request.url!r} is no http or https address") from error
        headers = {asked: known[had] for had, asked in CONDITIONS.items() if known and known.get(had)}
        return self._follow(request._replace(url=url), headers)

    def _follow(self, request: Request, headers: dict[str, str], ask_robots: bool = True) -> Reply:
        """The reply at the end of all redirects; robots.txt is asked about each address on the way."""
        addresses = [request.url]
        while True:
            if ask_robots:
                self._ask_robots(request.url)
            reply = self._reply(request, headers)
            if "location" not in reply.headers or reply.status not in requests.sessions.REDIRECT_STATI:
                return reply
            target = _target(reply)
            if not _same_site(reply.url, target):
                raise Failed(f"{reply.url}: redirected to {target[:200]} (a login page?)", 1, reply.status)
            if len(addresses) > MOST_REDIRECTS:
                what = "redirects in a circle" if target in addresses else f"more than {MOST_REDIRECTS} redirects"
                raise Failed(f"{addresses[0]}: {what}", 1, reply.status)
            addresses.append(target)
            # as browsers do: only 307 and 308 mean that the form is wanted there again
            request = Request(target, request.form if reply.status in (307, 308) else None)

    def _ask_robots(self, url: str) -> None:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        robots, read_at = self._robots.get(origin, ("", -math.inf))
        if self._clock() - read_at > ROBOTS_AGE:
            robots = self._read_robots(origin)
            self._robots[origin] = robots, self._clock()
        if isinstance(robots, str):
            raise Forbidden(robots)
        if not robots.can_fetch(url, ROBOT):
            raise Forbidden(f"{url}: {origin}/robots.txt does not allow it")

    def _read_robots(self, origin: str) -> Protego | str:
        """The rules of a site, or a line that says why nothing may be fetched (RFC 9309, 2.3.1)."""
        try:
            reply = self._follow(Request(f"{origin}/robots.txt"), {}, ask_robots=False)
        except Failed as error:
            return f"{error}; as long as it can't be read nothing may be fetched there"
        if 400 <= reply.status < 500:
            return Protego.parse("")
        if not 200 <= reply.status < 300:
            return f"{reply.url}: {_phrase(reply.status)}; as long as it can't be read nothing may be fetched there"
        robots = Protego.parse(reply.body.decode("utf-8-sig", "replace"))
        crawl_delay = robots.crawl_delay(ROBOT) or 0.0
        if crawl_delay > self._longest_wait:
            return f"{reply.url}: asks for {_seconds(crawl_delay)} between requests, which is as good as a no"
        self._shortest_delay = max(self._shortest_delay, crawl_delay)
        self._delay = max(self._delay, crawl_delay)
        return robots

    def _reply(self, request: Request, headers: dict[str, str]) -> Reply:
        """The reply of one address, a redirect perhaps, tried for as often as need be."""
        troubles: list[_Trouble] = []
        while True:
            self._wait(request.url)
            outcome = self._exchange(request, headers)
            if isinstance(outcome, Reply):
                return outcome
            troubles.append(outcome)
            if outcome.asked and outcome.asked <= self._longest_wait:
                self._hold(outcome.asked, f"{_host(request.url)} asks to wait {_seconds(outcome.asked)}")
            if self._is_last(troubles):
                raise _given_up(request.url, troubles)
            if outcome.asked is None:
                most = self._base * 2.0 ** (len(troubles) - 1)
                backoff = random.uniform(0, min(most, self._longest_wait))
                self._hold(backoff, f"{_host(request.url)}: {outcome.reason}, trying again in {_seconds(backoff)}")

    def _is_last(self, troubles: list["_Trouble"]) -> bool:
        last = troubles[-1]
        return len(troubles) == self._tries or not last.again or (last.asked or 0) > self._longest_wait

    def _hold(self, seconds: float, why: str) -> None:
        """No request before so many seconds have gone by."""
        self._held_until, self._held_why = self._clock() + seconds, why

    def _wait(self, url: str) -> None:
        now = self._clock()
        pause, held = self._ended + self._delay - now, self._held_until - now
        longer = max(pause, held)
        if self._listen and longer > LONG_WAIT:
            between = f"{_host(url)}: {_seconds(self._delay)} between requests"
            self._listen(self._held_why if held >= pause else between)
        if longer > 0:
            self._sleep(longer)

    def _exchange(self, request: Request, headers: dict[str, str]) -> "Reply | _Trouble":
        """Asks once."""
        response = None
        start = self._clock()
        try:
            response = self._send(request, headers)
            seconds = self._clock() - start
            status = response.status_code
            self._throttle(status, seconds)
            if status == 429 or status >= 500:
                return _Trouble(_phrase(status), status, asked=_retry_after(response))
            body = self._body(response, start + self._total_timeout)
        except CONNECTION_TROUBLE as error:
            return _no_connection(error) if response is None else _Trouble(_in_words(error), response.status_code)
        finally:
            if response is not None:
                response.close()  # unless all was read, the connection is of no more use
            self._ended = self._clock()
        if isinstance(body, _Trouble):
            return body
        lower = {name.lower(): value for name, value in response.headers.items()}
        return Reply(request.url, status, lower, body, datetime.now(UTC), seconds)

    def _send(self, request: Request, headers: dict[str, str]) -> requests.Response:
        """The reply's headers, its body still to be read."""
        method = "GET" if request.form is None else "POST"
        session = self._session
        prepared = session.prepare_request(requests.Request(method, request.url, headers=headers, data=request.form))
        settings = self._environment(request.url)
        # not by session.send, which would read the body of a redirect without limits
        response = session.get_adapter(request.url).send(
            prepared,
            stream=True,
            timeout=self._timeouts,
            verify=settings["verify"] or True,
            proxies=settings["proxies"],
        )
        _acknowledge(response)
        # without its cookie some sites begin a new session for every request
        extract_cookies_to_jar(session.cookies, prepared, response.raw)  # type: ignore[no-untyped-call]
        return response

    def _environment(self, url: str) -> Mapping[str, Any]:
        """Proxies and certificates as the environment has them; looking them up takes a third of a millisecond."""
        host = _host(url)
        if host not in self._environments:
            self._environments[host] = self._session.merge_environment_settings(url, {}, True, None, None)
        return self._environments[host]

    def _throttle(self, status: int, seconds: float) -> None:
        if status == 429 or status >= 500:
            delay = 2 * self._delay
        else:
            delay = (self._delay + (seconds if self._rate else 0.0)) / 2
            if not (200 <= status < 400 or status == 404):
                # refusals are quick; that is no reason to ask more often
                delay = max(delay, self._delay)
        self._delay = max(min(delay, self._longest_delay), self._shortest_delay)

    def _body(self, response: requests.Response, deadline: float) -> "bytes | _Trouble":
        """The whole body, unpacked."""
        status = response.status_code
        too_large = _Trouble(f"reply larger than {_size(self._most_bytes)}", status, again=False)
        raw, parts, size = response.raw, [], 0
        unbounded = raw.length_remaining is None and not raw.chunked
        if (raw.length_remaining or 0) > self._most_bytes:
            return too_large
        # read1 comes back with whatever there is, while read and stream would wait for as much as they were asked for
        while part := raw.read1(READ_BYTES, decode_content=False):
            size += len(part)
            if size > self._most_bytes:
                return too_large
            if self._clock() > deadline:
                return _Trouble(f"reply not complete after {_seconds(self._total_timeout)}", status)
            parts.append(part)
        if size == 0 and unbounded and status == 200:
            # what a reply looks like that broke off in its headers
            return _Trouble("reply broke off", status)
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if size == 0 or encoding in ("", "identity"):
            return b"".join(parts)
        if encoding not in ("gzip", "x-gzip", "deflate"):
            return _Trouble(f"reply in an encoding that was not asked for: {encoding[:40]!r}", status, again=False)
        return _unpacked(b"".join(parts), self._most_bytes, too_large)


class _Trouble(NamedTuple):
    """Why an exchange has given no reply."""

    reason: str
    status: int | None = None
    again: bool = True
    """Whether it may go better another time."""
    asked: float | None = None
    """Seconds to wait, by Retry-After."""
    advice: str | None = None
    """What to do, if there is no connection."""


def _session(user_agent: str) -> requests.Session:
    session = requests.Session()
    # urllib3 sees when a gzip stream is damaged but not when it ends early, so we unpack ourselves, and just this kind
    session.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
    session.auth = lambda prepared: prepared  # or else passwords of ~/.netrc would be sent
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=1))
    return session


def _acknowledge(response: requests.Response) -> None:
    """Tells the site at once that the headers are here.

    A server that sends headers and body apart, as Python's http.server does, may hold the body until it knows (Nagle's
    algorithm), and Linux would let it wait for 40 ms (delayed ACK): 22 replies a second from the loopback, not 1,800.
    """
    sock = getattr(response.raw.connection, "sock", None)
    if sock is not None and hasattr(socket, "TCP_QUICKACK"):
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def _normal(url: str) -> str:
    """As it will be asked for, with nothing left that robots.txt would not see through, like /public/../private.

    Raises ValueError or requests' InvalidURL unless it is an http or https address.
    """
    # twice, since %2e%2e is seen to be .. by the second step only
    normal = parse_url(requote_uri(parse_url(url).url)).url
    if not _is_http(urlsplit(normal)):
        raise ValueError(normal)
    return normal


def _target(reply: Reply) -> str:
    """Where a redirect points; nothing in it can upset a terminal."""
    location = reply.headers["location"].encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        return _normal(urljoin(reply.url, location)).partition("#")[0]
    except (ValueError, requests.RequestException):
        return "what is no http or https address"


def _same_site(old: str, new: str) -> bool:
    """Whether both are the same host, with or without www., and the same port or plain HTTP turned HTTPS."""
    try:
        before, after = urlsplit(old), urlsplit(new)
        ports = [parts.port or {"http": 80, "https": 443}.get(parts.scheme) for parts in (before, after)]
    except ValueError:
        return False
    if not _is_http(after) or _bare_host(before) != _bare_host(after):
        return False
    return (before.scheme, after.scheme) == ("http", "https") or (before.scheme, ports[0]) == (after.scheme, ports[1])


def _is_http(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _bare_host(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _retry_after(response: requests.Response) -> float | None:
    """Seconds that the site asks to wait, or None if it does not say, or not so that one could understand it."""
    retry = Retry()
    retry.retry_after_max = sys.maxsize  # it would make six hours of all that is longer
    try:
        return retry.parse_retry_after(response.headers["retry-after"])
    except (KeyError, ValueError, OverflowError, urllib3.exceptions.InvalidHeader):
        return None


def _unpacked(packed: bytes, most: int, too_large: _Trouble) -> "bytes | _Trouble":
    """What gzip has packed: all members of it, which follow each other (RFC 1952, 2.2); anything else is damage.

    It goes piece by piece: zlib hands back what follows a member as a copy, and there may be a million empty ones.
    """
    unpacker = zlib.decompressobj(GZIP_OR_ZLIB)
    parts: list[bytes] = []
    left = most
    for start in range(0, len(packed), PIECE_BYTES):
        piece = packed[start : start + PIECE_BYTES]
        while piece:
            if unpacker.eof:
                unpacker = zlib.decompressobj(GZIP_OR_ZLIB)
            try:
                parts.append(unpacker.decompress(piece, left + 1))
            except zlib.error:
                return too_large._replace(reason="reply damaged", again=True)
            left -= len(parts[-1])
            if left < 0:
                return too_large
            piece = unpacker.unused_data
    if not unpacker.eof:
        return too_large._replace(reason="reply broke off", again=True)
    return b"".join(parts)


def _given_up(url: str, troubles: list[_Trouble]) -> Failed | Unreachable:
    last, tries = troubles[-1], len(troubles)
    reason = last.reason
    if tries > 1:
        alike = all(trouble.reason == last.reason for trouble in troubles)
        reason += f", {tries} times" if alike else f", the last of {tries} tries"
    if last.asked:
        reason += f", asks to wait {_seconds(last.asked)}"
    if last.advice is not None:
        return Unreachable(f"{_host(url)}: {reason}; {last.advice}")
    return Failed(f"{url}: {reason}", tries, last.status)


def _no_connection(error: Exception) -> _Trouble:
    """The trouble if not even headers have come; with advice if there was no connection at all."""
    causes = list(_causes(error))
    if _first(causes, requests.exceptions.ProxyError):
        return _Trouble("the proxy does not let us through", advice="check HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
    if _first(causes, socket.gaierror):
        return _Trouble("its name can't be looked up", advice="check the name, and this machine's network")
    if untrusted := _first(causes, ssl.SSLCertVerificationError):
        why = f"its certificate can't be trusted ({untrusted.verify_message})"
        return _Trouble(why, again=False, advice="check this machine's clock and REQUESTS_CA_BUNDLE")
    if insecure := _first(causes, ssl.SSLError):
        what = insecure.reason or "no reason given"
        return _Trouble(
            f"no secure connection (TLS: {what.replace('_', ' ').lower()})",
            advice="check that the site is served by https",
        )
    if _first(causes, requests.exceptions.ConnectTimeout):
        return _Trouble("no connection in time", advice="check this machine's network, or try later")
    if _first(causes, ConnectionRefusedError):
        return _Trouble("connection refused", advice="the site seems to be down, try later")
    if refusal := _first(causes, NewConnectionError):
        what = refusal.__cause__.strerror if isinstance(refusal.__cause__, OSError) else None
        return _Trouble(f"no connection ({what or 'no reason given'})", advice="check this machine's network")
    return _Trouble(_in_words(error))


def _in_words(error: Exception) -> str:
    """What went wrong on an open connection."""
    causes = list(_causes(error))
    if _first(causes, requests.exceptions.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
        return "no answer in time"
    if _first(causes, IncompleteRead):
        return "reply broke off"
    if _first(causes, RemoteDisconnected):
        return "connection closed without a reply"
    if _first(causes, ConnectionError):
        return "connection reset"
    if broken := _first(causes, HTTPException):
        return f"no reply of HTTP ({type(broken).__name__})"
    return f"no reply ({' '.join(str(error).split())[:200]})"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that it has come from, wherever the libraries have put them."""
    left, seen = [error], set[int]()
    while left:
        cause = left.pop(0)
        if id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            behind = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
            left += [each for each in behind if isinstance(each, BaseException)]


def _first(causes: list[BaseException], *kinds: type[BaseException]) -> Any:
    return next((cause for cause in causes if isinstance(cause, kinds)), None)


def _phrase(status: int) -> str:
    return f"{status} {responses.get(status, '')}".strip()


def _seconds(seconds: float) -> str:
    return f"{math.ceil(seconds):,} s"


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count:,} bytes"
