"""Puzzles and CPU seconds by author and label, counted as rows pass by."""

from typing import TypeAlias

import pyarrow as pa

Authors: TypeAlias = dict[tuple[str, str], tuple[int, float]]
"""By author and label: puzzles, and their CPU seconds."""


def count_authors(names: pa.Array, labels: pa.Array, seconds: pa.Array, authors: Authors) -> None:
    """Add rows to what is counted; those whose author is null are not. Seconds that are null count as none."""
    rows = pa.table({"author": names, "label": labels, "seconds": seconds.fill_null(0)})
    grouped = rows.filter(names.is_valid()).group_by(["author", "label"], use_threads=False)
    for row in grouped.aggregate([("seconds", "count"), ("seconds", "sum")]).to_pylist():
        key = row["author"], row["label"]
        puzzles, taken = authors.get(key, (0, 0.0))
        authors[key] = puzzles + row["seconds_count"], taken + row["seconds_sum"]
