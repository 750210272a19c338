"""webpbn.com: Jan Wolter's archive, which exports any puzzle as XML (export.cgi).

Its search (find.cgi) lists the numbers within bounds of a rating on one page, so a few requests give the ratings of all
puzzles, where their pages would take one request each.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from nonocensus.scrapers.formats import FormatError, webpbn_xml
from nonocensus.scrapers.http import Reply, Request
from nonocensus.scrapers.site import Judgement, Site

SOURCE = "webpbn"
HOME = "https://webpbn.com"

LINK = re.compile(rb"play\.cgi\?id=([0-9]{1,9})(?![0-9])")

NUMBER = re.compile(r"Puzzle 0*([0-9]{1,9}) ")

RATING_SCALE = 4
"""Factor of the search form: visitors rate 1 to 5, its bounds are 4 to 20 (as public clients send)."""

LOWEST_RATING, HIGHEST_RATING = 1, 5


def site(base: str = HOME) -> Site:
    """Return the site at a URL."""
    return Site(
        source=SOURCE,
        kinds=("any",),
        requests=lambda number: (_export(base, number),),
        judge=judge,
        newest_page=Request(f"{base}/find.cgi", {"order": "1", "perpage": "5", "search": "1"}),
        newest=newest_number,
    )


def _export(base: str, number: int) -> Request:
    form = {"sid": "", "go": "1", "id": str(number), "fmt": "xml", "xml_clue": "on", "xml_soln": "on"}
    return Request(f"{base}/export.cgi", form)


def judge(reply: Reply, number: int) -> Judgement:
    """Judge the reply of export.cgi for a number."""
    if reply.status != 200:
        return Judgement("error", f"HTTP status {reply.status}")
    if said := webpbn_xml.refusal(reply.body):
        there = NUMBER.match(said)
        if there and int(there[1]) != number:
            return Judgement("error", f"the reply is about {SOURCE}/{there[1]}, not {number}")
        for words, outcome in REFUSALS:
            if words in said:
                return Judgement(outcome, said)
        return Judgement("unsupported", said)
    if not webpbn_xml.TAG.search(reply.body):
        return Judgement("error", "neither a puzzle nor one of the site's refusals")
    try:
        puzzle = next(webpbn_xml.read(reply.body))
    except FormatError as error:
        # a complete file can be parsed again by a later version; others may be truncated
        whole = reply.body.rstrip().endswith(b"</puzzleset>")
        return Judgement("unsupported" if whole else "error", str(error))
    if puzzle.puzzle_id != f"{SOURCE}/{number}":
        return Judgement("error", f"the reply is {puzzle.puzzle_id or 'a puzzle without number'}, not {number}")
    return Judgement("ok", None, puzzle)


REFUSALS: tuple[tuple[str, Literal["missing", "unpublished"]], ...] = (
    ("does not exist", "missing"),
    ("has not been published", "unpublished"),
)


def listed_numbers(page: bytes) -> list[int]:
    """Return the numbers on a search page."""
    return sorted({int(number) for number in LINK.findall(page)})


def newest_number(page: bytes) -> int | None:
    """Return the highest number on a search page, None without any."""
    return max(listed_numbers(page), default=None)


class RatingBucket(NamedTuple):
    """A search for the puzzles whose rating is between two bounds, from 1 to 5."""

    measure: Literal["difficulty", "quality"]
    low: float
    high: float
    request: Request

    @property
    def rating(self) -> float:
        """Rating assumed for the bucket's puzzles: its middle."""
        return (self.low + self.high) / 2


def buckets(base: str = HOME) -> Iterator[RatingBucket]:
    """Yield the buckets of both measures, lowest first; for a puzzle on a bound, in two buckets, the first counts."""
    fields: tuple[tuple[Literal["difficulty", "quality"], str], ...] = (("difficulty", "diff"), ("quality", "qual"))
    for measure, field in fields:
        for low in range(LOWEST_RATING * RATING_SCALE, HIGHEST_RATING * RATING_SCALE):
            bounds = {f"min{field}": str(low), f"max{field}": str(low + 1), f"un{field}": "1"}  # no unrated puzzles
            form = {"search": "1", "order": "1", "perpage": "0", **bounds}
            yield RatingBucket(measure, low / RATING_SCALE, (low + 1) / RATING_SCALE, Request(f"{base}/find.cgi", form))
