"""Clue: what the clue says by itself, of an empty line, a full line, and colours that it lacks."""

from solver.jit.kernel import kernel
from solver.people.desk import BACKGROUND, BLOCKS, CELLS, Desk, gap_before, keep


@kernel
def clue(desk: Desk) -> None:
    """Leave each cell the clue's colours; if the blocks with the gaps between them fill the line, decide it."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    colors = BACKGROUND
    need, exact = 0, True
    for t in range(blocks):
        colors |= 1 << desk.color[0, t]
        need += desk.least[0, t] + gap_before(desk, 0, t)
        exact = exact and desk.least[0, t] == desk.most[0, t]
    for x in range(cells):
        keep(desk, 0, x, colors)
    if not exact or need != cells or blocks == 0:
        return
    x = 0
    for t in range(blocks):
        if gap_before(desk, 0, t):
            keep(desk, 0, x, BACKGROUND)
            x += 1
        for _ in range(desk.least[0, t]):
            keep(desk, 0, x, 1 << desk.color[0, t])
            x += 1
