"""Files become puzzles with an id and a hash, or problems."""

import hashlib

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.solver.model.puzzle import Puzzle

LOCAL = b"rows\n1\ncolumns\n1\n"
WEBPBN = b'catalogue "webpbn.com #5"\n' + LOCAL


def ids(*files: SourceFile) -> list[str | Problem]:
    return [item if isinstance(item, Problem) else item.puzzle_id for item in read_files(files)]


def test_local_puzzle_gets_id_of_file_name() -> None:
    (puzzle,) = read_files([SourceFile("folder/sub/a.b.non", LOCAL)])
    assert isinstance(puzzle, Puzzle)
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("local/folder/sub/a.b", "local", "folder/sub/a.b")
    assert puzzle.url is None
    assert puzzle.raw_sha256 == hashlib.sha256(LOCAL).hexdigest()


def test_webpbn_puzzle_keeps_its_id() -> None:
    (puzzle,) = read_files([SourceFile("folder/a.non", WEBPBN)])
    assert isinstance(puzzle, Puzzle)
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("webpbn/5", "webpbn", "5")
    assert puzzle.raw_sha256 == hashlib.sha256(WEBPBN).hexdigest()


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
