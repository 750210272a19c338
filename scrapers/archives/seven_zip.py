"""The members of 7z archives, unpacked by py7zr, which the extra `7z` installs.

py7zr's SevenZipFile reads a list of contents however much memory that takes, and unpacks a block of many members at
once, or from its beginning for each. So what it is made of is used here: `archiveinfo` reads the list of contents once
its length and its counts are known to be small, `compressor` unpacks a block piece by piece, each block once. The
format is described in 7zFormat.txt of the LZMA SDK (https://www.7-zip.org/sdk.html); a block is called folder there.
"""

import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar, cast

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import BROKEN, Budget, Refused
from scrapers.archives.member_names import clean, may_be_puzzle
from scrapers.archives.source import SourceFile, too_large

if TYPE_CHECKING:
    from py7zr.archiveinfo import FilesInfo, Folder, HeaderStreamsInfo, SignatureHeader, StreamsInfo, SubstreamsInfo
    from py7zr.py7zr import FileInfoDict

SUFFIXES = (".7z",)
MAGIC = b"7z\xbc\xaf\x27\x1c"

COPY, LZMA, LZMA2, BZIP2, AES = b"\0", b"\3\1\1", b"\x21", b"\4\2\2", b"\6\xf1\7\1"

METHODS = (COPY, LZMA, LZMA2, BZIP2)
"""What the standard library unpacks for py7zr, piece by piece. Of deflate and Zstandard py7zr takes whatever comes out,
and pyppmd, which it takes for PPMd, crashes on damaged data."""

FILTERS = tuple(map(bytes.fromhex, ("03", "03030103", "03030205", "03030401", "03030501", "03030701", "03030805")))
"""Delta and branches of programs, which may follow LZMA2, as in all that py7zr packs itself: liblzma undoes both."""

MOST_DIRECTORY = 16 << 20
"""The largest list of contents, unpacked: about 300,000 members. As objects it takes twenty times as much."""

DIRECTORY_COST = 100
"""Reading a byte of a list of contents takes as long as unpacking so many of a member, where a stranger wants it to."""

MOST_POINTER = 1 << 10
"""The largest header that says where the packed list of contents is; 7-Zip writes some forty bytes."""

MOST_BLOCKS = 1 << 14
"""Blocks of an archive: each may take 30 kB as objects. Archives of so many members are solid, or of another kind."""

PIECE = 1 << 20
"""Bytes that are unpacked at a time. The pieces put in are so much smaller that few of them ever wait."""

DAMAGE = (*BROKEN, AssertionError, AttributeError, LookupError, MemoryError, TypeError)
"""What py7zr raises about damaged archives, beside its own ArchiveError."""

Result = TypeVar("Result")


class _Member(NamedTuple):
    """A member: whether it may be a puzzle, its bytes, and its CRC-32 if that is known."""

    name: str
    wanted: bool
    size: int
    crc: int | None

    @property
    def is_read(self) -> bool:
        return self.wanted and self.size <= archive_limits.MOST_BYTES


class _Block(NamedTuple):
    """Members that are packed together: how, where the packed bytes begin, and how many there are."""

    folder: "Folder"
    start: int
    size: int
    members: list[_Member]


class _Contents(NamedTuple):
    """A list of contents; members without a byte are in no block."""

    empty: list[_Member]
    blocks: list[_Block]


def members(file: IO[bytes], budget: Budget) -> Iterator[SourceFile]:
    """The members that may be puzzles, in their order, empty ones last.

    What is passed over counts where something follows in its block. Raises Refused if the archive is encrypted or py7zr
    is not installed, ValueError if it is damaged.
    """
    found = _contents(file, budget)
    for block in found.blocks:
        yield from _block_members(file, block, budget)
    for member in found.empty:
        if member.wanted:
            yield SourceFile(member.name, b"")


def names(file: IO[bytes]) -> list[str]:
    """The names of what `members` yields, from the list of contents."""
    empty, blocks = _contents(file, Budget())
    every = [*(block.members for block in blocks), empty]
    return [member.name for some in every for member in some if member.wanted]


def _block_members(file: IO[bytes], block: _Block, budget: Budget) -> Iterator[SourceFile]:
    wanted = [number for number, member in enumerate(block.members) if member.wanted]
    if not wanted:
        return
    if why := _why_not(block.folder):
        yield from (SourceFile(block.members[number].name, None, why) for number in wanted)
        return
    last = max((number for number in wanted if block.members[number].is_read), default=-1)
    unpacked = _unpacked(file, block.folder, block.start, block.size)
    for number, member in enumerate(block.members[: wanted[-1] + 1]):
        if member.wanted and not member.is_read:
            yield too_large(member.name)
        if number <= last:
            budget.unpack(member.size)
            if member.is_read:
                yield _read(member, unpacked)
            else:
                _skip(unpacked, member.size)


