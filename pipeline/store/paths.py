"""Folders on local disks, s3://, gs:// and az://, to which files are written atomically; others are only read."""

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
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import msgspec
import pyarrow as pa
from pyarrow import fs

from nonocensus.pipeline.errors import InputError, StorageError, UserError
from nonocensus.pipeline.store.objects import NEW, Bucket, StoredObject, Version, open_bucket
from nonocensus.scrapers.archives.source_file import is_url
from nonocensus.scrapers.filesystems import open_filesystem
from nonocensus.scrapers.url import Url
from nonocensus.solver.extras import MissingExtra
from nonocensus.solver.model.tables import SCHEMA_VERSION

R = TypeVar("R")

UNFINISHED = ".tmp"
NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors for which Arrow does not name the file."""

READERS = 16
"""Threads that read small files; latency dominates."""


FIRST_RETRIES = 3
"""Seconds for which the first request to Google Cloud Storage is retried."""


class ManifestHeader(msgspec.Struct):
    """What store.json and run.json have in every version."""

    schema: str


class Folder(NamedTuple):
    """A folder: Arrow's filesystem, the path in it, the user's name for it, and its URI's query string.

    On remote storage name and query string are `Url`s, since they may have credentials.
    """

    filesystem: fs.FileSystem
    path: str
    name: str
    options: str = ""

    def __truediv__(self, part: str) -> "Folder":
        return self._replace(path=f"{self.path}/{part}", name=Url(f"{Url(self.name).secret}/{part}"))

    @property
    def parent(self) -> "Folder":
        """The parent folder."""
        path, name = (text.rstrip("/").rpartition("/")[0] for text in (self.path, Url(self.name).secret))
        return self._replace(path=path, name=Url(name or "."))

    @property
    def local(self) -> bool:
        """Whether it is on a local or mounted disk, where files can be renamed."""
        return isinstance(self.filesystem, fs.LocalFileSystem)

    @property
    def uri(self) -> str:
        """The absolute path or URI."""
        return self.path if self.local else Url(Url(self.name).secret + Url(self.options).secret)

    def names(self) -> list[str]:
        """Return the names of finished files and folders, sorted; [] if the folder is missing."""
        return sorted(info.base_name for info in self._infos() if not info.base_name.endswith(UNFINISHED))

    def sizes(self) -> dict[str, int]:
        """Return the sizes of finished files in bytes, by name; {} if the folder is missing."""
        files = (info for info in self._infos() if info.is_file and not info.base_name.endswith(UNFINISHED))
        return dict(sorted((info.base_name, info.size) for info in files))

    def _infos(self) -> list[fs.FileInfo]:
        found: list[fs.FileInfo] = self.filesystem.get_file_info(fs.FileSelector(self.path, allow_not_found=True))
        return found

    def has(self, name: str) -> bool:
        """Return whether it has a file of this name."""
        return self.size(name) is not None

    def size(self, name: str) -> int | None:
        """Return a file's size in bytes; None if missing."""
        info = self.filesystem.get_file_info(f"{self.path}/{name}")
        return int(info.size) if info.type == fs.FileType.File else None

    def age(self, name: str) -> float | None:
        """Return the seconds since a file was written; None if missing, or the filesystem does not tell."""
        info = self.filesystem.get_file_info(f"{self.path}/{name}")
        return time.time() - info.mtime_ns / 1e9 if info.mtime_ns else None

    def open(self, name: str) -> pa.NativeFile:
        """Open a file for random access."""
        return self.filesystem.open_input_file(f"{self.path}/{name}")

    @contextmanager
    def create(self, name: str) -> Iterator[pa.NativeFile]:
        """Write a file atomically: it appears when the block ends without exception.

        Local files are written under a temporary name, synced and renamed; objects are multipart uploads.
        """
        if not self.local:
            with self._bucket.upload(self._key(name)) as stream:
                yield stream
            return
        temporary = f"{self.path}/{name}.{secrets.token_hex(4)}{UNFINISHED}"
        try:
            Path(self.path).mkdir(parents=True, exist_ok=True)
            Path(temporary).touch()  # its error is the system's, in one line
            with self.filesystem.open_output_stream(temporary) as stream:
                copy_mode(Path(self.path, name), temporary)
                yield stream
            with Path(temporary).open("rb+") as written:
                os.fsync(written.fileno())
            Path(temporary).replace(f"{self.path}/{name}")
        except BaseException as error:
            Path(temporary).unlink(missing_ok=True)
            is_full = isinstance(error, OSError) and error.filename is None and error.errno in NO_SPACE
            if isinstance(error, OSError) and (is_full or error.filename == temporary):
                raise OSError(error.errno, os.strerror(error.errno or 0), f"{self.name}/{name}") from error
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
        """The bucket, for writing. Raises UserError as `open_bucket`."""
        return open_bucket(self.name, self.options, getattr(self.filesystem, "region", None))

    def _key(self, name: str) -> str:
        """Return a file's key; Arrow's paths begin with the bucket."""
        return f"{self.path}/{name}".partition("/")[2]

    def read_object(self, name: str) -> StoredObject | None:
        """Read a small object with its version; None if missing."""
        return self._bucket.read(self._key(name))

    def replace_object(self, name: str, data: bytes, over: Version) -> Version:
        """Replace a small object at version `over`; return its new version. Raises ConflictError.

        After a lost response the write counts as done if the object has this data.
        """
        try:
            return self._bucket.write(self._key(name), data, over)
        except OSError:
            there = self.read_object(name)
            if there is None or there.data != data:
                raise
            return there.version

    def version(self, name: str) -> Version:
        """Return the version for `commit` to replace; NEW for local files."""
        there = None if self.local else self.read_object(name)
        return there.version if there else NEW

    def commit(self, name: str, value: Any, over: Version = NEW, indent: int | None = 2) -> None:
        """Write the JSON that makes other files count.

        Raises ConflictError if the object is no longer at version `over`: another command has written it.
        """
        if self.local:
            self.write_json(name, value, indent)
        else:
            self.replace_object(name, _json(value, indent), over)

    def server_time(self) -> datetime:
        """Return the time of the object storage's clock, the only one to measure ages of objects by."""
        return self._bucket.server_time(self._key(f"clock.{secrets.token_hex(8)}{UNFINISHED}"))

    def read_record(self, name: str, kind: type[R], advice: str = "") -> R:
        """Read a JSON file as a record of a kind (a dataclass, a TypedDict, dict).

        Raises InputError for invalid JSON or another schema, with the advice given, FileNotFoundError if missing.
        """
        with self.open(name) as stream:
            data = stream.read()
        try:
            found: R = _decoder(kind).decode(data)
            return found
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(f"{self.name}/{name} is damaged: {error}", advice) from error

    def read_mark(self, name: str, kind: str) -> dict[str, Any]:
        """Return the JSON that marks a folder as of a kind, {} if it is empty. Raises UserError for other content."""
        if self.has(name):
            with suppress(InputError):  # an unrelated file of any shape
                about = self.read_record(name, dict[str, Any])
                if about.get("kind") == kind:
                    return about
        if self.names():
            raise UserError(f"{self.name} is not empty and not a {kind}; name an empty or a new folder")
        return {}

    def read_each(self, names: Iterable[str], kind: type[R], advice: str = "") -> list[R | InputError | OSError]:
        """Read JSON files in parallel as `read_record`, with the error in place of a record that can't be read."""

        def read(name: str) -> R | InputError | OSError:
            try:
                return self.read_record(name, kind, advice)
            except (InputError, OSError) as error:
                return error

        with ThreadPoolExecutor(READERS) as readers:
            return list(readers.map(read, names))

    def read_manifest(self, name: str, kind: type[R], what: str, command: str, advice: str = "") -> R:
        """Read the manifest of a store or run.

        Raises UserError, naming the command that makes one, if it is missing; InputError if it is damaged, with the
        advice given, or has another schema version.
        """
        if not self.has(name):
            raise UserError(f"{self.name} is not {what}; make one with: nonocensus {command} --out {self.name}")
        there = self.read_record(name, ManifestHeader, advice).schema
        if there != SCHEMA_VERSION:
            raise InputError(
                f"{self.name} has tables of version {there}, this nonocensus reads version {SCHEMA_VERSION}"
            )
        return self.read_record(name, kind, advice)

    def delete(self, name: str) -> None:
        """Delete a file, if it exists."""
        if self.has(name):
            self.filesystem.delete_file(f"{self.path}/{name}")

    def clear(self) -> None:
        """Delete the folder and its contents, if it exists."""
        if self.filesystem.get_file_info(self.path).type == fs.FileType.Directory:
            self.filesystem.delete_dir(self.path)

    def move(self, name: str, other: "Folder") -> None:
        """Move a file into another folder of the same filesystem."""
        if self.local:
            Path(other.path).mkdir(parents=True, exist_ok=True)
            copy_mode(Path(other.path, name), f"{self.path}/{name}")
            self.filesystem.move(f"{self.path}/{name}", f"{other.path}/{name}")
        else:  # as Arrow's own move of objects, which it does not have for Azure
            self.filesystem.copy_file(f"{self.path}/{name}", f"{other.path}/{name}")
            self.filesystem.delete_file(f"{self.path}/{name}")

    def new_quarantine(self) -> "Folder":
        """Return a new folder in `damaged`, so that earlier quarantined files are not overwritten."""
        return self / "damaged" / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"

    def sweep(self) -> None:
        """Delete unfinished files left by killed processes."""
        for info in self._infos():
            if info.is_file and info.base_name.endswith(UNFINISHED):
                self.filesystem.delete_file(info.path)


