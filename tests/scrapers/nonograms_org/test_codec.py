"""Arrays: real ones where they are, and arrays of our own making, whole and damaged."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_of_nonograms import COLORS, ENTRIES, PICTURE, STEPS, array_of, error_of, page, puzzle_of
from strategies import pictures

from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats.nonograms_codec import Array, decode, encode
from nonocensus.solver.model.puzzle import MAX_COLORS, Block, Clue


def test_worked_example_is_decoded(real: Path) -> None:
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
def test_real_arrays_are_decoded(real: Path, name: str, shape: tuple[int, int]) -> None:
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


@st.composite
def encoded(draw: st.DrawFn, most: int = 12) -> tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array]:
    """Return a picture, its colours, perhaps steps, and the array made of them."""
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
def test_encoded_pictures_are_decoded(made: tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array]) -> None:
    picture, colors, steps, array = made
    assert all(type(number) is int and number >= 0 for entry in array for number in entry)
    assert {len(entry) for entry in array} == {4}
    decoded = decode(array)
    assert decoded.colors == colors
    np.testing.assert_array_equal(decoded.picture, picture)
    assert (decoded.steps is None) == (steps is None)
    if steps is not None:
        np.testing.assert_array_equal(decoded.steps, steps)


def test_order_of_runs_depends_only_on_the_seed() -> None:
    assert encode(PICTURE, COLORS, STEPS) == ENTRIES
    assert encode(PICTURE, COLORS, STEPS, 1) != ENTRIES
    rows = [run[3] for run in encode(np.eye(30, dtype=np.uint8), ("000000",))[8:]]
    assert rows != sorted(rows)


@pytest.mark.slow
def test_largest_picture_is_encoded() -> None:
    picture = np.ones((1000, 1000), np.uint8)
    picture[:, ::3] = 0
    assert (decode(encode(picture, ("000000",))).picture == picture).all()


def test_encoded_array_has_layout_of_the_site() -> None:
    """Its puzzle of 5x5 in three colours with 8 runs and a step for each cell has 45 entries."""
    picture = np.array([[1, 0, 2, 0, 3], [0] * 5, [1, 2, 3, 0, 1], [0] * 5, [2] * 5], np.uint8)
    array = encode(picture, ("fbf204", "000000", "f4951c"), np.arange(1, 26, dtype=np.int32).reshape(5, 5))
    assert len(array) == 45


@given(encoded(6), st.data())
def test_flipped_bit_gives_format_error_or_other_picture(
    made: tuple[np.ndarray, tuple[str, ...], np.ndarray | None, Array], data: st.DataObject
) -> None:
    array = [list(entry) for entry in made[3]]
    for _ in range(data.draw(st.integers(1, 3))):
        place, which = data.draw(st.integers(0, len(array) - 1)), data.draw(st.integers(0, 3))
        array[place][which] ^= 1 << data.draw(st.integers(0, 70))
    survives(array)


@given(encoded(6), st.data())
def test_lost_and_repeated_entries_are_handled(
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
def test_arbitrary_numbers_give_picture_or_format_error(array: Array) -> None:
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
        ([*ENTRIES[:9], 5], "entry 9 of the array is not four numbers"),
        ([*ENTRIES[:9], [1, 2, [3], 4]], "not an integer from 0 to 1,000,000"),
        ([[[1], [2], [3], [4]]] * 20, "not an integer from 0 to 1,000,000"),
        ([*ENTRIES[:9], [1, 2, 0.5, 4]], "not an integer from 0 to 1,000,000"),
        (swapped(0, -1, 2, 3, 4), "not an integer from 0 to 1,000,000"),
        (swapped(0, 1_000_001, 2, 3, 4), "not an integer from 0 to 1,000,000"),
        (swapped(0, 2**64, 2, 3, 4), "not an integer from 0 to 1,000,000"),
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
def test_damaged_array_gives_format_error(array: Array, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as caught:
        decode(array)
    assert "\n" not in str(caught.value)
    error_of(page(f"var d={json.dumps(array)};"))


def test_runs_with_more_cells_than_the_grid_overlap() -> None:
    array = encode(np.ones((3, 4), np.uint8), ("000000",))
    # five runs, written as 1^2 + 2 * 2 + 0
    with pytest.raises(FormatError, match="runs of the picture overlap"):
        decode([*array[:6], [1, 2, 0, 9], array[7], *array[8:], *array[8:10]])


def test_incomplete_solving_order_is_refused() -> None:
    steps = STEPS.copy()
    steps[1, 2:] = 0
    with pytest.raises(FormatError, match="the solving order lacks cell 3 of row 2"):
        decode(encode(PICTURE, COLORS, steps))
