"""What is wrong with a puzzle, or may be: what its site's owner would want to look at."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.row_counts import FAILED

ISSUES = {
    "ambiguous": "several solutions",
    "contradictory": "no solution",
    "undecided": "no proof either way",
    "invalid or failed": "no verdict: impossible as it stands, or an error",
    "picture does not fit": "the author’s picture does not solve the clues",
    "duplicate": "the same puzzle as another one, as it is or transformed",
    "near duplicate": "hardly another puzzle than another one: few cells differ",
    "site disagrees": "its site says another verdict",
    "unmarked ambiguous": "several solutions, which its site does not say",
}
"""Each issue, and what it means."""


def issues(rows: pa.Table, duplicates: pa.Table) -> np.ndarray:
    """What is wrong with each puzzle, uint16[rows]: a bit for each of ISSUES, the first one the lowest.

    rows        columns puzzle_id, status, solutions, goal_matches, disputed and unmarked, as
                `reports.census.Census.shown`
    duplicates  of the schema reports.duplicates.DUPLICATES
    """
    solutions = pc.fill_null(rows["solutions"], "unknown")
    failed = pc.is_in(rows["status"], pa.array(FAILED))
    near = pc.equal(duplicates["likeness"], "near")
    found = (
        pc.equal(solutions, "multiple"),
        pc.equal(solutions, "none"),
        pc.and_(pc.equal(solutions, "unknown"), pc.invert(failed)),
        failed,
        pc.fill_null(pc.invert(rows["goal_matches"]), False),
        _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(pc.invert(near))),
        _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(near)),
        rows["disputed"],
        rows["unmarked"],
    )
    bits = np.zeros(len(rows), np.uint16)
    for place, which in enumerate(found):
        bits |= which.to_numpy().astype(np.uint16) << place
    return bits


def _among(ids: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(ids, value_set=names.combine_chunks(), skip_nulls=True)


def differing(rows: pa.Table) -> pa.Array:
    """In how many cells the two solutions of each puzzle differ, int64[rows]; null without two of one length.

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
