"""Compiling kernels: decorators, calls without wrappers, the disk cache, intrinsics, clocks.

All that touches private parts of Numba and llvmlite is here; solver.jit.self_test names the part that a new version
breaks.
"""
