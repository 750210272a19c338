"""Figures of small tables, counted by hand; the sample of rows that correlations are of; how a run went over time."""

import datetime
import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from census_figures import PAIRS, Pairs, failed, known, pairs, solved

from nonocensus.reports.numbers.activity import MOMENTS, PastSession, activity
from nonocensus.reports.numbers.aggregate import HARDEST, figures, to_plain
from nonocensus.reports.numbers.census import LISTED, take_census
from nonocensus.reports.numbers.figures import (
    ClaimCounts,
    DuplicateCounts,
    Failure,
    FailureKind,
    Figures,
    GoalMatches,
    HardPuzzle,
    PuzzleGroup,
    ShareQuantiles,
    SiteDisagreement,
    SizeQuantiles,
    StalledPuzzles,
    TimedOutPuzzle,
    Timeouts,
    TimeSummary,
)
from nonocensus.reports.numbers.row_view import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.solver.model.tables import PUZZLES, RESULTS


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
    assert census.goals == GoalMatches(matches=2, differs=1, unknown=5)


def test_stalled_are_those_that_line_logic_leaves_open(census: Figures) -> None:
    # Shares decided: 1/4 (depth-2), 3/4 (multiple), 2/4 (timeout). Line logic refuted local/5 itself.
    assert census.stalled == StalledPuzzles(
        3, ShareQuantiles(0.25, pytest.approx(0.3), 0.375, 0.5, 0.625, pytest.approx(0.7), 0.75)
    )


