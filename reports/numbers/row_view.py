"""The rows of a report in SQL: results with their puzzles, measures, mendings and grades, and their classes."""

from nonocensus.reports.numbers.derived_measures import DERIVED
from nonocensus.reports.numbers.joined_columns import MENDED, SHARED
from nonocensus.reports.numbers.row_classes import (
    AREAS_PER_DECADE,
    COLOR_CLASS,
    DENSITIES,
    DENSITY_NAMES,
    FAILED,
    MINUTES_CLASS,
    SIZE_NAMES,
    SIZES,
    UNKNOWN,
    sql_classes,
    sql_words,
)
from nonocensus.reports.numbers.site_claims import CLAIM_SQL, DISPUTED_SQL, SEVERAL
from nonocensus.solver.model.measures import IN_RESULTS, Computed, Place, computed_by, names, shown_in

RUNGS = {
    "line logic": "cpu_line",
    "depth-2": "cpu_depth2",
    "probe": "cpu_probe",
    "search": "cpu_search",
    "clause learning": "cpu_sat",
}
"""Rungs of the ladder and the columns with their times."""

SURVEY = (0.0, 0.1, 0.2, 0.5, 1.0, 4.0, 10.0, 30.0, 60.0, 120.0)
"""Lower bounds of the time classes of Jan Wolter's survey of solvers, in seconds."""

MOST_BINS = 20
"""Bins per decade of the finest histogram of times; coarser ones join neighbours."""

DIFFICULTY_BINS = 10
"""Bins of the difficulty histogram per unit."""

CORRELATED = tuple(names(shown_in(Place.correlations)))
"""Measures that are correlated with each other over all sources, and with the ratings of each site.

Ratings are not correlated over several sources: each site has its own scale.
"""

FOR_PEOPLE = ("minutes", "grade")
"""Measures for people that all others are correlated with; null where a puzzle has no grade."""

RATINGS = tuple(names(computed_by(Computed.rated)))
"""The ratings that a site's users give."""

RATED_FIELDS = ("source", "puzzle_id", "title", "technique", *RATINGS, *CORRELATED)

SHOWN_RESULTS = [
    "puzzle_id", "status", "solutions", "technique", "label", "solution", "second_solution", "goal_matches",
    *(measure.name for measure in computed_by(*IN_RESULTS) if Place.browser in measure.shown),
    "engine", "error", "clue_hash",
]  # fmt: skip
SHOWN_PUZZLES = [
    "url", "title", "author", "copyright", "license", "source", "width", "height", "kind", "blotted", "palette", "rows",
    "columns", "goal", *RATINGS, "site_note", "site_date", "source_id", "canonical_hash",
]  # fmt: skip
JUDGED = ("free", "disputed", "unmarked", "marked")
"""Whether a puzzle may be redistributed (reports.rights), its site's claim contradicts our verdict, and it has several
solutions that the claim does not mention, or does (reports.numbers.site_claims); never null."""

SHOWN_FIELDS = [*SHOWN_RESULTS, *SHOWN_PUZZLES, *DERIVED.names, *MENDED.names, *SHARED.names, *JUDGED]

RESULT_COLUMNS = [*SHOWN_RESULTS, "trivial", *RUNGS.values()]
PUZZLE_COLUMNS = [*SHOWN_PUZZLES, "site_steps"]
"""Columns of the two tables that a report reads."""

CLASSES = (
    "status", "solutions", "technique", "trivial", "label", "goal_matches", "source", "kind_class", "size_class",
    "density_class", "color_class", "year", "claim",
)  # fmt: skip
"""Columns by which a report counts. Many rows share all of them."""


def sql_bin(value: str, bins: float) -> str:
    """Return the SQL of a number's bin, of several per unit.

    The small addend keeps the lower bound of a bin out of the bin below.
    """
    return f"floor({value} * {bins} + 1e-9)::integer"


def sql_sum(value: str) -> str:
    """Return the SQL of a sum, as a decimal number, since sums of floats depend on the order."""
    return f"sum(try_cast({value} as decimal(38, 24)))"


FACTS = {
    "label": f"coalesce(label, status, '{UNKNOWN}')",
    "source": f"""
        case
            when source is not null then source
            else coalesce(nullif(regexp_extract(puzzle_id, '^([^/]+)/', 1), ''), '{UNKNOWN}')
        end
    """,
    "seconds": "case when isfinite(cpu_seconds) then cpu_seconds end",
    "area": "width::bigint * height",
    "rung": f"""
        case
            when solutions = 'unique' then coalesce(technique, '{UNKNOWN}')
            when status in {sql_words(FAILED)} then status
            when solutions = 'multiple' then 'several solutions'
            when solutions = 'none' then 'no solution'
            else 'undecided'
        end
    """,
    "kind_class": f"coalesce(case when blotted then 'blotted ' || kind else kind end, '{UNKNOWN}')",
    "size_class": sql_classes("case when area is not null then greatest(width, height) end", SIZES, SIZE_NAMES, "<="),
    "density_class": sql_classes("density", DENSITIES, DENSITY_NAMES, "<"),
    "color_class": COLOR_CLASS,
    "minutes_class": MINUTES_CLASS,
    "survey_class": sql_classes("seconds", SURVEY[1:], range(len(SURVEY)), "<"),
    "year": r"coalesce(year(site_date), try_cast(regexp_extract(copyright, '\b((?:19|20)\d\d)\b', 1) as integer))",
    "area_bin": f"case when area > 0 then {sql_bin('log10(area)', AREAS_PER_DECADE)} end",
    "time_bin": f"case when seconds > 0 then {sql_bin('log10(seconds)', MOST_BINS)} end",
    "difficulty_bin": sql_bin("difficulty", DIFFICULTY_BINS),
    "claim": CLAIM_SQL,
    "disputed": DISPUTED_SQL,
    "unmarked": f"coalesce(solutions = 'multiple' and claim <> '{SEVERAL}', false)",
    "marked": f"coalesce(solutions = 'multiple' and claim = '{SEVERAL}', false)",
}
"""SQL of what follows from a row of the table `batch`: its classes, bins and judgements; some use those above them."""


def rows_with(*names: str) -> str:
    """Return the SQL of the rows of the table `batch` with some of FACTS, in their order.

    Only those that a query needs: planning all of them takes longer than counting a small batch.
    """
    facts = {name: f"{FACTS[name]} as {name}" for name in FACTS if name in names}
    replaced = [facts.pop(name) for name in ("label", "source") if name in facts]
    every = f"* replace ({', '.join(replaced)})" if replaced else "*"
    return f"(select {', '.join([every, *facts.values()])} from batch)"


DRAWN = ("solution", "second_solution", "palette", "rows", "columns", "goal", "mended")
"""Columns of clues and pictures, which nothing is counted by."""
