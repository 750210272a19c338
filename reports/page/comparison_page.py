"""The page of two runs compared: what has been fixed, what is worse, what is new or removed, with pictures."""

from typing import NamedTuple

from markupsafe import Markup

from nonocensus.reports.drawings.picture_svg import FRAME
from nonocensus.reports.page.templating import environment, source


class ChangedPuzzle(NamedTuple):
    """A puzzle whose verdict or clues differ between two runs.

    old, new   its verdicts; None if a run lacks it
    old_error, new_error   why its clues are impossible, and what mend found
    size       "10×10", or with another one "10×10 → 3×3"; empty if unknown
    notes      on what is drawn "before" and "after", or why nothing is; may be empty
    pictures   its drawings, "before" and "after", the cells that changed framed
    """

    puzzle_id: str
    old: str | None
    new: str | None
    old_error: str | None
    new_error: str | None
    title: str | None
    author: str | None
    url: str | None
    size: str
    notes: dict[str, str]
    pictures: dict[str, Markup]


class ChangeGroup(NamedTuple):
    """Puzzles that changed alike: a name, its meaning, their number, the first of them, and the ids of others."""

    name: str
    meaning: str
    puzzles: int
    listed: tuple[ChangedPuzzle, ...]
    others: tuple[str, ...]


def comparison_page(
    groups: tuple[ChangeGroup, ...],
    runs: tuple[str, str],
    shared: tuple[int, int],
    faults: tuple[int, int],
    alarms: int,
) -> str:
    """Return the page, offline and without scripts.

    groups   those that have puzzles
    runs     names of both runs
    shared   numbers of puzzles in both runs, with the same clues and with other ones
    faults   numbers of puzzles at fault in either run
    alarms   number of changed proofs: one of the runs is wrong then
    """
    return (
        environment(autoescape=True)
        .get_template("comparison.html.j2")
        .render(
            groups=groups,
            changed=any(group.name != "still at fault" for group in groups),
            runs=runs,
            shared=shared,
            faults=faults,
            alarms=alarms,
            framed=any(FRAME in drawn for group in groups for one in group.listed for drawn in one.pictures.values()),
            style=Markup(source("report.css")),
        )
    )
