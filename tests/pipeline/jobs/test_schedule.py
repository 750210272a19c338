"""What is given out: every row once, the hardest first, nothing for ever."""

import random
from collections import Counter

import pytest

from pipeline.jobs import schedule as schedules
from pipeline.jobs.schedule import Left, Schedule, Work, halves, levels
from pipeline.store import spans


def rows_of(work: Work) -> list[tuple[str, int]]:
    return [(part, row) for part, there in work.rows.items() for row in spans.rows_of(there).tolist()]


def puzzle(part: str, row: int, open_cells: int = 0, clues: str = "") -> Left:
    return Left(part, row, clues or f"{part}/{row}", open_cells, f"{part}/{row}")


@pytest.mark.parametrize(
    ("cpu_limit", "expected"),
    [(60.0, [0.05, 0.7, 60.0]), (9.8, [0.05, 0.7, 9.8]), (9.7, [0.05, 9.7]), (600.0, [0.05, 0.7, 9.8, 600.0])]
    + [(limit, [limit]) for limit in (0.01, 0.05, 0.69)],
)
def test_each_level_has_so_many_times_what_the_one_before_had(cpu_limit: float, expected: list[float]) -> None:
    assert levels(cpu_limit, 0.05, 14.0) == expected


def simulated(schedule: Schedule, cpus: int, seconds: dict[tuple[str, int], float], faults: float = 0.0) -> Counter:
    """Run a schedule on workers that take `seconds` for a puzzle; returns how often each row got its result."""
    chance = random.Random(1)
    done: Counter[tuple[str, int]] = Counter()
    flying: list[tuple[float, Work]] = []
    now = 0.0
    while True:
        while len(flying) < 2 * cpus and (work := schedule.next(cpus)) is not None:
            limit = schedule.limits[work.level]
            flying.append((now + sum(min(seconds[row], limit) for row in rows_of(work)), work))
        if not flying:
            return done
        flying.sort(key=lambda pair: pair[0])
        now, work = flying.pop(0)
        if chance.random() < faults:
            hopeless = schedule.failed(work)
            done.update(rows_of(hopeless) if hopeless else [])
            continue
        limit = schedule.limits[work.level]
        late = [row for row in rows_of(work) if seconds[row] > limit and limit < schedule.limits[-1]]
        done.update(set(rows_of(work)) - set(late))
        schedule.finished(work, 0.1, [puzzle(*row, open_cells=int(10 * seconds[row])) for row in late])


@pytest.mark.parametrize("faults", [0.0, 0.3])
def test_every_row_once(faults: float) -> None:
    chance = random.Random(2)
    stretches = [(f"part-{k}", [100] * 7, [(0, 250), (300, 700)]) for k in range(5)]
    seconds = {
        (part, row): chance.paretovariate(1.0) / 100 for part, _, there in stretches for row in spans.rows_of(there)
    }
    schedule = Schedule(stretches, 5 * 650, [], levels(10.0, 0.05, 14.0))
    assert simulated(schedule, 3, seconds, faults) == Counter(seconds.keys())
    assert schedule.left() == 0


def test_tasks_follow_cost_and_row_groups() -> None:
    schedule = Schedule([("a", [100] * 100, [(0, 10_000)])], 10_000, [], [0.05, 1.0])
    work = schedule.next(1)
    assert work == Work({"a": [(0, schedules.FIRST)]}, schedules.FIRST, 0)
    schedule.finished(work, 0.064, [])  # a millisecond a puzzle
    sizes = []
    for _ in range(4):
        work = schedule.next(1)
        assert work is not None
        sizes.append(work.size)
        schedule.finished(work, work.size * 0.001, [])
    assert sizes[0] == 236, "four times the first, up to the last group's end"
    assert all(size % 100 == 0 for size in sizes[1:])
    assert sizes[2] > 1000
    eta = schedule.seconds_left()
    assert eta == pytest.approx((10_000 - 64 - sum(sizes)) * 0.001)


