"""Simpson's .non: real files, the quirks of those who write it, what is refused and how, round trips."""

import lzma
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import pictures

from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import FormatError, detect, jsonl, non
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.solver.model.puzzle import Block, Color, Puzzle, clues_of, from_picture
from nonocensus.solver.model.tables import puzzle_batch

SMALL = """catalogue "webpbn.com #0042"
title "Two "quoted" words"
by "Zo&euml; & Co"
copyright "&copy; Copyright 2009 by Zo&#235;"
license CC-BY-3.0
width 3
height 2

rows
3
1,1

columns
2
1
2

goal "111101"
"""


def one(text: str | bytes) -> Puzzle:
    (puzzle,) = non.read(text.encode() if isinstance(text, str) else text)
    return puzzle


def lengths(puzzle: Puzzle) -> tuple[list[list[int]], list[list[int]]]:
    rows, columns = ([[block.length for block in clue] for clue in side] for side in (puzzle.rows, puzzle.columns))
    return rows, columns


def test_all_properties_are_read() -> None:
    puzzle = one(SMALL)
    assert lengths(puzzle) == ([[3], [1, 1]], [[2], [1], [2]])
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[1, 1, 1], [1, 0, 1]]
    assert puzzle.goal.dtype == np.uint8
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("webpbn/42", "webpbn", "42")
    assert puzzle.url == "https://webpbn.com/play.cgi?id=42"
    assert puzzle.title == 'Two "quoted" words'
    assert puzzle.author == "Zoë & Co"
    assert puzzle.copyright == "© Copyright 2009 by Zoë"
    assert puzzle.license == "CC-BY-3.0"


@pytest.mark.slow
def test_files_of_crawls_agree_with_their_json_lines(shared_data: Path) -> None:
    """Clues, times and ratings of all 44 files."""
    puzzles = {(puzzle := one(path.read_bytes())).puzzle_id: puzzle for path in (shared_data / "people/non").iterdir()}
    assert len(puzzles) == 44
    assert all(puzzle.site_seconds or puzzle.site_difficulty for puzzle in puzzles.values())
    found = 0
    for path in (shared_data / "people").glob("*.jsonl.xz"):
        with lzma.open(path) as lines:
            for line in lines:
                name = re.search(rb'"puzzle_id":"([^"]*)"', line)
                if name is not None and (puzzle := puzzles.get(name[1].decode())) is not None:
                    (other,) = jsonl.read(line)
                    (a, b) = (puzzle_batch([one])["clue_hash"].to_pylist() for one in (puzzle, other))
                    assert a == b
                    assert (puzzle.site_seconds, puzzle.site_difficulty) == (other.site_seconds, other.site_difficulty)
                    assert puzzle.site_quality == other.site_quality
                    found += 1
    assert found == 44


