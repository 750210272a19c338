"""What reading an archive may take, and how an archive is refused that takes more.

Archives may be untrusted input, so nothing is ever unpacked to disk. A member may have MOST_BYTES; an archive, with
all archives in it, MOST_MEMBERS and MOST_UNPACKED, whether that is wanted or only in the way. A file that is read in
pieces (scrapers.archives.pieces) may have any size, and each of its lines MOST_BYTES; if it is compressed, what comes
out is bounded in proportion to its size: MOST_RATIO.
"""

import errno
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Any

MOST_BYTES = 16 << 20
"""The largest file or member of an archive that is read, archives in archives too: one is in memory at a time.

Also the longest line of a file that is read in pieces: the largest nonogram, 1023x1023 in 31 colours, fits in as JSON.
"""

PIECE_BYTES = 4 << 20
"""Size of the pieces that large files of lines are read in. A longer line is a piece of its own."""

MOST_UNPACKED = 4 << 30
"""What is unpacked of an archive at most. webpbn.com's whole archive has 0.3 GB as XML; 4 GiB take half a minute."""

MOST_RATIO = 1000
"""How many times its size a compressed file of lines may unpack to, where that is more than MOST_UNPACKED.

Puzzles compress to a tenth or so. Time grows with the size of the file then, and memory does not."""

MOST_MEMBERS = 1_000_000
"""Members of an archive, those passed over too."""

MOST_MEMORY = 256 << 20
"""What unpacking xz may take: `xz -9` needs 65 MiB, but a file may ask for 4 GiB."""

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
    """What reading an archive has taken so far, with all archives in it: members, and bytes unpacked, of `most`."""

    members: int = 0
    unpacked: int = 0
    most: int = field(default_factory=lambda: MOST_UNPACKED)

    def add_members(self, count: int) -> None:
        """Take so many members more. Raises Spent if they are too many."""
        self.members += count
        if self.members > MOST_MEMBERS:
            raise Spent(f"it has more than {MOST_MEMBERS:,} members; the rest is not read")

    def allow(self, packed: int) -> None:
        """Allow what a file of `packed` bytes may unpack to, if that is read in pieces."""
        self.most = max(self.most, MOST_RATIO * packed)

    def unpack(self, count: int) -> None:
        """Take so many bytes more. Raises Spent if they are too many."""
        self.unpacked += count
        if self.unpacked > self.most:
            raise Spent(f"it unpacks to more than {self.most >> 20:,} MiB; the rest is not read")


class Bounded:
    """A file that refuses to read more than `most` bytes at a time, whatever the headers of an archive ask for.

    With a budget, for what is unpacked as it is read, it goes no further than that allows.
    """

    def __init__(self, file: Any, most: int, budget: Budget | None = None) -> None:
        self.file, self.most, self.budget = file, most, budget
        self.furthest = 0
        self.tell, self.seekable = file.tell, file.seekable

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """As files do."""
        self._take(place)
        return int(self.file.seek(place, whence))

    def read(self, size: int = -1) -> bytes:
        """As files do. Raises ValueError where that is more than `most`, Spent where the budget is at its end."""
        if size > self.most:
            raise ValueError(f"a header of {size} bytes")
        data: bytes = self.file.read(size if size >= 0 else self.most + 1)
        if len(data) > self.most:
            raise ValueError(f"a header of more than {self.most} bytes")
        if self.budget:
            self._take(self.file.tell())
        return data

    def read1(self, size: int) -> bytes:
        """As buffered files do: what is there, at most `size` bytes, so that nothing is lost if more can't be read."""
        data: bytes = self.file.read1(min(size, self.most))
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
