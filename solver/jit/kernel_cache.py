"""The disk cache of compiled kernels: a private folder, named by a hash of the solver's sources.

Numba's own cache notices a change in a kernel's file, but not one in a kernel that it calls. A new release could
therefore run old machine code. So the folder's name is a hash of every source file of this package, and of what else
the code depends on: the checked mode, tuning, bounds checks, the versions of Python and Numba. The kind of processor is
in Numba's key of each kernel. Kernels that are defined outside this package (tests, benchmarks) are also keyed by their
own code and by that of the kernels they call.

A wheel or an image may bring kernels with it (`make wheel`), compiled for the least that processors of a family can
do. They are in a folder of this package, under a name made in the same way. They are used where it fits and the
processor can do that much; what is not there is compiled.

Numba unpickles what it finds there: write access to the folder is code execution as its user. So a folder is used only
if its user alone can write to it; without one, kernels are kept in a private temporary folder, or not at all. Each
file begins with a checksum: a damaged one counts as missing.
"""

import hashlib
import inspect
import logging
import os
import pickle
import platform
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from solver import __version__, tuning

LOG = logging.getLogger("nonocensus")

DIGEST_BYTES = hashlib.sha256().digest_size

PACKAGE = Path(__file__).parent.parent
BUNDLED = PACKAGE / "compiled"
"""Kernels that came with the program."""

CHECKED = os.environ.get("NONOCENSUS_CHECKED", "0") not in ("", "0")
"""Whether every step is held against a known solution (solver.lines.checked), and kernels have assertions."""

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
    """Return the files that kernels are compiled from; where sources are not installed, their bytecode."""
    files = (file for file in PACKAGE.rglob("*.py*") if file.suffix in (".py", ".pyc"))
    return sorted(file for file in files if file.parent.name != "__pycache__")


def folder_name() -> str:
    """Return the name of the cache folder: a hash of what the kernels depend on."""
    digest = hashlib.sha256()
    files = sources()
    for source in files:
        digest.update(str(source.relative_to(PACKAGE)).encode())
        digest.update(source.read_bytes())
    if not files:  # in an archive: only place and version tell installations apart
        digest.update(f"{PACKAGE} {__version__}".encode())
    compiled_in = CHECKED, os.environ.get(tuning.VARIABLE), numba.config.BOUNDSCHECK
    compiled_by = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__
    digest.update(repr((*compiled_in, *compiled_by)).encode())
    return f"nonocensus-{digest.hexdigest()[:16]}"


FOLDER_NAME = folder_name()
"""Hashed on import, as near as possible to when Python has read the sources."""

HAS_BUNDLED = BASELINE is not None and (BUNDLED / FOLDER_NAME).is_dir() and BASELINE.fits()
"""Whether the program has brought kernels that are of use here."""


@cache
def cache_folder() -> Path | None:
    """Return the folder of the compiled kernels, which is made if it is missing; None if there can be none.

    It is under `NUMBA_CACHE_DIR` if that is set, else in the user's cache folder. If that can't be made, or others can
    write to it, it is in a private folder under the temporary one, and child processes use the same.
    """
    if PORTABLE:
        return BUNDLED / FOLDER_NAME
    try:
        root = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("nonocensus") / "numba")
        return _private(root)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder is known
        reason = _reason(error)
    try:
        root = Path(tempfile.gettempdir(), f"nonocensus-{os.geteuid()}")
        folder = _private(root)
    except OSError:
        LOG.warning("compiled kernels can't be kept: %s; set NUMBA_CACHE_DIR to a folder of your own", reason)
        return None
    LOG.warning("compiled kernels are kept in %s: %s; set NUMBA_CACHE_DIR to a folder of your own", root, reason)
    os.environ["NUMBA_CACHE_DIR"] = str(root)
    return folder


def _reason(error: Exception) -> str:
    """Return an error's text, of the system's own errors without their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _private(root: Path) -> Path:
    """Make the cache folder under a root, both private."""
    make_private(root)
    make_private(root / FOLDER_NAME)
    return root / FOLDER_NAME


def make_private(folder: Path) -> None:
    """Make a folder that only its user can write to, if it is missing.

    Raises PermissionError for one that others can write to.
    """
    if not folder.exists():
        if not folder.parent.exists():
            make_private(folder.parent)
        with suppress(FileExistsError):  # another process was faster
            folder.mkdir(0o700)
            folder.chmod(0o700)  # whatever the umask
    found = folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(f"{folder} is not a folder")
    if found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{folder} can be written by others")


def make_folder(folder: Path) -> None:
    """Make the cache folder if it is missing; what is brought with the program is for all users."""
    if PORTABLE:
        folder.mkdir(parents=True, exist_ok=True)
    else:
        make_private(folder)


def external_code(function: Any) -> str:
    """Return what the folder's name does not cover of a kernel: its code if it is defined outside this package.

    That is its bytecode and constants, the values of its globals, and the same of the kernels that it calls.
    """
    found: dict[Any, str] = {}

    def add(function: Any) -> None:
        if function in found or function.__module__.partition(".")[0] == PACKAGE.name:
            return
        found[function] = _code_text(function.__code__)
        scope = inspect.getclosurevars(function)
        values = [*scope.globals.values(), *scope.nonlocals.values()]
        modules = [value for value in values if isinstance(value, ModuleType)]
        values += [getattr(module, name, None) for module in modules for name in function.__code__.co_names]
        for value in values:
            if isinstance(value, CPUDispatcher):
                add(value.py_func)
            elif isinstance(value, int | float | str | tuple | np.generic):
                found[function] += repr(value)
            elif isinstance(value, np.ndarray):
                found[function] += repr(value.tolist())

    add(function)
    return "".join(found.values())


def _code_text(code: CodeType) -> str:
    """Return bytecode with its constants and names as text, without file and lines."""
    constants = [_code_text(value) if isinstance(value, CodeType) else value for value in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells Numba how a kernel's files are named; their folder is `_Files`' business."""

    def __init__(self, function: Any) -> None:
        self.function = function

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":  # noqa: ARG003
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return FOLDER_NAME + external_code(self.function)

    def ensure_cache_path(self) -> None:
        """Do nothing: `KernelCache` makes the folder."""

    def get_disambiguator(self) -> str:
        return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"


