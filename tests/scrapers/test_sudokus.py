"""Sudokus as text: every form that is read gives the grid that was written, and what is wrong is told with its line."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_in_bulk
from nonocensus.scrapers.formats import FORMATS, FormatError, detect, non
from nonocensus.scrapers.sudokus.sudoku_reading import BULK_BYTES, DIGITS, LETTERS, SIZES, SudokuGrids, read, recognizes
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import SUDOKUS
from nonocensus.solver.sudoku.sudoku_puzzle import boxes_of


def drawn(size: int, seed: int = 0) -> np.ndarray:
    """Return any digits and open cells, uint8[size, size]; what is read need not be solvable."""
    random = np.random.default_rng(seed)
    return np.where(random.random((size, size)) < 0.4, random.integers(1, size + 1, (size, size)), 0).astype(np.uint8)


def signs(grid: np.ndarray, blank: str = ".", digits: str = DIGITS) -> list[list[str]]:
    return [[blank if digit == 0 else digits[digit - 1] for digit in row] for row in grid.tolist()]


def on_a_line(grid: np.ndarray, blank: str = ".", digits: str = DIGITS) -> str:
    return "".join("".join(row) for row in signs(grid, blank, digits)) + "\n"


def framed(grid: np.ndarray, wide: int, high: int, blank: str = ".", gap: str = "", numbers: bool = False) -> str:
    cells = [[str(digit or blank) for digit in row] for row in grid.tolist()] if numbers else signs(grid, blank)
    rule = "+".join(["-" * 2 * wide] * (len(grid) // wide)) + "\n"
    text = rule
    for number, row in enumerate(cells, 1):
        text += "|".join(gap.join(row[k : k + wide]) for k in range(0, len(row), wide)) + "\n"
        text += rule if number % high == 0 else ""
    return text


def grids_of(text: str) -> list[np.ndarray]:
    """Return all grids of a file, each uint8[size, size]."""
    return [
        givens.reshape(found.box_width * found.box_height, -1)
        for found in read(text.encode())
        for givens in found.givens
    ]


def same(found: list[np.ndarray], wanted: list[np.ndarray]) -> bool:
    return len(found) == len(wanted) and all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("size", SIZES[:-1])  # there is no sign for 36
@pytest.mark.parametrize("blank", [".", "0", "*", "_", "?"])
def test_every_size_is_read_from_a_line(size: int, blank: str) -> None:
    grids = [drawn(size, seed) for seed in range(3)]
    assert same(grids_of("".join(on_a_line(grid, blank) for grid in grids)), grids)


@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_read_from_a_grid(size: int) -> None:
    wide, high = boxes_of(size)
    grids = [drawn(size, seed) for seed in range(2)]
    for gap, numbers in (("", False), (" ", False), (" ", True)) if size <= len(DIGITS) else ((" ", True),):
        text = "\n".join(framed(grid, wide, high, "." if not numbers else "0", gap, numbers) for grid in grids)
        assert same(grids_of(text), grids), (gap, numbers)


def test_bars_set_the_boxes() -> None:
    """6x6 has boxes of 3x2, unless its bars say 2x3."""
    grid = drawn(6)
    for wide, high in ((3, 2), (2, 3)):
        (found,) = read(framed(grid, wide, high).encode())
        assert (found.box_width, found.box_height) == (wide, high)
        assert np.array_equal(found.givens[0].reshape(6, 6), grid)


def test_letters_are_digits() -> None:
    """A is 10 after digits, 1 without any; 0 is a digit of 16x16 if a dot stands for open cells."""
    grid = drawn(16)
    grid[0, 0] = 1
    assert same(grids_of(on_a_line(grid, digits=DIGITS.lower())), [grid])
    assert same(grids_of(on_a_line(grid, digits=LETTERS)), [grid])
    assert same(grids_of(on_a_line(grid, digits="0" + DIGITS)), [grid])
    assert same(grids_of(on_a_line(drawn(25), digits=LETTERS)), [drawn(25)])


def test_text_around_puzzles_is_ignored() -> None:
    """Headings, comments, an author, frames, a number before a puzzle, its solution and a rating after it."""
    grid, other = drawn(9, 1), drawn(9, 2)
    line = on_a_line(grid, "0").strip()
    text = f"id,puzzle,solution,clues\n1,{line},{'123456789' * 9},28\n2;{line};x\n\nPuzzle of the day:\n# no puzzle\n"
    text += f"#A  A. Uthor \n[Puzzle]\n{framed(other, 3, 3)}\n[State]\nGrid 07\n" + "\n".join(
        map("".join, signs(other, "0"))
    )
    found = list(read(text.encode()))
    assert {one.author for one in found} == {"A. Uthor"}
    assert same(grids_of(text), [grid, grid, other, other])


def test_16_characters_are_4x4_or_a_row_of_16x16() -> None:
    small = [drawn(4, seed) for seed in range(16)]
    assert same(grids_of("".join(map(on_a_line, small))), small)
    large = drawn(16)
    assert same(grids_of("\n".join("".join(row) for row in signs(large))), [large])


WRONG = {
    "": "it is empty",
    "hello\n": "no Sudokus found",
    "." * 80 + "\n": "line 1: 80 characters are not a grid",
    "." * 81 + "\n" + "." * 82 + "\n": "line 2: 82 characters",
    "." * 40 + "q" + "." * 40: "line 1: 'q' in row 5, column 5 is not a digit of 9x9",
    "5.......\n" * 3 + "\n": "line 1: a grid of 8x8 has only 3 of 8 rows",
    "1.3.\n" * 3 + "....\n1...\n": "line 5: a grid of 4x4 has only 1 of 4 rows",
    "5...\n" + "....\n" * 3: "line 1: '5' in row 1, column 1 is not a digit of 4x4",
}


@pytest.mark.parametrize("text", WRONG)
def test_errors_have_line_numbers(text: str) -> None:
    with pytest.raises(FormatError) as told:
        list(read(text.encode()))
    assert WRONG[text] in str(told.value)
    assert "\n" not in str(told.value)


def test_valid_sudokus_are_yielded_before_error() -> None:
    good = on_a_line(drawn(9))
    found: list[SudokuGrids] = []
    with pytest.raises(FormatError, match="line 2: 80"):
        found.extend(read(f"{good}{'.' * 80}\n{good}".encode()))
    assert sum(len(one.givens) for one in found) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", ",solution\n"])
@pytest.mark.parametrize("ended", [True, False])
def test_large_files_are_read_vectorized(end: str, ended: bool) -> None:
    """As they would be line by line, with whatever stands in one of their lines."""
    grids = [drawn(9, seed) for seed in range(60)]
    text = "".join(on_a_line(grid).strip() + end for grid in grids * 20)
    text = text if ended else text[: -len(end)]
    assert len(text) > BULK_BYTES
    assert same(grids_of(text), grids * 20)
    place = 10 * (81 + len(end)) + 40
    odd = "".join([text[:place], "q", text[place + 1 :]])
    with pytest.raises(FormatError, match="'q'"):
        grids_of(odd)


def test_sudokus_and_nonograms_are_told_apart() -> None:
    """No file of another format is taken for Sudokus, and none of theirs for another."""
    puzzle = from_picture(np.eye(9, dtype=np.uint8) | np.eye(9, dtype=np.uint8)[::-1])
    for known in FORMATS:
        assert not recognizes("puzzle", known.write(puzzle)), known.NAME
    for text in (on_a_line(drawn(9)), framed(drawn(9), 3, 3), framed(drawn(4), 2, 2)):
        assert recognizes("puzzle.txt", text.encode())
        with pytest.raises(FormatError):
            list(detect("puzzle.txt", text.encode()).read(text.encode()))
    assert recognizes("any.sdk", b"")
    assert recognizes("short.txt", b"." * 80), "so that it is said how long it is"
    for word in ("0123456789abcdef" * 4, "https://example.org/" + 61 * "x"):
        assert not recognizes("puzzle.txt", word.encode()), word


def test_nonogram_with_81_cells_is_no_sudoku() -> None:
    """Its picture on a line looks like a Sudoku's."""
    puzzle = from_picture(np.eye(9, dtype=np.uint8), puzzle_id="x/1")
    data = non.write(puzzle).replace(b'"', b"")
    assert b"goal 100000000010" in data
    (read_back,) = read_in_bulk([SourceFile("eye.txt", data)])
    assert isinstance(read_back, Puzzle)


