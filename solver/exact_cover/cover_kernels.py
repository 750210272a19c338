"""Have the kernels of exact cover ready before they are needed: compiled, or loaded from the disk cache."""

from solver.exact_cover.problem import cover_of
from solver.exact_cover.solve import Layout, solve, solve_each

CHOSEN: tuple[Layout, ...] = ("bit-rows", "links-16", "links-32")
"""The layouts that are chosen if none is named."""


def warm_up() -> None:
    """Have those ready that are needed if no layout is named."""
    board = cover_of([[0, 1], [2, 3], [0, 2], [1, 3]], primary=4)
    for layout in CHOSEN:
        solve(board, layout=layout)
        solve_each(board, [[0], []], layout=layout)
