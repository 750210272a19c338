"""Scratch folders: deleted at the end, those of killed processes by the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nonocensus.pipeline.scratch import scratch_folder

HELD = """
import sys, time
from pathlib import Path
from nonocensus.pipeline.scratch import scratch_folder
with scratch_folder() as place:
    Path(place, "rows").write_bytes(bytes(1000))
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_scratch_folder_is_deleted_at_the_end(temporary: Path) -> None:
    with scratch_folder() as place:
        Path(place, "rows").write_text("rows")
        assert [path.name for path in temporary.iterdir()] == [Path(place).name]
    assert not list(temporary.iterdir())


def test_folder_of_a_killed_process_is_deleted_by_the_next_one(temporary: Path) -> None:
    """The folder of a live process stays."""
    process = subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    place = Path(process.stdout.readline().strip())
    with scratch_folder():
        os.utime(place, (0, 0))
        assert (place / "rows").exists()
    with scratch_folder():
        assert (place / "rows").exists()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    os.utime(place)
    with scratch_folder():
        assert (place / "rows").exists(), "it may be of a process that is about to lock it"
    os.utime(place, (0, 0))
    with scratch_folder() as own:
        assert [path.name for path in temporary.iterdir()] == [Path(own).name]


def test_other_folders_and_links_stay(temporary: Path) -> None:
    (temporary / "nonocensus-scratch-mine").mkdir()
    (temporary / "linked").mkdir()
    (temporary / "nonocensus-scratch-12345678").symlink_to(temporary / "linked")
    for path in temporary.iterdir():
        os.utime(path, (0, 0))
    before = sorted(temporary.iterdir())
    with scratch_folder():
        pass
    assert sorted(temporary.iterdir()) == before
