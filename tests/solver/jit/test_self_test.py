"""The self-test names the private part of Numba or llvmlite that is broken."""

import tomllib
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest
from numba.core.compiler import Compiler

from nonocensus.solver.jit import clock, vectors, wide_ints
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.jit.kernel_cache import STOCK, TESTED
from nonocensus.solver.jit.self_test import KNOWN_VERSIONS, PARTS, BrokenPart, check_part

if STOCK:
    pytest.skip("no private part is used", allow_module_level=True)

from nonocensus.solver.jit.compilers import KernelCompiler
from nonocensus.solver.jit.kernel_files import KernelCache

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


class IgnoredLibrary(KernelCompiler):
    """A Numba that compiles with its own library."""

    def __init__(self, *arguments: Any) -> None:
        Compiler.__init__(self, *arguments)


class ForgetfulCache(KernelCache):
    def load_overload(self, *_: Any) -> None:
        return None


def swapped(module: Any, one: str, other: str) -> Any:
    """Return a module in which one name stands for what another one does."""
    return SimpleNamespace(**vars(module) | {one: getattr(module, other)})


BROKEN = {
    "compiler pipeline": IgnoredLibrary,
    "calling convention": lambda *_: lambda _: 103.0,
    "linked library": KernelCompiler,
    "argument fingerprint": lambda _: b"",
    "call by address": kernel,
    "kernel cache": ForgetfulCache,
    "wide integers": swapped(wide_ints, "reverse_bits", "is_nonzero"),
    "vectors": swapped(vectors, "mirror_lanes", "first_lanes"),
    "clocks": swapped(clock, "cpu_seconds", "wall_seconds"),
}


def test_all_parts_work_with_the_installed_versions() -> None:
    for part in PARTS:
        check_part(part)
    assert version("numba").startswith(tuple(f"{known}." for known in TESTED))
    assert version("llvmlite").startswith(f"{KNOWN_VERSIONS['llvmlite']}.")


def test_broken_part_is_named() -> None:
    assert BROKEN.keys() == PARTS.keys()
    for part, substitute in BROKEN.items():
        with pytest.raises(BrokenPart, match=f"^{part} in nonocensus.solver.jit.*; installed: numba .*, llvmlite "):
            check_part(part, substitute)


def test_oldest_tested_version_is_the_one_that_the_package_requires() -> None:
    """There is no upper bound: other versions run in stock mode."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert f"numba>={TESTED[0]}" in project["dependencies"]
