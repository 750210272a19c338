"""What Numba does to compile a kernel, as far as it is not what Numba does by itself."""

from typing import Any

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
"""Of every kernel."""


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """A kernel's machine code, without the first of Numba's two optimisations: that is for reference counts."""

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _LinkedLibrary(_Library):
    """The code of a kernel that is only part of others: it is optimised and made machine code there."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """None: Numba asks for the wrapper."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Numba wants to tell the machine code where its environment is."""
        return _NoEnvironments


class _NoEnvironments:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """There is none."""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel with a library of this kind; after numba.core.compiler.Compiler."""

    library = _Library

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        library = self.library(targetctx.codegen(), "kernel")
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, *others)


class LinkedCompiler(KernelCompiler):
    """Compiles what is only part of kernels."""

    library = _LinkedLibrary


IN_KERNELS: dict[str, Any] = {
    "jit_options": {name: OPTIONS[name] for name in OPTIONS if name != "nopython"} | {"pipeline_class": LinkedCompiler},
    "strict": False,
}
"""For numba.extending.overload: what is only part of kernels."""
