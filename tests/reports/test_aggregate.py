"""Figures of small tables, counted by hand."""

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from census import PAIRS, Pairs, failed, known, pairs, solved

from reports.aggregate import (
    Failure,
    Figures,
    Goals,
    Group,
    Slow,
    Spread,
    Stalled,
    Times,
    figures,
    plain,
)
from reports.census import FAILURES, PUZZLE_COLUMNS, RESULT_COLUMNS, SIZE_NAMES, SLOWEST
from solver.tables import PUZZLES, RESULTS


@pytest.fixture(scope="module")
def census() -> Figures:
    return figures(PAIRS)


def test_counts_keep_the_order_for_reading(census: Figures) -> None:
    assert census.total == 8
    assert list(census.statuses.items()) == [("ok", 5), ("timeout", 1), ("invalid", 1), ("killed", 1)]
    assert list(census.solutions.items()) == [("unique", 3), ("multiple", 1), ("none", 1), ("unknown", 3)]
    assert list(census.techniques.items()) == [("line", 3), ("depth-2", 1)]
    assert list(census.labels) == [
        "trivial unique line",
        "unique line",
        "unique depth-2",
        "multiple",
        "contradiction",
        "timeout",
        "invalid",
        "killed",
    ]
    assert set(census.labels.values()) == {1}
    assert (census.trivial, census.unique_by_line) == (1, 2)
    assert census.goals == Goals(matches=2, differs=1, unknown=5)


def test_stalled_are_those_that_line_logic_leaves_open(census: Figures) -> None:
    # Shares decided: 1/4 (depth-2), 3/4 (multiple), 2/4 (timeout). Line logic refuted local/5 itself.
    assert census.stalled == Stalled(3, Spread(0.25, pytest.approx(0.3), 0.375, 0.5, 0.625, pytest.approx(0.7), 0.75))


def test_times(census: Figures) -> None:
    seconds = [0.001, 0.002, 0.01, 0.02, 0.1, 60.0]
    assert census.times == Times(
        6,
        total=pytest.approx(sum(seconds)),
        mean=pytest.approx(sum(seconds) / 6),
        median=pytest.approx(0.015),
        p90=pytest.approx(0.1 + 0.5 * 59.9),
        p99=pytest.approx(0.1 + 0.95 * 59.9),
        maximum=60.0,
    )


def test_histogram_has_bins_of_constant_width_without_holes(census: Figures) -> None:
    histogram = census.histogram
    assert sum(bin_.puzzles for bin_ in histogram) == 6
    assert all(bin_.puzzles == sum(bin_.labels.values()) for bin_ in histogram)
    assert [bin_.stop for bin_ in histogram[:-1]] == [bin_.start for bin_ in histogram[1:]]
    assert {round(math.log10(bin_.stop / bin_.start), 4) for bin_ in histogram} == {0.2}
    found = {bin_.start: label for bin_ in histogram for label, count in bin_.labels.items() if count}
    assert found == {
        0.001: "trivial unique line",
        0.00158489: "unique line",
        0.01: "unique depth-2",
        0.0158489: "contradiction",
        0.1: "multiple",
        39.8107: "timeout",
    }


def test_histogram_takes_narrower_bins_for_times_close_together() -> None:
    bins = figures(pairs(solved("a/1", 0.001), solved("a/2", 0.0011))).histogram
    assert [bin_.puzzles for bin_ in bins] == [2]
    assert bins[0].stop / bins[0].start == pytest.approx(10**0.05, rel=1e-4)


def test_a_time_of_zero_counts_as_the_shortest() -> None:
    bins = figures(pairs(solved("a/1", 0.0), solved("a/2", 0.001))).histogram
    assert [(bin_.start, bin_.puzzles) for bin_ in bins] == [(0.001, 2)]
    assert [bin_.start for bin_ in figures(pairs(solved("a/1", 0.0))).histogram] == [1e-6]


