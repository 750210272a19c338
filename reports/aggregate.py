"""Count the figures of a census: what a run's results say.

NumPy and Arrow do the counting (33 million rows take seconds); Python only loops over groups.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.attention import attention
from reports.census import Census, Row, take_census
from reports.figures import (
    ClaimCounts,
    DuplicateCounts,
    Failure,
    FailureKind,
    Figures,
    GoalMatches,
    Grades,
    HardPuzzle,
    HistogramBin,
    PuzzleGroup,
    RungTimes,
    ShareQuantiles,
    SiteDisagreement,
    SizeQuantiles,
    SolverWork,
    StalledPuzzles,
    TimeClass,
    TimedOutPuzzle,
    Timeouts,
    TimeSummary,
)
from reports.issues import repeated
from reports.joined_columns import by_grade
from reports.rating_correlations import agreements, rated_together, ratings, together
from reports.row_classes import (
    AREAS_PER_DECADE,
    DENSITY_NAMES,
    FAILED,
    MANY_COLORS,
    SIZE_NAMES,
    UNKNOWN,
    RowClass,
    Rows,
)
from reports.row_counts import DIFFICULTY_BIN, FIRST_RUNG_BIN, NO_BIN, RUNG_BINS, RUNGS
from reports.site_claims import CLAIMS, SEVERAL, contradicts, is_unmarked
from reports.threads import in_threads
from solver.model.families import NONOGRAM, Family

STATUSES = ("ok", "timeout", *FAILED)
SOLUTIONS = ("unique", "multiple", "none", "unknown")
TECHNIQUES = ("line", "depth-2", "probe", "search")
KINDS = ("mono", "color", "blotted mono", "blotted color")

RUNG_WORDS = (*TECHNIQUES, "several solutions", "no solution", "undecided")

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

COLOR_NAMES = (*(str(colors) for colors in range(MANY_COLORS)), f"{MANY_COLORS} and more")

HARDEST, TIMEOUTS, AUTHORS, PATTERNS = 24, 50, 15, 20
"""How many of each a report names."""

FEWEST_BINS = 20
SHORTEST = 1e-6
"""Seconds that stand for a time of zero on the logarithmic axis if no puzzle took longer."""


def figures(pairs: Iterable[tuple[Rows, Rows]]) -> Figures:
    """The figures of results and their puzzles, given as to `reports.census.take_census`."""
    return figures_of(take_census(pairs))


def figures_of(
    census: Census,
    family: Family = NONOGRAM,
    duplicates: pa.Table | None = None,
) -> Figures:
    """The figures of a census of a family's puzzles, and of duplicates found.

    duplicates  of the schema reports.duplicates.DUPLICATES; without them those are told that `repeated` finds
    """
    rows = np.bincount(census.codes, minlength=len(census.words)).tolist()
    seconds = np.bincount(census.codes, np.nan_to_num(census.seconds), len(census.words)).tolist()
    tally, spent = (dict(zip(census.words, counted, strict=True)) for counted in (rows, seconds))
    labels = _counts(tally, lambda words: words.label, LABELS)
    rungs = _counts(tally, _rung, RUNG_WORDS)
    over_all_rows: tuple[Callable[[], Any], ...] = (
        partial(_timed, census),
        partial(_areas, census),
        partial(_times, census.seconds),
        partial(_survey, census),
        partial(together, census.compared),
        partial(rated_together, census.rated),
        partial(_surplus, census.clue_hashes),
        partial(_surplus, census.canonical_hashes),
    )
    timed, areas, times, survey, correlations, rated, *copies = in_threads(lambda counted: counted(), over_all_rows)

    def groups(column: str, order: Sequence[str] | None = None) -> tuple[PuzzleGroup, ...]:
        return _groups(tally, spent, column, labels, rungs, order)

    return Figures(
        total=len(census.codes),
        statuses=_counts(tally, lambda words: words.status, STATUSES),
        solutions=_counts(tally, lambda words: words.solutions, SOLUTIONS),
        labels=labels,
        techniques=_counts(tally, lambda words: words.technique, TECHNIQUES),
        rungs=rungs,
        trivial=_total(tally, trivial=True),
        unique_by_line=_total(tally, solutions="unique", technique="line"),
        goals=GoalMatches(*(_total(tally, goal_matches=matches) for matches in (True, False, None))),
        stalled=_stalled(census.decided),
        times=times,
        histogram=_histogram(timed, list(labels)),
        survey=survey,
        rung_times=_rung_times(census),
        areas=areas,
        area_times=_area_times(timed, areas),
        sources=groups("source"),
        kinds=groups("kind", KINDS),
        sizes=groups("size", SIZE_NAMES),
        colors=groups("colors", COLOR_NAMES),
        densities=groups("density", DENSITY_NAMES),
        givens=groups("givens", numbers) if (numbers := _by_number(words.givens for words in census.words)) else (),
        years=_years(tally),
        authors=_authors(census, list(labels)),
        all_authors=len({author for author, _ in census.authors}),
        copies=DuplicateCounts(*copies),
        attention=attention(
            census.shown,
            _issues(tally),
            _total(tally, solutions="multiple", claim=SEVERAL),
            repeated(census.shown) if duplicates is None else duplicates,
        ),
        work=_work(census),
        shown=len(census.shown),
        hardest=tuple(_record(HardPuzzle, row) for row in _hardest(census.shown)),
        difficulties=_difficulties(census, list(labels)),
        compared=len(census.compared),
        correlations=correlations + rated,
        timeouts=_timeouts(census, _total(tally, status="timeout")),
        claims=_claims(tally),
        differing=tuple(_record(SiteDisagreement, row) for row in census.contradictions),
        ratings=ratings(census.rated),
        grades=_grades(census, _total(tally, solutions="unique"), family),
        failed=sum(_total(tally, status=status) for status in FAILED),
        failures=tuple(_failure(row) for row in census.failures),
        reasons=tuple(FailureKind(*kind, count) for kind, count in census.reasons.most_common(PATTERNS)),
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


def _counts(
    tally: Mapping[RowClass, int], word_of: Callable[[RowClass], str | None], order: Sequence[str]
) -> dict[str, int]:
    """Rows per word: words in the given order, then the others by alphabet; nulls are not counted."""
    rows: Counter[str] = Counter()
    for words, count in tally.items():
        if (word := word_of(words)) is not None:
            rows[word] += count
    return {word: rows[word] for word in _ordered(rows, order)}


def _rung(words: RowClass) -> str:
    """The rung that decides a unique puzzle; of the others what they are."""
    if words.solutions == "unique":
        return words.technique or UNKNOWN
    if words.status in FAILED:
        return words.status
    return {"multiple": "several solutions", "none": "no solution"}.get(words.solutions or "", "undecided")


def _total(tally: Mapping[RowClass, int], **wanted: str | bool | None) -> int:
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
    tally: Mapping[RowClass, int],
    spent: Mapping[RowClass, float],
    column: str,
    labels: Iterable[str],
    rungs: Iterable[str],
    order: Sequence[str] | None = None,
) -> tuple[PuzzleGroup, ...]:
    """The rows by a column's word, by label and by rung: in the given order, else the largest group first.

    tally, spent   by the rows' words: how many, and their CPU seconds
    """
    groups: dict[str, PuzzleGroup] = {}
    for words, puzzles in tally.items():
        name = getattr(words, column)
        group = groups.get(name, PuzzleGroup(name, 0, 0.0, dict.fromkeys(labels, 0), dict.fromkeys(rungs, 0)))
        group.labels[words.label] += puzzles
        group.rungs[_rung(words)] += puzzles
        groups[name] = group._replace(puzzles=group.puzzles + puzzles, cpu_seconds=group.cpu_seconds + spent[words])
    if order is None:
        order = sorted(groups, key=lambda name: (name == UNKNOWN, -groups[name].puzzles, name))
    return tuple(groups[name] for name in _ordered(groups, order))


def _authors(census: Census, labels: Sequence[str]) -> tuple[PuzzleGroup, ...]:
    """The authors of the most puzzles, by label."""
    puzzles = Counter[str]()
    for (author, _), (count, _) in census.authors.items():
        puzzles[author] += count

    def group(author: str) -> PuzzleGroup:
        own = {label: census.authors.get((author, label), (0, 0.0)) for label in labels}
        seconds = sum(seconds for _, seconds in own.values())
        return PuzzleGroup(author, puzzles[author], seconds, {label: count for label, (count, _) in own.items()}, {})

    return tuple(group(author) for author, _ in puzzles.most_common(AUTHORS))


def _by_number(names: Iterable[str]) -> list[str]:
    """Names that begin with numbers, in the order of these, without the one that has none."""
    return sorted({*names} - {UNKNOWN}, key=lambda name: int(name.split()[0]))


def _stalled(decided: np.ndarray) -> StalledPuzzles:
    if not len(decided):
        return StalledPuzzles(0, None)
    return StalledPuzzles(len(decided), _spread(pa.array(decided)))


def _spread(shares: pa.Array) -> ShareQuantiles:
    return ShareQuantiles(*_quantiles(shares, 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1))


def _times(seconds: np.ndarray) -> TimeSummary | None:
    known = pa.array(seconds, from_pandas=True)  # NaN as null
    puzzles = len(known) - known.null_count
    if not puzzles:
        return None
    median, p90, p99, maximum = _quantiles(known, 0.5, 0.9, 0.99, 1)
    return TimeSummary(puzzles, pc.sum(known).as_py(), pc.mean(known).as_py(), median, p90, p99, maximum)


def _quantiles(values: pa.Array, *at: float) -> list[float]:
    quantiles: list[float] = pc.quantile(values, list(at)).to_pylist()
    return quantiles


class _Timed(NamedTuple):
    """The puzzles whose time is known, by bins of time that are equally wide in log10.

    per_decade   bins: 5, 10 or 20, as few as still make a picture
    first        number of the first bin, which begins at 10 ** (first / per_decade) seconds
    puzzles      by label and class of cells (RowClass.area), of each bin from the first on: int64[bins]
    """

    per_decade: int
    first: int
    puzzles: dict[tuple[str, int | None], np.ndarray]

    def edge(self, place: int) -> float:
        """Where a bin begins, seconds; its place is counted from the first."""
        return _edge(self.first + place, self.per_decade)


def _timed(census: Census) -> _Timed | None:
    """The puzzles whose time is known, if there are any."""
    timed = ~np.isnan(census.seconds)
    if not timed.any():
        return None
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
    kinds = {kind: k for k, kind in enumerate(dict.fromkeys((words.label, words.area) for words in census.words))}
    kind = np.array([kinds[words.label, words.area] for words in census.words], np.int32)[census.codes[timed]]
    cells = np.bincount((bins - first) * len(kinds) + kind, minlength=(int(bins.max()) - first + 1) * len(kinds))
    return _Timed(per_decade, first, dict(zip(kinds, cells.reshape(-1, len(kinds)).T, strict=True)))


def _histogram(timed: _Timed | None, labels: Sequence[str]) -> tuple[HistogramBin, ...]:
    """The bins by label, without holes."""
    if timed is None:
        return ()
    nobody = np.zeros_like(next(iter(timed.puzzles.values())))
    counts = {label: nobody.copy() for label in labels}
    for (label, _), puzzles in timed.puzzles.items():
        counts[label] += puzzles
    return tuple(
        HistogramBin(timed.edge(place), timed.edge(place + 1), sum(row), dict(zip(labels, row, strict=True)))
        for place, row in enumerate(zip(*(counts[label].tolist() for label in labels), strict=True))
    )


def _difficulties(census: Census, labels: Sequence[str]) -> tuple[HistogramBin, ...]:
    there = census.difficulties != NO_BIN
    if not there.any():
        return ()
    bins = census.difficulties[there].astype(np.int32)
    first, last = int(bins.min()), int(bins.max())
    label = np.array([labels.index(words.label) for words in census.words], np.int32)[census.codes[there]]
    cells = np.bincount((bins - first) * len(labels) + label, minlength=(last - first + 1) * len(labels))
    return tuple(
        HistogramBin(
            round(place * DIFFICULTY_BIN, 6),
            round((place + 1) * DIFFICULTY_BIN, 6),
            sum(counts),
            dict(zip(labels, counts, strict=True)),
        )
        for place, counts in enumerate(cells.reshape(-1, len(labels)).tolist(), first)
    )


def _edge(place: int, per_decade: int) -> float:
    return float(f"{math.pow(10, place / per_decade):.6g}")


def _survey(census: Census) -> tuple[TimeClass, ...]:
    late = np.array([words.status == "timeout" for words in census.words], bool)[census.codes]

    def bucket(start: float, stop: float | None) -> TimeClass:
        inside = census.seconds >= start
        if stop is not None:
            inside &= census.seconds < stop
        return TimeClass(start, stop, int(inside.sum()), int((inside & late).sum()))

    return tuple(bucket(start, stop) for start, stop in zip(SURVEY, (*SURVEY[1:], None), strict=True))


def _rung_times(census: Census) -> tuple[RungTimes, ...]:
    def edge(place: int) -> float:
        return _edge(place + FIRST_RUNG_BIN * RUNG_BINS, RUNG_BINS)

    return tuple(
        RungTimes(
            rung,
            sum(counts),
            float(seconds),
            tuple((edge(place), edge(place + 1), count) for place, count in enumerate(counts) if count),
        )
        for rung, seconds, counts in zip(RUNGS, census.rung_seconds, census.rung_times.tolist(), strict=True)
        if sum(counts)
    )


def _areas(census: Census) -> tuple[SizeQuantiles, ...]:
    """The quantiles of each class of cells that has puzzles whose time is known."""
    area = np.array([-1 if words.area is None else words.area for words in census.words], np.int32)[census.codes]
    area[np.isnan(census.seconds)] = -1
    made = []
    for place in np.unique(area[area >= 0]).tolist():
        seconds = pa.array(census.seconds[area == place])
        made.append(
            SizeQuantiles(
                _fewest_cells(place),
                _fewest_cells(place + 1),
                len(seconds),
                *_quantiles(seconds, 0.1, 0.5, 0.9, 0.99, 1),
            )
        )
    return tuple(made)


def _fewest_cells(area: int) -> int:
    """Where a class of cells begins."""
    return math.ceil(10 ** (area / AREAS_PER_DECADE) - 1e-9)


def _area_times(timed: _Timed | None, areas: Sequence[SizeQuantiles]) -> tuple[tuple[int, int, int], ...]:
    """The puzzles of each class of cells in each bin of the histogram."""
    places = {area.start: place for place, area in enumerate(areas)}
    counts = Counter[tuple[int, int]]()
    for (_, area), puzzles in timed.puzzles.items() if timed else ():
        if area is not None:
            for column in np.flatnonzero(puzzles).tolist():
                counts[places[_fewest_cells(area)], column] += int(puzzles[column])
    return tuple((place, column, count) for (place, column), count in sorted(counts.items()))


def _years(tally: Mapping[RowClass, int]) -> dict[int, int]:
    rows: Counter[int] = Counter()
    for words, count in tally.items():
        if words.year is not None:
            rows[words.year] += count
    return {year: rows[year] for year in range(min(rows), max(rows) + 1)} if rows else {}


def _issues(tally: Mapping[RowClass, int]) -> dict[str, int]:
    """The puzzles of each issue that their words alone tell of."""
    failed = sum(_total(tally, status=status) for status in FAILED)
    several, none = (_total(tally, solutions=word) for word in ("multiple", "none"))
    return {
        "ambiguous": several,
        "contradictory": none,
        "undecided": sum(tally.values()) - _total(tally, solutions="unique") - several - none - failed,
        "invalid or failed": failed,
        "picture does not fit": _total(tally, goal_matches=False),
        "site disagrees": sum(
            count for words, count in tally.items() if contradicts(words.claim, words.solutions, words.technique)
        ),
        "unmarked ambiguous": sum(count for words, count in tally.items() if is_unmarked(words.claim, words.solutions)),
    }


def _surplus(hashes: np.ndarray) -> int:
    """How many of the hashes (0: not known) are there already."""
    hashes = np.sort(hashes)
    return int(((hashes[1:] == hashes[:-1]) & (hashes[1:] > 0)).sum())


def _work(census: Census) -> SolverWork:
    (conflicts, learning), (line_solves, others) = census.conflicts, census.line_solves
    return SolverWork(
        int(line_solves),
        float(others / line_solves) if line_solves else None,
        int(conflicts),
        float(learning / conflicts) if conflicts else None,
    )


def _hardest(shown: pa.Table) -> list[Row]:
    """The hardest puzzles but for those with several solutions: these are ambiguous, which is another matter."""
    names = [name for name in HardPuzzle._fields if name in shown.column_names]
    decided = pc.is_in(shown["solutions"], pa.array(["unique", "none", "unknown"]))
    hard = shown.select(names).filter(pc.and_(decided, shown["difficulty"].is_valid()))
    hardest: list[Row] = hard.slice(0, HARDEST).to_pylist()
    return hardest


KNOWN_CELLS = ("cells_after_line", "cells_after_depth2", "cells_after_probe")


def _timeouts(census: Census, puzzles: int) -> Timeouts:
    late = census.shown.filter(pc.equal(census.shown["status"], "timeout"))
    decided = pc.max_element_wise(*(late[name] for name in KNOWN_CELLS))
    share = pc.divide(decided, pc.cast(late["cells"], pa.float64()))
    columns = {"decided": decided, "solution_known": late["solution"].is_valid()}
    rows = late.select([name for name in TimedOutPuzzle._fields if name not in columns])
    for name, column in columns.items():
        rows = rows.append_column(name, column)
    spread = _spread(share.combine_chunks()) if share.null_count < len(share) else None
    with_solution = pc.sum(columns["solution_known"]).as_py() or 0
    return Timeouts(
        puzzles,
        with_solution,
        spread,
        tuple(_record(TimedOutPuzzle, row) for row in rows.slice(0, TIMEOUTS).to_pylist()),
    )


def _claims(tally: Mapping[RowClass, int]) -> tuple[ClaimCounts, ...]:
    """Count the sites' claims by our verdicts, in the order of CLAIMS; empty if no site makes any."""
    made = []
    for claim in CLAIMS:
        rows = {words: count for words, count in tally.items() if words.claim == claim.words}
        if rows:
            differ = sum(n for words, n in rows.items() if contradicts(words.claim, words.solutions, words.technique))
            unique, multiple, none = (_total(rows, solutions=word) for word in ("unique", "multiple", "none"))
            total = sum(rows.values())
            undecided = total - unique - multiple - none
            made.append(ClaimCounts(claim.words, total, unique, multiple, none, undecided, differ))
    return tuple(made)


def _grades(census: Census, unique: int, family: Family) -> Grades | None:
    """What the grades say, if there are any."""
    if not census.hardest:
        return None
    compared = census.compared.filter(census.compared["grade"].is_valid())
    return Grades(
        unique,
        census.hardest.total(),
        by_grade(census.hardest.items(), family),
        len(compared),
        agreements(compared),
    )


def _record(kind: Any, row: Row) -> Any:
    """The fields of a record from a row that has them."""
    return kind(**{name: row[name] for name in kind._fields})


def _failure(row: Row) -> Failure:
    return Failure(row["puzzle_id"], row["title"], row["status"], row["error"])
