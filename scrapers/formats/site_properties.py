"""What sites say about a puzzle beyond its clues: origin, date, solving time and ratings, as texts of files.

Values that cannot be right are logged and read as unknown: a rating outside its site's scale, a time of zero or of more
than a week, a date in another notation.
"""

import logging
import re
from datetime import date, datetime
from typing import Any

from nonocensus.scrapers.formats.parsing import PuzzleOrigin, clip, webpbn_origin
from nonocensus.solver.model.measures import RATING_SCALES

LOG = logging.getLogger("nonocensus.scrapers")

MAX_SECONDS = 7 * 24 * 3600.0
"""Longest solving time that is believed: a week."""

TIME = re.compile(r"(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-9]{2})")
DATES = ("%b %d, %Y", "%m/%d/%y", "%Y-%m-%d")
"""Notations of dates: webpbn.com's, griddlers.net's, ISO 8601."""

OF_CLUES = (
    *("site_note", "site_version", "site_quality", "site_difficulty", "site_seconds", "site_steps"),
    *("fetched_at", "raw_sha256"),
)
"""Fields of Puzzle that don't hold for other clues of the same puzzle: a site's verdicts and ratings, the file read."""

LINKS = (
    ("webpbn", re.compile(r"https?://(?:www\.)?webpbn\.com/(?:play\.cgi)?\?(?:[^#\s]*&)?id=([0-9]{1,9})")),
    ("griddlers", re.compile(r"https?://(?:www\.)?griddlers\.net/\S{0,40}?/g/(?:t1/)?([0-9]{1,9})")),
)


def origin_of(link: str) -> PuzzleOrigin | None:
    """Return the origin that a puzzle's web address names; None if it is none of a known site."""
    for source, pattern in LINKS:
        if found := pattern.match(link):
            number = found[1].lstrip("0") or "0"
            return (
                webpbn_origin(number)
                if source == "webpbn"
                else PuzzleOrigin(f"{source}/{number}", source, number, link)
            )
    return None


def parse_date(text: str) -> date | None:
    """Return a site's date; None if it is in no known notation."""
    for notation in DATES:
        try:
            return datetime.strptime(" ".join(text.split()), notation).date()
        except ValueError:
            continue
    LOG.warning("%s is not a date that is known; it is ignored", clip(text))
    return None


def parse_time(text: str) -> float | None:
    """Return a time like 1:02:03 or 2:03 in seconds; None if it is neither or cannot be right."""
    found = TIME.fullmatch(text.strip())
    if found is None:
        LOG.warning("%s is not a time like 0:02:03; it is ignored", clip(text))
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return checked_seconds(3600.0 * hours + 60.0 * minutes + seconds)


def checked_seconds(seconds: float) -> float | None:
    """Return a solving time; None if it is zero, negative or more than a week."""
    if 0 < seconds <= MAX_SECONDS:
        return seconds
    LOG.warning("a solving time of %g s cannot be right; it is ignored", seconds)
    return None


def parse_rating(source: str | None, column: str, text: str) -> float | None:
    """Return a rating of a site, of `site_difficulty` or `site_quality`; None if it is outside the site's scale."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    return checked_rating(source, column, value)


def checked_rating(source: str | None, column: str, value: float) -> float | None:
    """Return a rating; None if it is not finite or outside its site's scale."""
    low, high = RATING_SCALES.get((source, column), (float("-inf"), float("inf")))
    if low <= value <= high and abs(value) != float("inf"):
        return value
    LOG.warning("a %s of %g is not on the scale of %s; it is ignored", column, value, source or "any site")
    return None


CHECKED = ("source", "author", "site_seconds", "site_difficulty", "site_quality")
"""Columns that `drop_implausible` reads."""


def drop_implausible(values: dict[str, Any]) -> dict[str, Any]:
    """Return columns of a puzzle with times and ratings that cannot be right replaced by None.

    Seconds of griddlers.net in `site_difficulty`, where public crawls keep them, move to `site_seconds`: that site has
    no rating of difficulty. Authors of webpbn.com lose the empty brackets of a missing nickname.
    """
    values = dict(values)
    if values["source"] == "webpbn" and values["author"]:
        values["author"] = values["author"].removesuffix(" ()") or None
    if values["source"] == "griddlers" and values["site_seconds"] is None:
        values["site_seconds"], values["site_difficulty"] = values["site_difficulty"], None
    if values["site_seconds"] is not None:
        values["site_seconds"] = checked_seconds(values["site_seconds"])
    for column in ("site_difficulty", "site_quality"):
        if values[column] is not None:
            values[column] = checked_rating(values["source"], column, values[column])
    return values
