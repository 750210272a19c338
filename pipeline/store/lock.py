"""One writer at a time: a lock on a folder, held while a command writes there.

On a local or mounted disk it is a lock of the operating system on a file, which ends with the process however it ends.
Far storage has none, so there the lock is a lease: an object that names its holder, renewed every half a minute.
Taking, renewing and releasing it are conditional writes, so of two processes one succeeds. A lease that has not been
renewed for two minutes, by the server's clock alone, may be taken over.

Its former holder may only be paused, and go on. So whatever makes data count is written between two looks at the lease
(`committing`), and is itself a conditional write (Folder.commit): a writer that has lost its lease stops at its next
commit, replaces nothing that another one has written, and reports nothing as written that it wrote too late.
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
from typing import Any, NamedTuple, TextIO

from pipeline.errors import StorageError, UserError
from pipeline.store.objects import NEW, ConflictError, StoredObject, Version
from pipeline.store.paths import UNFINISHED, Folder

LOCK = "writer.lock"

RENEWED_EVERY, DEAD_AFTER = 30.0, 120.0
"""Seconds between two renewals of a lease on far storage, and after how many it may be taken over."""


class Lease(NamedTuple):
    """The right to write to a far folder, for the process that holds it and its tasks elsewhere, with a token."""

    place: str
    options: str
    token: str

    def covers(self, place: Folder) -> bool:
        """Whether a folder is the lease's, or in it."""
        return place.options == self.options and f"{place.name}/".startswith(f"{self.place}/")


_held: ContextVar[dict[str, Lease | None]] = ContextVar("held", default={})  # noqa: B039 (never changed)
"""The folders whose locks the caller holds: what holds one may call what takes it. Other threads hold none."""


@contextmanager
def writer_lock(place: Folder) -> Iterator[None]:
    """A block in which no other process writes to a folder; a UserError says who does.

    A folder that did not exist and in which nothing was written is not left behind.
    """
    if place.uri in _held.get():
        yield
        return
    with _locked_file(place) if place.local else _leased(place) as lease:
        before = _held.set({**_held.get(), place.uri: lease})
        try:
            yield
        finally:
            _held.reset(before)


@contextmanager
def staging(place: Folder) -> Iterator[Folder]:
    """A temporary folder in another one, for files to move into it once they are written: one process at a time.

    It is deleted at the end, and what a killed process has left of it by the next one.
    """
    new = place / f"new{UNFINISHED}"
    if place.local:
        new = new._replace(name=place.name)  # for messages: where its files are going to be
    with writer_lock(new):
        try:
            yield new
        finally:
            new.clear()


def is_locked_here(place: Folder) -> bool:
    """Whether the caller holds the lock of a folder."""
    return place.uri in _held.get()


def current_lease(place: Folder) -> Lease | None:
    """The caller's lease of a folder, to be passed to tasks that write there; None if the folder is local."""
    return next((lease for lease in _held.get().values() if lease is not None and lease.covers(place)), None)


@contextmanager
def borrow_lease(lease: Lease | None) -> Iterator[None]:
    """A block in which a task writes under the lease of the process that has begun it."""
    before = _held.set({**_held.get(), lease.place + lease.options: lease} if lease else _held.get())
    try:
        yield
    finally:
        _held.reset(before)


def check_lease(place: Folder) -> None:
    """Raise a StorageError if the caller's lease of a far folder, or of one that it is in, has been lost."""
    lease = current_lease(place)
    if lease is None:
        return
    path = place.path.removesuffix(place.name.removeprefix(lease.place))
    there = Folder(place.filesystem, path, lease.place, lease.options).read_object(LOCK)
    if there is None or _about(there.data).get("token") != lease.token:
        raise StorageError(
            f"{lease.place} has been taken over by {_holder(there.data if there else b'')}, since this command did not "
            f"renew its lock for {DEAD_AFTER:.0f} s; it stops here, and what it had written stays"
        )


@contextmanager
def commit_under_lease(place: Folder) -> Iterator[None]:
    """A block that makes data in a folder count. A StorageError says so if the lease is lost before its end.

    The lease that is still held afterwards was held throughout: no other writer has been at work meanwhile.
    """
    check_lease(place)
    yield
    check_lease(place)


