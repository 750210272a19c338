"""Every kernel is compiled once for mono and once for coloured puzzles: more would be paid by each user's first puzzle.
Those of exact cover once for each layout.

A literal, an integer in place of a float or another integer type is a type of its own to Numba.
"""

import json

import numba
import pytest
from kernels import note

from solver.exact_cover.cover_kernels import CHOSEN


def most(kernel: str) -> int:
    """How often a kernel may be compiled."""
    return len(CHOSEN) if kernel.startswith("solver.exact_cover.") else 1


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("colors", [1, 2])
def test_no_kernel_is_compiled_more_often_than_it_must_be(colors: int) -> None:
    if not note(colors).exists():
        pytest.skip("the kernels were not compiled by tests/kernels.py, as `make test` does")
    compiled = {name: types for name, types in json.loads(note(colors).read_text()).items() if types}
    assert len(compiled) > 60
    more = {name: types for name, types in compiled.items() if len(types) > most(name)}
    assert not more, "\n".join(f"{name}({', '.join(types)})" for name, all_types in more.items() for types in all_types)
