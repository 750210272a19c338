"""Counting: of a colour's cells all are found, or all that may have it are needed. The background is a colour here."""

from solver.jit.kernel import kernel
from solver.people.desk import BACKGROUND, BLOCKS, CELLS, Desk, keep, rule_out


@kernel
def counting(desk: Desk) -> None:
    """Compare, for each colour without hidden lengths, the clue's cells with those found and those possible."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    total, exact = 0, True
    colors = 0
    for t in range(blocks):
        total += desk.least[0, t]
        exact = exact and desk.least[0, t] == desk.most[0, t]
        colors |= 1 << desk.color[0, t]
    if exact:
        _compare(desk, 0, cells - total)
    color = 1
    while colors >> color:
        if colors >> color & 1:
            total, exact = 0, True
            for t in range(blocks):
                if desk.color[0, t] == color:
                    total += desk.least[0, t]
                    exact = exact and desk.least[0, t] == desk.most[0, t]
            if exact:
                _compare(desk, color, total)
        color += 1


@kernel
def _compare(desk: Desk, color: int, total: int) -> None:
    """Decide a colour's cells, of which there are `total`, if that is all that are found or all that are possible."""
    here = BACKGROUND << color
    found = possible = 0
    for x in range(desk.size[CELLS]):
        found += desk.now[0, x] == here
        possible += desk.now[0, x] & here != 0
    for x in range(desk.size[CELLS]):
        if possible == total and desk.now[0, x] & here:
            keep(desk, 0, x, here)
        elif found == total and desk.now[0, x] != here:
            rule_out(desk, 0, x, color)