@pytest.mark.slow
def test_archive_of_2014_is_read(shared_data: Path) -> None:
    files = list(files_in([shared_data / "webpbn-2014-mono.tar.xz"]))
    assert len(files) == 6746
    found = {}
    for file in files:
        assert file.error is None
        assert file.data is not None
        (puzzle,) = detect(file.name, file.data).read(file.data)
        assert puzzle.goal is not None
        assert clues_of(puzzle.goal) == (puzzle.rows, puzzle.columns), file.name
        assert puzzle.puzzle_id == "webpbn/" + file.name.split("/")[-1].removesuffix(".non")
        found[puzzle.source_id] = puzzle
        again = one(non.write(puzzle))
        assert vars(replace(again, goal=None)) == vars(replace(puzzle, goal=None))
    # Windows-1252, and a lone quotation mark
    assert found["20094"].title == "Khut’jvriani Drosha"
    assert found["16616"].title == "Aldège's Desert Bloomers"
    assert any(puzzle.title is not None and puzzle.title.startswith('"A True') for puzzle in found.values())
    assert found["6574"].copyright == "© Copyright 2009 by Gator"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_read(end: str) -> None:
    data = SMALL.replace("\n", end).encode()
    assert non.recognizes(data)
    assert vars(replace(one(data), goal=None)) == vars(replace(one(SMALL), goal=None))


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ('title "a"', "a"),
        ("title a b ", "a b"),
        ('title ""A"', '"A'),
        ('title ""A""', '"A"'),
        ('title "a "b" "', 'a "b"'),
        ('TITLE\t"a"', "a"),
        ('title "AT&T &copy &copy; &#x41; &nosuch;"', "AT&T &copy © A &nosuch;"),
        ('title ""', None),
        ("title", None),
    ],
)
def test_quotes_and_entities_are_resolved(line: str, title: str | None) -> None:
    assert one(f"{line}\nrows\n1\ncolumns\n1\n").title == title


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        ("rows\n1\n0\n1\n", "columns\n1,1\n", [[1], [], [1]]),
        ("height 3\nrows\n1\n\n1\n", "columns\n1,1\n", [[1], [], [1]]),
        ("height 3\nrows\n1\n\n0\n\n1\n", "columns\n1,1\n", [[1], [], [1]]),
        ("rows\n1\n\n1\n", "columns\n1,1\n", [[1], [], [1]]),
        ("rows\n1\n\n0\n\n1\n", "columns\n1,1\n", [[1], [], [1]]),
        ("height 3\nrows\n1\n1\n\n\n", "columns\n2\n", [[1], [1], []]),
        ("height 2\nrows\n\n\n\n", "columns\n0\n", [[], []]),
        ("rows 2\nrows\n1\n1\n", "columns 1\ncolumns\n2\n", [[1], [1]]),
        ("rows\n# the top\n1\n#\n1\n", "columns\n2\n", [[1], [1]]),
        ("rows\n 2 , 01\n", "columns\n1\n1\n0\n1\n", [[2, 1]]),
    ],
)
def test_blank_lines_are_clues_where_needed(rows: str, columns: str, expected: list[list[int]]) -> None:
    assert lengths(one(rows + columns))[0] == expected
    assert lengths(one(columns + rows))[0] == expected


@pytest.mark.parametrize(
    "goal",
    ['goal "011\n110"', 'goal "011"\n"110"', "goal\n011\n110", "goal 011110", 'goal\n"011110"', 'goal "011 110"'],
)
def test_all_forms_of_the_goal_are_read(goal: str) -> None:
    puzzle = one(f"rows\n2\n2\ncolumns\n1\n2\n1\n{goal}\n\nsaved 000000\n")
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[0, 1, 1], [1, 1, 0]]


def test_file_without_properties_is_read() -> None:
    puzzle = one('rows\n1\ncolumns\n1\ngoal ""')
    assert puzzle.goal is None
    assert (puzzle.puzzle_id, puzzle.source, puzzle.title, puzzle.license) == ("", None, None, None)


def test_other_catalogue_becomes_title() -> None:
    text = 'catalogue "qnonograms candle.jap"\nrows\n1\ncolumns\n1\n'
    assert one(text).title == "qnonograms candle.jap"
    assert one(text).puzzle_id == ""
    assert one('title "Candle"\n' + text).title == "Candle"
    assert one('catalogue "webpbn.com #7"\nrows\n1\ncolumns\n1\n').title is None


@pytest.mark.parametrize(("source", "source_id"), [("local", "cats/the owl"), ("demo", "4"), ("my-site.org", "12")])
def test_ids_of_any_site_are_catalogued(source: str, source_id: str) -> None:
    puzzle_id = f"{source}/{source_id}"
    puzzle = replace(one(SMALL), puzzle_id=puzzle_id, source=source, source_id=source_id, url=None)
    assert f'catalogue "{source} #{source_id}"\n'.encode() in non.write(puzzle)
    back = one(non.write(puzzle).decode())
    assert (back.puzzle_id, back.source, back.source_id, back.title) == (puzzle_id, source, source_id, puzzle.title)


