"""Puzzles of local files, as objects or as batches of the puzzles table."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.formats import Format, FormatError, detect, jsonl, jsonl_columns
from nonocensus.scrapers.formats.parsing import error_text
from nonocensus.solver.extras import MissingExtra
from nonocensus.solver.model.puzzle import InvalidPuzzle, Puzzle, with_metadata
from nonocensus.solver.model.tables import puzzle_batch

SOURCE = "local"
"""The source of puzzles whose files name none."""

BULK_BYTES = 1 << 16
"""Size from which a file of JSON lines is read into columns."""


class Problem(NamedTuple):
    """A file, or puzzles of it, that can't be read, and why."""

    name: str
    reason: str


def read_files(files: Iterable[SourceFile], file_format: Format | None = None) -> Iterator[Puzzle | Problem]:
    """Yield the puzzles of the files, and a Problem for each file with an error.

    A puzzle without an id gets its file's name without suffix; `#2` and so on follows if that id is taken, by the same
    file or by one whose name differs only in the suffix.

    Args:
        files: As from `scrapers.files.files_in`.
        file_format: The files' format (default: detect).

    """
    taken: Counter[str] = Counter()
    for file in files:
        yield from _read(file, taken, file_format)


def read_in_bulk(
    files: Iterable[SourceFile], file_format: Format | None = None, bulk_bytes: int = BULK_BYTES
) -> Iterator[Puzzle | pa.RecordBatch | Problem]:
    """Yield the same, with batches of the puzzles table for files of JSON lines of `bulk_bytes` or more."""
    taken: Counter[str] = Counter()
    for file in files:
        if _is_large_jsonl(file, file_format, bulk_bytes):
            yield from _read_columns(file, taken)
        else:
            yield from _read(file, taken, file_format)


def in_batches(items: Iterable[Puzzle | pa.RecordBatch | Problem], max_rows: int) -> Iterator[pa.RecordBatch | Problem]:
    """Gather single puzzles into batches of up to `max_rows`; batches pass through, problems at once."""
    puzzles: list[Puzzle] = []
    for item in items:
        if isinstance(item, Puzzle):
            puzzles.append(item)
        elif isinstance(item, Problem):
            yield item
        if puzzles and (isinstance(item, pa.RecordBatch) or len(puzzles) == max_rows):
            yield puzzle_batch(puzzles)
            puzzles = []
        if isinstance(item, pa.RecordBatch):
            yield item
    if puzzles:
        yield puzzle_batch(puzzles)


def _read(file: SourceFile, taken: Counter[str], file_format: Format | None) -> Iterator[Puzzle | Problem]:
    if file.data is None:
        yield Problem(file.name, file.error or "it can't be read")
        return
    if file.is_chunk and file_format not in (None, jsonl):
        if not file.lines_before:  # one problem for all chunks
            yield Problem(file.name, f"it is jsonl, not {file_format.NAME}")
        return
    digest = file.sha256 or hashlib.sha256(file.data).hexdigest()
    try:
        if file.is_chunk:
            puzzles = jsonl.read(file.data, file.lines_before)
        else:
            puzzles = (file_format or detect(file.name, file.data)).read(file.data)
        for puzzle in puzzles:
            yield _with_origin(puzzle, file.name, digest, taken)
    except (FormatError, InvalidPuzzle, MissingExtra) as error:
        yield Problem(file.name, str(error))
    except Exception as error:  # a fault of ours must not end an import of other files
        yield Problem(
            file.name, f"it can't be read, by a fault of this program ({type(error).__name__}: {error_text(error)})"
        )


def _is_large_jsonl(file: SourceFile, file_format: Format | None, bulk_bytes: int) -> bool:
    """Check whether a file is JSON lines, of `bulk_bytes` at least."""
    if file.is_chunk or file.data is None or len(file.data) < bulk_bytes or not jsonl.recognizes(file.data):
        return file.is_chunk and file_format in (None, jsonl)
    return (file_format or detect(file.name, file.data)) is jsonl


def _read_columns(file: SourceFile, taken: Counter[str]) -> Iterator[pa.RecordBatch | Problem]:
    data = file.data or b""
    digest = file.sha256 or hashlib.sha256(data).hexdigest()
    try:
        for batch in jsonl_columns.read_batches(data, file.lines_before):
            missing = pc.equal(batch["puzzle_id"], "")
            local_ids = _local_ids(file.name, pc.sum(missing).as_py() or 0, taken)
            given = {
                "puzzle_id": pa.array([f"{SOURCE}/{local_id}" for local_id in local_ids], pa.string()),
                "source": pa.repeat(SOURCE, len(local_ids)),
                "source_id": pa.array(local_ids, pa.string()),
            }
            columns = {name: pc.replace_with_mask(batch[name], missing, column) for name, column in given.items()}
            for name, column in (columns | {"raw_sha256": pa.repeat(digest, len(batch))}).items():
                place = batch.schema.get_field_index(name)
                batch = batch.set_column(place, batch.schema.field(place), column)
            yield batch
    except FormatError as error:
        yield Problem(file.name, str(error))


def _with_origin(puzzle: Puzzle, name: str, digest: str, taken: Counter[str]) -> Puzzle:
    """Return the puzzle with the hash of its file and, unless it has one, an id."""
    if puzzle.puzzle_id:
        return with_metadata(puzzle, raw_sha256=digest)
    (local_id,) = _local_ids(name, 1, taken)
    return with_metadata(puzzle, raw_sha256=digest, source=SOURCE, source_id=local_id, puzzle_id=f"{SOURCE}/{local_id}")


def _local_ids(name: str, count: int, taken: Counter[str]) -> list[str]:
    """Return free ids for `count` puzzles of a file."""
    stem = _stem(name)
    return [_free_id(stem, taken) for _ in range(count)]


@lru_cache(maxsize=1)
def _stem(name: str) -> str:
    """Return a file's name without suffix; cached, since a file may hold many small puzzles."""
    return str(PurePosixPath(name).with_suffix(""))


def _free_id(wanted: str, taken: Counter[str]) -> str:
    """Return a free id and mark it as taken.

    `taken` counts how often each id was wanted; `x#2` need not be in it if `x` was wanted twice.
    """
    name, _, number = wanted.rpartition("#")
    if wanted not in taken and number.isdecimal() and number == str(int(number)) and 1 < int(number) <= taken[name]:
        taken[wanted] = 1
    taken[wanted] += 1
    if taken[wanted] == 1:
        return wanted
    numbered = f"{wanted}#{taken[wanted]}"
    return _free_id(numbered, taken) if numbered in taken else numbered
