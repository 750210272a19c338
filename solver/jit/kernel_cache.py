"""The mode of compilation, and the disk cache: a private folder, named by a hash of the solver's sources.

In stock mode (`STOCK`) Numba's own cache writes into that folder, else `solver.jit.kernel_files`.

Numba's own cache misses changes in the kernels that a kernel calls, so that a new release could run old machine code.
Here the folder's name is a hash of every source file of this package, and of what else the code depends on: the checked
and stock modes, tuning, bounds checks, the version of Numba. The processor is in Numba's key of each kernel. Kernels
defined outside this package (tests, benchmarks) are also keyed by their own code and by that of the kernels they call.

The version of Python is in no key, except in stock mode: kernels call no function of Python or of Numba's runtime, and
their files hold no bytecode.

A wheel or an image may bundle kernels (`make wheel`), compiled for the baseline of a processor family. They are in a
folder of this package with a name made in the same way, and are used where the name matches and the processor fits;
missing ones are compiled.

Numba unpickles these files, so write access to the folder is code execution as its user. A folder is used only if its
user alone can write to it; otherwise kernels are kept in a private temporary folder, or not at all. Each file begins
with a checksum, except in stock mode: a damaged file counts as missing.
"""

import fcntl
import hashlib
import logging
import os
import platform
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numba
import platformdirs

from nonocensus.solver import __version__, tuning

LOG = logging.getLogger("nonocensus")

PACKAGE = Path(__file__).parent.parent
BUNDLED = PACKAGE / "compiled"
"""Kernels bundled with the package."""

TESTED = ("0.68",)
"""Minor versions of Numba whose private parts are tested (solver.jit.self_test)."""

CHECKED = os.environ.get("NONOCENSUS_CHECKED", "0") not in ("", "0")
"""Whether every step is checked against a known solution (solver.lines.checked), and kernels have assertions."""

PORTABLE = os.environ.get("NONOCENSUS_PORTABLE", "0") not in ("", "0")
"""Whether kernels are compiled into this package, for all processors of a family, to bundle them."""


STOCK = os.environ.get("NONOCENSUS_STOCK", "0") not in ("", "0")
"""Whether kernels are compiled by plain `numba.njit`, without private parts of Numba."""

if not STOCK and not numba.__version__.startswith(tuple(f"{version}." for version in TESTED)):
    STOCK = True
    os.environ["NONOCENSUS_STOCK"] = "1"  # child processes need not repeat the warning
    LOG.warning(
        "Numba %s is none of the tested versions (%s): kernels are compiled by its public interface, and slower",
        numba.__version__, ", ".join(TESTED),
    )  # fmt: skip


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

if PORTABLE and STOCK:
    raise SystemExit("NONOCENSUS_PORTABLE: kernels are bundled by tested versions of Numba only; unset it")
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
    compiled_in = STOCK, CHECKED, os.environ.get(tuning.VARIABLE), numba.config.BOUNDSCHECK
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
        reason = str(error)
        if isinstance(error, OSError) and error.strerror:
            reason = f"{error.filename}: {error.strerror}"  # without the error number
    try:
        root = Path(tempfile.gettempdir(), f"nonocensus-{os.geteuid()}")
        folder = _private(root)
    except OSError:
        LOG.warning("compiled kernels are not cached: %s; set NUMBA_CACHE_DIR to a folder of your own", reason)
        return None
    LOG.warning("compiled kernels are cached in %s: %s; set NUMBA_CACHE_DIR to a folder of your own", root, reason)
    os.environ["NUMBA_CACHE_DIR"] = str(root)
    return folder


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


unsaved: set[str] = set()
"""Why kernels that this process has compiled can't be saved."""


def is_compiled(stage: str) -> bool:
    """Return whether a stage (solver.ladder.climb) has been compiled into the cache, or is bundled."""
    folder = cache_folder()
    if folder is not None and _mark(folder, stage, TARGET).exists():
        return True
    if BASELINE is None or not HAS_BUNDLED:
        return False
    return _mark(BUNDLED / FOLDER_NAME, stage, (BASELINE.processor, "")).exists()


def mark_compiled(stage: str) -> None:
    """Note that a stage has been compiled into the cache, unless it can't be saved or sources were edited since."""
    folder = cache_folder()
    if folder is not None and not unsaved and folder_name() == FOLDER_NAME:
        with suppress(OSError):
            make_folder(folder)
            _mark(folder, stage, TARGET).touch()


def _mark(folder: Path, stage: str, target: tuple[str, str]) -> Path:
    """Return the empty file that says that a stage is compiled for a processor."""
    return folder / f"{stage}-{hashlib.sha256(repr(target).encode()).hexdigest()[:16]}.compiled"


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
