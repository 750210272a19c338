"""What the twin answers if all goes well: pages and XML of both sites, byte for byte as far as they are known."""

import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from scrapers.formats import FormatError, nonograms_org, webpbn_xml
from scrapers.twin.twin_puzzles import SITE_NUMBER, Archive, Entry
from scrapers.webpbn import RATING_SCALE
from solver.model.puzzle import Puzzle

LIST_SIZE = 30
"""Puzzles on a list page of nonograms.org."""

FIND_SIZE = 20
"""Puzzles on a page of webpbn's search that is not told how many: a guess."""

MOST_STEPS = nonograms_org.MAX_NUMBER // 2
"""The highest step of a solving order that a page can hold."""

TEXTS = re.compile(rb"<(title|author|copyright|description|license|note)>(.*?)</\1>", re.DOTALL)
REFERENCE = re.compile(rb"&#([0-9]+);")
CLUES = re.compile(rb"\n<clues .*?</clues>\n", re.DOTALL)

EXPORT = re.compile(r"/export\.cgi(?:/[^/]*)?")
PAGE = re.compile(r"/nonograms(2?)/i/([0-9]{1,9})/?")
LIST = re.compile(r"/nonograms(2?)/p/([0-9]{1,9})/?")
SEARCH = re.compile(r"/search/p/([0-9]{1,9})/?")


class Ask(NamedTuple):
    """What a request asks for: the kind of page, the number of a puzzle or page, and webpbn's fields.

    what   webpbn, nonograms, nonograms2 for puzzles; find, list, list2, search, form (export.cgi without go), robots,
           nowhere
    """

    what: str
    number: int = 0
    fields: Mapping[str, str] = {}


class Page(NamedTuple):
    """A reply as it should be. `tag` is its ETag, empty for what has none."""

    body: bytes
    kind: str
    status: int
    tag: str


def ask_for(path: str, form: Mapping[str, str]) -> Ask:
    """What a path and the fields of query and form ask for."""
    if EXPORT.fullmatch(path) and not form.get("go"):
        return Ask("form")
    if EXPORT.fullmatch(path):
        return Ask("webpbn", _number(form.get("id", "")), form)
    if path == "/XMLpuz.cgi":
        return Ask("webpbn", _number(form.get("id", "")), {"fmt": "xml", "xml_clue": "on"})
    if path == "/find.cgi":
        return Ask("find", fields=form)
    if found := PAGE.fullmatch(path):
        return Ask(f"nonograms{found[1]}", int(found[2]))
    if found := LIST.fullmatch(path):
        return Ask(f"list{found[1]}", int(found[2]))
    if found := SEARCH.fullmatch(path):
        return Ask("search", int(found[1]))
    return Ask("robots" if path == "/robots.txt" else "nowhere")


def _number(text: str) -> int:
    found = SITE_NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else 0


def right_reply(ask: Ask, archive: Archive, base: str, crawl_delay: float | None) -> Page:
    """The reply to it of a twin at the address `base`."""
    colored = ask.what.endswith("2")
    match ask.what:
        case "webpbn":
            return _export(archive, ask.number, ask.fields)
        case "find":
            return _find(archive, ask.fields)
        case "form":
            return webpbn_page("Export Puzzles", "<form method=post><input name=id><input name=go></form>")
        case "nonograms" | "nonograms2":
            return _nonograms_page(archive, ask.number, colored, base)
        case "list" | "list2":
            return _list_page(archive, ask.number, colored, base)
        case "search":
            return _search_page(archive, ask.number, base)
        case "robots":
            return _text(_robots(crawl_delay))
        case _:
            return _html(nonograms_org.missing_page(), status=404)


def _finished(body: bytes, kind: str, status: int = 200) -> Page:
    return Page(body, kind, status, f'"{blake2b(body, digest_size=12).hexdigest()}"' if status == 200 else "")


def _text(text: str, status: int = 200) -> Page:
    return _finished(text.encode("cp1252"), "text/plain", status)


def _html(body: bytes, status: int = 200) -> Page:
    return _finished(body, "text/html; charset=utf-8", status)


def _robots(crawl_delay: float | None) -> str:
    delay = "" if crawl_delay is None else f"Crawl-delay: {crawl_delay:g}\n"
    return f"User-agent: *\nDisallow:\n{delay}"


# --- webpbn ---


def _export(archive: Archive, number: int, fields: Mapping[str, str]) -> Page:
    if number in archive.unpublished:
        return _text(f"Puzzle {number} has not been published\n")
    if number not in archive.webpbn:
        return _text(f"Puzzle {number} does not exist\n")
    if fields.get("fmt") != "xml":
        return _text("The twin has no format but xml\n", status=400)
    clues, goal = fields.get("xml_clue") == "on", fields.get("xml_soln") == "on"
    return _finished(_xml(archive.puzzle(archive.webpbn[number]), number, clues, goal), "text/xml")


def _xml(puzzle: Puzzle, number: int, clues: bool, goal: bool) -> bytes:
    """The puzzle as webpbn's, of that number.

    Clues are left out only where the goal can stand for them. That it is so with `xml_clue` unset is a guess.
    """
    version = puzzle.site_version or "1"
    image = puzzle.goal if goal else None
    data = webpbn_xml.write(
        replace(puzzle, source="webpbn", source_id=str(number), site_version=version, goal=image, saved=())
    )
    if image is not None and not clues:
        data = CLUES.sub(b"", data)
    return REFERENCE.sub(_raw, TEXTS.sub(_quoted, data))


def _quoted(element: re.Match[bytes]) -> bytes:
    """The site writes quotes as entities even where XML takes them as they are."""
    return element[0].replace(b'"', b"&quot;").replace(b"'", b"&apos;")


