"""What is in a file: itself, what it was before it was compressed, or members of an archive and of archives in it."""

import io
from collections.abc import Callable, Iterator
from typing import IO, Literal

from scrapers.archives import archive_limits, tars, zips
from scrapers.archives.archive_limits import BROKEN, Bounded, Budget, Refused, Spent, reason
from scrapers.archives.packed import is_packed, unpacked, unpacked_name
from scrapers.archives.pieces import pieces
from scrapers.archives.source import SourceFile

DEEPEST = 1
"""Levels of archives in an archive that are opened: people pack their packs; deeper ones are rare, or made to annoy."""

PACKED = 64
"""How many times its size a compressed file is assumed to unpack to at most, where its contents are only counted."""

Kind = Literal["7z", "zip", "tar", "packed", "plain"]

MEMBERS: dict[Kind, Callable[[IO[bytes], Budget], Iterator[SourceFile]]] = {"zip": zips.members, "tar": tars.members}

SEVEN_ZIP_MAGIC = b"7z\xbc\xaf\x27\x1c"

NO_SEVEN_ZIP = "7z archives are not supported; unpack it first, or repack it as .zip"


def contents(name: str, file: IO[bytes], budget: Budget, depth: int = 0) -> Iterator[SourceFile]:
    """What is in an open file of this name, which lies so many archives deep.

    What the members of an archive have to say for themselves are entries with an error. Raises one of BROKEN if the
    file itself is damaged, Refused if it is not read, or not to its end.
    """
    kind = kind_of(name, file)
    if kind == "7z":
        raise Refused(NO_SEVEN_ZIP)
    if kind == "plain":
        yield from pieces(name, file)
    elif kind == "packed":
        if depth == 0:
            budget.allow(file.seek(0, io.SEEK_END))
        plain = Bounded(unpacked(file), archive_limits.MOST_BYTES + 1, budget)
        for piece in pieces(unpacked_name(name), plain):
            yield from _inside(piece, budget, depth + 1)
    else:
        for member in MEMBERS[kind](file, budget):
            yield from _inside(member._replace(name=f"{name}/{member.name}"), budget, depth + 1)


def count(name: str, file: IO[bytes]) -> int | None:
    """How many files `contents` will yield, or None where only reading everything would tell."""
    kind = kind_of(name, file)
    if kind in ("plain", "packed"):
        most = archive_limits.MOST_BYTES if kind == "plain" else archive_limits.MOST_BYTES // PACKED
        return 1 if file.seek(0, io.SEEK_END) <= most else None  # it may come in pieces
    if kind == "7z":
        return 1
    if kind != "zip":
        return None
    names = zips.names(file)
    return None if any(_named(inner) for inner in names) else len(names)


def kind_of(name: str, file: IO[bytes]) -> Kind:
    """What a file is: going by its first bytes, or else by its name, as far as archives are concerned."""
    file.seek(0)
    start = file.read(8)
    if start.startswith(SEVEN_ZIP_MAGIC):
        return "7z"
    if start.startswith(zips.MAGIC):
        return "zip"
    try:
        if tars.is_tar(file):
            return "tar"
    except BROKEN:
        pass  # whoever reads it will find out
    return _named(name) or ("packed" if is_packed(file) else "plain")


def _named(name: str) -> Kind | None:
    """The kind of archive that a name speaks of."""
    kinds: dict[Kind, tuple[str, ...]] = {"7z": (".7z",), "zip": zips.SUFFIXES, "tar": tars.SUFFIXES}
    return next((kind for kind, suffixes in kinds.items() if name.lower().endswith(suffixes)), None)


def _inside(member: SourceFile, budget: Budget, depth: int) -> Iterator[SourceFile]:
    """A member of an archive, or what is in it if it is one itself."""
    if member.data is None:
        yield member
        return
    file = io.BytesIO(member.data)
    if kind_of(member.name, file) == "plain":
        yield member
    elif depth > DEEPEST:
        yield SourceFile(member.name, None, "archives more than one level deep are not opened")
    else:
        try:
            yield from contents(member.name, file, budget, depth)
        except Spent:
            raise
        except BROKEN as error:
            yield SourceFile(member.name, None, reason(error))
