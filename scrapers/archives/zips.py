"""The members of zip archives."""

import stat
import zipfile
from collections.abc import Iterator
from typing import IO, cast

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import BROKEN, Bounded, Budget, reason
from scrapers.archives.member_names import clean, may_be_puzzle
from scrapers.archives.source import SourceFile, read, too_large

SUFFIXES = (".zip",)
MAGIC = (b"PK\3\4", b"PK\5\6")

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions of zip members that Python unpacks piecemeal; the others it unpacks at once, however much comes out."""

MOST_DIRECTORY = 64 << 20
"""The largest list of contents that is read into memory."""


def members(file: IO[bytes], budget: Budget) -> Iterator[SourceFile]:
    """The members that may be puzzles, in their order; what is passed over is not unpacked."""
    with _opened(file) as archive:
        budget.add_members(len(archive.infolist()))
        for name, info in _infos(archive):
            if info.file_size > archive_limits.MOST_BYTES:  # and no more than this comes out, whatever is in it
                yield too_large(name)
                continue
            budget.unpack(info.file_size)
            yield _member(name, archive, info)


def names(file: IO[bytes]) -> list[str]:
    """The names of what `members` yields, from the list of contents."""
    with _opened(file) as archive:
        return [name for name, _ in _infos(archive)]


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(cast(IO[bytes], Bounded(file, MOST_DIRECTORY)))


def _infos(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The members that may be puzzles, by clean name."""
    for info in archive.infolist():
        name = clean(info.filename)
        if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16) and may_be_puzzle(name):
            yield name, info


def _member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> SourceFile:
    if info.flag_bits & 1:
        return SourceFile(name, None, "it is encrypted")
    if info.compress_type not in METHODS:
        return SourceFile(name, None, f"zip compression method {info.compress_type} is not supported")
    try:
        with archive.open(info) as member:
            return read(name, member)
    except BROKEN as error:
        return SourceFile(name, None, reason(error))
