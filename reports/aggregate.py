"""The figures of a census: what a run's results say, as plain records.

NumPy and Arrow do the counting (33 million rows take seconds); Python only loops over groups.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.census import FAILED, SIZE_NAMES, UNKNOWN, Census, Row, Rows, Words, take_census

STATUSES = ("ok", "timeout", *FAILED)
SOLUTIONS = ("unique", "multiple", "none", "unknown")
TECHNIQUES = ("line", "depth-2", "probe", "search")
KINDS = ("mono", "color", "blotted mono", "blotted color")

LABELS = (
    "trivial unique line",
    "unique line",
    "unique depth-2",
    "unique",
    "multiple",
    "contradiction",
    "solvable",
    "stalled",
    "timeout",
)
"""Labels from the easiest verdict to the one that tells least."""

SURVEY = (0.0, 0.1, 0.2, 0.5, 1.0, 4.0, 10.0, 30.0, 60.0, 120.0)
"""Where the time classes of Jan Wolter's survey of solvers start, in seconds."""

FEWEST_BINS = 20
SHORTEST = 1e-6
"""Seconds that stand for a time of zero on the logarithmic axis if no puzzle took longer."""


class Group(NamedTuple):
    """The puzzles that share a source, a kind or a size class."""

    name: str
    puzzles: int
    cpu_seconds: float
    labels: dict[str, int]  # puzzles of each label of the census, in its order


class Goals(NamedTuple):
    """How often the author's picture solves the clues."""

    matches: int
    differs: int
    unknown: int  # no picture, or the puzzle was not solved


class Spread(NamedTuple):
    """Quantiles of a share from 0 to 1."""

    minimum: float
    p10: float
    p25: float
    median: float
    p75: float
    p90: float
    maximum: float


class Stalled(NamedTuple):
    """The puzzles that line logic alone leaves open, and the share of their cells that it decides."""

    puzzles: int
    decided: Spread | None  # None without such puzzles


class Times(NamedTuple):
    """CPU seconds a puzzle, over the puzzles whose time is known."""

    puzzles: int
    total: float
    mean: float
    median: float
    p90: float
    p99: float
    maximum: float


class Bin(NamedTuple):
    """A column of the time histogram: start <= CPU seconds < stop."""

    start: float
    stop: float
    puzzles: int
    labels: dict[str, int]


class Bucket(NamedTuple):
    """A time class of the survey: start <= CPU seconds < stop, the last without a stop."""

    start: float
    stop: float | None
    puzzles: int
    timeouts: int  # of them without an answer


class Slow(NamedTuple):
    """One of the slowest puzzles; what the puzzles table does not say is None."""

    puzzle_id: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    label: str
    cpu_seconds: float


class Failure(NamedTuple):
    """A puzzle without a verdict, and why."""

    puzzle_id: str | None
    title: str | None
    status: str
    reason: str | None


class Figures(NamedTuple):
    """Everything that a report says in numbers.

    The dicts map a word to its number of puzzles, in an order made for reading; words that do not occur are left out.
    """

    total: int
    statuses: dict[str, int]
    solutions: dict[str, int]
    labels: dict[str, int]  # of a row without a label, its status
    techniques: dict[str, int]
    trivial: int
    unique_by_line: int
    goals: Goals
    stalled: Stalled
    times: Times | None  # None if no time is known
    histogram: tuple[Bin, ...]  # of constant width in log10, without holes
    survey: tuple[Bucket, ...]
    sources: tuple[Group, ...]
    kinds: tuple[Group, ...]
    sizes: tuple[Group, ...]  # classes of the longer side
    slowest: tuple[Slow, ...]
    failed: int
    failures: tuple[Failure, ...]  # the first of them


def figures(pairs: Iterable[tuple[Rows, Rows]]) -> Figures:
    """The figures of results and their puzzles, given as to `reports.census.take_census`."""
    return figures_of(take_census(pairs))


def figures_of(census: Census) -> Figures:
    """The figures of a census."""
    rows = np.bincount(census.codes, minlength=len(census.words)).tolist()
    tally = dict(zip(census.words, rows, strict=True))
    labels = _counts(tally, "label", LABELS)
    return Figures(
        total=len(census.codes),
        statuses=_counts(tally, "status", STATUSES),
        solutions=_counts(tally, "solutions", SOLUTIONS),
        labels=labels,
        techniques=_counts(tally, "technique", TECHNIQUES),
        trivial=_total(tally, trivial=True),
        unique_by_line=_total(tally, solutions="unique", technique="line"),
        goals=Goals(*(_total(tally, goal_matches=matches) for matches in (True, False, None))),
        stalled=_stalled(census.decided),
        times=_times(census.seconds),
        histogram=_histogram(census, list(labels)),
        survey=_survey(census),
        sources=_groups(census, "source", labels),
        kinds=_groups(census, "kind", labels, KINDS),
        sizes=_groups(census, "size", labels, SIZE_NAMES),
        slowest=tuple(_slow(row) for row in census.slowest),
        failed=sum(_total(tally, status=status) for status in FAILED),
        failures=tuple(_failure(row) for row in census.failures),
    )


