"""Temporary folders for large files: deleted at the end, those of killed processes by the next process.

Each has a lock file that its process holds, and that the system releases however the process ends: a folder whose lock
is free is abandoned.
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
    """Create a temporary folder for the block."""
    for abandoned in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # locked by a live process, another user's, or deleted meanwhile
            lock = _lock(abandoned, os.O_RDWR)
            shutil.rmtree(abandoned, ignore_errors=True)
            os.close(lock)
    # Named before it is created: an interruption may come at any moment.
    place = Path(gettempdir()) / f"{PREFIX}{secrets.token_hex(8)}"
    held: int | None = None
    try:
        held = _create(place)
        yield str(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if held is not None:
            os.close(held)


def _create(place: Path) -> int:
    """Create a folder and return its lock; again if another process deletes it before it is locked."""
    while True:
        place.mkdir(0o700, exist_ok=True)
        with suppress(FileNotFoundError, BlockingIOError):
            lock = _lock(place, os.O_RDWR | os.O_CREAT)
            if place.exists():
                return lock
            os.close(lock)


def _lock(folder: Path, flags: int) -> int:
    """Lock a folder; returns a descriptor to close. Raises OSError if it is locked, or has no lock file."""
    lock = os.open(folder / LOCK, flags | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
