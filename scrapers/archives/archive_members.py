"""The entries of a file: the file itself, decompressed, the rows of a table, or the members of an archive."""

import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from typing import IO, Literal, cast

from nonocensus.scrapers.archives.compression import is_compressed, open_decompressed, strip_compression_suffix
from nonocensus.scrapers.archives.line_chunks import read_chunks
from nonocensus.scrapers.archives.parquet_rows import PARQUET_MAGIC, read_rows
from nonocensus.scrapers.archives.source_file import (
    READ_ERRORS,
    BoundedFile,
    Budget,
    BudgetExceeded,
    ReadLimits,
    SourceFile,
    UnreadableFile,
    clean_name,
    describe_read_error,
    may_be_puzzle,
    read_whole,
    too_large,
)

MAX_DEPTH = 1
"""Levels of archives in an archive that are opened: packs of packs exist, deeper ones are rare or hostile."""

MAX_COUNTED_RATIO = 64
"""Times its size a compressed file is assumed to unpack to at most, where entries are only counted."""

Container = Literal["7z", "zip", "tar", "parquet", "compressed", "plain"]

SUFFIXES: dict[Container, tuple[str, ...]] = {
    "7z": (".7z",),
    "zip": (".zip",),
    "tar": (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2", ".tar.zst", ".tzst"),
}
SEVEN_ZIP_MAGIC = b"7z\xbc\xaf\x27\x1c"
ZIP_MAGIC = (b"PK\3\4", b"PK\5\6")
TAR_MAGIC = slice(257, 262)  # of the first header: "ustar"

NO_SEVEN_ZIP = "7z archives are not supported; unpack it first, or repack it as .zip"

ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Zip compressions that Python unpacks in bounded steps; the others it unpacks at once, whatever the size."""

MAX_TAR_HEADER = 1 << 16
"""Bytes of a tar header; up to some 300 may precede a member."""


def read_entries(name: str, file: IO[bytes], budget: Budget, depth: int = 0) -> Iterator[SourceFile]:
    """Yield the entries of an open file that is `depth` archives deep; unreadable members are entries with an error.

    Raises one of READ_ERRORS if the file itself is damaged, UnreadableFile if it is refused or not read to its end.
    """
    container, limits = detect_container(name, file), budget.limits
    if container == "7z":
        raise UnreadableFile(NO_SEVEN_ZIP)
    if container == "plain":
        yield from read_chunks(name, file, limits)
    elif container == "parquet":
        yield from read_rows(name, file, limits)
    elif container == "compressed":
        if depth == 0:
            budget.allow_ratio(file.seek(0, io.SEEK_END))
        stream = BoundedFile(open_decompressed(file, limits), limits.max_bytes + 1, budget)
        for chunk in read_chunks(strip_compression_suffix(name), stream, limits):
            yield from _read_nested(chunk, budget, depth + 1)
    else:
        for member in _tar_members(file, budget) if container == "tar" else _zip_members(file, budget):
            yield from _read_nested(member._replace(name=f"{name}/{member.name}"), budget, depth + 1)


def count_entries(name: str, file: IO[bytes], limits: ReadLimits) -> int | None:
    """Return how many entries `read_entries` will yield, None if that takes reading everything."""
    container = detect_container(name, file)
    if container in ("plain", "compressed"):
        max_whole = limits.max_bytes if container == "plain" else limits.max_bytes // MAX_COUNTED_RATIO
        return 1 if file.seek(0, io.SEEK_END) <= max_whole else None  # a larger one may be read in chunks
    if container == "7z":
        return 1
    if container in ("tar", "parquet"):
        return None
    with _open_zip(file, limits) as archive:
        names = [member for member, _ in _zip_infos(archive)]
    return None if any(_container_of_name(inner) for inner in names) else len(names)


def detect_container(name: str, file: IO[bytes]) -> Container:
    """Return what a file is, by its first bytes, or else by its name."""
    file.seek(0)
    start = file.read(8)
    if start.startswith(SEVEN_ZIP_MAGIC):
        return "7z"
    if start.startswith(ZIP_MAGIC):
        return "zip"
    if start.startswith(PARQUET_MAGIC):
        return "parquet"
    compressed = is_compressed(file)
    try:
        if open_decompressed(file).read(tarfile.BLOCKSIZE)[TAR_MAGIC] == b"ustar":
            return "tar"
    except READ_ERRORS:
        pass  # reading it raises the same error
    return _container_of_name(name) or ("compressed" if compressed else "plain")


def _container_of_name(name: str) -> Container | None:
    """Return the kind of archive that a name's suffix stands for."""
    return next((kind for kind, suffixes in SUFFIXES.items() if name.lower().endswith(suffixes)), None)


def _read_nested(member: SourceFile, budget: Budget, depth: int) -> Iterator[SourceFile]:
    """Yield a member of an archive, or its entries if it is an archive itself."""
    if member.data is None:
        yield member
        return
    file = io.BytesIO(member.data)
    if detect_container(member.name, file) == "plain":
        yield member
    elif depth > MAX_DEPTH:
        yield SourceFile(member.name, None, "archives more than one level deep are not opened")
    else:
        try:
            yield from read_entries(member.name, file, budget, depth)
        except BudgetExceeded:
            raise
        except READ_ERRORS as error:
            yield SourceFile(member.name, None, describe_read_error(error))


def _tar_members(file: IO[bytes], budget: Budget) -> Iterator[SourceFile]:
    """Yield the members that may be puzzles, in order; skipped ones must be unpacked, and count."""
    limits = budget.limits
    bounded = BoundedFile(open_decompressed(file, limits), MAX_TAR_HEADER, budget)
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:") as archive:
        while info := archive.next():
            archive.members.clear()  # type: ignore[attr-defined]  # else all are kept
            archive.pax_headers.clear()  # type: ignore[attr-defined]  # global ones, copied for each member
            budget.add_members(1)
            if info.size < 0:  # some versions of Python would loop
                raise tarfile.ReadError(f"a member of {info.size} bytes")
            name = clean_name(info.name)
            if not info.isreg() or not may_be_puzzle(name):
                continue
            if info.size > limits.max_bytes:
                yield too_large(name, limits)
            elif member := archive.extractfile(info):
                bounded.max_read = limits.max_bytes + tarfile.BLOCKSIZE
                entry = read_whole(name, member, limits)
                bounded.max_read = MAX_TAR_HEADER
                yield entry
        # tarfile takes an invalid header for the end
        bounded.seek(archive.offset)
        end = bounded.read(tarfile.BLOCKSIZE)
        if not end:
            raise tarfile.ReadError("it has no end")
        if end.strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")


def _zip_members(file: IO[bytes], budget: Budget) -> Iterator[SourceFile]:
    """Yield the members that may be puzzles, in order; skipped ones are not unpacked."""
    limits = budget.limits
    with _open_zip(file, limits) as archive:
        budget.add_members(len(archive.infolist()))
        for name, info in _zip_infos(archive):
            if info.file_size > limits.max_bytes:  # zipfile unpacks no more than the declared size
                yield too_large(name, limits)
                continue
            budget.add_unpacked(info.file_size)
            yield _zip_member(name, archive, info, limits)


def _open_zip(file: IO[bytes], limits: ReadLimits) -> zipfile.ZipFile:
    return zipfile.ZipFile(cast(IO[bytes], BoundedFile(file, limits.max_directory)))


def _zip_infos(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the members that may be puzzles, by clean name."""
    for info in archive.infolist():
        name = clean_name(info.filename)
        if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16) and may_be_puzzle(name):
            yield name, info


def _zip_member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: ReadLimits) -> SourceFile:
    if info.flag_bits & 1:
        return SourceFile(name, None, "it is encrypted")
    if info.compress_type not in ZIP_METHODS:
        return SourceFile(name, None, f"zip compression method {info.compress_type} is not supported")
    try:
        with archive.open(info) as member:
            return read_whole(name, member, limits)
    except READ_ERRORS as error:
        return SourceFile(name, None, describe_read_error(error))
