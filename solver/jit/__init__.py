"""Compiling kernels: decorators, calls without wrappers, the disk cache, clocks."""
