"""Self-test of the private parts of Numba and llvmlite in use: `python -m nonocensus.solver.jit.self_test`.

The first part that fails is named, the lowest first, so that the cause is known when a new version breaks one.
"""

import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel_cache import TESTED

KNOWN_VERSIONS = {"numba": " or ".join(TESTED), "llvmlite": "0.50"}
"""Minor versions that all parts are known to work with; Numba pins llvmlite."""


class BrokenPart(RuntimeError):
    """A private part of Numba or llvmlite does not work as solver.jit expects; the message names it."""


def _expect(condition: bool, failure: str) -> None:
    if not condition:
        raise RuntimeError(failure)


def _compile(function: Any, *arguments: Any, compiler: Any = None, cache: Any = None) -> Any:
    """Compile a function for arguments; returns its dispatcher and Numba's result."""
    from numba.core.registry import CPUDispatcher

    compilers = import_module("nonocensus.solver.jit.compilers")
    pipeline = compiler or compilers.KernelCompiler
    dispatcher = CPUDispatcher(function, targetoptions=compilers.OPTIONS, pipeline_class=pipeline)
    if cache is not None:
        dispatcher._cache = cache
    kinds = tuple(map(dispatcher.typeof_pyval, arguments))
    dispatcher.compile(kinds)
    return dispatcher, dispatcher.overloads[kinds]


def _run(function: Any, *arguments: Any, call: Any = None) -> Any:
    """Compile a function and call it by its address."""
    dispatcher, made = _compile(function, *arguments)
    return (call or import_module("nonocensus.solver.jit.calling").KernelCall)(made, dispatcher.targetctx)(arguments)


def _check_pipeline(compiler: Any) -> None:
    optimized = []

    class Library(compiler.library):  # type: ignore[misc]
        def _optimize_final_module(self) -> None:
            optimized.append(self)
            super()._optimize_final_module()

    _, made = _compile(lambda x: x + 1, 1, compiler=type("Compiler", (compiler,), {"library": Library}))
    _expect(optimized == [made.library], "the library's own passes do not run")


def _check_calls(call: Any) -> None:
    def weigh(record: Any, number: int, flag: bool) -> Any:
        if number < 0:
            raise ValueError("negative")
        record[0][0, 0] = number
        return record[0][1, 1] * record[1] + (100 if flag and record[2] is None else 0)

    record = (np.arange(8, dtype=np.int16).reshape(2, 4)[:, ::2], 0.5, None)
    _expect(_run(weigh, record, 7, True, call=call) == 103.0, "arguments or result are wrong")
    _expect(record[0][0, 0] == 7, "an array is not written to")
    _expect(_run(lambda x: np.uint64(x) << np.uint64(63), 1, call=call) == 1 << 63, "an unsigned result is wrong")
    _expect(_run(lambda x: x > 3, 4, call=call) is True, "a boolean result is wrong")
    try:
        _expect(_run(weigh, record, -1, False, call=call) is None, "an exception is lost")
    except ValueError as error:
        _expect(str(error) == "negative", "an exception has another message")


def _check_linked(compiler: Any) -> None:
    inner, made = _compile(lambda x: 3 * x, 1, compiler=compiler)
    _expect(made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0, "it has machine code of its own")
    _expect(_run(lambda x: inner(x) + 1, 5) == 16, "a call from another kernel is wrong")


def _check_fingerprint(fingerprint: Callable[[Any], Any]) -> None:
    one, same, other = ((np.zeros(1, kind), 1.0, None) for kind in (float, float, np.uint8))
    _expect(fingerprint(one) == fingerprint(same) != fingerprint(other), "it does not tell types apart")


