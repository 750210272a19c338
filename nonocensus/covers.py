"""Exact cover: choose rows so that each item is in exactly one of them. docs/EXACT_COVER.md

problem = nc.cover_of([[0, 3], [1, 2], [0, 1], [2, 3]], 4)
nc.exact_cover(problem).solutions           # [[0, 1], [2, 3]]
"""

from nonocensus.solver.exact_cover.problem import Cover as Cover
from nonocensus.solver.exact_cover.problem import cover_of as cover_of
from nonocensus.solver.exact_cover.solve import Covers as Covers
from nonocensus.solver.exact_cover.solve import iterate as iter_exact_covers
from nonocensus.solver.exact_cover.solve import solve as exact_cover
from nonocensus.solver.exact_cover.solve import solve_each as exact_cover_each

__all__ = ["Cover", "Covers", "cover_of", "exact_cover", "exact_cover_each", "iter_exact_covers"]
