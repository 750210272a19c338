"""The schedule: every row once, the hardest first, nothing for ever."""

import random
from collections import Counter

import pytest

from nonocensus.pipeline.jobs import schedule as schedules
from nonocensus.pipeline.jobs.job import DEFAULTS, JobSettings
from nonocensus.pipeline.jobs.schedule import EXPECTED, Schedule, TaskRows, levels
from nonocensus.pipeline.run.plan import Plan
from nonocensus.pipeline.run.results import PendingPuzzle
from nonocensus.pipeline.store import spans


def rows_of(task: TaskRows) -> list[tuple[str, int]]:
    return [(part, row) for part, there in task.rows.items() for row in spans.rows_of(there).tolist()]


def scheduled(
    stretches: list[tuple[str, list[int], spans.Spans]],
    left: list[tuple[float, PendingPuzzle]],
    limits: list[float],
    settings: JobSettings = DEFAULTS,
) -> Schedule:
    rows = sum(spans.size(there) for *_, there in stretches)
    return Schedule(Plan(iter(stretches), rows, left), limits, settings)


def puzzle(part: str, row: int, open_cells: int = 0, clues: str = "") -> PendingPuzzle:
    return PendingPuzzle(part, row, clues or f"{part}/{row}", open_cells, f"{part}/{row}")


@pytest.mark.parametrize(
    ("cpu_limit", "expected"),
    [(60.0, [0.05, 0.7, 60.0]), (9.8, [0.05, 0.7, 9.8]), (9.7, [0.05, 9.7]), (600.0, [0.05, 0.7, 9.8, 600.0])]
    + [(limit, [limit]) for limit in (0.01, 0.05, 0.69)],
)
def test_cpu_limits_of_levels_grow_by_a_factor(cpu_limit: float, expected: list[float]) -> None:
    assert levels(cpu_limit) == expected


def simulated(schedule: Schedule, cpus: int, seconds: dict[tuple[str, int], float], faults: float = 0.0) -> Counter:
    """Run a schedule on workers that take `seconds` for a puzzle; returns how often each row got its result."""
    chance = random.Random(1)
    done: Counter[tuple[str, int]] = Counter()
    in_flight: list[tuple[float, TaskRows]] = []
    now = 0.0
    while True:
        while len(in_flight) < 2 * cpus and (task := schedule.next(cpus)) is not None:
            limit = schedule.limits[task.level]
            in_flight.append((now + sum(min(seconds[row], limit) for row in rows_of(task)), task))
        if not in_flight:
            return done
        in_flight.sort(key=lambda pair: pair[0])
        now, task = in_flight.pop(0)
        if chance.random() < faults:
            given_up = schedule.failed(task)
            done.update(rows_of(given_up) if given_up else [])
            continue
        limit = schedule.limits[task.level]
        late = [row for row in rows_of(task) if seconds[row] > limit and limit < schedule.limits[-1]]
        done.update(set(rows_of(task)) - set(late))
        schedule.finished(task, 0.1, [puzzle(*row, open_cells=int(10 * seconds[row])) for row in late])


@pytest.mark.parametrize("faults", [0.0, 0.3])
def test_every_row_has_one_result(faults: float) -> None:
    chance = random.Random(2)
    stretches = [(f"part-{k}", [100] * 7, [(0, 250), (300, 700)]) for k in range(5)]
    seconds = {
        (part, row): chance.paretovariate(1.0) / 100 for part, _, there in stretches for row in spans.rows_of(there)
    }
    schedule = scheduled(stretches, [], levels(10.0))
    assert simulated(schedule, 3, seconds, faults) == Counter(seconds.keys())
    assert schedule.left() == 0


def test_tasks_follow_cost_and_row_groups() -> None:
    schedule = scheduled([("a", [100] * 100, [(0, 10_000)])], [], [0.05, 1.0])
    task = schedule.next(1)
    assert task == TaskRows({"a": [(0, DEFAULTS.first_rows)]}, DEFAULTS.first_rows, 0)
    schedule.finished(task, 0.064, [])  # a millisecond a puzzle
    sizes = []
    for _ in range(4):
        task = schedule.next(1)
        assert task is not None
        sizes.append(task.size)
        schedule.finished(task, task.size * 0.001, [])
    assert sizes[0] == 236, "four times the first, up to the last group's end"
    assert all(size % 100 == 0 for size in sizes[1:])
    assert sizes[2] > 1000
    eta = schedule.seconds_left()
    assert eta == pytest.approx((10_000 - 64 - sum(sizes)) * 0.001)