def _check_addresses(standalone: Any) -> None:
    inner = standalone(lambda x: x // 7)
    outer, made = _compile(lambda x: inner(x) + 1, 14)
    _expect(inner.symbol((outer.typeof_pyval(14),)) in made.library.get_llvm_str(), "it is not called by its symbol")
    _expect(_run(lambda x: inner(x) + 1, 14) == 3, "a call from another kernel is wrong")


def _check_cache(cache: Any) -> None:
    function, hits = lambda x: x + 1, []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            kept = cache(function)
            kept._cache_file = import_module("nonocensus.solver.jit.kernel_files").KernelFiles(Path(folder), kept._impl)
            dispatcher, made = _compile(function, 1, cache=kept)
            hits.append(sum(dispatcher._cache_hits.values()))
    _expect(hits == [0, 1], "a saved kernel is not loaded")
    _expect(made.library.get_pointer_to_function(made.fndesc.llvm_func_name) != 0, "a loaded kernel has no address")


def _check_wide_ints(part: Any) -> None:
    load, store, reverse, count = part.load_integer, part.store_integer, part.reverse_bits, part.count_bits

    def work(memory: Any, marker: Any) -> Any:
        x = load(memory, 0, marker)
        store(memory, 1, (reverse(x) + x) << 1)
        return count(x)

    memory = np.array([[5, 1 << 60], [0, 0]], np.uint64)
    _expect(_run(work, memory, (np.uint64(0),) * 2) == 3, "bits are counted wrongly")
    _expect(memory[1].tolist() == [10 + 16, (1 << 61) + (1 << 62)], "arithmetic is wrong")


def _check_vectors(part: Any) -> None:
    load, store, mirror, union = part.load_uint16s, part.store_words, part.mirror_lanes, part.or_of_lanes

    def work(lengths: Any, memory: Any) -> Any:
        x = load(lengths, 1)
        store(memory, 4, mirror(x, 8) >> x)
        return union(x)

    memory = np.zeros((2, 4), np.uint64)
    _expect(_run(work, np.array([9, 1, 2, 4, 5], np.uint16), memory) == 7, "a reduction is wrong")
    _expect(memory.tolist() == [[0] * 4, [64, 16, 2, 5]], "lanes are wrong")


def _check_clocks(part: Any) -> None:
    cpu, wall = part.cpu_seconds, part.wall_seconds
    for name, read, clock in (("CPU", lambda: cpu(), time.thread_time), ("wall", lambda: wall(), time.monotonic)):
        before = clock()
        _expect(before <= _run(read) <= clock(), f"the {name} clock is another one")


PARTS: dict[str, tuple[str, str, Callable[[Any], None]]] = {
    "compiler pipeline": ("nonocensus.solver.jit.compilers", "KernelCompiler", _check_pipeline),
    "calling convention": ("nonocensus.solver.jit.calling", "KernelCall", _check_calls),
    "linked library": ("nonocensus.solver.jit.compilers", "LinkedCompiler", _check_linked),
    "argument fingerprint": ("nonocensus.solver.jit.dispatchers", "compute_fingerprint", _check_fingerprint),
    "call by address": ("nonocensus.solver.jit.kernel", "standalone", _check_addresses),
    "kernel cache": ("nonocensus.solver.jit.kernel_files", "KernelCache", _check_cache),
    "wide integers": ("nonocensus.solver.jit.wide_ints", "", _check_wide_ints),
    "vectors": ("nonocensus.solver.jit.vectors", "", _check_vectors),
    "clocks": ("nonocensus.solver.jit.clock", "", _check_clocks),
}
"""The module of each part, its name there unless it is the module, and its check, which imports the module first."""


def check_part(part: str, substitute: Any = None) -> None:
    """Check a part, or a substitute for it; raises BrokenPart if it fails."""
    module, name, check = PARTS[part]
    try:
        found: Any = import_module(module)
        check(substitute or (getattr(found, name) if name else found))
    except Exception as error:
        versions = ", ".join(
            f"{name} {version(name)} (known to work: {known})" for name, known in KNOWN_VERSIONS.items()
        )
        raise BrokenPart(f"{part} in {module}: {error!r}; installed: {versions}") from error


if __name__ == "__main__":
    for each in PARTS:
        check_part(each)
    print(f"all {len(PARTS)} parts work")
