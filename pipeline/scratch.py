"""Temporary folders for what is large: deleted at the end, and what a killed process has left by the next one.

Each is locked for as long as its process lives, and the system frees the lock however that ends. So a folder whose lock
can be had is nobody's.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

PREFIX, LOCK = "nonocensus-scratch-", "lock"


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A temporary folder for as long as the block lasts."""
    for left in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another process's, another user's, or gone by now
            lock = _locked(left, os.O_RDWR)
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    # Named before it is made: an interruption may come at any moment.
    place = Path(gettempdir()) / f"{PREFIX}{secrets.token_hex(8)}"
    held: int | None = None
    try:
        held = _made(place)
        yield str(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if held is not None:
            os.close(held)


def _made(place: Path) -> int:
    """Make a folder; returns its lock. It is made again if a process sweeps it before it is locked."""
    while True:
        place.mkdir(0o700, exist_ok=True)
        with suppress(FileNotFoundError, BlockingIOError):
            lock = _locked(place, os.O_RDWR | os.O_CREAT)
            if place.exists():
                return lock
            os.close(lock)


def _locked(folder: Path, how: int) -> int:
    """The lock of a folder, to be closed; an OSError if another process has it, or there is none."""
    lock = os.open(folder / LOCK, how | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