def test_time_left_covers_the_levels_that_puzzles_will_climb() -> None:
    schedule = scheduled([("a", [64] * 10, [(0, 640)])], [], [0.05, 0.7, 9.8])
    task = schedule.next(1)
    assert task is not None
    schedule.finished(task, 0.64, [puzzle("a", row, 9) for row in range(16)])
    assert schedule.seconds_left() == pytest.approx(576 * (0.01 + EXPECTED * 0.7 / 4) + 16 * EXPECTED * 0.7)
    schedule.costs[1].update(10, 4.0, 5)
    assert schedule.seconds_left() == pytest.approx(
        576 * (0.01 + (0.4 + EXPECTED * 9.8 / 2) / 4) + 16 * (0.4 + EXPECTED * 4.9)
    )


def test_hardest_puzzles_come_first_with_equal_ones() -> None:
    left = [puzzle("a", 1, 5), puzzle("a", 7, 50, "same"), puzzle("b", 3, 50, "same"), puzzle("b", 4, 20)]
    schedule = scheduled([], [(0.05, entry) for entry in left], [0.05, 1.0, 20.0])
    tasks = [schedule.next(1) for _ in range(4)]
    assert [task and (task.rows, task.puzzles, task.level) for task in tasks] == [
        ({"a": [(7, 8)], "b": [(3, 4)]}, 1, 1),
        ({"b": [(4, 5)]}, 1, 1),
        ({"a": [(1, 2)]}, 1, 1),
        None,
    ]


def test_tasks_shrink_towards_the_end_of_all_levels() -> None:
    """The sweep's last tasks are long while many puzzles wait for higher levels."""
    ends = {}
    for waiting in (0, 20_000):
        left = [(0.05, puzzle("b", row)) for row in range(waiting)]
        schedule = scheduled([("a", [100] * 100, [(0, 10_000)])], left, [0.05, 1.0, 20.0])
        sizes: dict[int, list[int]] = {0: [], 1: []}
        while (task := schedule.next(10)) is not None:
            sizes[task.level].append(task.puzzles)
            schedule.finished(task, task.puzzles * (0.001, 0.05)[task.level], [])
        ends[waiting] = sizes
    assert ends[0][0][-2] < ends[20_000][0][-2] / 4
    assert max(ends[20_000][1]) == DEFAULTS.overrun * schedules.MAX_SECONDS_ABOVE
    assert ends[20_000][1][-1] == 1
    assert sum(ends[20_000][1]) == 20_000


@pytest.mark.parametrize(("limit", "ahead"), [(schedules.LONG / 2, schedules.AHEAD), (schedules.LONG, 1)])
def test_long_tasks_wait_for_a_free_core(limit: float, ahead: int) -> None:
    left = [(1.0, puzzle("a", row)) for row in range(50)]
    schedule = scheduled([], left, [0.05, 1.0, limit])
    in_flight = 0
    while schedule.next(10, in_flight) is not None:
        in_flight += 1
    assert in_flight == ahead * 10


def test_lower_levels_come_first() -> None:
    schedule = scheduled(
        [("a", [5], [(0, 5)])], [(1.0, puzzle("b", 1, 9)), (0.05, puzzle("b", 2, 1))], [0.05, 1.0, 20.0]
    )
    assert [task and task.level for task in (schedule.next(1), schedule.next(1), schedule.next(1))] == [0, 1, 2]


def test_single_puzzle_is_given_up_after_three_tries() -> None:
    schedule = scheduled([("a", [64], [(0, 64)])], [], [0.05])
    poison = 37
    tries = Counter[int]()
    given_up = None
    while (task := schedule.next(2)) is not None:
        if ("a", poison) in rows_of(task):
            tries[task.size] += 1
            given_up = schedule.failed(task)
        else:
            schedule.finished(task, 0.1, [])
    assert given_up is not None
    assert rows_of(given_up) == [("a", poison)]
    assert tries == {64: 1, 32: 1, 16: 1, 8: 1, 4: 1, 2: 1, 1: 3}


def test_sweep_pauses_while_too_many_puzzles_wait() -> None:
    settings = JobSettings(max_waiting=100)
    schedule = scheduled([("a", [10_000], [(0, 10_000)])], [], [0.05, 1.0], settings)
    most = 0
    while (task := schedule.next(2)) is not None:
        left = [puzzle("a", row) for _, row in rows_of(task)] if task.level == 0 else []
        schedule.finished(task, 0.05 * task.size, left)
        most = max(most, schedule.waiting)
    assert most < 100 + DEFAULTS.first_rows + schedules.MAX_SECONDS / 0.05
