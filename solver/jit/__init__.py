"""Compiling kernels: decorators, calls without wrappers, the disk cache, intrinsics, clocks.

All that touches private parts of Numba and llvmlite is here, in `dispatchers`, `compilers`, `calling` and
`kernel_files`, for the versions of Numba in `kernel_cache.TESTED`; solver.jit.self_test names the part that a new
version breaks. Any other version, and NONOCENSUS_STOCK=1, compiles by Numba's public interface alone.
"""
