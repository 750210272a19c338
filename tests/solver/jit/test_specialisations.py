"""Every kernel is compiled once for mono and once for coloured puzzles, those of exact cover once for each layout.

Each superfluous specialisation delays every user's first puzzle; a literal, or an integer in place of a float, is a
type of its own to Numba.
"""

import json

import numba
import pytest
from kernels import note

from nonocensus.solver.exact_cover.solve import CHOSEN


def most(kernel: str) -> int:
    """Return the limit of a kernel's specialisations."""
    return len(CHOSEN) if kernel.startswith("nonocensus.solver.exact_cover.") else 1


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("colors", [1, 2])
def test_kernels_are_compiled_for_no_superfluous_types(colors: int) -> None:
    if not note(colors).exists():
        pytest.skip("the kernels were not compiled by tests/kernels.py, as `make test` does")
    compiled = {name: types for name, types in json.loads(note(colors).read_text()).items() if types}
    assert len(compiled) > 60
    more = {name: types for name, types in compiled.items() if len(types) > most(name)}
    assert not more, "\n".join(f"{name}({', '.join(types)})" for name, all_types in more.items() for types in all_types)
