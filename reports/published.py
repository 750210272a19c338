"""Published times of other solvers, in the time classes of the survey of solvers on webpbn.com."""

from typing import NamedTuple

from nonocensus.reports.figures import Figures


class Published(NamedTuple):
    """Published times of a solver: puzzles in each time class of `Figures.survey`."""

    solver: str
    puzzles: str
    machine: str
    source: str
    counts: tuple[int, ...]


WEBPBN = (
    Published(
        "HoustonWeHaveABug/Nonogram (C)",
        "28,327 puzzles of webpbn.com, black-and-white and coloured, all by 10 November 2022, two solutions each",
        "i3-4150",
        "samples/webpbn_pub/results.txt of its repository",
        (28089, 68, 66, 28, 25, 12, 4, 2, 2, 31),
    ),
)

RANDOM = tuple(
    Published(solver, "5,000 random 30x30, half of the cells black (Wolter)", machine, source, counts)
    for solver, machine, source, counts in (
        (
            "FastNonogramSolver 2026 (C++)",
            "Xeon Gold 5416S",
            "results/ of hyouv/FastNonogramSolver",
            (4954, 17, 9, 8, 12, 0, 0, 0, 0, 0),
        ),
        ("JSolver (Java)", "Phenom II X4 810", "the survey", (4417, 313, 129, 40, 41, 26, 13, 4, 5, 12)),
        ("pbnsolve (C)", "Phenom II X4 810", "the survey", (4362, 221, 169, 70, 88, 38, 21, 6, 7, 18)),
        ("Naughty (C)", "Phenom II X4 810", "the survey", (4075, 321, 229, 122, 171, 57, 18, 2, 1, 4)),
    )
)


def published_times(figures: Figures) -> tuple[Published, ...]:
    """Return published times of the same archive, or of random 30x30 puzzles, to compare a report with."""
    sources = {group.name for group in figures.sources}
    if "webpbn" in sources:
        return WEBPBN
    return RANDOM if sources == {"random"} and [group.name for group in figures.sizes] == ["26–30"] else ()