def _raw(reference: re.Match[bytes]) -> bytes:
    """The site sends raw Windows-1252; only what this does not have is a character reference."""
    number = int(reference[1])
    return reference[0] if number < 128 else chr(number).encode("cp1252", "xmlcharrefreplace")


def _find(archive: Archive, form: Mapping[str, str]) -> Page:
    """A page of the search. Of its fields, those that the twin heeds are here.

    minid maxid           bounds of the number
    minqual maxqual       bounds of the rating, times four (webpbn.RATING_SCALE); a puzzle on a bound is within
    mindiff maxdiff       the same of the difficulty
    unqual undiff         1 leaves out puzzles without a rating; else they are there, whatever the bounds. So it is in a
                          public client of the site. For 0 and nothing to mean the same is a guess
    perpage pageno        puzzles on a page, 0 for all on one; which page, from 0 on
    order                 1: newest first; else oldest first, a guess
    """
    found = [number for number, entry in archive.webpbn.items() if _is_found(archive, number, entry, form)]
    if form.get("order") == "1":
        found.reverse()
    size = _whole(form, "perpage", FIND_SIZE) or max(1, len(found))
    start = size * _whole(form, "pageno", 0)
    rows = "".join(
        f"<tr><td>#{number}</td><td><a href=play.cgi?id={number}>Puzzle {number}</a></td></tr>\n"
        for number in found[start : start + size]
    )
    return webpbn_page("Find Puzzles", f"<table>\n<tr><th>Id</th><th>Puzzle</th></tr>\n{rows}</table>")


def _is_found(archive: Archive, number: int, entry: Entry, form: Mapping[str, str]) -> bool:
    return (
        number not in archive.unpublished
        and _is_within(number, form, "id")
        and _is_rated(entry.quality, form, "qual")
        and _is_rated(entry.difficulty, form, "diff")
    )


def _is_rated(rating: float | None, form: Mapping[str, str], field: str) -> bool:
    if rating is None:
        return form.get(f"un{field}", "") != "1"
    return _is_within(rating * RATING_SCALE, form, field)


def _is_within(value: float, form: Mapping[str, str], field: str) -> bool:
    return _float(form, f"min{field}", float("-inf")) <= value <= _float(form, f"max{field}", float("inf"))


def _float(form: Mapping[str, str], field: str, default: float) -> float:
    try:
        return float(form.get(field, ""))
    except ValueError:
        return default


def _whole(form: Mapping[str, str], field: str, default: int) -> int:
    text = form.get(field, "").strip()
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else default


def webpbn_page(title: str, content: str) -> Page:
    """A page in the plain HTML of webpbn."""
    html = f"<html><head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{content}\n</body></html>\n"
    return _finished(html.encode(), "text/html")


# --- nonograms.org ---


def _nonograms_page(archive: Archive, number: int, colored: bool, base: str) -> Page:
    entry = archive.nonograms.get(number)
    known = entry is not None or number in archive.deleted or number in archive.adult
    if known and colored == (entry is not None and entry.colored):
        if number in archive.deleted:
            return _html(nonograms_org.deleted_page())
        if number in archive.adult:
            return _html(nonograms_org.adult_page())
        if entry is not None and (body := _puzzle_page(archive.puzzle(entry), number, base)):
            return _html(body)
    return _html(nonograms_org.missing_page(), status=404)


def _puzzle_page(puzzle: Puzzle, number: int, base: str) -> bytes | None:
    """The page, or None for what no page can hold and `_paged` has not found out (a colour that is none, say)."""
    steps = None if puzzle.goal is None else _steps(puzzle.goal, puzzle.site_steps)
    quality, difficulty = _of_ten(puzzle.site_quality), _of_ten(puzzle.site_difficulty)
    try:
        return nonograms_org.write_page(puzzle, number, base, quality, difficulty, puzzle.site_date, steps=steps)
    except FormatError:
        return None


def _of_ten(rating: float | None) -> int | None:
    return None if rating is None else min(max(round(rating), 0), 10)


def _steps(goal: np.ndarray, last: int | None) -> np.ndarray:
    """A solving order as the site's, made up: row by row, first the blocks and then the gaps, in `last` steps."""
    phases = 2 * len(goal)
    last = min(max(last or phases, 1), MOST_STEPS)
    phase = 2 * np.arange(len(goal))[:, None] + (goal == 0)
    steps: np.ndarray = 1 + phase * (last - 1) // (phases - 1)
    # whatever the last row is like, the number of steps is right
    steps[-1, -1] = last
    return steps


def _list_page(archive: Archive, page: int, colored: bool, base: str) -> Page:
    """The puzzles of one kind, newest first (a guess)."""
    listed = [link for link in reversed(_links(archive)) if link[1] == colored]
    if page > _pages(listed):
        return _html(nonograms_org.missing_page(), status=404)
    return _html(_shown(listed, page, base))


def _search_page(archive: Archive, page: int, base: str) -> Page:
    """All puzzles, the newest last; the last page stands for all that would follow."""
    listed = _links(archive)
    return _html(_shown(listed, min(page, _pages(listed)), base))


def _links(archive: Archive) -> list[tuple[int, bool]]:
    """Number and kind of what lists show: the deleted not, what is marked 18+ (a guess)."""
    kinds = dict.fromkeys(archive.adult, False) | {number: e.colored for number, e in archive.nonograms.items()}
    return [(number, kinds[number]) for number in sorted(kinds.keys() - archive.deleted)]


def _pages(links: list[tuple[int, bool]]) -> int:
    return max(1, -(-len(links) // LIST_SIZE))


def _shown(links: list[tuple[int, bool]], page: int, base: str) -> bytes:
    start = LIST_SIZE * (max(page, 1) - 1)
    return nonograms_org.write_list_page(links[start : start + LIST_SIZE], base)
