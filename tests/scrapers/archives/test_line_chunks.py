"""Large files of JSON lines, read in pieces: the same puzzles and ids as of the whole file."""

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
from stores import sampled

from nonocensus.scrapers.archives.line_chunks import read_chunks
from nonocensus.scrapers.archives.source_file import ReadLimits
from nonocensus.scrapers.file_batches import Problem, read_files, read_in_bulk
from nonocensus.scrapers.files import count_files, files_in
from nonocensus.scrapers.formats import jsonl, sudoku_refusal, taai
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import PUZZLES

MOST = 1 << 16
MANY = 2_000
LIMITS = ReadLimits(max_bytes=MOST)


def imported(path: Path) -> tuple[pa.Table, list[Problem]]:
    found = list(read_in_bulk(files_in([path], limits=LIMITS)))
    batches = [item for item in found if isinstance(item, pa.RecordBatch)]
    return pa.Table.from_batches(batches, None if batches else PUZZLES), [
        item for item in found if isinstance(item, Problem)
    ]


def zstd(data: bytes) -> bytes:
    """Return a file of two frames, as `cat` makes one."""
    half = len(data) // 2
    return b"".join(pa.compress(part, "zstd", asbytes=True) for part in (data[:half], data[half:]))


def jsonl_of(count: int) -> bytes:
    """Nonograms without ids, with numbers for titles."""
    rng = np.random.default_rng(count)
    pictures = rng.integers(0, 2, (count, 9, 9), np.uint8)
    return b"".join(jsonl.write(from_picture(picture, title=str(number))) for number, picture in enumerate(pictures))


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", bytes),
    (".gz", gzip.compress),
    (".bz2", bz2.compress),
    (".xz", lzma.compress),
    (".zst", zstd),
]


LINE_END = jsonl_of(MANY).rfind(b"\n", 0, 3 * MOST)


@pytest.mark.parametrize("length", [MOST - 1, MOST, MOST + 1, 2 * MOST, LINE_END, LINE_END + 1, LINE_END + 2])
def test_chunks_are_whole_lines(length: int) -> None:
    """Wherever the file ends: all of it, in order, none larger than may be, each with the lines before it."""
    data = jsonl_of(MANY)[:length]
    found = list(read_chunks("x", io.BytesIO(data), LIMITS))
    parts = [piece.data or b"" for piece in found]
    assert b"".join(parts) == data
    assert all(len(part) <= MOST for part in parts)
    assert all(part.endswith(b"\n") for part in parts[:-1])
    assert [piece.lines_before for piece in found] == [data[: data.find(part)].count(b"\n") for part in parts]
    assert {piece.sha256 for piece in found} == {hashlib.sha256(data).hexdigest() if length > MOST else None}


def test_large_files_of_other_content_are_refused() -> None:
    for data in (b"1 2\n" * MOST, b"1" * 2 * MOST, jsonl_of(MANY).decode().encode("utf-16"), bytes(2 * MOST)):
        (only,) = read_chunks("x.txt", io.BytesIO(data), LIMITS)
        assert (only.data, only.sha256) == (None, None)
        assert (only.error or "").startswith("it is larger than")


def test_line_that_is_too_long_is_one_problem(tmp_path: Path) -> None:
    head, tail = jsonl_of(10), jsonl_of(MANY)
    (tmp_path / "x.txt").write_bytes(head + b"1" * 3 * MOST + b"\n" + tail)
    table, problems = imported(tmp_path / "x.txt")
    assert len(table) == 10 + MANY
    assert problems == [Problem("x.txt", "line 11 is longer than 0 MiB")]


@pytest.mark.parametrize(("suffix", "packed"), PACKED[1:])
def test_truncated_compressed_file_is_read_up_to_the_damage(
    tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes]
) -> None:
    data = jsonl_of(2_000)
    (tmp_path / f"x.jsonl{suffix}").write_bytes(packed(data)[:-100])
    table, (problem,) = imported(tmp_path / f"x.jsonl{suffix}")
    assert problem.name == "x.jsonl"
    assert problem.reason.startswith("it is damaged: ")
    assert problem.reason.endswith(f"; its lines from {len(table) + 1:,} on are lost")
    assert table["title"].to_pylist() == [*map(str, range(len(table)))]
    assert len(table) > 1_000 or suffix == ".bz2"  # which has one block


@pytest.mark.parametrize(("suffix", "packed"), PACKED)
@pytest.mark.parametrize("end", sampled([b"\n", b"\r\n"], 2))
def test_large_json_lines_are_read_in_chunks(
    tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes], end: bytes
) -> None:
    """With the file's hash, line numbers of the file, and ids as if it were read at once."""
    data = jsonl_of(2_000).splitlines()
    data[1_500] = b'{"rows": [[[1, 1]]]}'
    data[700] = data[700].replace(b'"title":"700"', b'"title":"\xe4"')
    whole = end.join(data)
    assert len(whole) > 3 * MOST
    (tmp_path / f"x.jsonl{suffix}").write_bytes(packed(whole))
    found = list(read_files(files_in([tmp_path / f"x.jsonl{suffix}"], limits=LIMITS)))
    puzzles = [item for item in found if isinstance(item, Puzzle)]
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert problem == Problem("x.jsonl", "line 1501: it is not a puzzle: Object missing required field `columns`")
    table, problems = imported(tmp_path / f"x.jsonl{suffix}")
    assert (len(table), problems) == (1_999, [problem])
    assert [puzzle.title for puzzle in puzzles] == [
        "\xe4" if number == 700 else str(number) for number in range(2_000) if number != 1_500
    ]
    assert {puzzle.raw_sha256 for puzzle in puzzles} == {hashlib.sha256(whole).hexdigest()}
    assert table["source_id"].to_pylist() == ["x", *(f"x#{number}" for number in range(2, 2_000))]
    assert [puzzle.source_id for puzzle in puzzles] == table["source_id"].to_pylist()
    assert count_files([tmp_path / f"x.jsonl{suffix}"], limits=LIMITS) is None


def test_unpacked_size_is_limited_in_proportion_to_file_size(tmp_path: Path) -> None:
    """Beyond what an archive may have, but not without bound."""
    data = jsonl_of(2_000)
    limits = LIMITS._replace(max_unpacked=MOST)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(data))
    assert not [
        item for item in read_files(files_in([tmp_path / "x.jsonl.gz"], limits=limits)) if isinstance(item, Problem)
    ]
    *puzzles, problem = read_files(files_in([tmp_path / "x.jsonl.gz"], limits=limits._replace(max_ratio=2)))
    assert isinstance(problem, Problem)
    assert "it unpacks to more than" in problem.reason
    assert puzzles


def test_large_json_lines_with_other_format_named_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(jsonl_of(2_000))
    assert list(read_in_bulk(files_in([tmp_path / "x.jsonl"], limits=LIMITS), taai)) == [
        Problem("x.jsonl", "it is jsonl, not taai")
    ]


@pytest.mark.parametrize("text", ["3" + 79 * "." + "4\n", 9 * "1.2.3.4.9\n" + "\n"])
def test_large_file_of_sudokus_is_one_problem(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.txt").write_text(text * MANY)
    expected = [Problem("x.txt", sudoku_refusal("x.txt"))]
    assert list(read_files(files_in([tmp_path / "x.txt"], limits=LIMITS))) == expected
    assert list(read_in_bulk(files_in([tmp_path / "x.txt"], limits=LIMITS), taai)) == expected
