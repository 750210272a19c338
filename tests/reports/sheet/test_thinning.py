"""Long solutions in few states: nothing that was pointed out gets lost, and the last state stays the last."""

import numpy as np
import pytest

from nonocensus.reports.sheet.grid_state import GridState, thin_states


def states(count: int) -> list[GridState]:
    """Return a state a cell of a line, each of which finds one."""
    every = np.arange(max(count, 1))
    return [
        GridState((every <= k)[None].astype(np.uint8), (every == k)[None], (k % 3,), (k,), f"step {k}")
        for k in range(count)
    ]


@pytest.mark.parametrize("most", [3, 4, 5, 10, 11])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 20, 100, 101])
def test_steps_are_joined_evenly(count: int, most: int) -> None:
    given = states(count)
    kept, every = thin_states(iter(given), most)
    assert len(kept) <= most
    assert [state.words for state in kept[:1]] == [state.words for state in given[:1]]
    assert [state.words for state in kept[-1:]] == [state.words for state in given[-1:]]
    known = [state.decided for state in kept]
    marks = [np.count_nonzero(state.marked) for state in kept if state.marked is not None]
    assert sum(marks) == count, "each found cell is pointed out once"
    assert set(marks[1:-1]) <= {every}, "each stands for as many steps"
    assert not marks[1:] or 1 <= marks[-1] <= every
    assert sorted(column for state in kept for column in state.columns) == list(range(count))
    assert known == sorted(known)
    if count <= most - 1:
        assert every == 1
        assert len(kept) == count


def test_states_that_point_nothing_out_are_joined_too() -> None:
    plain = [GridState(np.full((1, 1), k, np.uint8)) for k in range(9)]
    kept, every = thin_states(plain, 3)
    assert [int(state.cells[0, 0]) for state in kept] == [0, 4, 8]
    assert (every, [state.marked for state in kept]) == (4, [None] * 3)
