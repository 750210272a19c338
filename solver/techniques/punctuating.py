"""Punctuating: a run as long as any block that it can be of is a whole block, and its neighbours are not its colour."""

from solver.jit import kernel
from solver.techniques.desk import CELLS, Desk, color_of, count_ranges, end_of_run, longest_of, rule_out, strip


@kernel
def punctuating(desk: Desk) -> None:
    """Rule a run's colour out at both its ends, if no block that it can be of, by counting, is longer."""
    strip(desk)
    count_ranges(desk)
    x, cells = 0, int(desk.size[CELLS])
    while x < cells:
        color = color_of(desk.now[0, x])
        if color <= 0:
            x += 1
            continue
        end = end_of_run(desk, 0, x, color)
        number, _, longest = longest_of(desk, color, x, end)
        if number > 0 and longest == end - x:
            if x > 0:
                rule_out(desk, 0, x - 1, color)
            if end < cells:
                rule_out(desk, 0, end, color)
        x = end
