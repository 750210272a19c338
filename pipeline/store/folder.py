"""Folders on any filesystem that Arrow knows (local, s3://, gs://), in which files appear whole or not at all."""

import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import fs

from pipeline.errors import UserError
from solver.tables import SCHEMA_VERSION

UNFINISHED = ".tmp"
READERS = 16
"""Threads that read small files: most of their time is the storage's answer."""


class Folder(NamedTuple):
    """A folder: Arrow's filesystem, the path in it, the name that the user gave it, and its query string."""

    filesystem: fs.FileSystem
    path: str
    name: str
    options: str = ""

    def __truediv__(self, part: str) -> "Folder":
        return self._replace(path=f"{self.path}/{part}", name=f"{self.name}/{part}")

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
        found = self.filesystem.get_file_info(fs.FileSelector(self.path, allow_not_found=True))
        return sorted(info.base_name for info in found if not info.base_name.endswith(UNFINISHED))

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return bool(self.filesystem.get_file_info(f"{self.path}/{name}").type == fs.FileType.File)

    def open(self, name: str) -> pa.NativeFile:
        """Open a file for reading at any place."""
        return self.filesystem.open_input_file(f"{self.path}/{name}")

    @contextmanager
    def create(self, name: str) -> Iterator[pa.NativeFile]:
        """Write a file: it appears under its name when the block ends well, and not at all when it does not.

        On a local disk it is written under another name, synced, then renamed. Elsewhere an object appears as it is
        closed, even after an error, so it is gathered in memory and sent at the end.
        """
        if not self.local:
            gathered = pa.BufferOutputStream()
            yield gathered
            with self.filesystem.open_output_stream(f"{self.path}/{name}") as stream:
                stream.write(gathered.getvalue())
            return
        temporary = f"{self.path}/{name}.{secrets.token_hex(4)}{UNFINISHED}"
        try:
            Path(self.path).mkdir(parents=True, exist_ok=True)
            with self.filesystem.open_output_stream(temporary) as stream:
                keep_mode(Path(self.path, name), temporary)
                yield stream
            with Path(temporary).open("rb+") as written:
                os.fsync(written.fileno())
            Path(temporary).replace(f"{self.path}/{name}")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def write(self, name: str, data: bytes) -> None:
        """Write a small file."""
        with self.create(name) as stream:
            stream.write(data)

    def write_json(self, name: str, value: Any, indent: int | None = 2) -> None:
        """Write a value as JSON."""
        self.write(name, (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode())

    def read_json(self, name: str) -> Any:
        """Read a JSON file; a UserError names one that is none."""
        with self.open(name) as stream:
            data = stream.read()
        try:
            return json.loads(data)
        except ValueError as error:
            raise UserError(f"{self.name}/{name} is damaged: {error}") from error

    def read_jsons(self, names: Iterable[str]) -> list[Any]:
        """Read many JSON files, in this order."""
        with ThreadPoolExecutor(READERS) as readers:
            return list(readers.map(self.read_json, names))

    def read_mark(self, name: str, what: str, command: str) -> Any:
        """Read the JSON file that says what this folder is, a store or a run.

        A UserError says if it is none, naming the command that makes one, or if its tables are of another version.
        """
        if not self.has(name):
            raise UserError(f"{self.name} is not {what}; make one with: nonocensus {command} --out {self.name}")
        mark = self.read_json(name)
        there = mark.get("schema")
        if there != SCHEMA_VERSION:
            raise UserError(
                f"{self.name} has tables of version {there}, this nonocensus reads version {SCHEMA_VERSION}"
            )
        return mark

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        if self.has(name):
            self.filesystem.delete_file(f"{self.path}/{name}")

    def move(self, name: str, other: "Folder") -> None:
        """Move a file into another folder of the same filesystem."""
        if self.local:
            Path(other.path).mkdir(parents=True, exist_ok=True)
        self.filesystem.move(f"{self.path}/{name}", f"{other.path}/{name}")

    def sweep(self) -> None:
        """Delete the unfinished files that a killed process left."""
        for info in self.filesystem.get_file_info(fs.FileSelector(self.path, allow_not_found=True)):
            if info.base_name.endswith(UNFINISHED):
                self.filesystem.delete_file(info.path)


def keep_mode(before: Path, after: str) -> None:
    """Give a file the mode of the one that it will replace, if there is one."""
    if before.exists():
        Path(after).chmod(stat.S_IMODE(before.stat().st_mode))


def folder(uri: str) -> Folder:
    """The folder under a local path or a URI of one of Arrow's filesystems; it need not exist."""
    name, mark, options = uri.partition("?") if "://" in uri else (uri, "", "")
    try:
        if "://" in uri:
            filesystem, path = fs.FileSystem.from_uri(uri)
        else:
            filesystem, path = fs.LocalFileSystem(), str(Path(uri).absolute())
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{uri}: {error}") from error
    if filesystem.get_file_info(path).type == fs.FileType.File:
        raise UserError(f"{uri} is a file, not a folder")
    return Folder(filesystem, path.rstrip("/"), name.rstrip("/"), mark + options)