class _Results(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Locator]


class _Files:
    """A kernel's files in a folder, one for each list of argument types; used in place of Numba's IndexDataCacheFile.

    A file is a SHA-256 of the rest, and then what Numba has reduced the kernel to, pickled. There is no index, which
    processes would have to lock. Without a folder nothing is found or kept.
    """

    def __init__(self, folder: Path | None, results: _Results) -> None:
        self.folder, self.base, self.stamp = folder, results.filename_base, results.locator.get_source_stamp()

    def has(self, key: Any) -> bool:
        """Whether there is an undamaged file for Numba's key of a kernel."""
        return self._read(key) is not None

    def load(self, key: Any) -> Any:
        """Return what a kernel was reduced to; None if its file is missing or damaged."""
        pickled = self._read(key)
        return None if pickled is None else pickle.loads(pickled)

    def save(self, key: Any, data: Any) -> None:
        """Write a file, which appears whole."""
        if self.folder is None:
            return
        make_folder(self.folder)
        pickled, path = dumps(data), self._path(self.folder, key)
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            unfinished.write_bytes(hashlib.sha256(pickled).digest() + pickled)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def _read(self, key: Any) -> memoryview | None:
        if self.folder is None:
            return None
        try:
            content = memoryview(self._path(self.folder, key).read_bytes())
        except OSError:
            return None
        digest = hashlib.sha256(content[DIGEST_BYTES:]).digest()
        return content[DIGEST_BYTES:] if content[:DIGEST_BYTES] == digest else None

    def _path(self, folder: Path, key: Any) -> Path:
        name = hashlib.sha256(repr((self.stamp, key)).encode()).hexdigest()[:16]
        return folder / f"{self.base}-{name}.nbc"


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of one kernel."""

    _impl_class = _Results

    def __init__(self, function: Any) -> None:
        """Without a look at the disk, which Numba's own would take: kernels are declared on import."""
        self._name, self._py_func, self._impl = repr(function), function, _Results(function)
        self.enable()

    def has(self, args: Any, codegen: Any) -> bool:
        """Whether the kernel is there, compiled for arguments of these types."""
        if self._cache_file.has(self._index_key(args, codegen)):
            return True
        return HAS_BUNDLED and self._bundled.has(self._index_key(args, BASELINE))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled, without all that Numba needs to compile: importing that takes longer."""
        made = self._load_overload(sig, target_context)
        if made is None and HAS_BUNDLED:
            brought = self._bundled.load(self._index_key(sig, BASELINE))
            made = brought and self._impl.rebuild(target_context, brought)
        return made

    @cached_property
    def _cache_file(self) -> _Files:
        return _Files(cache_folder(), self._impl)

    @cached_property
    def _bundled(self) -> _Files:
        """The kernel's files that came with the program."""
        return _Files(BUNDLED / FOLDER_NAME, self._impl)

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Save what was compiled, unless the sources have been edited since this process began."""
        if folder_name() != FOLDER_NAME:
            return
        try:
            super()._save_overload(sig, data)
        except OSError as error:
            _warn_unsaved(error.strerror or str(error))  # files have random names


@cache
def _warn_unsaved(reason: str) -> None:
    """Log once a process that a compiled kernel could not be saved."""
    LOG.warning("compiled kernels can't be saved in %s: %s", cache_folder(), reason)


@contextmanager
def compile_lock(name: str) -> Iterator[None]:
    """A block that one process at a time is in, of those that would compile the kernel of this name.

    Without a folder for the lock, all of them are in it.
    """
    with ExitStack() as stack:
        folder = cache_folder()
        if folder is not None:
            with suppress(OSError, NotImplementedError):  # the latter is FileLock's where a filesystem has no locks
                make_folder(folder)
                stack.enter_context(FileLock(folder / f"{name}.lock"))
        yield
