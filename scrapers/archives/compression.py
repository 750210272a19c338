"""gzip, bzip2, xz and zstd: files opened decompressed, and written compressed."""

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

from nonocensus.scrapers.archives.source_file import DEFAULT_READ_LIMITS, READ_BYTES, ReadLimits, UnreadableFile

DECOMPRESSORS: dict[str, tuple[bytes, Callable[[IO[bytes], ReadLimits], Any]]] = {
    ".gz": (b"\x1f\x8b", lambda file, _: gzip.GzipFile(fileobj=file)),
    ".bz2": (b"BZh", lambda file, _: bz2.BZ2File(file)),
    ".xz": (b"\xfd7zXZ\0", lambda file, limits: _buffer(file, partial(_unpack_xz, max_memory=limits.max_memory))),
    ".zst": (b"\x28\xb5\x2f\xfd", lambda file, _: _buffer(file, _unpack_zstd)),
}
"""By suffix: the magic bytes, and what opens such a file."""

COMPRESSORS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": lambda file: pa.CompressedOutputStream(file, "zstd"),
}
"""By suffix; deterministic."""


def is_compressed(file: IO[bytes]) -> bool:
    """Check the magic bytes of a file."""
    return _opener(file) is not None


def open_decompressed(file: IO[bytes], limits: ReadLimits = DEFAULT_READ_LIMITS) -> IO[bytes]:
    """Return the file from its start, decompressed if it is compressed."""
    opener = _opener(file)
    return cast(IO[bytes], opener(file, limits)) if opener else file


@contextmanager
def open_compressing(name: str, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Return a stream that compresses into a file, if its name has the suffix of a compression."""
    compressor = COMPRESSORS.get(PurePosixPath(name).suffix.lower())
    if compressor is None:
        yield file
        return
    with compressor(file) as stream:
        yield stream


def strip_compression_suffix(name: str) -> str:
    """Return the name without the suffix of a compression."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in DECOMPRESSORS else name


def _opener(file: IO[bytes]) -> Callable[[IO[bytes], ReadLimits], Any] | None:
    file.seek(0)
    start = file.read(8)
    file.seek(0)
    return next((opener for magic, opener in DECOMPRESSORS.values() if start.startswith(magic)), None)


class _DecompressedStream(io.RawIOBase):
    """A compressed file, decompressed as it is read; seeking backwards starts again at the beginning.

    unpack   yields the pieces of a file's content, none of them empty
    """

    def __init__(self, file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]) -> None:
        self.file, self.unpack = file, unpack
        self._restart()

    def _restart(self) -> None:
        """Go to the beginning."""
        self.file.seek(0)
        self.pieces, self.piece, self.position = self.unpack(self.file), b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET:
            raise io.UnsupportedOperation("only from the beginning")
        if position < self.position:
            self._restart()
        while self.position < position and self.read(min(position - self.position, READ_BYTES)):
            pass
        return self.position

    def readinto(self, buffer: Any) -> int:
        data = self.piece or next(self.pieces, b"")
        size = min(len(data), len(buffer))
        buffer[:size], self.piece = data[:size], data[size:]
        self.position += size
        return size


def _buffer(file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]) -> io.BufferedReader:
    return io.BufferedReader(_DecompressedStream(file, unpack), READ_BYTES)


def _unpack_xz(file: IO[bytes], max_memory: int) -> Iterator[bytes]:
    """Yield the content of an xz file, which may have several streams, separated by zeros.

    lzma.open would take as much memory as the file asks for.
    """
    decompressor = lzma.LZMADecompressor(memlimit=max_memory)
    while True:
        if decompressor.eof:
            compressed = decompressor.unused_data
            while not (compressed := compressed.lstrip(b"\0")):
                if not (compressed := file.read(READ_BYTES)):
                    return
            decompressor = lzma.LZMADecompressor(memlimit=max_memory)
        else:
            compressed = file.read(READ_BYTES) if decompressor.needs_input else b""
            if decompressor.needs_input and not compressed:
                raise EOFError("it ends too early")
        try:
            data = decompressor.decompress(compressed, READ_BYTES)
        except lzma.LZMAError as error:
            if "Memory" not in str(error):
                raise
            raise UnreadableFile(f"to unpack it takes more than {max_memory >> 20} MiB of memory") from None
        if data:
            yield data


def _unpack_zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a zstd file; the library refuses one that asks for more than 128 MiB of memory."""
    stream = pa.CompressedInputStream(pa.PythonFile(_UnclosedFile(file), "r"), "zstd")
    while data := stream.read(READ_BYTES):
        yield data


class _UnclosedFile:
    """A file that stays open when Arrow closes it, as it does on discarding a stream."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.read = file.read

    def close(self) -> None:
        """Leave it open."""
