"""Temporary folders for large files: deleted at the end, those of killed processes by the next process.

A process holds a lock of the system on its folder, which ends with the process: a folder without lock is abandoned.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

PREFIX = "nonocensus-scratch-"

YOUNG = 60.0
"""Seconds for which a folder without lock is not abandoned: its process may be about to lock it."""


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Create a temporary folder for the block."""
    for place in Path(gettempdir()).glob(f"{PREFIX}????????"):
        with suppress(OSError), _lock_folder(str(place), fcntl.LOCK_EX | fcntl.LOCK_NB) as status:
            # An OSError: it is locked by a live process, another user's, or deleted meanwhile.
            if time.time() - status.st_mtime > YOUNG:
                shutil.rmtree(place, ignore_errors=True)
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder, _lock_folder(folder, fcntl.LOCK_SH):
        yield folder


@contextmanager
def _lock_folder(folder: str, lock: int) -> Iterator[os.stat_result]:
    """Lock a folder, and yield its status. Raises OSError if that fails, or it is no folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, lock)
        yield os.fstat(descriptor)
    finally:
        os.close(descriptor)
