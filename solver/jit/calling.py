"""Call a kernel's machine code from Python.

Numba would compile a wrapper for each kernel that unpacks its arguments: half a second or more for large ones. Here
ctypes does it, by Numba's calling convention: status = kernel(returned*, exception**, scalars...). Records are
flattened to their fields, and an array to its address, shape and strides.
"""

import ctypes
import pickle
from typing import Any

import numpy as np
from llvmlite import ir
from numba import _helperlib, types
from numba.core.callconv import RETCODE_NONE, RETCODE_OK

_adapt_at: int = _helperlib.c_helpers["adapt_ndarray"]  # type: ignore[attr-defined]
_adapt = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(_adapt_at)
"""Numba's function that writes an array's descriptor, ARRAY_FIELDS + 2 x dimensions numbers of 64 bits."""

ARRAY_FIELDS = 5
"""Owner (two pointers), number of items, item size, address; shape and strides follow."""


class _Exception(ctypes.Structure):
    """Address and size of an exception's pickled class and arguments."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_int32))


class KernelCall:
    """Call of a kernel compiled for certain argument types; arguments of other types crash."""

    def __init__(self, made: Any, context: Any) -> None:
        """Wrap a compile result of Numba's dispatcher (`overloads`), given its target context."""
        convention, function = context.call_conv, made.fndesc
        parameters = list(convention._get_arg_packer(function.argtypes).argument_types)
        pointers = ctypes.c_void_p, ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *map(_c_type, parameters))
        self.made = made  # keeps the machine code in memory
        self.function = prototype(made.library.get_pointer_to_function(function.llvm_func_name))
        self.parameters = len(parameters)
        is_signed = getattr(function.restype, "signed", True)
        self.returned = _c_type(convention.get_return_type(function.restype).pointee, is_signed)
        self.is_boolean = isinstance(function.restype, types.Boolean)

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        """Call the kernel; returns its result and raises its exceptions."""
        numbers = np.empty(self.parameters, np.int64)
        others: list[tuple[int, Any]] = []
        _flatten(arguments, numbers.ctypes.data, 0, others)
        scalars = numbers.tolist()
        for place, value in others:
            scalars[place] = value
        returned, raised = self.returned(), ctypes.POINTER(_Exception)()
        status = self.function(ctypes.addressof(returned), ctypes.addressof(raised), *scalars)
        if status == RETCODE_NONE.constant:
            return None
        if status != RETCODE_OK.constant:
            kind, details, _ = pickle.loads(ctypes.string_at(raised[0].data, raised[0].size))
            raise kind(*details)
        return bool(returned.value) if self.is_boolean else returned.value


def _c_type(kind: Any, is_signed: bool = True) -> Any:
    """Return the C type of an LLVM scalar; LLVM's integers have no sign, so the kernel's Numba type decides."""
    if isinstance(kind, ir.PointerType):
        return ctypes.c_void_p
    if isinstance(kind, ir.DoubleType):
        return ctypes.c_double
    return getattr(ctypes, f"c_int{kind.width}" if is_signed else f"c_uint{kind.width}")


def _flatten(value: Any, start: int, place: int, others: list[tuple[int, Any]]) -> int:
    """Write the descriptors of a value's arrays to the words from address `start`, and append its scalars to `others`.

    place    index of the value's first word; scalars are listed with theirs
    Returns the index behind its last word.
    """
    if isinstance(value, np.ndarray):
        _adapt(value, start + 8 * place)
        return place + ARRAY_FIELDS + 2 * value.ndim
    if isinstance(value, tuple):
        for each in value:
            place = _flatten(each, start, place, others)
        return place
    others.append((place, value if value is None or isinstance(value, float) else int(value)))
    return place + 1
