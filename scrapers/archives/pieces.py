"""A file that nothing is unpacked from: whole, or in pieces if it is large and has a puzzle on each line.

People keep millions of Sudokus in one file, and archives of nonograms as JSON Lines. Such a file is read in pieces of
whole lines, so that memory does not grow with it.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import BROKEN, READ_BYTES, Bounded, Spent, reason
from scrapers.archives.source import Form, SourceFile, too_large
from scrapers.formats import jsonl
from scrapers.sudokus import sudoku_jsonl as sudoku_jsonl
from scrapers.sudokus.sudoku_reading import is_on_lines


def pieces(name: str, file: IO[bytes] | Bounded) -> Iterator[SourceFile]:
    """Yield an open file from its start on: one entry if it has no more than MOST_BYTES, or else pieces of it.

    One with more is an entry with an error unless it has a puzzle on each line. It is read twice then: each piece has
    the hash of all. A line of more than MOST_BYTES is an entry with an error, and the rest goes on. If such a file is
    damaged or cut off, the lines before the damage are read, and an entry with an error names the first that is not.
    """
    start, error = _start(file)
    if error is None and len(start) <= archive_limits.MOST_BYTES:
        yield SourceFile(name, start)
        return
    form = form_of(start)
    del start
    if form is not None:
        yield from _in_pieces(name, file, form)
    elif error is not None:
        raise error
    else:
        yield too_large(name)


def form_of(data: bytes) -> Form | None:
    """Return what is on each line of a file that begins so, or None if it can't be read in pieces."""
    if sudoku_jsonl.recognizes(data):
        return "sudoku jsonl"
    if jsonl.recognizes(data):
        return "nonogram jsonl"
    return "sudoku lines" if is_on_lines(data) else None


def _start(file: Any) -> tuple[bytes, Exception | None]:
    """The first MOST_BYTES of a file and one more, or those that can be read and the error that follows them."""
    file.seek(0)
    read: list[bytes] = []
    left = archive_limits.MOST_BYTES + 1
    try:
        while left and (more := file.read1(left)):
            read.append(more)
            left -= len(more)
    except BROKEN as error:
        return b"".join(read), error
    return b"".join(read), None


def _in_pieces(name: str, file: Any, form: Form) -> Iterator[SourceFile]:
    """Pieces of whole lines, of PIECE_BYTES unless a line is longer."""
    whole = _hash(file)
    file.seek(0)
    usual = min(archive_limits.PIECE_BYTES, archive_limits.MOST_BYTES)
    data, lines = bytearray(), 0
    is_skipping = False  # to the end of a line that is too long
    error: Exception | None = None

    def piece(end: int) -> SourceFile:
        return SourceFile(name, bytes(memoryview(data)[:end]), None, whole, lines, form)

    while True:
        most = usual if len(data) < usual else archive_limits.MOST_BYTES + 1
        try:
            more = file.read1(min(READ_BYTES, most - len(data)))
        except BROKEN as found:
            more, error = b"", found
        if not more:
            break
        if is_skipping:
            _, newline, more = more.partition(b"\n")
            is_skipping = not newline
            lines += len(newline)
        data += more
        if len(data) < usual:
            continue
        if end := data.rfind(b"\n") + 1:
            yield piece(end)
            lines += data.count(b"\n", 0, end)
            del data[:end]
        elif len(data) > archive_limits.MOST_BYTES:
            yield SourceFile(name, None, f"line {lines + 1:,} is longer than {archive_limits.MOST_BYTES >> 20} MiB")
            data.clear()
            is_skipping = True
    if end := data.rfind(b"\n") + 1 if error else len(data):
        yield piece(end)
        lines += data.count(b"\n", 0, end)
    if isinstance(error, Spent):
        raise error
    if error:
        yield SourceFile(name, None, f"{reason(error)}; its lines from {lines + 1:,} on are lost")


def _hash(file: Any) -> str:
    """The hash of a file, of what can be read if it is damaged."""
    file.seek(0)
    digest = sha256()
    try:
        while data := file.read1(READ_BYTES):
            digest.update(data)
    except BROKEN:
        pass  # reading the pieces raises it again
    return digest.hexdigest()
