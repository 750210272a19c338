"""Punctuating: a run as long as any block that it can be of is a whole block, and its neighbours are not its colour."""

from solver.jit.kernel import kernel
from solver.people.desk import CELLS, Desk, count_ranges, longest_of, next_run, rule_out, strip


@kernel
def punctuating(desk: Desk) -> None:
    """Rule a run's colour out at both its ends, if no block that it can be of, by counting, is longer."""
    strip(desk)
    count_ranges(desk)
    cells = int(desk.size[CELLS])
    x, end, color = next_run(desk, 0, cells)
    while color > 0:
        number, _, longest = longest_of(desk, color, x, end)
        if number > 0 and longest == end - x:
            if x > 0:
                rule_out(desk, 0, x - 1, color)
            if end < cells:
                rule_out(desk, 0, end, color)
        x, end, color = next_run(desk, end, cells)
