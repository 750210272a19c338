"""webpbn.com: Jan Wolter's archive, of which export.cgi gives any puzzle as XML.

Its search (find.cgi) lists numbers. Asked for everything on one page within bounds of a rating, it puts each puzzle
into its bucket of that rating in a few requests, where the pages of the puzzles would take one each.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scrapers.formats import FormatError, webpbn_xml
from scrapers.http import Reply, Request
from scrapers.site import Judgement, Site

SOURCE = "webpbn"
HOME = "https://webpbn.com"

LINK = re.compile(rb"play\.cgi\?id=([0-9]{1,9})(?![0-9])")

RATING_SCALE = 4
"""What the search multiplies ratings by: visitors give 1 to 5, its form has bounds from 4 to 20 (public clients)."""

LOWEST_RATING, HIGHEST_RATING = 1, 5


def site(base: str = HOME) -> Site:
    """The site at an address, its twin's perhaps."""
    return Site(
        source=SOURCE,
        kinds=("any",),
        requests=lambda number: (_export(base, number),),
        judge=judge,
        news=Request(f"{base}/find.cgi", {"order": "1", "perpage": "5", "search": "1"}),
        newest=newest,
    )


def _export(base: str, number: int) -> Request:
    form = {"sid": "", "go": "1", "id": str(number), "fmt": "xml", "xml_clue": "on", "xml_soln": "on"}
    return Request(f"{base}/export.cgi", form)


def judge(reply: Reply, number: int) -> Judgement:
    """What export.cgi has sent for a number."""
    if reply.status != 200:
        return Judgement("error", f"HTTP status {reply.status}")
    if said := webpbn_xml.refusal(reply.body):
        for words, outcome in REFUSALS:
            if words in said:
                return Judgement(outcome, said)
        return Judgement("unsupported", said)
    if not webpbn_xml.TAG.search(reply.body):
        return Judgement("error", "neither a puzzle nor one of the site's words for none")
    try:
        puzzle = next(webpbn_xml.read(reply.body))
    except FormatError as error:
        # what ends well can be read again when there is a better reader; the rest may have broken off
        whole = reply.body.rstrip().endswith(b"</puzzleset>")
        return Judgement("unsupported" if whole else "error", str(error))
    if puzzle.puzzle_id != f"{SOURCE}/{number}":
        return Judgement("error", f"the reply is {puzzle.puzzle_id or 'a puzzle without number'}, not {number}")
    return Judgement("ok", None, puzzle)


REFUSALS: tuple[tuple[str, Literal["missing", "unpublished"]], ...] = (
    ("does not exist", "missing"),
    ("has not been published", "unpublished"),
)


def listed(page: bytes) -> list[int]:
    """The numbers that a page of the search links to."""
    return sorted({int(number) for number in LINK.findall(page)})


def newest(page: bytes) -> int | None:
    """The highest number that a page of the search links to, None for a page without links."""
    return max(listed(page), default=None)


class Bucket(NamedTuple):
    """A question to the search: which puzzles have a rating of this measure between these bounds, of 1 to 5."""

    measure: Literal["difficulty", "quality"]
    low: float
    high: float
    request: Request

    @property
    def rating(self) -> float:
        """What a puzzle of the bucket is taken to be rated."""
        return (self.low + self.high) / 2


def buckets(base: str = HOME) -> Iterator[Bucket]:
    """The questions that put each rated puzzle into its buckets, lowest first.

    A puzzle with a rating on a bound is in two buckets; the first counts.
    """
    fields: tuple[tuple[Literal["difficulty", "quality"], str], ...] = (("difficulty", "diff"), ("quality", "qual"))
    for measure, field in fields:
        for low in range(LOWEST_RATING * RATING_SCALE, HIGHEST_RATING * RATING_SCALE):
            bounds = {f"min{field}": str(low), f"max{field}": str(low + 1), f"un{field}": "1"}  # 1: no unrated ones
            form = {"search": "1", "order": "1", "perpage": "0", **bounds}
            yield Bucket(measure, low / RATING_SCALE, (low + 1) / RATING_SCALE, Request(f"{base}/find.cgi", form))
