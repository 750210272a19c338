"""Overlap: pushed to the left and to the right as far as the other blocks let it, a block covers some cells twice."""

from solver.jit.kernel import kernel
from solver.people.desk import Desk, count_ranges, cover_common, strip


@kernel
def overlap(desk: Desk) -> None:
    """Paint what each block covers wherever it stands, by counting alone, between what is finished at the ends."""
    strip(desk)
    count_ranges(desk)
    cover_common(desk)