@contextmanager
def _locked_file(place: Folder) -> Iterator[None]:
    """Hold a lock of the operating system on a file."""
    path = Path(place.path) / LOCK
    made = not path.parent.exists()
    with _locked(place, path) as file:
        with suppress(OSError):  # a full disk: the lock holds all the same
            file.truncate(0)
            os.write(file.fileno(), _encoded(_who()))  # unbuffered: closing the file would fail again
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
def _leased(place: Folder) -> Iterator[Lease]:
    """Hold a lease, renewed by a thread."""
    about = _who()
    lease = Lease(place.name, place.options, about["token"])
    version = _take(place, about)
    ended = threading.Event()

    def write(**more: Any) -> None:
        nonlocal version
        data = _encoded(about | more)
        try:
            version = place.replace_object(LOCK, data, version)
        except ConflictError:
            there = place.read_object(LOCK)
            if there is None or _about(there.data).get("token") != lease.token:
                raise
            version = place.replace_object(LOCK, data, there.version)  # a renewal had succeeded whose answer was lost

    def renew() -> None:
        renewals = 0
        while not ended.wait(RENEWED_EVERY):
            renewals += 1
            try:
                write(renewals=renewals)
            except ConflictError:
                return  # taken over: the next commit says so
            except OSError:  # the storage does not answer: the next commit says so
                continue

    renewer = threading.Thread(target=renew, daemon=True)
    renewer.start()
    try:
        yield lease
    finally:
        ended.set()
        renewer.join()
        with suppress(OSError):  # it is another's, or ends by itself
            write(released=True)


def _take(place: Folder, about: dict[str, Any]) -> Version:
    """Write the object of a lease, if there is none, or one that is released or dead; returns its version."""
    there = place.read_object(LOCK)
    if there is not None and not _about(there.data).get("released") and _age(place, there) < DEAD_AFTER:
        raise _taken(place, there.data, "wait for it, or end it; if it was killed, try again in two minutes")
    taken = _exchange(place, about, there.version if there else NEW)
    return taken if there else _exchange(place, about | {"confirmed": True}, taken)  # is If-Match known there, too?


def _exchange(place: Folder, about: dict[str, Any], over: Version) -> Version:
    """Write the object of a lease over a version, and try the same again, which has to be refused."""
    try:
        written = place.replace_object(LOCK, _encoded(about), over)
    except ConflictError:
        there = place.read_object(LOCK)
        if there is None or _about(there.data).get("token") != about["token"]:
            raise _taken(place, there.data if there else b"") from None
    else:
        try:
            place.replace_object(LOCK, _encoded(about | {"again": True}), over)
        except ConflictError:
            return written
        except OSError:
            with suppress(OSError):  # it ends by itself
                place.replace_object(LOCK, _encoded(about | {"released": True}), written)
            raise
    with suppress(OSError):
        place.delete(LOCK)
    raise StorageError(
        f"{place.name} can't be written safely: its storage ignores conditional writes (If-None-Match, If-Match), or "
        "refuses them all"
    )


def _age(place: Folder, there: StoredObject) -> float:
    """Seconds since an object was written, both times by the server's clock."""
    return (place.server_time() - there.modified).total_seconds()


def _who() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": " ".join(["nonocensus", *sys.argv[1:]]),
        "token": secrets.token_hex(8),
    }


def _encoded(about: dict[str, Any]) -> bytes:
    return json.dumps(about, ensure_ascii=False).encode()


def _about(lock: bytes | str) -> dict[str, Any]:
    """What a lock says; nothing if it is damaged."""
    try:
        about = json.loads(lock)
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}


def _holder(lock: bytes | str) -> str:
    about = _about(lock)
    if about.keys() >= {"command", "pid", "host", "since"}:
        return f"{about['command']} (process {about['pid']} on {about['host']}, since {about['since']})"
    return "another command"


def _taken(place: Folder, lock: bytes | str, advice: str = "wait for it, or end it") -> UserError:
    return UserError(f"{place.name} is being written by {_holder(lock)}; {advice}")
