"""Files of compiled kernels in the cache folder, on private parts of Numba's cache."""

import hashlib
import inspect
import logging
import pickle
import uuid
from functools import cached_property
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar

import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from nonocensus.solver.jit import kernel_cache
from nonocensus.solver.jit.kernel_cache import BASELINE, BUNDLED, FOLDER_NAME, HAS_BUNDLED, make_folder

LOG = logging.getLogger("nonocensus")

DIGEST_BYTES = hashlib.sha256().digest_size

PREFIX = __name__.removesuffix("jit.kernel_files")


def external_code(function: Any) -> str:
    """Return the code of a kernel defined outside this package, which the folder's name does not cover, as text.

    That is its bytecode, its constants, the values of its globals, and the same of the kernels that it calls.
    """
    found: dict[Any, str] = {}

    def add(function: Any) -> None:
        if function in found or function.__module__.startswith(PREFIX):
            return
        found[function] = _code_text(function.__code__)
        scope = inspect.getclosurevars(function)
        values = [*scope.globals.values(), *scope.nonlocals.values()]
        modules = [value for value in values if isinstance(value, ModuleType)]
        values += [getattr(module, name, None) for module in modules for name in function.__code__.co_names]
        for value in values:
            if isinstance(value, CPUDispatcher):
                add(value.py_func)
            elif isinstance(value, int | float | str | tuple | np.generic):
                found[function] += repr(value)
            elif isinstance(value, np.ndarray):
                found[function] += repr(value.tolist())

    add(function)
    return "".join(found.values())


def _code_text(code: CodeType) -> str:
    """Return bytecode, constants and names as text, without file name and line numbers."""
    constants = [_code_text(value) if isinstance(value, CodeType) else value for value in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Names a kernel's files for Numba; `KernelFiles` has their folder."""

    def __init__(self, function: Any) -> None:
        self.function = function

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":  # noqa: ARG003
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(kernel_cache.cache_folder())

    def get_source_stamp(self) -> str:
        return FOLDER_NAME + external_code(self.function)

    def ensure_cache_path(self) -> None:
        """Do nothing: `KernelCache` makes the folder."""

    def get_disambiguator(self) -> str:
        return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"


class _Results(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Locator]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:  # noqa: ARG002
        """Return the start of a kernel's file names, without Numba's version of Python."""
        return f"{fullname.replace('<', '').replace('>', '')}-{self.locator.get_disambiguator()}"

    def reduce(self, data: Any) -> Any:
        """Return a compiled kernel's serialized form without the text of its types, and without the environments of the
        functions in it: only calls of Python's C functions would read those.
        """
        *state, _ = super().reduce(data._replace(type_annotation=""))
        return *state, ()


class KernelFiles:
    """A kernel's files in a folder, one per tuple of argument types; replaces Numba's IndexDataCacheFile.

    A file is the pickled kernel, preceded by its SHA-256. There is no index, which processes would have to lock.
    Without a folder nothing is found or saved.
    """

    def __init__(self, folder: Path | None, results: _Results) -> None:
        self.folder, self.base, self.stamp = folder, results.filename_base, results.locator.get_source_stamp()

    def has(self, key: Any) -> bool:
        """Return whether there is an undamaged file for Numba's key of a kernel."""
        return self._read(key) is not None

    def load(self, key: Any) -> Any:
        """Return a kernel in Numba's serialized form; None if its file is missing or damaged."""
        pickled = self._read(key)
        return None if pickled is None else pickle.loads(pickled)

    def save(self, key: Any, data: Any) -> None:
        """Write a file atomically."""
        if self.folder is None:
            return
        make_folder(self.folder)
        pickled, path = dumps(data), self._path(self.folder, key)
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            unfinished.write_bytes(hashlib.sha256(pickled).digest() + pickled)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def _read(self, key: Any) -> memoryview | None:
        if self.folder is None:
            return None
        try:
            content = memoryview(self._path(self.folder, key).read_bytes())
        except OSError:
            return None
        digest = hashlib.sha256(content[DIGEST_BYTES:]).digest()
        return content[DIGEST_BYTES:] if content[:DIGEST_BYTES] == digest else None

    def _path(self, folder: Path, key: Any) -> Path:
        name = hashlib.sha256(repr((self.stamp, key)).encode()).hexdigest()[:16]
        return folder / f"{self.base}-{name}.nbc"


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of one kernel."""

    _impl_class = _Results

    def __init__(self, function: Any) -> None:
        """Initialize without disk access, unlike Numba's: kernels are declared on import."""
        self._name, self._py_func, self._impl = repr(function), function, _Results(function)
        self.enable()

    def has(self, args: Any, codegen: Any) -> bool:
        """Return whether the kernel is cached for arguments of these types."""
        if self._cache_file.has(self._index_key(args, codegen)):
            return True
        return HAS_BUNDLED and self._bundled.has(self._index_key(args, BASELINE))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a compiled kernel, without importing Numba's compiler, which takes longer."""
        made = self._load_overload(sig, target_context)
        if made is None and HAS_BUNDLED:
            bundled = self._bundled.load(self._index_key(sig, BASELINE))
            made = bundled and self._impl.rebuild(target_context, bundled)
        return made

    @cached_property
    def _cache_file(self) -> KernelFiles:
        return KernelFiles(kernel_cache.cache_folder(), self._impl)

    @cached_property
    def _bundled(self) -> KernelFiles:
        """The kernel's bundled files."""
        return KernelFiles(BUNDLED / FOLDER_NAME, self._impl)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's key without the bytecode's hash: the stamp has the source."""
        _, _, (_, closure) = super()._index_key(sig, codegen)
        return sig, codegen.magic_tuple(), closure

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel, unless the sources have been edited since this process began."""
        if kernel_cache.folder_name() != FOLDER_NAME:
            return
        try:
            super()._save_overload(sig, data)
        except OSError as error:
            reason = error.strerror or str(error)  # without the random file name
            if reason not in kernel_cache.unsaved:
                folder = kernel_cache.cache_folder()
                LOG.warning("compiled kernels can't be saved in %s: %s; set NUMBA_CACHE_DIR to another", folder, reason)
            kernel_cache.unsaved.add(reason)
