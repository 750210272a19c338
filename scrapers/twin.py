"""A twin of webpbn.com and nonograms.org on the loopback, for tests, benchmarks and the demo.

One local server speaks the URLs and the formats of both sites, from puzzles given to it, and misbehaves if told to.

webpbn         /export.cgi, /export.cgi/<any name>, /XMLpuz.cgi, /find.cgi; POST or GET
nonograms.org  /nonograms/i/N and /nonograms2/i/N, /nonograms/p/K and /nonograms2/p/K, /search/p/K?sort=6
both           /robots.txt

The XML is webpbn's byte for byte, but for `<authorid>`, which a Puzzle does not keep, line ends in a text, which
readers of XML don't tell apart, the order of the colours, which is that of their first use, and `<license>`, an element
of our own. Links on pages of nonograms.org
lead back to the twin. Ratings are the puzzle's own numbers, in the search as on pages, whatever their scale.

Where the sites' ways are not known, the twin does what seems likely. These guesses are marked as such.
"""

import asyncio
import itertools
import os
import re
import signal
import socket
import struct
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from hashlib import blake2b
from random import Random
from typing import NamedTuple
from urllib.parse import parse_qsl

import numpy as np
import pyarrow as pa
from aiohttp import web

from scrapers.formats import FormatError, nonograms_org, webpbn_xml
from scrapers.webpbn import RATING_SCALE
from solver.proof import fits
from solver.puzzle import WHITE, Puzzle
from solver.tables import puzzle_batch, puzzles_of
from solver.views import views

HOST = "127.0.0.1"
"""The only address the twin listens at: it is no site for others."""

BATCH_SIZE = 256
"""Puzzles that come as objects are packed into record batches of so many."""

CACHE_BYTES = 32 << 20
"""Room for finished replies. Most have 5 to 10 KB."""

CACHE_OVERHEAD = 1000
"""Bytes, about, that a reply takes in the cache besides its body."""

LIST_SIZE = 30
"""Puzzles on a list page of nonograms.org."""

FIND_SIZE = 20
"""Puzzles on a page of webpbn's search that is not told how many: a guess."""

MOST_STEPS = nonograms_org.MAX_NUMBER // 2
"""The highest step of a solving order that a page can hold."""

KINDS: tuple[str, ...] = (
    "429",
    "429-date",
    "500",
    "503-burst",
    "reset",
    "slow",
    "truncated",
    "wrong-length",
    "wrong-encoding",
    "redirect-circle",
    "html-error",
    "login-page",
)
"""The ways of misbehaving; `Faults` says what they are."""

BURST = 3
"""Replies with status 503 in a row."""

DRIPS = 8
"""Pieces in which a slow reply comes."""

PATIENCE = 0.05
"""Seconds that replies on their way are given when the twin is stopped."""

SITE_NUMBER = re.compile(r"0*([1-9][0-9]{0,8})")
TEXTS = re.compile(rb"<(title|author|copyright|description|license|note)>(.*?)</\1>", re.DOTALL)
REFERENCE = re.compile(rb"&#([0-9]+);")
CLUES = re.compile(rb"\n<clues .*?</clues>\n", re.DOTALL)

EXPORT = re.compile(r"/export\.cgi(?:/[^/]*)?")
PAGE = re.compile(r"/nonograms(2?)/i/([0-9]{1,9})/?")
LIST = re.compile(r"/nonograms(2?)/p/([0-9]{1,9})/?")
SEARCH = re.compile(r"/search/p/([0-9]{1,9})/?")
CIRCLE = re.compile(r"/circle/([12])")


class Entry(NamedTuple):
    """A puzzle of an archive: where its row is, and what lists and the search need to know of it.

    number   its number at its source, None if it has no such number there
    paged    whether a page of nonograms.org can hold it
    """

    batch: int
    row: int
    source: str | None
    number: int | None
    colored: bool
    paged: bool
    quality: float | None
    difficulty: float | None