def test_times(census: Figures) -> None:
    seconds = [0.001, 0.002, 0.01, 0.02, 0.1, 60.0]
    assert census.times == TimeSummary(
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

    def rungs(**present: int) -> dict[str, int]:
        return dict.fromkeys(census.rungs, 0) | {name.replace("_", " "): count for name, count in present.items()}

    easy = ("trivial unique line", "unique line", "unique depth-2", "multiple")
    assert census.sources == (
        PuzzleGroup(
            "webpbn", 4, pytest.approx(0.113), labels(*easy), rungs(line=2, several_solutions=1) | {"depth-2": 1}
        ),
        PuzzleGroup(
            "local",
            3,
            pytest.approx(60.02),
            labels("contradiction", "timeout", "invalid"),
            rungs(no_solution=1, undecided=1, invalid=1),
        ),
        PuzzleGroup("lost", 1, 0.0, labels("killed"), rungs(killed=1)),
    )
    assert list(census.rungs) == [
        *("line", "depth-2", "several solutions", "no solution", "undecided", "invalid", "killed"),
    ]
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


def test_hardest_go_by_work_and_not_by_time(census: Figures) -> None:
    assert [hard.puzzle_id for hard in census.hardest] == [
        "local/6",
        "local/5",
        "webpbn/2",
        "webpbn/3",
        "webpbn/1",
    ]
    lines = 30 + 31
    assert census.hardest[0] == HardPuzzle(
        "local/6", "Knot", "Jan", 30, 31, "timeout", None, pytest.approx(math.log10(60e6 / lines)), 60.0, *[None] * 3
    )


def test_hardest_of_many_are_the_first_ids_of_equals() -> None:
    rows = [(solved(f"a/{number:02}", 1.0), known(f"a/{number:02}")) for number in reversed(range(80))]
    hardest = figures(pairs(*rows)).hardest
    assert [hard.puzzle_id for hard in hardest] == [f"a/{number:02}" for number in range(HARDEST)]


def test_of_too_many_the_hardest_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonocensus.reports.numbers.census.SHOWN", 10)
    work = np.random.default_rng(2).permutation(200) + 1
    rows = [(solved(f"a/{n}", 1.0, line_solves=int(n)), known(f"a/{n}")) for n in work]
    rows += [(failed(f"b/{n}", "error", "why"), known(f"b/{n}")) for n in range(5)]
    census = figures(cut(pairs(*rows), *range(7, 200, 7)))
    assert (census.total, census.shown) == (205, 10)
    assert [hard.puzzle_id for hard in census.hardest] == [f"a/{n}" for n in range(200, 190, -1)]


def test_difficulties_and_correlations_are_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """... though only the hardest are shown; of too many, correlations are of some drawn at random."""
    work = np.random.default_rng(2).permutation(200) + 1
    rows = pairs(*[(solved(f"a/{n}", n / 8, line_solves=int(n)), known(f"a/{n}")) for n in work])
    whole = figures(rows)
    monkeypatch.setattr("nonocensus.reports.numbers.census.SHOWN", 10)
    assert (figures(rows).difficulties, figures(rows).correlations) == (whole.difficulties, whole.correlations)
    assert (whole.compared, sum(bin_.puzzles for bin_ in whole.difficulties)) == (200, 200)
    assert ("cpu_seconds", "line_solves", 200, 1.0) in [one[:4] for one in whole.correlations]
    monkeypatch.setattr("nonocensus.reports.numbers.census.COMPARED", 50)
    fewer = figures(rows)
    assert (fewer.compared, fewer.difficulties) == (50, whole.difficulties)
    assert ("cpu_seconds", "line_solves", 50, 1.0) in [one[:4] for one in fewer.correlations]


def test_timeouts(census: Figures) -> None:
    open_ = TimedOutPuzzle("local/6", "Knot", 30, 31, 4, 2, False, 60.0, None, None)
    assert census.timeouts == Timeouts(1, 0, ShareQuantiles(*[0.5] * 7), (open_,))
    later = solved(
        "a/1", 1.0, "timeout", status="timeout", solutions="unknown", technique=None, solution=b"\1\0\0\1",
        cells_after_line=1, cells_after_depth2=2, cells_after_probe=3, nodes=7, conflicts=8,
    )  # fmt: skip
    timeouts = figures(pairs((later, known("a/1")))).timeouts
    assert timeouts.with_solution == 1
    assert timeouts.hardest == (TimedOutPuzzle("a/1", None, 2, 2, 4, 3, True, 1.0, 7, 8),)


def test_copies_are_told_from_those_only_turned() -> None:
    hashes = {"a/1": "11", "a/2": "11", "a/3": "22", "a/4": "33", "a/5": "44"}
    turned = {"a/1": "aa", "a/2": "aa", "a/3": "aa", "a/4": "bb", "a/5": "cc"}
    rows = [
        (solved(name, 1.0, clue_hash=value * 16), known(name, canonical_hash=turned[name] * 16))
        for name, value in hashes.items()
    ]
    assert figures(pairs(*rows)).copies == DuplicateCounts(1, 2)


def test_times_by_size() -> None:
    rows = [(solved(f"a/{n}", n / 1000), known(f"a/{n}", 10, 10)) for n in range(1, 102)]
    rows += [(solved("b/1", 5.0), known("b/1", 100, 10)), solved("b/2", 1.0)]
    census = figures(pairs(*rows))
    approx = pytest.approx
    assert census.areas == (
        SizeQuantiles(100, 159, 101, approx(0.011), approx(0.051), approx(0.091), approx(0.1), approx(0.101)),
        SizeQuantiles(1000, 1585, 1, 5.0, 5.0, 5.0, 5.0, 5.0),
    )
    assert sum(puzzles for area, _, puzzles in census.area_times if area == 0) == 101
    ((column, one),) = [(column, puzzles) for area, column, puzzles in census.area_times if area == 1]
    assert (census.histogram[column].start <= 5.0 < census.histogram[column].stop, one) == (True, 1)
    for column, bin_ in enumerate(census.histogram):
        known_ = sum(puzzles for _, place, puzzles in census.area_times if place == column)
        assert known_ == bin_.puzzles - (bin_.start <= 1.0 < bin_.stop)


def test_rung_times() -> None:
    rows = [solved("a/1", 1.0, cpu_line=0.002), solved("a/2", 1.0, cpu_line=0.002, cpu_sat=3.0, conflicts=6)]
    census = figures(pairs(*rows))
    assert [(rung.rung, rung.puzzles, rung.cpu_seconds) for rung in census.rung_times] == [
        ("line logic", 2, pytest.approx(0.004)),
        ("clause learning", 1, 3.0),
    ]
    ((start, stop, puzzles),) = census.rung_times[0].bins
    assert (start <= 0.002 < stop, puzzles) == (True, 2)
    assert census.work.conflict_seconds == 0.5
    assert census.work.line_solve_seconds == pytest.approx(0.004 / 2e6)


def test_years_authors_colours_and_densities() -> None:
    one = [[{"length": 1, "color": 1}]]
    rows = [
        known("a/1", 2, 1, author="Ann", copyright="(c) Copyright 2004 by Ann", rows=one, columns=[*one, []]),
        known("a/2", author="Ann", copyright="Ann 2006, 2009", rows=[[], []], columns=[[], []]),
        known("a/3", author="Bob", site_date=datetime.date(2007, 5, 1), copyright="2001"),
        known("a/4", copyright="x12004"),
    ]
    census = figures(pairs(*((solved(row["puzzle_id"], 1.0), row) for row in rows)))
    assert census.years == {2004: 1, 2005: 0, 2006: 1, 2007: 1}
    assert [(group.name, group.puzzles, group.cpu_seconds) for group in census.authors] == [
        ("Ann", 2, 2.0),
        ("Bob", 1, 1.0),
    ]
    assert [group.labels["unique line"] for group in census.authors] == [2, 1]
    assert census.all_authors == 2
    assert {group.name: group.puzzles for group in census.colors} == {"0": 1, "1": 1, "unknown": 2}
    assert {group.name: group.puzzles for group in census.densities} == {"under 20 %": 1, "50–60 %": 1, "unknown": 2}


def test_verdicts_that_differ_from_the_sites() -> None:
    unique, not_unique = "published,definitely unique", "published,definitely non-unique"
    line = {"site_note": f"{unique},definitely line/color solvable"}
    several = {"solutions": "multiple", "technique": None, "label": "multiple"}
    late = {"status": "timeout", "solutions": "unknown", "technique": None, "label": "timeout"}
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("a/1", {}, line),
        ("a/2", {"technique": "probe", "label": "unique"}, line),
        ("a/3", {"technique": "search"}, {"site_note": f"{unique},definitely requires moderate lookahead"}),
        ("a/4", several, {"site_note": unique}),
        ("a/5", late, {"site_note": unique}),
        ("a/6", {"technique": "depth-2"}, {"site_note": f"{unique},may require moderate lookahead"}),
        ("a/7", {"technique": "depth-2"}, {"site_steps": 9}),
        ("a/8", {}, {"site_note": "Nothing known, multiple colours"}),
        ("a/9", {"technique": "probe"}, {"site_note": f"{unique},definitely requires some guessing"}),
        ("b/1", several, {"site_note": f"{not_unique},definitely requires some guessing"}),
        ("b/2", {"technique": "probe"}, {"site_note": f"{not_unique},may require some guessing"}),
        ("b/3", several, {"site_note": "published,may be non-unique"}),
        ("b/4", several, {}),
    ]
    rows = [(solved(name, 1.0, **result), known(name, **said)) for name, result, said in cases]
    census = figures(pairs(*rows))
    assert census.claims == (
        ClaimCounts("several solutions", 2, unique=1, multiple=1, none=0, undecided=0, differ=1),
        ClaimCounts("unique, by line logic", 3, unique=3, multiple=0, none=0, undecided=0, differ=2),
        ClaimCounts("unique, needs more than line logic", 2, unique=2, multiple=0, none=0, undecided=0, differ=0),
        ClaimCounts("unique", 3, unique=1, multiple=1, none=0, undecided=1, differ=1),
        ClaimCounts("uniqueness not known", 1, unique=0, multiple=1, none=0, undecided=0, differ=0),
    )
    assert [one.puzzle_id for one in census.differing] == ["a/2", "a/4", "a/7", "b/2"]
    split = {issue.name: issue.puzzles for issue in census.attention.issues if issue.name.endswith("marked ambiguous")}
    assert split == {"unmarked ambiguous": 2, "marked ambiguous": 1}
    assert census.differing[0] == SiteDisagreement("a/2", None, "unique, by line logic", "unique", "probe")


