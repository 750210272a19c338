"""Mercury: a run that begins as far from the edge as the first block is long leaves no room for that block before it.

If the first block began at the edge, it would end where the run begins, and so be longer than it is.
"""

from solver.jit.kernel import kernel
from solver.people.desk import BLOCK, BLOCKS, CELLS, Desk, first_place, painted, rule_out, strip


@kernel
def mercury(desk: Desk) -> None:
    """From both ends: rule the first open block's colour out for the first open cell."""
    strip(desk)
    for way in range(2):
        x, t = first_place(desk, way), int(desk.open[way, BLOCK])
        if t == desk.size[BLOCKS] - desk.open[1 - way, BLOCK] or desk.least[way, t] != desk.most[way, t]:
            continue
        color, run = int(desk.color[way, t]), x + int(desk.least[way, t])
        if run < desk.size[CELLS] and painted(desk, way, run, color):
            rule_out(desk, way, x, color)
