"""Folders on any filesystem that Arrow knows (local, s3://, gs://), in which files appear whole or not at all."""

import errno
import json
import os
import secrets
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import msgspec
import pyarrow as pa
from pyarrow import fs

from pipeline.errors import InputError, StorageError, UserError
from pipeline.store.objects import NEW, Bucket, StoredObject, Version, open_bucket
from solver.model.tables import SCHEMA_VERSION

R = TypeVar("R")

UNFINISHED = ".tmp"
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors of writing alone; Arrow does not say where."""

READERS = 16
"""Threads that read small files: most of their time is the storage's answer."""


FIRST_RETRIES = 3
"""Seconds for which the first request to Google's storage is retried."""


class ManifestHeader(msgspec.Struct):
    """What the JSON file that marks a folder as a store or a run has in any version."""

    schema: str


class Folder(NamedTuple):
    """A folder: Arrow's filesystem, the path in it, the name that the user gave it, and its URI's query string."""

    filesystem: fs.FileSystem
    path: str
    name: str
    options: str = ""

    def __truediv__(self, part: str) -> "Folder":
        return self._replace(path=f"{self.path}/{part}", name=f"{self.name}/{part}")

    @property
    def parent(self) -> "Folder":
        """The folder that it is in."""
        path, name = (text.rstrip("/").rpartition("/")[0] for text in (self.path, self.name))
        return self._replace(path=path, name=name or ".")

    @property
    def local(self) -> bool:
        """Whether its files are this machine's (or mounted here), with names that can change."""
        return isinstance(self.filesystem, fs.LocalFileSystem)

    @property
    def uri(self) -> str:
        """What opens this folder from any working directory: its absolute path, or its URI."""
        return self.path if self.local else self.name + self.options

    def names(self) -> list[str]:
        """Names of the finished files and folders in it, sorted; none if it does not exist."""
        return sorted(info.base_name for info in self._infos() if not info.base_name.endswith(UNFINISHED))

    def sizes(self) -> dict[str, int]:
        """The finished files in it with their bytes, by name; none if it does not exist."""
        files = (info for info in self._infos() if info.type == fs.FileType.File)
        return {
            info.base_name: info.size
            for info in sorted(files, key=lambda info: info.base_name)
            if not info.base_name.endswith(UNFINISHED)
        }

    def _infos(self) -> list[fs.FileInfo]:
        found: list[fs.FileInfo] = self.filesystem.get_file_info(fs.FileSelector(self.path, allow_not_found=True))
        return found

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return self.size(name) is not None

    def size(self, name: str) -> int | None:
        """The bytes of a file; None if there is none of this name."""
        info = self.filesystem.get_file_info(f"{self.path}/{name}")
        return int(info.size) if info.type == fs.FileType.File else None

    def age(self, name: str) -> float | None:
        """Seconds since a file was written; None if there is none of this name."""
        info = self.filesystem.get_file_info(f"{self.path}/{name}")
        return time.time() - info.mtime_ns / 1e9 if info.type == fs.FileType.File else None

    def open(self, name: str) -> pa.NativeFile:
        """Open a file for reading at any place."""
        return self.filesystem.open_input_file(f"{self.path}/{name}")

    @contextmanager
    def create(self, name: str) -> Iterator[pa.NativeFile]:
        """Write a file: it appears under its name when the block ends well, and not at all when it does not.

        On a local disk it is written under another name, synced, then renamed. Elsewhere it is a multipart upload,
        which is completed or aborted.
        """
        if not self.local:
            with self._bucket.upload(self._key(name)) as stream:
                yield stream
            return
        temporary = f"{self.path}/{name}.{secrets.token_hex(4)}{UNFINISHED}"
        try:
            Path(self.path).mkdir(parents=True, exist_ok=True)
            with self.filesystem.open_output_stream(temporary) as stream:
                copy_mode(Path(self.path, name), temporary)
                yield stream
            with Path(temporary).open("rb+") as written:
                os.fsync(written.fileno())
            Path(temporary).replace(f"{self.path}/{name}")
        except BaseException as error:
            Path(temporary).unlink(missing_ok=True)
            if isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
                raise OSError(error.errno, os.strerror(error.errno), f"{self.name}/{name}") from error
            raise

    def write(self, name: str, data: bytes) -> None:
        """Write a small file."""
        with self.create(name) as stream:
            stream.write(data)

    def write_json(self, name: str, value: Any, indent: int | None = 2) -> None:
        """Write a value as JSON."""
        self.write(name, _json(value, indent))

    @property
    def _bucket(self) -> Bucket:
        """What writes on far storage; a UserError says why it can't be written."""
        return open_bucket(self.name, self.options, getattr(self.filesystem, "region", None))

    def _key(self, name: str) -> str:
        """The key of a file on far storage: Arrow's paths begin with the bucket."""
        return f"{self.path}/{name}".partition("/")[2]

    def read_object(self, name: str) -> StoredObject | None:
        """Read a small file on far storage with its version; None if there is none of this name."""
        return self._bucket.read(self._key(name))

    def replace_object(self, name: str, data: bytes, over: Version) -> Version:
        """Write a small file on far storage if it is still at version `over`; ConflictError if it is not.

        A write whose answer was lost has succeeded if its data is there, whether it was refused when it was tried again
        or not tried again.
        """
        try:
            return self._bucket.write(self._key(name), data, over)
        except OSError:
            there = self.read_object(name)
            if there is None or there.data != data:
                raise
            return there.version

    def version(self, name: str) -> Version:
        """The version of a file on far storage, to be replaced by `commit`; local files have none."""
        there = None if self.local else self.read_object(name)
        return there.version if there else NEW

    def commit(self, name: str, value: Any, over: Version = NEW, indent: int | None = 2) -> None:
        """Write a value as the JSON that makes other files count.

        On far storage ConflictError says so if the file is no longer at version `over`: another command has written it.
        """
        if self.local:
            self.write_json(name, value, indent)
        else:
            self.replace_object(name, _json(value, indent), over)

    def server_time(self) -> datetime:
        """The time by the clock of far storage, whose ages of files are not to be measured by another."""
        return self._bucket.server_time(self._key(f"clock.{secrets.token_hex(8)}{UNFINISHED}"))

    def read_record(self, name: str, kind: type[R]) -> R:
        """Read a JSON file as a record of a kind (a dataclass, a TypedDict, dict).

        An InputError names a file that is no JSON or has another shape; FileNotFoundError if there is none.
        """
        with self.open(name) as stream:
            data = stream.read()
        try:
            found: R = _decoder(kind).decode(data)
            return found
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(f"{self.name}/{name} is damaged: {error}") from error

    def read_records(self, names: Iterable[str], kind: type[R]) -> list[R]:
        """Read many JSON files, in this order."""
        with ThreadPoolExecutor(READERS) as readers:
            return list(readers.map(lambda name: self.read_record(name, kind), names))

    def read_each(self, names: Iterable[str], kind: type[R]) -> list[R | InputError | OSError]:
        """The same, with what went wrong in place of a file that can't be read."""

        def read(name: str) -> R | InputError | OSError:
            try:
                return self.read_record(name, kind)
            except (InputError, OSError) as error:
                return error

        with ThreadPoolExecutor(READERS) as readers:
            return list(readers.map(read, names))

    def read_mark(self, name: str, kind: type[R], what: str, command: str) -> R:
        """Read the JSON file that says what this folder is, a store or a run.

        A UserError says if it is none, naming the command that makes one; an InputError says if it is damaged, or if
        its tables are of another version.
        """
        if not self.has(name):
            raise UserError(f"{self.name} is not {what}; make one with: nonocensus {command} --out {self.name}")
        there = self.read_record(name, ManifestHeader).schema
        if there != SCHEMA_VERSION:
            raise InputError(
                f"{self.name} has tables of version {there}, this nonocensus reads version {SCHEMA_VERSION}"
            )
        return self.read_record(name, kind)

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        if self.has(name):
            self.filesystem.delete_file(f"{self.path}/{name}")

    def clear(self) -> None:
        """Delete the folder with all that is in it, if it is there."""
        if self.filesystem.get_file_info(self.path).type == fs.FileType.Directory:
            self.filesystem.delete_dir(self.path)

    def move(self, name: str, other: "Folder") -> None:
        """Move a file into another folder of the same filesystem."""
        if self.local:
            Path(other.path).mkdir(parents=True, exist_ok=True)
            copy_mode(Path(other.path, name), f"{self.path}/{name}")
        self.filesystem.move(f"{self.path}/{name}", f"{other.path}/{name}")

    def aside(self) -> "Folder":
        """A new folder in this one's `damaged`, for what is set aside now: nothing set aside before is overwritten."""
        return self / "damaged" / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"

    def sweep(self) -> None:
        """Delete the unfinished files that a killed process left."""
        for info in self._infos():
            if info.is_file and info.base_name.endswith(UNFINISHED):
                self.filesystem.delete_file(info.path)


