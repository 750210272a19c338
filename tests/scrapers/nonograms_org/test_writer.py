"""Pages of our own making, which the reader takes for the site's."""

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_of_nonograms import OURS, PICTURE, SITE, STEPS, puzzle_of
from strategies import PALETTE, pictures

from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats.nonograms_org import listed, newest, write_list_page, write_page
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Block, Color, Puzzle, from_picture


def test_written_page_is_read_back() -> None:
    data = write_page(OURS, 7, SITE, 6, 10, date(2022, 12, 31), author_number=5, steps=STEPS)
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
    assert b'href="https://www.nonograms.org/user/5"' in data
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


@pytest.mark.parametrize(
    "puzzle",
    [
        replace(OURS, goal=None),
        replace(OURS, rows=((Block(0, 1),), *OURS.rows[1:])),
        replace(OURS, palette=(Color("red", ".", "ff0000"), *OURS.palette[1:])),
        replace(OURS, palette=(*OURS.palette, Color("bad", "?", "12"))),
    ],
)
def test_unwritable_puzzle_is_refused(puzzle: Puzzle) -> None:
    with pytest.raises(FormatError):
        write_page(puzzle, 7, SITE)


def test_written_list_is_read_back() -> None:
    ids = [(12, False), (7, True), (81801, False)]
    assert listed(write_list_page(ids)) == ids
    assert listed(write_list_page([*ids, *ids], "http://127.0.0.1:8000")) == ids
    assert newest(write_list_page(ids)) == 81801
    assert listed(write_list_page([])) == []
    assert newest(write_list_page([])) is None
