"""Deterministic stratified samples of a run's puzzles, unique up to symmetry."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from nonocensus.reports.numbers.duplicates import RANKED_SQL
from nonocensus.reports.numbers.row_classes import select

CLASSES = 2
"""Difficulty classes per unit of difficulty, which is a factor of ten in work."""

CANDIDATES = pa.schema(
    [
        ("place", pa.int64()),
        ("source", pa.string()),
        ("source_id", pa.string()),
        ("site_date", pa.date32()),
        ("puzzle_id", pa.string()),
        ("bits", pa.uint64()),  # of the canonical hash: pseudo-random sort keys; null for other puzzles
        ("hardness", pa.int64()),  # a stratum: a grade, or a class of difficulty
        ("size", pa.int64()),  # a stratum: the size class
        ("author", pa.string()),  # a stratum of the limit per author: a name; equal for all without a limit
        ("tenth", pa.int64()),  # lower ones are drawn first; equal for all without a preference
    ]
)
"""Puzzles of a run to draw from."""

DATED = CANDIDATES.names[:4]
"""Columns of a run's other puzzles, which decide what source is the earliest."""


def sample_candidates(candidates: pa.Table, count: int) -> pa.Table:
    """Draw up to `count` puzzles per stratum in order of tenth and `bits`, of equal ones up to symmetry the original.

    Returns the columns of CANDIDATES and rank, the lowest for the original of others that are like it.
    """
    return select(f"{_SAMPLE} <= {count} order by tenth, bits", dated=candidates)


def difficulty_class(difficulty: np.ndarray) -> np.ndarray:
    """Return the class of each difficulty, int64; 0 if unknown."""
    classes: np.ndarray = np.floor(CLASSES * np.where(np.isfinite(difficulty), difficulty, 0.0))
    return classes.astype(np.int64)


def balanced_order(
    groups: Sequence[tuple[int, int]], count: int, authors: Sequence[str] = (), per_author: int | None = None
) -> list[int]:
    """Return the positions of up to `count` items, in the order of drawing, balanced by (hardness, size).

    Hardnesses are drawn equally often, then sizes within a hardness, then sizes overall. Within a stratum the first
    items are drawn first; those whose author has `per_author` already are passed over.
    """
    left: dict[tuple[int, int], list[int]] = {}
    for place in reversed(range(len(groups))):
        left.setdefault(groups[place], []).append(place)
    of_hardness, of_size, of_both = Counter[int](), Counter[int](), Counter[tuple[int, int]]()
    of_author = Counter[str]()
    drawn: list[int] = []
    while left and len(drawn) < count:
        group = min(left, key=lambda group: (of_hardness[group[0]], of_both[group], of_size[group[1]], group))
        place = left[group].pop()
        if not left[group]:
            del left[group]
        if per_author is not None:
            if of_author[authors[place]] == per_author:
                continue
            of_author[authors[place]] += 1
        drawn.append(place)
        of_hardness[group[0]] += 1
        of_size[group[1]] += 1
        of_both[group] += 1
    return drawn


_SAMPLE = f"""
    from (
        from ({RANKED_SQL}) where bits is not null
        qualify row_number() over (partition by bits order by rank) = 1
    )
    qualify row_number() over (partition by hardness, size, author order by tenth, bits)
"""
