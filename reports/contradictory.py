"""Why a nonogram has no solution, in a sentence: what its author would look at first.

Where rows and columns have other numbers of cells, and the like, that is seen before any solving: such a puzzle is
invalid, and its result says why.
"""

from typing import Any

import pyarrow as pa

from reports.explained.step_words import line_in_words
from solver.model.tables import PUZZLES, puzzles_of
from solver.people.explanation import explain

CPU_LIMIT = 1.0
"""CPU seconds that it may take to find the line that has no arrangement."""

CLUES = ("width", "height", "kind", "blotted", "palette", "rows", "columns")


def why(row: dict[str, Any], technique: str | None) -> str | None:
    """What contradicts what; None if the puzzle's clues are not known.

    row        of the puzzles table, at least the columns CLUES
    technique  that has refuted it
    """
    if any(row[name] is None for name in CLUES):
        return None
    known = {name: row[name] for name in CLUES} | {"clue_hash": None, "canonical_hash": None, "goal": None}
    schema = pa.schema([PUZZLES.field(name) for name in known])
    (puzzle,) = puzzles_of(pa.RecordBatch.from_pylist([known], schema))
    if technique != "line":
        return "Each line has an arrangement; only assumptions show that they don't go together."
    found = explain(puzzle, cpu_limit=CPU_LIMIT)
    if found.end is None:
        return "Line logic contradicts itself."
    return f"{line_in_words(puzzle, found.end)} has no arrangement{' left' if found.steps else ''}."
