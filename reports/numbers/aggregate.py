"""Figures of a report, computed from a census.

SQL counts the rows; Python orders and names what was counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.reports.numbers.attention import attention
from nonocensus.reports.numbers.census import KEYS, LISTED, Census, take_census
from nonocensus.reports.numbers.duplicates import find_repeated
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
from nonocensus.reports.numbers.issues import ISSUES
from nonocensus.reports.numbers.joined_columns import by_grade
from nonocensus.reports.numbers.rating_correlations import (
    correlate_grades,
    correlate_measures,
    correlate_ratings,
    rating_boxes,
    ratings,
)
from nonocensus.reports.numbers.row_classes import (
    COLOR_NAMES,
    DENSITY_NAMES,
    FAILED,
    MINUTES_NAMES,
    SIZE_NAMES,
    UNKNOWN,
    Rows,
    sql_words,
)
from nonocensus.reports.numbers.site_claims import CLAIMS
from nonocensus.reports.numbers.threads import in_threads
from nonocensus.reports.numbers.time_figures import (
    difficulty_histogram,
    rung_times,
    share_quantiles,
    stalled_puzzles,
    time_figures,
)

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


HARDEST, TIMEOUTS, AUTHORS, PATTERNS = 24, 50, 15, 20
"""Most of each that a report names."""

KINDS_OF_FAILURES = 1_000
"""Distinct reasons that are counted; further ones are counted as OTHER_REASONS."""

OTHER_REASONS = "other reasons"

FAILED_STATUS = f"status in {sql_words(FAILED)}"


def figures(pairs: Iterable[tuple[Rows, Rows]]) -> Figures:
    """Compute the figures of results and their puzzles, given as to `reports.numbers.census.take_census`."""
    return figures_of(take_census(pairs))


def figures_of(census: Census, duplicates: pa.Table | None = None) -> Figures:
    """Compute the figures of a census.

    duplicates  of the schema reports.numbers.duplicates.DUPLICATES (default: those that `find_repeated` finds)
    """
    labels, rungs = (
        list(_counts(census, column, order)) for column, order in (("label", LABELS), ("rung", RUNG_WORDS))
    )
    return Figures(
        **_verdict_figures(census),
        **_group_figures(census, labels, rungs),
        **time_figures(census, labels),
        **_puzzle_figures(census, duplicates),
        **_rank_figures(census),
        stalled=stalled_puzzles(census),
        rung_times=rung_times(census),
        work=_work(census),
        difficulties=difficulty_histogram(census, labels),
        grades=_grades(census),
    )


def _verdict_figures(census: Census) -> dict[str, Any]:
    """Return the fields of Figures that count puzzles by verdict."""
    return {
        "total": census.count(),
        "statuses": _counts(census, f"coalesce(status, '{UNKNOWN}')", STATUSES),
        "solutions": _counts(census, "solutions", SOLUTIONS),
        "labels": _counts(census, "label", LABELS),
        "techniques": _counts(census, "technique", TECHNIQUES),
        "rungs": _counts(census, "rung", RUNG_WORDS),
        "trivial": census.count("trivial"),
        "unique_by_line": census.count("solutions = 'unique' and technique = 'line'"),
        "goals": GoalMatches(*(census.count(f"goal_matches is {matches}") for matches in ("true", "false", "null"))),
        "years": _years(census),
        "claims": _claims(census),
        "failed": census.count(FAILED_STATUS),
    }


def _group_figures(census: Census, labels: Sequence[str], rungs: Sequence[str]) -> dict[str, Any]:
    """Return the fields of Figures with puzzles in groups."""

    def groups(column: str, order: Sequence[str] | None = None) -> tuple[PuzzleGroup, ...]:
        """Group puzzles by a class, in the given order (default: the largest group first)."""
        found = _groups(census, "classes", column, labels, rungs)
        if order is None:
            return tuple(sorted(found, key=lambda group: (group.name == UNKNOWN, -group.puzzles, group.name)))
        places = {name: place for place, name in enumerate(_order((group.name for group in found), order))}
        return tuple(sorted(found, key=lambda group: places[group.name]))

    return {
        "sources": groups("source"),
        "kinds": groups("kind_class", KINDS),
        "sizes": groups("size_class", SIZE_NAMES),
        "colors": groups("color_class", COLOR_NAMES),
        "densities": groups("density_class", DENSITY_NAMES),
        "authors": tuple(_groups(census, "authors", "author", labels)[:AUTHORS]),
        "all_authors": census.number("select count(distinct author) from authors"),
    }


def _puzzle_figures(census: Census, duplicates: pa.Table | None) -> dict[str, Any]:
    """Return the fields of Figures that name puzzles."""
    counts = {name: census.count(issue.condition) for name, issue in ISSUES.items() if issue.condition}
    return {
        "attention": attention(census.shown, counts, find_repeated(census.shown) if duplicates is None else duplicates),
        "shown": len(census.shown),
        "copies": DuplicateCounts(*(_surplus(census, column) for column in ("clue_hash", "canonical_hash"))),
        "hardest": _hardest_puzzles(census),
        "timeouts": _timeouts(census),
        "differing": tuple(
            map(
                SiteDisagreement._make,
                census.rows(_FIRST.format("puzzle_id, title, claim, label, technique", "differing")),
            )
        ),
        "failures": tuple(
            map(Failure._make, census.rows(_FIRST.format("puzzle_id, title, status, error", "failures")))
        ),
        "reasons": tuple(
            map(FailureKind._make, census.rows(_REASONS.format(KINDS_OF_FAILURES, OTHER_REASONS, PATTERNS)))
        ),
    }


def _rank_figures(census: Census) -> dict[str, Any]:
    """Return the fields of Figures with rank correlations; they are computed in threads."""
    scans = partial(correlate_measures, census.compared), partial(correlate_ratings, census.rated)
    correlations, rated = in_threads(lambda scan: scan(), scans)
    return {
        "compared": len(census.compared),
        "correlations": correlations + rated,
        "ratings": ratings(census.rated),
        "rating_boxes": rating_boxes(census.rated),
    }


def to_plain(value: Any) -> Any:
    """Convert records to dicts and tuples to lists, recursively, for JSON."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def _counts(census: Census, column: str, order: Sequence[str]) -> dict[str, int]:
    """Count rows by word, in the given order, then alphabetically; nulls are left out."""
    words = f"select {column}, sum(puzzles)::bigint from classes where {column} is not null group by all"
    counts = dict(census.rows(words))
    return {word: counts[word] for word in _order(counts, order)}