def test_failures(census: Figures) -> None:
    assert census.failed == 2
    assert census.failures == (
        Failure("local/7", None, "invalid", "row 1: too long"),
        Failure("lost/8", None, "killed", "out of memory"),
    )


def test_only_failures_lists_the_first_of_them() -> None:
    rows = [{"puzzle_id": f"a/{number}", "status": "error", "error": "why"} for number in range(LISTED + 5)]
    census = figures(pairs(*rows))
    assert (census.failed, len(census.failures)) == (LISTED + 5, LISTED)
    assert census.failures[0].puzzle_id == "a/0"
    assert census.labels == census.statuses == {"error": LISTED + 5}
    assert (census.times, census.histogram, census.hardest) == (None, (), ())
    assert census.reasons == (FailureKind("error", "why", LISTED + 5),)


def test_failures_that_differ_in_numbers_are_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [failed(f"a/{n}", "invalid", f"row {n}: its blocks need {n} cells") for n in range(3)]
    rows += [failed("b/1", "error", "x"), {"puzzle_id": "b/2", "status": "killed"}]
    kinds = (
        FailureKind("invalid", "row N: its blocks need N cells", 3),
        FailureKind("error", "x", 1),
        FailureKind("killed", "no reason given", 1),
    )
    assert figures(pairs(*rows)).reasons == kinds
    monkeypatch.setattr("nonocensus.reports.numbers.aggregate.KINDS_OF_FAILURES", 1)
    assert figures(pairs(*rows)).reasons == (kinds[0], *(kind._replace(reason="other reasons") for kind in kinds[1:]))


