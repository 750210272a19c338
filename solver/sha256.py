"""SHA-256 of many short texts, by OpenSSL.

Python's hashlib begins and ends each hash by OpenSSL's general interface, which takes several times as long as a text
of a hundred bytes itself. So where there are many texts, a kernel calls the functions that OpenSSL has for SHA-256
alone, in the very library that hashlib uses. A Python that hides them, or has another library, has hashlib do it.
"""

import ctypes
import hashlib
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from solver.jit import kernel, worth_loading

DIGEST_BYTES = 32

FUNCTIONS = ("SHA256_Init", "SHA256_Update", "SHA256_Final")
"""Of OpenSSL, in C: int SHA256_Init(SHA256_CTX *), int SHA256_Update(SHA256_CTX *, const void *, size_t), int
SHA256_Final(unsigned char *, SHA256_CTX *). Deprecated since 3.0, which is why they may be missing one day."""

CONTEXT_WORDS = 64
"""Room for a SHA256_CTX, which has 112 bytes."""


def sha256_of_each(data: bytes, ends: np.ndarray) -> np.ndarray:
    """The SHA-256 of each text, data[ends[k]:ends[k + 1]], uint8[texts, 32].

    ends    int64[texts + 1], ascending, none beyond the data: a ValueError says so if they are not
    """
    if ends[0] < 0 or ends[-1] > len(data) or (ends[1:] < ends[:-1]).any():
        raise ValueError("texts end before they begin, or beyond the data")
    functions = _in_openssl()
    if functions is None or not worth_loading(_hash_each, len(ends)):
        return _by_hashlib(data, ends)
    digests = np.empty((len(ends) - 1, DIGEST_BYTES), np.uint8)
    _hash_each(np.frombuffer(data, np.uint8), ends, functions, _context(), digests)
    return digests


def compile_sha256() -> None:
    """Have the kernel of this module ready."""
    no_data, no_ends, nowhere = np.frombuffer(b"", np.uint8), np.zeros(1, np.int64), np.zeros(len(FUNCTIONS), np.int64)
    _hash_each(no_data, no_ends, nowhere, _context(), np.empty((0, DIGEST_BYTES), np.uint8))


def _by_hashlib(data: bytes, ends: np.ndarray) -> np.ndarray:
    digests, begun = [], hashlib.sha256().copy  # which is copied sooner than begun anew: that looks its algorithm up
    for start, end in pairwise(ends.tolist()):
        text = begun()
        text.update(data[start:end])
        digests.append(text.digest())
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, DIGEST_BYTES)


@cache
def _in_openssl() -> np.ndarray | None:
    """Where FUNCTIONS are, int64[3]; None if they are not in reach, or are others than these."""
    try:
        import _hashlib

        library = ctypes.CDLL(_hashlib.__file__)
        functions = [getattr(library, name) for name in FUNCTIONS]
    except (ImportError, OSError, AttributeError):  # no such module, or no file of its own; hidden, or no more there
        return None
    begin, add, end = functions
    context, digest = (ctypes.c_uint64 * CONTEXT_WORDS)(), (ctypes.c_uint8 * DIGEST_BYTES)()
    text = b"tried before it is used"
    begin(context)
    add(context, text, ctypes.c_size_t(len(text)))
    end(digest, context)
    if bytes(digest) != hashlib.sha256(text).digest():
        return None
    return np.array([ctypes.cast(function, ctypes.c_void_p).value for function in functions], np.int64)


def _context() -> np.ndarray:
    return np.zeros(CONTEXT_WORDS, np.uint64)


@intrinsic
def _call(typing: Any, function: Any, first: Any, second: Any, third: Any) -> Any:
    """Call a C function by its address, with three words of 64 bits: one that takes fewer does not see the others."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word, status = ir.IntType(64), ir.IntType(32)
        return builder.call(builder.inttoptr(values[0], ir.FunctionType(status, [word] * 3).as_pointer()), values[1:])

    return types.int32(types.int64, types.int64, types.int64, types.int64), code


@kernel
def _hash_each(
    data: np.ndarray, ends: np.ndarray, functions: np.ndarray, context: np.ndarray, digests: np.ndarray
) -> None:
    """Hash each text.

    data, ends   uint8[bytes], int64[texts + 1], of which none is beyond the data
    functions    int64[3], the addresses of FUNCTIONS
    context      uint64[CONTEXT_WORDS], scratch
    digests      uint8[texts, 32]
    """
    begin, add, end = functions[0], functions[1], functions[2]
    for k in range(len(digests)):
        _call(begin, context.ctypes.data, 0, 0)
        _call(add, context.ctypes.data, data.ctypes.data + ends[k], ends[k + 1] - ends[k])
        _call(end, digests.ctypes.data + DIGEST_BYTES * k, context.ctypes.data, 0)
