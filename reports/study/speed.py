"""Solving times with people's speeds taken out, so that quick people who were given hard puzzles don't blur them.

The logarithm of a time is taken for the sum of what the puzzle asks, what the person needs for anything, and chance:
van der Linden's lognormal model of response times (A lognormal model for response times on test items, Journal of
Educational and Behavioral Statistics 31, 2006). Both are fitted by least squares, all of them at once.
"""

import numpy as np


def without_speed(person: np.ndarray, puzzle: np.ndarray, logs: np.ndarray, puzzles: int) -> np.ndarray:
    """What each puzzle takes somebody of average speed: the logarithm of the time, float64[puzzles].

    person, puzzle, logs   of each solved attempt: who, which, and the logarithm of its time

    It is the median of the puzzle's times, each less how much slower its person is than the average. NaN for puzzles
    without a time, and for those that nobody compares with the others: only through people who have solved two puzzles
    is it known which of them takes longer. Where puzzles fall into groups that no one person links, it is the largest.
    """
    people = int(person.max(initial=-1)) + 1
    solved = np.bincount(person * puzzles + puzzle, minlength=people * puzzles).reshape(people, puzzles).astype(float)
    each = np.maximum(solved.sum(axis=1), 1)
    mean = np.bincount(person, logs, people) / each
    # The normal equations of both effects, with those of the people eliminated.
    normal = np.diag(solved.sum(axis=0)) - solved.T @ (solved / each[:, None])
    against = np.bincount(puzzle, logs - mean[person], puzzles)
    linked = _linked(solved)
    effect = np.zeros(puzzles)
    # They leave one constant open; the addend sets it.
    effect[linked] = np.linalg.solve(normal[np.ix_(linked, linked)] + 1 / max(len(linked), 1), against[linked])
    here = np.isin(puzzle, linked)
    person, puzzle, logs = person[here], puzzle[here], logs[here]
    slower = np.bincount(person, logs - effect[puzzle], people) / each
    average = slower[np.unique(person)].mean() if len(person) else 0.0
    return _medians(puzzle, logs - slower[person] + average, puzzles)


def _linked(solved: np.ndarray) -> np.ndarray:
    """The puzzles of the largest group that people link: int64[its puzzles].

    solved   float64[people, puzzles]: how often each person has solved each puzzle
    """
    there = np.flatnonzero(solved.any(axis=0))
    if not len(there):
        return there
    pairs = solved[:, there].T @ solved[:, there] > 0
    group = np.arange(len(there))
    while True:  # the smallest number in reach, further and further
        reached = np.where(pairs, group, len(there)).min(axis=1)
        if (reached == group).all():
            break
        group = reached
    largest: np.ndarray = there[group == np.bincount(group).argmax()]
    return largest


def _medians(group: np.ndarray, values: np.ndarray, groups: int) -> np.ndarray:
    """The median of each group's values, NaN for one without: float64[groups]."""
    ordered = values[np.lexsort((values, group))]
    sizes = np.bincount(group, minlength=groups)
    first = np.cumsum(sizes) - sizes
    medians = np.full(groups, np.nan)
    some = np.flatnonzero(sizes)
    below, above = (ordered[first[some] + (sizes[some] - odd) // 2] for odd in (1, 0))
    medians[some] = (below + above) / 2
    return medians
