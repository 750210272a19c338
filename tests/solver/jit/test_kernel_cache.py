"""The cache of compiled kernels: never stale or damaged, in a private folder, compiled by one of several processes."""

import importlib
import io
import os
import pickle
import pkgutil
import py_compile
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from nonocensus import solver
from nonocensus.pipeline.jobs.kernel_compilation import example
from nonocensus.solver.jit import kernel_cache
from nonocensus.solver.jit.kernel_cache import cache_folder, make_private
from nonocensus.solver.ladder.climb import warm_up
from nonocensus.solver.model.views import views

pytestmark = pytest.mark.unchecked

in_kernels = pytest.mark.skipif(
    kernel_cache.STOCK or numba.config.DISABLE_JIT, reason="nothing is compiled, or cached by Numba itself"
)

PACKAGE = Path(kernel_cache.__file__).parents[1]


def imported(name: str, file: Path) -> ModuleType:
    """Import a module from its file, again."""
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def folder_of(package: Path, suffix: str = ".py") -> str:
    """Return the name of the cache folder of a copy of the solver."""
    name: str = imported("copied_cache", package / "jit" / f"kernel_cache{suffix}").FOLDER_NAME
    return name


@pytest.mark.parametrize("source", ["api.py", "ladder/climb.py", "ladder/new.py"])
def test_changed_source_changes_the_folder(source: str, tmp_path: Path) -> None:
    copied = tmp_path / "solver"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    before = folder_of(copied)
    assert folder_of(copied) == before
    with (copied / source).open("a") as file:
        file.write("# changed\n")
    assert folder_of(copied) != before


def test_installations_without_sources_have_different_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two versions as bytecode only, and two archives, which have no files."""
    folders = set()
    for constant in ("1", "2"):
        package = tmp_path / constant
        (package / "jit").mkdir(parents=True)
        (package / "line.py").write_text(f"CONSTANT = {constant}\n")
        shutil.copy(PACKAGE / "jit" / "kernel_cache.py", package / "jit")
        for source in list(package.rglob("*.py")):
            py_compile.compile(str(source), str(source.with_suffix(".pyc")), doraise=True)
            source.unlink()
        folders.add(folder_of(package, ".pyc"))
        monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path / f"{constant}.zip" / "solver")
        folders.add(kernel_cache.folder_name())
    assert len(folders) == 4


OUTER, INNER = (
    """
from inner import inner
from nonocensus.solver.jit.kernel import kernel

HUNDREDS = 1

@kernel
def outer(x: int) -> int:
    return inner(x) + 100 * HUNDREDS
""",
    """
from nonocensus.solver.jit.kernel import kernel

@kernel
def inner(x: int) -> int:
    return x + 1
""",
)


class Outside:
    """Two files with kernels outside the solver, with their own cache."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        self.cache = folder / "cache"
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.setattr(kernel_cache, "cache_folder", lambda: self.cache)

    def result(self, outer: str = OUTER, inner: str = INNER) -> tuple[int, bool]:
        """Return `outer(1)` in these versions of the files, and whether it was compiled."""
        for name, text in (("inner", inner), ("outer", outer)):
            (self.folder / f"{name}.py").write_text(text)
            module = imported(name, self.folder / f"{name}.py")
            self.monkeypatch.setitem(sys.modules, name, module)
        return module.outer(1), bool(module.outer.entry._cache_misses)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return Outside(tmp_path, monkeypatch)


@in_kernels
@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (OUTER.replace("100", "1000"), INNER, 1002),
        (OUTER.replace("HUNDREDS = 1", "HUNDREDS = 5"), INNER, 502),
        (OUTER, INNER.replace("+ 1", "+ 7"), 108),
    ],
    ids=["its code", "a global", "a kernel that it calls"],
)
def test_edited_kernel_outside_the_solver_is_recompiled(
    outside: Outside, outer: str, inner: str, expected: int
) -> None:
    assert outside.result() == (102, True)
    assert outside.result() == (102, False)
    assert outside.result(outer, inner) == (expected, True)


@in_kernels
@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: bytes(range(256)) * (len(content) // 256),
    ],
    ids=["empty", "half", "a bit", "other bytes"],
)
def test_damaged_file_is_recompiled_and_replaced(outside: Outside, damage: Callable[[bytes], bytes]) -> None:
    assert outside.result() == (102, True)
    (file,) = outside.cache.glob("*.nbc")
    file.write_bytes(damage(file.read_bytes()))
    assert outside.result() == (102, True)
    assert outside.result() == (102, False)


