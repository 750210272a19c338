"""The twin of both sites: its replies read back by the project's own readers, and everything it can do wrong."""

import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from faulty_twin import Faults, serve
from misbehaving import polite
from strategies import PALETTE

from nonocensus.scrapers.formats import nonograms_org, webpbn_xml
from nonocensus.scrapers.http import Reply, Request
from nonocensus.scrapers.site import Judgement
from nonocensus.scrapers.twin import TwinArchive, build_archive
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Block, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

BOTH = {"fmt": "xml", "go": "1", "xml_clue": "on", "xml_soln": "on"}

PICTURE = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]], np.uint8)
MONO = from_picture(PICTURE, title="Mono", author="Ann", copyright="(c) Ann")
COLOR = from_picture(np.array([[1, 2, 0], [3, 3, 1]], np.uint8), PALETTE, title="Colour")
BLOTTED = replace(MONO, rows=((Block(0), Block(1)), *MONO.rows[1:]), title="Blotted")
NO_GOAL = replace(COLOR, goal=None, title="No goal")
ON_RED = replace(MONO, palette=(Color("red", "r", "ff0000"), BLACK_ON_WHITE[1]), title="On red")
OTHER_GOAL = replace(MONO, goal=PICTURE[::-1].copy(), title="Another picture")
ALL = [MONO, COLOR, BLOTTED, NO_GOAL, ON_RED, OTHER_GOAL]


def of(source: str, number: object, puzzle: Puzzle = MONO, **about: Any) -> Puzzle:
    return replace(puzzle, source=source, source_id=str(number), **about)


Ask = Callable[..., Reply]


def asking(address: str) -> Ask:
    session = polite(sleep=lambda _: None)

    def ask(path: str, known: dict[str, str] | None = None, **form: object) -> Reply:
        fields = {name: str(value) for name, value in form.items()}
        return session.fetch(Request(address + path, fields or None), known)

    return ask


def export(ask: Ask, number: int) -> Puzzle:
    reply = ask("/export.cgi", id=number, **BOTH)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/xml")
    (puzzle,) = webpbn_xml.read(reply.body)
    return puzzle


def judged(ask: Ask, number: int, colored: bool = False) -> Judgement:
    reply = ask(f"/nonograms{'2' if colored else ''}/i/{number}")
    return nonograms_org.judge(reply.body, reply.status, number, colored, "http://site.test")


def shown(puzzle: Puzzle) -> tuple[object, ...]:
    goal = None if puzzle.goal is None else puzzle.goal.tolist()
    colors = [color.rgb for color in puzzle.palette]
    return puzzle.rows, puzzle.columns, puzzle.title, puzzle.author, puzzle.copyright, colors, goal


@pytest.fixture(scope="module")
def small() -> TwinArchive:
    return build_archive(ALL)


@pytest.fixture
def ask(small: TwinArchive) -> Iterator[Ask]:
    with serve(small) as base:
        yield asking(base)


# --- archives ---


def test_puzzles_get_free_numbers() -> None:
    same = [of("webpbn", "002", COLOR), of("webpbn", "12/3"), of("webpbn", 0)]
    mine = build_archive([MONO, of("webpbn", 2), of("nonograms", 1), COLOR, *same, of("taai", 7)])
    titles = {number: (entry.source, entry.number) for number, entry in mine.webpbn.items()}
    assert titles == {
        1: (None, None),
        2: ("webpbn", 2),
        3: ("nonograms", 1),
        4: (None, None),
        5: ("webpbn", 2),
        **dict.fromkeys((6, 7), ("webpbn", None)),
        8: ("taai", 7),
    }
    assert list(mine.webpbn) == sorted(mine.webpbn)
    sources = [entry.source for entry in mine.nonograms.values()]
    assert sources == ["nonograms", None, "webpbn", None, *["webpbn"] * 3, "taai"]


