"""Pages as they are read: real ones where they are, ours as written, damaged ones, and what is no puzzle."""

import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from faulty_twin import ADULT, DELETED
from hypothesis import given
from hypothesis import strategies as st
from pages_of_nonograms import COLORS, ENTRIES, OURS, PICTURE, SITE, STEPS, error_of, page, puzzle_of
from strategies import PALETTE, pictures

from nonocensus.scrapers.formats import nonograms_org
from nonocensus.scrapers.formats.nonograms_codec import encode
from nonocensus.scrapers.formats.nonograms_org import judge, listed_puzzles, newest_number, write_list_page, write_page
from nonocensus.solver.model.puzzle import BLACK, BLACK_ON_WHITE, Block, from_picture


@pytest.mark.parametrize(
    ("number", "side", "quality", "difficulty", "steps"), [(61475, 15, 6.0, 3.0, 113), (8543, 20, 8.0, 5.0, 218)]
)
def test_real_pages_are_parsed(
    real: Path, number: int, side: int, quality: float, difficulty: float, steps: int
) -> None:
    puzzle = puzzle_of((real / f"{number}.html").read_bytes(), number)
    assert (puzzle.width, puzzle.height, puzzle.kind) == (side, side, "mono")
    assert puzzle.palette == BLACK_ON_WHITE
    assert (puzzle.site_quality, puzzle.site_difficulty, puzzle.site_steps) == (quality, difficulty, steps)
    assert puzzle.site_date is not None
    assert 2003 < puzzle.site_date.year < 2027
    assert puzzle.title
    assert puzzle.author
    assert puzzle.title in (real / f"{number}.html").read_text(encoding="utf-8")
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == (f"nonograms/{number}", "nonograms", str(number))
    assert puzzle.url == f"{SITE}/nonograms/i/{number}"
    assert puzzle.copyright
    assert puzzle.copyright.startswith("Copyright (c) 2009")
    assert puzzle.license is None


def test_truncated_real_page_is_an_error(real: Path) -> None:
    data = (real / "61475.html").read_bytes()
    whole, end = puzzle_of(data, 61475), data.index(b"]];") + 3
    for cut in range(0, len(data), 371):
        if cut < end:
            error_of(data[:cut], number=61475)
        else:
            assert puzzle_of(data[:cut], 61475).rows == whole.rows


def test_links_of_real_page_are_listed(real: Path) -> None:
    data = (real / "61475.html").read_bytes()
    assert listed_puzzles(data) == []  # but for the random puzzle
    assert newest_number(data) == 61475


def test_page_with_31_colours_and_black_twice_is_parsed() -> None:
    picture = np.arange(32, dtype=np.uint8).reshape(4, 8)
    colors = ["000000", "000000", *(f"{n:06x}" for n in range(2, 31))]
    puzzle = puzzle_of(page(f"var d={encode(picture, colors)};", "Size: 8x4"))
    assert [color.rgb for color in puzzle.palette] == ["ffffff", *colors]
    assert puzzle.palette[1] == BLACK
    assert len({color.symbol for color in puzzle.palette}) == len({color.name for color in puzzle.palette}) == 32


def test_colors_in_order_of_first_use() -> None:
    puzzle = puzzle_of(page(f"var d={encode(np.array([0, 2, 1])[PICTURE], COLORS)};"))
    assert [color.rgb for color in puzzle.palette] == ["ffffff", "c04010", "000000"]
    assert puzzle.rows[0] == (Block(2, 1),)


def test_kind_follows_array() -> None:
    puzzle = puzzle_of(write_page(OURS, 7, SITE), colored=False)
    assert (puzzle.kind, puzzle.url) == ("color", f"{SITE}/nonograms/i/7")
    mono = puzzle_of(write_page(from_picture(PICTURE > 0), 7, SITE), colored=True)
    assert (mono.kind, mono.url) == ("mono", f"{SITE}/nonograms2/i/7")


def test_base_may_end_with_slash() -> None:
    puzzle = judge(write_page(OURS, 7, SITE), 200, 7, False, "http://127.0.0.1:8000/").puzzle
    assert puzzle is not None
    assert puzzle.url == "http://127.0.0.1:8000/nonograms/i/7"


