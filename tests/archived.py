"""Archives for tests to read, well made and otherwise."""

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import py7zr

from scrapers.archives.seven_zip import MAGIC
from scrapers.archives.source import SourceFile
from scrapers.files import files_in


def tar_of(members: dict[str, bytes], mode: str = "w:") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_of(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def found_in(path: Path, data: bytes) -> list[SourceFile]:
    path.write_bytes(data)
    return list(files_in([path]))


def names(found: list[SourceFile]) -> list[str]:
    return [file.name for file in found]


def seven_of(members: dict[str, bytes], *methods: int, plain_contents: bool = False, **options: Any) -> bytes:
    """A 7z archive; without methods packed as py7zr likes it. Its list of contents is packed, too, or plain."""
    levels = {py7zr.FILTER_LZMA: {"preset": 6}, py7zr.FILTER_LZMA2: {"preset": 6}, py7zr.FILTER_ZSTD: {"level": 3}}
    filters = [{"id": method, **levels.get(method, {})} for method in methods] or None
    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w", filters=filters, **options) as archive:
        archive.set_encoded_header_mode(not plain_contents)
        for name, data in members.items():
            archive.writestr(data, name)
    return buffer.getvalue()


def with_contents(body: bytes, header: bytes) -> bytes:
    """A 7z archive of this body and this list of contents, whose checksums are right."""
    tail = struct.pack("<QQI", len(body), len(header), zlib.crc32(header))
    return MAGIC + b"\0\4" + struct.pack("<I", zlib.crc32(tail)) + tail + body + header


def with_packed_contents(header: bytes, properties: bytes | None = None, size: int | None = None) -> bytes:
    """A 7z archive of nothing but a list of contents, packed by LZMA2; properties and size may be made up."""
    method = [{"id": lzma.FILTER_LZMA2, "preset": 1}]
    body = lzma.compress(header, format=lzma.FORMAT_RAW, filters=method)
    known = lzma._encode_filter_properties(method[0]) if properties is None else properties
    streams = b"\x06\0\1\x09" + number(len(body)) + b"\0\x07\x0b\1\0\1\x21\x21\1" + known
    return with_contents(body, b"\x17" + streams + b"\x0c" + number(len(header) if size is None else size) + b"\0\0")


def number(value: int) -> bytes:
    """As 7z writes numbers, though not as short as it would."""
    return b"\xff" + struct.pack("<Q", value)