class Archive(NamedTuple):
    """What both sites have; `archive` makes one.

    The puzzles stay in their record batches, some 2 KB for one of 25x25. A reply is made when it is asked for.

    webpbn, nonograms   the puzzles by their number on each site, in ascending order. Those that no page of
                        nonograms.org can hold are missing there
    unpublished         numbers of webpbn, deleted and adult of nonograms.org, with or without a puzzle
    """

    batches: tuple[pa.RecordBatch, ...]
    webpbn: Mapping[int, Entry]
    nonograms: Mapping[int, Entry]
    unpublished: frozenset[int]
    deleted: frozenset[int]
    adult: frozenset[int]

    def puzzle(self, entry: Entry) -> Puzzle:
        """The puzzle itself."""
        return next(puzzles_of(self.batches[entry.batch].slice(entry.row, 1)))


def archive(
    puzzles: pa.RecordBatch | Iterable[Puzzle | pa.RecordBatch],
    unpublished: Collection[int] = (),
    deleted: Collection[int] = (),
    adult: Collection[int] = (),
) -> Archive:
    """An archive of puzzles, or of record batches of the puzzles table.

    A puzzle that comes from one of the sites keeps its number there. All others get the lowest numbers that neither
    such a puzzle nor `unpublished`, `deleted` and `adult` have, in order. A puzzle that a page of nonograms.org can't
    hold has its number as well, but no page. If two puzzles come with the same number, the first one keeps it.
    """
    batches = tuple(_batches([puzzles] if isinstance(puzzles, pa.RecordBatch) else puzzles))
    entries = [entry for place, batch in enumerate(batches) for entry in _entries(place, batch)]
    pages = _numbered(entries, "nonograms", {*deleted, *adult})
    return Archive(
        batches,
        _numbered(entries, "webpbn", unpublished),
        {number: entry for number, entry in pages.items() if entry.paged},
        frozenset(unpublished),
        frozenset(deleted),
        frozenset(adult),
    )