def test_archive_takes_batches_and_puzzles() -> None:
    batch = puzzle_batch(ALL)
    for given in ([batch], [batch.slice(0, 2), *ALL[2:4], batch.slice(4)], iter(ALL)):
        mine = build_archive(given)
        assert [mine.puzzle(entry).title for entry in mine.webpbn.values()] == [puzzle.title for puzzle in ALL]
        assert list(mine.nonograms) == [1, 2]
    assert build_archive([]).webpbn == {}


def test_page_needs_valid_colours() -> None:
    bad = replace(MONO, palette=(BLACK_ON_WHITE[0], Color("bad", "?", "12")))
    mine = build_archive([bad, MONO])
    assert (list(mine.webpbn), list(mine.nonograms)) == ([1, 2], [2])


# --- webpbn ---


def test_every_puzzle_is_exported_as_webpbn_xml(ask: Ask) -> None:
    for number, puzzle in enumerate(ALL, 1):
        back = export(ask, number)
        assert shown(back) == shown(puzzle)
        assert (back.puzzle_id, back.source, back.site_version) == (f"webpbn/{number}", "webpbn", "1")
        assert back.url == f"https://webpbn.com/play.cgi?id={number}"


def test_export_urls_give_the_puzzle(ask: Ask) -> None:
    body = ask("/export.cgi", id=2, **BOTH).body
    assert b"<source>webpbn.com</source>\n\n<puzzle " in body
    assert b"<id>#2 (v.1)</id>\n" in body
    assert ask("/export.cgi/webpbn000002.xml", id="0002", sid="", **BOTH).body == body
    assert ask("/export.cgi/webpbn000002.xml?go=1&sid=&id=2&fmt=xml&xml_clue=on&xml_soln=on").body == body
    assert b"<solution" not in ask("/export.cgi", id=2, go=1, fmt="xml").body


def test_missing_puzzles_are_refused_like_webpbn() -> None:
    with serve(build_archive([of("webpbn", 5)])) as base:
        ask = asking(base)
        said = {n: ask("/export.cgi", id=n, **BOTH) for n in (1, 5)}
        assert said[1].body == b"Puzzle 1 does not exist\n"
        assert said[1].headers["content-type"] == "text/plain"
        assert {reply.status for reply in said.values()} == {200}
        assert [webpbn_xml.refusal(reply.body) is None for reply in said.values()] == [False, True]
        assert ask("/export.cgi", go=1, fmt="xml", id="x").body == b"Puzzle 0 does not exist\n"


def test_export_is_in_windows_1252() -> None:
    title = "L\u2019\u00e9t\u00e9 \u20ac \"&\u0394\u0085\u4e09' <b>"
    red = replace(COLOR, palette=(PALETTE[0], Color("caf\u00e9", "\u00e9", "112233"), *PALETTE[2:]), title=title)
    with serve(build_archive([red])) as base:
        ask = asking(base)
        body = ask("/export.cgi", id=1, **BOTH).body
        assert b"<title>L\x92\xe9t\xe9 \x80 &quot;&amp;&#916;&#133;&#19977;&apos; &lt;b&gt;</title>\n" in body
        assert b'name="caf\xe9" char="\xe9"' in body
        assert shown(export(ask, 1)) == shown(red)


def numbers(page: bytes) -> list[int]:
    return [int(number) for number in re.findall(rb"play\.cgi\?id=(\d+)", page)]


