"""How kernels are compiled: one decorator, one cache that can't go stale.

Numba's disk cache notices a change in a kernel's own file, but not one in a kernel that it calls. A new release could
therefore run old machine code. So the cache folder carries a hash of every source file of this package: other sources,
other folder.

`NUMBA_DISABLE_JIT=1` leaves all kernels plain Python functions (for debugging and coverage).
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

import numba
import platformdirs

P = ParamSpec("P")
R = TypeVar("R")


def cache_folder() -> Path:
    """The folder of the compiled kernels: under `NUMBA_CACHE_DIR` if that is set, else the user's cache folder."""
    root = os.environ.get("NUMBA_CACHE_DIR") or str(platformdirs.user_cache_path("nonocensus") / "numba")
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return Path(root) / f"nonocensus-{digest.hexdigest()[:16]}"


CACHE_FOLDER = cache_folder()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function in nopython mode, cached on disk, without the GIL and without zero-division checks.

    Kernels take and return arrays, scalars and named tuples of them; they report trouble by status codes, since an
    exception in nopython code leaks memory.
    """
    others = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return cast(Callable[P, R], numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        numba.config.CACHE_DIR = others
