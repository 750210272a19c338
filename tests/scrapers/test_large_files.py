"""Files that would take many times their size in memory: what is too much is counted before anything is made of it."""

import tracemalloc
from collections.abc import Callable
from itertools import islice
from time import thread_time

import pytest

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import read_in_bulk
from nonocensus.scrapers.formats import FormatError, named, non, nonograms_org, taai, webpbn_xml
from nonocensus.scrapers.formats.parsing import MAX_REPORTED
from nonocensus.solver.model.puzzle import MAX_CELLS

SIZE = 1 << 18
MOST_MEMORY = 16 * SIZE

COLORS = b"".join(b'<color name="c%d" char="%c">0000%02x</color>' % (k, 97 + k, k) for k in range(25))
ONE_LINE = b"<line><count>1</count></line>"


def xml(content: bytes) -> bytes:
    return b'<puzzleset><puzzle><color name="white" char=".">fff</color>%s%s</puzzle></puzzleset>' % (COLORS, content)


def image(rows: bytes, kind: bytes = b"goal") -> bytes:
    return b'<solution type="%s"><image>%s</image></solution>' % (kind, rows)


def clues(rows: bytes) -> bytes:
    return b'<clues type="rows">%s</clues><clues type="columns">%s</clues>' % (rows, ONE_LINE)


