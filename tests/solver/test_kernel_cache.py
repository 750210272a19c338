"""The cache of compiled kernels: other sources, other folder; one that is nobody else's, since Numba unpickles it."""

import importlib
import os
import pkgutil
import shutil
import stat
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numba
import pytest

import solver
from solver import kernel_cache
from solver.kernel_cache import make_private

pytestmark = pytest.mark.unchecked

PACKAGE = Path(kernel_cache.__file__).parent


def folder_of(package: Path) -> Path:
    """The cache folder of a copy of the solver."""
    spec = spec_from_file_location("copied_cache", package / "kernel_cache.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    folder: Path = module.CACHE_FOLDER
    return folder


@pytest.mark.parametrize(
    ("source", "counts"),
    [("line.py", True), ("ladder/climb.py", True), ("ladder/new.py", True), ("derivation/checker.py", False)],
)
def test_a_changed_source_has_a_folder_of_its_own(source: str, counts: bool, tmp_path: Path) -> None:
    copied = tmp_path / "solver"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    before = folder_of(copied)
    assert folder_of(copied) == before
    with (copied / source).open("a") as file:
        file.write("# changed\n")
    assert (folder_of(copied) != before) == counts


def test_every_module_with_kernels_counts() -> None:
    for module in pkgutil.walk_packages(solver.__path__, "solver."):
        found = importlib.import_module(module.name)
        kernels = [each for each in vars(found).values() if getattr(each, "__module__", "") == module.name]
        if any(hasattr(each, "signatures") for each in kernels):
            assert Path(str(found.__file__)) in kernel_cache.sources(), module.name


def test_a_new_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private(tmp_path / "new" / "cache")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "cache").stat().st_mode) == 0o700
    make_private(tmp_path / "new" / "cache")


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o702])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(PermissionError, match="can be written by others: set NUMBA_CACHE_DIR"):
        make_private(tmp_path / "cache")


def test_another_user_s_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="is another user's: set NUMBA_CACHE_DIR"):
        make_private(tmp_path)


ADDING = """
import sys
import llvmlite.binding as llvm
features = llvm.get_host_cpu_features()
if "old" in sys.argv:
    features.update((name, False) for name in ("avx2", "neon") if name in features)
    llvm.get_host_cpu_features = lambda: features
from solver.jit import kernel
from solver.waits import Waits

@kernel
def add(a: int, b: int) -> int:
    return a + b

print(add(20, 22), "compiled" if Waits.wall else "loaded")
"""


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.skipif(kernel_cache.BASELINE is None, reason="an unknown family of processors")
def test_kernels_that_came_with_the_program(tmp_path: Path) -> None:
    """They are found on another machine, by another user, at another place, where the processor can do that much."""
    (tmp_path / "here").mkdir()
    shutil.copytree(PACKAGE, tmp_path / "here/solver", ignore=shutil.ignore_patterns("__pycache__", "compiled"))

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
    with (tmp_path / "there/solver/line.py").open("a") as file:
        file.write("# changed\n")
    assert added("there") == "42 compiled"
