"""Replies of the twin: pages and XML of both sites."""

import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats import nonograms_org, webpbn_xml
from nonocensus.scrapers.formats.nonograms_codec import MAX_NUMBER
from nonocensus.scrapers.twin.twin_puzzles import SITE_NUMBER, TwinArchive
from nonocensus.scrapers.webpbn import RATING_SCALE
from nonocensus.solver.model.puzzle import Puzzle

LIST_SIZE = 30
"""Puzzles per list page of nonograms.org."""

MAX_STEPS = MAX_NUMBER // 2
"""The highest step of a solving order on a page."""

TEXTS = re.compile(rb"<(title|author|copyright|description|license|note)>(.*?)</\1>", re.DOTALL)
REFERENCE = re.compile(rb"&#([0-9]+);")

EXPORT = re.compile(r"/export\.cgi(?:/[^/]*)?")
PAGE = re.compile(r"/nonograms(2?)/i/([0-9]{1,9})/?")
LIST = re.compile(r"/nonograms(2?)/p/([0-9]{1,9})/?")
SEARCH = re.compile(r"/search/p/([0-9]{1,9})/?")


class TwinReply(NamedTuple):
    """A reply; `tag` is its ETag, empty without one."""

    body: bytes
    kind: str
    status: int
    tag: str


def reply_to(
    path: str, form: Mapping[str, str], archive: TwinArchive, base: str, crawl_delay: float | None
) -> tuple[str, TwinReply]:
    """Return the name of a page of a twin at the URL `base`, and the reply; `form` are the fields of query and form.

    Pages are webpbn/N, nonograms/N and nonograms2/N for puzzles, find, list, list2, search, robots and unknown.
    """
    if EXPORT.fullmatch(path):
        found = SITE_NUMBER.fullmatch(form.get("id", ""))
        number = int(found[1]) if found else 0
        return f"webpbn/{number}", _export(archive, number, form)
    if path == "/find.cgi":
        return "find", _find(archive, form)
    if found := PAGE.fullmatch(path):
        return f"nonograms{found[1]}/{found[2]}", _nonograms_page(archive, int(found[2]), found[1] == "2", base)
    if found := LIST.fullmatch(path):
        return f"list{found[1]}", _list_page(archive, int(found[2]), found[1] == "2", base)
    if found := SEARCH.fullmatch(path):
        listed = _links(archive)  # newest last; pages beyond the end are the last one
        return "search", _html(_shown(listed, min(int(found[1]), _pages(listed)), base))
    if path == "/robots.txt":
        return "robots", _text(_robots(crawl_delay))
    return "unknown", _html(nonograms_org.missing_page(), status=404)


def _finished(body: bytes, kind: str, status: int = 200) -> TwinReply:
    return TwinReply(body, kind, status, f'"{blake2b(body, digest_size=12).hexdigest()}"' if status == 200 else "")


def _text(text: str, status: int = 200) -> TwinReply:
    return _finished(text.encode("cp1252"), "text/plain", status)


def _html(body: bytes, status: int = 200) -> TwinReply:
    return _finished(body, "text/html; charset=utf-8", status)


def _robots(crawl_delay: float | None) -> str:
    delay = "" if crawl_delay is None else f"Crawl-delay: {crawl_delay:g}\n"
    return f"User-agent: *\nDisallow:\n{delay}"


# --- webpbn ---


def _export(archive: TwinArchive, number: int, form: Mapping[str, str]) -> TwinReply:
    """Return webpbn's XML of a puzzle, with this number, or why there is none; the goal only if asked for."""
    if number not in archive.webpbn:
        return _text(f"Puzzle {number} does not exist\n")
    puzzle = archive.puzzle(archive.webpbn[number])
    goal, version = puzzle.goal if form.get("xml_soln") == "on" else None, puzzle.site_version or "1"
    data = webpbn_xml.write(
        replace(puzzle, source="webpbn", source_id=str(number), site_version=version, goal=goal, saved=())
    )
    return _finished(REFERENCE.sub(_raw, TEXTS.sub(_escape_quotes, data)), "text/xml")


def _escape_quotes(element: re.Match[bytes]) -> bytes:
    """Write quotes as entities, as the site does."""
    return element[0].replace(b'"', b"&quot;").replace(b"'", b"&apos;")