def _json(value: Any, indent: int | None) -> bytes:
    return (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode()


def copy_mode(before: Path, after: str) -> None:
    """Give a file the mode of the one that it will replace, if there is one."""
    if before.exists():
        Path(after).chmod(stat.S_IMODE(before.stat().st_mode))


def folder(uri: str) -> Folder:
    """The folder under a local path or a URI of one of Arrow's filesystems; it need not exist."""
    name, mark, options = uri.partition("?") if "://" in uri else (uri, "", "")
    try:
        if "://" in uri:
            filesystem, path = fs.FileSystem.from_uri(uri)
            first, _ = fs.FileSystem.from_uri(_impatient(uri))
        else:
            first = filesystem = fs.LocalFileSystem()
            path = str(Path(uri).absolute())
        found = first.get_file_info(path).type
    except (pa.ArrowInvalid, ValueError) as error:
        raise UserError(f"{uri}: {error}") from error
    except (pa.ArrowException, OSError) as error:
        raise StorageError(f"{uri}: {error}") from error
    if found == fs.FileType.File:
        raise UserError(f"{uri} is a file, not a folder")
    return Folder(filesystem, path.rstrip("/"), name.rstrip("/"), mark + options)


def _impatient(uri: str) -> str:
    """The URI for the first request to Google's storage, which would be retried for a minute without credentials."""
    if not uri.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}retry_limit_seconds={FIRST_RETRIES}"


_decoders: dict[object, msgspec.json.Decoder[Any]] = {}
_making_decoders = threading.Lock()


def _decoder(kind: type[R]) -> msgspec.json.Decoder[R]:
    """What reads JSON as records of a kind.

    One thread at a time makes it: msgspec (0.22) keeps what it knows of a type with the type before it is complete, and
    another thread that decodes meanwhile crashes the process.
    """
    with _making_decoders:
        if kind not in _decoders:
            _decoders[kind] = msgspec.json.Decoder(kind)
        return _decoders[kind]


STDOUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[IO[bytes]]:
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
