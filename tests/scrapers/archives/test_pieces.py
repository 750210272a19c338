"""Large files of Sudokus on lines, read in pieces: the same puzzles and ids as of the whole file."""

import bz2
import gzip
import hashlib
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from scrapers.archives import limits
from scrapers.archives.limits import Refused
from scrapers.archives.pieces import pieces
from scrapers.archives.source import SourceFile
from scrapers.files import count_files, files_in
from scrapers.formats import taai
from scrapers.importing import Problem, read_files, read_in_bulk

MOST = 1 << 16
MANY = 5_000


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", MOST)


def lines(count: int, end: str = "\n") -> bytes:
    """So many grids of 9x9; the first digits of each are its number."""
    rng = np.random.default_rng(count)
    grids = rng.integers(0, 10, (count, 81)) * (rng.random((count, 81)) < 0.3)
    texts = ("".join(map(str, grid.tolist())) for grid in grids)
    return "".join(f"{number:06}{text[6:]}{end}" for number, text in enumerate(texts, 1)).encode()


def imported(path: Path) -> tuple[pa.Table, list[Problem]]:
    found = list(read_in_bulk(files_in([path])))
    batches = [item for item in found if isinstance(item, pa.RecordBatch)]
    return pa.Table.from_batches(batches), [item for item in found if isinstance(item, Problem)]


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", bytes),
    (".gz", gzip.compress),
    (".bz2", bz2.compress),
    (".xz", lzma.compress),
]


@pytest.mark.parametrize(("suffix", "packed"), PACKED)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_large_file_is_read_like_a_small_one(
    tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes], end: str
) -> None:
    data = lines(MANY, end).removesuffix(b"\n")
    assert len(data) > 6 * MOST
    (tmp_path / f"x.txt{suffix}").write_bytes(packed(data))
    table, problems = imported(tmp_path / f"x.txt{suffix}")
    assert not problems
    assert suffix or count_files([tmp_path / "x.txt"]) is None
    assert b"".join(table["givens"].to_pylist()) == bytes(sign - 48 for sign in data if sign not in b"\r\n")
    assert table["source_id"].to_pylist() == ["x", *(f"x#{number}" for number in range(2, MANY + 1))]
    assert set(table["raw_sha256"].to_pylist()) == {hashlib.sha256(data).hexdigest()}


@pytest.mark.parametrize("length", [MOST - 1, MOST, MOST + 1, 2 * MOST, 3 * MOST + 81, 3 * MOST + 82])
def test_pieces_are_whole_lines(length: int) -> None:
    """Wherever the file ends: all of it, in order, none larger than may be, each with the lines before it."""
    data = lines(MANY)[:length]
    found = list(pieces("x", io.BytesIO(data)))
    parts = [piece.data or b"" for piece in found]
    assert b"".join(parts) == data
    assert all(len(part) <= MOST for part in parts)
    assert all(part.endswith(b"\n") for part in parts[:-1])
    assert [piece.lines for piece in found] == [data[: data.find(part)].count(b"\n") for part in parts]
    assert {piece.sha256 for piece in found} == {hashlib.sha256(data).hexdigest() if length > MOST else None}


def test_what_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    data = lines(MANY).splitlines()
    data[500] = data[500][:-1]
    (tmp_path / "x.txt").write_bytes(b"\n".join(data))
    table, (problem,) = imported(tmp_path / "x.txt")
    assert problem == Problem("x.txt", "line 501: 80 characters make no grid; 81 are one of 9x9")
    assert len(table) == MANY - 1


def test_what_is_not_read_in_pieces() -> None:
    """Grids could be cut in two; and what is no Sudoku, or not of one byte a sign, is as large as before."""
    grid = "".join(f"{line}\n" for line in ["1........"] * 9)
    for data in (grid.encode() * 2_000, b"1" * 2 * MOST, lines(MANY).decode().encode("utf-16"), bytes(2 * MOST)):
        (only,) = pieces("x.txt", io.BytesIO(data))
        assert (only.data, only.sha256) == (None, None)
        assert only.error is not None
        assert only.error.startswith("it is larger than")


def test_a_line_without_end(tmp_path: Path) -> None:
    data = lines(10) + b"1" * 2 * MOST
    with pytest.raises(Refused, match="line 11 is longer than"):
        list(pieces("x", io.BytesIO(data)))
    (tmp_path / "x.txt").write_bytes(data)
    table, problems = imported(tmp_path / "x.txt")
    assert len(table) == 10
    assert [problem.name for problem in problems] == ["x.txt"]


def test_a_packed_file_that_breaks_off(tmp_path: Path) -> None:
    """It is read once before any of it is used."""
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(lines(MANY))[:-100])
    (problem,) = read_in_bulk(files_in([tmp_path / "x.txt.gz"]))
    assert isinstance(problem, Problem)


def test_nonograms_are_asked_for(tmp_path: Path) -> None:
    """One line, not one for each piece."""
    (tmp_path / "x.txt").write_bytes(lines(MANY))
    expected = [Problem("x.txt", "it holds Sudokus, not nonograms")]
    assert list(read_files(files_in([tmp_path / "x.txt"]))) == expected
    assert list(read_in_bulk(files_in([tmp_path / "x.txt"]), taai)) == expected
    assert list(read_files([SourceFile("y.txt", lines(3))])) == [Problem("y.txt", expected[0].reason)]
