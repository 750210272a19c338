"""Files become puzzles with an id and a hash, or problems."""

import hashlib

import pytest

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.solver.model.puzzle import Puzzle

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
        Problem("b.non", "puzzle 2: line 7: 'x' is not a list of numbers"),
        Problem("c.non", "line 2: 'x' is not a list of numbers"),
        Problem("d.dat", "it is a binary file, not text"),
        Problem("e.non", "it is empty"),
        "local/f",
    ]
