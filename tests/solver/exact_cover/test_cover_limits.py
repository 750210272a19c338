"""Solution limits, CPU limits, and invalid problems."""

import math
import os
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from cover_problems import langford, queens

from nonocensus.solver.exact_cover import solve
from nonocensus.solver.exact_cover.cover_search import LAYOUTS, TooLargeError, best_layout
from nonocensus.solver.exact_cover.problem import Cover, cover_of


@pytest.mark.plain_python
@pytest.mark.parametrize("layout", LAYOUTS)
def test_limits(layout: Any) -> None:
    cover = langford(4)
    every = solve.solve(cover, layout=layout)
    assert (every.status, every.count) == ("complete", 2)
    for limit, keep in ((1, 5), (2, 5), (3, 5), (3, 1), (3, 0), (1, 0)):
        found = solve.solve(cover, limit=limit, keep=keep, layout=layout)
        assert found.status == ("limit" if limit <= 2 else "complete")
        assert found.count == min(limit, 2)
        assert found.solutions == every.solutions[: min(limit, keep)]


@pytest.mark.parametrize("keep", [0, 1, 7, 92, 100])
@pytest.mark.parametrize("buffer", [1, 20, 1 << 16])
def test_solutions_are_kept_whatever_the_buffer(keep: int, buffer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "BUFFER", buffer)
    monkeypatch.setattr(solve, "SLICE", 0.0)  # so that each clock check ends a kernel call
    found = solve.solve(queens(8), keep=keep)
    assert (found.status, found.count) == ("complete", 92)
    assert found.solutions == list(solve.iterate(queens(8)))[:keep]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_of_time(layout: Any) -> None:
    found = solve.solve(queens(12), cpu_limit=1e-9, layout=layout)
    assert found.status == "timeout"
    assert found.count < 14200
    assert len(found.solutions) == min(found.count, 1000)
    with pytest.raises(TimeoutError, match="1e-09 CPU seconds"):
        list(solve.iterate(queens(12), cpu_limit=1e-9, layout=layout))


INTERRUPTED = """
from cover_problems import pentominoes
from nonocensus.solver.exact_cover import solve
search = solve.search
def told(*arguments):
    if arguments[2] > 1:
        print("at work", flush=True)
    return search(*arguments)
solve.search = told
solve.solve(pentominoes(10, 6), limit=None, keep=0, cpu_limit=1e6, layout="brute")
"""


def test_interrupted() -> None:
    """Ctrl-C ends a search that would run for hours."""
    command = [sys.executable, "-c", INTERRUPTED]
    pipe = subprocess.PIPE
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert "KeyboardInterrupt" in said


def arrays(offsets: Any, items: Any, primary: int = 2, secondary: int = 1) -> Cover:
    return Cover(*(np.array(each, np.int64) for each in (offsets, items)), primary, secondary)


WRONG = {
    "no item is primary": arrays([0], [], primary=0),
    "row 1 has an item that is not in 0..2": arrays([0, 1, 2], [0, 3]),
    "row 0 has an item that is not": arrays([0, 1], [-1]),
    "row 1 has an item twice": arrays([0, 1, 3], [0, 1, 1]),
    "row 0 has an item twice": arrays([0, 3], [0, 2, 2]),
    "row 1 has no primary item": arrays([0, 1, 2], [0, 2]),
    "row 2 has no primary item": arrays([0, 1, 2, 2], [0, 1]),
    "row 0 has no primary item": arrays([0, 0], []),
    "offsets must begin with 0": arrays([], []),
    "begin with 0, never fall": arrays([0, 2, 1, 2], [0, 1]),
    "end with the number of entries, 2": arrays([0, 1], [0, 1]),
    "number of primary items is -1": arrays([0, 1], [0], primary=-1),
    "number of secondary items is 1.5": arrays([0, 1], [0], secondary=1.5),  # type: ignore[arg-type]
    "at most 2,147,483,646": arrays([0, 1], [0], secondary=1 << 31),
    "items has numbers that are no int32": arrays([0, 1], [1 << 40]),
    "items must be integers in one dimension": Cover(np.array([0, 1]), np.array([0.5]), 1),
    "offsets must be integers": Cover(np.array(["0"]), np.zeros(0), 1),
    "in one dimension, not int64 in 2": Cover(np.array([0, 1]), np.zeros((1, 1), np.int64), 1),
}


@pytest.mark.plain_python
@pytest.mark.parametrize("rows", [[["a"]], [[(0, 1)]], [[1 << 40]], [[0.5, 0.5]], [[None]], [0]])
def test_rows_that_cannot_be(rows: Any) -> None:
    with pytest.raises(ValueError, match="integers of 31 bits"):
        cover_of(rows, 2)


@pytest.mark.plain_python
def test_rows_may_be_of_any_kind() -> None:
    """Sets, arrays and generators, and NumPy integers."""
    expected = [[0, 1]]
    for rows in (({0, 1}, {2}), (np.array([0, 1]), (2,)), ((item for item in (0, 1)), [np.uint8(2)])):
        assert solve.solve(cover_of(rows, 3)).solutions == expected