def test_several_puzzles_are_read() -> None:
    other = SMALL.replace("#0042", "#43")
    assert [puzzle.source_id for puzzle in non.read(f"{SMALL}====\n{other}=====\n\n".encode())] == ["42", "43"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1,1\n", "1,x\n", "line 11: '1,x' is not a list of numbers: it has 'x'"),
        ("1,1\n", "1,-1\n", "line 11: '1,-1' is not a list of numbers: it has '-'"),
        ("1,1\n", "1,,1\n", "line 11: '1,,1' is not a list of numbers"),
        ("1,1\n", "1A,1B\n", "line 11: '1A,1B' is not a list of numbers: it has 'A'"),
        ("1,1\n", "\u0661,\u0661\n", "line 11: '\u0661,\u0661' is not a list of numbers: it has '\u0661'"),
        ("1,1\n", "1" * 90 + "X\n", f"line 11: '{'1' * 37}...' is not a list of numbers: it has 'X'"),
        ("1,1\n", "1,0\n", "line 11: '1,0' has a 0 among its numbers"),
        ("1,1\n", "1,1024\n", "line 11: the number '1024' is more than 1023"),
        ("1,1\n", "9" * 5000 + "\n", f"line 11: the number '{'9' * 37}...' is more than 1023"),
        ("height 2", "height 3", "height is 3, but there are 2 rows"),
        ("rows\n3\n1,1\n", "rows\n\n\n0\n\n", "height is 2, but there are 1 rows"),
        ("height 2", "height 1", "height is 1, but there are 2 rows"),
        ("width 3", "width 4", "width is 4, but there are 3 columns"),
        ("width 3", "width three", "line 6: width is 'three', not a number"),
        ("width 3", "width -3", "line 6: width is '-3', not a number"),
        ("width 3", "width " + "3" * 5000, f"line 6: width is '{'3' * 37}...', more than 1023"),
        ("rows\n", "", "it has no 'rows'"),
        ("columns\n", "", "height is 2, but there are 5 rows"),
        ("columns\n", "rows\n", "line 13: 'rows' occurs twice"),
        ("111101", "1111", "line 18: the goal has 4 cells, but 3x2 are 6"),
        ("111101", "11a101", "line 18: the goal has 'a' among its 0s and 1s"),
        ("111101", "1é1101", "line 18: the goal has 'é' among its 0s and 1s"),
    ],
)
def test_errors_have_line_numbers(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(FormatError) as error:
        one(SMALL.replace(old, new, 1))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"rows\n1\n", "it has no 'columns'"),
        (b"rows\n1\ncolumns\n", "it has no columns"),
        (b"columns\n0\nrows\n" + b"0\n" * 2000, "it has 2000 rows; the most is 1023"),
        (b"", "it is empty"),
        (b" \r\n\t\n", "it is empty"),
        (b"\xef\xbb\xbf", "it holds no puzzle"),
        (b"rows\n\0\n", "it is a binary file, not text"),
        (b"rows\n\x81\n", "it is text in neither UTF-8 nor Windows-1252 (byte 0x81 at offset 5)"),
        (b"\xff\xfer\0\x00", "it declares itself utf-16 but is not (byte 0x00 at offset 4)"),
    ],
)
def test_file_without_puzzle_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        one(data)
    assert str(error.value) == message


def test_written_file_equals_webpbns(shared_data: Path) -> None:
    data = (shared_data / "survey-mono/webpbn-00001.non").read_bytes()
    written = non.write(one(data))
    assert written.decode().replace("&#169;", "&copy;") == data.decode().rstrip("\n") + "\n"


texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).map(str.strip)
titles = (
    st.none() | texts.filter(bool) | st.sampled_from(['"', '""', '"a" "b"', "&amp;", "&copy;", "a\nb", "#", "rows"])
)


@given(picture=pictures(1), title=titles, author=titles, owner=titles, license=titles, number=st.integers(1, 99999))
def test_written_puzzle_is_read_back(picture, title, author, owner, license, number) -> None:  # noqa: A002
    about = {"puzzle_id": f"webpbn/{number}", "source": "webpbn", "source_id": str(number)}
    url = f"https://webpbn.com/play.cgi?id={number}"
    puzzle = from_picture(picture, title=title, author=author, copyright=owner, license=license, url=url, **about)
    data = non.write(puzzle)
    assert non.recognizes(data)
    again = one(data)
    assert vars(replace(again, goal=None)) == vars(replace(puzzle, goal=None))
    assert again.goal is not None
    assert (again.goal == picture).all()


COLORED = b"""color r #ff0000
color b #0000FF
width 3
height 2
rows
1r,1b
2
columns
1r
1b,1
1
goal "rb0011"
"""


