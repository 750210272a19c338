"""Spans against sets of numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.pipeline.store import spans

ROWS = st.sets(st.integers(0, 30))


def of(rows: set[int]) -> spans.Spans:
    return spans.of_rows(np.array(sorted(rows), np.int64))


def rows(there: spans.Spans) -> set[int]:
    return set(spans.rows_of(there).tolist())


@given(ROWS, ROWS)
def test_operations_equal_those_on_sets(one: set[int], other: set[int]) -> None:
    assert rows(of(one)) == one
    assert rows(spans.minus(of(one), of(other))) == one - other
    assert rows(spans.union([*of(one), *of(other)])) == one | other
    assert spans.size(of(one)) == len(one)
    for there in (spans.minus(of(one), of(other)), spans.union([*of(one), *of(other)])):
        assert there == of(rows(there)), "sorted and apart from each other"


@given(ROWS, st.integers(0, 31), st.integers(0, 31))
def test_cut(there: set[int], first: int, last: int) -> None:
    assert rows(spans.within(of(there), first, last)) == {row for row in there if first <= row < last}
    head, tail = spans.split(of(there), first)
    assert rows(head) | rows(tail) == there
    assert len(rows(head)) == min(first, len(there))
    assert not rows(head) or not rows(tail) or max(rows(head)) < min(rows(tail))
    assert all(start < stop for start, stop in head + tail)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))))
def test_union_of_arbitrary_spans(loose: list[tuple[int, int]]) -> None:
    assert rows(spans.union(loose)) == {row for start, stop in loose for row in range(start, stop)}
