"""Kernels called from Python: arguments, results, exceptions, and no superfluous types."""

import json
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from kernels import note

from nonocensus.solver.exact_cover.solve import CHOSEN
from nonocensus.solver.jit.kernel import kernel, standalone

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


class Inner(NamedTuple):
    grid: np.ndarray
    factor: float


class Outer(NamedTuple):
    inner: Inner
    bytes: np.ndarray
    nothing: None
    number: int


@standalone
def weigh(outer: Outer, line: np.ndarray, twice: bool, color: np.ndarray | None) -> float:
    """Read every argument, and write two of them."""
    total = 0.0
    for y in range(outer.inner.grid.shape[0]):
        for x in range(outer.inner.grid.shape[1]):
            total += outer.inner.grid[y, x] * (10 * y + x)
    for k in range(len(outer.bytes)):
        total += 1000.0 * outer.bytes[k]
    line[0] = outer.number
    outer.inner.grid[0, 1] = 7
    if color is not None:
        total += color[0]
    return total * outer.inner.factor * (2.0 if twice else 1.0)


@kernel
def more_than(limit: int, number: int) -> bool:
    """Return whether the number is more."""
    return number > limit


@kernel
def highest_bit(place: int) -> np.uint64:
    """Return an unsigned number."""
    return np.uint64(1) << np.uint64(place)


@kernel
def refuse(number: int) -> None:
    """Raise for odd numbers."""
    if number % 2 == 1:
        raise ValueError("odd")
    if number == 4:
        raise AssertionError("four")  # as `assert` does, which pytest would rewrite


@pytest.mark.parametrize("number", [-5, np.int64(-5)])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("color", [None, np.array([5], np.uint8)])
def test_kernel_receives_its_arguments(number: Any, every: int, color: np.ndarray | None) -> None:
    grid = np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::every]
    data = np.frombuffer(b"\1\2", np.uint8)  # read-only, as Arrow's arrays
    line = np.zeros(2, np.int64)
    places = np.add.outer(10 * np.arange(3), np.arange(grid.shape[1]))
    expected = ((grid * places).sum() + 3000.0 + (0 if color is None else 5)) * 0.5
    for twice in (False, True):
        grid[0, 1] = every
        assert weigh(Outer(Inner(grid, 0.5), data, None, number), line, twice, color) == expected * (1 + twice)
        assert (line.tolist(), grid[0, 1]) == ([-5, 0], 7)


def test_kernel_results_have_python_types() -> None:
    assert more_than(3, 4) is True
    assert more_than(4, 4) is False
    assert more_than(-(1 << 62), -(1 << 61)) is True
    assert highest_bit(63) == 1 << 63
    assert refuse(2) is None  # type: ignore[func-returns-value]


def test_kernel_exceptions_are_raised() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^odd$"):
            refuse(1)
        with pytest.raises(AssertionError, match=r"^four$"):
            refuse(4)
    refuse(2)


def test_other_argument_types_call_other_machine_code() -> None:
    line, nothing = np.zeros(1, np.int64), np.zeros(0, np.uint8)
    for kind in (np.int32, np.float64, np.uint8):
        grid = np.full((1, 2), 250, kind)
        assert weigh(Outer(Inner(grid, 1.0), nothing, None, 9), line, False, None) == 250.0
        assert line[0] == 9


def most(kernel: str) -> int:
    """Return the limit of a kernel's specialisations."""
    return len(CHOSEN) if kernel.startswith("nonocensus.solver.exact_cover.") else 1


@pytest.mark.parametrize("colors", [1, 2])
def test_kernels_are_compiled_for_no_superfluous_types(colors: int) -> None:
    """All kernels are compiled once for mono and once for coloured puzzles, those of exact cover once for each layout.

    Each superfluous specialisation delays every user's first puzzle; a literal, or an integer in place of a float, is a
    type of its own to Numba.
    """
    if not note(colors).exists():
        pytest.skip("the kernels were not compiled by tests/kernels.py, as `make test` does")
    compiled = {name: types for name, types in json.loads(note(colors).read_text()).items() if types}
    assert len(compiled) > 60
    more = {name: types for name, types in compiled.items() if len(types) > most(name)}
    assert not more, "\n".join(f"{name}({', '.join(types)})" for name, all_types in more.items() for types in all_types)
