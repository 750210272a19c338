"""One writer at a time: a lock on a folder, held while a command writes there.

On a local or mounted disk it is a lock of the operating system on a file, which ends with the process however it ends.
Far storage has none, so there the lock is an object that says who holds it and is written anew every half a minute; one
that is older than two minutes is a killed process's and counts for nothing.
"""

import fcntl
import json
import os
import platform
import secrets
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from pipeline.errors import StorageError, UserError
from pipeline.store.folder import Folder

LOCK = "writer.lock"

RENEWED_EVERY, DEAD_AFTER = 30.0, 120.0
"""Seconds between two renewals of a lock on far storage, and after how many it is nobody's."""

_held: ContextVar[frozenset[str]] = ContextVar("held", default=frozenset())
"""The folders whose locks the caller holds: what holds one may call what takes it. Other threads hold none."""


@contextmanager
def sole_writer(place: Folder) -> Iterator[None]:
    """A block in which no other process writes to a folder; a UserError says who does.

    A folder that did not exist and in which nothing was written is not left behind.
    """
    if place.uri in _held.get():
        yield
        return
    with _locked_file(place) if place.local else _locked_object(place):
        before = _held.set(_held.get() | {place.uri})
        try:
            yield
        finally:
            _held.reset(before)


def holds(place: Folder) -> bool:
    """Whether the caller holds the lock of a folder."""
    return place.uri in _held.get()


@contextmanager
def _locked_file(place: Folder) -> Iterator[None]:
    """Hold a lock of the operating system."""
    path = Path(place.path) / LOCK
    made = not path.parent.exists()
    with _locked(place, path) as file:
        with suppress(OSError):  # a full disk: the lock holds all the same
            file.truncate(0)
            file.write(_who())
            file.flush()
        try:
            yield
        finally:
            with suppress(OSError):  # somebody has deleted the folder
                if made and [path] == list(path.parent.iterdir()):
                    path.unlink()
                    path.parent.rmdir()


@contextmanager
def _locked(place: Folder, path: Path) -> Iterator[TextIO]:
    """The lock's file, locked. What a stranger has put in its place, a link say, is not followed."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(f"{place.name} can't be written: {error}") from error
        with os.fdopen(number, "a+", encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise StorageError(f"{place.name} can't be written: its {LOCK} is no file; delete it")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise _taken(place, file.read()) from None
            if not _is_still(path, number):
                continue  # who held it has deleted it meanwhile
            yield file
            return


def _is_still(path: Path, number: int) -> bool:
    """Whether an open file is the one of this path."""
    try:
        return os.path.samestat(os.fstat(number), path.stat(follow_symlinks=False))
    except OSError:
        return False


@contextmanager
def _locked_object(place: Folder) -> Iterator[None]:
    """Hold an object that says who holds it: written, then read again, in case another came at the same moment."""
    age = place.age(LOCK)
    if age is not None and age < DEAD_AFTER:
        raise _taken(place, _read(place), "wait for it, or end it; if it was killed, try again in two minutes")
    mine = _who().encode()
    place.write(LOCK, mine)
    if _read(place) != mine.decode():
        raise _taken(place, _read(place), "wait for it, or end it")
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(RENEWED_EVERY):
            with suppress(OSError):  # the storage does not answer; who writes there will say so
                place.write(LOCK, mine)

    renewer = threading.Thread(target=renew, daemon=True)
    renewer.start()
    try:
        yield
    finally:
        ended.set()
        renewer.join()
        place.delete(LOCK)


def _read(place: Folder) -> str:
    with place.open(LOCK) as stream:
        return bytes(stream.read()).decode("utf-8", "replace")


def _who() -> str:
    return json.dumps(
        {
            "host": platform.node(),
            "pid": os.getpid(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": " ".join(["nonocensus", *sys.argv[1:]]),
            "token": secrets.token_hex(8),
        },
        ensure_ascii=False,
    )


def _taken(place: Folder, who: str, advice: str = "wait for it, or end it") -> UserError:
    try:
        about = json.loads(who)
        holder = f"{about['command']} (process {about['pid']} on {about['host']}, since {about['since']})"
    except (ValueError, TypeError, KeyError):
        holder = "another command"
    return UserError(f"{place.name} is being written by {holder}; {advice}")