def test_survey_classes_hold_their_start_and_not_their_stop() -> None:
    times = (0.0, 0.0999, 0.1, 0.2, 0.5, 1.0, 4.0, 10.0, 30.0, 60.0, 120.0, 500.0)
    rows = [solved(f"a/{n}", time, status="timeout" if time == 500 else "ok") for n, time in enumerate(times)]
    survey = figures(pairs(*rows)).survey
    assert [bucket.puzzles for bucket in survey] == [2, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    assert [bucket.timeouts for bucket in survey] == [0] * 9 + [1]
    assert (survey[0].start, survey[0].stop, survey[-1].start, survey[-1].stop) == (0.0, 0.1, 120.0, None)


def test_groups(census: Figures) -> None:
    def labels(*present: str) -> dict[str, int]:
        return {label: int(label in present) for label in census.labels}

    assert census.sources == (
        Group(
            "webpbn",
            4,
            pytest.approx(0.113),
            labels("trivial unique line", "unique line", "unique depth-2", "multiple"),
        ),
        Group("local", 3, pytest.approx(60.02), labels("contradiction", "timeout", "invalid")),
        Group("lost", 1, 0.0, labels("killed")),
    )
    assert [(group.name, group.puzzles) for group in census.kinds] == [
        ("mono", 4),
        ("color", 1),
        ("blotted mono", 1),
        ("blotted color", 1),
        ("unknown", 1),
    ]
    assert [(group.name, group.puzzles) for group in census.sizes] == [
        ("up to 10", 3),
        ("11–15", 2),
        ("31–40", 1),
        ("over 100", 1),
        ("unknown", 1),
    ]
    assert census.sizes[1].labels == labels("multiple", "contradiction")


@pytest.mark.parametrize(
    ("side", "name"),
    [
        (1, "up to 10"),
        (10, "up to 10"),
        (11, "11–15"),
        (15, "11–15"),
        (16, "16–20"),
        (100, "61–100"),
        (101, "over 100"),
    ],
)
def test_size_classes_go_by_the_longer_side(side: int, name: str) -> None:
    for width, height in ((side, 1), (1, side)):
        census = figures(pairs((solved("a/1", 1.0), known("a/1", width, height))))
        assert [group.name for group in census.sizes] == [name]


def test_size_names_are_all_different() -> None:
    assert len(set(SIZE_NAMES)) == 9


def test_slowest(census: Figures) -> None:
    assert [slow.puzzle_id for slow in census.slowest] == [
        "local/6",
        "webpbn/4",
        "local/5",
        "webpbn/3",
        "webpbn/2",
        "webpbn/1",
    ]
    assert census.slowest[0] == Slow("local/6", "Knot", "Jan", 30, 31, "timeout", 60.0)


def test_slowest_of_many_are_the_first_ids_of_equal_times() -> None:
    rows = [solved(f"a/{number:02}", 1.0) for number in reversed(range(40))]
    slowest = figures(pairs(*rows)).slowest
    assert [slow.puzzle_id for slow in slowest] == [f"a/{number:02}" for number in range(SLOWEST)]


def test_failures(census: Figures) -> None:
    assert census.failed == 2
    assert census.failures == (
        Failure("local/7", None, "invalid", "row 1: too long"),
        Failure("lost/8", None, "killed", "out of memory"),
    )


def test_only_failures_lists_the_first_of_them() -> None:
    rows = [{"puzzle_id": f"a/{number}", "status": "error", "error": "why"} for number in range(FAILURES + 5)]
    census = figures(pairs(*rows))
    assert (census.failed, len(census.failures)) == (FAILURES + 5, FAILURES)
    assert census.failures[0].puzzle_id == "a/0"
    assert census.labels == census.statuses == {"error": FAILURES + 5}
    assert (census.times, census.histogram, census.slowest) == (None, (), ())


NO_ROWS = (RESULTS.empty_table(), PUZZLES.empty_table())


@pytest.mark.parametrize("no_rows", [[], [NO_ROWS], [NO_ROWS, NO_ROWS]])
def test_empty_results(no_rows: Pairs) -> None:
    census = figures(no_rows)
    assert census.total == census.trivial == census.unique_by_line == census.failed == 0
    assert census.goals == Goals(0, 0, 0)
    assert census.stalled == Stalled(0, None)
    assert census.times is None
    assert census.labels == {}
    assert census.histogram == census.sources == census.sizes == census.slowest == ()
    assert sum(bucket.puzzles for bucket in census.survey) == 0


def test_one_row() -> None:
    census = figures(pairs((solved("a/1", 0.5), known("a/1"))))
    assert census.labels == {"unique line": 1}
    assert census.times == Times(1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    assert census.sizes == (Group("up to 10", 1, 0.5, {"unique line": 1}),)


def test_columns_of_nulls_are_counted_as_unknown() -> None:
    census = figures(pairs({}, {}))
    assert census.total == 2
    assert census.statuses == census.labels == {"unknown": 2}
    assert census.solutions == census.techniques == {}
    for groups in (census.sources, census.kinds, census.sizes):
        assert groups == (Group("unknown", 2, 0.0, {"unknown": 2}),)
    assert census.goals == Goals(0, 0, 2)
    assert census.times is None


def test_labels_that_nobody_foresaw_stand_before_the_failures() -> None:
    rows = [solved("a/1", 1.0, "zebra"), {"status": "error"}, solved("a/2", 1.0, "unique")]
    assert list(figures(pairs(*rows)).labels) == ["unique", "zebra", "error"]


def cut(pair: Pairs, *places: int) -> Pairs:
    """The one pair as several, cut before these rows."""
    return [
        (results.slice(start, stop - start), puzzles.slice(start, stop - start))
        for results, puzzles in pair
        for start, stop in pairwise((0, *places, len(results)))
    ]


def test_tables_in_chunks_count_the_same(census: Figures) -> None:
    chunks = [[results for results, _ in cut(PAIRS, 3, 3)], [puzzles for _, puzzles in cut(PAIRS, 4)]]
    assert figures([(pa.concat_tables(chunks[0]), pa.concat_tables(chunks[1]))]) == census


def test_record_batches_of_the_needed_columns_count_the_same(census: Figures) -> None:
    (results, puzzles) = PAIRS[0]
    batches = (results.select(RESULT_COLUMNS).to_batches()[0], puzzles.select(PUZZLE_COLUMNS).to_batches()[0])
    assert figures([batches]) == census


def test_many_pairs_count_the_same_as_one() -> None:
    generator = np.random.default_rng(1)
    rows = [
        (solved(f"a/{number}", float(time), label), known(f"a/{number}", side, side, source=f"s{side % 3}"))
        for number, time, label, side in zip(
            range(400),
            generator.lognormal(-5, 3, 400).round(3),  # many are equal
            generator.choice(["unique line", "unique", "multiple"], 400).tolist(),
            generator.integers(1, 120, 400).tolist(),
            strict=True,
        )
    ]
    rows[::7] = [(failed(f"a/{number}", "error", "why"), {}) for number in range(0, 400, 7)]
    whole = pairs(*rows)
    places = np.sort(generator.integers(0, 401, 40)).tolist()
    assert figures(cut(whole, *places)) == figures(whole)
    assert figures(cut(whole, *range(1, 400))) == figures(whole)


def test_tables_of_different_length_are_no_pair() -> None:
    (results, puzzles) = PAIRS[0]
    with pytest.raises(ValueError, match="8 results do not pair with 7 puzzles"):
        figures([(results, puzzles.slice(1))])


def test_plain_goes_all_the_way_down() -> None:
    assert plain({"a": (Goals(1, 2, 3), Stalled(1, None))}) == {
        "a": [{"matches": 1, "differs": 2, "unknown": 3}, {"puzzles": 1, "decided": None}]
    }
