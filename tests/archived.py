"""Archives for tests."""

import io
import tarfile
import zipfile
from pathlib import Path

from nonocensus.scrapers.archives.source_file import ReadLimits, SourceFile
from nonocensus.scrapers.files import files_in


def tar_of(members: dict[str, bytes], mode: str = "w:") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_of(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def found_in(path: Path, data: bytes, **limits: int) -> list[SourceFile]:
    path.write_bytes(data)
    return list(files_in([path], limits=ReadLimits(**limits)))


def names(found: list[SourceFile]) -> list[str]:
    return [file.name for file in found]
