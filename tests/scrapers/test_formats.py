"""All formats alike: what is written is read back, what is read is told apart, whatever is broken is said in a line."""

import base64
import io
import json
import random
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import USUAL, can_hold, drawn, mutated, mutated_lines, refusal, rows_and_problems, samples
from PIL import Image
from round_trips import SAMPLES, kept
from strategies import pictures, puzzles

from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import DISTINCTIVE, FORMATS, Format, FormatError, detect, named, netpbm, png, rofl
from nonocensus.scrapers.formats.parsing import _clue, _unusual_clue
from nonocensus.scrapers.formats.plain import PLAIN_FORMATS
from nonocensus.scrapers.formats.writing import FEATURES, file_of
from nonocensus.solver.model.puzzle import MAX_CELLS, Block, Clue, Puzzle, from_picture

every_format = pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)


@every_format
@given(st.data())
@settings(max_examples=30, deadline=None)
def test_written_puzzle_is_read_back(known: Format, data: st.DataObject) -> None:
    colors = data.draw(st.integers(1, 3 if "colors" in known.HOLDS else 1))
    puzzle = data.draw(puzzles(8)) if "blots" in known.HOLDS else from_picture(data.draw(pictures(colors, 8)), USUAL)
    if not can_hold(puzzle, known):
        return
    (back,) = known.read(known.write(puzzle))
    assert (back.rows, back.columns) == (puzzle.rows, puzzle.columns)
    if "goal" in known.HOLDS and puzzle.goal is not None:
        assert back.goal is not None
        assert back.goal.tolist() == puzzle.goal.tolist()
    used = slice(1, puzzle.colors + 1)
    for word, field in (("rgb", "rgb"), ("names", "name")):
        if word in known.HOLDS:
            said = [getattr(color, field) for color in back.palette[used]]
            assert said == [getattr(color, field) for color in puzzle.palette[used]]


@every_format
def test_format_holds_features_that_survive_round_trip(known: Format) -> None:
    """What a format says it holds is what comes back, no more and no less."""
    assert SAMPLES.keys() == FEATURES.keys()
    assert kept(known) == known.HOLDS
    lost = sorted(FEATURES[name].text for name in ("title", "goal") if name not in known.HOLDS)
    titled = SAMPLES["title"].puzzle
    assert sorted(file_of(titled, known, lossy=True)[1]) == lost
    if lost:
        with pytest.raises(FormatError, match=f"the format {known.NAME} can't hold .*; --lossy leaves that out"):
            file_of(titled, known)


def test_colours_and_hidden_lengths_are_never_dropped() -> None:
    colored = from_picture(np.array([[1, 2]], np.uint8), USUAL[:3])
    with pytest.raises(FormatError, match=r"^the format nin has no colours$"):
        file_of(colored, named("nin"), lossy=True)
    blotted = Puzzle(rows=((Block(0),),), columns=((Block(0),),))
    with pytest.raises(FormatError, match=r"^the format non has no hidden lengths$"):
        file_of(blotted, named("non"), lossy=True)


@given(pictures(1, 9))
@settings(max_examples=60, deadline=None)
def test_format_is_detected_by_content_alone(picture: np.ndarray) -> None:
    """By content alone: as the format that it was written in, or as one in which it is the same puzzle."""
    puzzle = from_picture(picture)
    for known in FORMATS:
        if can_hold(puzzle, known) and (known.NAME != "matrix" or puzzle.width > 1):
            data = known.write(puzzle)
            # a contest's sizes are nin's the other way round; nin is the earlier format
            fitting = [plain for plain in PLAIN_FORMATS if plain.NAME != "contest" and plain.recognizes(data)]
            assert {readings(plain, data) for plain in fitting} <= {(puzzle.rows, puzzle.columns)}
            found = detect("", data)
            assert readings(found, data) == (puzzle.rows, puzzle.columns)
            assert found is known or (known in PLAIN_FORMATS and (found in PLAIN_FORMATS or found.NAME == "non"))


def readings(known: Format, data: bytes) -> tuple[object, object]:
    (puzzle,) = known.read(data)
    return puzzle.rows, puzzle.columns


