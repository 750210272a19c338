"""Tournament files."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files, read_in_bulk
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import FormatError, taai
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

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
        (b"hello\n$1\n1\n1\n", "line 1: 'hello' stands before the first heading like $1"),
    ],
)
def test_invalid_files_give_reasons(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        list(taai.read(data))
    assert str(error.value) == message


def one_by_one(data: bytes) -> list[tuple[str | None, list[list[int]], list[list[int]]]] | None:
    """Titles, rows and columns of all puzzles of a file, None if something is wrong with it."""
    try:
        puzzles = list(taai.read(data))
    except FormatError:
        return None
    sides = [(puzzle.title, puzzle.rows, puzzle.columns) for puzzle in puzzles]
    return [(title, *([[b.length for b in clue] for clue in side] for side in both)) for title, *both in sides]


def at_once(data: bytes) -> list[tuple[str, list[list[int]], list[list[int]]]] | None:
    found = taai.read_vectorized(data)
    if found is None:
        return None
    puzzles, titles = found
    assert (puzzles.width == puzzles.height).all()
    sides = [
        [[clues.length[slice(*clues.blocks[k : k + 2])].tolist() for k in range(*clues.lines[p : p + 2])]
         for p in range(len(titles))]
        for clues in (puzzles.rows, puzzles.columns)
    ]  # fmt: skip
    assert [len(rows) for rows in sides[0]] == puzzles.height.tolist()
    return list(zip(titles, *sides, strict=True))


clue_lines = st.lists(st.integers(1, 1023), max_size=4).map(lambda clue: "\t".join(map(str, clue))) | st.just("0")
squares = st.integers(1, 3).flatmap(lambda side: st.lists(clue_lines, min_size=2 * side, max_size=2 * side))


@given(st.lists(squares, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_vectorized_reader_equals_plain_one(puzzles: list[list[str]], end: str, blank: bool, ended: bool) -> None:
    """Files as they should be, with a blank line between puzzles or none, and with a last line end or none."""
    lines = [line for k, clues in enumerate(puzzles) for line in (f"${k + 1} ", *clues, *([""] if blank else []))]
    data = (end.join(lines) + (end if ended else "")).encode()
    expected = one_by_one(data)
    assert expected is None or expected == at_once(data)
    assert expected is not None or (at_once(data) is None and not ended and lines[-1] == "")


pieces = st.sampled_from(
    ["$1", "$", "1", "2", "12", "0", "00", "007", "1023", "1024", "99999", " ", "\t", "\n", "\r\n", "\r"]
)


@given(st.lists(pieces | st.sampled_from(["\n", "\n$2\n1\n"]), max_size=16).map("".join))
@settings(max_examples=300, deadline=None)
def test_vectorized_reader_equals_plain_one_or_declines(text: str) -> None:
    """Whatever stands in a file: it is read at once as it would be puzzle by puzzle, or not at all."""
    found = at_once(f"$1\n{text}".encode())
    assert found is None or found == one_by_one(f"$1\n{text}".encode())


def test_bulk_and_single_reading_make_same_batch() -> None:
    """Ids too: of several puzzles of a file, and of files whose names are the same but for the suffix."""
    files = [SourceFile(name, b"".join(map(taai.write, many()))) for name in ("a/b.txt", "a/b.taai", "c")]
    files[1:1] = [SourceFile("a/x", b"$1\nx\n1\n"), SourceFile("a/b", taai.write(many()[0]))]
    slowly = list(read_in_bulk(files))
    assert [type(item) for item in slowly] == [Puzzle] * 5 + [Problem] + [Puzzle] * 11
    quickly = list(read_in_bulk(files, bulk_bytes=0))
    assert [isinstance(item, pa.RecordBatch) for item in quickly] == [True, False, True, True, True]
    batches = [item for item in quickly if isinstance(item, pa.RecordBatch)]
    assert pa.concat_batches(batches).equals(puzzle_batch([item for item in slowly if isinstance(item, Puzzle)]))


def many() -> list[Puzzle]:
    """Five small puzzles."""
    cells = np.random.default_rng(5).random((5, 4, 4)) < 0.6
    return [from_picture(picture.astype(np.uint8)) for picture in cells]


def test_unwritable_puzzle_is_refused() -> None:
    with pytest.raises(FormatError, match="has only square puzzles, not 2x1"):
        taai.write(from_picture(np.ones((1, 2), np.uint8)))
    with pytest.raises(FormatError, match="the format taai has no hidden lengths"):
        file_of(Puzzle(rows=((Block(0),),), columns=((Block(0),),)), taai, lossy=True)


def test_real_files_are_read(shared_data: Path) -> None:
    items = list(read_files(files_in([shared_data / "tournaments"])))
    puzzles = [item for item in items if isinstance(item, Puzzle)]
    assert len(puzzles) == len(items) == 2000
    assert {(puzzle.width, puzzle.height) for puzzle in puzzles} == {(25, 25)}
    assert len({puzzle.puzzle_id for puzzle in puzzles}) == 2000
