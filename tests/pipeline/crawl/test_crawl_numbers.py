"""The numbers of a crawl: parsing, and which are still open."""

import itertools
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.pipeline.crawl.ledger import Ledger, open_ledger
from nonocensus.pipeline.crawl.site_crawl import parse_ids
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.spans import numbers_in, size
from nonocensus.scrapers.http import Reply
from nonocensus.scrapers.site import FINAL, Judgement, Outcome

REPLY = Reply("http://127.0.0.1/", 200, {}, b"x", datetime.now(UTC), 0.1)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path) as ledger:
        yield ledger


def settle(ledger: Ledger, number: int, outcome: Outcome, kinds: str = "any", source: str = "webpbn") -> None:
    ledger.record_replies(source, number, [(REPLY, Judgement(outcome))], kinds)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("7", [(7, 8)]),
        ("1-5000", [(1, 5001)]),
        (" 20-30 , 1-10", [(1, 11), (20, 31)]),
        ("3,1,2,2,1-2", [(1, 4)]),
        ("1-999999999", [(1, 1_000_000_000)]),
        ("007", [(7, 8)]),
    ],
)
def test_ids_are_parsed(text: str, spans: list[tuple[int, int]]) -> None:
    assert parse_ids(text) == spans


@pytest.mark.parametrize("text", ["", "1,", "-1", "1-", "1-2-3", "x", "1.5", "٣", "0", "5-1", "1234567890", "9" * 9000])
def test_invalid_ids_are_refused(text: str) -> None:
    with pytest.raises(UserError) as error:
        parse_ids(text)
    assert len(str(error.value)) < 150
    assert "\n" not in str(error.value)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), min_size=1))
def test_numbers_are_unique_and_ascending(ranges: list[tuple[int, int]]) -> None:
    spans = parse_ids(",".join(f"{first}-{first + more}" for first, more in ranges))
    every = sorted({number for first, more in ranges for number in range(first, first + more + 1)})
    assert list(numbers_in(spans)) == every
    assert size(spans) == len(every)


def test_numbers_without_final_outcome_are_open(ledger: Ledger) -> None:
    for number, outcome in enumerate(FINAL, 3):
        settle(ledger, number, outcome)
    settle(ledger, 20, "error")
    settle(ledger, 21, "ok")
    settle(ledger, 1, "ok", source="nonograms")
    ledger.record_failure("webpbn", 22, "503", 5, "any")
    assert ledger.open_numbers("webpbn", [(1, 30)], ["any"]) == [(1, 3), (9, 21), (22, 30)]
    assert ledger.open_numbers("webpbn", [(2, 5), (8, 10), (21, 22)], ["any"]) == [(2, 3), (9, 10)]
    assert ledger.open_numbers("other", [(1, 30)], ["any"]) == [(1, 30)]
    assert ledger.open_numbers("webpbn", [], ["any"]) == []


def test_number_missing_as_one_kind_is_open_as_another(ledger: Ledger) -> None:
    settle(ledger, 1, "missing", "mono")
    settle(ledger, 2, "missing", "color,mono")
    settle(ledger, 3, "ok", "mono")
    settle(ledger, 4, "missing", "color")
    for kinds, still in (["mono"], [4]), (["color"], [1]), (["mono", "color"], [1, 4]), (["on"], [1, 2, 4]):
        assert list(numbers_in(ledger.open_numbers("webpbn", [(1, 5)], kinds))) == still


@given(st.sets(st.integers(1, 40)), st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)), min_size=1))
def test_open_numbers_exclude_settled_ones(
    tmp_path_factory: pytest.TempPathFactory, done: set[int], ranges: list[tuple[int, int]]
) -> None:
    wanted = parse_ids(",".join(f"{first}-{first + more}" for first, more in ranges))
    with open_ledger(tmp_path_factory.mktemp("ledger")) as ledger:
        for number in done:
            settle(ledger, number, "ok")
        still = ledger.open_numbers("webpbn", wanted, ["any"])
    assert list(numbers_in(still)) == [number for number in numbers_in(wanted) if number not in done]


def test_a_billion_numbers_need_little_memory(ledger: Ledger) -> None:
    settle(ledger, 2, "ok")
    tracemalloc.start()
    try:
        still = ledger.open_numbers("webpbn", parse_ids("1-999999999"), ["any"])
        first = list(itertools.islice(numbers_in(still), 3))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert first == [1, 3, 4]
    assert size(still) == 999_999_998