@pytest.mark.plain_python
def test_arrays_may_be_of_any_kind() -> None:
    """Arrays of other dtypes, strided, or read-only like Arrow's, are accepted and not modified."""
    for kind in (np.int8, np.uint64, np.int32):
        gaps = np.array([0, 9, 1, 9, 2, 9], kind)[::2]
        gaps.flags.writeable = False
        cover = Cover(np.array([0, 2, 3], kind), gaps, 3)
        for layout in LAYOUTS:
            assert solve.solve(cover, layout=layout).solutions == [[0, 1]]  # type: ignore[arg-type]
        assert gaps.tolist() == [0, 1, 2]


@pytest.mark.plain_python
def test_arguments_that_cannot_be() -> None:
    cover = langford(3)
    for arguments, message in (
        ({"layout": "addresses"}, "no layout is called 'addresses'"),
        ({"limit": 0}, "the limit is 0"),
        ({"keep": -1}, "keep is -1"),
        ({"cpu_limit": 0}, "the CPU limit is 0"),
        ({"cpu_limit": math.nan}, "the CPU limit is nan"),
    ):
        with pytest.raises(ValueError, match=message):
            solve.solve(cover, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "items", "layout"),
    [(21_844, 21_844, "links16"), (21_845, 21_845, "links32"), (32_766, 1, "links16"), (32_767, 1, "links32")],
)
def test_edge_of_16_bits(rows: int, items: int, layout: Any) -> None:
    """A header an item, an entry and a spacer a row, and one spacer more: a row an item, or one item in all rows."""
    cover = cover_of([[k % items] for k in range(rows)], items)
    assert best_layout(cover) == layout
    for each in {"links32", "pointers", layout}:
        found = solve.solve(cover, keep=1, layout=each)
        assert (found.count, found.nodes) == (rows // items, rows + 1)
        assert found.solutions == [list(range(items))]
    if layout == "links32":
        with pytest.raises(TooLargeError, match="too large for links of 16 bits"):
            solve.solve(cover, layout="links16")


MATRIX = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]]


@pytest.mark.parametrize("kind", [list, tuple, bool, np.bool_, np.uint8, np.int64, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_matrix_is_a_problem(kind: Any, layout: Any) -> None:
    matrix = kind(map(kind, MATRIX)) if kind in (list, tuple) else np.array(MATRIX, kind)
    found = solve.solve(matrix, layout=layout)
    assert sorted(map(sorted, found.solutions)) == [[0, 1], [2, 3]]
    assert [*solve.iterate(matrix, layout=layout)] == found.solutions


def test_random_matrices_are_their_lists_of_items() -> None:
    """Among them one without rows and one with an empty column."""
    rng = np.random.default_rng(5)
    drawn = [rng.random((9, 5)) < 0.3 for _ in range(50)]
    for matrix in (*(each[each.any(axis=1)] for each in drawn), np.zeros((0, 3)), np.array([[1, 0], [1, 0]])):
        found, expected = (
            solve.solve(each)
            for each in (matrix, cover_of([np.flatnonzero(row).tolist() for row in matrix], matrix.shape[1]))
        )
        assert (found.status, found.count, found.solutions) == (expected.status, expected.count, expected.solutions)


NO_MATRIX: list[tuple[Any, type[Exception], str]] = [
    ([[1, 0], [1]], ValueError, "the rows of the matrix have different lengths; give a 0/1 matrix, or the"),
    ([[0, 3], [1, 2]], ValueError, "row 0 of the matrix has 3 in column 1; give a 0/1 matrix, or"),
    ([[1, -1]], ValueError, "row 0 of the matrix has -1 in column 1"),
    (np.array([[1.0, np.nan]]), ValueError, "row 0 of the matrix has nan in column 1"),
    ([[1, 0], [0, 0]], ValueError, "row 1 has no primary item, so nothing says whether to take it"),
    ([], ValueError, "there is nothing to cover"),
    ([[]], ValueError, "there is nothing to cover"),
    ([1, 0], TypeError, "list is no problem of exact cover; give a 0/1 matrix, or"),
    ([[[1]]], TypeError, "list is no problem"),
    ([["1", "0"]], TypeError, "list is no problem"),
    ([[1, None]], TypeError, "list is no problem"),
    ("1001", TypeError, "str is no problem"),
    (None, TypeError, "NoneType is no problem"),
    ({0: [1]}, TypeError, "dict is no problem"),
]


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("problem", "error", "message"), [*NO_MATRIX, *((cover, ValueError, message) for message, cover in WRONG.items())]
)
def test_what_is_no_problem(problem: Any, error: type[Exception], message: str) -> None:
    """A row of zeros is refused: each solution would stay one with it and without it."""
    for run in (solve.solve, solve.iterate):
        with pytest.raises(error, match=message) as raised:
            run(problem)
        assert "\n" not in str(raised.value)
