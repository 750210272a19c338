"""Which file of results counts for a row of the store."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from pipeline.run.results import Piece
from pipeline.store import spans
from pipeline.store.spans import Spans


def overlaps(pieces: list[Piece]) -> dict[str, np.ndarray]:
    """For each file some of whose rows a later one has too: a mask of those that count. Other files are left out."""
    by_part: dict[str, list[tuple[int, Spans]]] = defaultdict(list)
    for k, piece in enumerate(pieces):
        for part, covered in piece.covers.items():
            by_part[part].append((k, covered))
    masks: dict[tuple[int, str], np.ndarray] = {}
    for part, coverings in by_part.items():
        taken = np.zeros(max((covered[-1][1] for _, covered in coverings if covered), default=0), np.bool_)
        for k, covered in reversed(coverings):
            if any(taken[start:stop].any() for start, stop in covered):
                masks[k, part] = ~taken[spans.rows_of(covered)]
            for start, stop in covered:
                taken[start:stop] = True
    return {
        pieces[k].name: np.concatenate(
            [masks.get((k, part), np.ones(spans.size(covered), np.bool_)) for part, covered in pieces[k].covers.items()]
        )
        for k in {k for k, _ in masks}
    }


def covered_rows(pieces: Iterable[Piece]) -> dict[str, Spans]:
    """The rows that have results, by part."""
    covered: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for piece in pieces:
        for part, there in piece.covers.items():
            covered[part].extend(there)
    return {part: spans.union(there) for part, there in covered.items()}
