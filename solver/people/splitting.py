"""Splitting: a cell next to a run, or between two, that can't have their colour: the block would be too long."""

from solver.jit.kernel import kernel
from solver.people.desk import CELLS, Desk, end_of_run, fit_ranges, longest_of, may, next_run, painted, rule_out, strip


@kernel
def splitting(desk: Desk) -> None:
    """Rule a run's colour out next to it, if no block can be as long as the run were then."""
    strip(desk)
    fit_ranges(desk)
    cells = int(desk.size[CELLS] - desk.open[1, 0])
    x, end, color = next_run(desk, int(desk.open[0, 0]), cells)
    while color > 0:
        if x > 0 and may(desk, 0, x - 1, color):
            start = x - 1
            while start > 0 and painted(desk, 0, start - 1, color):
                start -= 1
            if longest_of(desk, color, start, end)[0] == 0:
                rule_out(desk, 0, x - 1, color)
        if end < cells and may(desk, 0, end, color):
            past = end_of_run(desk, 0, end + 1, color)
            if longest_of(desk, color, x, past)[0] == 0:
                rule_out(desk, 0, end, color)
        x, end, color = next_run(desk, end, cells)