def test_suffix_decides_between_two_matching_formats() -> None:
    """One row of two numbers and a gap: sizes and an empty clue, or a clue and the end of the rows."""
    data = b"1 1\n\n1\n0\n1\n"
    assert detect("x.keen", data).NAME == "keen"
    assert [known.NAME for known in PLAIN_FORMATS if known.recognizes(data)] == ["keen", "ish"]
    both = b"2 2\n2\n\n1\n1\n"
    assert [known.NAME for known in PLAIN_FORMATS if known.recognizes(both)] == ["nin", "contest"]


def test_format_names_and_suffixes_are_unique() -> None:
    names = [known.NAME for known in FORMATS]
    suffixes = [suffix for known in FORMATS for suffix in known.SUFFIXES]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)
    assert all(set(FEATURES) >= known.HOLDS for known in FORMATS)
    with pytest.raises(FormatError, match=r"unknown format 'x'; docs/FORMATS\.md lists all"):
        named("x")


@every_format
def test_mutated_files_are_read_or_refused_in_one_line(known: Format) -> None:
    """Two thousand files, each changed at random in some places."""
    source = random.Random(7)
    sound = samples(known)
    assert sound
    refused = 0
    for _ in range(2000):
        data = mutated(source.choice(sound), source)
        said = refusal(known, data)
        refused += said is not None
        assert said is None or ("\n" not in said and len(said) < 2000)
    assert 200 < refused < 2000


PIECES = """<puzzleset>,</puzzleset>,<puzzle>,</puzzle>,<clues type='rows'>,<clues type='columns'>,</clues>,<line>,
</line>,<count>,</count>,<solution><image>,|X|,</image></solution>,<color name='a' char='b'>,</color>,000,
<!,&,1, ,rows,columns"""
pieces = st.lists(st.sampled_from([*PIECES.split(","), ","]))


@every_format
@given(st.binary() | st.text().map(str.encode) | pieces.map(lambda parts: "".join(parts).encode()))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_read_or_refused_in_one_line(known: Format, data: bytes) -> None:
    assert "\n" not in (refusal(known, data) or "")


def test_quick_reader_of_json_lines_equals_slow_one() -> None:
    """Rows, ids, errors and their line numbers, of files changed at random."""
    source = random.Random(11)
    for _ in range(500):
        data = mutated_lines(source)
        quick, slow = (rows_and_problems(data, bulk_bytes) for bulk_bytes in (0, 1 << 30))
        assert quick == slow, data


def test_files_of_other_programs_are_read(shared_data: Path) -> None:
    items = list(read_files(files_in([shared_data / "formats"])))
    assert [item for item in items if isinstance(item, Problem)] == []
    found = {item.puzzle_id: item for item in items if isinstance(item, Puzzle)}
    assert len(found) == 23
    uk = found["local/formats/toml/UK"]
    assert (uk.width, uk.height) == (31, 15)
    assert uk.rows == found["local/formats/ini/uk"].rows
    assert [color.rgb for color in uk.palette] == ["ffffff", "ff0000", "0000ff"]
    assert found["local/formats/g/rose"].colors == 7
    assert found["local/formats/g/bicycle"].title == "Bicykl"
    assert (found["local/formats/pzl/kolobok"].width, found["local/formats/pzl/kolobok"].height) == (50, 50)