def _read(member: _Member, unpacked: IO[bytes]) -> SourceFile:
    data = _exactly(unpacked, member.size)
    if member.crc not in (None, zlib.crc32(data)):
        return SourceFile(member.name, None, "it is damaged: its checksum is another")
    return SourceFile(member.name, data)


def _skip(unpacked: IO[bytes], size: int) -> None:
    for place in range(0, size, PIECE):
        _exactly(unpacked, min(PIECE, size - place))


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError("it ends too early")
    return data


def _why_not(folder: "Folder") -> str | None:
    """Why a block can't be unpacked. Raises Refused if it is encrypted, since then all of the archive is."""
    from py7zr.compressor import get_methods_names

    methods = [coder["method"] for coder in folder.coders]
    if AES in methods:
        raise Refused("it is encrypted")
    method, *filters = methods
    if method not in METHODS or (filters and (method != LZMA2 or not set(filters) <= set(FILTERS))):
        return (
            f"7z compression method {' and '.join(get_methods_names([folder.coders])) or method.hex()} is not supported"
        )
    if _memory(folder.coders[0]) > archive_limits.MOST_MEMORY:
        return f"to unpack it takes more than {archive_limits.MOST_MEMORY >> 20} MiB of memory"
    return None


def _memory(coder: dict[str, Any]) -> int:
    """Bytes that a method asks for: LZMA's dictionary."""
    method, properties = coder["method"], coder["properties"] or b""
    if method == LZMA2 and properties:
        return cast(int, lzma._decode_filter_properties(lzma.FILTER_LZMA2, properties)["dict_size"])  # type: ignore
    return int.from_bytes(properties[1:5], "little") if method == LZMA else 0


def _unpacked(file: IO[bytes], folder: "Folder", start: int, size: int) -> IO[bytes]:
    """What is in so many bytes of the file from `start` on."""
    return io.BufferedReader(_Unpacker(file, folder, start, size), PIECE)


