"""Joining: a run grows as far as each block that it can be of has to reach, and two runs of one block become one."""

from solver.jit.kernel import kernel
from solver.people.desk import (
    CELLS,
    Desk,
    can_be,
    first_open,
    fit_ranges,
    keep,
    latest_end,
    longest_of,
    may,
    next_run,
    past_open,
    strip,
)


@kernel
def joining(desk: Desk) -> None:
    """Paint what every block covers that a run can be of, and the cells between two runs that are of the same block."""
    strip(desk)
    fit_ranges(desk)
    cells = int(desk.size[CELLS] - desk.open[1, 0])
    x, end, color = next_run(desk, int(desk.open[0, 0]), cells)
    last_block, last_end = -1, 0
    while color > 0:
        _grow(desk, color, x, end)
        number, which, _ = longest_of(desk, color, x, end)
        if number == 1:
            if which == last_block:
                for between in range(last_end, x):
                    keep(desk, 0, between, 1 << color)
            last_block, last_end = which, end
        x, end, color = next_run(desk, end, cells)


@kernel
def _grow(desk: Desk, color: int, start: int, end: int) -> None:
    """Paint on from a run start .. end - 1, as far as all blocks that it can be of must reach."""
    cells = int(desk.size[CELLS])
    first, past = start, end
    while first > 0 and may(desk, 0, first - 1, color):
        first -= 1
    while past < cells and may(desk, 0, past, color):
        past += 1
    left, right, some = cells, 0, False
    for t in range(first_open(desk), past_open(desk)):
        if desk.color[0, t] == color and can_be(desk, t, start, end):
            need, some = int(desk.least[0, t]), True
            right = max(right, min(past, latest_end(desk, t)) - need)
            left = min(left, max(first, desk.begin[0, t]) + need)
    if not some:
        return
    for x in range(right, start):
        keep(desk, 0, x, 1 << color)
    for x in range(end, left):
        keep(desk, 0, x, 1 << color)
