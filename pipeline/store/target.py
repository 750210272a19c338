"""A file that the user names for a command to write: there as a whole or not at all.

What is no regular file, a device or a pipe, is written to as it is; a file that is replaced keeps its mode; `-` is
standard output.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pipeline.errors import StorageError, UserError
from pipeline.store.paths import folder

STDOUT = "-"


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """What a command writes to; on any of Arrow's filesystems."""
    if path == STDOUT:
        if sys.stdout is None:  # closed by whoever started the program
            raise StorageError("standard output is closed")
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    place = Path(path)
    if "://" not in path:
        if place.exists() and not (place.is_file() or place.is_dir()):
            with place.open("wb") as stream:
                yield stream
            return
        if place.is_dir():
            path = f"{path}/"
        elif place.is_symlink():
            path = str(place.resolve())
    parent, slash, name = path.rpartition("/")
    if not name:
        raise UserError(f"{path} is a folder; name a file")
    with folder((parent or slash) or ".").create(name) as stream:
        yield stream
