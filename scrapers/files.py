"""The files under the paths that somebody names: plain ones, folders of them, archives of them.

Archives may come from strangers, so nothing is ever unpacked to disk, and no member may be larger than MOST_BYTES.
"""

import bz2
import errno
import gzip
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal, NamedTuple, cast

MOST_BYTES = 16 << 20
"""The largest file or member of an archive that is read."""

NO_PUZZLE_SUFFIXES = (
    *(".md", ".rst", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp"),
    *(".py", ".js", ".css", ".sha256", ".asc"),
)
NO_PUZZLE_NAME = re.compile(r"(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|AUTHORS|MANIFEST|Makefile)([-._ ].*)?")
"""What lies in folders and archives beside the puzzles, passed over in silence; a file named by itself is read."""

ZIP_SUFFIXES = (".zip",)
ZIP_MAGIC = (b"PK\3\4", b"PK\5\6")
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions of zip members that Python unpacks piecemeal; the others it unpacks at once, however much comes out."""

TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2")
TAR_MAGIC = slice(257, 262)  # of the first header: "ustar"

COMPRESSIONS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lzma.open),
}
"""By suffix: how such files begin, and what unpacks them."""

BROKEN = (
    *(OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(ValueError, OverflowError, RuntimeError, struct.error),
)
"""What the standard library raises about files that can't be read and archives that are damaged in whatever way."""


class SourceFile(NamedTuple):
    """A file, or a member of an archive: its bytes, or else why there are none.

    Its name begins with the last part of the path that was named: folder/sub/x.non, or archive.tar.xz/sub/1.non.
    """

    name: str
    data: bytes | None
    error: str | None = None


def files_in(paths: Iterable[str | Path]) -> Iterator[SourceFile]:
    """Every file under the paths: in a folder, to any depth, in order of name; in an archive in its own order.

    Left out in silence: hidden files, what plainly is no puzzle (NO_PUZZLE_NAME, NO_PUZZLE_SUFFIXES), links to folders,
    and whatever is not a regular file. Archives in archives are not opened. What can't be read is an entry with an
    error, and so is the rest of an archive that breaks off.
    """
    for found in _found(paths):
        try:
            yield from _contents(found)
        except BROKEN as error:
            yield SourceFile(found.name, None, _reason(error))


def count_files(paths: Iterable[str | Path]) -> int | None:
    """How many entries `files_in` will yield, for a progress bar, or None where only reading everything would tell.

    Folders are quick to count, and so are zip archives, which carry a list of contents. A tar has none: counting it
    would take about as long as the work itself, so the bar has to do without an end.
    """
    counts = [_count(found) for found in _found(paths)]
    return None if None in counts else sum(filter(None, counts))


class _Found(NamedTuple):
    """A plain file or an archive."""

    name: str
    path: Path
    error: str | None = None


def _found(paths: Iterable[str | Path]) -> Iterator[_Found]:
    for path in map(Path, paths):
        name = _clean(path.name) or _clean(path.resolve().name)
        if path.is_dir():
            yield from _in_folder(path, name)
        elif path.is_file() or not path.exists():
            yield _Found(name, path)
        else:
            yield _Found(name, path, "it is neither a file nor a folder")


def _in_folder(folder: Path, name: str) -> Iterator[_Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield _Found(name, folder, _reason(error))
        return
    for entry in entries:
        path, inner = Path(entry.path), _clean(f"{name}/{entry.name}")
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _in_folder(path, inner)
        elif _may_be_puzzle(entry.name) and (entry.is_file() or not path.exists()):
            yield _Found(inner, path)


def _contents(found: _Found) -> Iterator[SourceFile]:
    if found.error is not None:
        yield SourceFile(found.name, None, found.error)
        return
    with found.path.open("rb") as file:
        kind = _kind(found.name, file)
        if kind == "zip":
            yield from _zip_members(found.name, file)
        elif kind == "tar":
            yield from _tar_members(found.name, _unpacked(file))
        else:
            yield _read(_unpacked_name(found.name), _unpacked(file))


def _count(found: _Found) -> int | None:
    if found.error is not None:
        return 1
    try:
        with found.path.open("rb") as file:
            kind = _kind(found.name, file)
            if kind == "zip":
                with zipfile.ZipFile(file) as archive:
                    return sum(1 for _ in _zip_infos(archive))
            return None if kind == "tar" else 1
    except BROKEN:
        return 1


def _kind(name: str, file: IO[bytes]) -> Literal["zip", "tar", "plain"]:
    """What a file is: going by its first bytes, or else by its name, as far as archives are concerned."""
    if file.read(4).startswith(ZIP_MAGIC) or name.lower().endswith(ZIP_SUFFIXES):
        return "zip"
    if name.lower().endswith(TAR_SUFFIXES):
        return "tar"
    try:
        start = _unpacked(file).read(tarfile.BLOCKSIZE)
    except BROKEN:
        start = b""
    return "tar" if start[TAR_MAGIC] == b"ustar" else "plain"


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """The file from its start on, through gzip, bzip2 or xz if it is compressed so."""
    file.seek(0)
    start = file.read(8)
    file.seek(0)
    for magic, opened in COMPRESSIONS.values():
        if start.startswith(magic):
            return cast(IO[bytes], opened(file))
    return file


def _unpacked_name(name: str) -> str:
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in COMPRESSIONS else name


def _zip_members(name: str, file: IO[bytes]) -> Iterator[SourceFile]:
    with zipfile.ZipFile(file) as archive:
        for inner, info in _zip_infos(archive):
            yield _zip_member(f"{name}/{inner}", archive, info)


def _zip_infos(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The members that may be puzzles, by clean name."""
    for info in archive.infolist():
        inner = _clean(info.filename)
        if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16) and _may_be_puzzle(inner):
            yield inner, info


def _zip_member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> SourceFile:
    if info.flag_bits & 1:
        return SourceFile(name, None, "it is encrypted")
    if info.compress_type not in ZIP_METHODS:
        return SourceFile(name, None, f"zip compression method {info.compress_type} is not supported")
    try:
        with archive.open(info) as member:
            return _member(_read(name, member))
    except BROKEN as error:
        return SourceFile(name, None, _reason(error))


def _tar_members(name: str, file: IO[bytes]) -> Iterator[SourceFile]:
    bounded = cast(IO[bytes], _Bounded(file))
    with tarfile.open(fileobj=bounded, mode="r:") as archive:
        for info in archive:
            if info.size < 0:  # some Pythons would go round in circles
                raise tarfile.ReadError(f"a member of {info.size} bytes")
            inner = _clean(info.name)
            if not info.isreg() or not _may_be_puzzle(inner):
                continue
            if info.size > MOST_BYTES:
                yield _too_large(f"{name}/{inner}")
            elif member := archive.extractfile(info):
                yield _member(_read(f"{name}/{inner}", member))
        # tarfile takes a header that it can't make out for the end
        bounded.seek(archive.offset)
        if bounded.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")


class _Bounded:
    """A file that refuses to read more at a time than the largest member has, whatever the headers of a tar ask for."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MOST_BYTES + tarfile.BLOCKSIZE:
            raise tarfile.ReadError(f"a header of {size} bytes")
        return self.file.read(size)


def _read(name: str, file: IO[bytes]) -> SourceFile:
    data = file.read(MOST_BYTES + 1)
    return SourceFile(name, data) if len(data) <= MOST_BYTES else _too_large(name)


def _too_large(name: str) -> SourceFile:
    return SourceFile(name, None, f"it is larger than {MOST_BYTES >> 20} MiB")


def _member(file: SourceFile) -> SourceFile:
    """The member of an archive, unless it is an archive itself."""
    start = (file.data or b"")[: tarfile.BLOCKSIZE]
    packed = start.startswith((*ZIP_MAGIC, *(magic for magic, _ in COMPRESSIONS.values())))
    if packed or start[TAR_MAGIC] == b"ustar":
        return SourceFile(file.name, None, "archives in archives are not opened")
    return file


def _may_be_puzzle(name: str) -> bool:
    """Whether a file is neither hidden nor plainly something else."""
    *folders, last = PurePosixPath(name).parts or ("",)
    hidden = not last or any(part.startswith(".") or part == "__MACOSX" for part in (*folders, last))
    other = PurePosixPath(last).suffix.lower() in NO_PUZZLE_SUFFIXES or NO_PUZZLE_NAME.fullmatch(last)
    return not hidden and not other


def _clean(name: str) -> str:
    """The name of a file or member as a relative path that can be printed and stored: no `..`, no escape sequences."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in "/".join(parts))


def _reason(error: BaseException) -> str:
    # a damaged archive sends its reader to places before its beginning
    if isinstance(error, OSError) and error.strerror and error.errno != errno.EINVAL:
        return error.strerror
    text = " ".join(str(error).split()) or type(error).__name__
    return f"it is damaged: {text}"
