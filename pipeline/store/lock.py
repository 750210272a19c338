"""One writer per folder: an exclusive lock held while a command writes.

Local disks: a POSIX file lock, which the kernel releases when the process ends. Object storage: a lease, an object
that names its holder and is renewed every 30 seconds. Taking, renewing and releasing it are conditional writes, so one
of two processes wins. A lease not renewed for two minutes, by the server's clock, may be taken over.

Its former holder may be suspended and resume. So every commit happens between two checks of the lease
(`commit_under_lease`) and is itself a conditional write (Folder.commit): a writer that lost its lease fails at its next
commit and overwrites nothing.
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

from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.pipeline.store.objects import NEW, ConflictError, Version
from nonocensus.pipeline.store.paths import UNFINISHED, Folder
from nonocensus.scrapers.url import redact

LOCK = "writer.lock"

RENEWAL_INTERVAL, EXPIRY = 30.0, 120.0
"""Seconds between renewals of a lease, and since the last one until it may be taken over."""


class Lease(NamedTuple):
    """A lease on a folder in object storage, passed on to the holder's tasks."""

    place: str
    options: str
    uri: str
    token: str

    def covers(self, place: Folder) -> bool:
        """Return whether a folder is the leased one or in it."""
        return place.options == self.options and f"{place.name}/".startswith(f"{self.place}/")


_locks: ContextVar[dict[str, Lease | None]] = ContextVar("locks", default={})  # noqa: B039 (never changed)
"""Locks that this context holds, by folder URI; locks are reentrant within a context, not across threads."""


@contextmanager
def writer_lock(place: Folder, use: str = "written") -> Iterator[None]:
    """Hold the writer lock of a folder, which is `use` by the holder. Raises UserError naming the current holder.

    A folder created for the lock is removed if nothing else was written to it.
    """
    if place.uri in _locks.get():
        yield
        return
    with _locked_file(place, use) if place.local else _lease(place) as lease:
        token = _locks.set({**_locks.get(), place.uri: lease})
        try:
            yield
        finally:
            _locks.reset(token)


@contextmanager
def staging(place: Folder) -> Iterator[Folder]:
    """Hold a locked temporary folder inside another, for files to be moved out when complete.

    It is deleted at the end; the next process deletes what a killed one left.
    """
    new = place / f"new{UNFINISHED}"
    made = place.local and not Path(place.path).exists()
    if place.local:
        new = new._replace(name=place.name)  # messages name the final location
    with writer_lock(new):
        try:
            yield new
        finally:
            new.clear()
            if made:
                with suppress(OSError):  # it has files
                    Path(place.path).rmdir()


