"""Sudokus are refused with a line that names the command for them, and nothing else is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files, read_in_bulk
from nonocensus.scrapers.formats import (
    FORMATS,
    SUDOKU_SUFFIXES,
    FormatError,
    detect,
    is_sudoku,
    jsonl,
    sudoku_refusal,
)
from nonocensus.solver.model.puzzle import from_picture

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
