"""Why an exchange has given no reply, in words."""

import socket
import ssl
from collections.abc import Iterator
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from typing import Any, NamedTuple

import requests
import urllib3
from urllib3.exceptions import NewConnectionError

from scrapers.http.addresses import host_of
from scrapers.http.messages import Failed, Unreachable
from scrapers.http.wording import seconds_in_words

CONNECTION_TROUBLE = (OSError, HTTPException, urllib3.exceptions.HTTPError)
"""What the libraries raise when an exchange goes wrong; requests' own exceptions are OSErrors."""


class Trouble(NamedTuple):
    """Why an exchange has given no reply.

    again    whether it may go better another time
    asked    seconds to wait, by Retry-After
    advice   what to do, if there is no connection
    """

    reason: str
    status: int | None = None
    again: bool = True
    asked: float | None = None
    advice: str | None = None


def is_refusal(status: int) -> bool:
    """Whether a status says that the site can't or won't answer now."""
    return status == 429 or status >= 500


def given_up(url: str, troubles: list[Trouble]) -> Failed | Unreachable:
    """The exception that ends the tries of a request."""
    last, tries = troubles[-1], len(troubles)
    reason = last.reason
    if tries > 1:
        alike = all(trouble.reason == last.reason for trouble in troubles)
        reason += f", {tries} times" if alike else f", the last of {tries} tries"
    if last.asked:
        reason += f", asks to wait {seconds_in_words(last.asked)}"
    if last.advice is not None:
        return Unreachable(f"{host_of(url)}: {reason}; {last.advice}")
    return Failed(f"{url}: {reason}", tries, last.status)


def no_headers(error: Exception) -> Trouble:
    """The trouble if not even headers have come; with advice if there was no connection at all."""
    causes = list(_causes(error))
    if _first(causes, requests.exceptions.ProxyError):
        return Trouble("the proxy does not let us through", advice="check HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
    if _first(causes, socket.gaierror):
        return Trouble("its name can't be looked up", advice="check the name, and this machine's network")
    if untrusted := _first(causes, ssl.SSLCertVerificationError):
        why = f"its certificate can't be trusted ({untrusted.verify_message})"
        return Trouble(why, again=False, advice="check this machine's clock and REQUESTS_CA_BUNDLE")
    if insecure := _first(causes, ssl.SSLError):
        what = insecure.reason or "no reason given"
        return Trouble(
            f"no secure connection (TLS: {what.replace('_', ' ').lower()})",
            advice="check that the site is served by https",
        )
    if _first(causes, requests.exceptions.ConnectTimeout):
        return Trouble("no connection in time", advice="check this machine's network, or try later")
    if _first(causes, ConnectionRefusedError):
        return Trouble("connection refused", advice="the site seems to be down, try later")
    if refusal := _first(causes, NewConnectionError):
        what = refusal.__cause__.strerror if isinstance(refusal.__cause__, OSError) else None
        return Trouble(f"no connection ({what or 'no reason given'})", advice="check this machine's network")
    return Trouble(in_words(error))


def in_words(error: Exception) -> str:
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
