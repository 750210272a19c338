"""How a run went over time, against what its tasks did second by second."""

import numpy as np
import pytest

from nonocensus.reports.activity import MOMENTS, PastSession, activity

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