def _order(words: Iterable[str], order: Sequence[str]) -> list[str]:
    last = (*FAILED, UNKNOWN)  # these are the least informative

    def place(word: str) -> tuple[int, int, str]:
        if word in order:
            return 0, order.index(word), word
        return (2, last.index(word), word) if word in last else (1, 0, word)

    return sorted(words, key=place)


def _groups(
    census: Census, table: str, column: str, labels: Sequence[str], rungs: Sequence[str] = ()
) -> list[PuzzleGroup]:
    """Group the puzzles of a table of counts by a column, the largest group first, then the first to occur."""
    groups: dict[str, PuzzleGroup] = {}
    names = f"select {column}, sum(puzzles)::bigint, coalesce(sum(seconds)::double, 0) from {table} group by all"
    for name, puzzles, seconds in census.rows(f"{names} order by sum(puzzles) desc, min(first)"):
        groups[name] = PuzzleGroup(name, puzzles, seconds, dict.fromkeys(labels, 0), dict.fromkeys(rungs, 0))
    for kind, words in (("label", labels), ("rung", rungs)):
        if words:
            for name, word, puzzles in census.rows(
                f"select {column}, {kind}, sum(puzzles)::bigint from {table} group by all"
            ):
                getattr(groups[name], f"{kind}s")[word] = puzzles
    return list(groups.values())


def _years(census: Census) -> dict[int, int]:
    counts = dict(census.rows("select year, sum(puzzles)::bigint from classes where year is not null group by all"))
    return {year: counts.get(year, 0) for year in range(min(counts), max(counts) + 1)} if counts else {}


