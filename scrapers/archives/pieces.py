"""A file that nothing is unpacked from: whole, or in pieces if it is large and has a Sudoku on each line.

People keep millions of Sudokus in one file. Such a file is read in pieces of whole lines, so that memory does not grow
with it.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import IO

from scrapers.archives import limits
from scrapers.archives.limits import READ_BYTES, Bounded, Refused
from scrapers.archives.source import SourceFile, too_large
from scrapers.sudokus.reading import is_on_lines


def pieces(name: str, file: IO[bytes] | Bounded) -> Iterator[SourceFile]:
    """An open file from its start on: one entry if it has no more than MOST_BYTES, or else pieces of so many.

    One with more is an entry with an error unless it has Sudokus on lines. It is read twice then: each piece has the
    hash of all. Raises Refused for a line of more than MOST_BYTES.
    """
    file.seek(0)
    first = file.read(limits.MOST_BYTES + 1)
    if len(first) <= limits.MOST_BYTES:
        yield SourceFile(name, first)
        return
    if not is_on_lines(first):
        yield too_large(name)
        return
    whole = _hash(file)
    file.seek(0)
    lines, rest = 0, b""
    while more := file.read(limits.MOST_BYTES - len(rest)):
        data = rest + more
        end = data.rfind(b"\n") + 1
        if end:
            yield SourceFile(name, data[:end], sha256=whole, lines=lines)
            lines += data.count(b"\n", 0, end)
        elif len(data) == limits.MOST_BYTES:
            raise Refused(f"line {lines + 1:,} is longer than {limits.MOST_BYTES >> 20} MiB")
        rest = data[end:]
    if rest:
        yield SourceFile(name, rest, sha256=whole, lines=lines)


def _hash(file: IO[bytes] | Bounded) -> str:
    """The hash of a whole file."""
    file.seek(0)
    digest = sha256()
    while data := file.read(READ_BYTES):
        digest.update(data)
    return digest.hexdigest()