def test_colours_are_read() -> None:
    """As in nonogram-db's description: letters for colours, black where there is none."""
    puzzle = one(COLORED)
    assert [color.rgb for color in puzzle.palette] == ["ffffff", "ff0000", "0000ff", "000000"]
    assert puzzle.rows == ((Block(1, 1), Block(1, 2)), (Block(2, 3),))
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[1, 2, 0], [0, 3, 3]]
    back = one(file_of(puzzle, non, lossy=True)[0])
    assert (back.rows, back.columns, back.goal.tolist()) == (puzzle.rows, puzzle.columns, puzzle.goal.tolist())  # type: ignore[union-attr]
    for wrong, said in (
        (COLORED.replace(b"1r,1b", b"1r,1g"), "line 6: '1g': the colour 'g' is not declared"),
        (COLORED.replace(b"color b", b"color r"), "line 2: the colour 'r' is declared twice"),
        (COLORED.replace(b"#ff0000", b"red"), "line 1: 'r red' does not declare a colour"),
        (COLORED.replace(b"rb0011", b"rg0011"), "line 12: the goal has 'g'"),
    ):
        with pytest.raises(FormatError) as error:
            one(wrong)
        assert str(error.value).startswith(said)


CRAWLED = """by "Ann"
collection "griddlers.net"
date "2/11/13"
description "A "quoted" word"
height 2
id 42
link "https://www.griddlers.net/nonogram/-/g/0042"
medium_time "1:02:03"
points 274823
popularity 83.33
title "Flag"
width 3

color a c0c0c0
color b ff0000
color rows 00ff00 +

rows
b 1 rows 2
rows 1

columns
b 1 rows 1
rows 1
rows 1
"""


def test_files_of_crawls_have_colours_times_and_ratings() -> None:
    puzzle = one(CRAWLED)
    assert puzzle.rows == ((Block(1, 1), Block(2, 2)), (Block(1, 2),))
    assert puzzle.palette == (Color("a", ".", "c0c0c0"), Color("b", "X", "ff0000"), Color("rows", "+", "00ff00"))
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("griddlers/42", "griddlers", "42")
    assert puzzle.url == "https://www.griddlers.net/nonogram/-/g/0042"
    assert (puzzle.title, puzzle.author, puzzle.description) == ("Flag", "Ann", 'A "quoted" word')
    assert (puzzle.site_seconds, puzzle.site_difficulty, puzzle.site_quality) == (3723.0, None, 83.33)
    assert (puzzle.site_date, puzzle.site_note) == (date(2013, 2, 11), "points 274823")


def test_crawl_of_webpbn_has_ratings_and_note() -> None:
    text = (
        'link "https://webpbn.com/play.cgi?id=7"\nnote "published"\ndifficulty 4.25\nquality 3\ndate "Mar  9, 2008"\n'
    )
    puzzle = one(text + "rows\n1\ncolumns\n1\n")
    assert (puzzle.puzzle_id, puzzle.site_note, puzzle.site_date) == ("webpbn/7", "published", date(2008, 3, 9))
    assert (puzzle.site_difficulty, puzzle.site_quality, puzzle.site_seconds) == (4.25, 3.0, None)


def test_numbers_without_a_name_have_the_only_colour_that_no_clue_names() -> None:
    text = "color white FFFFFF .\ncolor red FF0000 *\ncolor black 000000 X\nrows\n1, red 1\ncolumns\n1\nred 1\n"
    assert one(text).rows == ((Block(1, 1), Block(1, 2)),)
    assert [color.name for color in one(text).palette] == ["white", "black", "red"]
    with pytest.raises(FormatError, match=r"'1': it has no colour, and there is no default"):
        one(text.replace("rows\n", "color blue 0000FF\nrows\n"))


@pytest.mark.parametrize(
    ("clue", "reason"),
    [
        ("red", "line 4: its last colour has no number"),
        ("red red 1", "line 4: 'red' is not a number"),
        ("green 1", "line 4: 'green' is not a declared colour"),
        ("red 0", "line 4: '0' is not a number from 1 to 1023"),
        ("red 9999999999", "line 4: '9999999999' is not a number from 1 to 1023"),
        ("white 1", "line 4: 'white' is the background"),
    ],
)
def test_wrong_clues_of_crawls(clue: str, reason: str) -> None:
    with pytest.raises(FormatError, match=f"^{reason}"):
        one(f"color white FFFFFF .\ncolor red FF0000 *\nrows\n{clue}\ncolumns\nred 1\n")
