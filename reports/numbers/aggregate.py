"""Figures of a report, computed from a census.

NumPy and Arrow scan the rows (33 million take seconds); Python only loops over groups.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.attention import attention
from nonocensus.reports.numbers.census import Census, Row, take_census
from nonocensus.reports.numbers.figures import (
    ClaimCounts,
    DuplicateCounts,
    Failure,
    FailureKind,
    Figures,
    GoalMatches,
    Grades,
    HardPuzzle,
    PuzzleGroup,
    SiteDisagreement,
    SolverWork,
    TimedOutPuzzle,
    Timeouts,
)
from nonocensus.reports.numbers.issues import repeated
from nonocensus.reports.numbers.joined_columns import by_grade
from nonocensus.reports.numbers.rating_correlations import agreements, rated_together, rating_boxes, ratings, together
from nonocensus.reports.numbers.row_classes import (
    DENSITY_NAMES,
    FAILED,
    MANY_COLORS,
    MINUTES_NAMES,
    SIZE_NAMES,
    UNKNOWN,
    RowClass,
    Rows,
)
from nonocensus.reports.numbers.site_claims import CLAIMS, SEVERAL, contradicts, is_unmarked
from nonocensus.reports.numbers.time_figures import (
    area_times,
    difficulty_histogram,
    rung_times,
    share_quantiles,
    size_quantiles,
    stalled_puzzles,
    survey_classes,
    time_histogram,
    time_summary,
    timed_puzzles,
)
from nonocensus.reports.threads import in_threads

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
"""Labels, easiest first, inconclusive last."""


COLOR_NAMES = (*(str(colors) for colors in range(MANY_COLORS)), f"{MANY_COLORS} and more")

HARDEST, TIMEOUTS, AUTHORS, PATTERNS = 24, 50, 15, 20
"""Most of each that a report names."""


def figures(pairs: Iterable[tuple[Rows, Rows]]) -> Figures:
    """Compute the figures of results and their puzzles, given as to `reports.numbers.census.take_census`."""
    return figures_of(take_census(pairs))


class ClassTally(NamedTuple):
    """Puzzles and CPU seconds by class of rows, with the labels and rungs that occur and their numbers of puzzles."""

    puzzles: dict[RowClass, int]
    seconds: dict[RowClass, float]
    labels: dict[str, int]
    rungs: dict[str, int]


def figures_of(census: Census, duplicates: pa.Table | None = None) -> Figures:
    """Compute the figures of a census.

    duplicates  of the schema reports.numbers.issues.DUPLICATES (default: those that `repeated` finds)
    """
    tally = _tally(census)
    return Figures(
        **_verdict_figures(tally.puzzles),
        **_group_figures(census, tally),
        **_scanned_figures(census, list(tally.labels)),
        **_puzzle_figures(census, tally.puzzles, duplicates),
        labels=tally.labels,
        rungs=tally.rungs,
        stalled=stalled_puzzles(census.decided),
        rung_times=rung_times(census),
        work=_work(census),
        difficulties=difficulty_histogram(census, list(tally.labels)),
        compared=len(census.compared),
        ratings=ratings(census.rated),
        rating_boxes=rating_boxes(census.rated),
        grades=_grades(census, _total(tally.puzzles, solutions="unique")),
    )


def _tally(census: Census) -> ClassTally:
    rows = np.bincount(census.codes, minlength=len(census.words)).tolist()
    sums = np.bincount(census.codes, np.nan_to_num(census.seconds), len(census.words)).tolist()
    puzzles, seconds = (dict(zip(census.words, counted, strict=True)) for counted in (rows, sums))
    return ClassTally(
        puzzles, seconds, _counts(puzzles, lambda words: words.label, LABELS), _counts(puzzles, _rung, RUNG_WORDS)
    )


def _verdict_figures(puzzles: Mapping[RowClass, int]) -> dict[str, Any]:
    """Return the fields of Figures that follow from the classes' numbers of puzzles alone."""
    return {
        "total": sum(puzzles.values()),
        "statuses": _counts(puzzles, lambda words: words.status, STATUSES),
        "solutions": _counts(puzzles, lambda words: words.solutions, SOLUTIONS),
        "techniques": _counts(puzzles, lambda words: words.technique, TECHNIQUES),
        "trivial": _total(puzzles, trivial=True),
        "unique_by_line": _total(puzzles, solutions="unique", technique="line"),
        "goals": GoalMatches(*(_total(puzzles, goal_matches=matches) for matches in (True, False, None))),
        "years": _years(puzzles),
        "claims": _claims(puzzles),
        "failed": sum(_total(puzzles, status=status) for status in FAILED),
    }


