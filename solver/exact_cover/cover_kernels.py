"""Warm-up of the exact-cover kernels."""

from nonocensus.solver.exact_cover.problem import cover_of
from nonocensus.solver.exact_cover.solve import Layout, solve, solve_each

CHOSEN: tuple[Layout, ...] = ("bit-rows", "links-16", "links-32")
"""Layouts that `best_layout` can return."""


def warm_up() -> None:
    """Compile the kernels of the default layouts, or load them from the disk cache."""
    board = cover_of([[0, 1], [2, 3], [0, 2], [1, 3]], primary=4)
    for layout in CHOSEN:
        solve(board, layout=layout)
        solve_each(board, [[0], []], layout=layout)