def plain(value: Any) -> Any:
    """Records as dicts and tuples as lists, all the way down: what JSON holds."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _counts(tally: Mapping[Words, int], column: str, order: Sequence[str]) -> dict[str, int]:
    """Rows per word of a column: words in the given order, then the others by alphabet; nulls are not counted."""
    rows: Counter[str] = Counter()
    for words, count in tally.items():
        rows[getattr(words, column)] += count
    return {word: rows[word] for word in _ordered(rows.keys() - {None}, order)}


def _total(tally: Mapping[Words, int], **wanted: str | bool | None) -> int:
    """Rows that have just these words in these columns."""
    return sum(
        count
        for words, count in tally.items()
        if all(getattr(words, column) == word for column, word in wanted.items())
    )


def _ordered(words: Iterable[str], order: Sequence[str]) -> list[str]:
    last = (*FAILED, UNKNOWN)  # these say least, wherever they stand in for a better word

    def place(word: str) -> tuple[int, int, str]:
        if word in order:
            return 0, order.index(word), word
        return (2, last.index(word), word) if word in last else (1, 0, word)

    return sorted(words, key=place)


def _groups(
    census: Census, column: str, labels: Iterable[str], order: Sequence[str] | None = None
) -> tuple[Group, ...]:
    """The rows by a column's word and by label: in the given order, else the largest group first."""
    places: dict[tuple[str, str], int] = {}
    cell = [places.setdefault((getattr(words, column), words.label), len(places)) for words in census.words]
    cells = np.array(cell, np.int32)[census.codes]
    rows = np.bincount(cells, minlength=len(places)).tolist()
    seconds = np.bincount(cells, np.nan_to_num(census.seconds), len(places)).tolist()
    groups: dict[str, Group] = {}
    for (name, label), puzzles, cpu_seconds in zip(places, rows, seconds, strict=True):
        group = groups.get(name, Group(name, 0, 0.0, dict.fromkeys(labels, 0)))
        group.labels[label] = puzzles
        groups[name] = group._replace(puzzles=group.puzzles + puzzles, cpu_seconds=group.cpu_seconds + cpu_seconds)
    if order is None:
        order = sorted(groups, key=lambda name: (name == UNKNOWN, -groups[name].puzzles, name))
    return tuple(groups[name] for name in _ordered(groups, order))


def _stalled(decided: np.ndarray) -> Stalled:
    if not len(decided):
        return Stalled(0, None)
    return Stalled(len(decided), Spread(*_quantiles(pa.array(decided), 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)))


def _times(seconds: np.ndarray) -> Times | None:
    known = pa.array(seconds, from_pandas=True)  # NaN as null
    puzzles = len(known) - known.null_count
    if not puzzles:
        return None
    median, p90, p99, maximum = _quantiles(known, 0.5, 0.9, 0.99, 1)
    return Times(puzzles, pc.sum(known).as_py(), pc.mean(known).as_py(), median, p90, p99, maximum)


def _quantiles(values: pa.Array, *at: float) -> list[float]:
    quantiles: list[float] = pc.quantile(values, list(at)).to_pylist()
    return quantiles


def _histogram(census: Census, labels: Sequence[str]) -> tuple[Bin, ...]:
    """5, 10 or 20 bins a decade: as few as still make a picture."""
    timed = ~np.isnan(census.seconds)
    if not timed.any():
        return ()
    seconds = census.seconds[timed]
    shortest = seconds.min(where=seconds > 0, initial=np.inf)
    if shortest == np.inf:
        shortest = SHORTEST
    np.maximum(seconds, shortest, out=seconds)
    decades = math.log10(seconds.max()) - math.log10(seconds.min())
    per_decade = next((n for n in (5, 10) if n * decades >= FEWEST_BINS), 20)
    # The small addend keeps times that are bin edges (0.001 s) from falling below them by rounding.
    bins = np.floor(np.log10(seconds) * per_decade + 1e-9).astype(np.int32)
    first = int(bins.min())
    label = np.array([labels.index(words.label) for words in census.words], np.int32)[census.codes[timed]]
    cells = np.bincount((bins - first) * len(labels) + label, minlength=(int(bins.max()) - first + 1) * len(labels))
    return tuple(
        Bin(_edge(place, per_decade), _edge(place + 1, per_decade), sum(counts), dict(zip(labels, counts, strict=True)))
        for place, counts in enumerate(cells.reshape(-1, len(labels)).tolist(), first)
    )


def _edge(place: int, per_decade: int) -> float:
    return float(f"{math.pow(10, place / per_decade):.6g}")


def _survey(census: Census) -> tuple[Bucket, ...]:
    late = np.array([words.status == "timeout" for words in census.words], bool)[census.codes]

    def bucket(start: float, stop: float | None) -> Bucket:
        inside = census.seconds >= start
        if stop is not None:
            inside &= census.seconds < stop
        return Bucket(start, stop, int(inside.sum()), int((inside & late).sum()))

    return tuple(bucket(start, stop) for start, stop in zip(SURVEY, (*SURVEY[1:], None), strict=True))


def _slow(row: Row) -> Slow:
    label = next(word for word in (row["label"], row["status"], UNKNOWN) if word is not None)
    return Slow(row["puzzle_id"], row["title"], row["author"], row["width"], row["height"], label, row["cpu_seconds"])


def _failure(row: Row) -> Failure:
    return Failure(row["puzzle_id"], row["title"], row["status"], row["error"])