def test_the_hardest_first_and_equal_ones_together() -> None:
    left = [puzzle("a", 1, 5), puzzle("a", 7, 50, "same"), puzzle("b", 3, 50, "same"), puzzle("b", 4, 20)]
    schedule = Schedule([], 0, [(0.05, entry) for entry in left], [0.05, 1.0, 20.0])
    given = [schedule.next(1) for _ in range(4)]
    assert [work and (work.rows, work.puzzles, work.level) for work in given] == [
        ({"a": [(7, 8)], "b": [(3, 4)]}, 1, 1),
        ({"b": [(4, 5)]}, 1, 1),
        ({"a": [(1, 2)]}, 1, 1),
        None,
    ]


def test_tasks_become_short_at_the_end_of_all_levels_and_hold_no_more_than_their_limit_allows() -> None:
    """The sweep's last tasks are long where much waits for the levels above it."""
    ends = {}
    for waiting in (0, 20_000):
        left = [(0.05, puzzle("b", row)) for row in range(waiting)]
        schedule = Schedule([("a", [100] * 100, [(0, 10_000)])], 10_000, left, [0.05, 1.0, 20.0])
        sizes: dict[int, list[int]] = {0: [], 1: []}
        while (work := schedule.next(10)) is not None:
            sizes[work.level].append(work.puzzles)
            schedule.finished(work, work.puzzles * (0.001, 0.05)[work.level], [])
        ends[waiting] = sizes
    assert ends[0][0][-2] < ends[20_000][0][-2] / 4
    assert max(ends[20_000][1]) == schedules.PATIENCE * schedules.LONGEST_ABOVE
    assert ends[20_000][1][-1] == 1
    assert sum(ends[20_000][1]) == 20_000


@pytest.mark.parametrize(("limit", "ahead"), [(schedules.LONG / 2, schedules.AHEAD), (schedules.LONG, 1)])
def test_long_tasks_are_submitted_when_a_core_is_free(limit: float, ahead: int) -> None:
    left = [(1.0, puzzle("a", row)) for row in range(50)]
    schedule = Schedule([], 0, left, [0.05, 1.0, limit])
    flying = 0
    while schedule.next(10, flying) is not None:
        flying += 1
    assert flying == ahead * 10


def test_a_lower_level_comes_first() -> None:
    """The longest limits last: what can be had soon is had soon."""
    schedule = Schedule(
        [("a", [5], [(0, 5)])], 5, [(1.0, puzzle("b", 1, 9)), (0.05, puzzle("b", 2, 1))], [0.05, 1.0, 20.0]
    )
    assert [work and work.level for work in (schedule.next(1), schedule.next(1), schedule.next(1))] == [0, 1, 2]


def test_a_puzzle_alone_is_given_up_after_three_tries() -> None:
    schedule = Schedule([("a", [64], [(0, 64)])], 64, [], [0.05])
    poison = 37
    tries = Counter[int]()
    hopeless = None
    while (work := schedule.next(2)) is not None:
        if ("a", poison) in rows_of(work):
            tries[work.size] += 1
            hopeless = schedule.failed(work)
        else:
            schedule.finished(work, 0.1, [])
    assert hopeless is not None
    assert rows_of(hopeless) == [("a", poison)]
    assert tries == {64: 1, 32: 1, 16: 1, 8: 1, 4: 1, 2: 1, 1: 3}


def test_halves_are_the_whole() -> None:
    work = Work({"a": [(0, 3), (9, 10)], "b": [(5, 8)]}, 7, 1)
    first, second = halves(work)
    assert rows_of(first) + rows_of(second) == rows_of(work)
    assert (first.size, second.size) == (3, 4)


def test_memory_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """When too many puzzles wait, the sweep pauses until half of them are done."""
    monkeypatch.setattr(schedules, "MOST_WAITING", 100)
    schedule = Schedule([("a", [10_000], [(0, 10_000)])], 10_000, [], [0.05, 1.0])
    most = 0
    while (work := schedule.next(2)) is not None:
        left = [puzzle("a", row) for _, row in rows_of(work)] if work.level == 0 else []
        schedule.finished(work, 0.05 * work.size, left)
        most = max(most, schedule.waiting)
    assert most < 100 + schedules.FIRST + schedules.LONGEST / 0.05