def test_invalid_files_give_reasons() -> None:
    cases = [
        ("g", b"#t\n:\n1\n:\n1\n:\n", "it is a triddler, whose lines run in three directions; only grids are read"),
        ("g", b"#d\nt:/ black/red\n:\n1t\n:\n1t\n:\n", "line 2: 'black/red' is a triangle of two colours"),
        ("g", b"#d\nr:% nocolour\n:\n1r\n:\n1r\n", "line 2: 'nocolour' is neither a colour like #ff0000 nor"),
        ("cwd", b"2\n2\n1\n1\n1\n1\n", "line 5: expected an empty line after 2 rows"),
        ("nin", b"2 2\n1\n1\n1\n", "it ends after 3 of 4 clues"),
        ("syro", b"1 0\n\n1\n", "line 3: '1' does not end with a separate 0"),
        ("makhorin", b"1\n1\n", "expected a line '&' between rows and columns"),
        ("quoted", b'1\n1\n"1"\n"1","1"\n', "it has more than 2 clues, not 1 + 1"),
        ("toml", b"[clues]\nrows = [[[\n", "it is not TOML: "),
        ("ini", b"[clues]\nrows = 1r\ncolumns = 1\n", "line 2: '1r': the colour 'r' is not declared"),
        ("lp", b"number_of_rows: 1\nnumber_of_columns: 1\nrow_1\nx: 1\ny: 1\n", "it has no column_1"),
        ("jsonl", b'{"rows": [[[1, 1]]], "columns": [[[1, 1]]], "goal": "2"}\n', "line 1: its goal is not a picture"),
        ("pzl", b"1\n#ff0000\n1 1\n1 1 0 0 0\n", "row 1: the colour #000000 is not in the palette"),
        ("netpbm", b"P1 2 2 1 0 1", "it has 3 of 4 values"),
        ("netpbm", b"P2 2 1 9 x..", "it has 0 of 2 values"),
        ("netpbm", b"P2 1 1 9 1 2", "data after an image is not an image"),
        ("netpbm", b"P2 1 1 9 " + b"9" * 30, "one of its values is "),
        ("netpbm", b"P5 2 2 9 \1\2\3", "it ends 1 bytes too early"),
        ("netpbm", b"P2 1 1 9 10", "one of its values is 10, more than 9"),
        ("netpbm", b"P6 2000 1 255 ", "its width should be a number from 1 to 1023"),
        ("png", b"\x89PNG\r\n\x1a\n", "unknown kind of picture: not one of PNG"),
        ("rofl", b"ROFL\1\1\1\0\0\0\1\2", "byte 11: row 1: a length is 2, not a number from 1 to 1"),
        ("rofl", b"ROFL\1\1\1\0\0\0\0\0\0", "byte 12: data follows the last column"),
        ("rofl", b"ROFL\0\0\1", "it ends where the width should be"),
        ("matrix", b"01\n0\n", "row 2 has 1 cells, the first one 2"),
        ("puzzlink", b"nonogram/2/1/1121\n", "line 1: it has more than 3 places"),
        ("puzzlink", b"\nnonogram/2/1/1_2\n", "line 2: '_2' is neither a number nor a gap"),
        ("puzzlink", b"nonogram/2/1/g0g\n", "line 1: '0g' is neither a number nor a gap"),
        ("puzzlink", b"nonogram/2000/1/1\n", "line 1: its size is '2000x1'; a side may have 1 to 1023 cells"),
        ("puzzlink", b"https://puzz.link/p?slither/2/1/1\n", "line 1: 'https://puzz.link/p?slither/2/1/1' is not"),
        ("tatham", b"2x1:1/1\n", "line 1: it has 2 clues, not 2 columns + 1 rows"),
        ("tatham", b"2x1:1/1/1, 1\n", "line 1: the numbers of a clue are separated by dots"),
        ("tatham", b"2x1:1/1/1/1\n", "line 1: it has more clues, not 2 columns + 1 rows"),
        ("tatham", b"2x1:1/1/1..1\n", "line 1: '' is not a number from 1 to 1023"),
    ]
    for name, data, said in cases:
        with pytest.raises(FormatError) as error:
            list(named(name).read(data))
        assert str(error.value).startswith(said), name


def test_line_of_clues_has_columns_first_and_empty_lines_as_nothing_or_zero() -> None:
    (puzzle,) = named("tatham").read(b"2x3:2/0/1//1")
    assert (puzzle.width, puzzle.height) == (2, 3)
    assert puzzle.columns[1] == puzzle.rows[1] == ()
    for text in (b"1 3 5 / 1 3 5\n", b"1,3,5/1,3,5\n"):
        with pytest.raises(FormatError, match="WIDTHxHEIGHT:columns/rows"):
            detect("stdin", text)


