"""The disk cache of compiled kernels: a private folder, named by a hash of the solver's sources.

Numba's own cache misses changes in the kernels that a kernel calls, so that a new release could run old machine code.
Here the folder's name is a hash of every source file of this package, and of what else the code depends on: the checked
mode, tuning, bounds checks, the version of Numba. The processor is in Numba's key of each kernel. Kernels defined
outside this package (tests, benchmarks) are also keyed by their own code and by that of the kernels they call.

The version of Python is in no key: kernels call no function of Python or of Numba's runtime, and their files hold no
bytecode.

A wheel or an image may bundle kernels (`make wheel`), compiled for the baseline of a processor family. They are in a
folder of this package with a name made in the same way, and are used where the name matches and the processor fits;
missing ones are compiled.

Numba unpickles these files, so write access to the folder is code execution as its user. A folder is used only if its
user alone can write to it; otherwise kernels are kept in a private temporary folder, or not at all. Each file begins
with a checksum: a damaged file counts as missing.
"""

import fcntl
import hashlib
import inspect
import logging
import os
import pickle
import platform
import stat
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
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from nonocensus.solver import __version__, tuning

LOG = logging.getLogger("nonocensus")

DIGEST_BYTES = hashlib.sha256().digest_size

PREFIX = __name__.removesuffix("jit.kernel_cache")
PACKAGE = Path(__file__).parent.parent
BUNDLED = PACKAGE / "compiled"
"""Kernels bundled with the package."""

CHECKED = os.environ.get("NONOCENSUS_CHECKED", "0") not in ("", "0")
"""Whether every step is checked against a known solution (solver.lines.checked), and kernels have assertions."""

PORTABLE = os.environ.get("NONOCENSUS_PORTABLE", "0") not in ("", "0")
"""Whether kernels are compiled into this package, for all processors of a family, to bundle them."""


class Baseline(NamedTuple):
    """Baseline of a processor family, in LLVM's names: a processor, and the features to check for.

    It replaces Numba's code generator where a kernel's key contains the target.
    """

    processor: str
    features: frozenset[str]

    def magic_tuple(self) -> tuple[str, str, str]:
        """Return the target in a kernel's key, as numba.core.codegen.CPUCodegen."""
        return llvm.get_process_triple(), self.processor, ""

    def fits(self) -> bool:
        """Return whether this machine's processor has the features."""
        host = llvm.get_host_cpu_features()
        return all(host.get(feature, False) for feature in self.features)


V3 = frozenset({"avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave"})
"""Of the psABI's level x86-64-v3: Intel since 2013, AMD since 2015."""

BASELINES = {"x86_64": Baseline("x86-64-v3", V3), "aarch64": Baseline("generic", frozenset({"neon"}))}
BASELINE = BASELINES.get(platform.machine())

if PORTABLE:
    if BASELINE is None:
        raise SystemExit(f"NONOCENSUS_PORTABLE: no baseline for {platform.machine()}; unset it")
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = BASELINE.processor, ""


def sources() -> list[Path]:
    """Return the source files of this package; their bytecode where sources are not installed."""
    files = (file for file in PACKAGE.rglob("*.py*") if file.suffix in (".py", ".pyc"))
    return sorted(file for file in files if file.parent.name != "__pycache__")


def folder_name() -> str:
    """Return the name of the cache folder: a hash of what the kernels depend on."""
    digest = hashlib.sha256()
    files = sources()
    for source in files:
        digest.update(str(source.relative_to(PACKAGE)).encode())
        digest.update(source.read_bytes())
    if not files:  # in an archive, only path and version distinguish installations
        digest.update(f"{PACKAGE} {__version__}".encode())
    compiled_in = CHECKED, os.environ.get(tuning.VARIABLE), numba.config.BOUNDSCHECK
    compiled_by = numba.__version__, llvmlite.__version__
    digest.update(repr((*compiled_in, *compiled_by)).encode())
    return f"nonocensus-{digest.hexdigest()[:16]}"


FOLDER_NAME = folder_name()
"""Hashed on import, as soon as possible after Python has read the sources."""

TARGET = (
    numba.config.CPU_NAME or llvm.get_host_cpu_name(),
    llvm.get_host_cpu_features().flatten() if numba.config.CPU_FEATURES is None else numba.config.CPU_FEATURES,
)
"""The processor that kernels are compiled for, and its features."""

HAS_BUNDLED = BASELINE is not None and (BUNDLED / FOLDER_NAME).is_dir() and BASELINE.fits()
"""Whether the package has bundled kernels that fit this machine."""


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels, made if missing; None if no private folder can be made.

    It is under `NUMBA_CACHE_DIR` if set, else in the user's cache folder. If that fails, or others can write there, it
    is in a private folder of the temporary one, which child processes inherit by `NUMBA_CACHE_DIR`.
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
        LOG.warning("compiled kernels are not cached: %s; set NUMBA_CACHE_DIR to a folder of your own", reason)
        return None
    LOG.warning("compiled kernels are cached in %s: %s; set NUMBA_CACHE_DIR to a folder of your own", root, reason)
    os.environ["NUMBA_CACHE_DIR"] = str(root)
    return folder