class _Unpacker(io.RawIOBase):
    """The members of a block, one after the other, to be read once."""

    def __init__(self, file: IO[bytes], folder: "Folder", start: int, size: int) -> None:
        from py7zr.compressor import SevenZipDecompressor

        self.file = file
        file.seek(start)
        self.unpacker = _judged(
            lambda: SevenZipDecompressor(
                folder.coders, size, folder.unpacksizes, folder.crc, blocksize=archive_limits.READ_BYTES // 4
            )
        )

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = _judged(lambda: self._next(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def _next(self, most: int) -> bytes:
        """Some bytes, at most so many; none at the end."""
        while True:
            consumed = self.unpacker.consumed
            data = self.unpacker.decompress(self.file, most)
            if data or self.unpacker.consumed == consumed:
                return data


def _contents(file: IO[bytes], budget: Budget) -> _Contents:
    """An archive's list of contents. Raises as `members` does."""
    try:
        import py7zr  # noqa: F401
    except ModuleNotFoundError:
        raise Refused("7z archives are read with the extra 7z: pip install 'nonocensus[7z]'") from None
    return _judged(lambda: _listed(file, budget))


def _judged(step: Callable[[], Result]) -> Result:
    """What a step of py7zr returns. Raises ValueError, whatever it raises."""
    from py7zr.exceptions import ArchiveError

    try:
        return step()
    except Refused:
        raise
    except (ArchiveError, *DAMAGE) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def _listed(file: IO[bytes], budget: Budget) -> _Contents:
    from py7zr.archiveinfo import SignatureHeader
    from py7zr.properties import PROPERTY

    file.seek(0)
    signature = SignatureHeader.retrieve(cast(BinaryIO, file))
    start = file.tell()
    if not signature.nextheadersize:
        return _Contents([], [])
    data = _header(file, start, signature)
    budget.unpack(DIRECTORY_COST * len(data))
    header = io.BytesIO(data)
    if header.read(1) != PROPERTY.HEADER:
        raise ValueError("no list of contents")
    streams, kind = None, header.read(1)
    if kind == PROPERTY.MAIN_STREAMS_INFO:
        streams, kind = _streams(header), header.read(1)
    if kind != PROPERTY.FILES_INFO:
        raise ValueError("no names in its list of contents")
    return _paired(_files(header, budget), streams, start)


def _header(file: IO[bytes], start: int, signature: "SignatureHeader") -> bytes:
    """The list of contents, unpacked if need be; `start` is where all offsets begin."""
    from py7zr.archiveinfo import HeaderStreamsInfo
    from py7zr.properties import PROPERTY

    _check_directory(signature.nextheadersize)
    file.seek(start + signature.nextheaderofs)
    header = _exactly(file, signature.nextheadersize)
    if zlib.crc32(header) != signature.nextheadercrc:
        raise ValueError("the checksum of its list of contents is another")
    if header[:1] != PROPERTY.ENCODED_HEADER:
        return header
    if len(header) > MOST_POINTER:
        raise ValueError(f"a header of {len(header)} bytes")
    return _unpacked_header(file, start, HeaderStreamsInfo.retrieve(io.BytesIO(header[1:])))


def _unpacked_header(file: IO[bytes], start: int, streams: "HeaderStreamsInfo") -> bytes:
    (folder,) = streams.unpackinfo.folders
    (packed,) = streams.packinfo.packsizes
    if why := _why_not(folder):
        raise Refused(why)
    size = folder.get_unpack_size()
    _check_directory(size)
    header = _exactly(_unpacked(file, folder, start + streams.packinfo.packpos, packed), size)
    if folder.digestdefined and folder.crc != zlib.crc32(header):
        raise ValueError("the checksum of its list of contents is another")
    return header


def _check_directory(size: int) -> None:
    if size > MOST_DIRECTORY:
        raise Refused(f"its list of contents is larger than {MOST_DIRECTORY >> 20} MiB")


def _streams(header: BinaryIO) -> "StreamsInfo":
    """How the members are packed. The blocks are counted before they are read."""
    from py7zr.archiveinfo import PackInfo, StreamsInfo, read_uint64
    from py7zr.properties import PROPERTY

    place = header.tell()
    if header.read(1) == PROPERTY.PACK_INFO:
        PackInfo.retrieve(header)
        if header.read(2) == PROPERTY.UNPACK_INFO + PROPERTY.FOLDER and read_uint64(header) > MOST_BLOCKS:
            raise Refused(f"it has more than {MOST_BLOCKS:,} blocks")
    header.seek(place, os.SEEK_SET)
    streams: StreamsInfo = StreamsInfo.retrieve(header)
    return streams


def _files(header: BinaryIO, budget: Budget) -> "FilesInfo":
    """The members' names and properties. Both are counted before they are read; a property comes once."""
    from py7zr.archiveinfo import FilesInfo, read_uint64
    from py7zr.properties import PROPERTY

    place, seen = header.tell(), set[bytes]()
    budget.add_members(read_uint64(header))
    while (kind := header.read(1)) not in (PROPERTY.END, b""):
        if kind in seen and kind != PROPERTY.DUMMY:
            raise ValueError("a property comes twice")
        seen.add(kind)
        header.seek(read_uint64(header), os.SEEK_CUR)
    header.seek(place)
    files: FilesInfo = FilesInfo.retrieve(header)
    return files


def _paired(info: "FilesInfo", streams: "StreamsInfo | None", start: int) -> _Contents:
    """Members with their blocks: those that are not empty take the streams in their order."""
    files, marks = info.files, iter(info.emptyfiles)
    empty = [
        _member(each, 0, None, is_file=next(marks, False) or each.get("attributes") is not None)
        for each in files
        if each["emptystream"]
    ]
    others = iter([each for each in files if not each["emptystream"]])
    blocks = []
    if streams is not None:
        packed, unpacked, place = streams.packinfo, streams.unpackinfo, 0
        if packed is None or unpacked is None:
            raise ValueError("blocks without bytes")
        for folder, parts in zip(unpacked.folders, _parts(unpacked.folders, streams.substreamsinfo), strict=True):
            found = [_member(each, *part) for each, part in zip(islice(others, len(parts)), parts, strict=True)]
            begin = start + packed.packpos + packed.packpositions[place]
            blocks.append(_Block(folder, begin, packed.packsizes[place], found))
            place += len(folder.packed_indices)
    if next(others, None) is not None:
        raise ValueError("members without a place")
    return _Contents(empty, blocks)


def _parts(folders: list["Folder"], info: "SubstreamsInfo | None") -> Iterator[list[tuple[int, int | None]]]:
    """For each block the sizes and checksums of its members."""
    if info is None:
        for folder in folders:
            yield [(folder.get_unpack_size(), folder.crc if folder.digestdefined else None)]
        return
    sizes = iter(info.unpacksizes if info.unpacksizes is not None else [folder.get_unpack_size() for folder in folders])
    crcs = iter([crc if known else None for crc, known in zip(info.digests, info.digestsdefined, strict=True)])
    for count in info.num_unpackstreams_folders:
        # py7zr has a size, too, for a block without members
        own = list(islice(sizes, max(count, 1)))[:count]
        if len(own) < count or any(size < 0 for size in own):
            raise ValueError("sizes that can't be")
        yield list(zip(own, islice(crcs, count), strict=True))


def _member(info: dict[str, Any], size: int, crc: int | None, is_file: bool = True) -> _Member:
    from py7zr.py7zr import ArchiveFile

    name = clean(info.get("filename", "contents"))
    return _Member(
        name, is_file and ArchiveFile(0, cast("FileInfoDict", info)).is_file and may_be_puzzle(name), size, crc
    )