def _json(value: Any, indent: int | None) -> bytes:
    return (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode()


def copy_mode(before: Path, after: str) -> None:
    """Copy the mode of the file to be replaced, if it exists."""
    if before.exists():
        Path(after).chmod(stat.S_IMODE(before.stat().st_mode))


def folder(uri: str) -> Folder:
    """Return the folder of a local path or URI; it need not exist. Raises UserError or StorageError."""
    name, mark, options = Url(uri).secret.partition("?") if "://" in uri else (uri, "", "")
    filesystem, path, found = _look_up(uri)
    inside = [place for place in Path(path).parents if place.is_file()] if "://" not in uri else []
    if found == fs.FileType.File or inside:
        raise UserError(f"{inside[0] if inside else uri} is a file, not a folder; name a folder")
    return Folder(filesystem, path.rstrip("/"), Url(name.rstrip("/")), Url(mark + options))


def is_folder(uri: str) -> bool:
    """Return whether a local path is a folder, or a URI but a web address may be. Raises UserError or StorageError."""
    return not is_url(uri) and _look_up(uri)[2] != fs.FileType.File if "://" in uri else Path(uri).is_dir()


def is_missing(uri: str) -> bool:
    """Return whether nothing is at a URI. Raises UserError or StorageError."""
    return bool(_look_up(uri)[2] == fs.FileType.NotFound)


def _look_up(uri: str) -> tuple[fs.FileSystem, str, fs.FileType]:
    """Return the filesystem of a local path or URI, the path in it, and what is there."""
    try:
        if "://" in uri:
            filesystem, path = open_filesystem(uri)
            if not path.strip("/"):
                raise UserError(f"{uri} names no bucket; write it as s3://bucket/folder or gs://bucket/folder")
            first, _ = open_filesystem(_few_retries(uri))
        else:
            first = filesystem = fs.LocalFileSystem()
            path = str(Path(uri).absolute())
        return filesystem, path, first.get_file_info(path).type
    except (UserError, MissingExtra):
        raise
    except (pa.ArrowInvalid, ValueError) as error:
        raise UserError(f"{uri}: {error}") from error
    except Exception as error:  # Arrow's, the system's, and those of the libraries that fsspec uses
        reason = " ".join(str(error).split()) or type(error).__name__
        if any(words in reason for words in ("[Errno -", "Could not resolve", "Could not connect")):
            reason = "its host can't be reached; check network and address, for s3:// also AWS_ENDPOINT_URL"
        raise StorageError(f"{uri}: {reason}") from error


def _few_retries(uri: str) -> str:
    """Return a URI with few retries: without credentials Google's client retries for a minute."""
    if not uri.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in uri:
        return uri
    return f"{Url(uri).secret}{'&' if '?' in uri else '?'}retry_limit_seconds={FIRST_RETRIES}"


_decoders: dict[object, msgspec.json.Decoder[Any]] = {}
_decoders_lock = threading.Lock()


def _decoder(kind: type[R]) -> msgspec.json.Decoder[R]:
    """Return a cached JSON decoder for a kind of record.

    Made by one thread at a time: msgspec 0.22 publishes type info before it is complete, and crashes if another thread
    decodes meanwhile.
    """
    with _decoders_lock:
        if kind not in _decoders:
            _decoders[kind] = msgspec.json.Decoder(kind)
        return _decoders[kind]


STDOUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[IO[bytes]]:
    """Open a file that the user named as output, written atomically.

    `-` is standard output; devices and pipes are opened directly; symbolic links are followed.
    """
    if path == STDOUT:
        if sys.stdout is None:  # closed by the parent process
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
    parent, slash, name = Url(path).secret.rpartition("/")
    if not name:
        raise UserError(f"{path} is a folder; name a file")
    with folder((parent or slash) or ".").create(name) as stream:
        yield stream
