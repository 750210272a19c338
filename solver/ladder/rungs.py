"""The rungs, each defined so that its answer does not depend on the order of work."""

LINE, DEPTH, PROBE, SEARCH = range(4)
RUNGS = ("line", "depth-2", "probe", "search")


def rung_names(depth: int) -> tuple[str, ...]:
    """The rungs' names when the second one looks `depth` levels ahead."""
    return tuple(f"depth-{depth}" if rung == DEPTH else name for rung, name in enumerate(RUNGS))
