"""Tournament files."""

from pathlib import Path

import numpy as np
import pytest

from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import FormatError, taai
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture

TWO = b"$1\n1\t1\n\n2\n2\t\n\n1\n$2\r\n1\r\n0\r\n1\r\n\r\n\r\n"


def test_two_puzzles_are_read_columns_first() -> None:
    one, two = taai.read(TWO)
    assert (one.title, one.width, one.height) == ("$1", 3, 3)
    assert one.columns == ((Block(1), Block(1)), (), (Block(2),))
    assert one.rows == ((Block(2),), (), (Block(1),))
    assert two.columns == ((Block(1),), ())
    assert two.rows == ((Block(1),), ())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"$1\n1\n1\n1\n", "line 1: '$1' has 3 lines, an odd number"),
        (b"$1\n", "line 1: '$1' has 0 lines, an odd number"),
        (b"$1\n1\nx\n", "line 3: 'x' is not a list of numbers: it has 'x'"),
        (b"$1\n1\n-1\n", "line 3: '-1' is not a list of numbers: it has '-'"),
        (b"$1\n1\n1 0\n", "line 3: '1 0' has a 0 among its numbers"),
        (b"$1\n1\n1\n$2\n99999\n1\n", "puzzle 2: line 5: the number '99999' is more than 1023"),
        (b"hello\n$1\n1\n1\n", "line 1: 'hello' is before the first heading like $1"),
    ],
)
def test_invalid_files_give_reasons(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        list(taai.read(data))
    assert str(error.value) == message


def test_unwritable_puzzle_is_refused() -> None:
    with pytest.raises(FormatError, match="has only square puzzles, not 2x1"):
        taai.write(from_picture(np.ones((1, 2), np.uint8)))


def test_real_files_are_read(shared_data: Path) -> None:
    items = list(read_files(files_in([shared_data / "tournaments"])))
    puzzles = [item for item in items if isinstance(item, Puzzle)]
    assert len(puzzles) == len(items) == 2000
    assert {(puzzle.width, puzzle.height) for puzzle in puzzles} == {(25, 25)}
    assert len({puzzle.puzzle_id for puzzle in puzzles}) == 2000
