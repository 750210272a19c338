"""Crawls of a site that misbehaves in every way: each number is accounted for once, and none keeps the others back."""

import gzip
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from faulty_twin import DELETED
from misbehaving import PASSING, Answer, Site, answer, robots, then_close
from stores import Nonocensus

from nonocensus.pipeline.crawl.ledger import open_ledger
from nonocensus.pipeline.crawl.loop import OpenCrawl, crawl
from nonocensus.pipeline.crawl.table import CrawlReport, crawl_store
from nonocensus.pipeline.store.parts import open_store
from nonocensus.scrapers import nonograms, webpbn
from nonocensus.scrapers.formats import nonograms_org, webpbn_xml
from nonocensus.scrapers.http import HostUnreachable, PoliteSession, Request, RequestFailed
from nonocensus.solver.model.puzzle import Puzzle, from_picture

Crawl = Callable[..., dict[str, Any]]
TOMORROW = "86400"


def puzzle_of(number: int, **texts: str) -> Puzzle:
    picture = np.array([[number >> bit & 1 for bit in range(8)], [1] * 8], np.uint8)
    return from_picture(picture, source="webpbn", source_id=str(number), title=f"No. {number}", **texts)


def xml(number: int, **texts: str) -> bytes:
    return webpbn_xml.write(puzzle_of(number, **texts))


def page(number: int) -> bytes:
    return nonograms_org.write_page(puzzle_of(number), number, "https://www.nonograms.org")


def good(number: int) -> Answer:
    return answer(200, xml(number))


def forever(connection: socket.socket) -> None:
    connection.sendall(answer(200, Content_Length="", Transfer_Encoding="chunked"))
    while True:  # until the other side hangs up
        connection.sendall(b"10000\r\n" + bytes(1 << 16) + b"\r\n")


class Case(NamedTuple):
    """How the site answers a number, and the outcome with a part of its reason."""

    reply: Callable[[int], Answer]
    outcome: str = "error"
    reason: str = ""


def fixed(reply: Answer, outcome: str = "error", reason: str = "") -> Case:
    return Case(lambda _: reply, outcome, reason)


def says(text: str, outcome: str = "error", reason: str = "") -> Case:
    return Case(lambda number: answer(200, text.format(number=number).encode()), outcome, reason)


def moved(location: str, reason: str) -> Case:
    return fixed(answer(302, Location=location), "error", reason)