def test_links_and_ids_of_players() -> None:
    """Checked with puzz.link, Penpa+ and `sgt-pattern`."""
    picture = np.zeros((21, 2), np.uint8)
    picture[:17, 1] = 1
    picture[:3, 0] = picture[4:6, 0] = 1
    puzzle = from_picture(picture)
    link = b"https://puzz.link/p?nonogram/2/21/23o-11p222122" + b"1" * 11 + b"j\n"
    game = b"2x21:3.2/17/2/2/2/1/2/2" + b"/1" * 11 + b"////\n"
    assert (named("puzzlink").write(puzzle), named("tatham").write(puzzle)) == (link, game)
    square = b"https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/pattern.html#2:1/2/1/2\n"
    for data, name in ((link.replace(b"nonogram", b"nonogram_edit/v:"), "puzzlink"), (game, "tatham")):
        assert detect("", data) is named(name)
        assert readings(named(name), data) == (puzzle.rows, puzzle.columns)
    assert readings(detect("", square), square) == (((Block(1),), (Block(2),)),) * 2
    with pytest.raises(FormatError, match="the format puzzlink has 1 numbers at most for lines of 2 cells"):
        file_of(Puzzle(rows=((Block(1), Block(1)),), columns=((Block(1),), ())), named("puzzlink"))
    with pytest.raises(FormatError, match="the format puzzlink has no numbers above 255"):
        file_of(from_picture(np.ones((1, 256), np.uint8)), named("puzzlink"), lossy=True)


def test_images_of_all_kinds_are_read() -> None:
    """As Pillow writes them, palettes, transparency and grey; and pictures that are none of a puzzle."""
    puzzle = drawn()[2]
    assert puzzle.goal is not None
    rgb = np.array([[*bytes.fromhex(color.rgb)] for color in puzzle.palette], np.uint8)[puzzle.goal]
    seen = np.dstack([rgb, np.where(puzzle.goal > 0, 255, 0)]).astype(np.uint8)
    for suffix, image in (("PNG", rgb), ("GIF", rgb), ("BMP", rgb), ("TIFF", rgb), ("PNG", seen)):
        file = io.BytesIO()
        Image.fromarray(image).save(file, suffix)
        assert detect("", file.getvalue()) is png
        (back,) = png.read(file.getvalue())
        assert (back.rows, back.columns) == (puzzle.rows, puzzle.columns)
        assert [color.rgb for color in back.palette] == [color.rgb for color in puzzle.palette[: len(back.palette)]]
    for cells, said in (
        (np.zeros((1, 1024, 3), np.uint8), "the picture is 1024x1; a side may have 1 to 1023 cells"),
        (np.arange(100 * 3, dtype=np.uint8).reshape(10, 10, 3), "it has 100 colours; the most is 32, the background"),
    ):
        file = io.BytesIO()
        Image.fromarray(cells).save(file, "PNG")
        with pytest.raises(FormatError) as error:
            list(png.read(file.getvalue()))
        assert str(error.value).startswith(said)


def test_huge_image_is_refused_before_decoding() -> None:
    """A few bytes that say they are a picture of 65,535 x 65,535."""
    head = struct.pack(">IIBBBBB", 65535, 65535, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part)) for kind, part in chunks
    )
    with pytest.raises(FormatError, match=r"the picture is 65535x65535|it is a damaged picture: .*bomb"):
        list(png.read(data))


def test_bundled_puzzles_are_read_back() -> None:
    """Several puzzles in a file, of formats that have a way to say it."""
    several = drawn()[::3]
    for known in FORMATS:
        bundle = getattr(known, "bundle", None)
        if bundle is not None:
            data = b"".join(bundle(iter(map(known.write, several))))
            back = list(known.read(data))
            assert [(puzzle.rows, puzzle.columns) for puzzle in back] == [(each.rows, each.columns) for each in several]
    assert sum(hasattr(known, "bundle") for known in DISTINCTIVE) == 8


def penpa_link(numbers: dict[int, list[object]], kind: str = "square", margins: str = "[1,0,2,0]") -> bytes:
    """Return a link of Penpa+ of 3x2 cells with these margins, and numbers by their cells."""
    text = (
        json.dumps({"number": numbers, "line": {}}).replace("z", "zZ").replace('"number"', "zN").replace('"line"', "zL")
    )
    head = f"{kind},5,3,38,0,1,1,228,152,20,20,0,0,0,0,Title: zZoo%2C 1,Author: A.B.,,,ON,false,e30="
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    state = packer.compress(f"{head}\n{margins}\n{{}}\n{text}\nzO\n".encode()) + packer.flush()
    return b"https://swaroopg92.github.io/penpa-edit/#m=edit&p=" + base64.b64encode(state) + b"\n"


