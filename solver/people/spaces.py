"""Spaces: cells that no block comes to. A run that can only be of one block holds that block near."""

from solver.jit.kernel import kernel
from solver.people.desk import BLOCKS, CELLS, Desk, count_ranges, gap_before, longest_of, next_run, rule_out_far, strip


@kernel
def spaces(desk: Desk) -> None:
    """Rule out what lies outside of all ranges: those by counting, narrowed by runs that can be of one block only."""
    strip(desk)
    count_ranges(desk)
    narrow(desk)
    rule_out_far(desk)


@kernel
def narrow(desk: Desk) -> None:
    """Narrow the ranges of blocks that a run is known to be of, and of those before and after them."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    past = int(cells - desk.open[1, 0])
    x, end, color = next_run(desk, int(desk.open[0, 0]), past)
    while color > 0:
        number, t, _ = longest_of(desk, color, x, end)
        if number == 1:
            desk.begin[0, t] = max(desk.begin[0, t], end - desk.most[0, t])
            back = blocks - 1 - t
            desk.begin[1, back] = max(desk.begin[1, back], cells - x - desk.most[0, t])
            _move_on(desk, 0, t, end)
            _move_on(desk, 1, back, cells - x)
        x, end, color = next_run(desk, end, past)


@kernel
def _move_on(desk: Desk, way: int, t: int, end: int) -> None:
    """Let the blocks after block t, which reaches to `end` at least, begin behind it."""
    for other in range(t + 1, desk.size[BLOCKS] - desk.open[1 - way, 1]):
        end = max(end, desk.begin[way, other - 1] + desk.least[way, other - 1]) + gap_before(desk, way, other)
        desk.begin[way, other] = max(desk.begin[way, other], end)
        end = 0