def test_search_filters() -> None:
    rated = {3: (1.0, 5.0), 7: (2.5, None), 10: (None, 2.0), 21: (None, None)}
    puzzles = [of("webpbn", n, site_quality=q, site_difficulty=d) for n, (q, d) in rated.items()]
    with serve(build_archive(puzzles)) as base:
        ask = asking(base)

        def found(**form: object) -> list[int]:
            return numbers(ask("/find.cgi", search=1, **form).body)

        assert found() == found(perpage=0) == found(perpage=5) == [21, 10, 7, 3]
        assert found(perpage=3) == [21, 10, 7]
        assert found(minqual=4, maxqual="9.6", unqual=1) == [3]
        assert found(minqual=10, maxqual=36, unqual=1) == [7]
        assert found(minqual=8, maxqual=36) == found(minqual=8, maxqual=36, unqual=0) == [21, 10, 7]
        assert found(undiff=1) == [10, 3]
        assert found(maxdiff=8, undiff=1, unqual=1) == []
        assert numbers(ask("/find.cgi?search=1&order=1&perpage=1").body) == [21]
    with serve(build_archive([])) as base:
        assert numbers(asking(base)("/find.cgi", search=1, perpage=0).body) == []


def test_export_equals_real_replies(shared_data: Path) -> None:
    """Byte for byte, but for `<authorid>`, which a Puzzle does not keep, and line ends, which are all one to XML."""
    paths = list((shared_data / "webpbn-xml").glob("*.xml"))
    real = {int(path.stem): path.read_bytes() for path in paths}
    assert len(real) == 8
    unknown = re.compile(rb"<authorid>.*?</authorid>\n", re.DOTALL)
    with serve(build_archive(puzzle for data in real.values() for puzzle in webpbn_xml.read(data))) as base:
        ask = asking(base)
        for number, data in real.items():
            assert ask("/export.cgi", id=number, **BOTH).body == unknown.sub(b"", data).replace(b"\r\n", b"\n")


# --- nonograms.org ---


def test_pages_are_judged_as_puzzles(ask: Ask) -> None:
    for number, puzzle in enumerate(ALL, 1):
        colored = puzzle.kind == "color"
        there, elsewhere = judged(ask, number, colored), judged(ask, number, not colored)
        assert elsewhere == Judgement("missing")
        if number > 2:
            assert there == elsewhere
            continue
        assert there.puzzle is not None
        assert shown(there.puzzle) == shown(puzzle)
        assert there.puzzle.site_steps == 2 * puzzle.height
    reply = ask("/nonograms2/i/1")
    assert (reply.status, reply.body) == (404, nonograms_org.missing_page())
    assert ask("/nonograms/i/1").headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("steps", [None, 1, 5, 1000])
def test_solving_order_has_given_steps(steps: int | None) -> None:
    full = from_picture(np.ones((3, 5), np.uint8), site_steps=steps, site_quality=6.0, site_difficulty=11.5)
    with serve(build_archive([full])) as base:
        back = judged(asking(base), 1).puzzle
        assert back is not None
        assert (back.site_steps, back.site_quality, back.site_difficulty) == (steps or 6, 6.0, 10.0)


def test_lists_page_through_puzzles() -> None:
    puzzles = [of("nonograms", n, COLOR if n % 3 == 0 else MONO) for n in range(1, 100)]
    with serve(build_archive([*puzzles, NO_GOAL])) as base:
        ask = asking(base)
        pages = [ask(f"/nonograms/p/{page}") for page in (1, 2, 3, 4)]
        assert [page.status for page in pages] == [200, 200, 200, 404]
        mono = [nonograms_org.listed_puzzles(page.body) for page in pages]
        assert [len(page) for page in mono] == [30, 30, 6, 0]
        assert mono[0][:2] == [(98, False), (97, False)]
        color = [nonograms_org.listed_puzzles(ask(f"/nonograms2/p/{page}").body) for page in (1, 2)]
        assert [number for number, _ in color[0] + color[1]] == list(range(99, 0, -3))
        assert f'href="{base}/nonograms2/i/99"'.encode() in ask("/nonograms2/p/1").body
        last = ask("/search/p/10000?sort=6")
        assert last.body == ask("/search/p/4?sort=6").body != ask("/search/p/3?sort=6").body
        assert nonograms_org.newest_number(last.body) == 99
        assert nonograms_org.listed_puzzles(ask("/search/p/1?sort=6").body)[:3] == [(1, False), (2, False), (3, True)]
        assert ask("/elsewhere").status == 404
    with serve(build_archive([])) as base:
        ask = asking(base)
        assert ask("/nonograms/p/1").status == 200
        assert nonograms_org.newest_number(ask("/search/p/10000?sort=6").body) is None


