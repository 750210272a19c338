"""Issues of puzzles that the owner of their site would want to look at, and duplicates within a run."""

from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.row_classes import FAILED

ISSUES = {
    "ambiguous": "several solutions",
    "unmarked ambiguous": "several solutions, which its site does not say",
    "marked ambiguous": "several solutions, as its site says",
    "contradictory": "no solution",
    "undecided": "no proof either way",
    "invalid or failed": "no verdict: impossible as it stands, or an error",
    "picture does not fit": "the author’s picture does not solve the clues",
    "duplicate": "identical to another puzzle, perhaps mirrored or recoloured",
    "near duplicate": "differs from another puzzle in a few of its cells",
    "original": "another puzzle repeats it",
    "site disagrees": "its site says another verdict",
    "to fix": "a fault that its author can remove, other than an ambiguity that the site marks",
}
"""Issues and their meanings."""


LEAST_CELLS = 64
"""Cells of the smallest puzzle whose likeness to another is no coincidence: many authors draw the same 5x5."""


def issues(rows: pa.Table, duplicates: pa.Table) -> np.ndarray:
    """Return the issues of each puzzle, uint16[rows]: one bit for each of ISSUES, the lowest for the first.

    rows        columns puzzle_id, status, width, height, solutions, goal_matches, disputed, unmarked and marked, as
                `reports.census.Census.shown`
    duplicates  of the schema DUPLICATES
    """
    solutions = pc.fill_null(rows["solutions"], "unknown")
    failed = pc.is_in(rows["status"], pa.array(FAILED))
    near = pc.equal(duplicates["likeness"], "near")
    ambiguous, contradictory = pc.equal(solutions, "multiple"), pc.equal(solutions, "none")
    unlike = pc.fill_null(pc.invert(rows["goal_matches"]), False)
    copies = _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(pc.invert(near)))
    impossible = pc.fill_null(pc.equal(rows["status"], "invalid"), False)
    cells = pc.multiply(rows["width"].cast(pa.int64()), rows["height"].cast(pa.int64()))
    chance = pc.fill_null(pc.less(cells, LEAST_CELLS), True)
    to_fix = (pc.and_not(ambiguous, rows["marked"]), contradictory, impossible, unlike, pc.and_not(copies, chance))
    found = (
        ambiguous,
        rows["unmarked"],
        rows["marked"],
        contradictory,
        pc.and_(pc.equal(solutions, "unknown"), pc.invert(failed)),
        failed,
        unlike,
        copies,
        _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(near)),
        _among(rows["puzzle_id"], duplicates["original"]),
        rows["disputed"],
        reduce(pc.or_, to_fix),
    )
    bits = np.zeros(len(rows), np.uint16)
    for place, which in enumerate(found):
        bits |= which.to_numpy().astype(np.uint16) << place
    return bits


def has_issue(bits: np.ndarray, name: str) -> np.ndarray:
    """Return which puzzles have an issue, bool[rows]; `bits` are what `issues` returned."""
    which: np.ndarray = bits >> list(ISSUES).index(name) & 1 == 1
    return which


def _among(ids: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(ids, value_set=names.combine_chunks(), skip_nulls=True)


def differing(rows: pa.Table) -> pa.Array:
    """Count the cells in which the two solutions of each puzzle differ, int64[rows]; null without two of equal length.

    rows  columns solution and second_solution
    """
    both = pc.equal(pc.binary_length(rows["solution"]), pc.binary_length(rows["second_solution"]))
    counts = np.zeros(len(rows), np.int64)
    there = both.fill_null(False).to_numpy()
    places = np.flatnonzero(there)
    pictures = rows.select(["solution", "second_solution"]).take(pa.array(places))
    for place, one, other in zip(places.tolist(), *(column.to_pylist() for column in pictures.columns), strict=True):
        counts[place] = np.count_nonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))
    return pa.array(counts, mask=~there)


DUPLICATES = pa.schema(
    [
        ("original", pa.string()),
        ("puzzle_id", pa.string()),
        ("likeness", pa.string()),  # equal, turned or near
        ("cells", pa.int64()),  # in which near pictures differ, else null
        ("share", pa.float64()),  # of all cells, likewise
    ]
)
"""One row per duplicate, grouped by original."""


def repeated(shown: pa.Table) -> pa.Table:
    """Find duplicates by canonical hash, as rows of DUPLICATES; the lowest id is the original.

    shown  columns puzzle_id, clue_hash and canonical_hash; null hashes equal nothing
    """
    hashes = shown["canonical_hash"].combine_chunks()
    counted = hashes.value_counts()
    often = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
    twice = pc.and_(pc.is_in(hashes, often), pc.and_(hashes.is_valid(), shown["puzzle_id"].is_valid()))
    rows = shown.select(["canonical_hash", "puzzle_id", "clue_hash"]).filter(twice)
    rows = rows.sort_by([(name, "ascending") for name in rows.column_names])
    made, first = [], None
    for row in rows.to_pylist():
        if first is None or row["canonical_hash"] != first["canonical_hash"]:
            first = row
            continue
        likeness = "equal" if row["clue_hash"] == first["clue_hash"] else "turned"
        made.append({"original": first["puzzle_id"], "puzzle_id": row["puzzle_id"], "likeness": likeness})
    return pa.Table.from_pylist(made, DUPLICATES).sort_by([("original", "ascending"), ("puzzle_id", "ascending")])