NO_ROWS = (RESULTS.empty_table(), PUZZLES.empty_table())


@pytest.mark.parametrize("no_rows", [[], [NO_ROWS], [NO_ROWS, NO_ROWS]])
def test_empty_results(no_rows: Pairs) -> None:
    census = figures(no_rows)
    assert census.total == census.trivial == census.unique_by_line == census.failed == 0
    assert census.goals == GoalMatches(0, 0, 0)
    assert census.stalled == StalledPuzzles(0, None)
    assert census.times is None
    assert census.labels == {}
    assert census.histogram == census.sources == census.sizes == census.hardest == census.areas == ()
    assert sum(bucket.puzzles for bucket in census.survey) == 0


def test_columns_of_nulls_are_counted_as_unknown() -> None:
    census = figures(pairs({}, {}))
    assert census.total == 2
    assert census.statuses == census.labels == {"unknown": 2}
    assert census.solutions == census.techniques == {}
    for groups in (census.sources, census.kinds, census.sizes):
        assert groups == (PuzzleGroup("unknown", 2, 0.0, {"unknown": 2}, {"undecided": 2}),)
    assert census.goals == GoalMatches(0, 0, 2)
    assert census.times is None


def test_unknown_labels_stand_before_the_failures() -> None:
    rows = [solved("a/1", 1.0, "zebra"), {"status": "error"}, solved("a/2", 1.0, "unique")]
    assert list(figures(pairs(*rows)).labels) == ["unique", "zebra", "error"]


def cut(pair: Pairs, *places: int) -> Pairs:
    """Return the one pair as several, cut before these rows."""
    return [
        (results.slice(start, stop - start), puzzles.slice(start, stop - start))
        for results, puzzles in pair
        for start, stop in pairwise((0, *places, len(results)))
    ]


def test_tables_in_chunks_and_batches_of_the_needed_columns_count_the_same(census: Figures) -> None:
    ((results, puzzles),) = PAIRS
    chunks = [[results for results, _ in cut(PAIRS, 3, 3)], [puzzles for _, puzzles in cut(PAIRS, 4)]]
    assert figures([(pa.concat_tables(chunks[0]), pa.concat_tables(chunks[1]))]) == census
    batches = (results.select(RESULT_COLUMNS).to_batches()[0], puzzles.select(PUZZLE_COLUMNS).to_batches()[0])
    assert figures([batches]) == census


@pytest.mark.slow
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


def test_plain_converts_nested_records() -> None:
    assert to_plain({"a": (GoalMatches(1, 2, 3), StalledPuzzles(1, None))}) == {
        "a": [{"matches": 1, "differs": 2, "unknown": 3}, {"puzzles": 1, "decided": None}]
    }


