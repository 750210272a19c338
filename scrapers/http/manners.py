"""What every session keeps to, whoever starts it: it says who asks, and it does not ask too often."""

import re
from collections.abc import Sequence

from scrapers.http.addresses import host_of, is_loopback

ROBOT = "nonocensus"
"""The name by which robots.txt may address us."""

SHORTEST_RATE = 1.5
"""Seconds between two requests, at the least, to any host but this machine."""

LONGEST_RATE = 24 * 3600.0

EMAIL = re.compile(r"[!-'*+\-./0-9=?A-Z^-~]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9\[][!-'*-~]*")


def checked_contact(contact: str) -> str:
    """The address at which a site's owner can complain. Raises ValueError unless it looks like one."""
    contact = contact.strip()
    if not (EMAIL.fullmatch(contact) or WEB_ADDRESS.fullmatch(contact)):
        raise ValueError(
            "a contact for the site's owner is an e-mail address like me@example.org or a web address like "
            f"https://example.org, in ASCII; not {contact[:100]!r}"
        )
    return contact


def contact_for(urls: Sequence[str], contact: str | None) -> str:
    """The contact to give at these addresses; this machine alone is asked without one. Raises ValueError."""
    if contact:
        return checked_contact(contact)
    if all(is_loopback(url) for url in urls):
        return "http://localhost"
    raise ValueError("give --contact, or set NONOCENSUS_CONTACT: an e-mail or web address for the site's owner")


def check_rate(rate: float) -> None:
    """Raise ValueError unless a rate is a number of seconds from 0 to a day."""
    if not 0 <= rate <= LONGEST_RATE:
        raise ValueError(f"a rate is a number of seconds from 0 to {LONGEST_RATE:,.0f}, not {rate:g}")


def check_pace(url: str, rate: float) -> None:
    """Raise ValueError if a rate is too quick for the host of an address."""
    if rate < SHORTEST_RATE and not is_loopback(url):
        raise ValueError(
            f"{host_of(url)} is given at least {SHORTEST_RATE} s between requests, not {rate:g}; "
            "less is for this machine alone"
        )
