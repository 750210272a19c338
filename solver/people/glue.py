"""Glue: a painted cell so near to the edge that it must be of the first block, which goes on from there."""

from solver.jit.kernel import kernel
from solver.people.desk import BLOCK, BLOCKS, CELLS, Desk, first_place, keep, painted, strip


@kernel
def glue(desk: Desk) -> None:
    """From both ends: paint on from the first open block's first painted cell as far as it reaches in any case."""
    strip(desk)
    for way in range(2):
        x, t = first_place(desk, way), int(desk.open[way, BLOCK])
        if t == desk.size[BLOCKS] - desk.open[1 - way, BLOCK]:
            continue
        color, far = int(desk.color[way, t]), min(x + desk.least[way, t], desk.size[CELLS])
        while x < far and not painted(desk, way, x, color):
            x += 1
        for cell in range(x, far):
            keep(desk, way, cell, 1 << color)