def test_links_of_penpa() -> None:
    """Reading was compared with links that Penpa+ 3.2 made of puzz.link's."""
    top = {9 * 2 + 4: 2, 9 * 2 + 5: 0, 9 * 2 + 6: 2}
    left = {9 * 3 + 2: 1, 9 * 3 + 3: "1", 9 * 4 + 2: 1, 9 * 4 + 3: 1}
    numbers: dict[int, list[object]] = {cell: [value, 1, "1"] for cell, value in (top | left).items()}
    (puzzle,) = named("penpa").read(penpa_link(numbers))
    assert (puzzle.rows, puzzle.columns) == (((Block(1), Block(1)),) * 2, ((Block(2),), (), (Block(2),)))
    assert (puzzle.title, puzzle.author) == ("zoo, 1", "A.B.")
    (hidden,) = named("penpa").read(penpa_link(numbers | {9 * 3 + 2: ["?", 1, "1"]}))
    assert hidden.rows == ((Block(0), Block(1)), (Block(1), Block(1)))
    for link, said in (
        (penpa_link(numbers)[:-20], "this link is damaged or cut off"),
        (penpa_link(numbers, kind="hex"), "its grid is 'hex', not square"),
        (penpa_link(numbers, margins="[0,0,0,0]"), "its grid of 5x3 cells with margins of 0 and 0 is not a nonogram"),
        (penpa_link(numbers | {9 * 3 + 4: [1, 1, "1"]}), "it has numbers in the grid or outside"),
        (penpa_link(numbers | {9 * 3 + 2: [1, 5, "1"]}), "it has numbers in colour"),
        (penpa_link(numbers | {9 * 3 + 2: ["x", 1, "1"]}), "'x' is not a number"),
        (penpa_link({0: [" " * (5 << 20), 1, "1"]}), "this link is damaged or cut off"),
    ):
        with pytest.raises(FormatError, match=re.escape(f"line 1: {said}")):
            list(named("penpa").read(link))


# Clues as lines of numbers.

words = st.sampled_from(
    ["1", "12", "1023", "1024", "0", "00", "007", "x", "-1", "\N{SUPERSCRIPT TWO}", "", "1 " * 1023]
)
gaps = st.sampled_from([" ", ",", ", ", " ,", ",,", "\t", "\x1c", "\N{NO-BREAK SPACE}", "\N{ZERO WIDTH SPACE}"])


@given(st.lists(st.tuples(words, gaps), max_size=5), words)
@settings(max_examples=400, deadline=None)
def test_fast_path_equals_general_parser(parts: list[tuple[str, str]], last: str) -> None:
    text = "".join(word + gap for word, gap in parts) + last
    assert said(_clue, text) == said(_unusual_clue, text.strip())


def said(read: Callable[[str], Clue], text: str) -> Clue | str:
    """Return a clue, or what is wrong with it."""
    try:
        return read(text)
    except FormatError as error:
        return str(error)


def test_number_count_is_limited_to_cells() -> None:
    for gap in (" ", ","):
        assert len(_clue(gap.join(["1"] * MAX_CELLS))) == MAX_CELLS
        assert said(_clue, gap.join(["1"] * (MAX_CELLS + 1))) == f"it has more than {MAX_CELLS} numbers"


# ROFL.

WIDTH, HEIGHT = 5, 4