def _batches(puzzles: Iterable[Puzzle | pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for packed, group in itertools.groupby(puzzles, lambda item: isinstance(item, pa.RecordBatch)):
        if packed:
            yield from group
        else:
            while some := list(itertools.islice(group, BATCH_SIZE)):
                yield puzzle_batch(some)


def _entries(place: int, batch: pa.RecordBatch) -> Iterator[Entry]:
    sources, ids = batch["source"].to_pylist(), batch["source_id"].to_pylist()
    numbers = [SITE_NUMBER.fullmatch(text or "") for text in ids]
    columns = (
        sources,
        [int(number[1]) if number else None for number in numbers],
        [kind == "color" for kind in batch["kind"].to_pylist()],
        _paged(batch),
        batch["site_quality"].to_pylist(),
        batch["site_difficulty"].to_pylist(),
    )
    for row, fields in enumerate(zip(*columns, strict=True)):
        yield Entry(place, row, *fields)


def _paged(batch: pa.RecordBatch) -> list[bool]:
    """Whether a page of nonograms.org can hold them: what `nonograms_org.write_page` refuses, found out for all."""
    goals: list[bytes | None] = batch["goal"].to_pylist()
    others = (batch[name].to_pylist() for name in ("palette", "blotted", "width", "height"))
    good = np.array([_is_plain(*row) for row in zip(goals, *others, strict=True)], np.bool_)
    offsets = np.cumsum([0, *(len(goal or b"") for goal in goals)])
    pictures = np.frombuffer(b"".join(filter(None, goals)), np.uint8)
    which = np.flatnonzero(good)
    good[which] = fits(views(batch), which, pictures, offsets)
    result: list[bool] = good.tolist()
    return result


def _is_plain(goal: bytes | None, palette: list[dict[str, str]], blotted: bool, width: int, height: int) -> bool:
    return (
        goal is not None
        and not blotted
        and max(width, height) <= nonograms_org.MAX_SIDE
        and len(palette) > 1
        and palette[0]["rgb"].lower() == WHITE.rgb
    )


def _numbered(entries: Iterable[Entry], site: str, reserved: Collection[int]) -> dict[int, Entry]:
    own: dict[int, Entry] = {}
    others: list[Entry] = []
    for entry in entries:
        if entry.source == site and entry.number is not None and entry.number not in own:
            own[entry.number] = entry
        else:
            others.append(entry)
    taken = own.keys() | set(reserved)
    free = (number for number in itertools.count(1) if number not in taken)
    return dict(sorted({**own, **dict(zip(free, others, strict=False))}.items()))


class Faults(NamedTuple):
    """How the twin misbehaves, at random: the same seed makes the same sequence, whatever is asked for.

    rate          share of the replies at which trouble begins, 0 to 1. /robots.txt is always right
    kinds         what happens then, each as likely as the others:
                  429, 429-date     status 429 with Retry-After in seconds or as a date, which cuts off part of a second
                  500               status 500
                  503-burst         status 503, and for the next two requests as well
                  reset             the connection is reset without a reply
                  slow              the body comes in eight pieces
                  truncated         the connection is closed before the end of the body
                  wrong-length      Content-Length is less than the body has, so the reply seems to be complete
                  wrong-encoding    the body is in UTF-16, or is as always and said to be
                  redirect-circle   a redirect into a circle
                  html-error        an error page with status 200
                  login-page        a login form with status 200
    seed          of the random numbers
    retry_after   seconds, for 429
    pause         seconds between the pieces of a slow body
    """

    rate: float
    kinds: tuple[str, ...] = KINDS
    seed: int = 0
    retry_after: int = 1
    pause: float = 0.05


@dataclass(frozen=True)
class Counts:
    """What a twin has been asked, to be looked at any time.

    asked      requests, by what they asked for: webpbn/N, nonograms/N and nonograms2/N for puzzles, otherwise find,
               list, list2, search, form (export.cgi without go), robots, circle, nowhere
    answered   those of them that got a right reply
    faults     wrong replies, by kind
    """

    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


@contextmanager
def serve(
    archive: Archive,
    port: int = 0,
    faults: Faults | None = None,
    crawl_delay: float | None = None,
    counts: Counts | None = None,
) -> Iterator[str]:
    """The twin in a thread of its own as long as the block lasts; yields its address, such as http://127.0.0.1:8000.

    Port 0 takes one that is free. `crawl_delay` (seconds) is what robots.txt asks for. `counts` is kept up to date.
    Raises OSError if the port can't be had, ValueError for faults that can't be.
    """
    with _door(port) as door:
        twin = _Twin(archive, _address(door), faults, crawl_delay, counts or Counts())
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="twin", daemon=True)
        thread.start()
        try:
            runner = asyncio.run_coroutine_threadsafe(_opened(twin, door), loop).result()
            try:
                yield twin.base
            finally:
                asyncio.run_coroutine_threadsafe(_close(runner), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


def run_forever(
    archive: Archive,
    port: int,
    faults: Faults | None = None,
    crawl_delay: float | None = None,
    counts: Counts | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """The twin until Ctrl-C or SIGTERM; for the main thread only. `ready` is told the address once it listens.

    The rest is as for `serve`.
    """
    with _door(port) as door:
        twin = _Twin(archive, _address(door), faults, crawl_delay, counts or Counts())
        asyncio.run(_until_stopped(twin, door, ready))


async def _until_stopped(twin: "_Twin", door: socket.socket, ready: Callable[[str], None] | None) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    runner = await _opened(twin, door)
    try:
        if ready:
            ready(twin.base)
        await stopped.wait()
    finally:
        await _close(runner)


def _door(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise OSError(f"there is no port {port}")
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise OSError(f"can't listen at {HOST}:{port}: {os.strerror(error.errno or 0).lower()}") from None


def _address(door: socket.socket) -> str:
    return f"http://{HOST}:{door.getsockname()[1]}"


async def _opened(twin: "_Twin", door: socket.socket) -> web.ServerRunner:
    # not an Application: nothing of its router is needed
    runner = web.ServerRunner(web.Server(twin.answer, access_log=None), shutdown_timeout=PATIENCE)
    await runner.setup()
    await web.SockSite(runner, door).start()
    return runner


async def _close(runner: web.ServerRunner) -> None:
    await runner.cleanup()
    # the library has cancelled what it would not wait for, but not seen to its end
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class _Ask(NamedTuple):
    """What a request asks for: `what` names it as `Counts` does, `number` is that of a puzzle or a page."""

    what: str
    number: int = 0
    fields: tuple[tuple[str, str], ...] = ()


class _Page(NamedTuple):
    """A reply as it should be. `tag` is its ETag, empty for what has none."""

    body: bytes
    kind: str
    encoding: str
    status: int
    tag: str


class _Trouble(NamedTuple):
    """A fault, and a random number below 1 that says how it goes."""

    kind: str
    chance: float


class _Twin:
    """The state of a running twin: replies made so far, the faults to come, counts."""

    def __init__(
        self, archive: Archive, base: str, faults: Faults | None, crawl_delay: float | None, counts: Counts
    ) -> None:
        self.base = base
        self._archive, self._crawl_delay, self._counts = archive, crawl_delay, counts
        self._faults = _checked(faults or Faults(0.0))
        self._troubles = _troubles(self._faults)
        self._cache: OrderedDict[_Ask, _Page] = OrderedDict()
        self._cached_bytes = 0

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """The reply to a request, right or wrong."""
        ask = _ask(request.path, await _form(request))
        name = _name(ask)
        self._counts.asked[name] += 1
        if ask.what == "circle":
            return _redirect(ask.number)
        trouble = None if ask.what == "robots" else next(self._troubles)
        if trouble:
            self._counts.faults[trouble.kind] += 1
            return await _misbehave(request, self._page(ask), trouble, self._faults)
        self._counts.answered[name] += 1
        return _response(self._page(ask), request.headers.get("If-None-Match", ""))

    def _page(self, ask: _Ask) -> _Page:
        """The right reply, from the cache if it is there."""
        page = self._cache.get(ask)
        if page is not None:
            self._cache.move_to_end(ask)
            return page
        page = _made(ask, self._archive, self.base, self._crawl_delay)
        self._cache[ask] = page
        self._cached_bytes += len(page.body) + CACHE_OVERHEAD
        while self._cached_bytes > CACHE_BYTES:
            self._cached_bytes -= len(self._cache.popitem(last=False)[1].body) + CACHE_OVERHEAD
        return page


async def _form(request: web.BaseRequest) -> dict[str, str]:
    """The fields of the query and of a form. Both scripts of webpbn take them from either."""
    form = (await request.read()).decode("latin-1") if request.can_read_body else ""
    return {**request.query, **dict(parse_qsl(form, keep_blank_values=True))}


def _ask(path: str, form: dict[str, str]) -> _Ask:
    if EXPORT.fullmatch(path) and not form.get("go"):
        return _Ask("form")
    if EXPORT.fullmatch(path):
        wanted = {name: form.get(name, "") for name in ("fmt", "xml_clue", "xml_soln")}
        return _Ask("webpbn", _number(form.get("id", "")), tuple(wanted.items()))
    if path == "/XMLpuz.cgi":
        return _Ask("webpbn", _number(form.get("id", "")), (("fmt", "xml"), ("xml_clue", "on"), ("xml_soln", "")))
    if path == "/find.cgi":
        return _Ask("find", 0, tuple(sorted(form.items())))
    if found := PAGE.fullmatch(path):
        return _Ask(f"nonograms{found[1]}", int(found[2]))
    if found := LIST.fullmatch(path):
        return _Ask(f"list{found[1]}", int(found[2]))
    if found := SEARCH.fullmatch(path):
        return _Ask("search", int(found[1]))
    if found := CIRCLE.fullmatch(path):
        return _Ask("circle", int(found[1]))
    return _Ask("robots" if path == "/robots.txt" else "nowhere")


def _number(text: str) -> int:
    found = SITE_NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else 0


def _name(ask: _Ask) -> str:
    return f"{ask.what}/{ask.number}" if ask.what in ("webpbn", "nonograms", "nonograms2") else ask.what


def _made(ask: _Ask, archive: Archive, base: str, crawl_delay: float | None) -> _Page:
    colored = ask.what.endswith("2")
    match ask.what:
        case "webpbn":
            return _export(archive, ask.number, dict(ask.fields))
        case "find":
            return _html(_find(archive, dict(ask.fields)), "cp1252")
        case "form":
            return _html(_webpbn_page("Export Puzzles", "<form method=post><input name=id><input name=go></form>"))
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


def _finished(body: bytes, kind: str, encoding: str, status: int = 200) -> _Page:
    return _Page(
        body, kind, encoding, status, f'"{blake2b(body, digest_size=12).hexdigest()}"' if status == 200 else ""
    )


def _text(text: str, status: int = 200) -> _Page:
    return _finished(text.encode("cp1252"), "text/plain", "cp1252", status)


def _html(body: bytes, encoding: str = "utf-8", status: int = 200) -> _Page:
    return _finished(body, "text/html; charset=utf-8" if encoding == "utf-8" else "text/html", encoding, status)


def _robots(crawl_delay: float | None) -> str:
    delay = "" if crawl_delay is None else f"Crawl-delay: {crawl_delay:g}\n"
    return f"User-agent: *\nDisallow:\n{delay}"


# --- webpbn ---


def _export(archive: Archive, number: int, fields: dict[str, str]) -> _Page:
    if number in archive.unpublished:
        return _text(f"Puzzle {number} has not been published\n")
    if number not in archive.webpbn:
        return _text(f"Puzzle {number} does not exist\n")
    if fields["fmt"] != "xml":
        return _text("The twin has no format but xml\n", status=400)
    clues, goal = fields["xml_clue"] == "on", fields["xml_soln"] == "on"
    return _finished(_xml(archive.puzzle(archive.webpbn[number]), number, clues, goal), "text/xml", "cp1252")


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


def _find(archive: Archive, form: dict[str, str]) -> bytes:
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
    return _webpbn_page("Find Puzzles", f"<table>\n<tr><th>Id</th><th>Puzzle</th></tr>\n{rows}</table>")


def _is_found(archive: Archive, number: int, entry: Entry, form: dict[str, str]) -> bool:
    return (
        number not in archive.unpublished
        and _is_within(number, form, "id")
        and _is_rated(entry.quality, form, "qual")
        and _is_rated(entry.difficulty, form, "diff")
    )


def _is_rated(rating: float | None, form: dict[str, str], field: str) -> bool:
    if rating is None:
        return form.get(f"un{field}", "") != "1"
    return _is_within(rating * RATING_SCALE, form, field)


def _is_within(value: float, form: dict[str, str], field: str) -> bool:
    return _float(form, f"min{field}", float("-inf")) <= value <= _float(form, f"max{field}", float("inf"))


def _float(form: dict[str, str], field: str, default: float) -> float:
    try:
        return float(form.get(field, ""))
    except ValueError:
        return default


def _whole(form: dict[str, str], field: str, default: int) -> int:
    text = form.get(field, "").strip()
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else default


def _webpbn_page(title: str, content: str) -> bytes:
    return f"<html><head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{content}\n</body></html>\n".encode()


# --- nonograms.org ---


def _nonograms_page(archive: Archive, number: int, colored: bool, base: str) -> _Page:
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


def _list_page(archive: Archive, page: int, colored: bool, base: str) -> _Page:
    """The puzzles of one kind, newest first (a guess)."""
    listed = [link for link in reversed(_links(archive)) if link[1] == colored]
    if page > _pages(listed):
        return _html(nonograms_org.missing_page(), status=404)
    return _html(_shown(listed, page, base))


def _search_page(archive: Archive, page: int, base: str) -> _Page:
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


# --- replies, right and wrong ---


def _response(page: _Page, known: str) -> web.Response:
    """The page, or 304 if the client has it. So it is for forms too, though HTTP means it for GET only."""
    headers = {"Content-Type": page.kind} | ({"ETag": page.tag} if page.tag else {})
    if page.tag and page.tag in (tag.strip().removeprefix("W/") for tag in known.split(",")):
        return web.Response(status=304, headers={"ETag": page.tag})
    return web.Response(status=page.status, body=page.body, headers=headers)


def _redirect(place: int) -> web.Response:
    return web.Response(status=302, headers={"Location": f"/circle/{3 - place}"})


def _checked(faults: Faults) -> Faults:
    unknown = sorted(set(faults.kinds) - set(KINDS))
    if unknown or not faults.kinds:
        raise ValueError(f"faults are of the kinds {', '.join(KINDS)}, not {', '.join(unknown) or 'none'}")
    if not 0 <= faults.rate <= 1:
        raise ValueError(f"the rate of faults is a share from 0 to 1, not {faults.rate}")
    if not (faults.retry_after >= 0 and faults.pause >= 0):
        raise ValueError(f"faults can't wait for {min(faults.retry_after, faults.pause):g} seconds")
    return faults


def _troubles(faults: Faults) -> Iterator[_Trouble | None]:
    """What happens to one request after the other; None is no trouble."""
    random = Random(faults.seed)
    while True:
        if random.random() >= faults.rate:
            yield None
            continue
        trouble = _Trouble(random.choice(faults.kinds), random.random())
        yield from itertools.repeat(trouble, BURST if trouble.kind == "503-burst" else 1)


async def _misbehave(request: web.BaseRequest, page: _Page, trouble: _Trouble, faults: Faults) -> web.StreamResponse:
    body = page.body
    match trouble.kind:
        case "429":
            return _refusal(429, "Too many requests", str(faults.retry_after))
        case "429-date":
            return _refusal(429, "Too many requests", formatdate(time.time() + faults.retry_after, usegmt=True))
        case "500":
            return _refusal(500, "Internal server error")
        case "503-burst":
            return _refusal(503, "Service unavailable")
        case "reset":
            return _broken_off(request, b"", reset=True)
        case "slow":
            return await _slow(request, page, faults.pause)
        case "truncated":
            return _broken_off(request, _head(page, len(body)) + body[: int(trouble.chance * len(body))])
        case "wrong-length":
            return _broken_off(request, _head(page, int(trouble.chance * len(body))) + body)
        case "wrong-encoding":
            return _wrongly_encoded(page, lying=trouble.chance < 0.5)
        case "redirect-circle":
            return _redirect(1)
        case "html-error":
            what = "<p>The server has met a problem. Please try again later.</p>"
            return _untagged("Software error", what)
        case _:
            what = "<form method=post action=/login.cgi><input name=user><input name=password type=password></form>"
            return _untagged("Please log in", what)


def _refusal(status: int, words: str, retry_after: str | None = None) -> web.Response:
    return web.Response(status=status, text=f"{words}\n", headers={"Retry-After": retry_after} if retry_after else {})


def _untagged(title: str, content: str) -> web.Response:
    return web.Response(body=_webpbn_page(title, content), headers={"Content-Type": "text/html"})


def _head(page: _Page, length: int) -> bytes:
    """What goes before the body, with a length that may not be its own.

    It announces that the connection will be closed, or the client might use it for another request in this moment.
    """
    words = "OK" if page.status == 200 else "Not Found"
    lines = (
        f"HTTP/1.1 {page.status} {words}",
        f"Content-Type: {page.kind}",
        f"Content-Length: {length}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode("ascii")


def _broken_off(request: web.BaseRequest, sent: bytes, reset: bool = False) -> web.Response:
    """Sends these bytes and nothing after them, behind the back of the library."""
    transport = request.transport
    if transport is not None:
        transport.write(sent)
        if reset:
            # to linger for no time means: what is not sent is lost, and the other side is told so
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        else:
            transport.close()
    return web.Response()  # which the library finds no connection for


async def _slow(request: web.BaseRequest, page: _Page, pause: float) -> web.StreamResponse:
    response = web.StreamResponse(status=page.status, headers={"Content-Type": page.kind})
    response.content_length = len(page.body)
    await response.prepare(request)
    size = -(-len(page.body) // DRIPS)
    for start in range(0, len(page.body), size):
        await response.write(page.body[start : start + size])
        await asyncio.sleep(pause)
    await response.write_eof()
    return response


def _wrongly_encoded(page: _Page, lying: bool) -> web.Response:
    if lying:
        kind = f"{page.kind.partition(';')[0]}; charset=utf-16"
        return web.Response(status=page.status, body=page.body, headers={"Content-Type": kind})
    body = page.body.decode(page.encoding).encode("utf-16")
    return web.Response(status=page.status, body=body, headers={"Content-Type": page.kind})
