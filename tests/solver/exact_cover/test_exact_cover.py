"""Exact cover in every layout, against enumeration and a reference implementation of Algorithm X."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import oracle
import pytest
from cover_problems import crossing_words, givens, langford, latin_squares, pentominoes, queens, sudoku
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.solver.exact_cover import layouts, solve
from nonocensus.solver.exact_cover.cover_search import (
    ENOUGH,
    EXHAUSTED,
    FOUND,
    LATE,
    NODES,
    begin,
    end,
    new_state,
    search,
)
from nonocensus.solver.exact_cover.layouts import LAYOUTS, laid_out, levels_of
from nonocensus.solver.exact_cover.problem import Cover, cover_of

SAME = [name for name in LAYOUTS if name != "brute-force"]
"""Layouts that find the same solutions in the same order, with the same nodes."""

NONE = np.zeros(0, np.int32)


def drawn(seed: int, most: int = 12, colors: int = 0) -> oracle.CoverProblem:
    """Return a random problem of up to `most` rows and items, with secondary items if the seed is odd.

    Most have a solution, in which rows share secondary items if there are colours.
    """
    draw = random.Random(seed)
    items = draw.randint(1, most)
    primary = draw.randint(1, items) if seed % 2 else items
    share = draw.choice((0.15, 0.25, 0.4))
    rows = []
    for _ in range(draw.randint(0, most)):
        row = {item for item in range(items) if draw.random() < share} | {draw.randrange(primary)}
        rows.append({item: draw.randint(0, colors) if item >= primary else 0 for item in row})
    if draw.random() < 0.7:
        left = draw.sample(range(primary), primary)
        paint = {item: draw.randint(1, colors) for item in range(primary, items) if colors}
        while left:
            several = [left.pop() for _ in range(min(len(left), draw.randint(1, 4)))]
            painted = {item: color for item, color in paint.items() if draw.random() < 0.5}
            rows.insert(draw.randint(0, len(rows) // 2), dict.fromkeys(several, 0) | painted)
    return oracle.CoverProblem(rows[:most], primary)


def as_cover(problem: oracle.CoverProblem) -> Cover:
    items = 1 + max((item for row in problem.rows for item in row), default=0)
    rows = [list(row.items()) for row in problem.rows]
    return cover_of(rows, problem.primary, max(0, items - problem.primary))


def agrees(problem: oracle.CoverProblem) -> int:
    """Assert that all layouts agree with both oracles; return the number of solutions."""
    every = oracle.exact_covers(problem)
    in_order, nodes = oracle.cover_search(problem)
    assert sorted(map(sorted, in_order)) == every
    cover = as_cover(problem)
    for layout in SAME:
        found = solve.solve(cover, layout=layout)
        assert (found.status, found.count, found.nodes) == ("complete", len(every), nodes), layout
        assert found.solutions == in_order, layout
    brute = solve.solve(cover, layout="brute-force")
    assert (brute.status, sorted(map(sorted, brute.solutions))) == ("complete", every)
    return len(every)


@pytest.mark.parametrize("colors", [0, 3])
def test_random_matrices(colors: int) -> None:
    found = [agrees(drawn(seed, colors=colors)) for seed in range(400)]
    assert sum(number > 0 for number in found) > 200


@pytest.mark.plain_python
@pytest.mark.parametrize("colors", [0, 2])
def test_small_random_matrices(colors: int) -> None:
    for seed in range(30):
        agrees(drawn(seed, most=7, colors=colors))


@st.composite
def problems(draw: st.DrawFn) -> oracle.CoverProblem:
    primary, secondary = draw(st.integers(1, 7)), draw(st.integers(0, 4))
    row = st.dictionaries(st.integers(0, primary + secondary - 1), st.integers(0, 2), min_size=1, max_size=5)
    first = st.integers(0, primary - 1)
    rows = draw(st.lists(st.tuples(first, row), max_size=10))
    return oracle.CoverProblem(
        [{item: color if item >= primary else 0 for item, color in ({one: 0} | row).items()} for one, row in rows],
        primary,
    )


@given(problems())
def test_any_problem(problem: oracle.CoverProblem) -> None:
    agrees(problem)


def test_the_solutions_are_covers() -> None:
    """Validate each solution of problems that are too large to enumerate."""
    for cover in (pentominoes(5, 12), queens(20), crossing_words(WORDS, 4), sudoku(3)):
        for layout in SAME:
            found = solve.solve(cover, limit=50, layout=layout)
            assert found.count == len({tuple(sorted(rows)) for rows in found.solutions}) == 50
            assert all(fits(cover, rows) for rows in found.solutions)


WORDS = ["".join(letters) for letters in product("abc", repeat=4) if "".join(letters).count("a") < 3]


def fits(cover: Cover, rows: list[int]) -> bool:
    """Check whether rows are a solution."""
    entries = [k for row in rows for k in range(cover.offsets[row], cover.offsets[row + 1])]
    taken: dict[int, list[int]] = {}
    for k in entries:
        taken.setdefault(int(cover.items[k]), []).append(int(cover.colors[k]) if len(cover.colors) else 0)
    primary = all(len(taken.get(item, [])) == 1 for item in range(cover.primary))
    return primary and all(len(colors) == 1 or (len(set(colors)) == 1 and colors[0] != 0) for colors in taken.values())


def more_words() -> Iterator[tuple[str, Cover]]:
    """Yield problems whose bit sets have one word or several, and one with row counts of several bits."""
    yield "1 word", langford(7)
    yield "2 words", pentominoes(20, 3)
    yield "6 words", latin_squares(11)
    yield "many rows of an item", cover_of([[0, k] for k in range(1, 60)], 1, 60)
    yield "colours", crossing_words(WORDS, 4)


@pytest.mark.parametrize(("name", "cover"), list(more_words()))
def test_all_layouts_do_the_same(name: str, cover: Cover) -> None:
    answers = [solve.solve(cover, limit=2000, layout=layout) for layout in SAME]
    assert answers[0].count > 1, name
    assert len({(found.status, found.count, found.nodes) for found in answers}) == 1
    assert all(found.solutions == answers[0].solutions for found in answers)
    assert len({found.updates for found in answers[:3]}) == 1


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
@pytest.mark.parametrize("cover", [langford(4), crossing_words(["ab", "ba", "aa"], 2)])
def test_everything_is_put_back(layout: str, cover: Cover) -> None:
    """After no search, a partial one, conflicting given rows, and a complete one."""
    x, state = laid_out(cover, layout), new_state(0, levels_of(cover))
    before = restored(x)
    assert layouts.sound(x)
    for rows, most in ((NONE, 0), (NONE, 1), (np.array([0], np.int32), 1), (np.array([0, 0], np.int32), 1), (NONE, 99)):
        if begin(x, state, rows) and most:
            search(x, state, most, 0, 1e9)
        end(x, state)
        assert all(np.array_equal(one, other) for one, other in zip(before, restored(x), strict=True))


def restored(x: Any) -> list[np.ndarray]:
    """Return copies of the arrays that a search must restore."""
    names = {"memory", "keys", "has", "forbids", "holder"}
    return [value.copy() for name, value in x._asdict().items() if name in names]


@pytest.mark.parametrize("layout", ["links-16", "links-32", "addresses"])
def test_a_broken_link_is_noticed(layout: str) -> None:
    for what in ("keys", "memory"):
        x = laid_out(langford(4), layout)
        assert layouts.sound(x)
        if what == "keys":
            x.keys[3] += x.unit
        else:
            x.memory[[4, 5]] = x.memory[[5, 4]]  # up and down of an item's header
        assert not layouts.sound(x)


def test_rows_that_are_given() -> None:
    """Given rows restrict the solutions to those that contain them."""
    cover = queens(6)
    every = [set(rows) for rows in solve.solve(cover).solutions]
    for layout in LAYOUTS:
        for rows in ([], [1], [1, 8], [0], [1, 2], [1, 1]):
            found = solve.solve(cover, given=rows, layout=layout)
            right = [each for each in every if set(rows) <= each] if len(rows) == len(set(rows)) else []
            assert found.count == len(right)
            assert sorted(map(sorted, found.solutions)) == sorted(map(sorted, right))
            assert all(solution[: len(rows)] == rows for solution in found.solutions)


def test_rows_given_to_random_problems() -> None:
    found = 0
    for seed in range(200):
        problem = drawn(seed, colors=3)
        every, draw = oracle.exact_covers(problem), random.Random(seed)
        if len(problem.rows) > 1:
            fitting = draw.choice(every) if every and draw.random() < 0.7 else range(len(problem.rows))
            rows = draw.sample(fitting, min(2, len(fitting)))
            right = [solution for solution in every if set(rows) <= set(solution)]
            found += len(right)
            for layout in LAYOUTS:
                answer = solve.solve(as_cover(problem), given=rows, layout=layout)
                assert (answer.status, sorted(map(sorted, answer.solutions))) == ("complete", right), layout
    assert found > 100


def test_colors_of_given_rows() -> None:
    cover = cover_of([[0, (2, 1)], [1, (2, 1)], [1, (2, 2)], [0, 2], [1, 2], [1]], 2, 1)
    expected = {0: [[0, 1], [0, 5]], 1: [[1, 0]], 2: [], 3: [[3, 5]], 4: [], 5: [[5, 0], [5, 3]]}
    for layout in LAYOUTS:
        assert {row: solve.solve(cover, given=[row], layout=layout).solutions for row in range(6)} == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_many_questions_at_once_are_answered_as_each_alone(layout: Any) -> None:
    cover = sudoku(2)
    puzzles = ["1234341221434321", "1", "1..4", "11", "", "12..34..2"]
    rows = [givens(puzzle, 4) for puzzle in puzzles]
    together = solve.solve_each(cover, rows, limit=3, keep=2, layout=layout)
    alone = [solve.solve(cover, given=each, limit=3, keep=2, layout=layout) for each in rows]
    assert [replace(each, cpu_seconds=0.0) for each in together] == [replace(each, cpu_seconds=0.0) for each in alone]
    assert [found.count for found in together][:4] == [1, 3, 3, 0]
    assert solve.solve_each(cover, [], layout=layout) == []


@pytest.mark.plain_python
def test_solutions_one_after_the_other() -> None:
    cover = langford(4)
    for layout in LAYOUTS:
        assert list(solve.iterate(cover, layout=layout)) == solve.solve(cover, layout=layout).solutions
    assert next(solve.iterate(queens(4))) == solve.solve(queens(4), limit=1).solutions[0]


def test_threads_do_not_disturb_each_other() -> None:
    cover = queens(9)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda k: solve.solve(cover, layout=SAME[k % len(SAME)]), range(12)))
    assert {(found.count, found.nodes) for found in answers} == {(352, answers[0].nodes)}
    assert all(found.solutions == answers[0].solutions for found in answers)
