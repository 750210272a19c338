"""A file or a member of an archive: its bytes, or why there are none."""

from typing import IO, Literal, NamedTuple, TypeAlias

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import Bounded

Form: TypeAlias = Literal["nonogram jsonl", "sudoku jsonl", "sudoku lines"]
"""What large files are read in pieces for: a puzzle on each line."""


class SourceFile(NamedTuple):
    """A file, or a member of an archive: its bytes, or else why there are none.

    Its name begins with the last part of the path that was named: folder/sub/x.non, or archive.tar.xz/sub/1.non.

    The other fields are those of a piece of a file (scrapers.archives.pieces):

    sha256   of the whole file
    lines    of the file before these bytes
    form     what is on its lines
    """

    name: str
    data: bytes | None
    error: str | None = None
    sha256: str | None = None
    lines: int = 0
    form: Form | None = None


def read(name: str, file: IO[bytes] | Bounded) -> SourceFile:
    """The rest of an open file, unless that is more than MOST_BYTES."""
    data = file.read(archive_limits.MOST_BYTES + 1)
    return SourceFile(name, data) if len(data) <= archive_limits.MOST_BYTES else too_large(name)


def too_large(name: str) -> SourceFile:
    """A file that has more than MOST_BYTES."""
    return SourceFile(name, None, f"it is larger than {archive_limits.MOST_BYTES >> 20} MiB")
