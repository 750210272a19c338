"""Where compiled kernels are kept on the disk: one folder that can't go stale.

Numba's own cache notices a change in a kernel's file, but not one in a kernel that it calls. A new release could
therefore run old machine code. So the name of the folder is a hash of every source file of this package and those in
it: other sources, other folder. Only `solver.derivation` does not count, since it has no kernels. The same goes for
what else the code depends on: the checked mode, other tuning, bounds checks, the versions of Python and Numba. The kind
of processor is in Numba's key of each kernel.

Numba unpickles what it finds there, so whoever can write to the folder can run code as its user: it must be nobody
else's.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import llvmlite
import numba
import platformdirs
from filelock import FileLock
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from solver import tuning

PACKAGE = Path(__file__).parent
WITHOUT_KERNELS = PACKAGE / "derivation"

CHECKED = os.environ.get("NONOCENSUS_CHECKED", "0") not in ("", "0")
"""Whether every step is held against a known solution (solver.checked). Kernels are then compiled with assertions."""


def sources() -> list[Path]:
    """The source files that kernels are compiled from."""
    return sorted(source for source in PACKAGE.rglob("*.py") if WITHOUT_KERNELS not in source.parents)


def cache_folder() -> Path:
    """The folder of the compiled kernels: under `NUMBA_CACHE_DIR` if that is set, else the user's cache folder."""
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("nonocensus") / "numba")
    if not numba.config.DISABLE_JIT:
        make_private(root)
    digest = hashlib.sha256()
    for source in sources():
        digest.update(str(source.relative_to(PACKAGE)).encode())
        digest.update(source.read_bytes())
    compiled_in = CHECKED, os.environ.get(tuning.VARIABLE), numba.config.BOUNDSCHECK
    compiled_by = sys.version, numba.__version__, llvmlite.__version__
    digest.update(repr((*compiled_in, *compiled_by)).encode())
    return root / f"nonocensus-{digest.hexdigest()[:16]}"


def make_private(folder: Path) -> None:
    """Make a folder that only its user can write to; a PermissionError refuses one that others can change."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise PermissionError(f"{folder}, for compiled kernels, is another user's: set NUMBA_CACHE_DIR to one of yours")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(
            f"{folder}, for compiled kernels, can be written by others: set NUMBA_CACHE_DIR to a folder of your own, "
            "or delete it"
        )


CACHE_FOLDER = cache_folder()


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells Numba where a kernel's files are."""

    def __init__(self, function: Any) -> None:
        self.function = function

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":  # noqa: ARG003
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        """Nothing that could be out of date: the folder is for these sources alone."""
        return CACHE_FOLDER.name

    def get_disambiguator(self) -> str:
        return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"


class _Results(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Locator]


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The files of one kernel."""

    _impl_class = _Results

    def has(self, args: Any, codegen: Any) -> bool:
        """Whether the kernel is there, compiled for arguments of these types."""
        return self._index_key(args, codegen) in self._cache_file._load_index()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled, without all that Numba needs to compile: importing that takes longer."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Save what was compiled. Numba reads, changes and writes an index without a lock."""
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
        with FileLock(CACHE_FOLDER / "index.lock"):
            super()._save_overload(sig, data)


@contextmanager
def sole_compiler(name: str) -> Iterator[None]:
    """A block that one process at a time is in, of those that would compile the kernel of this name."""
    CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE_FOLDER / f"{name}.lock"):
        yield
