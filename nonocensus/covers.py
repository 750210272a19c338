"""Exact cover: choose rows so that each item is in exactly one of them. docs/EXACT_COVER.md

nc.exact_cover([[1, 0, 0, 1], [0, 1, 1, 0]]).solutions       # [[0, 1]]: rows of a 0/1 matrix
nc.exact_cover(nc.cover_of([[0, 3], [1, 2]], 4)).solutions   # the same by lists of items
"""

from nonocensus.solver.exact_cover.problem import Cover as Cover
from nonocensus.solver.exact_cover.problem import cover_of as cover_of
from nonocensus.solver.exact_cover.solve import Covers as Covers
from nonocensus.solver.exact_cover.solve import iterate as iter_exact_covers
from nonocensus.solver.exact_cover.solve import solve as exact_cover

__all__ = ["Cover", "Covers", "cover_of", "exact_cover", "iter_exact_covers"]
