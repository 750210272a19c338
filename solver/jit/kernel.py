"""Decorators that compile kernels.

Kernels take arrays, scalars and named tuples of them, return scalars, and report failures by status codes. They
allocate nothing: the caller passes their memory.

With the versions of Numba in `solver.jit.kernel_cache.TESTED` they are compiled by our own use of Numba's private parts
(solver.jit.dispatchers); with any other, or with NONOCENSUS_STOCK=1, by plain `numba.njit`.

`NUMBA_DISABLE_JIT=1` leaves all kernels plain Python functions (for debugging and coverage).
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

from nonocensus.solver.jit.kernel_cache import STOCK, cache_folder

P = ParamSpec("P")
R = TypeVar("R")

if not STOCK:
    from nonocensus.solver.jit import dispatchers


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function as part of the kernels that call it."""
    return _declare(function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inlined into its callers: for innermost loops, whose calls would double their time."""
    return _declare(function, forceinline=True)


def standalone(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other kernels call by its address: for large ones, compiled once for all callers."""
    return _declare(function, forceinline=False, has_address=True)


def _declare(function: Callable[P, R], forceinline: bool, has_address: bool = False) -> Callable[P, R]:
    """Return the dispatcher of a kernel, or the function itself."""
    if numba.config.DISABLE_JIT:
        return function
    make: Any = _stock_dispatcher if STOCK else dispatchers.declare
    return cast(Callable[P, R], make(function, forceinline, has_address))


def _stock_dispatcher(function: Any, forceinline: bool, _: bool) -> Any:
    """Return Numba's own dispatcher of a function; its files are in our cache folder, named by the solver's sources."""
    folder = cache_folder()
    former, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder or "")
    try:
        options = {"nogil": True, "error_model": "numpy", "forceinline": forceinline}
        return numba.njit(function, cache=folder is not None, **options)
    finally:
        numba.config.CACHE_DIR = former