def is_locked_elsewhere(place: Folder) -> bool:
    """Return whether another command holds the lock of a folder; writes nothing."""
    if place.uri in _locks.get() or not place.has(LOCK):
        return False
    try:
        if not place.local:
            with place.open(LOCK) as lease:
                return (place.age(LOCK) or 0.0) < EXPIRY and not _decode(lease.read()).get("released")
        with Path(place.path, LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # released meanwhile
        pass
    return False


def current_lease(place: Folder) -> Lease | None:
    """Return this context's lease that covers a folder, to pass to tasks; None for local folders."""
    return next((lease for lease in _locks.get().values() if lease is not None and lease.covers(place)), None)


@contextmanager
def borrow_lease(lease: Lease | None) -> Iterator[None]:
    """Write under the lease of the process that submitted this task."""
    token = _locks.set({**_locks.get(), lease.uri: lease} if lease else _locks.get())
    try:
        yield
    finally:
        _locks.reset(token)


def check_lease(place: Folder) -> None:
    """Raise a StorageError if this context's lease that covers a folder was lost."""
    lease = current_lease(place)
    if lease is None:
        return
    path = place.path.removesuffix(place.name.removeprefix(lease.place))
    there = Folder(place.filesystem, path, lease.place, lease.options).read_object(LOCK)
    if there is None or _decode(there.data).get("token") != lease.token:
        raise StorageError(
            f"{lease.place} has been taken over by {_holder(there.data if there else b'')}, since this command did not "
            f"renew its lock for {EXPIRY:.0f} s; it stops here, and what it had written stays"
        )


@contextmanager
def commit_under_lease(place: Folder) -> Iterator[None]:
    """Commit data in a folder. Raises StorageError if the lease is lost before the end of the block.

    A lease held at the end was held throughout.
    """
    check_lease(place)
    yield
    check_lease(place)


@contextmanager
def _locked_file(place: Folder, use: str) -> Iterator[None]:
    """Hold a POSIX lock on a file."""
    path = Path(place.path) / LOCK
    made = not path.parent.exists()
    with _lock_file(place, path, use) as file:
        with suppress(OSError):  # a full disk does not break the lock
            file.truncate(0)
            os.write(file.fileno(), _encode(_describe_writer()))  # unbuffered, so that closing can't fail
        try:
            yield
        finally:
            with suppress(OSError):  # the folder was deleted meanwhile, or something was written to it
                if _is_still(path, file.fileno()):
                    path.unlink()
                if made:
                    path.parent.rmdir()


@contextmanager
def _lock_file(place: Folder, path: Path, use: str) -> Iterator[TextIO]:
    """Open and lock the lock file; symbolic links are refused."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(
                f"{place.name} can't be written: {error.strerror or error}; name a folder that you may write to"
            ) from error
        with os.fdopen(number, "a+", encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise StorageError(f"{place.name} can't be written: its {LOCK} is not a regular file; delete it")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise _conflict(place, file.read(), use=use) from None
            if not _is_still(path, number):
                continue  # its holder deleted it meanwhile
            yield file
            return


def _is_still(path: Path, number: int) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(number), path.stat(follow_symlinks=False))
    except OSError:
        return False


@contextmanager
def _lease(place: Folder) -> Iterator[Lease]:
    """Hold a lease that a thread renews."""
    about = _describe_writer()
    lease = Lease(place.name, place.options, place.uri, about["token"])
    version = _take(place, about)
    ended = threading.Event()

    def write(**more: Any) -> None:
        nonlocal version
        data = _encode(about | more)
        try:
            version = place.replace_object(LOCK, data, version)
        except ConflictError:
            there = place.read_object(LOCK)
            if there is None or _decode(there.data).get("token") != lease.token:
                raise
            # An earlier renewal succeeded, its response was lost.
            version = place.replace_object(LOCK, data, there.version)

    def renew() -> None:
        renewals = 0
        while not ended.wait(RENEWAL_INTERVAL):
            renewals += 1
            try:
                write(renewals=renewals)
            except ConflictError:
                return  # taken over: the next commit fails
            except OSError:  # storage unavailable: the next commit fails
                continue

    renewer = threading.Thread(target=renew, daemon=True)
    renewer.start()
    try:
        yield lease
    finally:
        ended.set()
        renewer.join()
        with suppress(OSError):  # taken over, or it expires
            write(released=True)


def _take(place: Folder, about: dict[str, Any]) -> Version:
    """Write the lease object if there is none, or a released or expired one; return its version."""
    there = place.read_object(LOCK)
    if there is not None and not _decode(there.data).get("released"):
        age = (place.server_time() - there.modified).total_seconds()
        if age < EXPIRY:
            raise _conflict(place, there.data, "wait for it, or end it; if it was killed, try again in two minutes")
    taken = _exchange(place, about, there.version if there else NEW)
    return taken if there else _exchange(place, about | {"confirmed": True}, taken)  # verifies that If-Match works too


def _exchange(place: Folder, about: dict[str, Any], over: Version) -> Version:
    """Replace a version of the lease object; then verify that a second write over that version is refused."""
    try:
        written = place.replace_object(LOCK, _encode(about), over)
    except ConflictError:
        there = place.read_object(LOCK)
        if there is None or _decode(there.data).get("token") != about["token"]:
            raise _conflict(place, there.data if there else b"") from None
    else:
        try:
            place.replace_object(LOCK, _encode(about | {"again": True}), over)
        except ConflictError:
            return written
        except OSError:
            with suppress(OSError):  # it expires
                place.replace_object(LOCK, _encode(about | {"released": True}), written)
            raise
    with suppress(OSError):
        place.delete(LOCK)
    raise StorageError(
        f"{place.name} can't be written safely: its storage ignores conditional writes (If-None-Match, If-Match), or "
        "refuses them all"
    )


def _describe_writer() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": redact(" ".join(["nonocensus", *sys.argv[1:]])),
        "token": secrets.token_hex(8),
    }


def _encode(about: dict[str, Any]) -> bytes:
    return json.dumps(about, ensure_ascii=False).encode()


def _decode(lock: bytes | str) -> dict[str, Any]:
    """Decode the content of a lock; {} if it is damaged."""
    try:
        about = json.loads(lock)
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}


def _holder(lock: bytes | str) -> str:
    about = _decode(lock)
    if about.keys() >= {"command", "pid", "host", "since"}:
        return f"{about['command']} (process {about['pid']} on {about['host']}, since {about['since']})"
    return "another command"


def _conflict(
    place: Folder, lock: bytes | str, advice: str = "wait for it, or end it", use: str = "written"
) -> UserError:
    return UserError(f"{place.name} is being {use} by {_holder(lock)}; {advice}")
