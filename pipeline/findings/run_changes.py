"""What has changed between two runs for the owner of their puzzles: fixed, at fault since, new, gone.

A puzzle is at fault if it has several solutions, none, impossible clues, or a picture that does not solve them. Clues
of a fixed puzzle differ, so puzzles are matched by id alone.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.findings.comparison import Comparison
from nonocensus.pipeline.findings.sql_tables import puzzles_table, results_table
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import database
from nonocensus.reports.page.comparison_page import ChangedPuzzle, ChangeGroup, comparison_page
from nonocensus.reports.page.report_page import drawings

LISTED = 60
"""Most puzzles of a group that the page shows."""

GROUPS = {
    "fixed": "At fault in the first run, with one solution in the second.",
    "at fault since": "Several solutions, no solution, impossible clues or another picture; not so in the first run.",
    "new and at fault": "Only in the second run: several solutions, no solution, impossible clues or another picture.",
    "new": "Only in the second run, without a fault.",
    "gone": "Only in the first run.",
    "another verdict": "Neither fixed nor at fault since.",
    "other clues": "Changed clues with the same verdict.",
}
"""Groups and their meanings, in the page's order."""

DRAWN = ["puzzle_id", "title", "author", "url", "width", "height", "kind", "palette", "goal"]


def changes_page(old: Run, new: Run, found: Comparison) -> str:
    """Return the page of two runs; `found` is what `comparison.compare` returned for them."""
    with database() as connection:
        for name, run in (("old", old), ("new", new)):
            connection.register(f"{name}_results", results_table(run))
            connection.execute(_RUN.format(name))
        connection.execute(_CHANGED)
        counts = dict(connection.execute("select what, count(*) from changed group by what").fetchall())
        rows = connection.execute(_LISTED).fetchall()
    ids = [puzzle_id for puzzle_id, *_ in rows]
    facts = [_facts(run, ids) for run in (old, new)]
    groups: dict[str, list[ChangedPuzzle]] = {name: [] for name in GROUPS}
    for puzzle_id, what, *verdicts in rows:
        groups[what].append(_changed(puzzle_id, verdicts, [each.get(puzzle_id, {}) for each in facts]))
    return comparison_page(
        tuple(ChangeGroup(name, GROUPS[name], counts.get(name, 0), tuple(listed)) for name, listed in groups.items()),
        (old.folder.name, new.folder.name),
        found.puzzles.both,
        len(found.alarms),
    )


def _changed(puzzle_id: str, verdicts: list[Any], facts: list[dict[str, Any]]) -> ChangedPuzzle:
    known = facts[0] | facts[1]
    about = (known.get(name) for name in ("title", "author", "url", "width", "height"))
    pictures = dict.fromkeys(each["picture"] for each in facts if each.get("picture"))
    return ChangedPuzzle._make([puzzle_id, *verdicts, *about, tuple(pictures)])


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


_RUN = """
    create view {0} as
    select
        puzzle_id, clue_hash, coalesce(label, status) as label, coalesce(solutions, 'unknown') as solutions,
        coalesce(solutions in ('multiple', 'none') or status = 'invalid', false) or not coalesce(goal_matches, true)
            as fault
    from {0}_results where puzzle_id is not null
"""

_CHANGED = """
    create table changed as
    select * from (
        select
            puzzle_id,
            case
                when old.label is null then if(new.fault, 'new and at fault', 'new')
                when new.label is null then 'gone'
                when old.fault and not new.fault and new.solutions = 'unique' then 'fixed'
                when new.fault and not old.fault then 'at fault since'
                when old.label <> new.label or old.fault <> new.fault then 'another verdict'
                when old.clue_hash <> new.clue_hash then 'other clues'
            end as what,
            old.label as old_label, new.label as new_label
        from old full join new using (puzzle_id)
    )
    where what is not null
"""

_LISTED = f"""
    from changed qualify row_number() over (partition by what order by puzzle_id) <= {LISTED} order by puzzle_id
"""
