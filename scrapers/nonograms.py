"""nonograms.org: a page for each puzzle, black-and-white and coloured ones under addresses of their own.

Both kinds share one row of numbers, so a number is asked for as one kind and, where there is none, as the other. Lists
tell which kind a number is. A few puzzles are on nonograms.ru alone, the same site in Russian.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from scrapers.formats import nonograms_org
from scrapers.http import Reply, Request
from scrapers.site import Judgement, Site

SOURCE = "nonograms"
HOMES = ("https://www.nonograms.org", "https://www.nonograms.ru")
"""Where a number is asked for, in this order."""

KINDS: Mapping[str, bool] = {"mono": False, "color": True}
LAST_PAGE = 10_000
"""A page of the search beyond its end: the site shows the last one, and that has the newest puzzles if sorted so."""


def site(
    bases: Sequence[str] = HOMES, kinds: Sequence[str] = tuple(KINDS), colored: Mapping[int, bool] | None = None
) -> Site:
    """The site at some addresses, of some kinds of puzzles. `colored` says of some numbers which kind they are."""
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
        news=Request(f"{bases[0]}/search/p/{LAST_PAGE}?sort=6"),
        newest=nonograms_org.newest,
    )


def _page(base: str, number: int, colored: bool) -> str:
    return f"{base}/nonograms{'2' if colored else ''}/i/{number}"


def judge(reply: Reply, number: int) -> Judgement:
    """What the page of a number holds."""
    parts = urlsplit(reply.url)
    russian = (parts.hostname or "").endswith(".ru")
    colored = parts.path.startswith("/nonograms2/")
    return nonograms_org.judge(reply.body, reply.status, number, colored, HOMES[russian])


def list_page(base: str, kind: str, page: int) -> Request:
    """What to ask for a page of the list of one kind; they are numbered from 1."""
    return Request(f"{base}/nonograms{'2' if KINDS[kind] else ''}/p/{page}")


def listed(page: bytes, kind: str) -> list[int]:
    """The numbers of one kind that a page of a list links to."""
    return [number for number, colored in nonograms_org.listed(page) if colored == KINDS[kind]]
