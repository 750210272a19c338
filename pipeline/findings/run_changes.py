"""The page of what has changed between two runs for the owner of their puzzles: fixed, worse, new, gone."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.findings.comparison import GROUPS, ChangedVerdict, Comparison
from nonocensus.pipeline.findings.sql_tables import puzzles_table, results_table
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.reports.page.comparison_page import ChangedPuzzle, ChangeGroup, comparison_page
from nonocensus.reports.page.report_page import drawings

DRAWN = ["puzzle_id", "title", "author", "url", "width", "height", "kind", "palette", "goal"]


def changes_page(old: Run, new: Run, found: Comparison) -> str:
    """Return the page of two runs; `found` is what `comparison.compare` returned for them."""
    ids = [one.puzzle_id for group in found.changed for one in group.listed]
    facts = [_facts(run, ids) for run in (old, new)]
    groups = (
        ChangeGroup(name, GROUPS[name], puzzles, tuple(_changed(one, facts) for one in listed))
        for name, puzzles, listed in found.changed
    )
    both = found.puzzles.both, found.puzzles.other_clues
    return comparison_page(tuple(groups), (old.folder.name, new.folder.name), both, len(found.alarms))


def _changed(one: ChangedVerdict, facts: list[dict[str, dict[str, Any]]]) -> ChangedPuzzle:
    said = [each.get(one.puzzle_id, {}) for each in facts]
    known = said[0] | said[1]
    about = (known.get(name) for name in ("title", "author", "url", "width", "height"))
    pictures = dict.fromkeys(each["picture"] for each in said if each.get("picture"))
    return ChangedPuzzle._make([*one, *about, tuple(pictures)])


def _facts(run: Run, ids: list[str]) -> dict[str, dict[str, Any]]:
    """Return title and so on of puzzles by id, with the key `picture`; empty if the store has changed since."""
    try:
        table = puzzles_table(run)
    except InputError:
        return {}
    some = pc.field("puzzle_id").isin(pa.array(ids, pa.string()))
    puzzles = table.to_table(columns=DRAWN, filter=some)
    solutions = results_table(run).to_table(columns=["puzzle_id", "solution"], filter=some)
    places = pc.index_in(puzzles["puzzle_id"], value_set=solutions["puzzle_id"].combine_chunks())
    solved = puzzles.append_column("solution", solutions["solution"].take(places))
    drawn = drawings(solved, ids)
    rows = puzzles.select(["puzzle_id", "title", "author", "url", "width", "height"]).to_pylist()
    return {row["puzzle_id"]: row | {"picture": drawn.get(row["puzzle_id"])} for row in rows}
