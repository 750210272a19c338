"""Local files as puzzles of the table."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from scrapers.files import SourceFile
from scrapers.formats import FormatError, detect
from solver.puzzle import Puzzle, described

SOURCE = "local"
"""The source of puzzles that name none themselves."""


class Problem(NamedTuple):
    """A file that can't be read, or part of whose puzzles can't, and why."""

    name: str
    reason: str


def read_files(files: Iterable[SourceFile]) -> Iterator[Puzzle | Problem]:
    """The puzzles of the files, and a Problem for each file with something wrong in it.

    A puzzle that doesn't say where it comes from gets its file's name without suffix as id. Where an earlier puzzle has
    that already, of the same file or of another whose name is the same but for the suffix, `#2` and so on follows.
    """
    taken: Counter[str] = Counter()
    for file in files:
        if file.data is None:
            yield Problem(file.name, file.error or "it can't be read")
            continue
        digest = hashlib.sha256(file.data).hexdigest()
        try:
            for puzzle in detect(file.name, file.data).read(file.data):
                yield _placed(puzzle, file.name, digest, taken)
        except FormatError as error:
            yield Problem(file.name, str(error))


def _placed(puzzle: Puzzle, name: str, digest: str, taken: Counter[str]) -> Puzzle:
    """The puzzle with the hash of its file and, unless it has one, an id."""
    if puzzle.puzzle_id:
        return described(puzzle, raw_sha256=digest)
    local_id = _free(str(PurePosixPath(name).with_suffix("")), taken)
    return described(puzzle, raw_sha256=digest, source=SOURCE, source_id=local_id, puzzle_id=f"{SOURCE}/{local_id}")


def _free(wish: str, taken: Counter[str]) -> str:
    taken[wish] += 1
    return wish if taken[wish] == 1 else _free(f"{wish}#{taken[wish]}", taken)
