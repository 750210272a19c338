"""The figures of a census: what a results table says, as plain records.

Arrow does the counting (50,000 rows take a fraction of a second); Python only loops over groups. The puzzles table
gives titles, sizes, sources and kinds; a result whose puzzle it lacks is counted all the same, as `unknown`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

STATUSES = ("ok", "timeout", "invalid", "error", "killed")
SOLUTIONS = ("unique", "multiple", "none", "unknown")
TECHNIQUES = ("line", "depth-2", "probe", "search")
KINDS = ("mono", "color", "blotted mono", "blotted color")
UNKNOWN = "unknown"

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

FAILED = STATUSES[2:]
"""Statuses of rows that have no verdict; their status stands where a label would."""

SIZES = (10, 15, 20, 25, 30, 40, 60, 100)
"""The longest side, in cells, that each size class but the last admits."""

SURVEY = (0.0, 0.1, 0.2, 0.5, 1.0, 4.0, 10.0, 30.0, 60.0, 120.0)
"""Where the time classes of Jan Wolter's survey of solvers start, in seconds."""

SLOWEST = 20
FAILURES = 50
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


Record = TypeVar("Record", Slow, Failure)


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


def figures(results: pa.Table, puzzles: pa.Table) -> Figures:
    """The figures of a results table (schema RESULTS), with what the puzzles table (PUZZLES) knows of the same ids."""
    census = _census(results, puzzles)
    labels = _counts(census, "label", LABELS)
    failures = census.filter(pc.is_in(census["status"], pa.array(FAILED)))
    return Figures(
        total=len(census),
        statuses=_counts(census, "status", STATUSES),
        solutions=_counts(census, "solutions", SOLUTIONS),
        labels=labels,
        techniques=_counts(census, "technique", TECHNIQUES),
        trivial=_true(census["trivial"]),
        unique_by_line=_true(pc.and_(pc.equal(census["solutions"], "unique"), pc.equal(census["technique"], "line"))),
        goals=_goals(census["goal_matches"]),
        stalled=_stalled(census),
        times=_times(census["cpu_seconds"]),
        histogram=_histogram(census, labels),
        survey=_survey(census),
        sources=_groups(census, "source", labels),
        kinds=_groups(census, "kind", labels, KINDS),
        sizes=_groups(census, "size", labels, [size_name(index) for index in range(len(SIZES) + 1)]),
        slowest=_slowest(census),
        failed=len(failures),
        failures=_records(Failure, failures.slice(0, FAILURES)),
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


def size_name(index: int) -> str:
    """The name of a size class: "up to 10", "11–15", ..., "over 100"."""
    if index == 0:
        return f"up to {SIZES[0]}"
    if index == len(SIZES):
        return f"over {SIZES[-1]}"
    return f"{SIZES[index - 1] + 1}–{SIZES[index]}"


def _census(results: pa.Table, puzzles: pa.Table) -> pa.Table:
    """Both tables in one: a row a result, in the results' order, and a word in every column that is counted."""
    ids = results["puzzle_id"]
    known = _matching(puzzles, ids, ("title", "author", "width", "height", "source", "kind", "blotted"))
    status = pc.coalesce(results["status"], UNKNOWN)
    columns = {name: results[name] for name in ("puzzle_id", "solutions", "technique", "trivial", "goal_matches")}
    columns |= {name: results[name] for name in ("cpu_seconds", "cells", "cells_after_line")}
    columns |= {name: known[name] for name in ("title", "author", "width", "height")}
    columns |= {"status": status, "reason": results["error"], "label": pc.coalesce(results["label"], status)}
    columns |= {"source": _source(known["source"], ids), "kind": _kind(known), "size": _size(known)}
    return pa.table(columns).combine_chunks()  # sums of floats depend on the chunks they are made in


def _matching(puzzles: pa.Table, ids: pa.ChunkedArray, columns: Sequence[str]) -> pa.Table:
    """The puzzles with these ids, in the ids' order: nulls for one that is missing, the first of several."""
    keys = puzzles["puzzle_id"].combine_chunks()
    return puzzles.select(columns).take(pc.index_in(ids, value_set=keys, skip_nulls=True))


def _source(source: pa.ChunkedArray, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """The puzzle's source; if it is not known, what stands before the id's slash."""
    before_slash = pc.struct_field(pc.extract_regex(ids, r"^(?P<source>[^/]+)/"), "source")
    return pc.coalesce(source, pc.if_else(pc.equal(before_slash, ""), None, before_slash), UNKNOWN)


def _kind(known: pa.Table) -> pa.ChunkedArray:
    kind = known["kind"]
    blotted = pc.and_(pc.fill_null(known["blotted"], False), pc.is_valid(kind))
    return pc.coalesce(pc.if_else(blotted, pc.binary_join_element_wise("blotted", kind, " "), kind), UNKNOWN)


def _size(known: pa.Table) -> pa.ChunkedArray:
    side = pc.max_element_wise(known["width"], known["height"], skip_nulls=False)
    name = pa.nulls(len(known), pa.string())
    for index in reversed(range(len(SIZES))):
        name = pc.if_else(pc.less_equal(side, SIZES[index]), size_name(index), pc.coalesce(name, size_name(index + 1)))
    return pc.coalesce(name, UNKNOWN)


def _counts(census: pa.Table, column: str, order: Sequence[str]) -> dict[str, int]:
    """Rows per word of a column: words in the given order, then the others by alphabet; nulls are not counted."""
    grouped = census.group_by(column, use_threads=False).aggregate([(column, "count")])
    rows = dict(zip(grouped[column].to_pylist(), grouped[f"{column}_count"].to_pylist(), strict=True))
    rows.pop(None, None)
    return {word: rows[word] for word in _ordered(rows, order)}


def _ordered(words: Iterable[str], order: Sequence[str]) -> list[str]:
    last = (*FAILED, UNKNOWN)  # these say least, wherever they stand in for a better word

    def place(word: str) -> tuple[int, int, str]:
        if word in order:
            return 0, order.index(word), word
        return (2, last.index(word), word) if word in last else (1, 0, word)

    return sorted(words, key=place)


def _groups(
    census: pa.Table, column: str, labels: Iterable[str], order: Sequence[str] | None = None
) -> tuple[Group, ...]:
    """The rows by a column's word and by label: in the given order, else the largest group first."""
    grouped = census.group_by([column, "label"], use_threads=False).aggregate(
        [("label", "count"), ("cpu_seconds", "sum")]
    )
    groups: dict[str, Group] = {}
    for row in grouped.to_pylist():
        group = groups.get(row[column], Group(row[column], 0, 0.0, dict.fromkeys(labels, 0)))
        group.labels[row["label"]] = row["label_count"]
        groups[row[column]] = group._replace(
            puzzles=group.puzzles + row["label_count"],
            cpu_seconds=group.cpu_seconds + (row["cpu_seconds_sum"] or 0.0),
        )
    if order is None:
        order = sorted(groups, key=lambda name: (name == UNKNOWN, -groups[name].puzzles, name))
    return tuple(groups[name] for name in _ordered(groups, order))


def _true(flags: pa.ChunkedArray) -> int:
    return pc.sum(flags).as_py() or 0


def _goals(matches: pa.ChunkedArray) -> Goals:
    return Goals(_true(matches), _true(pc.invert(matches)), matches.null_count)


def _stalled(census: pa.Table) -> Stalled:
    open_cells = pc.less(census["cells_after_line"], census["cells"])
    # Line logic that meets a contradiction stops there: it leaves cells, but no question.
    refuted = pc.fill_null(pc.equal(census["technique"], "line"), False)
    stalled = census.filter(pc.and_(open_cells, pc.invert(refuted)))
    if not len(stalled):
        return Stalled(0, None)
    share = pc.divide(pc.cast(stalled["cells_after_line"], pa.float64()), stalled["cells"])
    return Stalled(len(stalled), Spread(*_quantiles(share, 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)))


def _times(seconds: pa.ChunkedArray) -> Times | None:
    puzzles = pc.count(seconds).as_py()
    if not puzzles:
        return None
    median, p90, p99, maximum = _quantiles(seconds, 0.5, 0.9, 0.99, 1)
    return Times(puzzles, pc.sum(seconds).as_py(), pc.mean(seconds).as_py(), median, p90, p99, maximum)


def _quantiles(values: pa.ChunkedArray, *at: float) -> list[float]:
    quantiles: list[float] = pc.quantile(values, list(at)).to_pylist()
    return quantiles


def _histogram(census: pa.Table, labels: Iterable[str]) -> tuple[Bin, ...]:
    """5, 10 or 20 bins a decade: as few as still make a picture."""
    timed = census.filter(pc.is_valid(census["cpu_seconds"]))
    if not len(timed):
        return ()
    seconds = timed["cpu_seconds"]
    shortest = pc.min(seconds.filter(pc.greater(seconds, 0))).as_py() or SHORTEST
    exponents = pc.log10(pc.max_element_wise(seconds, shortest))
    decades = pc.max(exponents).as_py() - pc.min(exponents).as_py()
    per_decade = next((n for n in (5, 10) if n * decades >= FEWEST_BINS), 20)
    # The small addend keeps times that are bin edges (0.001 s) from falling below them by rounding.
    index = pc.cast(pc.floor(pc.add(pc.multiply(exponents, per_decade), 1e-9)), pa.int64())
    return _bins(timed.select(["label"]).append_column("bin", index), labels, per_decade)


def _bins(timed: pa.Table, labels: Iterable[str], per_decade: int) -> tuple[Bin, ...]:
    grouped = timed.group_by(["bin", "label"], use_threads=False).aggregate([("label", "count")]).to_pylist()
    places = [row["bin"] for row in grouped]
    counts = {place: dict.fromkeys(labels, 0) for place in range(min(places), max(places) + 1)}
    for row in grouped:
        counts[row["bin"]][row["label"]] = row["label_count"]
    return tuple(
        Bin(_edge(place, per_decade), _edge(place + 1, per_decade), sum(count.values()), count)
        for place, count in counts.items()
    )


def _edge(place: int, per_decade: int) -> float:
    return float(f"{math.pow(10, place / per_decade):.6g}")


def _survey(census: pa.Table) -> tuple[Bucket, ...]:
    def bucket(start: float, stop: float | None) -> Bucket:
        inside = pc.greater_equal(census["cpu_seconds"], start)
        if stop is not None:
            inside = pc.and_(inside, pc.less(census["cpu_seconds"], stop))
        return Bucket(start, stop, _true(inside), _true(pc.and_(inside, pc.equal(census["status"], "timeout"))))

    return tuple(bucket(start, stop) for start, stop in zip(SURVEY, (*SURVEY[1:], None), strict=True))


def _slowest(census: pa.Table) -> tuple[Slow, ...]:
    timed = census.filter(pc.is_valid(census["cpu_seconds"])).select(Slow._fields)
    order = [("cpu_seconds", "descending"), ("puzzle_id", "ascending")]
    return _records(Slow, timed.take(pc.select_k_unstable(timed, SLOWEST, order)))


def _records(kind: type[Record], table: pa.Table) -> tuple[Record, ...]:
    return tuple(kind(**row) for row in table.select(list(kind.__annotations__)).to_pylist())
