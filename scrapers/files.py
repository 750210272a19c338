"""The files at paths, URIs and URLs: plain files, folders of them, and archives."""

import io
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from pyarrow import fs

from nonocensus.scrapers.archives.archive_members import count_entries, read_entries
from nonocensus.scrapers.archives.source_file import (
    DEFAULT_READ_LIMITS,
    READ_ERRORS,
    REPORT_MARK,
    RUN_MARK,
    STORE_MARK,
    Budget,
    ReadLimits,
    SourceFile,
    clean_name,
    describe_read_error,
    is_remote,
    is_url,
    may_be_puzzle,
    name_in_url,
)
from nonocensus.scrapers.filesystems import open_filesystem

MAX_FOLDER_DEPTH = 100

SYSTEM_FOLDERS = frozenset({"/dev", "/proc", "/sys"})
"""Folders of Linux without user files; reading some of theirs blocks for ever."""


def files_in(
    paths: Iterable[str | Path],
    contact: str | None = None,
    excluded: str | Path | None = None,
    limits: ReadLimits = DEFAULT_READ_LIMITS,
) -> Iterator[SourceFile]:
    """Yield every file under the paths: of folders, to any depth, in order of name; of archives in their own order.

    Archives in an archive are opened too, one level deep. Silently skipped are hidden files, SKIPPED_NAME and
    SKIPPED_SUFFIXES, links to folders, special files, and below a given folder stores, runs, reports and
    SYSTEM_FOLDERS. What can't be read is an entry with an error, as is the rest of a damaged archive and of a folder
    beyond `limits.max_files`.

    Args:
        paths: Files, folders, URIs of them (`scrapers.filesystems`) and https URLs (`scrapers.download`); downloads are
            kept in memory.
        contact: E-mail or web address for the owners of the URLs' sites.
        excluded: Folder below a given one that is skipped.
        limits: Sizes and counts.

    """
    for path in paths:
        if is_url(path):
            yield from _read_url(str(path), contact, limits)
        else:
            listed = _list_remote(str(path), limits) if is_remote(path) else _list(Path(path), excluded, limits)
            for found in listed:
                yield from _read(found, limits)


def count_files(
    paths: Iterable[str | Path], excluded: str | Path | None = None, limits: ReadLimits = DEFAULT_READ_LIMITS
) -> int | None:
    """Return how many entries `files_in` will yield, for a progress bar; None if that takes reading everything.

    Folders and zip archives are quick to count. A tar has no directory, so counting takes as long as the work.
    """
    total = listed = 0
    for path in paths:
        if is_url(path) or is_remote(path):
            return None
        for found in _list(Path(path), excluded, limits):
            listed += 1
            count = _count(found, limits) if listed <= limits.max_counted else None
            if count is None:
                return None
            total += count
    return total


class _FoundFile(NamedTuple):
    """A plain file or an archive, or the error instead."""

    name: str
    open: Callable[[], IO[bytes]]
    error: str | None = None
    errors: tuple[type[Exception], ...] = READ_ERRORS  # of opening and reading it


def _local(name: str, path: Path, error: str | None = None) -> _FoundFile:
    return _FoundFile(name, lambda: path.open("rb"), error)


def _list(path: Path, excluded: str | Path | None, limits: ReadLimits) -> Iterator[_FoundFile]:
    skipped = SYSTEM_FOLDERS | {os.path.realpath(excluded)} if excluded is not None else SYSTEM_FOLDERS
    name = clean_name(path.name) or clean_name(path.resolve().name)
    if path.is_dir():
        for number, found in enumerate(_list_folder(path, name, skipped)):
            if number == limits.max_files:
                yield _too_many(name, limits)
                return
            yield found
    elif path.is_file() or not path.exists():
        yield _local(name, path)
    else:
        yield _local(str(path), path, "it is a device or a pipe; name a file or a folder")


def _list_remote(uri: str, limits: ReadLimits) -> Iterator[_FoundFile]:
    filesystem, path = open_filesystem(uri)
    path = path.rstrip("/")
    last = path.rpartition("/")[2]

    def remote(name: str, file: str) -> _FoundFile:
        # Errors of fsspec's implementations have no base class in common.
        return _FoundFile(clean_name(name), partial(filesystem.open_input_file, file), errors=(Exception,))

    if filesystem.get_file_info(path).type == fs.FileType.File:
        yield remote(last, path)
        return
    listed = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    files = sorted(info.path for info in listed if info.type == fs.FileType.File)
    for file in files[: limits.max_files]:
        inner = file.removeprefix("/").removeprefix(path.removeprefix("/")).lstrip("/")
        if may_be_puzzle(inner):
            yield remote(f"{last}/{inner}", file)
    if len(files) > limits.max_files:
        yield _too_many(last, limits)


def _list_folder(folder: Path, name: str, skipped: frozenset[str], depth: int = 0) -> Iterator[_FoundFile]:
    if depth > MAX_FOLDER_DEPTH:
        yield _local(name, folder, f"folders more than {MAX_FOLDER_DEPTH} levels deep are not read")
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield _local(name, folder, describe_read_error(error))
        return
    for entry in entries:
        path, inner = Path(entry.path), clean_name(f"{name}/{entry.name}")
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            is_ours = any((path / mark).is_file() for mark in (STORE_MARK, RUN_MARK, REPORT_MARK))
            if not is_ours and os.path.realpath(path) not in skipped:
                yield from _list_folder(path, inner, skipped, depth + 1)
        elif may_be_puzzle(entry.name) and (entry.is_file() or not path.exists()):
            yield _local(inner, path)


def _too_many(name: str, limits: ReadLimits) -> _FoundFile:
    reason = f"it holds more than {limits.max_files:,} files; name its folders to read the rest"
    return _FoundFile(name, io.BytesIO, reason)


def _read(found: _FoundFile, limits: ReadLimits) -> Iterator[SourceFile]:
    if found.error is not None:
        yield SourceFile(found.name, None, found.error)
        return
    try:
        with found.open() as file:
            yield from read_entries(found.name, file, Budget(limits))
    except found.errors as error:
        yield SourceFile(found.name, None, describe_read_error(error))


def _read_url(url: str, contact: str | None, limits: ReadLimits) -> Iterator[SourceFile]:
    from nonocensus.scrapers.download import DownloadError, download  # takes 0.1 s, for URLs only

    name = name_in_url(url)
    try:
        name, data = download(url, contact)
        yield from read_entries(name, io.BytesIO(data), Budget(limits))
    except DownloadError as error:
        yield SourceFile(name, None, str(error))
    except READ_ERRORS as error:
        yield SourceFile(name, None, describe_read_error(error))


def _count(found: _FoundFile, limits: ReadLimits) -> int | None:
    if found.error is not None:
        return 1
    try:
        with found.open() as file:
            return count_entries(found.name, file, limits)
    except READ_ERRORS:
        return 1