@in_kernels
def test_unwritable_folder_is_logged_once(
    outside: Outside, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_cache, "unsaved", set())
    outside.cache.touch()
    assert outside.result() == (102, True)
    assert outside.result() == (102, True)
    reason = f"{outside.cache} is not a folder; set NUMBA_CACHE_DIR to another"
    assert caplog.messages == [f"compiled kernels can't be saved in {outside.cache}: {reason}"]


@in_kernels
def test_kernel_is_not_saved_if_sources_changed_meanwhile(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "folder_name", lambda: "of other sources")
    assert outside.result() == (102, True)
    assert not list(outside.cache.glob("*.nbc"))


class Unpickler(pickle.Unpickler):
    """Unpickler that notes the modules whose classes and functions a pickle names."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self.modules: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.modules.add(module)
        return super().find_class(module, name)


@in_kernels
def test_cached_kernels_do_not_depend_on_version_of_python() -> None:
    """They call no C function of Python or Numba, and have no constants and no bytecode (which cloudpickle loads)."""
    from nonocensus.solver.jit import kernel_files

    warm_up(views(example(1, False)), ("line", "checks"))
    folder = cache_folder()
    assert folder is not None
    files = list(folder.glob("*-nonocensus.solver.*.nbc"))
    assert files
    for file in files:
        unpickler = Unpickler(file.read_bytes()[kernel_files.DIGEST_BYTES :])
        (_, _, (machine_code, _)), _, environment, *_ = unpickler.load()
        assert not re.findall(rb"\0((?:_?Py|NRT_|numba_)\w+)\0", machine_code), file.name
        assert environment.consts == [], file.name
        assert "numba.cloudpickle.cloudpickle" not in unpickler.modules, file.name


def test_every_module_with_kernels_is_hashed() -> None:
    for module in pkgutil.walk_packages(solver.__path__, "nonocensus.solver."):
        found = importlib.import_module(module.name)
        kernels = [each for each in vars(found).values() if getattr(each, "__module__", "") == module.name]
        if any(hasattr(each, "signatures") for each in kernels):
            assert Path(str(found.__file__)) in kernel_cache.sources(), module.name


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set NUMBA_CACHE_DIR to a folder that does not exist yet."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "asked"))
    return tmp_path / "asked"


@pytest.mark.parametrize("exists", [False, True])
def test_cache_folder_is_private_with_any_umask(asked: Path, exists: bool) -> None:
    """Whether NUMBA_CACHE_DIR exists or is made."""
    if exists:
        asked.mkdir(0o755)
    before = os.umask(0)
    try:
        folder = cache_folder.__wrapped__()
    finally:
        os.umask(before)
    assert folder is not None
    assert folder.parent == asked
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(asked.stat().st_mode) == (0o755 if exists else 0o700)
    assert cache_folder.__wrapped__() == folder


@pytest.mark.parametrize("planted", [False, True])
def test_without_private_folder_kernels_are_cached_in_a_temporary_one(
    asked: Path, caplog: pytest.LogCaptureFixture, planted: bool
) -> None:
    """Whether NUMBA_CACHE_DIR or the folder in it is writable by others; child processes inherit the other folder."""
    theirs = asked / kernel_cache.FOLDER_NAME if planted else asked
    theirs.mkdir(parents=True)
    theirs.chmod(0o777)
    folder = cache_folder.__wrapped__()
    temporary = asked.parent / "tmp" / f"nonocensus-{os.geteuid()}"
    assert folder == temporary / kernel_cache.FOLDER_NAME
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700
    assert os.environ["NUMBA_CACHE_DIR"] == str(temporary)
    advice = "set NUMBA_CACHE_DIR to a folder of your own"
    assert caplog.messages == [
        f"compiled kernels are cached in {temporary}: {theirs} can be written by others; {advice}"
    ]


def test_without_any_folder_kernels_are_not_cached(asked: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked.touch()
    (asked.parent / "tmp" / f"nonocensus-{os.geteuid()}").mkdir(0o777)
    (asked.parent / "tmp" / f"nonocensus-{os.geteuid()}").chmod(0o777)
    assert cache_folder.__wrapped__() is None
    assert caplog.messages == [
        f"compiled kernels are not cached: {asked} is not a folder; set NUMBA_CACHE_DIR to a folder of your own"
    ]


@pytest.mark.skipif(kernel_cache.STOCK, reason="Numba makes it when a kernel is declared")
def test_import_creates_no_folder(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", "import nonocensus.solver.ladder.swap"], env=environment, check=True)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o702])
def test_folder_writable_by_others_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(PermissionError, match="can be written by others"):
        make_private(tmp_path / "cache")


def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="belongs to another user"):
        make_private(tmp_path)


ADDING = """
import sys
import llvmlite.binding as llvm
features = llvm.get_host_cpu_features()
if "old" in sys.argv:
    features.update((name, False) for name in ("avx2", "neon") if name in features)
    llvm.get_host_cpu_features = lambda: features
