"""Redirects: which are followed, and what is asked for there."""

from collections.abc import Callable, Sequence
from urllib.parse import urljoin

import requests

from scrapers.http.addresses import normal, same_site
from scrapers.http.messages import Failed, Reply, Request

MOST_REDIRECTS = 5
"""Redirects of one request that are followed."""


def redirected(
    request: Request, reply: Reply, before: Sequence[str], may_lead: Callable[[str, str], bool] = same_site
) -> Request | None:
    """What to ask for next; None if the reply is no redirect. `before` are the addresses asked so far, in order.

    Raises Failed if it leads where it may not, to another site as a rule, or if they don't end.
    """
    if "location" not in reply.headers or reply.status not in requests.sessions.REDIRECT_STATI:
        return None
    target = _target(reply)
    if not may_lead(reply.url, target):
        what = "not https" if reply.url.startswith("https:") and target.startswith("http:") else "a login page?"
        raise Failed(f"{reply.url}: redirected to {target[:200]} ({what})", 1, reply.status)
    if len(before) > MOST_REDIRECTS:
        what = "redirects in a circle" if target in before else f"more than {MOST_REDIRECTS} redirects"
        raise Failed(f"{before[0]}: {what}", 1, reply.status)
    # as browsers do: only 307 and 308 mean that the form is wanted there again
    return Request(target, request.form if reply.status in (307, 308) else None)


def _target(reply: Reply) -> str:
    """Where a redirect points; nothing in it can upset a terminal."""
    location = reply.headers["location"].encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        return normal(urljoin(reply.url, location)).partition("#")[0]
    except ValueError:
        return "what is no http or https address"