def _surplus(census: Census, column: str) -> int:
    """Count the known hashes that repeat an earlier one; of 33 million NumPy sorts them in a fifth of SQL's time."""
    query = f"select {column} from numbers where {column} is not null"
    hashes = np.sort(np.asarray(census.connection.execute(query).fetchnumpy()[column]))
    return int(np.count_nonzero(hashes[1:] == hashes[:-1]))


def _work(census: Census) -> SolverWork:
    sums = ", ".join(f"coalesce(sum({name})::double, 0)" for name in ("conflicts", "learning", "line_solves", "others"))
    ((conflicts, learning, line_solves, others),) = census.rows(f"select {sums} from work")
    return SolverWork(
        int(line_solves),
        float(others / line_solves) if line_solves else None,
        int(conflicts),
        float(learning / conflicts) if conflicts else None,
    )


_FIRST = "select {} from {} order by place limit " + str(LISTED)

_REASONS = """
    select status, reason, sum(puzzles)::bigint
    from (
        select
            status, puzzles, first,
            case when row_number() over (order by first) <= {} then reason else '{}' end as reason
        from (select status, reason, sum(puzzles) as puzzles, min(first) as first from reasons group by all)
    )
    group by all order by sum(puzzles) desc, min(first) limit {}
"""


def _hardest_puzzles(census: Census) -> tuple[HardPuzzle, ...]:
    """Return the hardest puzzles, except those with several solutions, which are listed as ambiguous."""
    return tuple(
        map(
            HardPuzzle._make,
            census.rows(f"""
                select {", ".join(HardPuzzle._fields)} from shown_rows
                where solutions in ('unique', 'none', 'unknown') and difficulty is not null
                order by {KEYS["shown"]} limit {HARDEST}
            """),
        )
    )


DECIDED = "greatest(cells_after_line, cells_after_depth2, cells_after_probe)"
"""SQL of the cells that were decided when a puzzle timed out."""


def _timeouts(census: Census) -> Timeouts:
    special = {"decided": f"{DECIDED} as decided", "solution_known": "solution is not null"}
    columns = ", ".join(special.get(name, name) for name in TimedOutPuzzle._fields)
    late = "from shown_rows where status = 'timeout'"
    rows = census.rows(f"select {columns} {late} order by {KEYS['shown']} limit {TIMEOUTS}")
    return Timeouts(
        census.count("status = 'timeout'"),
        census.number(f"select count(solution) {late}"),
        share_quantiles(census, f"select {DECIDED} / cells as share {late}"),
        tuple(map(TimedOutPuzzle._make, rows)),
    )


def _claims(census: Census) -> tuple[ClaimCounts, ...]:
    """Count the sites' claims by our verdicts, in the order of CLAIMS; empty if no site makes any."""
    conditions = (
        "true",
        *(f"solutions = '{word}'" for word in ("unique", "multiple", "none")),
        "coalesce(solutions not in ('unique', 'multiple', 'none'), true)",
        "disputed",
    )
    sums = ", ".join(f"coalesce(sum(puzzles) filter ({condition}), 0)::bigint" for condition in conditions)
    found = {row[0]: ClaimCounts(*row) for row in census.rows(f"select claim, {sums} from classes group by all")}
    return tuple(found[claim.words] for claim in CLAIMS if claim.words in found)


def _grades(census: Census) -> Grades | None:
    """Return the figures of the grades, None without any."""
    by_technique = dict(
        census.rows("select hardest, sum(puzzles)::bigint from graded where hardest is not null group by all")
    )
    if not by_technique:
        return None
    by_minutes = dict(census.rows("select minutes_class, sum(puzzles)::bigint from graded group by all"))
    compared = census.compared.filter(census.compared["grade"].is_valid())
    minutes = compared["minutes"].drop_null().to_numpy()
    return Grades(
        census.count("solutions = 'unique'"),
        sum(by_technique.values()),
        by_grade(by_technique.items()),
        {name: by_minutes[name] for name in MINUTES_NAMES if name in by_minutes},
        tuple(np.quantile(minutes, [0.25, 0.5, 0.75]).tolist()) if len(minutes) else None,
        len(compared),
        correlate_grades(compared),
    )
