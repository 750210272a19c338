"""Local files as puzzles of the table."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

import pyarrow as pa

from scrapers.archives.source import SourceFile
from scrapers.formats import DISTINCTIVE, Format, FormatError, detect, jsonl, taai
from scrapers.sudokus import sudoku_jsonl as sudoku_jsonl
from scrapers.sudokus import sudoku_reading as sudokus
from solver.model.puzzle import Puzzle, with_metadata
from solver.model.tables import mono_batch, puzzle_batch
from solver.sudoku.sudoku_batch import grid_batch, sudoku_batch, sudokus_of
from solver.sudoku.sudoku_puzzle import Sudoku

AnyPuzzle = TypeVar("AnyPuzzle", Puzzle, Sudoku)

SOURCE = "local"
"""The source of puzzles that name none themselves."""

BULK = 1 << 16
"""Bytes of a file from which on its puzzles are read all at once, where that can be."""

TOGETHER = 1 << 16
"""Sudokus of a batch."""

NO_NONOGRAMS = "it holds Sudokus, not nonograms"


class Problem(NamedTuple):
    """A file that can't be read, or part of whose puzzles can't, and why."""

    name: str
    reason: str


def read_files(files: Iterable[SourceFile], known: Format | None = None) -> Iterator[Puzzle | Problem]:
    """The puzzles of the files, and a Problem for each file with something wrong in it.

    known   their format, if it is not to be found out

    A puzzle that doesn't say where it comes from gets its file's name without suffix as id. Where an earlier puzzle has
    that already, of the same file or of another whose name is the same but for the suffix, `#2` and so on follows.
    """
    taken: Counter[str] = Counter()
    for file in files:
        yield from _read(file, taken, known)


def read_in_bulk(
    files: Iterable[SourceFile], known: Format | None = None
) -> Iterator[Puzzle | pa.RecordBatch | Problem]:
    """The same, but many puzzles of a regular file as a batch of the puzzles table, without an object for each.

    Sudokus too, which are batches of the table SUDOKUS.
    """
    taken: Counter[str] = Counter()
    for file in files:
        batch = _read_at_once(file, taken) if known in (None, taai) else None
        if batch is not None:
            yield batch
        elif _holds_sudokus(file, known):
            yield from _read_sudokus(file, taken)
        else:
            yield from _read(file, taken, known)


def in_batches(found: Iterable[Puzzle | pa.RecordBatch | Problem], most: int) -> Iterator[pa.RecordBatch | Problem]:
    """Single puzzles among what was read together in batches of the puzzles table, so many at most; problems first."""
    puzzles: list[Puzzle] = []
    for item in found:
        if isinstance(item, Puzzle):
            puzzles.append(item)
        elif isinstance(item, Problem):
            yield item
        if puzzles and (isinstance(item, pa.RecordBatch) or len(puzzles) == most):
            yield puzzle_batch(puzzles)
            puzzles = []
        if isinstance(item, pa.RecordBatch):
            yield item
    if puzzles:
        yield puzzle_batch(puzzles)


def read_all(files: Iterable[SourceFile], known: Format | None = None) -> Iterator[Puzzle | Sudoku | Problem]:
    """As `read_files`, with Sudokus where a file holds such."""
    taken: Counter[str] = Counter()
    for file in files:
        if _holds_sudokus(file, known):
            for item in _read_sudokus(file, taken):
                yield from [item] if isinstance(item, Problem) else sudokus_of(item)
        else:
            yield from _read(file, taken, known)


def _holds_sudokus(file: SourceFile, known: Format | None) -> bool:
    """Whether a file whose format is not named holds Sudokus, and no nonograms for all its contents tell."""
    if known is not None or file.data is None:
        return False
    if file.form:
        return file.form != "nonogram jsonl"
    if PurePosixPath(file.name).suffix.lower() in sudokus.SUFFIXES or sudoku_jsonl.recognizes(file.data):
        return True
    return sudokus.recognizes(file.name, file.data) and not any(other.recognizes(file.data) for other in DISTINCTIVE)


def _read_sudokus(file: SourceFile, taken: Counter[str]) -> Iterator[pa.RecordBatch | Problem]:
    """The Sudokus of a file, or of a piece of one, and what is wrong with it."""
    data = file.data or b""
    digest = file.sha256 or hashlib.sha256(data).hexdigest()
    try:
        if file.form == "sudoku jsonl" or (file.form is None and sudoku_jsonl.recognizes(data)):
            puzzles = sudoku_jsonl.read(data, file.lines)
            yield from _of_records(_placed(puzzle, file.name, digest, taken) for puzzle in puzzles)
            return
        for grids in sudokus.read(data, file.lines):
            for first in range(0, len(grids.givens), TOGETHER):
                givens = grids.givens[first : first + TOGETHER]
                columns = _origin(_local_ids(file.name, len(givens), taken), digest)
                columns["author"] = pa.array([grids.author] * len(givens), pa.string())
                yield grid_batch(givens, grids.box_width, grids.box_height, columns)
    except FormatError as error:
        yield Problem(file.name, str(error))


def _of_records(puzzles: Iterable[Sudoku]) -> Iterator[pa.RecordBatch]:
    """Sudokus as batches; a FormatError that comes in between is raised at the end."""
    some: list[Sudoku] = []
    wrong: FormatError | None = None
    try:
        for puzzle in puzzles:
            some.append(puzzle)
            if len(some) == TOGETHER:
                yield sudoku_batch(some)
                some = []
    except FormatError as error:
        wrong = error
    if some:
        yield sudoku_batch(some)
    if wrong:
        raise wrong


def _read(file: SourceFile, taken: Counter[str], known: Format | None) -> Iterator[Puzzle | Problem]:
    if file.data is None:
        yield Problem(file.name, file.error or "it can't be read")
        return
    is_piece = file.form == "nonogram jsonl" and known in (None, jsonl)
    if file.form and not is_piece:
        if not file.lines:  # once for all pieces
            nonograms = file.form == "nonogram jsonl"
            yield Problem(file.name, f"it is jsonl, not {known.NAME}" if nonograms and known else NO_NONOGRAMS)
        return
    digest = file.sha256 or hashlib.sha256(file.data).hexdigest()
    try:
        if is_piece:
            puzzles = jsonl.read(file.data, file.lines)
        else:
            puzzles = (known or detect(file.name, file.data)).read(file.data)
        for puzzle in puzzles:
            yield _placed(puzzle, file.name, digest, taken)
    except FormatError as error:
        yield Problem(file.name, NO_NONOGRAMS if _holds_sudokus(file, known) else str(error))


def _read_at_once(file: SourceFile, taken: Counter[str]) -> pa.RecordBatch | None:
    """All puzzles of a file, if there are many of them and nothing is out of the ordinary."""
    if file.form or file.data is None or len(file.data) < BULK or not taai.recognizes(file.data):
        return None
    found = taai.read_at_once(file.data)
    if found is None:
        return None
    puzzles, titles = found
    digest = hashlib.sha256(file.data).hexdigest()
    columns = _origin(_local_ids(file.name, len(titles), taken), digest)
    return mono_batch(puzzles, columns | {"title": pa.array(titles)})


def _origin(local_ids: list[str], digest: str) -> dict[str, pa.Array]:
    """The columns that say where puzzles come from."""
    return {
        "puzzle_id": pa.array([f"{SOURCE}/{local_id}" for local_id in local_ids], pa.string()),
        "source": pa.repeat(SOURCE, len(local_ids)),
        "source_id": pa.array(local_ids, pa.string()),
        "raw_sha256": pa.repeat(digest, len(local_ids)),
    }


def _placed(puzzle: AnyPuzzle, name: str, digest: str, taken: Counter[str]) -> AnyPuzzle:
    """The puzzle with the hash of its file and, unless it has one, an id."""
    if puzzle.puzzle_id:
        return with_metadata(puzzle, raw_sha256=digest)
    (local_id,) = _local_ids(name, 1, taken)
    return with_metadata(puzzle, raw_sha256=digest, source=SOURCE, source_id=local_id, puzzle_id=f"{SOURCE}/{local_id}")


def _local_ids(name: str, count: int, taken: Counter[str]) -> list[str]:
    """Free ids for so many puzzles of a file."""
    wish = _stem(name)
    return [_free(wish, taken) for _ in range(count)]


@lru_cache(maxsize=1)
def _stem(name: str) -> str:
    """A file's name without suffix; cached, since a file may hold many small puzzles."""
    return str(PurePosixPath(name).with_suffix(""))


def _free(wish: str, taken: Counter[str]) -> str:
    """An id that no puzzle has, and from now on one has.

    taken   how often each was wished for; `x#2` need not be in it if x was wished for twice
    """
    name, _, number = wish.rpartition("#")
    if wish not in taken and number.isdecimal() and number == str(int(number)) and 1 < int(number) <= taken[name]:
        taken[wish] = 1
    taken[wish] += 1
    if taken[wish] == 1:
        return wish
    numbered = f"{wish}#{taken[wish]}"
    return _free(numbered, taken) if numbered in taken else numbered