CASES = {
    **{f"passing: {name}": fixed(reply, "error", ", 5 times") for name, reply in PASSING.items()},
    "redirect to a disallowed path": moved("/login.cgi", "/login.cgi: disallowed by "),
    "redirect to https without a server": moved("https://127.0.0.1:9/", "127.0.0.1:9: connection refused"),
    "redirect to another host": moved("http://other.test/", "redirected to http://other.test/ (a login page?)"),
    "redirect to no address": moved("http://[", "redirected to an address that is not http or https"),
    "redirect to itself": moved("/circle", "redirects in a circle"),
    "redirect to a busy page": moved("/busy", "/busy: 500 Internal Server Error, 5 times"),
    "redirect to another number": Case(lambda number: answer(302, Location=f"/number/{number + 1}"), reason="not "),
    "redirect to this number": Case(lambda number: answer(302, Location=f"/number/{number}"), "ok"),
    "redirect with a long address": moved("/" + "a" * 70_000, "invalid HTTP reply (LineTooLong), 5 times"),
    "redirect without address": fixed(answer(302), reason="HTTP status 302"),
    "redirect with an endless body": fixed(forever, reason="reply larger than 16 MB"),
    "304 not asked for": fixed(answer(304), reason="HTTP status 304"),
    **{str(status): fixed(answer(status, b"no"), reason=f"HTTP status {status}") for status in (204, 401, 403, 404)},
    "another number": Case(lambda number: answer(200, xml(number + 1)), reason="the reply is webpbn/"),
    "refusal of another number": says("Puzzle 77{number} does not exist\n", reason="the reply is about webpbn/77"),
    "no number": Case(lambda n: answer(200, re.sub(rb"<id>.*</id>", b"", xml(n))), reason="a puzzle without number"),
    "missing": says("Puzzle {number} does not exist\n", "missing"),
    "not published": says("Puzzle {number} has not been published\n", "unpublished"),
    "refusal of the format": says("The xml format cannot handle triddler puzzles.\n", "unsupported"),
    "empty": fixed(answer(200), reason="neither a puzzle nor one of the site's refusals"),
    "login page": says("<html><form action=/login.cgi>", reason="neither a puzzle nor"),
    "error as text": says("Error: can't connect to the database\n", reason="neither a puzzle nor"),
    "noise": fixed(answer(200, bytes(range(256)) * 99), reason="neither a puzzle nor"),
    "half a puzzle": Case(lambda number: answer(200, xml(number)[:-150])),
    "declared shorter": Case(lambda number: then_close(answer(200, xml(number), Content_Length="200"))),
    "no puzzle in the file": says("<puzzleset></puzzleset>", "unsupported"),
    "entities": says('<!DOCTYPE a [<!ENTITY a "aa">]><puzzleset>&a;</puzzleset>', "unsupported"),
    "nested tags": fixed(answer(200, b"<puzzleset>" * 99_999 + b"</puzzleset>"), "unsupported"),
    "large gzip": fixed(
        answer(200, gzip.compress(bytes(17 << 20)), Content_Encoding="gzip"), reason="reply larger than 16 MB"
    ),
    "unknown coding": fixed(answer(200, b"x", Content_Encoding="br"), reason="unsupported content encoding: 'br'"),
    "declared larger": fixed(answer(200, b"x", Content_Length=str(1 << 40)), reason="reply larger than 16 MB"),
    "200 headers": fixed(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n", reason="invalid HTTP reply"),
    "a megabyte of title": Case(lambda number: answer(200, xml(number, description="d" * (1 << 20))), "ok"),
    "cookies": Case(lambda number: answer(200, xml(number), Set_Cookie="a=" + "b" * 9000), "ok"),
}
"""At the even numbers, in this order; a good puzzle is before each of them and after the last."""

COUNT = 2 * len(CASES) + 1


class NumberedSite(Site):
    """A site that answers each number of export.cgi by itself, if nothing else is told with a puzzle."""

    def answer(self, path: str, connection: socket.socket) -> bytes | None:
        found = re.search(rb"\bid=([0-9]+)", self.asked[-1].body)
        place = f"{path}/{found[1].decode()}" if found else path
        if path.startswith("/number/"):
            self.answers.setdefault(place, [answer(200, xml(int(path[8:])))])
        elif found:
            self.answers.setdefault(place, [good(int(found[1]))])
        return super().answer(place, connection)

    def misbehave(self, number: int, *replies: Answer) -> None:
        self.answers[f"/export.cgi/{number}"] = list(replies)

    def numbers(self) -> list[int]:
        """Return the numbers requested since the last call, without repeated attempts."""
        found = [re.search(rb"\bid=([0-9]+)", asked.body) for asked in self.asked]
        numbers = [int(match[1]) for match in found if match]
        self.asked.clear()
        return [number for k, number in enumerate(numbers) if k == 0 or number != numbers[k - 1]]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[NumberedSite]:
    """A site that does nothing wrong yet, for sessions that do not wait."""
    monkeypatch.setitem(PoliteSession.__init__.__kwdefaults__, "sleep", lambda _: None)
    site = NumberedSite()
    yield site
    site.close()


@pytest.fixture
def crawled(nonocensus: Nonocensus, site: Site) -> Crawl:
    """Crawl the site into `store`; return what --json prints with exit status and standard error."""

    def run(*options: str, source: str = "webpbn") -> dict[str, Any]:
        result = nonocensus(
            *("crawl", source, "--base-url", site.url, "--rate", "0", "--out", "store", "--json", *options)
        )
        return (json.loads(result.out) if result.out else {}) | {"code": result.code, "err": result.err}

    return run


def ledger_of(store: Path) -> dict[int, str]:
    with open_ledger(store, read_only=True) as ledger:
        return dict(ledger._db.execute("select number, outcome from numbers"))


def ids(store: Path) -> set[str]:
    return {name for batch in open_store(str(store)).batches(["puzzle_id"]) for name in batch["puzzle_id"].to_pylist()}


def test_every_number_is_accounted_for_once(site: NumberedSite, crawled: Crawl, tmp_path: Path) -> None:
    """And requested in order; errors twice more at the end, and by later crawls until the site has got better."""
    expected = dict.fromkeys(range(1, COUNT + 1), "ok")
    site.answers |= {
        "/robots.txt": [robots("User-agent: *", "Disallow: /login")],
        "/circle": [answer(302, Location="/circle")],
        "/busy": [answer(500)],
    }
    for number, case in zip(range(2, COUNT, 2), CASES.values(), strict=True):
        expected[number] = case.outcome
        site.misbehave(number, case.reply(number))
    failed = [number for number, outcome in expected.items() if outcome == "error"]
    first = crawled("--ids", f"1-{COUNT}")
    assert ledger_of(tmp_path / "store") == expected
    assert first["outcomes"] == {name: [*expected.values()].count(name) for name in dict.fromkeys(expected.values())}
    assert (first["code"], first["left"], first["known"]) == (1, len(failed), 0)
    assert site.numbers() == [*expected, *failed, *failed]
    with open_ledger(tmp_path / "store", read_only=True) as ledger:
        reasons = {number: reason for _, number, reason in ledger.errors(COUNT)}
    assert reasons.keys() == {*failed}
    for number, (name, case) in zip(range(2, COUNT, 2), CASES.items(), strict=True):
        assert case.reason in reasons.get(number, case.reason), name
        assert "\n" not in reasons.get(number, ""), name
    good_ids = {f"webpbn/{number}" for number, outcome in expected.items() if outcome == "ok"}
    assert ids(tmp_path / "store") == good_ids

    again = crawled("--ids", f"1-{COUNT}")
    assert (again["code"], again["outcomes"]) == (1, {"error": len(failed)})
    assert sorted(site.numbers()) == sorted(failed * 2)
    for number in failed:
        site.misbehave(number, good(number))
    cured = crawled("--ids", f"1-{COUNT}")
    assert (cured["code"], cured["outcomes"], cured["left"]) == (0, {"ok": len(failed)}, 0)
    assert sorted(site.numbers()) == failed
    assert ids(tmp_path / "store") == good_ids | {f"webpbn/{number}" for number in failed}


def test_twenty_errors_in_a_row_are_passed_by_the_next_crawl(
    site: NumberedSite, crawled: Crawl, tmp_path: Path
) -> None:
    bad = range(11, 31)
    for number in bad:
        site.misbehave(number, answer(404))
    first = crawled("--ids", "1-40")
    assert first["code"] == 5
    assert (
        "20 replies in a row were errors, the last one: HTTP status 404; the same command resumes with" in first["err"]
    )
    assert site.numbers() == list(range(1, 31))
    second = crawled("--ids", "1-40")
    assert (second["code"], second["outcomes"], second["known"]) == (1, {"ok": 10, "error": 20}, 10)
    assert site.numbers() == [*range(31, 41), *bad, *bad]
    assert crawled("--ids", "1-41", "--limit", "3")["outcomes"] == {"ok": 1, "error": 2}
    assert site.numbers() == [41, 11, 12, 11, 12]
    assert crawled("--ids", "1-41", "--limit", "2")["outcomes"] == {"error": 2}
    assert site.numbers() == [13, 14, 13, 14], "those that failed least often"
    assert len(ids(tmp_path / "store")) == 21


def test_scattered_errors_are_not_in_a_row(site: NumberedSite, crawled: Crawl) -> None:
    for number in range(2, 62, 2):
        site.misbehave(number, answer(404))
    assert crawled("--ids", "1-61")["outcomes"] == {"ok": 31, "error": 30}


def test_refresh_passes_errors_in_a_row(site: NumberedSite, crawled: Crawl, tmp_path: Path) -> None:
    """The next refresh begins with the numbers requested least often, whatever their outcome."""
    assert crawled("--ids", "1-40")["code"] == 0
    for number in range(11, 31):
        site.misbehave(number, answer(404))
    site.numbers()
    assert crawled("--ids", "1-42", "--refresh")["code"] == 5
    assert site.numbers() == [41, 42, *range(1, 31)]
    failed = crawled("--ids", "1-42", "--refresh")
    assert failed["code"] == 5
    assert site.numbers() == [*range(31, 41), 41, 42, *range(1, 31)]
    assert set(ledger_of(tmp_path / "store").values()) == {"ok"}


def test_errors_of_a_refresh_are_listed(site: NumberedSite, crawled: Crawl) -> None:
    assert crawled("--ids", "1-3")["code"] == 0
    for status in (404, 304):  # the reply that the store has had no ETag
        site.misbehave(2, answer(status))
        assert crawled("--ids", "1-3", "--refresh")["err"].endswith(f"again:\n  webpbn/2: HTTP status {status}\n")


def test_site_that_refuses_two_numbers_ends_a_crawl(site: NumberedSite, crawled: Crawl) -> None:
    for number in (2, 4, 5):
        site.misbehave(number, answer(503))
    ended = crawled("--ids", "1-7")
    assert (ended["code"], site.numbers()) == (5, [1, 2, 3, 4, 5])
    assert "503 Service Unavailable, 5 times; the same command resumes later" in ended["err"]
    assert crawled("--ids", "1-7")["code"] == 5
    assert site.numbers() == [6, 7, 2, 4]


def test_site_that_asks_for_a_long_wait_ends_a_crawl(site: NumberedSite, crawled: Crawl) -> None:
    site.misbehave(2, answer(429, Retry_After=TOMORROW))
    for numbers in ([1, 2], [3, 2]):
        ended = crawled("--ids", "1-3")
        assert (ended["code"], site.numbers()) == (5, numbers)
        assert "asks to wait 86,400 s; the same command resumes later" in ended["err"]


def test_site_that_disallows_everything_ends_a_crawl(site: NumberedSite, crawled: Crawl) -> None:
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /")]
    ended = crawled("--ids", "1-40")
    assert (ended["code"], site.numbers()) == (5, [])
    assert re.search(r"export\.cgi: disallowed by http://.*/robots\.txt", ended["err"])
    site.answers["/robots.txt"] = [answer(500)]
    assert "/robots.txt: 500 Internal Server Error, 5 times; nothing may be fetched" in crawled("--ids", "1-40")["err"]


def test_disallowed_pages_do_not_end_a_crawl(site: NumberedSite, crawled: Crawl, tmp_path: Path) -> None:
    """Neither of a number nor of a kind."""
    site.answers["/robots.txt"] = [robots("User-agent: *", "Disallow: /nonograms/i/2", "Disallow: /nonograms2/")]
    site.answers |= {f"/nonograms/i/{number}": [answer(200, page(number))] for number in (1, 2, 4)}
    assert crawled("--ids", "1-4", source="nonograms")["outcomes"] == {"ok": 2, "error": 2}
    assert ledger_of(tmp_path / "store") == {1: "ok", 2: "error", 3: "error", 4: "ok"}


def test_pages_of_other_numbers_are_errors(site: NumberedSite, crawled: Crawl, tmp_path: Path) -> None:
    """After a redirect, or by what the page says of itself."""
    canonical = b'<link rel="canonical" href="https://www.nonograms.org/nonograms/i/8"></head>'
    site.answers |= {
        "/nonograms/i/1": [answer(200, page(1))],
        "/nonograms/i/2": [answer(301, Location="/nonograms/i/1")],
        "/nonograms/i/3": [answer(200, page(1))],
        "/nonograms/i/4": [answer(200, DELETED.replace(b"</head>", canonical))],
        "/nonograms/i/5": [answer(301, Location="/nonograms2/i/5")],
        "/nonograms2/i/5": [answer(200, page(5))],
        "/nonograms/i/6": [answer(301, Location="/nonograms/i/7")],
    }
    result = crawled("--ids", "1-6", source="nonograms")
    assert ledger_of(tmp_path / "store") == {1: "ok", 2: "error", 3: "error", 4: "error", 5: "ok", 6: "error"}
    assert [line.strip() for line in result["err"].splitlines()[1:]] == [
        "nonograms/2: the reply is nonograms/1, not 2",
        "nonograms/3: the reply is nonograms/1, not 3",
        "nonograms/4: the reply is nonograms/8, not 4",
        "nonograms/6: the reply is nonograms/7, not 6",
    ]


def test_second_address_that_is_down_is_an_error_of_the_number(
    site: NumberedSite, crawled: Crawl, tmp_path: Path
) -> None:
    site.answers |= {f"/nonograms/i/{number}": [answer(200, page(number))] for number in (1, 3)}
    result = crawled("--ids", "1-3", "--base-url", "http://127.0.0.1:9", source="nonograms")
    assert (result["code"], ledger_of(tmp_path / "store")) == (1, {1: "ok", 2: "error", 3: "ok"})


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (answer(403), "HTTP status 403"),
        (answer(500), "500 Internal Server Error, 5 times"),
        (answer(302, Location="http://other.test/"), "redirected to http://other.test/ (a login page?)"),
        (answer(200, b"<a>" * 9999), "it has more than 5,000 tags"),
    ],
)
def test_lists_that_can_not_be_read_are_done_without(
    site: NumberedSite, crawled: Crawl, reply: Answer, reason: str
) -> None:
    site.answers |= {
        "/search/p/10000?sort=6": [answer(200, b'<a href="/nonograms/i/2">')],
        "/nonograms/p/1": [reply],
        **{f"/nonograms/i/{number}": [answer(200, page(number))] for number in (1, 2)},
    }
    result = crawled("--ids", "all", source="nonograms")
    assert (result["code"], result["outcomes"]) == (0, {"ok": 2})
    assert f"/nonograms/p/1: {reason}; numbers not yet listed are" in result["err"]


