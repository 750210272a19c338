"""What reading an archive may take, and how an archive is refused that takes more.

Archives may come from strangers, so nothing is ever unpacked to disk. A member may have MOST_BYTES; an archive, with
all archives in it, MOST_MEMBERS and MOST_UNPACKED, whether that is wanted or only in the way.
"""

import errno
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

MOST_BYTES = 16 << 20
"""The largest file or member of an archive that is read, archives in archives too: one is in memory at a time."""

MOST_UNPACKED = 4 << 30
"""What is unpacked of an archive at most. webpbn.com's whole archive has 0.3 GB as XML; 4 GiB take half a minute."""

MOST_MEMBERS = 1_000_000
"""Members of an archive, those passed over too."""

MOST_MEMORY = 256 << 20
"""What unpacking xz and 7z may take: `xz -9` needs 65 MiB, 7-Zip at its highest level 256 MiB, but a file may ask for
4 GiB."""

READ_BYTES = 1 << 16
"""What is read of a packed file at a time."""

BROKEN = (
    *(OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(ValueError, OverflowError, RuntimeError, struct.error),
)
"""What the standard library raises about files that can't be read and archives that are damaged in whatever way."""


class Refused(ValueError):
    """A file that is whole, but not read, or not to its end: one line says why."""


class Spent(Refused):
    """An archive that goes beyond its budget, perhaps by an archive in it: nothing more of it is read."""


@dataclass
class Budget:
    """What reading an archive has taken so far, with all archives in it: members, and bytes unpacked."""

    members: int = 0
    unpacked: int = 0

    def add_members(self, count: int) -> None:
        """Take so many members more. Raises Spent if they are too many."""
        self.members += count
        if self.members > MOST_MEMBERS:
            raise Spent(f"it has more than {MOST_MEMBERS:,} members; the rest is not read")

    def unpack(self, count: int) -> None:
        """Take so many bytes more. Raises Spent if they are too many."""
        self.unpacked += count
        if self.unpacked > MOST_UNPACKED:
            raise Spent(f"it unpacks to more than {MOST_UNPACKED >> 20:,} MiB; the rest is not read")


class Bounded:
    """A file that refuses to read more than `most` bytes at a time, whatever the headers of an archive ask for.

    With a budget, for what is unpacked as it is read, it goes no further than that allows.
    """

    def __init__(self, file: IO[bytes], most: int, budget: Budget | None = None) -> None:
        self.file, self.most, self.budget = file, most, budget
        self.furthest = 0
        self.tell, self.seekable = file.tell, file.seekable

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """As files do."""
        self._take(place)
        return self.file.seek(place, whence)

    def read(self, size: int = -1) -> bytes:
        """As files do. Raises ValueError where that is more than `most`, Spent where the budget is at its end."""
        if size > self.most:
            raise ValueError(f"a header of {size} bytes")
        data = self.file.read(size if size >= 0 else self.most + 1)
        if len(data) > self.most:
            raise ValueError(f"a header of more than {self.most} bytes")
        if self.budget:
            self._take(self.file.tell())
        return data

    def _take(self, place: int) -> None:
        if self.budget and place > self.furthest:
            self.budget.unpack(place - self.furthest)
            self.furthest = place


def reason(error: BaseException) -> str:
    """Why a file can't be read, in a few words."""
    if isinstance(error, Refused):
        return str(error)
    # a damaged archive sends its reader to places before its beginning
    if isinstance(error, OSError) and error.strerror and error.errno != errno.EINVAL:
        return error.strerror
    text = " ".join(str(error).split()) or type(error).__name__
    return f"it is damaged: {text}"