# --- both ---


def test_robots_txt_has_crawl_delay(small: TwinArchive) -> None:
    trouble = Faults(1.0, ("500",))
    for delay, expected in ((None, 0.0), (2.5, 2.5)):
        with serve(small, faults=trouble, crawl_delay=delay) as base:
            session = polite()
            reply = session.fetch(Request(f"{base}/robots.txt"))
            assert reply.headers["content-type"] == "text/plain"
            assert session.delay == expected


def test_conditional_request_gets_304(ask: Ask) -> None:
    for path, form in (
        ("/export.cgi", {"id": 1, **BOTH}),
        ("/nonograms/i/1", {}),
        ("/find.cgi", {"search": 1}),
        ("/nonograms/p/1", {}),
        ("/export.cgi", {"id": 77, **BOTH}),
    ):
        first = ask(path, **form)
        again = ask(path, known=first.headers, **form)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
        assert ask(path, known={"etag": '"x"'}, **form).body == first.body
        assert ask(path, known={"etag": f'"x", W/{first.headers["etag"]}'}, **form).status == 304
    missing = ask("/nonograms/i/77", known={"etag": "*"})
    assert missing.status == 404
    assert "etag" not in missing.headers


def headers(base: str, path: str) -> str:
    """Return what comes first, by a raw socket."""
    with socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: site.test\r\n\r\n".encode())
        return connection.recv(1 << 16).partition(b"\r\n\r\n")[0].decode("latin-1")


# --- running ---


def test_server_stops_quickly(small: TwinArchive) -> None:
    """With connections open, and with a reply on its way."""
    with serve(small, faults=Faults(1.0, ("slow",), pause=30)) as base:
        idle = socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2])))
        assert headers(base, "/nonograms/i/1").startswith("HTTP/1.1 200 ")
        idle.sendall(b"GET /nonograms/i/1 HTTP/1.1\r\nHost: site.test\r\n\r\n")
        assert idle.recv(100)
        start = time.monotonic()
    assert time.monotonic() - start < 20
    idle.close()
    assert not any(thread.name == "twin" for thread in threading.enumerate())
    with serve(small, int(base.rpartition(":")[2])) as again:  # the port is free at once
        assert again == base


def test_connections_are_reused(small: TwinArchive) -> None:
    """After a 304 and a 404 too; no body waits for the client's delayed ACK of its headers."""
    with serve(small) as base, closing(HTTPConnection(base.removeprefix("http://"))) as connection:
        connection.connect()
        first = connection.sock
        form = urlencode({"id": 1, **BOTH})
        seconds = []
        for _ in range(20):
            start = time.monotonic()
            connection.request("POST", "/export.cgi", form)
            reply = connection.getresponse()
            body, tag = reply.read(), reply.headers["ETag"]
            connection.request("GET", f"/export.cgi?{form}", headers={"If-None-Match": tag})
            assert (connection.getresponse().read(), body[:5]) == (b"", b"<?xml")
            connection.request("GET", "/nowhere")
            assert connection.getresponse().read() == nonograms_org.missing_page()
            seconds.append(time.monotonic() - start)
        assert min(seconds[10:]) < 0.04, "at first the kernel acknowledges at once"
        assert connection.sock is first


def test_disconnecting_client_is_ignored(small: TwinArchive, capfd: pytest.CaptureFixture[str]) -> None:
    with serve(small, faults=Faults(1.0, ("slow",), pause=0.01)) as base:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(b"GET /nonograms/i/1 HTTP/1.1\r\n\r\n" * 2)
        assert asking(base)("/nonograms/i/1").status == 200
        time.sleep(0.1)
    assert capfd.readouterr() == ("", "")
