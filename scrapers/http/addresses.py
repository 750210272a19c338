"""Addresses: in which form they are asked for, and which of them are one site, or this machine."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

import requests
from requests.utils import requote_uri
from urllib3.util import parse_url


def normal(url: str) -> str:
    """As it will be asked for, with nothing left that robots.txt would not see through, like /public/../private.

    Raises ValueError unless it is an http or https address.
    """
    try:
        # twice, since %2e%2e is seen to be .. by the second step only
        address = parse_url(requote_uri(parse_url(url).url)).url
        if _is_http(urlsplit(address)):
            return address
    except (ValueError, requests.RequestException):
        pass
    raise ValueError(f"{url[:200]!r} is no http or https address")


def host_of(url: str) -> str:
    """The host of an address, with its port if there is one."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_loopback(url: str) -> bool:
    """Whether an address is of this machine by its name: localhost, 127.0.0.0/8 or ::1. No name is looked up."""
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def same_site(old: str, new: str) -> bool:
    """Whether both are the same host, with or without www., and the same port or plain HTTP turned HTTPS."""
    try:
        before, after = urlsplit(old), urlsplit(new)
        ports = [parts.port or {"http": 80, "https": 443}.get(parts.scheme) for parts in (before, after)]
    except ValueError:
        return False
    if not _is_http(after) or _bare_host(before) != _bare_host(after) or is_loopback(old) != is_loopback(new):
        return False
    return (before.scheme, after.scheme) == ("http", "https") or (before.scheme, ports[0]) == (after.scheme, ports[1])


def _is_http(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _bare_host(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")
