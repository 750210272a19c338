"""Forcing: blocks fit only where there is room for them, which pushes them apart and closes gaps that are too small."""

from solver.jit.kernel import kernel
from solver.people.desk import CELLS, Desk, cover_common, first_open, fit_ranges, latest_end, may, past_open, strip


@kernel
def forcing(desk: Desk) -> None:
    """Overlap with ranges in which each block has room; rule out what is in no room large enough."""
    strip(desk)
    fit_ranges(desk)
    cover_common(desk)
    cells = int(desk.size[CELLS])
    for x in range(desk.open[0, 0], cells - desk.open[1, 0]):
        near = 1
        for t in range(first_open(desk), past_open(desk)):
            color = int(desk.color[0, t])
            if not near >> color & 1 and may(desk, 0, x, color) and _has_room(desk, t, x):
                near |= 1 << color
        desk.new[x] &= near


@kernel
def _has_room(desk: Desk, t: int, x: int) -> bool:
    """Whether block t has room, in its range, over cell x."""
    color, need = int(desk.color[0, t]), int(desk.least[0, t])
    least, most = int(desk.begin[0, t]), latest_end(desk, t)
    if not least <= x < most:
        return False
    start = end = x
    while end - start < need and start > least and may(desk, 0, start - 1, color):
        start -= 1
    while end - start < need and end < most and may(desk, 0, end, color):
        end += 1
    return bool(end - start >= need)
