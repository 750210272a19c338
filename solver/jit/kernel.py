"""How kernels are compiled.

Kernels take arrays, scalars and named tuples of them, return scalars, and report trouble by status codes. They allocate
nothing: their memory comes from the caller. So they need none of Numba's reference counting, which took a fifth of the
time of line logic.

Compiling is what a new user waits for, so as little as possible is compiled, and nothing twice:

- A kernel's code becomes part of its callers (`kernel`, `inlined`), or they call it by its address (`standalone`).
  Numba by itself does the first, and optimises all that a kernel calls once more in each of its callers.
- Python calls them by their address too (solver.jit.calling). What is only part of others is compiled on its own when
  Python calls it (`_Entry`).
- What is called by address is cached on the disk (solver.jit.kernel_cache).

`NUMBA_DISABLE_JIT=1` leaves all kernels plain Python functions (for debugging and coverage).
"""

import gc
import hashlib
import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import llvmlite.binding as llvm
import numba
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils, sigutils
from numba.core.imputils import impl_ret_new_ref
from numba.core.registry import CPUDispatcher

from solver.jit.calling import Call
from solver.jit.compilers import OPTIONS, KernelCompiler, LinkedCompiler
from solver.jit.kernel_cache import KernelCache, compile_lock
from solver.jit.waits import measured_wait

P = ParamSpec("P")
R = TypeVar("R")

PLAIN_STEPS = 50_000
"""Of a kernel's innermost loop in plain Python: some 50 ms, less than loading some kernels takes."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function as part of the kernels that call it."""
    return _kernel(_Kernel, function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that is inlined wherever another calls it: for the innermost ones, whose calls would cost as they do."""
    return _kernel(_Kernel, function, forceinline=True)


def standalone(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that others call by its address: for the larger ones, which would be compiled with each of these."""
    return _kernel(_Standalone, function, forceinline=False)


def plain_if_cheaper(function: Callable[P, R], steps: int) -> Callable[P, R]:
    """The same as plain Python, as long as all that was done so takes less time than loading the kernel would.

    steps   how often the innermost loop will be run
    """
    if not isinstance(function, _Kernel) or is_worth_loading(function, steps):
        return function
    return cast(Callable[P, R], _plain(function))


def is_worth_loading(function: Callable[..., Any], steps: int) -> bool:
    """Whether what plain Python has done so far instead of a kernel, and so many steps, would take longer than loading
    it. Never so where kernels are plain Python.
    """
    if not isinstance(function, _Kernel):
        return False
    _plain_steps[function] += steps
    return _plain_steps[function] > PLAIN_STEPS


def is_ready(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a kernel has been compiled for arguments like these, so that a call need not wait for that."""
    return not isinstance(function, _Kernel) or function.is_called(*arguments) or function.entry.is_ready(*arguments)


class _Entry(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it."""

    def enable_caching(self) -> None:
        self._cache = KernelCache(self.py_func)

    def compile(self, sig: Any) -> Any:
        """As Numba does; of several processes that need it at the same time one compiles it, and the others wait."""
        args, _ = sigutils.normalize_signature(sig)
        kept: Any = self._cache
        if args in self.overloads or not isinstance(kept, KernelCache):
            return super().compile(sig)
        if kept.has(args, self.targetctx.codegen()):
            with _without_collector():
                return super().compile(sig)
        with measured_wait(), compile_lock(self.symbol(args)), _without_collector():
            return super().compile(sig)

    def is_ready(self, *arguments: Any) -> bool:
        """Whether a call with these arguments would compile nothing."""
        args = tuple(map(self.typeof_pyval, arguments))
        return args in self.overloads or self._cache.has(args, self.targetctx.codegen())

    def symbol(self, args: Any) -> str:
        """A name for the kernel compiled for arguments of these types, the same in all processes."""
        types = hashlib.sha256(repr([str(each) for each in args]).encode()).hexdigest()[:16]
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}-{types}"


class _Kernel(_Entry):
    """A kernel as other kernels call it."""

    @cached_property
    def entry(self) -> _Entry:
        """What Python calls."""
        entry = _Entry(self.py_func, targetoptions=self.targetoptions, pipeline_class=KernelCompiler)
        entry.enable_caching()
        return entry

    @cached_property
    def _calls(self) -> dict[Any, Call]:
        """By Numba's marks of their arguments' types."""
        return {}

    def is_called(self, *arguments: Any) -> bool:
        """Whether Python has called it with arguments like these; what `is_ready` asks else takes milliseconds."""
        return tuple(map(compute_fingerprint, arguments)) in self._calls

    def __call__(self, *arguments: Any) -> Any:
        kind = tuple(map(compute_fingerprint, arguments))
        if kind not in self._calls:
            args = tuple(map(self.typeof_pyval, arguments))
            self.entry.compile(args)
            self._calls[kind] = Call(self.entry.overloads[args], self.targetctx)
        return self._calls[kind](arguments)


class _Standalone(_Kernel):
    """A kernel that other kernels call by its address.

    Its address has a name that is the same in all processes. A caller that comes from the disk cache has it loaded
    first: Numba runs what a library notes in `_reload_init`.
    """

    @property
    def entry(self) -> _Entry:
        """The same that kernels call."""
        return self

    def compile(self, sig: Any) -> Any:
        """As above; then tell the linker where it is, and Numba how it is called."""
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
    """Have a kernel compiled or loaded."""
    getattr(importlib.import_module(module), name).compile(args)


def _call_of(name: str, signature: Any, load: Callable[[], None]) -> Any:
    """What writes a call of a function that the linker knows; after numba.core.imputils.user_function."""

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


_plain_steps: Counter[Any] = Counter()


@cache
def _plain(function: _Kernel) -> Any:
    """A kernel as plain Python, and so what it calls."""
    written: Any = function.py_func
    names = dict(written.__globals__)
    for name in written.__code__.co_names:
        if isinstance(names.get(name), _Kernel):
            names[name] = _plain(names[name])
    return FunctionType(written.__code__, names, written.__name__, written.__defaults__)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Without Python's garbage collector, which would look through all that a compiler keeps and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _kernel(kind: Any, function: Callable[P, R], forceinline: bool) -> Callable[P, R]:
    if numba.config.DISABLE_JIT:
        return function
    compiler = KernelCompiler if kind is _Standalone else LinkedCompiler
    made = kind(function, targetoptions=OPTIONS | {"forceinline": forceinline}, pipeline_class=compiler)
    if kind is _Standalone:
        made.enable_caching()
    return cast(Callable[P, R], made)
