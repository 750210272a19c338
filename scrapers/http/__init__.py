"""Asking sites politely: one connection, pauses, robots.txt, an honest name, and patience with trouble.

Every scraper asks through `Polite`. What comes back is a `Reply`, or one of three exceptions: `Failed` (this request
has no answer, others may have), `Forbidden` (robots.txt says no) and `Unreachable` (nothing will come from this host).
"""

from scrapers.http.http_limits import Limits
from scrapers.http.messages import Failed, Forbidden, Reply, Request, Unreachable
from scrapers.http.polite import Polite

__all__ = ["Failed", "Forbidden", "Limits", "Polite", "Reply", "Request", "Unreachable"]
