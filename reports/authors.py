"""Puzzles and CPU seconds by author and label, counted as rows pass by."""

from typing import TypeAlias

import pyarrow as pa

Authors: TypeAlias = dict[tuple[str, str], tuple[int, float]]
"""By author and label: puzzles, and their CPU seconds."""


def authors_of(names: pa.Array, labels: pa.Array, seconds: pa.Array) -> Authors:
    """Rows counted; those whose author is null are not. Seconds that are null count as none."""
    rows = pa.table({"author": names, "label": labels, "seconds": seconds.fill_null(0)})
    grouped = rows.filter(names.is_valid()).group_by(["author", "label"], use_threads=False)
    counted = grouped.aggregate([("seconds", "count"), ("seconds", "sum")]).to_pylist()
    return {(row["author"], row["label"]): (row["seconds_count"], row["seconds_sum"]) for row in counted}


def add_authors(counted: Authors, authors: Authors) -> None:
    """Add what is counted of some rows to what is of others."""
    for key, (puzzles, taken) in counted.items():
        before = authors.get(key, (0, 0.0))
        authors[key] = before[0] + puzzles, before[1] + taken
