"""How a run went over time: puzzles a second, workers busy, sessions, tasks lost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

MOMENTS = 120
"""Bins of time that a chart shows, about."""

SHORTEST = 1e-6
"""Seconds that a task takes at least."""


class PastSession(NamedTuple):
    """One command at work on a run; times in seconds since 1970.

    tasks   float64[tasks, 5]: begin, end, CPU seconds, puzzles and seconds of compiling of each task that finished.
            Kernels are compiled as a task begins, once on each machine; that is no work
    cpus    that it had; None if it died before it said so
    lost    tasks without a result, by kind
    """

    begun: float
    ended: float
    tasks: np.ndarray
    cpus: int | None
    lost: Mapping[str, int]


class Moment(NamedTuple):
    """A bin of time, in seconds at work since the run began."""

    start: float
    stop: float
    puzzles_a_second: float
    workers: float  # busy at once, on average
    session: int  # from 1


class Activity(NamedTuple):
    """How a run went; `seconds` are those in which a command was at work on it."""

    sessions: int
    seconds: float
    puzzles: int  # rows that were made, those made twice included
    tasks: int
    cpus: int | None
    busy: float | None  # share of the CPUs' time in which a worker was at work on a task
    cpu_seconds: float  # of tasks
    fastest: float  # puzzles a second in the best moment
    lost: dict[str, int]
    compiling: float  # seconds of workers, all together
    moments: tuple[Moment, ...]


def activity(sessions: Sequence[PastSession]) -> Activity | None:
    """What sessions, in their order, add up to; None without any that took time."""
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
        sum(_occupied(session) for session in known) / room if room else None,
        float(tasks[:, 2].sum()),
        max((moment.puzzles_a_second for moment in moments), default=0.0),
        dict(lost),
        float(tasks[:, 4].sum()),
        moments,
    )


def _occupied(session: PastSession) -> float:
    begin, end = _work(session)
    return float((end - begin).sum())


def _work(session: PastSession) -> tuple[np.ndarray, np.ndarray]:
    """When the tasks of a session began and ended to work."""
    begin, end, waited = session.tasks[:, 0], session.tasks[:, 1], session.tasks[:, 4]
    return np.minimum(begin + waited, end), end


def _moments(sessions: Sequence[PastSession], seconds: float) -> tuple[Moment, ...]:
    """Each session in bins of its own, so that the time between two of them does not show."""
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
    """What tasks have done until each moment, each at its constant speed from its begin to its end."""
    # A task has done speed * (max(0, moment - begin) - max(0, moment - end)): the two halves are summed apart.
    done: np.ndarray = _passed(moments, begin, speed) - _passed(moments, end, speed)
    return done


def _passed(moments: np.ndarray, times: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The sum of weight * max(0, moment - time) over all times, at each moment."""
    order = np.argsort(times)
    weight = np.concatenate([[0.0], np.cumsum(weights[order])])
    product = np.concatenate([[0.0], np.cumsum((weights * times)[order])])
    before = np.searchsorted(times[order], moments)
    passed: np.ndarray = weight[before] * moments - product[before]
    return passed
