"""Published numbers of solutions; without a named layout, in the default one for the size."""

from collections.abc import Callable
from typing import Any

import pytest
from cover_problems import langford, latin_squares, pentominoes, queens, sudoku

from nonocensus.solver.exact_cover.cover_search import LAYOUTS
from nonocensus.solver.exact_cover.problem import Cover, cover_of
from nonocensus.solver.exact_cover.solve import solve

LONG = (pytest.mark.slow, pytest.mark.unchecked)

HOLE = [(3, 3), (3, 4), (4, 3), (4, 4)]


@pytest.mark.parametrize(
    ("width", "height", "holes", "tilings", "symmetries"),
    [
        pytest.param(10, 6, [], 2339, 4, marks=LONG),
        pytest.param(12, 5, [], 1010, 4, marks=LONG),
        (15, 4, [], 368, 4),
        (20, 3, [], 2, 4),
        (8, 8, HOLE, 65, 8),
    ],
)
def test_pentominoes(width: int, height: int, holes: list[tuple[int, int]], tilings: int, symmetries: int) -> None:
    """Tilings up to symmetry: Haselgrove and Haselgrove, A computer program for pentominoes, Eureka 23 (1960).

    The square: Scott, Programming a combinatorial puzzle (1958).
    """
    assert solve(pentominoes(width, height, holes), keep=0, cpu_limit=600).count == tilings * symmetries


def test_pentominoes_by_links() -> None:
    for layout in ("links16", "links32", "pointers"):
        found = solve(pentominoes(20, 3), layout=layout)
        assert (found.count, found.nodes, found.updates) == (8, 32978, 10986975)  # as counted by Knuth's dlx1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("problem", "first", "counts"),
    [
        pytest.param(queens, 4, [2, 10, 4, 40, 92, 352, 724], id="queens"),
        pytest.param(latin_squares, 1, [1, 2, 12, 576, 161280], id="latin squares"),
        pytest.param(langford, 3, [2, 2, 0, 0, 52, 300], id="langford"),
        pytest.param(sudoku, 2, [288], id="sudoku"),
    ],
)
def test_counts_are_those_of_the_encyclopedia(
    problem: Callable[[int], Cover], first: int, counts: list[int], layout: Any
) -> None:
    """OEIS A000170; A002860; A014552, times two, since mirror images are counted separately; A107739."""
    assert [solve(problem(first + k), layout=layout).count for k in range(len(counts))] == counts


@pytest.mark.plain_python
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_example_of_the_literature(layout: Any) -> None:
    """Knuth, Dancing Links (2000), Figure 2: the only solution is rows 0, 3 and 4."""
    problem = cover_of([[2, 4, 5], [0, 3, 6], [1, 2, 5], [0, 3], [1, 6], [3, 4, 6]], 7)
    found = solve(problem, layout=layout)
    assert [sorted(rows) for rows in found.solutions] == [[0, 3, 4]]
