"""How kernels are compiled: one decorator, one cache that can't go stale.

Numba's disk cache notices a change in a kernel's own file, but not one in a kernel that it calls. A new release could
therefore run old machine code. So the cache folder carries a hash of every source file of this package and those in it:
other sources, other folder. Only `solver.derivation` does not count, since it has no kernels. The same goes for what
else the code depends on: the checked mode, other tuning, bounds checks, the versions of Python and Numba, and the place
of this package, by which Numba finds what it has compiled.

Numba unpickles what it finds there, so whoever can write to the folder can run code as its user: it must be nobody
else's.

`NUMBA_DISABLE_JIT=1` leaves all kernels plain Python functions (for debugging and coverage).
"""

import hashlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

import numba
import platformdirs

from solver import tuning

P = ParamSpec("P")
R = TypeVar("R")


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
    where = sys.version, numba.__version__, str(PACKAGE)
    digest.update(repr((*compiled_in, *where)).encode())
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


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function in nopython mode, cached on disk, without the GIL.

    Kernels take arrays, scalars and named tuples of them, return scalars, and report trouble by status codes. They
    allocate nothing: their memory comes from the caller. So they need none of Numba's reference counting, which took a
    fifth of the time of line logic.
    """
    return _compiled(function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that is inlined wherever another calls it: for the innermost ones, whose calls would cost as they do."""
    return _compiled(function, forceinline=True)


def _compiled(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    others = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        compiler = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, **options)
        return cast(Callable[P, R], compiler(function))
    finally:
        numba.config.CACHE_DIR = others