def test_ratings_in_other_language_go_by_order() -> None:
    data = write_page(OURS, 7, SITE, 6, 3)
    translated = data.replace(b"Size:", "Größe:".encode()).replace(b"Picture:", b"Bild:")
    translated = translated.replace(b"Difficulty:", b"Grad:")
    assert (puzzle_of(translated).site_quality, puzzle_of(translated).site_difficulty) == (6.0, 3.0)
    single = puzzle_of(translated.replace(b'alt="6/10"', b'alt="none"'))
    assert (single.site_quality, single.site_difficulty) == (None, None)
    half = puzzle_of(write_page(OURS, 7, SITE, None, 3))
    assert (half.site_quality, half.site_difficulty) == (None, 3.0)
    absurd = puzzle_of(data.replace(b'alt="6/10"', b'alt="66/10"'))
    assert (absurd.site_quality, absurd.site_difficulty) == (None, 3.0)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_byte_order_mark_is_ignored(bom: bytes) -> None:
    data = write_page(OURS, 7, SITE, 6, 3)
    assert data.startswith(b"\xef\xbb\xbf<!DOCTYPE")
    assert puzzle_of(bom + data[3:]).title == OURS.title


def test_invalid_byte_costs_one_character() -> None:
    data = write_page(OURS, 7, SITE).replace("ä".encode(), b"\xe4")
    assert puzzle_of(data).title == 'Fish & "chips" <\N{REPLACEMENT CHARACTER}>'


def test_missing_page_is_judged_missing() -> None:
    assert judge(nonograms_org.missing_page(), 404, 7, False, SITE) == ("missing", None, None)
    assert judge(nonograms_org.missing_page(), 200, 7, False, SITE) == ("missing", None, None)
    assert judge(b"", 404, 7, False, SITE) == ("missing", None, None)


def test_error_block_on_page_with_puzzle_is_ignored() -> None:
    data = write_page(OURS, 7, SITE).replace(b"<h1>", b'<div class="error_block">No comments today</div><h1>')
    assert puzzle_of(data).rows == OURS.rows


def test_deleted_page_is_judged_deleted() -> None:
    data = DELETED.replace(b"The puzzle is deleted.", b"Deleted: &lt;copy&gt;\nof another")
    assert judge(data, 200, 7, False, SITE) == ("deleted", "Deleted: <copy> of another", None)
    spaced = data.replace(b"color:red;font-size", b"font-weight:bold; COLOR: red; font-size")
    assert judge(spaced, 200, 7, False, SITE).outcome == "deleted"
    hidden = data.replace(b"color:red;", b"display:none;background-color:red;")
    assert error_of(hidden) == "it has no puzzle; its title is 'Error'"


def test_adult_page_is_judged_adult() -> None:
    assert judge(ADULT, 200, 7, False, SITE) == ("adult", None, None)
    marked = write_page(OURS, 7, SITE).replace(b"<h1><span>", b'<h1><span class="nonogram_title_adult">')
    assert judge(marked, 200, 7, False, SITE) == ("adult", None, None)


@pytest.mark.parametrize("status", [301, 403, 429, 500, 503])
def test_other_status_is_an_error(status: int) -> None:
    assert error_of(write_page(OURS, 7, SITE), status) == f"HTTP status {status}"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it has no puzzle and no title"),
        (b"\0\xff\xfe\x80", "it has no puzzle and no title"),
        (b"<html><title> Sign\n in </title><form><input name=login></form>", "its title is 'Sign in'"),
        (b"<title>" + b"x" * 500, "its title is 'xxxx"),
        (page("var usrid=0;"), "it has no puzzle"),
        (page("var d=[];"), "its 'var d' is cut off or has more than numbers"),
        (page("var d=[[1,2,3,4],[5,6"), "its 'var d' is cut off"),
        (page("var d=[[1,2,-3,4]];"), "its 'var d' is cut off or has more than numbers"),
        (page("var d=[[1,2,,4]];"), "its 'var d' is not an array of numbers"),
        (page("var d=[[1,2,3,4];"), "its 'var d' is not an array of numbers"),
        (page("var d=[[01,2,3,4]];"), "its 'var d' is not an array of numbers"),
        (page(f"var d=[[{'9' * 5000}]];"), "its 'var d' is not an array of numbers"),
        (page(f"var d={'[' * 100_000}];"), "its 'var d' is not an array of numbers"),
        (page(f"var d={'[' * 90}{']' * 90};"), "entry 0 of the array is not four numbers"),
        (page("var d=[1,2,3,4];"), "entry 0 of the array is not four numbers"),
        (page(f"var d={ENTRIES};", "Size: 4x4"), "its size is given as 4x4, but its array is 4x3"),
        (page(f"var d={ENTRIES};", "Size: 3x4"), "its size is given as 3x4, but its array is 4x3"),
        (b"<p>" * 5001, "it has more than 5,000 tags"),
    ],
)
def test_page_without_puzzle_is_an_error(data: bytes, says: str) -> None:
    assert says in error_of(data)


def test_array_outside_of_content_is_ignored() -> None:
    assert error_of(page("").replace(b"<script>", f"<p>var d={ENTRIES};</p><script>".encode()))


