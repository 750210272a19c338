"""Dispatchers of kernels, on private parts of Numba, for the versions that they are tested with.

Kernels allocate nothing, so they need none of Numba's reference counting, which took a fifth of the time of line logic.

New users wait for compilation, so as little as possible is compiled, and nothing twice:

- A kernel's code becomes part of its callers (`kernel`, `inlined`), or they call it by its address (`standalone`).
  Numba does only the former, and optimises all that a kernel calls again in each of its callers.
- Python calls them by their address too (solver.jit.calling). A kernel that is only part of others gets machine code of
  its own when Python calls it (`_Entry`).
- Kernels with an address are cached on disk (solver.jit.kernel_cache).
"""

import gc
import hashlib
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils, sigutils
from numba.core.imputils import impl_ret_new_ref
from numba.core.registry import CPUDispatcher

from nonocensus.solver.jit.calling import KernelCall
from nonocensus.solver.jit.compilers import OPTIONS, KernelCompiler, LinkedCompiler
from nonocensus.solver.jit.intrinsics import widest
from nonocensus.solver.jit.kernel_cache import compile_lock
from nonocensus.solver.jit.kernel_files import KernelCache


class _Entry(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher of a kernel as Python calls it."""

    def enable_caching(self) -> None:
        """Cache it on disk, as numba.core.dispatcher.Dispatcher."""
        self._cache = KernelCache(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Compile, as Numba does; of several processes that need the kernel one compiles it while the others wait."""
        args, _ = sigutils.normalize_signature(sig)
        disk_cache: Any = self._cache
        if args in self.overloads or not isinstance(disk_cache, KernelCache):
            return super().compile(sig)
        if disk_cache.has(args, self.targetctx.codegen()):
            with _without_collector():
                return super().compile(sig)
        with compile_lock(self.symbol(args)), _without_collector():
            return super().compile(sig)

    def symbol(self, args: Any) -> str:
        """Return the kernel's symbol for arguments of these types, the same in all processes."""
        types = hashlib.sha256(repr([str(each) for each in args]).encode()).hexdigest()[:16]
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}-{types}"


class _Kernel(_Entry):
    """Dispatcher of a kernel as other kernels call it."""

    @cached_property
    def entry(self) -> _Entry:
        """The dispatcher that Python calls."""
        entry = _Entry(self.py_func, targetoptions=self.targetoptions, pipeline_class=KernelCompiler)
        entry.enable_caching()
        return entry

    @cached_property
    def _calls(self) -> dict[Any, KernelCall]:
        """Calls by Numba's fingerprints of the argument types."""
        return {}

    def __call__(self, *arguments: Any) -> Any:
        kind = tuple(map(compute_fingerprint, arguments))
        if kind not in self._calls:
            args = tuple(map(self.typeof_pyval, arguments))
            self.entry.compile(args)
            self._calls[kind] = KernelCall(self.entry.overloads[args], self.targetctx)
        return self._calls[kind](arguments)


class _Standalone(_Kernel):
    """Dispatcher of a kernel that other kernels call by its address, under the kernel's symbol.

    A caller loaded from the disk cache loads it first: Numba runs the functions in a library's `_reload_init`.
    """

    @property
    def entry(self) -> _Entry:
        """The dispatcher that Python calls: itself."""
        return self

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Resolve a call by another kernel; integers of all sizes and literals share a specialisation."""
        return super().get_call_template([widest(types.unliteral(kind)) for kind in args], kws)

    def compile(self, sig: Any) -> Any:
        """Compile, then register the address with the linker, and the way to call it with Numba."""
        entry_point = super().compile(sig)
        args, _ = sigutils.normalize_signature(sig)
        name = self.symbol(args)
        if name not in _addresses:
            made = self.overloads[args]
            _addresses[name] = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
            llvm.add_symbol(name, _addresses[name])
            load = partial(_load, self.py_func.__module__, self.py_func.__qualname__, args)
            call = _call_of(name, made.fndesc, load)
            self.targetctx.remove_user_function(entry_point)
            self.targetctx.insert_func_defn([(call, entry_point, made.fndesc.argtypes)])
        return entry_point


_addresses: dict[str, int] = {}


def _load(module: str, name: str, args: Any) -> None:
    """Load a kernel, or compile it."""
    getattr(importlib.import_module(module), name).compile(args)


def _call_of(name: str, signature: Any, load: Callable[[], None]) -> Any:
    """Return the function that emits a call of a linker symbol; adapted from numba.core.imputils.user_function."""

    def call(context: Any, builder: Any, _: Any, args: Any) -> Any:
        convention, returned, taken = context.call_conv, signature.restype, signature.argtypes
        kind = convention.get_function_type(returned, taken)
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        status, value = convention.call_function(builder, function, returned, taken, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        context.active_code_library._reload_init.add(load)
        return impl_ret_new_ref(context, builder, returned, value)

    return call


@contextmanager
def _without_collector() -> Iterator[None]:
    """Suspend garbage collection, which would traverse all of the compiler's live objects and free nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def declare(function: Any, forceinline: bool, has_address: bool) -> Any:
    """Return the dispatcher of a kernel."""
    kind, compiler = (_Standalone, KernelCompiler) if has_address else (_Kernel, LinkedCompiler)
    made = kind(function, targetoptions=OPTIONS | {"forceinline": forceinline}, pipeline_class=compiler)
    if has_address:
        made.enable_caching()
    return made