def _group_figures(census: Census, tally: ClassTally) -> dict[str, Any]:
    """Return the fields of Figures with puzzles in groups."""
    return {
        "sources": _groups(tally, "source"),
        "kinds": _groups(tally, "kind", KINDS),
        "sizes": _groups(tally, "size", SIZE_NAMES),
        "colors": _groups(tally, "colors", COLOR_NAMES),
        "densities": _groups(tally, "density", DENSITY_NAMES),
        "authors": _authors(census, list(tally.labels)),
        "all_authors": len({author for author, _ in census.authors}),
    }


def _scanned_figures(census: Census, labels: Sequence[str]) -> dict[str, Any]:
    """Return the fields of Figures that take a pass over all rows; the passes run in threads."""
    passes: tuple[Callable[[], Any], ...] = (
        partial(timed_puzzles, census),
        partial(size_quantiles, census),
        partial(time_summary, census.seconds),
        partial(survey_classes, census),
        partial(together, census.compared),
        partial(rated_together, census.rated),
        partial(_surplus, census.clue_hashes),
        partial(_surplus, census.canonical_hashes),
    )
    timed, areas, times, survey, correlations, rated, *copies = in_threads(lambda scan: scan(), passes)
    return {
        "times": times,
        "histogram": time_histogram(timed, labels),
        "survey": survey,
        "areas": areas,
        "area_times": area_times(timed, areas),
        "correlations": correlations + rated,
        "copies": DuplicateCounts(*copies),
    }


def _puzzle_figures(census: Census, puzzles: Mapping[RowClass, int], duplicates: pa.Table | None) -> dict[str, Any]:
    """Return the fields of Figures that name puzzles."""
    return {
        "attention": attention(
            census.shown,
            _issues(puzzles),
            repeated(census.shown) if duplicates is None else duplicates,
        ),
        "shown": len(census.shown),
        "hardest": tuple(_record(HardPuzzle, row) for row in _hardest(census.shown)),
        "timeouts": _timeouts(census, _total(puzzles, status="timeout")),
        "differing": tuple(_record(SiteDisagreement, row) for row in census.contradictions),
        "failures": tuple(_failure(row) for row in census.failures),
        "reasons": tuple(FailureKind(*kind, count) for kind, count in census.reasons.most_common(PATTERNS)),
    }


def plain(value: Any) -> Any:
    """Convert records to dicts and tuples to lists, recursively, for JSON."""
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
    """Count rows by word, in the given order, then alphabetically; nulls are left out."""
    rows: Counter[str] = Counter()
    for words, count in tally.items():
        if (word := word_of(words)) is not None:
            rows[word] += count
    return {word: rows[word] for word in _ordered(rows, order)}


def _rung(words: RowClass) -> str:
    """Return the rung that decides a unique puzzle, and the kind of any other."""
    if words.solutions == "unique":
        return words.technique or UNKNOWN
    if words.status in FAILED:
        return words.status
    return {"multiple": "several solutions", "none": "no solution"}.get(words.solutions or "", "undecided")


def _total(tally: Mapping[RowClass, int], **values: str | bool | None) -> int:
    """Count the rows with these values of their class."""
    return sum(
        count
        for words, count in tally.items()
        if all(getattr(words, column) == word for column, word in values.items())
    )


def _ordered(words: Iterable[str], order: Sequence[str]) -> list[str]:
    last = (*FAILED, UNKNOWN)  # these are the least informative

    def place(word: str) -> tuple[int, int, str]:
        if word in order:
            return 0, order.index(word), word
        return (2, last.index(word), word) if word in last else (1, 0, word)

    return sorted(words, key=place)


