"""The writer lock: the second writer is refused, and no row is lost."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stores import held_by_another

from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.pipeline.store import lock
from nonocensus.pipeline.store.lock import LOCK, staging, writer_lock
from nonocensus.pipeline.store.parts import Store, append, create_store, open_store
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.formats import non
from nonocensus.solver.model.puzzle import from_picture


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


def test_lock_leaves_no_folder_if_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(folder(str(tmp_path / "new"))):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with writer_lock(folder(str(tmp_path / "new"))):
        (tmp_path / "new/file").touch()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["file", LOCK]
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


def test_two_imports_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each reports what it added, or that it must wait; the store has exactly that."""
    rng = np.random.default_rng(3)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for k in range(40):
            puzzle = from_picture((rng.random((4, 4)) < 0.6).astype(np.uint8))
            (tmp_path / name / f"{name}{k}.non").write_bytes(non.write(puzzle))
    commands = [[sys.executable, "-m", "nonocensus", "import", name, "--out", "s"] for name in ("a", "b")]
    first, second = (
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    )
    said = [process.communicate()[0] for process in (first, second)]
    added = 40 * sum(process.returncode == 0 for process in (first, second))
    assert added in (40, 80)
    assert sum("40 puzzles added" in text for text in said) == added / 40
    assert open_store(str(tmp_path / "s")).rows() == added


Nonocensus = Callable[..., Any]


@pytest.mark.usefixtures("store")
def test_second_classify_does_not_disturb_the_first(tmp_path: Path, nonocensus: Nonocensus) -> None:
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--limit", "5").code == 0
    with held_by_another(tmp_path / "run"):
        for command in (["classify", "store", "--out", "run", "--serial"], ["verify", "run", "--repair"]):
            second = nonocensus(*command)
            assert (second.code, len(second.err.splitlines())) == (2, 1)
            assert "run is being written by nonocensus" in second.err
        assert nonocensus("status", "run").code == 0
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0


def test_symlink_as_lock_file_is_not_followed(store: Store, tmp_path: Path) -> None:
    """In an untrusted store the link's target must stay unchanged."""
    (tmp_path / "victim.txt").write_text("mine")
    (tmp_path / "store" / LOCK).unlink()
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
