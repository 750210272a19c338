"""Folders: files are written atomically."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.store.paths import folder


def test_file_appears_when_complete(tmp_path: Path) -> None:
    place = folder(str(tmp_path))
    with place.create("a.txt") as stream:
        stream.write(b"half")
        assert place.names() == []
        stream.write(b"whole")
    assert place.names() == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"halfwhole"


def test_failed_write_leaves_no_file_and_names_it(tmp_path: Path) -> None:
    """Callers that wait for disk space catch OSError; Arrow's has no file name."""

    def fail_half_way() -> None:
        with folder(str(tmp_path)).create("a.txt") as stream:
            stream.write(b"half")
            raise OSError(errno.ENOSPC, "[Errno 28] Error writing bytes to file")

    with pytest.raises(OSError, match="No space") as caught:
        fail_half_way()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, f"{tmp_path}/a.txt")
    assert list(tmp_path.iterdir()) == []


def test_unreachable_google_storage_fails_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port without a server; by default Arrow retries for many minutes."""
    monkeypatch.setattr("nonocensus.pipeline.store.paths.FIRST_RETRIES", 1)
    with pytest.raises(StorageError, match=r"^gs://anonymous@bucket/store"):
        folder("gs://anonymous@bucket/store?scheme=http&endpoint_override=127.0.0.1:1")


def test_threads_can_decode_a_new_record_type_at_once(tmp_path: Path) -> None:
    """In a subprocess: msgspec's own decode crashes it, since its type info is published before it is complete."""
    for number in range(32):
        (tmp_path / f"{number}.json").write_text('{"parts": {"a": {"rows": 1, "spans": [[0, 1]]}}, "name": "x"}')
    script = """
import sys
from typing import TypedDict
from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.store.paths import folder
sys.setswitchinterval(1e-6)
place = folder(sys.argv[1])
for _ in range(150):
    part = TypedDict("part", {"rows": int, "spans": list[tuple[int, int]]})
    kind = TypedDict("kind", {"parts": dict[str, part], "name": str})
    read = place.read_each(place.names(), kind)
    assert [each["parts"]["a"]["spans"] for each in read] == [[(0, 1)]] * 32
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
