"""Ids of the sites' puzzles as people write them, and how single ones are asked for."""

import re
from typing import NamedTuple

SITES = ("webpbn", "nonograms")
"""The sites by their names in ids: scrapers.webpbn.SOURCE and scrapers.nonograms.SOURCE, which take longer to load."""

ID = re.compile(rf"({'|'.join(SITES)})[/:]0*([1-9][0-9]{{0,8}})")


class PuzzleId(NamedTuple):
    """A puzzle of a site: webpbn or nonograms, and its number there."""

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
    """The puzzle that a text like webpbn/6574 or nonograms:12345 names, None if it names none."""
    found = ID.fullmatch(text)
    return PuzzleId(found[1], int(found[2])) if found else None
