"""The one connection to a site: what goes out, and the headers that come back."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import requests
from requests.cookies import extract_cookies_to_jar

from scrapers.http.addresses import host_of
from scrapers.http.deadline import DeadlineAdapter
from scrapers.http.http_limits import Limits
from scrapers.http.messages import Request


class Connection:
    """Connection and cookies; the connection is opened when it is needed, and again if the site has closed it."""

    def __init__(self, user_agent: str, limits: Limits) -> None:
        self._session = _session(user_agent)
        self._timeouts = min(limits.connect_timeout, limits.total_timeout), limits.read_timeout
        self._environments: dict[str, Mapping[str, Any]] = {}  # by host

    def close(self) -> None:
        """Close it."""
        self._session.close()

    def send(self, request: Request, headers: Mapping[str, str]) -> requests.Response:
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
        host = host_of(url)
        if host not in self._environments:
            self._environments[host] = self._session.merge_environment_settings(url, {}, True, None, None)
        return self._environments[host]


def _session(user_agent: str) -> requests.Session:
    session = requests.Session()
    # urllib3 sees when a gzip stream is damaged but not when it ends early, so we unpack ourselves, and just this kind
    session.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
    session.auth = lambda prepared: prepared  # or else passwords of ~/.netrc would be sent
    for scheme in ("http://", "https://"):
        session.mount(scheme, DeadlineAdapter(pool_maxsize=1))
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
