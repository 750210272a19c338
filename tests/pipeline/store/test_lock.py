"""The writer lock: the second writer is refused, and no row is lost."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from stores import Nonocensus, Refused, held_by_another, import_twice_at_once

from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.pipeline.store import lock
from nonocensus.pipeline.store.lock import LOCK, staging, writer_lock
from nonocensus.pipeline.store.parts import Store, append, create_store
from nonocensus.pipeline.store.paths import folder


def test_second_writer_is_refused_with_name_of_holder(store: Store, tmp_path: Path) -> None:
    with held_by_another(tmp_path / "store") as process:
        said = rf"store is being written by nonocensus .*process {process.pid} on .* since .*; wait for it, or end it"
        with pytest.raises(UserError, match=said):
            append(store, [])
        assert store.rows() == 300, "readers don't mind"
    assert append(store, []) == 0, "a killed process holds nothing"


def test_lock_is_reentrant_but_not_across_threads(tmp_path: Path) -> None:
    place = folder(str(tmp_path / "s"))

    def taken() -> bool:
        with writer_lock(place):
            return True

    with writer_lock(place), writer_lock(place), ThreadPoolExecutor(1) as other:
        assert taken()
        with pytest.raises(UserError, match="is being written"):
            other.submit(taken).result()
    assert taken()


def test_lock_leaves_no_file_and_no_folder_if_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(folder(str(tmp_path / "new"))):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with writer_lock(folder(str(tmp_path / "new"))):
        (tmp_path / "new/file").touch()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]
    assert create_store(str(tmp_path / "other")).folder.names() == []


def test_staging_folder_has_one_writer_and_is_deleted(tmp_path: Path) -> None:
    place = folder(str(tmp_path / "pack"))
    (tmp_path / "pack/new.tmp").mkdir(parents=True)
    (tmp_path / "pack/new.tmp/of-a-killed-process").touch()
    with held_by_another(tmp_path / "pack/new.tmp"), pytest.raises(UserError, match=r"pack is being written by"):
        staging(place).__enter__()
    with staging(place) as new:
        new.write("a", b"a")
        new.move("a", place)
    assert [path.name for path in (tmp_path / "pack").iterdir()] == ["a"]


def test_lock_is_held_on_a_full_disk(tmp_path: Path) -> None:
    """In a process that can't write any byte."""
    script = (
        "import resource, sys\n"
        "from nonocensus.pipeline.store.lock import writer_lock\n"
        "from nonocensus.pipeline.store.paths import folder\n"
        "place = folder(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "with writer_lock(place): pass"
    )
    command = [sys.executable, "-B", "-c", script, str(tmp_path)]  # -B: bytecode would be truncated
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_lock_of_another_process_is_not_deleted(tmp_path: Path) -> None:
    """The user deleted the lock file, and another command began."""
    with writer_lock(folder(str(tmp_path))):
        (tmp_path / LOCK).unlink()
        (tmp_path / LOCK).write_text("of another")
    assert (tmp_path / LOCK).read_text() == "of another"


@pytest.mark.usefixtures("store")
def test_refused_first_command_leaves_an_empty_folder_empty(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "run").mkdir()
    assert "nosuch" in refused("classify", "store", "--out", "run", "--serial", "--ids", "nosuch")
    assert list((tmp_path / "run").iterdir()) == []


def test_two_imports_at_once_lose_nothing(tmp_path: Path) -> None:
    import_twice_at_once(tmp_path, str(tmp_path / "s"), 40)


@pytest.mark.usefixtures("store")
def test_second_command_does_not_disturb_the_first(tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--limit", "5").code == 0
    with held_by_another(tmp_path / "run"):
        for command in (
            ["classify", "store", "--out", "run", "--serial"],
            ["grade", "run", "--serial"],
            ["certify", "run", "--serial"],
            ["mend", "run"],
            ["verify", "run", "--repair"],
        ):
            assert "run is being written by nonocensus" in refused(*command)
        assert nonocensus("status", "run").code == 0
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0


def test_symlink_as_lock_file_is_not_followed(store: Store, tmp_path: Path) -> None:
    """In an untrusted store the link's target must stay unchanged."""
    (tmp_path / "victim.txt").write_text("mine")
    (tmp_path / "store" / LOCK).symlink_to(tmp_path / "victim.txt")
    with pytest.raises(StorageError, match="store can't be written"):
        append(store, [])
    assert (tmp_path / "victim.txt").read_text() == "mine"


def test_deleted_lock_file_does_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that opened the file just before its deletion locks the new one."""
    (tmp_path / "s").mkdir()
    place = folder(str(tmp_path / "s"))
    real = lock.fcntl.flock

    def late(file: Any, how: int) -> None:
        monkeypatch.setattr(lock.fcntl, "flock", real)
        (tmp_path / "s" / LOCK).unlink()
        real(file, how)

    monkeypatch.setattr(lock.fcntl, "flock", late)
    with writer_lock(place):
        assert (tmp_path / "s" / LOCK).exists()
        with ThreadPoolExecutor(1) as other, pytest.raises(UserError, match="is being written"):
            other.submit(writer_lock(place).__enter__).result()
