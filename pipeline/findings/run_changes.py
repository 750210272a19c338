"""The page of what has changed between two runs for the owner of their puzzles: fixed, worse, new, removed."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.findings.comparison import GROUPS, ChangedVerdict, Comparison
from nonocensus.pipeline.findings.sql_tables import puzzles_table, results_table
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.reports.numbers.row_pictures import PICTURES
from nonocensus.reports.page.comparison_page import ChangedPuzzle, ChangeGroup, comparison_page
from nonocensus.reports.page.report_page import change_drawings

ABOUT = ("title", "author", "url")
FOUND = ("goal_matches", "solution", "second_solution")
"""Columns of results among PICTURES."""


def changes_page(old: Run, new: Run, found: Comparison) -> str:
    """Return the page of two runs; `found` is what `comparison.compare` returned for them."""
    ids = [one.puzzle_id for group in found.changed for one in group.listed]
    facts = [_facts(run, ids) for run in (old, new)]
    groups = (
        ChangeGroup(name, GROUPS[name], puzzles, tuple(_changed(one, facts) for one in listed))
        for name, puzzles, listed in found.changed
    )
    both = found.puzzles.both, found.puzzles.other_clues
    return comparison_page(tuple(groups), (old.folder.name, new.folder.name), both, found.faults, len(found.alarms))


def _changed(one: ChangedVerdict, facts: list[dict[str, dict[str, Any]]]) -> ChangedPuzzle:
    old, new = (each.get(one.puzzle_id, {}) for each in facts)
    known = old | new
    sizes = dict.fromkeys(f"{each['width']}×{each['height']}" for each in (old, new) if each)
    gone = tuple(when for when, each in (("before", old), ("after", new)) if not each)
    return ChangedPuzzle._make([*one, *map(known.get, ABOUT), " → ".join(sizes), gone, change_drawings(old, new)])


def _facts(run: Run, ids: list[str]) -> dict[str, dict[str, Any]]:
    """Return what is shown of puzzles by id, with PICTURES; empty if the store has changed since."""
    try:
        table = puzzles_table(run)
    except InputError:
        return {}
    some = pc.field("puzzle_id").isin(pa.array(ids, pa.string()))
    drawn = [name for name in PICTURES if name not in FOUND]
    puzzles = table.to_table(
        columns=list(dict.fromkeys(["puzzle_id", *ABOUT, "width", "height", *drawn])), filter=some
    ).to_pylist()
    found = results_table(run).to_table(columns=["puzzle_id", *FOUND], filter=some).to_pylist()
    by_id = {row["puzzle_id"]: row for row in found}
    return {row["puzzle_id"]: row | by_id.get(row["puzzle_id"], dict.fromkeys(FOUND)) for row in puzzles}