def _groups(tally: ClassTally, column: str, order: Sequence[str] | None = None) -> tuple[PuzzleGroup, ...]:
    """Group puzzles by a column of their classes, in the given order (default: the largest group first)."""
    groups: dict[str, PuzzleGroup] = {}
    for words, puzzles in tally.puzzles.items():
        name = getattr(words, column)
        labels, rungs = dict.fromkeys(tally.labels, 0), dict.fromkeys(tally.rungs, 0)
        group = groups.get(name, PuzzleGroup(name, 0, 0.0, labels, rungs))
        group.labels[words.label] += puzzles
        group.rungs[_rung(words)] += puzzles
        seconds = group.cpu_seconds + tally.seconds[words]
        groups[name] = group._replace(puzzles=group.puzzles + puzzles, cpu_seconds=seconds)
    if order is None:
        order = sorted(groups, key=lambda name: (name == UNKNOWN, -groups[name].puzzles, name))
    return tuple(groups[name] for name in _ordered(groups, order))


def _authors(census: Census, labels: Sequence[str]) -> tuple[PuzzleGroup, ...]:
    """Return the authors with the most puzzles."""
    puzzles = Counter[str]()
    for (author, _), (count, _) in census.authors.items():
        puzzles[author] += count

    def group(author: str) -> PuzzleGroup:
        own = {label: census.authors.get((author, label), (0, 0.0)) for label in labels}
        seconds = sum(seconds for _, seconds in own.values())
        return PuzzleGroup(author, puzzles[author], seconds, {label: count for label, (count, _) in own.items()}, {})

    return tuple(group(author) for author, _ in puzzles.most_common(AUTHORS))


def _years(tally: Mapping[RowClass, int]) -> dict[int, int]:
    rows: Counter[int] = Counter()
    for words, count in tally.items():
        if words.year is not None:
            rows[words.year] += count
    return {year: rows[year] for year in range(min(rows), max(rows) + 1)} if rows else {}


def _issues(tally: Mapping[RowClass, int]) -> dict[str, int]:
    """Count the puzzles of each issue that follows from their class."""
    failed = sum(_total(tally, status=status) for status in FAILED)
    several, none = (_total(tally, solutions=word) for word in ("multiple", "none"))
    return {
        "ambiguous": several,
        "unmarked ambiguous": sum(count for words, count in tally.items() if is_unmarked(words.claim, words.solutions)),
        "marked ambiguous": _total(tally, solutions="multiple", claim=SEVERAL),
        "contradictory": none,
        "undecided": sum(tally.values()) - _total(tally, solutions="unique") - several - none - failed,
        "invalid or failed": failed,
        "picture does not fit": _total(tally, goal_matches=False),
        "site disagrees": sum(
            count for words, count in tally.items() if contradicts(words.claim, words.solutions, words.technique)
        ),
    }


def _surplus(hashes: np.ndarray) -> int:
    """Count the hashes that repeat an earlier one; 0 stands for unknown."""
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
    """Return the hardest puzzles, except those with several solutions, which are listed as ambiguous."""
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
    spread = share_quantiles(share.combine_chunks()) if share.null_count < len(share) else None
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


def _grades(census: Census, unique: int) -> Grades | None:
    """Return the figures of the grades, None without any."""
    if not census.hardest:
        return None
    compared = census.compared.filter(census.compared["grade"].is_valid())
    minutes = compared["minutes"].drop_null().to_numpy()
    return Grades(
        unique,
        census.hardest.total(),
        by_grade(census.hardest.items()),
        {name: census.minutes[name] for name in MINUTES_NAMES if census.minutes[name]},
        tuple(np.quantile(minutes, [0.25, 0.5, 0.75]).tolist()) if len(minutes) else None,
        len(compared),
        agreements(compared),
    )


def _record(kind: Any, row: Row) -> Any:
    """Make a record from a row."""
    return kind(**{name: row[name] for name in kind._fields})


def _failure(row: Row) -> Failure:
    return Failure(row["puzzle_id"], row["title"], row["status"], row["error"])
