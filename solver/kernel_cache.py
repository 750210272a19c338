"""Where compiled kernels are kept on the disk: one folder that can't go stale.

Numba's own cache notices a change in a kernel's file, but not one in a kernel that it calls. A new release could
therefore run old machine code. So the name of the folder is a hash of every source file of this package and those in
it: other sources, other folder. Only `solver.derivation` does not count, since it has no kernels. The same goes for
what else the code depends on: the checked mode, other tuning, bounds checks, the versions of Python and Numba. The kind
of processor is in Numba's key of each kernel.

A wheel or an image may bring kernels with it (`make wheel`), compiled for the least that processors of a family can
do. They are in a folder of this package, under a name made in the same way. They are used where it fits and the
processor can do that much; what is not there is compiled.

Numba unpickles what it finds there, so whoever can write to the folder can run code as its user: it must be nobody
else's.
"""

import hashlib
import os
import platform
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numba
import platformdirs
from filelock import FileLock
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from solver import tuning

PACKAGE = Path(__file__).parent
WITHOUT_KERNELS = PACKAGE / "derivation"
BROUGHT = PACKAGE / "compiled"
"""Kernels that came with the program."""

CHECKED = os.environ.get("NONOCENSUS_CHECKED", "0") not in ("", "0")
"""Whether every step is held against a known solution (solver.checked). Kernels are then compiled with assertions."""

PORTABLE = os.environ.get("NONOCENSUS_PORTABLE", "0") not in ("", "0")
"""Whether kernels are compiled into this package, for all processors of a family: for wheels and images."""


class Baseline(NamedTuple):
    """The least that processors of a family can do, as LLVM names it: a processor, and features to ask for.

    It takes the place of Numba's code generator where a key is made of what that compiles for.
    """

    processor: str
    features: frozenset[str]

    def magic_tuple(self) -> tuple[str, str, str]:
        """What Numba notes in a kernel's key."""
        return llvm.get_process_triple(), self.processor, ""

    def fits(self) -> bool:
        """Whether this machine's processor can do that much."""
        can = llvm.get_host_cpu_features()
        return all(can.get(feature, False) for feature in self.features)


V3 = frozenset({"avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave"})
"""Of the psABI's level x86-64-v3: Intel since 2013, AMD since 2015."""

BASELINES = {"x86_64": Baseline("x86-64-v3", V3), "aarch64": Baseline("generic", frozenset({"neon"}))}
BASELINE = BASELINES.get(platform.machine())

if PORTABLE:
    if BASELINE is None:
        raise SystemExit(f"NONOCENSUS_PORTABLE: nothing is known of the family of processors {platform.machine()}")
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = BASELINE.processor, ""


def sources() -> list[Path]:
    """The source files that kernels are compiled from."""
    return sorted(source for source in PACKAGE.rglob("*.py") if WITHOUT_KERNELS not in source.parents)


def cache_folder() -> Path:
    """The folder of the compiled kernels: under `NUMBA_CACHE_DIR` if that is set, else the user's cache folder."""
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("nonocensus") / "numba")
    if PORTABLE:
        return BROUGHT / folder_name()
    if not numba.config.DISABLE_JIT:
        make_private(root)
    return root / folder_name()


def folder_name() -> str:
    """The name of the folder: a hash of what the kernels depend on."""
    digest = hashlib.sha256()
    for source in sources():
        digest.update(str(source.relative_to(PACKAGE)).encode())
        digest.update(source.read_bytes())
    compiled_in = CHECKED, os.environ.get(tuning.VARIABLE), numba.config.BOUNDSCHECK
    compiled_by = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__
    digest.update(repr((*compiled_in, *compiled_by)).encode())
    return f"nonocensus-{digest.hexdigest()[:16]}"


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

USES_BROUGHT = BASELINE is not None and (BROUGHT / CACHE_FOLDER.name).is_dir() and BASELINE.fits()
"""Whether the program has brought kernels that are of use here."""


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
        if self._index_key(args, codegen) in self._cache_file._load_index():
            return True
        return USES_BROUGHT and self._index_key(args, BASELINE) in self._brought._load_index()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled, without all that Numba needs to compile: importing that takes longer."""
        with self._guard_against_spurious_io_errors():
            made = self._load_overload(sig, target_context)
            if made is None and USES_BROUGHT:
                brought = self._brought.load(self._index_key(sig, BASELINE))
                made = brought and self._impl.rebuild(target_context, brought)
            return made

    @cached_property
    def _brought(self) -> Any:
        """The kernel's files that came with the program."""
        folder = str(BROUGHT / CACHE_FOLDER.name)
        return IndexDataCacheFile(folder, self._impl.filename_base, self._impl.locator.get_source_stamp())

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