def filled(unit: bytes) -> bytes:
    return unit * (SIZE // len(unit))


def many(line: bytes) -> bytes:
    """Return a line for each of 64 characters."""
    return b"".join(line % (char, char) for char in range(64, 128))


def peak(read: Callable[[], object]) -> int:
    """Return bytes that Python's and NumPy's objects take at most meanwhile."""
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


FILES = {
    "cells": (webpbn_xml, xml(image(b"|" + filled(b".") + b"|")), "row 1 of the goal has more than 1023 cells"),
    "few cells": (webpbn_xml, xml(image(b"|" + b"." * 1024 + b"|")), "row 1 of the goal has more than 1023 cells"),
    "rows": (webpbn_xml, xml(image(filled(b"|.|"))), "the goal has more than 1023 rows"),
    "wide rows": (webpbn_xml, xml(image(filled(b"|%s|" % (b"." * 200)))), "the goal has more than 1023 rows"),
    "no cells": (webpbn_xml, xml(image(filled(b"||"))), "row 1 of the goal has no cells"),
    "brackets": (
        webpbn_xml,
        xml(image(b"|" + b"[" * 40_000 + b"|")),
        "row 1 of the goal: '[' is not a colour symbol",
    ),
    "saved": (
        webpbn_xml,
        xml(clues(ONE_LINE) + image(b"|.|") + image((b"|" + b"." * 100 + b"|") * 100, b"saved") * 9),
        "its saved grids take more than 1 MiB, the first 4 of them alone",
    ),
    "lines": (webpbn_xml, xml(clues(b"<line/>" * 1024)), "it has 1024 rows; the most is 1023"),
    "counts": (
        webpbn_xml,
        xml(clues(b"<line>%s</line>" % (b"<count>1</count>" * 1024))),
        "row 1: it has 1024 numbers; the most is 1023",
    ),
    "tags": (webpbn_xml, b"<puzzleset>" + 8 * filled(b"<a/>") * 2 + b"</puzzleset>", "it has more than 1,000,000 tags"),
    "blank lines": (non, b"rows\n1\ncolumns\n1\n" + filled(b"\n"), "line 16369: it has more than 16,368 lines"),
    "numbers": (non, b"rows\n" + filled(b"1,") + b"1\ncolumns\n1\n", "line 2: it has more than 1023 numbers"),
    "no puzzles": (non, filled(b"rows\n") , "line 16369: it has more than 16,368 lines"),
    "taai lines": (taai, b"$1\n" + filled(b"\n"), "line 1: '$1' has more than 2,048 lines"),
    "taai numbers": (taai, b"$1\n" + filled(b"1 ") + b"\n1\n", "line 2: it has more than 1023 numbers"),
    "nin lines": (named("nin"), b"5 5\n" + filled(b"1\n"), "it has more than 8,184 lines"),
    "ish numbers": (named("ish"), filled(b"1,") + b"1\n\n1\n", "line 1: it has more than 1023 numbers"),
    "commas": (
        named("ish"),
        b"1" + filled(b",") + b"1\n\n1\n",
        "line 1: '1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,...' is not a list of numbers",
    ),
    "g lines": (named("g"), b":\n" + filled(b"1\n"), "it has more than 16,368 lines"),
    "g numbers": (named("g"), b":\n" + filled(b"1 ") + b"\n:\n1\n", "line 2: it has more than 1023 numbers"),
    "g colours": (named("g"), b"#d\n" + many(b"%c:%c red\n") + b":\n1\n:\n1\n", "it has 32 colours; the most is 31"),
    "ini clues": (
        named("ini"),
        b"[clues]\nrows = " + filled(b"1,") + b"\ncolumns = 1\n",
        "it has 1024 rows; a side has 1 to 1023",
    ),
    "ini lines": (named("ini"), b"[clues]\nrows =\n" + filled(b"1\n"), "it has more than 16,368 lines"),
    "toml brackets": (
        named("toml"),
        b"[clues]\nrows = " + 3_000 * b"[",
        "it is not TOML: too many brackets in brackets",
    ),
    "toml keys": (
        named("toml"),
        b"[clues]\nrows = ''\n" + filled(b"a.") + b"a = 1",
        "it is not TOML of puzzles: 'a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.' is too long a key or word",
    ),
    "toml headings": (
        named("toml"),
        b"[clues]\nrows = ''\n[" + filled(b'"a\\"b" . ') + b"a]",
        """it is not TOML of puzzles: '"a\\"b" . "a\\"b" . "a\\"b" . "a\\"b" . "...' is too long a key or word""",
    ),
    "toml tables": (
        named("toml"),
        b"".join(b"r%d.a.a.a.a.a.a.a = 1\n" % k for k in range(8_000)) + b"[clues]\nrows = ''\n",
        "it is not TOML of puzzles: it has more than 4,000 keys and tables",
    ),
    "toml digits": (
        named("toml"),
        b"[clues]\nrows = ''\nx = " + filled(b"1"),
        "it is not TOML of puzzles: '1111111111111111111111111111111111111...' is too long a key or word",
    ),
    "quoted clues": (named("quoted"), b"5\n5\n" + filled(b'"1",'), "it has more than 10 clues, not 5 + 5"),
    "lp rows": (
        named("lp"),
        b"number_of_rows: 5\nnumber_of_columns: 5\n" + filled(b"row_1 "),
        "row_1 occurs twice",
    ),
    "pzl numbers": (
        named("pzl"),
        b"1\n#ff0000\n5 5\n" + filled(b"5 "),
        "row 1: the colour #050505 is not in the palette",
    ),
    "netpbm blanks": (named("netpbm"), b"P1" + filled(b" "), "its width should be a number from 1 to 1023"),
    "netpbm size": (named("netpbm"), b"P2 1023 1023 255 " + filled(b"1 "), "it is too short for 1046529 values"),
    "rofl groups": (
        named("rofl"),
        b"ROFL\0\0\3\xff\3\xff\1\0\0\0" + filled(b"\3\xff"),
        "row 1: its groups take more than 1023 cells",
    ),
    "matrix rows": (named("matrix"), filled(b"01\n"), "a picture must have 1 to 1023 rows and columns"),
    "json brackets": (
        named("jsonl"),
        b'{"rows":' + filled(b"["),
        "line 1: it is not a puzzle: Expected `int`, got `array` - at `$.rows[0][0][0]`",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_hostile_files_take_bounded_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webpbn_xml, "MAX_SAVED", 1 << 20)
    known, data, line = FILES[name]
    told: list[str] = []

    def read() -> None:
        with pytest.raises(FormatError) as error:
            list(known.read(data))
        told.append(str(error.value))

    assert peak(read) < max(MOST_MEMORY, 4 * len(data))
    assert told == [line]


ONE_CELL = b"<puzzle>%s</puzzle>" % clues(ONE_LINE)
CRAFTED = {
    "escaped quotation marks.toml": b"[clues]\nrows = ''\nx = " + 2 * filled(b'\\"'),
    "blanks in a clue.non": b"rows\n1" + filled(b" ") + b"x\ncolumns\n1\n",
    "blanks in a colour.ini": b"[colors]\nr = (1" + filled(b" ") + b"x)\n[clues]\nrows = 1\ncolumns = 1\n",
    "blanks in a name.sdk": b"#A x" + filled(b" ") + b"y\n1234\n",
    "a frame and a letter.sdk": filled(b"-") + b"x\n1234\n",
    "puzzles of a set.xml": b"<puzzleset>%s%s</puzzleset>" % (2 * filled(ONE_CELL), 2 * filled(b"<a/>")),
    "saved grids.xml": xml(clues(ONE_LINE) + 4 * filled(image(b"|c|", b"saved"))),
}
"""Files whose reading once took time quadratic in their size: ten seconds to an hour."""


@pytest.mark.parametrize("name", CRAFTED)
def test_reading_takes_linear_time(name: str) -> None:
    began = thread_time()
    list(read_in_bulk([SourceFile(name, CRAFTED[name])]))
    assert thread_time() - began < 4


def test_only_first_errors_of_many_are_reported() -> None:
    count = 20_000
    with pytest.raises(FormatError) as error:
        list(non.read(b"====\nx\n" * count))
    text = str(error.value)
    assert text.startswith("puzzle 1: it has no 'rows'; puzzle 2: it has no 'rows'; ")
    assert text.endswith(f"; and {count - MAX_REPORTED:,} more")
    assert text.count("puzzle ") == MAX_REPORTED


@pytest.mark.parametrize("unit", [b"[1,1,1,1],", b"[],", b"1,", b"[[1]],"])
def test_page_with_long_array_takes_bounded_memory(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nonograms_org, "MAX_ENTRIES", 10_000)
    page = b'<div class="content"><script>var d=[%s[1,1,1,1]];</script></div>' % (4 * filled(unit))
    told: list[str | None] = []

    def judge() -> None:
        told.append(nonograms_org.judge(page, 200, 1, False, "https://example.org").detail)

    assert peak(judge) < 8 * len(page)
    assert told == ["its 'var d' has more than 10,000 entries"]


def test_largest_sides_are_read() -> None:
    """Nothing of the limits is in their way."""
    side = MAX_CELLS
    full = b"<line>%s</line>" % (b"<count>1</count>" * side)
    (puzzle,) = webpbn_xml.read(xml(clues(full).replace(ONE_LINE, ONE_LINE * side) + image(b"|" + b"." * side + b"|")))
    assert (puzzle.width, puzzle.height, len(puzzle.rows[0])) == (side, 1, side)
    (puzzle,) = webpbn_xml.read(xml(image(b"|c|" * side)))
    assert (puzzle.width, puzzle.height) == (1, side)
    numbers, none = b",".join([b"1"] * side), b"0\n" * side
    (puzzle,) = non.read(b"rows\n%s\ncolumns\n%sgoal %s\n" % (numbers, none, b"0" * side))
    assert (puzzle.width, len(puzzle.rows[0])) == (side, side)
    (puzzle,) = non.read(b"\n" * 3 * side + b"rows\n%scolumns\n0\n\ngoal\n%s" % (none, none))
    assert (puzzle.height, puzzle.goal is not None) == (side, True)
    (puzzle,) = taai.read(b"$1\n" + b"1\t1\n" * 2 * side + b"\n")
    assert puzzle.height == side


def test_puzzles_of_a_file_are_yielded_one_by_one() -> None:
    """As they are asked for: the file's lines are never all in memory, nor its puzzles."""
    data = b"====\n".join([b"rows\n1\ncolumns\n1\n"] * 5_000)

    def read() -> None:
        assert sum(1 for _ in non.read(data)) == 5_000

    assert peak(read) < 4 * len(data)


def test_many_images_take_linear_time() -> None:
    """Each is looked at once: what follows is not copied for each."""
    data = 400_000 * b"P4 1 1 \0\n"
    assert sum(1 for _ in islice(named("netpbm").read(data), 2000)) == 2000
