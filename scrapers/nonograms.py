"""nonograms.org: a page per puzzle, with different URLs for black-and-white and coloured ones.

Both kinds share one sequence of numbers, so a number is requested as one kind and, if missing, as the other, unless a
list names its kind. A few puzzles are only on nonograms.ru, the same site in Russian.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from nonocensus.scrapers.formats import nonograms_org
from nonocensus.scrapers.http import Reply, Request
from nonocensus.scrapers.site import Judgement, Site

SOURCE = "nonograms"
HOMES = ("https://www.nonograms.org", "https://www.nonograms.ru")
"""Tried in this order."""

KINDS: Mapping[str, bool] = {"mono": False, "color": True}
LAST_PAGE = 10_000
"""A search page beyond the end, for which the site shows the last one, with the newest puzzles if sorted so."""


def site(
    bases: Sequence[str] = HOMES, kinds: Sequence[str] = tuple(KINDS), colored: Mapping[int, bool] | None = None
) -> Site:
    """Return the site at these URLs, for some kinds of puzzles. `colored` has the kind of known numbers."""
    known = colored or {}

    def requests(number: int) -> tuple[Request, ...]:
        wanted = [KINDS[kind] for kind in kinds]
        if number in known:
            wanted = [kind for kind in wanted if kind == known[number]] or wanted
        return tuple(Request(_page(base, number, kind)) for base in bases for kind in wanted)

    return Site(
        source=SOURCE,
        kinds=tuple(kinds),
        requests=requests,
        judge=judge,
        newest_page=Request(f"{bases[0]}/search/p/{LAST_PAGE}?sort=6"),
        newest=nonograms_org.newest_number,
    )


def _page(base: str, number: int, colored: bool) -> str:
    return f"{base}/nonograms{'2' if colored else ''}/i/{number}"


def judge(reply: Reply, number: int) -> Judgement:
    """Judge the reply for a number; after a redirect it may be another puzzle's."""
    parts = urlsplit(reply.url)
    found = nonograms_org.LINK.search(parts.path)
    if found and int(found[2]) != number:
        return nonograms_org.other_puzzle(found[2], number)
    russian = (parts.hostname or "").endswith(".ru")
    colored = parts.path.startswith("/nonograms2/")
    return nonograms_org.judge(reply.body, reply.status, number, colored, HOMES[russian])


def list_page(base: str, kind: str, page: int) -> Request:
    """Return the request for a list page of one kind; pages count from 1."""
    return Request(f"{base}/nonograms{'2' if KINDS[kind] else ''}/p/{page}")


def listed_numbers(page: bytes, kind: str) -> list[int]:
    """Return the numbers of one kind on a list page."""
    return [number for number, colored in nonograms_org.listed_puzzles(page) if colored == KINDS[kind]]