@given(st.integers(0, 10_000), st.binary(max_size=3))
def test_damaged_page_has_an_outcome(place: int, junk: bytes) -> None:
    data = write_page(OURS, 7, SITE, 6, 3, steps=STEPS)
    place %= len(data)
    for damaged in (data[:place], data[:place] + junk + data[place:], data[:place] + junk + data[place + 3 :]):
        judgement = judge(damaged, 200, 7, False, SITE)
        assert judgement.outcome in ("ok", "error")
        assert (judgement.outcome == "ok") == (judgement.puzzle is not None) == (judgement.detail is None)


def test_links_of_list_are_listed() -> None:
    data = b"""<div class="nonogram_rand"><a href="/nonograms/i/1">Random</a></div><div class="content">
        <a href="/nonograms2/i/5"><img></a> <a href="https://www.nonograms.ru/nonograms2/i/5#form">Five</a>
        <a href="/nonograms/i/40/?x=1">Forty</a> <a>none</a> <a href>empty</a> <a href="/nonograms/p/3">next</a>
        <a href="/nonograms/i/x">x</a> <a href="/nonogramprint2/i/99">print</a> <a href="/nonograms3/i/7">no</a>
        <a href="/nonograms/i/1234567890123">absurd</a> <a href="/user/3">someone</a></div>"""
    assert listed_puzzles(data) == [(5, True), (40, False)]
    assert newest_number(data) == 99


@given(st.binary(max_size=200))
def test_arbitrary_bytes_have_an_outcome(data: bytes) -> None:
    assert judge(data, 200, 7, False, SITE).outcome == "error"
    assert listed_puzzles(data) == []
    assert newest_number(data) is None


def test_written_page_is_read_back() -> None:
    data = write_page(OURS, 7, SITE, 6, 10, date(2022, 12, 31), steps=STEPS)
    puzzle = puzzle_of(data, colored=True)
    assert (puzzle.rows, puzzle.columns, puzzle.palette) == (OURS.rows, OURS.columns, OURS.palette)
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == PICTURE.tolist()
    assert (puzzle.title, puzzle.author, puzzle.copyright) == (OURS.title, OURS.author, OURS.copyright)
    assert (puzzle.site_quality, puzzle.site_difficulty, puzzle.site_steps) == (6.0, 10.0, 7)
    assert puzzle.site_date == date(2022, 12, 31)
    impossible = puzzle_of(data.replace(b"31.12.22", b"31.02.22"), colored=True)
    assert impossible.site_date is None
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("nonograms/7", "nonograms", "7")
    assert puzzle.url == f"{SITE}/nonograms2/i/7"
    assert b"<td>31.12.22</td>" in data
    assert b'href="https://www.nonograms.org/user/1"' in data
    assert re.search(rb"^var d=\[\[\d+,\d+,\d+,\d+\],.*\]\];$", data, re.MULTILINE)


def test_page_without_metadata_is_read_back() -> None:
    mono = from_picture(PICTURE > 0)
    puzzle = puzzle_of(write_page(mono, 7, SITE))
    assert puzzle.palette == BLACK_ON_WHITE
    assert (puzzle.rows, puzzle.columns) == (mono.rows, mono.columns)
    assert (puzzle.title, puzzle.author, puzzle.copyright, puzzle.license) == (None, None, None, None)
    assert (puzzle.site_quality, puzzle.site_difficulty, puzzle.site_steps) == (None, None, None)


@given(pictures(3), st.text(st.characters(exclude_categories=("C", "Z")), min_size=1), st.integers(0, 10))
def test_written_pages_of_any_picture_are_read_back(picture: np.ndarray, text: str, rating: int) -> None:
    puzzle = from_picture(picture, PALETTE, title=text, author=text[::-1])
    read = puzzle_of(write_page(puzzle, 7, SITE, rating, 10 - rating))
    assert (read.rows, read.columns) == (puzzle.rows, puzzle.columns)
    assert [color.rgb for color in read.palette] == [color.rgb for color in puzzle.palette]
    assert len({color.symbol for color in read.palette}) == len({color.name for color in read.palette}) == 4
    assert (read.title, read.author) == (puzzle.title, puzzle.author)
    assert (read.site_quality, read.site_difficulty) == (rating, 10 - rating)


def test_written_list_is_read_back() -> None:
    ids = [(12, False), (7, True), (81801, False)]
    assert listed_puzzles(write_list_page(ids)) == ids
    assert listed_puzzles(write_list_page([*ids, *ids], "http://127.0.0.1:8000")) == ids
    assert newest_number(write_list_page(ids)) == 81801
    assert listed_puzzles(write_list_page([])) == []
    assert newest_number(write_list_page([])) is None
