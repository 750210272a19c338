"""The rungs, each defined so that its answer does not depend on the order of work."""

LINE, DEPTH, PROBE, SEARCH = range(4)
RUNGS = ("line", "depth-2", "probe", "search")


def rung_names(depth: int) -> tuple[str, ...]:
    """The rungs' names when the second one looks `depth` levels ahead."""
    return tuple(f"depth-{depth}" if rung == DEPTH else name for rung, name in enumerate(RUNGS))


def rung_number(name: str) -> int:
    """The number of a rung; ValueError refuses a name that is none."""
    if name not in RUNGS:
        raise ValueError(f"rung is one of {', '.join(RUNGS)}, not {name!r}")
    return RUNGS.index(name)
