"""Exact cover in every layout, against enumeration, a reference implementation and published numbers."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import oracle
import pytest
from cover_problems import langford, latin_squares, pentominoes, queens, sudoku

from nonocensus.solver.exact_cover import solve
from nonocensus.solver.exact_cover.cover_search import (
    ENOUGH,
    EXHAUSTED,
    FOUND,
    LATE,
    LAYOUTS,
    NODES,
    laid_out,
    levels_of,
    new_state,
    search,
)
from nonocensus.solver.exact_cover.problem import Cover, cover_of

SAME = [name for name in LAYOUTS if name != "brute"]
"""Layouts that find the same solutions in the same order, with the same nodes."""


def drawn(seed: int, most: int = 12) -> oracle.CoverProblem:
    """Return a random problem of up to `most` rows and items, with secondary items if the seed is odd.

    Most have a solution.
    """
    draw = random.Random(seed)
    items = draw.randint(1, most)
    primary = draw.randint(1, items) if seed % 2 else items
    share = draw.choice((0.15, 0.25, 0.4))
    rows = [
        {item for item in range(items) if draw.random() < share} | {draw.randrange(primary)}
        for _ in range(draw.randint(0, most))
    ]
    if draw.random() < 0.7:
        left = draw.sample(range(primary), primary)
        while left:
            several = {left.pop() for _ in range(min(len(left), draw.randint(1, 4)))}
            rows.insert(draw.randint(0, len(rows) // 2), several)
    return oracle.CoverProblem(rows[:most], primary)


def as_cover(problem: oracle.CoverProblem) -> Cover:
    items = 1 + max((item for row in problem.rows for item in row), default=0)
    return cover_of(problem.rows, problem.primary, max(0, items - problem.primary))


def agrees(problem: oracle.CoverProblem) -> int:
    """Assert that all layouts agree with both oracles; return the number of solutions."""
    every = oracle.exact_covers(problem)
    in_order, nodes = oracle.cover_search(problem)
    assert sorted(map(sorted, in_order)) == every
    cover = as_cover(problem)
    for layout in SAME:
        found = solve.solve(cover, layout=layout)
        assert (found.status, found.count, found.nodes) == ("complete", len(every), nodes), layout
        assert found.solutions == list(solve.iterate(cover, layout=layout)) == in_order, layout
    brute = solve.solve(cover, layout="brute")
    assert brute.solutions == list(solve.iterate(cover, layout="brute"))
    assert (brute.status, sorted(map(sorted, brute.solutions))) == ("complete", every)
    return len(every)


@pytest.mark.parametrize(("count", "most"), [pytest.param(30, 7, marks=pytest.mark.plain_python), (100, 5), (400, 12)])
def test_random_problems(count: int, most: int) -> None:
    found = [agrees(drawn(seed, most)) for seed in range(count)]
    assert 2 * sum(number > 0 for number in found) > count


@pytest.mark.parametrize(
    ("rows", "primary"), [([], 1), ([], 3), ([{0}], 2), ([{0}], 1), ([{0}, {0}], 1), ([{0, 1}, {0, 2}, {0, 9}], 1)]
)
def test_smallest_problems(rows: list[set[int]], primary: int) -> None:
    agrees(oracle.CoverProblem(rows, primary))


@pytest.mark.parametrize(
    "cover",
    [
        *(pentominoes(5, 12), pentominoes(20, 3), queens(20), sudoku(3), langford(7), latin_squares(11)),
        cover_of([[0, k] for k in range(1, 60)], 1, 60),
    ],
)
def test_large_problems(cover: Cover) -> None:
    """All layouts find the same covers of problems that are too large to enumerate, by the same work."""
    answers = [solve.solve(cover, limit=2000, layout=layout) for layout in SAME]  # type: ignore[arg-type]
    (solutions,) = {tuple(map(tuple, found.solutions)) for found in answers}
    assert len({(found.status, found.count, found.nodes, found.updates) for found in answers}) == 1
    assert len({tuple(sorted(rows)) for rows in solutions}) == min(answers[0].count, 1000) > 1
    for rows in solutions[:50]:
        items = [item for row in rows for item in cover.items[cover.offsets[row] : cover.offsets[row + 1]].tolist()]
        assert len(items) == len(set(items))
        assert set(range(cover.primary)) <= set(items)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_search_goes_on_where_it_was_stopped(layout: str) -> None:
    """Interrupt after each clock check and after every hundredth solution."""
    cover = queens(9)
    whole = solve.solve(cover, layout=layout)
    x, state = laid_out(cover, layout), new_state(1000, levels_of(cover))
    stops, status = 0, ENOUGH
    while status != EXHAUSTED:
        place = int(state.numbers[FOUND])
        status = search(x, state, place + 100 - place % 100, place, -1.0)
        stops += status == LATE
    assert (state.numbers[FOUND], state.numbers[NODES], int(x.counts[0])) == (whole.count, whole.nodes, whole.updates)
    assert [state.rows[k, : state.size[k]].tolist() for k in range(whole.count)] == whole.solutions
    assert stops > 0
    assert search(x, state, 1 << 60, 0, -1.0) == EXHAUSTED
    assert (state.numbers[FOUND], state.numbers[NODES]) == (whole.count, whole.nodes)


@pytest.mark.plain_python
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cover", [langford(4), queens(4)])
def test_a_complete_search_puts_everything_back(layout: str, cover: Cover) -> None:
    x, state = laid_out(cover, layout), new_state(0, levels_of(cover))
    before = restored(x)
    assert search(x, state, 1, 0, 1e9) == ENOUGH
    assert any(not np.array_equal(one, other) for one, other in zip(before, restored(x), strict=True))
    assert search(x, state, 99, 0, 1e9) == EXHAUSTED
    assert all(np.array_equal(one, other) for one, other in zip(before, restored(x), strict=True))


def restored(x: Any) -> list[np.ndarray]:
    """Return copies of the arrays that a search must restore."""
    return [value.copy() for name, value in x._asdict().items() if name in ("memory", "sizes", "is_covered")]


def test_threads_do_not_disturb_each_other() -> None:
    cover = queens(9)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda k: solve.solve(cover, layout=SAME[k % len(SAME)]), range(12)))
    assert {(found.count, found.nodes) for found in answers} == {(352, answers[0].nodes)}
    assert all(found.solutions == answers[0].solutions for found in answers)


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
    assert solve.solve(pentominoes(width, height, holes), keep=0, cpu_limit=600).count == tilings * symmetries


def test_pentominoes_by_links() -> None:
    for layout in ("links16", "links32", "pointers"):
        found = solve.solve(pentominoes(20, 3), layout=layout)
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
    assert [solve.solve(problem(first + k), layout=layout).count for k in range(len(counts))] == counts
