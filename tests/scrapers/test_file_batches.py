"""Files become puzzles with an id and a hash, or problems; Sudokus are refused with a line that names their command."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files, read_in_bulk
from nonocensus.scrapers.formats import FORMATS, SUDOKU_SUFFIXES, FormatError, detect, is_sudoku, jsonl, sudoku_refusal
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

ROWS = (
    *("53..7....", "6..195...", ".98....6."),
    *("8...6...3", "4..8.3..1", "7...2...6"),
    *(".6....28.", "...419..5", "....8..79"),
)
LINE, GRID = "".join(ROWS), "\n".join(ROWS)
RULE = "+-------+-------+-------+\n"
BARRED = ["|".join(row[k : k + 3] for k in (0, 3, 6)) for row in ROWS]
LETTERS = "\n".join(["1.2.A.B.C.D.E.F."] * 16)

FORMS = {
    "line": LINE,
    "columns": f"puzzle,solution\n{LINE},{81 * '1'}\n",
    "comment": f"#A An Author\n{GRID}\n",
    "grid": GRID,
    "blanks": GRID.replace(".", " "),
    "frame": RULE + RULE.join("".join(f"| {' '.join(row)} |\n" for row in BARRED[k : k + 3]) for k in (0, 3, 6)) + RULE,
    "frame of 4x4": "1.|..\n..|2.\n--+--\n.3|..\n..|.4\n",
    "line of 4x4": "1.....2..3.....4\n",
    "line of 6x6": f"{6 * '1....6'}\n",
    "grid of 16x16": LETTERS,
    "numbers of 16x16": "\n".join(16 * [" ".join(4 * ["12", "0", "3", "16"])]),
    "line of 25x25": f"{25 * ('1' + 23 * '.' + 'P')}\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_sudoku_is_refused(form: str) -> None:
    file = SourceFile("top.txt", FORMS[form].encode())
    expected = [Problem("top.txt", "a Sudoku, not a nonogram; solve it with: nonocensus sudoku top.txt")]
    assert list(read_files([file])) == expected
    assert list(read_in_bulk([file], bulk_bytes=1)) == expected


@pytest.mark.parametrize("suffix", SUDOKU_SUFFIXES)
def test_suffix_is_enough(suffix: str) -> None:
    with pytest.raises(FormatError, match=f"nonocensus sudoku any{suffix}"):
        detect(f"any{suffix}", b"[Puzzle]\n")
    assert sudoku_refusal("").endswith("sudoku FILE")


@pytest.mark.parametrize("size", [4, 9, 16, 81])
def test_no_file_of_a_format_is_refused(size: int) -> None:
    """Whatever its suffix: a nonogram comes first. A picture of 9x9 in a line looks like a Sudoku's."""
    puzzle = from_picture(np.eye(size, dtype=np.uint8) | np.eye(size, dtype=np.uint8)[::-1])
    for known in FORMATS:
        data = known.write(puzzle)
        for suffix in ("", ".txt", ".sdk"):
            assert detect(f"puzzle{suffix}", data) is known or detect("puzzle", data) is not known, known.NAME


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "hello\n",
            "3 1\n1 1\n\n2\n1\n",
            "1 2 3 4\n1 1 1 1\n2 2 2 2\n1 2 1 2\n",
            9 * "1 1 1\n",
            9 * ".X.X.X.X.\n",
        ),
        *(4 * "a cat\n", f"{80 * '.'}\n", "https://example.org/" + 61 * "x", 4 * "0123456789abcdef", 9 * "nine cats\n"),
    ],
)
def test_other_text_is_no_sudoku(text: str) -> None:
    assert not is_sudoku("puzzle.txt", text.encode())


def test_only_whole_lines_at_the_start_decide() -> None:
    """A file may be cut anywhere, also within a letter."""
    assert is_sudoku("x.txt", (GRID + "\n").encode() * 1_000)
    assert is_sudoku("x.txt", f"{LINE}\n#{30_000 * 'é'}\n".encode())


@given(st.text("0123456789.ABab|-+= \n#[]_,", max_size=400) | st.binary(max_size=200))
def test_any_bytes_are_judged(text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    assert is_sudoku("x", data) in (True, False)
    assert not (is_sudoku("x", data) and jsonl.recognizes(data))


LOCAL = b"rows\n1\ncolumns\n1\n"
WEBPBN = b'catalogue "webpbn.com #5"\n' + LOCAL


def ids(*files: SourceFile) -> list[str | Problem]:
    return [item if isinstance(item, Problem) else item.puzzle_id for item in read_files(files)]


@pytest.mark.parametrize(("data", "source", "source_id"), [(LOCAL, "local", "folder/sub/a.b"), (WEBPBN, "webpbn", "5")])
def test_puzzle_has_id_of_its_site_or_of_its_file(data: bytes, source: str, source_id: str) -> None:
    (puzzle,) = read_files([SourceFile("folder/sub/a.b.non", data)])
    assert isinstance(puzzle, Puzzle)
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == (f"{source}/{source_id}", source, source_id)
    assert (puzzle.url is None) == (source == "local")
    assert puzzle.raw_sha256 == hashlib.sha256(data).hexdigest()


def test_ids_are_distinct() -> None:
    several = LOCAL + b"====\n" + WEBPBN + b"====\n" + LOCAL
    found = ids(
        SourceFile("a.nonpack", several),
        SourceFile("a.non", LOCAL),
        SourceFile("a#2.non", LOCAL),
        SourceFile("b", LOCAL),
    )
    assert found == ["local/a", "webpbn/5", "local/a#2", "local/a#3", "local/a#2#2", "local/b"]


def test_bulk_and_single_reading_make_same_batch() -> None:
    """Ids too: of several puzzles of a file, and of files whose names are the same but for the suffix."""
    cells = np.random.default_rng(5).random((5, 4, 4)) < 0.6
    lines = [jsonl.write(from_picture(picture.astype(np.uint8))) for picture in cells]
    files = [SourceFile(name, b"".join(lines)) for name in ("a/b.txt", "a/b.jsonl", "c")]
    files[1:1] = [SourceFile("a/x", b'{"rows":1}'), SourceFile("a/b", lines[0])]
    slowly = list(read_in_bulk(files))
    assert [type(item) for item in slowly] == [Puzzle] * 5 + [Problem] + [Puzzle] * 11
    quickly = list(read_in_bulk(files, bulk_bytes=0))
    assert [isinstance(item, pa.RecordBatch) for item in quickly] == [True, False, True, True, True]
    batches = [item for item in quickly if isinstance(item, pa.RecordBatch)]
    assert pa.concat_batches(batches).equals(puzzle_batch([item for item in slowly if isinstance(item, Puzzle)]))


def test_unreadable_files_are_problems() -> None:
    assert ids(
        SourceFile("a.non", None, "Permission denied"),
        SourceFile("b.non", LOCAL + b"====\nrows\nx\n====\n" + LOCAL),
        SourceFile("c.non", b"rows\nx\ncolumns\n"),
        SourceFile("d.dat", b"\0"),
        SourceFile("e.non", b""),
        SourceFile("f.non", LOCAL),
    ) == [
        Problem("a.non", "Permission denied"),
        "local/b",
        "local/b#2",
        Problem("b.non", "puzzle 2: line 7: 'x' is not a list of numbers: it has 'x'"),
        Problem("c.non", "line 2: 'x' is not a list of numbers: it has 'x'"),
        Problem("d.dat", "it is a binary file, not text"),
        Problem("e.non", "it is empty"),
        "local/f",
    ]
