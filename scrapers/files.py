"""The files under what somebody names: plain ones, folders of them, archives of them, and addresses where they are."""

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scrapers.archives.archive_limits import BROKEN, Budget, reason
from scrapers.archives.contents import contents, count
from scrapers.archives.member_names import clean, may_be_puzzle
from scrapers.archives.source import SourceFile
from scrapers.download import DownloadError, download, is_url, name_in_url

MOST_FILES = 1_000_000
"""Files of a folder that is named."""

MOST_COUNTED = 100_000
"""Files that are counted for a progress bar: more would keep the work waiting, since archives are opened for it."""

DEEPEST = 100
"""Levels of folders in folders."""

SYSTEM = frozenset({"/dev", "/proc", "/sys"})
"""Folders of Linux that hold no files of people; reading some of theirs waits for ever."""


def files_in(
    paths: Iterable[str | Path], contact: str | None = None, left_out: str | Path | None = None
) -> Iterator[SourceFile]:
    """Every file under the paths: in a folder, to any depth, in order of name; in an archive in its own order.

    A path may be an https address (`scrapers.download`), whose site is told the contact; what is there is kept in
    memory only. Archives in an archive are opened too, those in them are not.

    Left out in silence: hidden files, what plainly is no puzzle (NO_PUZZLE_NAME, NO_PUZZLE_SUFFIXES), links to folders,
    the system's own folders (SYSTEM) and `left_out` below the one that is named, and whatever is not a regular file.
    What can't be read is an entry with an error, and so is the rest of an archive that breaks off, or of a folder
    beyond MOST_FILES.
    """
    for path in paths:
        if is_url(path):
            yield from _at_address(str(path), contact)
        else:
            for found in _found(Path(path), left_out):
                yield from _in_file(found)


def count_files(paths: Iterable[str | Path], left_out: str | Path | None = None) -> int | None:
    """How many entries `files_in` will yield, for a progress bar, or None where only reading everything would tell.

    Folders are quick to count, and so are zip archives, which carry a list of contents, unless archives are in
    it by their names. A tar has none: counting it would take about as long as the work itself, so the bar has to do
    without an end; and so for addresses.
    """
    total = seen = 0
    for path in paths:
        if is_url(path):
            return None
        for found in _found(Path(path), left_out):
            seen += 1
            count = _count(found) if seen <= MOST_COUNTED else None
            if count is None:
                return None
            total += count
    return total


class _Found(NamedTuple):
    """A plain file or an archive."""

    name: str
    path: Path
    error: str | None = None


def _found(path: Path, left_out: str | Path | None) -> Iterator[_Found]:
    others = SYSTEM | {os.path.realpath(left_out)} if left_out is not None else SYSTEM
    name = clean(path.name) or clean(path.resolve().name)
    if path.is_dir():
        for number, found in enumerate(_in_folder(path, name, others)):
            if number == MOST_FILES:
                yield _Found(name, path, f"it holds more than {MOST_FILES:,} files; name its folders to read the rest")
                return
            yield found
    elif path.is_file() or not path.exists():
        yield _Found(name, path)
    else:
        yield _Found(name, path, "it is neither a file nor a folder")


def _in_folder(folder: Path, name: str, others: frozenset[str], depth: int = 0) -> Iterator[_Found]:
    if depth > DEEPEST:
        yield _Found(name, folder, f"folders more than {DEEPEST} levels deep are not read")
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield _Found(name, folder, reason(error))
        return
    for entry in entries:
        path, inner = Path(entry.path), clean(f"{name}/{entry.name}")
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if os.path.realpath(path) not in others:
                yield from _in_folder(path, inner, others, depth + 1)
        elif may_be_puzzle(entry.name) and (entry.is_file() or not path.exists()):
            yield _Found(inner, path)


def _in_file(found: _Found) -> Iterator[SourceFile]:
    if found.error is not None:
        yield SourceFile(found.name, None, found.error)
        return
    try:
        with found.path.open("rb") as file:
            yield from contents(found.name, file, Budget())
    except BROKEN as error:
        yield SourceFile(found.name, None, reason(error))


def _at_address(url: str, contact: str | None) -> Iterator[SourceFile]:
    name = name_in_url(url)
    try:
        name, data = download(url, contact)
        yield from contents(name, io.BytesIO(data), Budget())
    except DownloadError as error:
        yield SourceFile(name, None, str(error))
    except BROKEN as error:
        yield SourceFile(name, None, reason(error))


def _count(found: _Found) -> int | None:
    if found.error is not None:
        return 1
    try:
        with found.path.open("rb") as file:
            return count(found.name, file)
    except BROKEN:
        return 1
