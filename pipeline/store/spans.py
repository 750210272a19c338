"""Sets of row numbers as sorted lists of disjoint, non-adjacent half-open spans [start, stop)."""

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

Spans = list[tuple[int, int]]


def size(spans: Iterable[Sequence[int]]) -> int:
    """Return the number of rows."""
    return sum(stop - start for start, stop in spans)


def are_within(spans: Iterable[Sequence[int]], rows: int) -> bool:
    """Return whether spans are non-empty, sorted, disjoint and within 0 to `rows` - 1."""
    before = 0
    for start, stop in spans:
        if not before <= start < stop <= rows:
            return False
        before = stop
    return True


def union(spans: Iterable[Sequence[int]]) -> Spans:
    """Return the union of spans in any order, adjacent or overlapping."""
    joined: Spans = []
    for start, stop in sorted((start, stop) for start, stop in spans if start < stop):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def minus(spans: Spans, others: Spans) -> Spans:
    """Return the rows of `spans` that are not in `others`."""
    kept: Spans = []
    for start, stop in spans:
        here = start
        for first, last in within(others, start, stop):
            if here < first:
                kept.append((here, first))
            here = last
        if here < stop:
            kept.append((here, stop))
    return kept


def split(spans: Spans, rows: int) -> tuple[Spans, Spans]:
    """Return the first `rows` rows, and the rest."""
    for place, (start, stop) in enumerate(spans):
        if stop - start > rows:
            head, tail = [*spans[:place], (start, start + rows)], [(start + rows, stop), *spans[place + 1 :]]
            return (head if rows else head[:-1]), tail
        rows -= stop - start
    return spans, []


def of_rows(rows: np.ndarray) -> Spans:
    """Return the spans of ascending row numbers."""
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(rows) > 1)
    starts, stops = rows[np.r_[0, cuts + 1]], rows[np.r_[cuts, len(rows) - 1]] + 1
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def rows_of(spans: Iterable[Sequence[int]]) -> np.ndarray:
    """Return the row numbers, int64, ascending."""
    pieces = [np.arange(start, stop) for start, stop in spans]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int64)


def within(spans: Spans, first: int, last: int) -> Spans:
    """Return the rows of `spans` from `first` to `last` - 1."""
    begin = bisect.bisect_right(spans, first, key=lambda span: span[1])
    end = bisect.bisect_left(spans, last, key=lambda span: span[0])
    return [(max(start, first), min(stop, last)) for start, stop in spans[begin:end]]


def numbers_in(spans: Iterable[Sequence[int]]) -> Iterator[int]:
    """Yield the numbers one by one, ascending: a billion need no more memory than one."""
    return itertools.chain.from_iterable(range(start, stop) for start, stop in spans)
