"""The files that readers get, their names, and the limits within which they are read.

Archives may be untrusted input, so nothing is unpacked to disk, and the budget of an archive covers the archives in it
and the members that are skipped.
"""

import errno
import lzma
import os
import re
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

from nonocensus.scrapers.url import redact

READ_BYTES = 1 << 16
"""Bytes of a compressed file per read."""

READ_ERRORS = (
    *(OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(ValueError, OverflowError, RuntimeError, struct.error),
)
"""Raised by the standard library for unreadable files and damaged archives."""

SKIPPED_SUFFIXES = (
    *(".md", ".rst", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp"),
    *(".py", ".js", ".css", ".sha256", ".asc"),
)
SKIPPED_NAME = re.compile(
    r"(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|AUTHORS|MANIFEST|Makefile)([-._ ].*)?|"
    r"pack\.(csv|json)|dataset\.json|croissant\.json"
)
"""Skipped in folders and archives, as are the index files of our packs and datasets; a file given as an argument is
always read.
"""

STORE_MARK, RUN_MARK, REPORT_MARK = "store.json", "run.json", "report.json"
"""The file that makes a folder a store, a run and a report; such folders are skipped in others."""

SKIPPED_HINT = "images are read if they are named, like folder/*.png"
"""Explains an empty result."""


class SourceFile(NamedTuple):
    """A file, a member of an archive, or a chunk of one: its bytes, or the error that prevents reading it.

    name           begins with the last part of the given path: folder/sub/x.non, or archive.tar.xz/sub/1.non
    sha256         of chunks: of the whole file
    lines_before   of chunks: lines of the file before these bytes
    is_chunk       whether it is a chunk: some lines of a large file of JSON lines
    """

    name: str
    data: bytes | None
    error: str | None = None
    sha256: str | None = None
    lines_before: int = 0
    is_chunk: bool = False


class ReadLimits(NamedTuple):
    """Limits of reading files, archives and folders.

    max_bytes       of a file, a member of an archive and a line; the largest nonogram, 1023x1023 in 31 colours, fits as
                    JSON; one file is in memory at a time
    chunk_bytes     of a chunk of lines, unless a line is longer
    max_unpacked    bytes unpacked from an archive; webpbn.com's whole archive has 0.3 GB, 4 GiB take half a minute
    max_ratio       times its size a compressed file of lines may unpack to, if that is more than max_unpacked: time
                    grows with the size of the file then, memory does not; puzzles compress to about a tenth
    max_members     of an archive, skipped ones included
    max_memory      bytes for unpacking xz: `xz -9` needs 65 MiB, a file may ask for 4 GiB
    max_directory   bytes of a zip archive's directory
    max_files       of a folder
    max_counted     files opened to count entries for a progress bar
    """

    max_bytes: int = 16 << 20
    chunk_bytes: int = 4 << 20
    max_unpacked: int = 4 << 30
    max_ratio: int = 1000
    max_members: int = 1_000_000
    max_memory: int = 256 << 20
    max_directory: int = 64 << 20
    max_files: int = 1_000_000
    max_counted: int = 100_000


DEFAULT_READ_LIMITS = ReadLimits()


class UnreadableFile(ValueError):
    """A file that is refused, or not read to its end: the reason in one line."""


class BudgetExceeded(UnreadableFile):
    """An archive beyond its budget; nothing more of it is read."""


@dataclass
class Budget:
    """The members and unpacked bytes of an archive so far, archives in it included."""

    limits: ReadLimits = DEFAULT_READ_LIMITS
    members: int = 0
    unpacked: int = 0
    max_unpacked: int = field(init=False)

    def __post_init__(self) -> None:
        self.max_unpacked = self.limits.max_unpacked

    def add_members(self, count: int) -> None:
        """Count members. Raises BudgetExceeded."""
        self.members += count
        if self.members > self.limits.max_members:
            raise BudgetExceeded(f"it has more than {self.limits.max_members:,} members; the rest is not read")

    def allow_ratio(self, compressed: int) -> None:
        """Raise the budget to what a compressed file of this many bytes may unpack to."""
        self.max_unpacked = max(self.max_unpacked, self.limits.max_ratio * compressed)

    def add_unpacked(self, count: int) -> None:
        """Count unpacked bytes. Raises BudgetExceeded."""
        self.unpacked += count
        if self.unpacked > self.max_unpacked:
            raise BudgetExceeded(f"it unpacks to more than {self.max_unpacked >> 20:,} MiB; the rest is not read")


class BoundedFile:
    """A file with bounded reads, whatever sizes the headers of an archive name.

    With a budget, for a stream that is unpacked as it is read, the furthest position counts.
    """

    def __init__(self, file: Any, max_read: int, budget: Budget | None = None) -> None:
        self.file, self.max_read, self.budget = file, max_read, budget
        self.furthest = 0
        self.tell, self.seekable = file.tell, file.seekable

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Set the position."""
        self._count(position)
        return int(self.file.seek(position, whence))

    def read(self, size: int = -1) -> bytes:
        """Read exactly like a file. Raises ValueError for more than `max_read` bytes, BudgetExceeded."""
        data: bytes = self.file.read(size if 0 <= size <= self.max_read else self.max_read + 1)
        if max(size, len(data)) > self.max_read:
            raise ValueError(f"a header of more than {self.max_read} bytes")
        if self.budget:
            self._count(self.file.tell())
        return data

    def read1(self, size: int) -> bytes:
        """Read up to `size` bytes of what is buffered, so that nothing before an error is lost."""
        data: bytes = self.file.read1(min(size, self.max_read))
        if self.budget:
            self._count(self.file.tell())
        return data

    def _count(self, position: int) -> None:
        if self.budget and position > self.furthest:
            self.budget.add_unpacked(position - self.furthest)
            self.furthest = position


def read_whole(name: str, file: IO[bytes] | BoundedFile, limits: ReadLimits = DEFAULT_READ_LIMITS) -> SourceFile:
    """Read the rest of an open file, within `limits.max_bytes`."""
    data = file.read(limits.max_bytes + 1)
    return SourceFile(name, data) if len(data) <= limits.max_bytes else too_large(name, limits)


def too_large(name: str, limits: ReadLimits) -> SourceFile:
    """Return the entry for a file beyond `limits.max_bytes`."""
    return SourceFile(name, None, f"it is larger than {limits.max_bytes >> 20} MiB")


def describe_read_error(error: BaseException) -> str:
    """Return why a file can't be read, in one line without secrets."""
    if isinstance(error, UnreadableFile):
        return str(error)
    # EINVAL: a damaged archive makes its reader seek to negative positions
    if isinstance(error, OSError) and error.strerror and error.errno != errno.EINVAL:
        return error.strerror
    text = redact(" ".join(str(error).split())) or type(error).__name__
    return f"it is damaged: {text}" if isinstance(error, READ_ERRORS) else text


def may_be_puzzle(name: str) -> bool:
    """Check that a file is neither hidden nor of a kind that is skipped."""
    *folders, last = PurePosixPath(name).parts or ("",)
    is_hidden = not last or any(part.startswith(".") or part == "__MACOSX" for part in (*folders, last))
    is_skipped = PurePosixPath(last).suffix.lower() in SKIPPED_SUFFIXES or SKIPPED_NAME.fullmatch(last)
    return not is_hidden and not is_skipped


def clean_name(name: str) -> str:
    """Return a printable relative path: without `..` and escape sequences."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in "/".join(parts))


def is_url(path: str | Path) -> bool:
    """Check whether a path is a web address instead of a file, folder or store."""
    return isinstance(path, str) and path.lower().startswith(("https://", "http://"))


def is_remote(path: str | Path) -> bool:
    """Check whether a path is on a filesystem of `scrapers.filesystems`: s3://, hf:// and so on, but no web address."""
    return isinstance(path, str) and re.match(r"[a-z][a-z0-9+.-]*://", path) is not None and not is_url(path)


def name_in_url(url: str) -> str:
    """Return the last part of a URL's path, or its host."""
    host, _, path = url.partition("://")[2].partition("/")
    last = unquote(path.partition("?")[0].partition("#")[0].rpartition("/")[2])
    return clean_name(last).rpartition("/")[2] or clean_name(host)
