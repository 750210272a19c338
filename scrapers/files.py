"""The files under the paths that somebody names: plain ones, folders of them, archives of them.

Archives may come from strangers, so nothing is ever unpacked to disk. A member may have MOST_BYTES, an archive
MOST_MEMBERS, and all that has to be unpacked of it MOST_UNPACKED, whether it is wanted or only in the way.
"""

import bz2
import errno
import gzip
import io
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

MOST_UNPACKED = 4 << 30
"""What is unpacked of an archive at most. webpbn.com's whole archive has 0.3 GB as XML; 4 GiB take half a minute."""

MOST_MEMBERS = 1_000_000
"""Members of an archive, those passed over too."""

MOST_HEADER, MOST_DIRECTORY = 1 << 20, 64 << 20
"""The largest header of a tar's member, and list of contents of a zip, that is read into memory."""

MOST_MEMORY = 256 << 20
"""What unpacking xz may take: `xz -9` needs 65 MiB, but a file may ask for 4 GiB."""

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

READ_BYTES = 1 << 16
"""What is read of a packed file at a time."""

COMPRESSIONS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lambda file: io.BufferedReader(_Xz(file), READ_BYTES)),
}
"""By suffix: how such files begin, and what unpacks them."""

BROKEN = (
    *(OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(ValueError, OverflowError, RuntimeError, struct.error),
)
"""What the standard library raises about files that can't be read and archives that are damaged in whatever way."""


class _TooMuch(ValueError):
    """An archive that is not read to its end: one line says why."""


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
                with _zip(file) as archive:
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


def _zip(file: IO[bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(cast(IO[bytes], _Bounded(file, MOST_DIRECTORY, unpacks=False)))


def _zip_members(name: str, file: IO[bytes]) -> Iterator[SourceFile]:
    with _zip(file) as archive:
        _count_members(len(archive.infolist()))
        unpacked = 0
        for inner, info in _zip_infos(archive):
            if info.file_size > MOST_BYTES:  # and no more than this comes out, whatever is in it
                yield _too_large(f"{name}/{inner}")
                continue
            unpacked += info.file_size
            _count_unpacked(unpacked)
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
    bounded = _Bounded(file, MOST_HEADER, unpacks=True)
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:") as archive:
        members = 0
        while info := archive.next():
            archive.members.clear()  # type: ignore[attr-defined]  # or else it would keep them all
            members += 1
            _count_members(members)
            if info.size < 0:  # some Pythons would go round in circles
                raise tarfile.ReadError(f"a member of {info.size} bytes")
            inner = _clean(info.name)
            if not info.isreg() or not _may_be_puzzle(inner):
                continue
            if info.size > MOST_BYTES:
                yield _too_large(f"{name}/{inner}")
            elif member := archive.extractfile(info):
                bounded.most = MOST_BYTES + tarfile.BLOCKSIZE
                found = _member(_read(f"{name}/{inner}", member))
                bounded.most = MOST_HEADER
                yield found
        # tarfile takes a header that it can't make out for the end
        bounded.seek(archive.offset)
        if bounded.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")


def _count_members(members: int) -> None:
    if members > MOST_MEMBERS:
        raise _TooMuch(f"it has more than {MOST_MEMBERS:,} members; the rest is not read")


def _count_unpacked(count: int) -> None:
    if count > MOST_UNPACKED:
        raise _TooMuch(f"it unpacks to more than {MOST_UNPACKED >> 20:,} MiB; the rest is not read")


class _Bounded:
    """A file that refuses to read more than `most` bytes at a time, whatever the headers of an archive ask for.

    One that `unpacks` as it is read does not go further than an archive may be unpacked.
    """

    def __init__(self, file: IO[bytes], most: int, unpacks: bool) -> None:
        self.file, self.most, self.unpacks = file, most, unpacks
        self.tell, self.seekable = file.tell, file.seekable

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if self.unpacks:
            _count_unpacked(place)
        return self.file.seek(place, whence)

    def read(self, size: int = -1) -> bytes:
        if size > self.most:
            raise ValueError(f"a header of {size} bytes")
        data = self.file.read(size if size >= 0 else self.most + 1)
        if len(data) > self.most:
            raise ValueError(f"a header of more than {self.most} bytes")
        if self.unpacks:
            _count_unpacked(self.file.tell())
        return data


class _Xz(io.RawIOBase):
    """An xz file as it was before it was packed; Python's own reader takes as much memory as the file asks for."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._begin()

    def _begin(self) -> None:
        self.file.seek(0)
        self.place = 0
        self.unpacker = lzma.LZMADecompressor(memlimit=MOST_MEMORY)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.place

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET:
            raise io.UnsupportedOperation("only from the beginning")
        if place < self.place:
            self._begin()
        while self.place < place and self.read(min(place - self.place, READ_BYTES)):
            pass
        return self.place

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        self.place += len(data)
        return len(data)

    def _next(self, most: int) -> bytes:
        """Some bytes, at most so many; none at the end. Several xz files in one follow each other, parted by zeros."""
        while True:
            if self.unpacker.eof:
                packed = self.unpacker.unused_data
                while not (packed := packed.lstrip(b"\0")):
                    if not (packed := self.file.read(READ_BYTES)):
                        return b""
                self.unpacker = lzma.LZMADecompressor(memlimit=MOST_MEMORY)
            else:
                packed = self.file.read(READ_BYTES) if self.unpacker.needs_input else b""
                if self.unpacker.needs_input and not packed:
                    raise EOFError("it ends too early")
            try:
                data = self.unpacker.decompress(packed, most)
            except lzma.LZMAError as error:
                if "Memory" not in str(error):
                    raise
                raise _TooMuch(f"to unpack it takes more than {MOST_MEMORY >> 20} MiB of memory") from None
            if data:
                return data


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
    if isinstance(error, _TooMuch):
        return str(error)
    # a damaged archive sends its reader to places before its beginning
    if isinstance(error, OSError) and error.strerror and error.errno != errno.EINVAL:
        return error.strerror
    text = " ".join(str(error).split()) or type(error).__name__
    return f"it is damaged: {text}"
