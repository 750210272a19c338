"""Call a kernel's machine code from Python.

Numba would compile a wrapper for each kernel, which unpacks its arguments: for the larger ones half a second or more.
Here ctypes does it, by Numba's calling convention: status = kernel(returned*, exception**, scalars...), where records
are taken apart into their fields, and an array into where it lies, its shape and its strides.
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
"""Numba's own: writes what it wants to know of an array, ARRAY + 2 x dimensions numbers of 64 bits."""

ARRAY = 5
"""Who owns it (two pointers), how many items, bytes of one, where they lie; then shape and strides."""

INTEGERS = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
UNSIGNED = {
    ctypes.c_int8: ctypes.c_uint8,
    ctypes.c_int16: ctypes.c_uint16,
    ctypes.c_int32: ctypes.c_uint32,
    ctypes.c_int64: ctypes.c_uint64,
}
"""LLVM's numbers have no sign; a kernel's result may be meant to have none."""


class _Exception(ctypes.Structure):
    """Where an exception's class and arguments lie, pickled as the kernel was compiled."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_int32))


class Call:
    """A kernel that was compiled for arguments of certain types, to be called with such arguments and no others."""

    def __init__(self, made: Any, context: Any) -> None:
        """From what Numba's dispatcher has compiled (`overloads`), and its target context."""
        convention, about = context.call_conv, made.fndesc
        taken = list(convention._get_arg_packer(about.argtypes).argument_types)
        pointers = ctypes.c_void_p, ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *map(_c_type, taken))
        self.made = made  # or else the machine code would go with it
        self.function = prototype(made.library.get_pointer_to_function(about.llvm_func_name))
        self.size = len(taken)
        self.returned = _c_type(convention.get_return_type(about.restype).pointee)
        if isinstance(about.restype, types.Integer) and not about.restype.signed:
            self.returned = UNSIGNED[self.returned]
        self.truth = isinstance(about.restype, types.Boolean)

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        """What the kernel returns; raises what it raises."""
        numbers = np.empty(self.size, np.int64)
        others: list[tuple[int, Any]] = []
        _take_apart(arguments, numbers.ctypes.data, 0, others)
        scalars = numbers.tolist()
        for place, value in others:
            scalars[place] = value
        returned, raised = self.returned(), ctypes.POINTER(_Exception)()
        status = self.function(ctypes.addressof(returned), ctypes.addressof(raised), *scalars)
        if status == RETCODE_NONE.constant:
            return None
        if status != RETCODE_OK.constant:
            kind, said, _ = pickle.loads(ctypes.string_at(raised[0].data, raised[0].size))
            raise kind(*said)
        return bool(returned.value) if self.truth else returned.value


def _c_type(kind: Any) -> Any:
    """The C type of a scalar of LLVM's."""
    if isinstance(kind, ir.PointerType):
        return ctypes.c_void_p
    return ctypes.c_double if isinstance(kind, ir.DoubleType) else INTEGERS[kind.width]


def _take_apart(value: Any, start: int, place: int, others: list[tuple[int, Any]]) -> int:
    """Write what arrays consist of behind the address `start`, from a place on; note what else there is, by place.

    Returns the place behind the value.
    """
    if isinstance(value, np.ndarray):
        _adapt(value, start + 8 * place)
        return place + ARRAY + 2 * value.ndim
    if isinstance(value, tuple):
        for each in value:
            place = _take_apart(each, start, place, others)
        return place
    others.append((place, value if value is None or isinstance(value, float) else int(value)))
    return place + 1
