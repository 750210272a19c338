"""The journal of an attempt that has not ended: a file that grows by a line for each message, and is then deleted.

The first line says when the puzzle was shown, {"shown": ...}; each other one is what came at once, {"heard": ...,
"resumed": ..., "acts": [...]}. A line is on the disk before it is confirmed, and a line that was not written to its end
counts for nothing. The hour of the day that it holds goes with it.
"""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from pipeline.errors import InputError
from pipeline.store.folder import Folder
from pipeline.study.attempt import Act, Milliseconds, Step, step_of
from pipeline.study.folder import sync
from reports.study.tables import RESUMED

SUFFIX = ".jsonl"

ADVICE = "delete it, and this attempt is lost"


class Head(msgspec.Struct, frozen=True):
    """The first line: milliseconds since 1970 when the puzzle was first shown."""

    shown: int


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came at once: milliseconds since the puzzle was shown, whether the page was opened again, the acts."""

    heard: Milliseconds
    resumed: bool = False
    acts: list[Act] = []

    @property
    def steps(self) -> list[Step]:
        """What comes of it in the attempt."""
        return [Step(self.heard, RESUMED)] * self.resumed + [step_of(act) for act in self.acts]


class Journal(NamedTuple):
    """What a journal tells: its first line, the others, and its bytes up to the last line that is whole."""

    head: Head
    lines: list[Line]
    size: int


HEADS, LINES = msgspec.json.Decoder(Head), msgspec.json.Decoder(Line)


def begin(place: Folder, name: str, head: Head) -> int:
    """Write a new journal; returns its bytes. After an OSError there is none."""
    path = Path(place.path, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_bytes(b"")
        size = append(place, name, 0, head)
        sync(place)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return size


def append(place: Folder, name: str, size: int, line: Head | Line) -> int:
    """Write a line after so many bytes, all that is confirmed; returns the bytes with it.

    After an OSError the line is not there, or at least not confirmed: what stands after `size` is written over.
    """
    data = msgspec.json.encode(line) + b"\n"
    with Path(place.path, name).open("rb+", buffering=0) as file:
        file.truncate(size)
        file.seek(size)
        while data:
            written = file.write(data) or 0
            data, size = data[written:], size + written
        os.fsync(file.fileno())
    return size


def read(place: Folder, name: str) -> Journal | None:
    """What a journal tells; None if not even its first line is whole. An InputError says that it is damaged."""
    with place.open(name) as stream:
        data: bytes = stream.read()
    first, *others, torn = data.split(b"\n") if b"\n" in data else (b"", b"")
    if not first:
        return None
    try:
        head, lines = HEADS.decode(first), [LINES.decode(text) for text in others]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{place.name}/{name} can't be read: {error}; {ADVICE}") from error
    return Journal(head, lines, len(data) - len(torn))
