"""Pages of nonograms.org: real ones where they are, and pages and arrays of our own making, whole and damaged."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PALETTE, pictures

from scrapers.formats import FormatError, nonograms_org
from scrapers.formats.nonograms_org import Array, decode, encode, judge, listed, newest, write_list_page, write_page
from solver.limits import MAX_COLORS
from solver.puzzle import BLACK, BLACK_ON_WHITE, WHITE, Block, Clue, Color, Puzzle, from_picture

SITE = "https://www.nonograms.org"

PICTURE = np.array([[0, 1, 1, 0], [2, 2, 0, 1], [0, 0, 0, 0]], np.uint8)
COLORS = ("000000", "c04010")
STEPS = np.array([[3, 1, 1, 3], [2, 2, 5, 5], [7, 7, 7, 7]], np.int32)
ENTRIES = encode(PICTURE, COLORS, STEPS)
"""Places: width 1, height 2, colours 3, base 4, two colours 5 and 6, header 7, base 8, 3 runs, header 12, base 13."""

OURS = replace(
    from_picture(PICTURE, (WHITE, BLACK, Color("color2", "b", "c04010"))),
    title='Fish & "chips" <ä>',
    author="Zoë <z>",
    copyright="Copyright 2026 the authors",
)


@pytest.fixture(scope="session")
def real(shared_data: Path) -> Path:
    folder = shared_data / "nonograms-org"
    if not folder.is_dir():
        pytest.skip("the saved pages of ../shared/data/nonograms-org are not here")
    return folder


def puzzle_of(data: bytes, number: int = 7, colored: bool = False) -> Puzzle:
    judgement = judge(data, 200, number, colored, SITE)
    assert judgement.outcome == "ok", judgement.detail
    assert judgement.detail is None
    assert judgement.puzzle is not None
    return judgement.puzzle


def error_of(data: bytes, status: int = 200) -> str:
    outcome, detail, puzzle = judge(data, status, 7, False, SITE)
    assert (outcome, puzzle) == ("error", None)
    assert detail
    assert "\n" not in detail
    assert len(detail) < 120
    return detail


def page(array: str, size: str = "Size: 4x3") -> bytes:
    return f'<div class="content"><table><tr><td>{size}</td></tr></table><script>\n {array}\n</script></div>'.encode()


# --- real pages ---


@pytest.mark.parametrize(
    ("number", "side", "quality", "difficulty", "steps"), [(61475, 15, 6.0, 3.0, 113), (8543, 20, 8.0, 5.0, 218)]
)
def test_real_pages(real: Path, number: int, side: int, quality: float, difficulty: float, steps: int) -> None:
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


def test_the_worked_example(real: Path) -> None:
    notes = real.parents[1] / "SCRAPING.md"
    if not notes.is_file():
        pytest.skip("the worked example in ../shared/SCRAPING.md is not here")
    found = re.search(r"^rows ([0-9 |]+); columns ([0-9 |]+)\.$", notes.read_text(encoding="utf-8"), re.MULTILINE)
    assert found

    def clues(text: str) -> tuple[Clue, ...]:
        return tuple(tuple(Block(int(length)) for length in line.split()) for line in text.split("|"))

    puzzle = puzzle_of((real / "61475.html").read_bytes(), 61475)
    assert (puzzle.rows, puzzle.columns) == (clues(found[1]), clues(found[2]))
    steps = decode(array_of(real / "61475.html")).steps
    assert steps is not None
    assert steps[1, 6:9].tolist() == [1, 1, 1]  # as worked out there
    assert set(steps[13].tolist()) == {7}


@pytest.mark.parametrize(
    ("name", "shape"), [("61475.html", (15, 15)), ("8543.html", (20, 20)), ("var-d-25x30.txt", (30, 25))]
)
def test_real_arrays(real: Path, name: str, shape: tuple[int, int]) -> None:
    decoded = decode(array_of(real / name))
    assert decoded.picture.shape == shape
    assert decoded.picture.dtype == np.uint8
    assert decoded.colors == ("000000",)
    assert decoded.steps is not None
    assert decoded.steps.shape == shape
    assert decoded.steps.dtype == np.int32
    assert decoded.steps.min() == 1
    # a finding about the site: between two steps that find cells there may be one that finds none
    assert np.diff(np.unique(decoded.steps)).max() == 2


def test_a_real_page_cut_off(real: Path) -> None:
    data = (real / "61475.html").read_bytes()
    whole, end = puzzle_of(data), data.index(b"]];") + 3
    for cut in range(0, len(data), 371):
        if cut < end:
            error_of(data[:cut])
        else:
            assert puzzle_of(data[:cut]).rows == whole.rows


def test_links_of_a_real_page(real: Path) -> None:
    data = (real / "61475.html").read_bytes()
    assert listed(data) == []  # but for the random puzzle
    assert newest(data) == 61475


def array_of(path: Path) -> Array:
    found = nonograms_org.ARRAY.search(path.read_text(encoding="utf-8"))
    assert found
    array: Array = json.loads(found[1])
    return array


# --- arrays ---


@st.composite
def encoded(draw: st.DrawFn, most: int = 12) -> tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array]:
    """A picture, its colours, perhaps steps, and the array made of them."""
    count = draw(st.sampled_from([1, 1, 2, 3, MAX_COLORS]))
    picture = draw(pictures(count, most))
    rgb = st.text("0123456789abcdef", min_size=6, max_size=6)
    colors = tuple(draw(st.lists(rgb, min_size=count, max_size=count)))
    steps = None
    if draw(st.booleans()):
        cells = st.lists(st.integers(1, 300), min_size=picture.size, max_size=picture.size)
        steps = np.array(draw(cells), np.int32).reshape(picture.shape)
    return picture, colors, steps, encode(picture, colors, steps, draw(st.integers(0, 9)))


@given(encoded())
def test_round_trips(made: tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array]) -> None:
    picture, colors, steps, array = made
    assert all(type(number) is int and number >= 0 for entry in array for number in entry)
    assert {len(entry) for entry in array} == {4}
    decoded = decode(array)
    assert decoded.colors == colors
    np.testing.assert_array_equal(decoded.picture, picture)
    assert (decoded.steps is None) == (steps is None)
    if steps is not None:
        np.testing.assert_array_equal(decoded.steps, steps)


def test_the_same_seed_the_same_array() -> None:
    assert encode(PICTURE, COLORS, STEPS) == ENTRIES
    assert encode(PICTURE, COLORS, STEPS, 1) != ENTRIES


def test_runs_are_shuffled() -> None:
    runs = encode(np.eye(30, dtype=np.uint8), ("000000",))[8:]
    rows = [run[3] for run in runs]
    assert len(rows) == 30
    assert rows != sorted(rows)


def test_the_largest_picture() -> None:
    picture = np.ones((1000, 1000), np.uint8)
    picture[:, ::3] = 0
    assert (decode(encode(picture, ("000000",))).picture == picture).all()


def test_the_layout_of_the_site() -> None:
    """Its puzzle of 5x5 in three colours with 8 runs and a step for each cell has 45 entries."""
    picture = np.array([[1, 0, 2, 0, 3], [0] * 5, [1, 2, 3, 0, 1], [0] * 5, [2] * 5], np.uint8)
    array = encode(picture, ("fbf204", "000000", "f4951c"), np.arange(1, 26, dtype=np.int32).reshape(5, 5))
    assert len(array) == 45


@given(encoded(6), st.data())
def test_a_flipped_bit_is_a_format_error_or_another_picture(
    made: tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array], data: st.DataObject
) -> None:
    array = [list(entry) for entry in made[3]]
    for _ in range(data.draw(st.integers(1, 3))):
        place, which = data.draw(st.integers(0, len(array) - 1)), data.draw(st.integers(0, 3))
        array[place][which] ^= 1 << data.draw(st.integers(0, 70))
    survives(array)


@given(encoded(6), st.data())
def test_entries_lost_or_doubled(
    made: tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array], data: st.DataObject
) -> None:
    picture, colors, _, array = made
    start, end = sorted(data.draw(st.integers(0, len(array))) for _ in range(2))
    survives(array[:start] + array[end:])
    survives(array[:end] + array[start:])
    # without its solving order it is whole all the same
    if start not in (len(encode(picture, colors)), len(array)):
        with pytest.raises(FormatError):
            decode(array[:start])


@given(st.lists(st.lists(st.integers(-5, 10**20) | st.integers(0, 40), min_size=3, max_size=5), max_size=20))
def test_any_numbers(array: Array) -> None:
    survives(array)


def survives(array: Array) -> None:
    """Decodes it to something sound, or raises FormatError with one line and nothing else."""
    said = ""
    try:
        decoded = decode(array)
    except FormatError as error:
        said = str(error)
    if said:
        assert "\n" not in said
        assert len(said) < 120
        return
    height, width = decoded.picture.shape
    assert 1 <= width <= 1000
    assert 1 <= height <= 1000
    assert decoded.picture.max() <= len(decoded.colors) <= MAX_COLORS
    assert decoded.steps is None or decoded.steps.min() >= 1


def changed(place: int, which: int, by: int) -> Array:
    array = [list(entry) for entry in ENTRIES]
    array[place][which] += by
    return array


def swapped(place: int, *entry: int) -> Array:
    return [*ENTRIES[:place], list(entry), *ENTRIES[place + 1 :]]


PICTURE_BASE = ENTRIES[8]
FIRST = ENTRIES[9]


@pytest.mark.parametrize(
    ("array", "says"),
    [
        ([], "ends after 0 entries, before the width"),
        (ENTRIES[:1], "ends after 1 entries, before the width"),
        (ENTRIES[:4], "ends after 4 entries, before the colours"),
        (ENTRIES[:6], "ends after 6 entries, before the last colour"),
        (ENTRIES[:7], "before the number of runs of the picture"),
        (ENTRIES[:8], "before the runs of the picture"),
        (ENTRIES[:11], "the picture has 3 runs, but the array has 2 entries for them"),
        (ENTRIES[:13], "before the runs of the solving order"),
        (ENTRIES[:-1], "the solving order has"),
        ([*ENTRIES, [1, 2, 3, 4]], "entries, but its puzzle ends after"),
        ([*ENTRIES[:9], [1, 2, 3], *ENTRIES[10:]], "entry 9 of the array is not four numbers"),
        ([*ENTRIES[:9], [1, 2, 3, 4, 5], *ENTRIES[10:]], "entry 9 of the array is not four numbers"),
        ([*ENTRIES[:9], [], *ENTRIES[10:]], "entry 9 of the array is not four numbers"),
        ([*ENTRIES[:9], 5], "entry 9 of the array is not four numbers"),
        ([*ENTRIES[:9], [1, 2, [3], 4]], "no whole number from 0 to 1,000,000"),
        ([[[1], [2], [3], [4]]] * 20, "no whole number from 0 to 1,000,000"),
        ([*ENTRIES[:9], [1, 2, 0.5, 4]], "no whole number from 0 to 1,000,000"),
        ([*ENTRIES[:9], [1, 2, "3", 4]], "no whole number from 0 to 1,000,000"),
        (swapped(0, -1, 2, 3, 4), "no whole number from 0 to 1,000,000"),
        (swapped(0, 1_000_001, 2, 3, 4), "no whole number from 0 to 1,000,000"),
        (swapped(0, 2**63, 2, 3, 4), "no whole number from 0 to 1,000,000"),
        (swapped(0, 2**64, 2, 3, 4), "no whole number from 0 to 1,000,000"),
        (swapped(1, 1, 2, 3, 0), "entry 1 of the array, the width, divides by zero"),
        (swapped(2, 1, 2, 3, 0), "entry 2 of the array, the height, divides by zero"),
        (swapped(3, 1, 2, 3, 0), "entry 3 of the array, the number of colours, divides by zero"),
        (swapped(7, 1, 2, 3, 0), "entry 7 of the array, the number of runs of the picture, divides by zero"),
        (swapped(12, 1, 2, 3, 0), "entry 12 of the array, the number of runs of the solving order, divides by zero"),
        (swapped(1, 5, 5, 10, 11), "the width is 0, not from 1 to 1000"),
        (swapped(1, 1, 2, 9, 10), "the width is -6, not from 1 to 1000"),
        (swapped(2, 1001, 0, 0, 2000), "the height is 1001, not from 1 to 1000"),
        (swapped(3, 32, 0, 0, 50), "the number of colours is 32, not from 1 to 31"),
        (swapped(3, 5, 0, 5, 50), "the number of colours is 0, not from 1 to 31"),
        (changed(5, 0, 256), "colour 1 is (256, 0, 0), not three numbers from 0 to 255"),
        (changed(4, 0, 1), "colour 1 is (0, -1, 0)"),
        (changed(6, 2, 300), "colour 2 is (192, 64, 316)"),
        (swapped(7, 1000, 0, 0, 1001), "the picture has 1000000 runs, but the array has"),
        (swapped(7, 999_999, 0, 0, 1_000_000), "the picture has 999998000001 runs"),
        (changed(9, 0, 10), "is not inside 4x3"),
        (changed(9, 0, -FIRST[0]), "is not inside 4x3"),
        (changed(9, 1, 10), "is not inside 4x3"),
        (changed(9, 1, PICTURE_BASE[1] - FIRST[1]), "run 1 of the picture, 0 cells from cell"),
        (changed(9, 3, 3), "is not inside 4x3"),
        (changed(8, 3, 10), "is not inside 4x3"),
        (changed(9, 2, 2), "not from 1 to 2"),
        (changed(8, 2, 2), "not from 1 to 2"),
        (swapped(10, *FIRST), "runs of the picture overlap"),
        (swapped(15, *ENTRIES[14]), "runs of the solving order overlap"),
        (changed(13, 2, 30), "of the solving order has the value"),
    ],
)
def test_damage(array: Array, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as caught:
        decode(array)
    assert "\n" not in str(caught.value)
    error_of(page(f"var d={json.dumps(array)};"))


def test_more_cells_than_the_grid_overlap() -> None:
    array = encode(np.ones((3, 4), np.uint8), ("000000",))
    # five runs, written as 1^2 + 2 * 2 + 0
    with pytest.raises(FormatError, match="runs of the picture overlap"):
        decode([*array[:6], [1, 2, 0, 9], array[7], *array[8:], *array[8:10]])


def test_a_solving_order_that_leaves_cells_out() -> None:
    steps = STEPS.copy()
    steps[1, 2:] = 0  # which encode refuses, so the runs are made from a picture
    order = encode(steps.astype(np.uint8), ("000000",) * 7)[12:]
    with pytest.raises(FormatError, match="the solving order leaves out cell 3 of row 2"):
        decode([*ENTRIES[:12], *order])


@pytest.mark.parametrize(
    ("picture", "colors", "steps"),
    [
        (np.zeros((0, 3), np.uint8), COLORS, None),
        (np.zeros((3, 1001), np.uint8), COLORS, None),
        (np.zeros(3, np.uint8), COLORS, None),
        (PICTURE, (), None),
        (PICTURE, ("000000",) * 32, None),
        (PICTURE, ("000000",), None),
        (PICTURE, ("000000", "red"), None),
        (PICTURE.astype(int) - 1, COLORS, None),
        (PICTURE, COLORS, STEPS[:2]),
        (PICTURE, COLORS, STEPS - 1),
        (PICTURE, COLORS, STEPS + 600_000),
    ],
)
def test_what_an_array_cannot_hold(picture: np.ndarray, colors: tuple[str, ...], steps: np.ndarray | None) -> None:
    with pytest.raises(FormatError):
        encode(picture, colors, steps)


# --- pages of our own ---


def test_what_is_written_is_read() -> None:
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


def test_a_page_with_nothing_but_the_puzzle() -> None:
    mono = from_picture(PICTURE > 0)
    puzzle = puzzle_of(write_page(mono, 7, SITE))
    assert puzzle.palette == BLACK_ON_WHITE
    assert (puzzle.rows, puzzle.columns) == (mono.rows, mono.columns)
    assert (puzzle.title, puzzle.author, puzzle.copyright, puzzle.license) == (None, None, None, None)
    assert (puzzle.site_quality, puzzle.site_difficulty, puzzle.site_steps) == (None, None, None)


@given(pictures(3), st.text(st.characters(exclude_categories=("C", "Z")), min_size=1), st.integers(0, 10))
def test_round_trips_of_pages(picture: np.ndarray, text: str, rating: int) -> None:
    puzzle = from_picture(picture, PALETTE, title=text, author=text[::-1])
    read = puzzle_of(write_page(puzzle, 7, SITE, rating, 10 - rating))
    assert (read.rows, read.columns) == (puzzle.rows, puzzle.columns)
    assert [color.rgb for color in read.palette] == [color.rgb for color in puzzle.palette]
    assert len({color.symbol for color in read.palette}) == len({color.name for color in read.palette}) == 4
    assert (read.title, read.author) == (puzzle.title, puzzle.author)
    assert (read.site_quality, read.site_difficulty) == (rating, 10 - rating)


def test_thirty_one_colors_black_twice() -> None:
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


def test_the_kind_follows_the_array() -> None:
    puzzle = puzzle_of(write_page(OURS, 7, SITE), colored=False)
    assert (puzzle.kind, puzzle.url) == ("color", f"{SITE}/nonograms/i/7")
    mono = puzzle_of(write_page(from_picture(PICTURE > 0), 7, SITE), colored=True)
    assert (mono.kind, mono.url) == ("mono", f"{SITE}/nonograms2/i/7")


def test_the_base_may_end_with_a_slash() -> None:
    puzzle = judge(write_page(OURS, 7, SITE), 200, 7, False, "http://127.0.0.1:8000/").puzzle
    assert puzzle is not None
    assert puzzle.url == "http://127.0.0.1:8000/nonograms/i/7"


@pytest.mark.parametrize(
    "puzzle",
    [
        replace(OURS, goal=None),
        replace(OURS, rows=((Block(0, 1),), *OURS.rows[1:])),
        replace(OURS, palette=(Color("red", ".", "ff0000"), *OURS.palette[1:])),
        replace(OURS, palette=(*OURS.palette, Color("bad", "?", "12"))),
    ],
)
def test_what_a_page_cannot_hold(puzzle: Puzzle) -> None:
    with pytest.raises(FormatError):
        write_page(puzzle, 7, SITE)


def test_ratings_in_another_language() -> None:
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
def test_byte_order_marks(bom: bytes) -> None:
    data = write_page(OURS, 7, SITE, 6, 3)
    assert data.startswith(b"\xef\xbb\xbf<!DOCTYPE")
    assert puzzle_of(bom + data[3:]).title == OURS.title


def test_a_stray_byte_costs_a_character() -> None:
    data = write_page(OURS, 7, SITE).replace("ä".encode(), b"\xe4")
    assert puzzle_of(data).title == 'Fish & "chips" <\N{REPLACEMENT CHARACTER}>'


# --- what is no puzzle ---


def test_missing() -> None:
    assert judge(nonograms_org.missing_page(), 404, 7, False, SITE) == ("missing", None, None)
    assert judge(nonograms_org.missing_page(), 200, 7, False, SITE) == ("missing", None, None)
    assert judge(b"", 404, 7, False, SITE) == ("missing", None, None)


def test_an_error_block_beside_a_puzzle_does_not_matter() -> None:
    data = write_page(OURS, 7, SITE).replace(b"<h1>", b'<div class="error_block">No comments today</div><h1>')
    assert puzzle_of(data).rows == OURS.rows


def test_deleted() -> None:
    data = nonograms_org.deleted_page("Deleted: <copy>\nof another")
    assert judge(data, 200, 7, False, SITE) == ("deleted", "Deleted: <copy> of another", None)
    spaced = data.replace(b"color:red;font-size", b"font-weight:bold; COLOR: red; font-size")
    assert judge(spaced, 200, 7, False, SITE).outcome == "deleted"
    hidden = data.replace(b"color:red;", b"display:none;background-color:red;")
    assert error_of(hidden) == "it has no puzzle; its title is 'Deleted'"


def test_adult() -> None:
    assert judge(nonograms_org.adult_page("18+"), 200, 7, False, SITE) == ("adult", None, None)
    marked = write_page(OURS, 7, SITE).replace(b"<h1><span>", b'<h1><span class="nonogram_title_adult">')
    assert judge(marked, 200, 7, False, SITE) == ("adult", None, None)


@pytest.mark.parametrize("status", [301, 403, 429, 500, 503])
def test_other_statuses(status: int) -> None:
    assert error_of(write_page(OURS, 7, SITE), status) == f"HTTP status {status}"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it has no puzzle and no title"),
        (b"\0\xff\xfe\x80", "it has no puzzle and no title"),
        (b"<html><title> Sign\n in </title><form><input name=login></form>", "its title is 'Sign in'"),
        (b"<title>" + b"x" * 500, "its title is 'xxxx"),
        (page("var usrid=0;"), "it has no puzzle"),
        (page("var d=[];"), "its 'var d' is cut off or holds more than numbers"),
        (page("var d=[[1,2,3,4],[5,6"), "its 'var d' is cut off"),
        (page("var d=[[1,2,-3,4]];"), "its 'var d' is cut off or holds more than numbers"),
        (page("var d=[[1,2,,4]];"), "its 'var d' is no array of numbers"),
        (page("var d=[[1,2,3,4];"), "its 'var d' is no array of numbers"),
        (page("var d=[[01,2,3,4]];"), "its 'var d' is no array of numbers"),
        (page(f"var d=[[{'9' * 5000}]];"), "its 'var d' is no array of numbers"),
        (page(f"var d={'[' * 100_000}];"), "its 'var d' is no array of numbers"),
        (page(f"var d={'[' * 90}{']' * 90};"), "entry 0 of the array is not four numbers"),
        (page("var d=[1,2,3,4];"), "entry 0 of the array is not four numbers"),
        (page(f"var d={ENTRIES};", "Size: 4x4"), "it says that the size is 4x4, its array is 4x3"),
        (page(f"var d={ENTRIES};", "Size: 3x4"), "it says that the size is 3x4, its array is 4x3"),
        (b"<p>" * 5001, "it has more than 5,000 tags"),
    ],
)
def test_other_pages_are_errors(data: bytes, says: str) -> None:
    assert says in error_of(data)


def test_the_array_of_another_place_does_not_count() -> None:
    assert error_of(page("").replace(b"<script>", f"<p>var d={ENTRIES};</p><script>".encode()))


@given(st.integers(0, 10_000), st.binary(max_size=3))
def test_any_damage_to_a_page_is_an_outcome(place: int, junk: bytes) -> None:
    data = write_page(OURS, 7, SITE, 6, 3, steps=STEPS)
    place %= len(data)
    for damaged in (data[:place], data[:place] + junk + data[place:], data[:place] + junk + data[place + 3 :]):
        judgement = judge(damaged, 200, 7, False, SITE)
        assert judgement.outcome in ("ok", "error")
        assert (judgement.outcome == "ok") == (judgement.puzzle is not None) == (judgement.detail is None)


# --- lists ---


def test_lists() -> None:
    ids = [(12, False), (7, True), (81801, False)]
    assert listed(write_list_page(ids)) == ids
    assert listed(write_list_page([*ids, *ids], "http://127.0.0.1:8000")) == ids
    assert newest(write_list_page(ids)) == 81801
    assert listed(write_list_page([])) == []
    assert newest(write_list_page([])) is None


def test_links_of_a_list() -> None:
    data = b"""<div class="nonogram_rand"><a href="/nonograms/i/1">Random</a></div><div class="content">
        <a href="/nonograms2/i/5"><img></a> <a href="https://www.nonograms.ru/nonograms2/i/5#form">Five</a>
        <a href="/nonograms/i/40/?x=1">Forty</a> <a>none</a> <a href>empty</a> <a href="/nonograms/p/3">next</a>
        <a href="/nonograms/i/x">x</a> <a href="/nonogramprint2/i/99">print</a> <a href="/nonograms3/i/7">no</a>
        <a href="/nonograms/i/1234567890123">absurd</a> <a href="/user/3">someone</a></div>"""
    assert listed(data) == [(5, True), (40, False)]
    assert newest(data) == 99


def test_a_bomb_in_place_of_a_list() -> None:
    with pytest.raises(FormatError, match="more than 5,000 tags"):
        listed(b"<b>" * 5001)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert judge(data, 200, 7, False, SITE).outcome == "error"
    assert listed(data) == []
    assert newest(data) is None
