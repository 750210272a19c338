"""Tournament files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapers.files import files_in
from scrapers.formats import FormatError, taai
from scrapers.importing import read_files
from solver.puzzle import Block, Puzzle, from_picture

TWO = b"$1\n1\t1\n\n2\n2\t\n\n1\n$2\r\n1\r\n0\r\n1\r\n\r\n\r\n"


def test_two_puzzles_columns_first() -> None:
    one, two = taai.read(TWO)
    assert (one.title, one.width, one.height) == ("$1", 3, 3)
    assert one.columns == ((Block(1), Block(1)), (), (Block(2),))
    assert one.rows == ((Block(2),), (), (Block(1),))
    assert two.columns == ((Block(1),), ())
    assert two.rows == ((Block(1),), ())


@given(st.integers(1, 9), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_round_trip(side: int, random: "object") -> None:
    cells = np.array([[random.random() < 0.5 for _ in range(side)] for _ in range(side)], np.uint8)  # type: ignore[attr-defined]
    puzzle = from_picture(cells)
    (back,) = taai.read(taai.write(puzzle))
    assert (back.rows, back.columns) == (puzzle.rows, puzzle.columns)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"$1\n1\n1\n1\n", "line 1: '$1' has 3 lines, not as many rows as columns"),
        (b"$1\n", "line 1: '$1' has 0 lines, not as many rows as columns"),
        (b"$1\n1\nx\n", "line 3: 'x' is not a number from 1 to 1023"),
        (b"$1\n1\n-1\n", "line 3: '-1' is not a number from 1 to 1023"),
        (b"$1\n1\n1 0\n", "line 3: '0' is not a number from 1 to 1023"),
        (b"$1\n1\n1\n$2\n99999\n1\n", "puzzle 2: line 5: '99999' is not a number from 1 to 1023"),
        (b"hello\n$1\n1\n1\n", "line 1: 'hello' stands before the first heading like $1"),
    ],
)
def test_what_is_wrong(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        list(taai.read(data))
    assert str(error.value) == message


def test_what_the_format_can_not_hold() -> None:
    with pytest.raises(FormatError, match="square puzzles only, this one is 2x1"):
        taai.write(from_picture(np.ones((1, 2), np.uint8)))
    with pytest.raises(FormatError, match="neither colours nor blots"):
        taai.write(Puzzle(rows=((Block(0),),), columns=((Block(0),),)))


def test_real_files(shared_data: Path) -> None:
    items = list(read_files(files_in([shared_data / "tournaments"])))
    puzzles = [item for item in items if isinstance(item, Puzzle)]
    assert len(puzzles) == len(items) == 2000
    assert {(puzzle.width, puzzle.height) for puzzle in puzzles} == {(25, 25)}
    assert len({puzzle.puzzle_id for puzzle in puzzles}) == 2000
