"""Single files compressed by gzip, bzip2 or xz, a tar perhaps: opened as what they were before."""

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import IO, Any, cast

from scrapers.archives import limits
from scrapers.archives.limits import READ_BYTES, Refused

COMPRESSIONS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lambda file: io.BufferedReader(_Xz(file), READ_BYTES)),
}
"""By suffix: how such files begin, and what unpacks them."""


def is_packed(file: IO[bytes]) -> bool:
    """Whether a file begins as a compressed one does."""
    return _opener(file) is not None


def unpacked(file: IO[bytes]) -> IO[bytes]:
    """The file from its start on, through gzip, bzip2 or xz if it is compressed so."""
    opened = _opener(file)
    return cast(IO[bytes], opened(file)) if opened else file


def unpacked_name(name: str) -> str:
    """The name without the suffix of a compression."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in COMPRESSIONS else name


def _opener(file: IO[bytes]) -> Callable[[IO[bytes]], Any] | None:
    file.seek(0)
    start = file.read(8)
    file.seek(0)
    return next((opened for magic, opened in COMPRESSIONS.values() if start.startswith(magic)), None)


class _Xz(io.RawIOBase):
    """An xz file as it was before it was packed; Python's own reader takes as much memory as the file asks for."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._begin()

    def _begin(self) -> None:
        self.file.seek(0)
        self.place = 0
        self.unpacker = lzma.LZMADecompressor(memlimit=limits.MOST_MEMORY)

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
                self.unpacker = lzma.LZMADecompressor(memlimit=limits.MOST_MEMORY)
            else:
                packed = self.file.read(READ_BYTES) if self.unpacker.needs_input else b""
                if self.unpacker.needs_input and not packed:
                    raise EOFError("it ends too early")
            try:
                data = self.unpacker.decompress(packed, most)
            except lzma.LZMAError as error:
                if "Memory" not in str(error):
                    raise
                raise Refused(f"to unpack it takes more than {limits.MOST_MEMORY >> 20} MiB of memory") from None
            if data:
                return data