@given(st.data(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_clue_is_read_only_if_it_fits_into_line(data: st.DataObject, colored: bool) -> None:
    """Each of its numbers is as it should be, and none is missing: or else the file is refused."""
    numbers = st.integers(1, 2) | st.integers(0, 6) | st.integers(0, 255)
    group = st.tuples(numbers, st.sampled_from([1, 2, 2, 1, 0, 3])) if colored else st.tuples(numbers)
    clues = data.draw(st.lists(st.lists(group, max_size=3), min_size=WIDTH + HEIGHT, max_size=WIDTH + HEIGHT))
    cut = data.draw(st.sampled_from([None, None, -1, -2]))
    head = b"ROFL" + bytes([WIDTH, HEIGHT]) + (b"\2\0\0\0\xff\0\0" if colored else b"\1\0\0\0")
    parts = [bytes([len(clue), *(number for group in clue for number in group)]) for clue in clues]
    file = (head + b"".join(parts))[:cut]
    cells = [WIDTH] * HEIGHT + [HEIGHT] * WIDTH
    fits = cut is None and all(
        all(length > 0 and all(1 <= color <= 2 for color in rest) for length, *rest in clue)
        and sum(length for length, *_ in clue) <= line
        for clue, line in zip(clues, cells, strict=True)
    )
    try:
        (puzzle,) = rofl.read(file)
    except FormatError:
        assert not fits
        return
    assert fits
    read = [[(block.length,) for block in clue] for clue in puzzle.rows + puzzle.columns]
    assert read == [[group[:1] for group in clue] for clue in clues]


gaps = st.sampled_from([" ", "  ", "\n", "\t\r\n", "\v", "\f", "# 1\n", " #\r", "#P1 1 1 1\n"])


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), gaps), min_size=6, max_size=6))
def test_text_pictures_of_netpbm_are_read_whatever_is_between_their_numbers(cells: list[tuple[int, bool, str]]) -> None:
    gray = "".join(f"{value:0{1 + 11 * is_long}}{gap}" for value, is_long, gap in cells)
    black = "".join(f"{value % 2}{gap * is_apart}" for value, is_apart, gap in cells)
    pictures = netpbm._pictures(f"P2 3 2 9#\n{gray}P1 3 2\n{black}P2 1 1 9\n0".encode())
    found = [pixels[:, :, 0].ravel().tolist() for _, pixels in pictures]
    assert found == [[value * 255 // 9 for value, *_ in cells], [255 * (1 - value % 2) for value, *_ in cells], [0]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n3\n1\n\n1\n3\n2\n", "its rows paint 5 cells, its columns 6"),
        ("1\n5\n1\n\n1\n3\n1\n", "row 2: its blocks need 5 cells, the line has 3; 3 rows and 3 columns were read"),
        ("# a\n1\n5\n1\n\n1\n3\n1\n", "row 2: its blocks need 5 cells, the line has 3"),
        ("1 1\n5\n5\n3\nl\n\n2\n4\n4\n4\n2\n", "^line 5: 'l' is not a number$"),
        ("1 1\r\n5\r\nx5\r\n3\r\n-1\r\n \r\n2\r\n4\r\n4\r\n4\r\n2\r\n", "^line 3: 'x5' is not a number$"),
        ("1 1\n5\n5\n3\n-1\n\n2\n4\n4\n4\n2\n", "^line 5: '-1' is not a number$"),
        ("1 1\n5\n5\nthree\n1\n\n2\n4\n4\n4\n2\n", "^line 4: 'three' is not a number$"),
        ("1 1\n5\n5\n3 0 1\n1\n\n2\n4\n4\n4\n2\n", "columns: line 4: '3 0 1' has a 0 among its numbers$"),
        ("1 1\n5\n\n3\n1\n\n2\n4\n4\n4\n2\n", "columns: line 6: a third section follows rows and columns$"),
        ("rows: 1 1, 5, x5, 3, 1\ncols: 2, 4, 4, 4, 2", "^line 1: 'x5' is not a number$"),
        ("1\n1\na\n1\n\n1\n1\n1\n", "^line 3: 'a' is not a number$"),
        ("day,price\n1,3\n2,3\n3,4\n4,3\n\n5,2\n", "^unknown format"),
        ("x,y\n1,3\n2,3\n3,4\n4,3\n", "^unknown format"),
        ("On 3 4 5 6 7 8 9 we saw\n\n1 2 3 4 5 6 7\n", "^unknown format"),
        ("a\n\nb\n", "unknown format"),
    ],
)
def test_mistake_in_plain_clues_is_named(text: str, why: str) -> None:
    for name in ("", "a.non") if text[:1].isdigit() and set(text) <= set("0123456789 \n") else ("",):
        with pytest.raises(FormatError, match=why):
            detect(name, text.encode())