def test_batches_of_the_table() -> None:
    files = [SourceFile("a.txt", (on_a_line(drawn(9)) + on_a_line(drawn(4))).encode()), SourceFile("a.sdk", b"no")]
    nine, four, problem = read_in_bulk(files)
    assert isinstance(nine, pa.RecordBatch)
    assert isinstance(four, pa.RecordBatch)
    assert nine.schema.equals(SUDOKUS)
    assert [batch["puzzle_id"].to_pylist() for batch in (nine, four)] == [["local/a"], ["local/a#2"]]
    assert isinstance(problem, Problem)
    assert problem.name == "a.sdk"


@given(
    st.text("0123456789.ABab|-+= \n#[]_,", max_size=400)
    | st.binary(max_size=200).map(lambda data: data.decode("latin-1"))
)
@settings(max_examples=300)
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    """It is read or refused in a line, and what is read can stand in the table."""
    found: list[SudokuGrids] = []
    try:
        recognizes("x", text.encode())
        found.extend(read(text.encode()))
    except FormatError as error:
        refusal = str(error)
    else:
        refusal = ""
    assert "\n" not in refusal
    assert found or refusal
    for one in found:
        size = one.box_width * one.box_height
        assert one.givens.shape[1] == size * size
        assert one.givens.max() <= size
