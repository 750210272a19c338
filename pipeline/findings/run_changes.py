"""The page of what has changed between two runs for the owner of their puzzles: fixed, worse, new, removed."""

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.findings.comparison import GROUPS, ChangedVerdict, Comparison
from nonocensus.pipeline.findings.sql_tables import puzzles_table, results_table
from nonocensus.pipeline.run.job_tables import current_attempts
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import damaged_table
from nonocensus.reports.numbers.row_pictures import PICTURES, cells_of
from nonocensus.reports.page.comparison_page import ChangedPuzzle, ChangeGroup, comparison_page
from nonocensus.reports.page.report_page import change_drawings, marked_drawing
from nonocensus.solver.model.puzzle import Color, Puzzle, clues_of
from nonocensus.solver.model.tables import puzzle_batch

if TYPE_CHECKING:  # importing takes 50 MB
    import pyarrow.dataset as ds

ABOUT = ("title", "author", "url")
SOLUTIONS = ("solution", "second_solution")
FOUND = ("goal_matches", *SOLUTIONS)
"""Columns of results among PICTURES."""


def changes_page(old: Run, new: Run, found: Comparison) -> str:
    """Return the page of two runs; `found` is what `comparison.compare` returned for them."""
    listed = [one for group in found.changed for one in group.listed]
    ids = [name for one in listed for name in (one.puzzle_id, one.repeats) if name]
    puzzles = [_puzzles(run, ids) for run in (old, new)]
    facts = [_facts(run, *those) for run, those in ((old, puzzles), (new, puzzles[::-1]))]
    repairs = {row["puzzle_id"]: row["change"] for row in reversed(current_attempts(new).to_pylist())}  # smallest last
    groups = (
        ChangeGroup(name, GROUPS[name], count, tuple(_changed(one, facts, repairs) for one in listed), tuple(others))
        for name, count, listed, others in found.changed
    )
    both = found.puzzles.both, found.puzzles.other_clues
    return comparison_page(tuple(groups), (old.folder.name, new.folder.name), both, found.faults, len(found.alarms))


def _changed(one: ChangedVerdict, facts: "list[Rows]", repairs: dict[str, str | None]) -> ChangedPuzzle:
    old, new = (each.get(one.puzzle_id, {}) for each in facts)
    known = old | new
    sizes = dict.fromkeys(f"{each['width']}×{each['height']}" for each in (old, new) if each)
    notes = {"before": _note("old", old), "after": _note("new", new)}
    if one.repeats:
        original = facts[1].get(one.repeats) or facts[0].get(one.repeats, {})
        named = f"{original['title']} ({one.repeats})" if original.get("title") else one.repeats
        author = f" by {original['author']}" if original.get("author") else ""
        side = "after" if one.new else "before"
        notes[side] = f"{notes[side]} Repeats {named}{author}.".lstrip()
    error = one.new_error
    if one.puzzle_id in repairs:
        change = repairs[one.puzzle_id]
        error = f"for one solution, {change}" if change else "no small change found"
    drawn = change_drawings(old, new, framed=not (_is_one_of_several(old) or _is_one_of_several(new)))
    if drawn and one.old == one.new and all(old.get(name) == new.get(name) for name in PICTURES):
        one = one._replace(old=None)
        first, second = (cells_of(new, name) for name in SOLUTIONS)
        if first is not None and second is not None:
            notes["after"] = "In the framed cells two solutions differ."
            drawn["after"] = marked_drawing(new, first, second, f"{one.puzzle_id}, one of its solutions")
    if old.get("title") and new.get("title") not in (None, old["title"]):
        notes["after"] = f"{notes['after']} Its title was {old['title']}.".lstrip()
    return ChangedPuzzle._make([*one[:4], error, *map(known.get, ABOUT), " → ".join(sizes), notes, drawn])


def _note(name: str, row: dict[str, Any]) -> str:
    """Say what is drawn instead of the author's picture, or that nothing is known; `name` is old or new."""
    if not row:
        return f"The {name} puzzle is no longer in the store."
    if _is_one_of_several(row):
        return f"One of its solutions, nothing framed: the {name} puzzle is no longer in the store."
    return ""


def _is_one_of_several(row: dict[str, Any]) -> bool:
    """Return whether any of several solutions is drawn, since the author's picture is not known."""
    return bool(row.get("replaced") and row["second_solution"])


Rows: TypeAlias = dict[str, dict[str, Any]]
"""Rows by puzzle_id."""


def _puzzles(run: Run, ids: list[str]) -> Rows | None:
    """Return what is shown of the puzzles of a run; None if its store has changed since."""
    try:
        table = puzzles_table(run)
    except InputError:
        return None
    return _rows(table, ids, ["clue_hash", *ABOUT, *(name for name in PICTURES if name not in FOUND)])


def _facts(run: Run, puzzles: Rows | None, others: Rows | None) -> Rows:
    """Return what is shown of puzzles and their results in a run, with PICTURES.

    Without its own puzzles, those of the other run are taken that have the result's clues, or at least its size and as
    many colours; the author's picture is not known then.
    """
    known = (others if puzzles is None else puzzles) or {}
    found = _rows(results_table(run), list(known), ["clue_hash", *FOUND])
    if puzzles is not None:
        return {name: row | found.get(name, dict.fromkeys(FOUND)) for name, row in known.items()}
    facts = {}
    for name, row in found.items():
        if known[name]["clue_hash"] == row["clue_hash"]:
            facts[name] = known[name] | row
        elif _has_size_and_colors(replaced := known[name] | row):
            facts[name] = replaced | {"goal": None, "goal_matches": None, "replaced": True}
    return facts


def _has_size_and_colors(row: dict[str, Any]) -> bool:
    """Return whether the solution of a result is one of its clues in the size and as many colours as the row has."""
    cells = cells_of(row, "solution")
    if cells is None or int(cells.max()) + 1 != len(row["palette"] or ()):
        return False
    colors = tuple(Color(**color) for color in row["palette"])
    (clue_hash,) = puzzle_batch([Puzzle(*clues_of(cells), colors)])["clue_hash"].to_pylist()
    return bool(clue_hash == row["clue_hash"])


def _rows(table: "ds.Dataset", ids: list[str], names: list[str]) -> Rows:
    """Return columns of the rows with these ids. Raises InputError for a damaged file."""
    some = pc.field("puzzle_id").isin(pa.array(ids, pa.string()))
    try:
        rows = table.to_table(columns=["puzzle_id", *names], filter=some).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise damaged_table(f"the compared puzzles: {str(error).splitlines()[0]}") from error
    return {row["puzzle_id"]: row for row in rows}
