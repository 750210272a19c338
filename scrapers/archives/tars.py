"""The members of tar archives, compressed or not."""

import tarfile
from collections.abc import Iterator
from typing import IO, cast

from scrapers.archives import archive_limits
from scrapers.archives.archive_limits import Bounded, Budget
from scrapers.archives.member_names import clean, may_be_puzzle
from scrapers.archives.packed import unpacked
from scrapers.archives.source import SourceFile, read, too_large

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2", ".tar.zst", ".tzst")
MAGIC = slice(257, 262)  # of the first header: "ustar"

MOST_HEADER = 1 << 16
"""The largest header of a member that is read into memory; some 300 may follow each other before a member."""


def members(file: IO[bytes], budget: Budget) -> Iterator[SourceFile]:
    """The members that may be puzzles, in their order; what is passed over has to be unpacked, and counts."""
    bounded = Bounded(unpacked(file), MOST_HEADER, budget)
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:") as archive:
        while info := archive.next():
            archive.members.clear()  # type: ignore[attr-defined]  # or else it would keep them all
            archive.pax_headers.clear()  # type: ignore[attr-defined]  # global ones, copied for each member
            budget.add_members(1)
            if info.size < 0:  # some Pythons would go round in circles
                raise tarfile.ReadError(f"a member of {info.size} bytes")
            name = clean(info.name)
            if not info.isreg() or not may_be_puzzle(name):
                continue
            if info.size > archive_limits.MOST_BYTES:
                yield too_large(name)
            elif member := archive.extractfile(info):
                bounded.most = archive_limits.MOST_BYTES + tarfile.BLOCKSIZE
                found = read(name, member)
                bounded.most = MOST_HEADER
                yield found
        # tarfile takes a header that it can't make out for the end
        bounded.seek(archive.offset)
        end = bounded.read(tarfile.BLOCKSIZE)
        if not end:
            raise tarfile.ReadError("it has no end")
        if end.strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")


def is_tar(file: IO[bytes]) -> bool:
    """Whether a file, unpacked if need be, begins as tars do."""
    return unpacked(file).read(tarfile.BLOCKSIZE)[MAGIC] == b"ustar"
