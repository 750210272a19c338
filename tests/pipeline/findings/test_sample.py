"""Samples of a run's puzzles against brute force over all selections."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.pipeline.findings.sample import CANDIDATES, balanced_order, sample_candidates


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


OPTIONAL_DATES = st.none() | st.dates(date(2020, 1, 1), date(2020, 1, 3))
ROWS = st.tuples(
    st.sampled_from("ab"),
    st.sampled_from([None, "1", "2", "10", "x"]),
    OPTIONAL_DATES,
    st.none() | st.integers(0, 5),
    *(st.integers(0, most) for most in (1, 1)),
    st.sampled_from("cd"),
    st.integers(0, 1),
)


@given(st.lists(ROWS, max_size=12), st.integers(1, 3))
def test_sample_against_brute_force(rows: list[tuple[Any, ...]], count: int) -> None:
    """Of each picture the original, then the first of each stratum by tenth and bits."""
    named = [{"place": place, "puzzle_id": f"a/{place}"} for place in range(len(rows))]
    rest = [name for name in CANDIDATES.names if name not in ("place", "puzzle_id")]
    there = [given | dict(zip(rest, row, strict=True)) for given, row in zip(named, rows, strict=True)]
    sources = [row["source"] for row in there]

    def age(row: dict[str, Any]) -> tuple[Any, ...]:
        number = int(row["source_id"]) if (row["source_id"] or "x") != "x" else 10**9
        return row["site_date"] or date.max, sources.index(row["source"]), number, row["place"]

    originals: dict[int, dict[str, Any]] = {}
    for row in sorted(there, key=age):
        if row["bits"] is not None:
            originals.setdefault(row["bits"], row)
    wanted, drawn = [], Counter[tuple[Any, ...]]()
    for row in sorted(originals.values(), key=lambda row: (row["tenth"], row["bits"])):
        stratum = row["hardness"], row["size"], row["author"]
        drawn[stratum] += 1
        if drawn[stratum] <= count:
            wanted.append(row)
    found = sample_candidates(pa.Table.from_pylist(there, CANDIDATES), count)
    assert found.select(CANDIDATES.names).to_pylist() == wanted
    order = sorted(wanted, key=age)
    assert [row["place"] for row in sorted(found.to_pylist(), key=lambda row: row["rank"])] == [
        row["place"] for row in order
    ]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), max_size=12), st.integers(1, 8))
def test_no_author_has_more_than_the_limit(rows: list[tuple[int, str]], count: int) -> None:
    groups, authors = [(hardness, 0) for hardness, _ in rows], [author for _, author in rows]
    drawn = Counter(authors[place] for place in balanced_order(groups, count, authors, 2))
    possible = sum(min(2, number) for number in Counter(authors).values())
    assert max(drawn.values(), default=0) <= 2
    assert drawn.total() == min(count, possible)
