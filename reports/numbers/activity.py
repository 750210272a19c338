"""Activity of a run over time: puzzles per second, busy workers, sessions, lost tasks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

MOMENTS = 120
"""Approximate number of time bins of a chart."""

SHORTEST = 1e-6
"""Minimum duration of a task in seconds."""


class PastSession(NamedTuple):
    """A session: one command working on a run; times in seconds since 1970.

    tasks   float64[tasks, 5]: begin, end, CPU seconds, puzzles and compile seconds of each finished task. Kernels are
            compiled at the begin of a task, once per machine, which does not count as work
    cpus    available CPUs; None if the session died before logging them
    lost    tasks without a result, by kind
    """

    begun: float
    ended: float
    tasks: np.ndarray
    cpus: int | None
    lost: Mapping[str, int]


class Moment(NamedTuple):
    """A time bin, in seconds of session time since the run began."""

    start: float
    stop: float
    puzzles_a_second: float
    workers: float  # busy at once, on average
    session: int  # from 1


class Activity(NamedTuple):
    """Totals of a run's sessions; `seconds` is their total duration."""

    sessions: int
    seconds: float
    puzzles: int  # result rows, repeated ones included
    tasks: int
    cpus: int | None
    busy: float | None  # share of CPU time in which workers had a task
    cpu_seconds: float  # of tasks
    fastest: float  # most puzzles per second in a bin
    lost: dict[str, int]
    compiling: float  # seconds, summed over workers
    moments: tuple[Moment, ...]


def activity(sessions: Sequence[PastSession]) -> Activity | None:
    """Summarise sessions in chronological order, None without any of positive duration."""
    sessions = [session for session in sessions if session.ended > session.begun]
    if not sessions:
        return None
    seconds = sum(session.ended - session.begun for session in sessions)
    tasks = np.concatenate([session.tasks for session in sessions])
    known = [session for session in sessions if session.cpus]
    room = sum((session.cpus or 0) * (session.ended - session.begun) for session in known)
    moments = _moments(sessions, seconds)
    lost = Counter[str]()
    for session in sessions:
        lost.update(session.lost)
    return Activity(
        len(sessions),
        seconds,
        int(tasks[:, 3].sum()),
        len(tasks),
        max((session.cpus or 0 for session in known), default=None),
        sum(float((end - begin).sum()) for begin, end in map(_work, known)) / room if room else None,
        float(tasks[:, 2].sum()),
        max((moment.puzzles_a_second for moment in moments), default=0.0),
        dict(lost),
        float(tasks[:, 4].sum()),
        moments,
    )


def _work(session: PastSession) -> tuple[np.ndarray, np.ndarray]:
    """Return when the tasks of a session began and ended working, after compiling."""
    begin, end, waited = session.tasks[:, 0], session.tasks[:, 1], session.tasks[:, 4]
    return np.minimum(begin + waited, end), end


def _moments(sessions: Sequence[PastSession], seconds: float) -> tuple[Moment, ...]:
    """Bin each session separately, so that gaps between sessions do not show."""
    made = []
    before = 0.0
    for number, session in enumerate(sessions, 1):
        length = session.ended - session.begun
        bins = max(1, round(MOMENTS * length / seconds))
        edges = np.linspace(0.0, length, bins + 1)
        width = length / bins
        begin, end = (times - session.begun for times in _work(session))
        puzzles = session.tasks[:, 3]
        end = np.maximum(end, begin + SHORTEST)
        rows = np.diff(_done(edges, begin, end, puzzles / (end - begin))) / width
        busy = np.diff(_done(edges, begin, end, np.ones(len(begin)))) / width
        for k in range(bins):
            start, stop = (float(edge + before) for edge in edges[k : k + 2])
            made.append(Moment(start, stop, float(rows[k]), float(busy[k]), number))
        before += length
    return tuple(made)


def _done(moments: np.ndarray, begin: np.ndarray, end: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return the cumulative work at each moment, each task working at constant speed from begin to end."""
    # A task has done speed * (max(0, moment - begin) - max(0, moment - end)): the two terms are summed separately.
    done: np.ndarray = _passed(moments, begin, speed) - _passed(moments, end, speed)
    return done


def _passed(moments: np.ndarray, times: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sum of weight * max(0, moment - time) over all times, at each moment."""
    order = np.argsort(times)
    weight = np.concatenate([[0.0], np.cumsum(weights[order])])
    product = np.concatenate([[0.0], np.cumsum((weights * times)[order])])
    before = np.searchsorted(times[order], moments)
    passed: np.ndarray = weight[before] * moments - product[before]
    return passed
