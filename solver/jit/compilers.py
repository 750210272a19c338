"""Overrides of Numba's compiler pipeline for kernels."""

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

OPTIONS = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "boundscheck": None,  # as NUMBA_BOUNDSCHECK says
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Target options of every kernel."""


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code library of a kernel, without the first of Numba's two optimisation passes, which is for reference counts."""

    def serialize_using_object_code(self) -> Any:
        """Return the state as Numba does, but of the bitcode only the names: callers call the kernel by its address."""
        self._ensure_finalized()
        names = (each.name for each in self._final_module.functions if not each.is_declaration)
        stubs = "\n".join(f'define void @"{name}"() {{ unreachable }}' for name in names)
        return self.name, "object", (self._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode())

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _LinkedLibrary(_Library):
    """Code library of a kernel that is only linked into others, where it is optimised and compiled."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """Return a null pointer, which Numba asks of the wrapper."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Stand-in on which Numba sets the environment's address."""
        return _NoEnvironments


class _NoEnvironments:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: there is no machine code."""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiler that uses this class's `library`; adapted from numba.core.compiler.Compiler."""

    library = _Library

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        library = self.library(targetctx.codegen(), "kernel")
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, *others)


class LinkedCompiler(KernelCompiler):
    """Compiler of kernels that are only linked into others."""

    library = _LinkedLibrary


IN_KERNELS: dict[str, Any] = {
    "jit_options": {name: OPTIONS[name] for name in OPTIONS if name != "nopython"} | {"pipeline_class": LinkedCompiler},
    "strict": False,
}
"""Options of numba.extending.overload for functions that are linked into kernels."""
