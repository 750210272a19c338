"""Puzzles that a run has more than once, as a report tells of them.

`nonocensus dedup` finds them, near ones too, and says which is the original. Where nobody has asked it, the puzzles
whose canonical hashes are equal are found here among those that a report shows.
"""

import pyarrow as pa
import pyarrow.compute as pc

DUPLICATES = pa.schema(
    [
        ("original", pa.string()),
        ("puzzle_id", pa.string()),
        ("likeness", pa.string()),  # equal, turned or near
        ("cells", pa.int64()),  # in which near pictures differ, null for others
    ]
)
"""A row for each duplicate, those of one original together."""


def repeated(shown: pa.Table) -> pa.Table:
    """The duplicates among some puzzles, of the schema DUPLICATES: the lowest id of those alike is the original.

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