def test_endless_list_ends(site: NumberedSite, crawled: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nonograms, "LAST_PAGE", 5)
    pages = {f"/nonograms/p/{k}": [answer(200, f'<a href="/nonograms/i/{k}">'.encode())] for k in range(1, 9)}
    site.answers |= {**pages, "/search/p/5?sort=6": [answer(200, b'<a href="/nonograms/i/2">')]}
    assert crawled("--ids", "all", source="nonograms")["code"] == 0
    assert [path for path in site.paths() if path.startswith("/nonograms/p/")] == list(pages)[:5]


class FailingSession:
    """A session whose requests fail as told by number, and otherwise bring puzzles."""

    def __init__(self, failures: dict[int, Exception]) -> None:
        self.failures, self.asked = failures, list[int]()

    def fetch(self, request: Request, known: object = None) -> Any:  # noqa: ARG002
        number = int((request.form or {})["id"])
        self.asked.append(number)
        if number in self.failures:
            raise self.failures[number]
        raise RequestFailed("no answer", 1)


def test_number_that_brings_the_site_down_is_requested_last(tmp_path: Path) -> None:
    session = FailingSession({2: HostUnreachable("connection refused")})
    store = crawl_store(tmp_path)
    with open_ledger(tmp_path) as ledger:
        for asked in ([1, 2], [3, 1, 2], [3, 1, 2]):
            opened = OpenCrawl(store, ledger, session, CrawlReport())  # type: ignore[arg-type]
            with pytest.raises(HostUnreachable):
                crawl(opened, webpbn.site(), [(1, 4)], None, False, lambda _: None)
            assert session.asked == asked
            session.asked.clear()