def _reason(error: Exception) -> str:
    """Return an error's text, without the error number of system errors."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _private(root: Path) -> Path:
    """Make the cache folder in a root folder, both private."""
    make_private(root)
    make_private(root / FOLDER_NAME)
    return root / FOLDER_NAME


def make_private(folder: Path) -> None:
    """Make a folder that only its user can write to; raises PermissionError for an existing one that others can."""
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
    """Make the cache folder; private, unless it is for bundled kernels."""
    if PORTABLE:
        folder.mkdir(parents=True, exist_ok=True)
    else:
        make_private(folder)


def external_code(function: Any) -> str:
    """Return the code of a kernel defined outside this package, which the folder's name does not cover, as text.

    That is its bytecode, its constants, the values of its globals, and the same of the kernels that it calls.
    """
    found: dict[Any, str] = {}

    def add(function: Any) -> None:
        if function in found or function.__module__.startswith(PREFIX):
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
    """Return bytecode, constants and names as text, without file name and line numbers."""
    constants = [_code_text(value) if isinstance(value, CodeType) else value for value in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Names a kernel's files for Numba; `KernelFiles` has their folder."""

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

    def get_filename_base(self, fullname: str, abiflags: str) -> str:  # noqa: ARG002
        """Return the start of a kernel's file names, without Numba's version of Python."""
        return f"{fullname.replace('<', '').replace('>', '')}-{self.locator.get_disambiguator()}"

    def reduce(self, data: Any) -> Any:
        """Return a compiled kernel's serialized form without the text of its types, and without the environments of the
        functions in it: only calls of Python's C functions would read those.
        """
        *state, _ = super().reduce(data._replace(type_annotation=""))
        return *state, ()


class KernelFiles:
    """A kernel's files in a folder, one per tuple of argument types; replaces Numba's IndexDataCacheFile.

    A file is the pickled kernel, preceded by its SHA-256. There is no index, which processes would have to lock.
    Without a folder nothing is found or saved.
    """

    def __init__(self, folder: Path | None, results: _Results) -> None:
        self.folder, self.base, self.stamp = folder, results.filename_base, results.locator.get_source_stamp()

    def has(self, key: Any) -> bool:
        """Return whether there is an undamaged file for Numba's key of a kernel."""
        return self._read(key) is not None

    def load(self, key: Any) -> Any:
        """Return a kernel in Numba's serialized form; None if its file is missing or damaged."""
        pickled = self._read(key)
        return None if pickled is None else pickle.loads(pickled)

    def save(self, key: Any, data: Any) -> None:
        """Write a file atomically."""
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
    """Disk cache of one kernel."""

    _impl_class = _Results

    def __init__(self, function: Any) -> None:
        """Initialize without disk access, unlike Numba's: kernels are declared on import."""
        self._name, self._py_func, self._impl = repr(function), function, _Results(function)
        self.enable()

    def has(self, args: Any, codegen: Any) -> bool:
        """Return whether the kernel is cached for arguments of these types."""
        if self._cache_file.has(self._index_key(args, codegen)):
            return True
        return HAS_BUNDLED and self._bundled.has(self._index_key(args, BASELINE))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a compiled kernel, without importing Numba's compiler, which takes longer."""
        made = self._load_overload(sig, target_context)
        if made is None and HAS_BUNDLED:
            bundled = self._bundled.load(self._index_key(sig, BASELINE))
            made = bundled and self._impl.rebuild(target_context, bundled)
        return made

    @cached_property
    def _cache_file(self) -> KernelFiles:
        return KernelFiles(cache_folder(), self._impl)

    @cached_property
    def _bundled(self) -> KernelFiles:
        """The kernel's bundled files."""
        return KernelFiles(BUNDLED / FOLDER_NAME, self._impl)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's key without the bytecode's hash: the stamp has the source."""
        _, _, (_, closure) = super()._index_key(sig, codegen)
        return sig, codegen.magic_tuple(), closure

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel, unless the sources have been edited since this process began."""
        if folder_name() != FOLDER_NAME:
            return
        try:
            super()._save_overload(sig, data)
        except OSError as error:
            _warn_unsaved(error.strerror or str(error))  # without the random file name


def is_compiled(stage: str) -> bool:
    """Return whether a stage (solver.ladder.ladder_kernels) has been compiled into the cache, or is bundled."""
    folder = cache_folder()
    if folder is not None and _mark(folder, stage, TARGET).exists():
        return True
    if BASELINE is None or not HAS_BUNDLED:
        return False
    return _mark(BUNDLED / FOLDER_NAME, stage, (BASELINE.processor, "")).exists()


def mark_compiled(stage: str) -> None:
    """Note that a stage has been compiled into the cache, unless the sources have been edited since."""
    folder = cache_folder()
    if folder is not None and folder_name() == FOLDER_NAME:
        with suppress(OSError):
            make_folder(folder)
            _mark(folder, stage, TARGET).touch()


def _mark(folder: Path, stage: str, target: tuple[str, str]) -> Path:
    """Return the empty file that says that a stage is compiled for a processor."""
    return folder / f"{stage}-{hashlib.sha256(repr(target).encode()).hexdigest()[:16]}.compiled"


@cache
def _warn_unsaved(reason: str) -> None:
    """Log once per process that a compiled kernel could not be saved."""
    LOG.warning("compiled kernels can't be saved in %s: %s", cache_folder(), reason)


@contextmanager
def compile_lock(name: str) -> Iterator[None]:
    """Hold the lock of a kernel's symbol, so that one process compiles it; no lock without a cache folder."""
    with ExitStack() as stack:
        folder = cache_folder()
        if folder is not None:
            with suppress(OSError):  # a filesystem without locks
                make_folder(folder)
                file = stack.enter_context((folder / f"{name}.lock").open("w"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
