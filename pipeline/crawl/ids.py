"""Ids of the sites' puzzles; imports nothing heavy, since `solve` parses its arguments with it."""

import re
from typing import NamedTuple

SITES = ("webpbn", "nonograms")
"""Site names in ids: copies of scrapers.webpbn.SOURCE and scrapers.nonograms.SOURCE, which are slow to import."""

ID = re.compile(rf"({'|'.join(SITES)})[/:]0*([1-9][0-9]{{0,8}})")


class PuzzleId(NamedTuple):
    """A site, webpbn or nonograms, and a puzzle's number there."""

    source: str
    number: int

    def __str__(self) -> str:
        return f"{self.source}/{self.number}"


class FetchOptions(NamedTuple):
    """How single puzzles are fetched.

    base_urls   other addresses of the site (a mirror, a twin)
    contact     e-mail or web address for the site's owner
    refresh     bypass the cache
    """

    base_urls: tuple[str, ...] = ()
    contact: str | None = None
    refresh: bool = False


def parse_id(text: str) -> PuzzleId | None:
    """Parse an id like webpbn/6574 or nonograms:12345; None if the text is not one."""
    found = ID.fullmatch(text)
    return PuzzleId(found[1], int(found[2])) if found else None
