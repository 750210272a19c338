"""gzip, bzip2, xz and zstd files, a tar perhaps: opened decompressed, and written compressed."""

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import IO, Any, cast

import pyarrow as pa

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import READ_BYTES, Refused

COMPRESSIONS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lambda file: io.BufferedReader(_Xz(file), READ_BYTES)),
    ".zst": (b"\x28\xb5\x2f\xfd", lambda file: io.BufferedReader(_Zstd(file), READ_BYTES)),
}
"""By suffix: how such files begin, and what unpacks them."""

WRITERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": lambda file: pa.CompressedOutputStream(file, "zstd"),
}
"""By suffix: what compresses a file that is written. The same data become the same bytes."""


def is_packed(file: IO[bytes]) -> bool:
    """Whether a file begins as a compressed one does."""
    return _opener(file) is not None


def unpacked(file: IO[bytes]) -> IO[bytes]:
    """The file from its start on, decompressed if it is compressed."""
    opened = _opener(file)
    return cast(IO[bytes], opened(file)) if opened else file


@contextmanager
def packing(name: str, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Compress what is written to a file if its name ends with the suffix of a compression."""
    writer = WRITERS.get(PurePosixPath(name).suffix.lower())
    if writer is None:
        yield file
        return
    with writer(file) as stream:
        yield stream


def unpacked_name(name: str) -> str:
    """The name without the suffix of a compression."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in COMPRESSIONS else name


def _opener(file: IO[bytes]) -> Callable[[IO[bytes]], Any] | None:
    file.seek(0)
    start = file.read(8)
    file.seek(0)
    return next((opened for magic, opened in COMPRESSIONS.values() if start.startswith(magic)), None)


class _Restarting(io.RawIOBase):
    """A compressed file, decompressed as it is read; seeking back starts at the beginning again."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._begin()

    def _begin(self) -> None:
        """Go to the beginning."""
        self.file.seek(0)
        self.place = 0

    def _next(self, most: int) -> bytes:
        """Return up to `most` bytes; none at the end."""
        raise NotImplementedError

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


class _Xz(_Restarting):
    """An xz file; Python's own reader takes as much memory as the file asks for."""

    def _begin(self) -> None:
        super()._begin()
        self.unpacker = lzma.LZMADecompressor(memlimit=archive_limits.MOST_MEMORY)

    def _next(self, most: int) -> bytes:
        """Return up to `most` bytes. Several xz files in one follow each other, parted by zeros."""
        while True:
            if self.unpacker.eof:
                packed = self.unpacker.unused_data
                while not (packed := packed.lstrip(b"\0")):
                    if not (packed := self.file.read(READ_BYTES)):
                        return b""
                self.unpacker = lzma.LZMADecompressor(memlimit=archive_limits.MOST_MEMORY)
            else:
                packed = self.file.read(READ_BYTES) if self.unpacker.needs_input else b""
                if self.unpacker.needs_input and not packed:
                    raise EOFError("it ends too early")
            try:
                data = self.unpacker.decompress(packed, most)
            except lzma.LZMAError as error:
                if "Memory" not in str(error):
                    raise
                raise Refused(
                    f"to unpack it takes more than {archive_limits.MOST_MEMORY >> 20} MiB of memory"
                ) from None
            if data:
                return data


class _Zstd(_Restarting):
    """A zstd file; the library itself refuses one that asks for more than 128 MiB of memory."""

    def _begin(self) -> None:
        super()._begin()
        self.stream = pa.CompressedInputStream(pa.PythonFile(_Unclosed(self.file), "r"), "zstd")

    def _next(self, most: int) -> bytes:
        return cast(bytes, self.stream.read(most))


class _Unclosed:
    """A file that stays open when Arrow closes it, as it does with what a discarded stream has read from."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.read = file.read

    def close(self) -> None:
        """Leave it open."""
