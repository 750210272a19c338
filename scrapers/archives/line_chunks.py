"""Plain files, whole or, if they are large JSON lines, in chunks of lines.

A file may hold millions of puzzles, so memory must not grow with the file.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any

from nonocensus.scrapers.archives.source_file import (
    READ_BYTES,
    READ_ERRORS,
    BoundedFile,
    BudgetExceeded,
    ReadLimits,
    SourceFile,
    describe_read_error,
    too_large,
)
from nonocensus.scrapers.formats import is_sudoku, jsonl, sudoku_refusal


def read_chunks(name: str, file: IO[bytes] | BoundedFile, limits: ReadLimits) -> Iterator[SourceFile]:
    """Yield an open file from its start: one entry up to `limits.max_bytes`, chunks of a larger one.

    A larger file of other content is an entry with an error. Others are read twice: each chunk has the
    hash of the whole file. A line beyond `limits.max_bytes` is an entry with an error, and reading continues. Of a
    damaged file the lines before the damage are read, and an entry with an error names the first lost line.
    """
    start, error = _read_start(file, limits.max_bytes + 1)
    if error is None and len(start) <= limits.max_bytes:
        yield SourceFile(name, start)
        return
    if jsonl.recognizes(start):
        file_hash = _hash(file, start, error)
        del start
        yield from _chunks(name, file, file_hash, limits)
    elif error is not None:
        raise error
    elif is_sudoku(name, start):
        yield SourceFile(name, None, sudoku_refusal(name))
    else:
        yield too_large(name, limits)


def _read_start(file: Any, size: int) -> tuple[bytes, Exception | None]:
    """Read the first `size` bytes, or those before an error, and the error."""
    file.seek(0)
    parts: list[bytes] = []
    try:
        while size and (part := file.read1(size)):
            parts.append(part)
            size -= len(part)
    except READ_ERRORS as error:
        return b"".join(parts), error
    return b"".join(parts), None


def _chunks(name: str, file: Any, file_hash: str, limits: ReadLimits) -> Iterator[SourceFile]:
    """Yield chunks of whole lines."""
    file.seek(0)
    target = min(limits.chunk_bytes, limits.max_bytes)
    data, lines = bytearray(), 0
    is_skipping = False  # to the end of a line that is too long
    error: Exception | None = None

    def chunk(end: int) -> SourceFile:
        return SourceFile(name, bytes(memoryview(data)[:end]), None, file_hash, lines, is_chunk=True)

    while True:
        wanted = target if len(data) < target else limits.max_bytes + 1
        try:
            part = file.read1(min(READ_BYTES, wanted - len(data)))
        except READ_ERRORS as read_error:
            part, error = b"", read_error
        if not part:
            break
        if is_skipping:
            _, newline, part = part.partition(b"\n")
            is_skipping = not newline
            lines += len(newline)
        data += part
        if len(data) < target:
            continue
        if end := data.rfind(b"\n") + 1:
            yield chunk(end)
            lines += data.count(b"\n", 0, end)
            del data[:end]
        elif len(data) > limits.max_bytes:
            yield SourceFile(name, None, f"line {lines + 1:,} is longer than {limits.max_bytes >> 20} MiB")
            data.clear()
            is_skipping = True
    if end := data.rfind(b"\n") + 1 if error else len(data):
        yield chunk(end)
        lines += data.count(b"\n", 0, end)
    if isinstance(error, BudgetExceeded):
        raise error
    if error:
        yield SourceFile(name, None, f"{describe_read_error(error)}; its lines from {lines + 1:,} on are lost")


def _hash(file: Any, start: bytes, error: Exception | None) -> str:
    """Return the hash of a file, or of what can be read of a damaged one, after `start` or the error that ended it."""
    digest = sha256(start)
    try:
        while error is None and (data := file.read1(READ_BYTES)):
            digest.update(data)
    except READ_ERRORS:
        pass  # reading the chunks raises it again
    return digest.hexdigest()
