"""Polite HTTP: one connection, delays, robots.txt, an honest user agent, retries with backoff.

Every scraper uses `PoliteSession`. It returns a `Reply` or raises `RequestFailed` (this request failed, others may
succeed; `RobotsDisallowed` if robots.txt disallows it), or `HostUnreachable` (no request to this host will succeed).
"""

from nonocensus.scrapers.http.messages import (
    HostUnreachable,
    HttpLimits,
    Reply,
    Request,
    RequestFailed,
    RobotsDisallowed,
)
from nonocensus.scrapers.http.polite_session import PoliteSession

__all__ = ["HostUnreachable", "HttpLimits", "PoliteSession", "Reply", "Request", "RequestFailed", "RobotsDisallowed"]