@cache
def five_hundred() -> Pairs:
    return pairs(*(solved(f"a/{n}", 1.0, nodes=n) for n in range(500)))


@pytest.mark.parametrize("cuts", [[], [1, 2, 3], [300, 301, 450], [7, 14, 99, 100, 490]])
@pytest.mark.parametrize("size", [1, 10, 333, 499, 500, 1000])
def test_the_lowest_numbers_stay_however_rows_come(size: int, cuts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonocensus.reports.numbers.census.COMPARED", size)
    monkeypatch.setattr("nonocensus.reports.numbers.census.JOINED_ROWS", 1)
    drawn = np.random.default_rng(0).random(500)
    assert sorted(take_census(cut(five_hundred(), *cuts)).compared["nodes"].to_pylist()) == sorted(
        np.argsort(drawn)[:size]
    )


BEGUN = 1.7e9


def session(length: float, *tasks: tuple[float, ...], cpus: int | None = 2) -> PastSession:
    """Return of tasks with begin, end, CPU seconds, puzzles and perhaps seconds of compiling."""
    rows = [(BEGUN + begin, BEGUN + end, *others, 0.0)[:5] for begin, end, *others in tasks]
    return PastSession(BEGUN, BEGUN + length, np.array(rows, np.float64).reshape(-1, 5), cpus, {"killed": 1})


def test_one_session() -> None:
    told = activity([session(10.0, (0, 5, 4, 500), (0, 10, 9, 100))])
    assert told is not None
    assert (told.sessions, told.seconds, told.puzzles, told.tasks, told.cpus) == (1, 10.0, 600, 2, 2)
    assert (told.busy, told.cpu_seconds, told.lost) == (0.75, 13.0, {"killed": 1})
    assert told.fastest == pytest.approx(110)
    assert len(told.moments) == MOMENTS
    assert [round(moment.workers, 6) for moment in told.moments] == [2] * 60 + [1] * 60
    assert sum(moment.puzzles_a_second * (moment.stop - moment.start) for moment in told.moments) == pytest.approx(600)


def test_random_tasks_add_up() -> None:
    generator = np.random.default_rng(5)
    begin = generator.uniform(0, 90, 200)
    tasks = [
        (b, min(100.0, b + length), 1.0, 3.0) for b, length in zip(begin, generator.exponential(9, 200), strict=True)
    ]
    told = activity([session(100.0, *tasks)])
    assert told is not None
    for moment in told.moments[::7]:
        at = np.linspace(moment.start, moment.stop, 2001)
        busy = np.mean([sum(b <= t < e for b, e, _, _ in tasks) for t in at])
        assert moment.workers == pytest.approx(busy, abs=0.02)


def test_the_time_between_sessions_does_not_show() -> None:
    told = activity([session(6.0, (0, 6, 1, 6)), session(0.0), session(2.0, (0, 1, 1, 1), cpus=None)])
    assert told is not None
    assert (told.sessions, told.seconds) == (2, 8.0)
    assert told.busy == 0.5  # of the session whose CPUs are known
    assert [moment.start for moment in told.moments][1:] == [moment.stop for moment in told.moments][:-1]
    assert {moment.session for moment in told.moments} == {1, 2}


def test_compiling_is_no_work() -> None:
    told = activity([session(10.0, (0, 10, 1, 60, 8), (0, 5, 1, 6, 9), cpus=2)])
    assert told is not None
    assert (told.compiling, told.busy, told.puzzles) == (17.0, 0.1, 66)
    assert sum(moment.puzzles_a_second * (moment.stop - moment.start) for moment in told.moments) == pytest.approx(66)
    at_work = [moment for moment in told.moments if moment.workers > 1e-4]
    assert (round(at_work[0].start), round(at_work[-1].stop)) == (8, 10)


def test_nothing_done() -> None:
    assert activity([]) is None
    assert activity([session(0.0)]) is None
    told = activity([session(1.0, cpus=None)])
    assert told is not None
    assert (told.puzzles, told.fastest, told.cpus, told.busy) == (0, 0.0, None, None)