from nonocensus.solver.jit.kernel import kernel

@kernel
def add(a: int, b: int) -> int:
    return a + b

print(add(20, 22), "compiled" if add.entry._cache_misses else "loaded")
"""


@pytest.mark.slow
@in_kernels
@pytest.mark.skipif(kernel_cache.BASELINE is None, reason="an unknown family of processors")
def test_bundled_kernels_are_loaded_where_the_processor_fits(tmp_path: Path) -> None:
    """Also on another machine, for another user, at another path."""
    (tmp_path / "here/nonocensus").mkdir(parents=True)
    (tmp_path / "here/nonocensus/__init__.py").touch()
    shutil.copytree(
        PACKAGE, tmp_path / "here/nonocensus/solver", ignore=shutil.ignore_patterns("__pycache__", "compiled")
    )

    def added(home: str, *options: str, **environment: str) -> str:
        script = tmp_path / home / "adding.py"
        script.write_text(ADDING)
        environment |= {"PYTHONPATH": str(tmp_path / home), "NUMBA_CACHE_DIR": str(tmp_path / home / "cache")}
        done = subprocess.run(
            [sys.executable, str(script), *options], env=os.environ | environment, capture_output=True, text=True
        )
        return done.stdout.strip() + done.stderr

    assert added("here", NONOCENSUS_PORTABLE="1") == "42 compiled"
    assert not (tmp_path / "here/cache").exists()
    (tmp_path / "here").rename(tmp_path / "there")
    assert added("there") == "42 loaded"
    assert not list((tmp_path / "there/cache").rglob("*.nbc"))
    assert added("there", "old") == "42 compiled"
    assert added("there", "old") == "42 loaded"
    with (tmp_path / "there/nonocensus/solver/lines/line_solver.py").open("a") as file:
        file.write("# changed\n")
    assert added("there") == "42 compiled"


SWAP = """
import math, sys
import numpy as np
from numba.core import event
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.workspace import COUNTERS

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
print("ready", flush=True)
sys.stdin.readline()
picture = np.eye(2, dtype=np.uint8).ravel()
print(swap(picture, 2, 2, FROM_NOTHING, np.zeros(COUNTERS, np.int64), math.inf), picture.tolist())
print("swap" in Compiled.names, "numba.np.linalg" in sys.modules)
"""


def started(folder: Path) -> "subprocess.Popen[str]":
    """Start a process that waits for a line before it calls a kernel, with the given cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", SWAP], text=True, env=environment, **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
@in_kernels
def test_only_one_of_several_processes_compiles_a_kernel(tmp_path: Path) -> None:
    processes = [started(tmp_path / "cache") for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate()[0].splitlines() for process in processes]
    assert [answer for answer, _ in outputs] == ["True [0, 1, 1, 0]"] * 3
    loaded, compiled = "False False", "True True"  # loading imports no part of the compiler, half a second less
    assert sorted(source for _, source in outputs) == [loaded, loaded, compiled]


@pytest.mark.slow
@in_kernels
def test_process_killed_while_compiling_does_not_block_others(tmp_path: Path) -> None:
    process = started(tmp_path / "cache")
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    while not list((tmp_path / "cache").glob("*/nonocensus.solver.ladder.swap.swap-*.lock")):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert started(tmp_path / "cache").communicate("\n")[0].splitlines() == [
        "True [0, 1, 1, 0]",
        "True True",
    ]
