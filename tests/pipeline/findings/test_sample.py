"""Samples of a run's puzzles against brute force over all selections."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.pipeline.findings.sample import Candidates, balanced_order, sample_candidates, take


def squares(groups: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the imbalance by hardness, then by size within it; lower is better."""
    both = Counter(groups)
    first = Counter(hardness for hardness, _ in groups)
    return sum(n * n for n in first.values()), sum(n * n for n in both.values())


def choices(there: list[tuple[tuple[int, int], int]], count: int) -> Iterator[list[tuple[int, int]]]:
    """Yield every selection of `count` items from strata of given sizes."""
    if not there:
        if count == 0:
            yield []
        return
    (group, size), *rest = there
    for taken in range(min(size, count) + 1):
        for others in choices(rest, count - taken):
            yield [group] * taken + others


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=9), st.integers(1, 8))
def test_no_selection_is_more_balanced(groups: list[tuple[int, int]], count: int) -> None:
    drawn = balanced_order(groups, count)
    wanted = min(count, len(groups))
    assert len(set(drawn)) == len(drawn) == wanted
    every = choices(sorted(Counter(groups).items()), wanted)
    assert squares([groups[place] for place in drawn]) == min(map(squares, every))
    for group in set(groups):
        there = [place for place, other in enumerate(groups) if other == group]
        chosen = sorted(place for place in drawn if groups[place] == group)
        assert chosen == there[: len(chosen)], "the first ones"


def test_smaller_sample_is_a_prefix() -> None:
    groups = [(k % 3, k % 2) for k in range(20)]
    assert balanced_order(groups, 7) == balanced_order(groups, 20)[:7]


@given(st.lists(st.tuples(*(st.integers(0, most) for most in (5, 1, 1, 2, 1))), min_size=1, max_size=12), st.data())
def test_sample_is_independent_of_order_and_batching(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    names = np.array([f"a/{place}" for place in range(len(rows))], object)
    bits, hardness, size, author, rank = np.array(rows).T
    there = Candidates(names, names, bits.astype(np.uint64), hardness, size, author.astype(str).astype(object), rank)
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    one, other = (
        sample_candidates([there], 2),
        sample_candidates((take(there, part) for part in np.split(order, cuts)), 2),
    )
    assert all(np.array_equal(*columns) for columns in zip(one, other, strict=True))
    assert len(set(one.bits.tolist())) == len(one.bits), "each picture once"
    assert sorted(one.rank.tolist()) == one.rank.tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), max_size=12), st.integers(1, 8))
def test_no_author_has_more_than_the_limit(rows: list[tuple[int, str]], count: int) -> None:
    groups, authors = [(hardness, 0) for hardness, _ in rows], [author for _, author in rows]
    drawn = Counter(authors[place] for place in balanced_order(groups, count, authors, 2))
    possible = sum(min(2, number) for number in Counter(authors).values())
    assert max(drawn.values(), default=0) <= 2
    assert drawn.total() == min(count, possible)