def _raw(reference: re.Match[bytes]) -> bytes:
    """Write raw Windows-1252, as the site does, with references for other characters."""
    number = int(reference[1])
    return reference[0] if number < 128 else chr(number).encode("cp1252", "xmlcharrefreplace")


def _find(archive: TwinArchive, form: Mapping[str, str]) -> TwinReply:
    """Return a page of the search, newest first. Fields are those that a crawl sends:

    minqual maxqual       inclusive bounds of the rating, times four (webpbn.RATING_SCALE)
    mindiff maxdiff       inclusive bounds of the difficulty, times four
    unqual undiff         1 excludes puzzles without a rating; else they match all bounds
    perpage               puzzles at most, 0 for all
    """
    found = [
        number
        for number, entry in reversed(archive.webpbn.items())
        if _is_rated(entry.quality, form, "qual") and _is_rated(entry.difficulty, form, "diff")
    ]
    rows = "".join(
        f"<tr><td>#{number}</td><td><a href=play.cgi?id={number}>Puzzle {number}</a></td></tr>\n"
        for number in found[: int(form.get("perpage", 0)) or None]
    )
    return webpbn_page("Find Puzzles", f"<table>\n<tr><th>Id</th><th>Puzzle</th></tr>\n{rows}</table>")


def _is_rated(rating: float | None, form: Mapping[str, str], field: str) -> bool:
    if rating is None:
        return form.get(f"un{field}") != "1"
    return float(form.get(f"min{field}", "-inf")) <= rating * RATING_SCALE <= float(form.get(f"max{field}", "inf"))


def webpbn_page(title: str, content: str) -> TwinReply:
    """Return a page in webpbn's plain HTML."""
    html = f"<html><head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{content}\n</body></html>\n"
    return _finished(html.encode(), "text/html")


# --- nonograms.org ---


def _nonograms_page(archive: TwinArchive, number: int, colored: bool, base: str) -> TwinReply:
    entry = archive.nonograms.get(number)
    if entry is None or entry.colored != colored:
        return _html(nonograms_org.missing_page(), status=404)
    return _html(_puzzle_page(archive.puzzle(entry), number, base))


def _puzzle_page(puzzle: Puzzle, number: int, base: str) -> bytes:
    assert puzzle.goal is not None
    steps = _steps(puzzle.goal, puzzle.site_steps)
    quality, difficulty = _of_ten(puzzle.site_quality), _of_ten(puzzle.site_difficulty)
    return nonograms_org.write_page(puzzle, number, base, quality, difficulty, puzzle.site_date, steps)


def _of_ten(rating: float | None) -> int | None:
    return None if rating is None else min(max(round(rating), 0), 10)


def _steps(goal: np.ndarray, last: int | None) -> np.ndarray:
    """Return a made-up solving order: by rows, first the blocks and then the gaps, in `last` steps."""
    phases = 2 * len(goal)
    last = min(max(last or phases, 1), MAX_STEPS)
    phase = 2 * np.arange(len(goal))[:, None] + (goal == 0)
    steps: np.ndarray = 1 + phase * (last - 1) // (phases - 1)
    # independent of the last row, the number of steps is right
    steps[-1, -1] = last
    return steps


def _list_page(archive: TwinArchive, page: int, colored: bool, base: str) -> TwinReply:
    """Return a list page of one kind, newest first (a guess)."""
    listed = [link for link in reversed(_links(archive)) if link[1] == colored]
    if page > _pages(listed):
        return _html(nonograms_org.missing_page(), status=404)
    return _html(_shown(listed, page, base))


def _links(archive: TwinArchive) -> list[tuple[int, bool]]:
    """Return number and kind of the listed puzzles."""
    return [(number, entry.colored) for number, entry in archive.nonograms.items()]


def _pages(links: list[tuple[int, bool]]) -> int:
    return max(1, -(-len(links) // LIST_SIZE))


def _shown(links: list[tuple[int, bool]], page: int, base: str) -> bytes:
    start = LIST_SIZE * (max(page, 1) - 1)
    return nonograms_org.write_list_page(links[start : start + LIST_SIZE], base)
