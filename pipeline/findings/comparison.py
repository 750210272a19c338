"""Comparison of two runs by puzzle: what was fixed or is worse, verdicts, proofs, times and counters.

Puzzles are matched by id; proofs, times and counters are compared where the clue hashes are equal too. DuckDB joins
the runs, out of core if needed, into one narrow table.
"""

from contextlib import suppress
from typing import Any, NamedTuple

import duckdb

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.sql_tables import puzzles_table, results_table
from nonocensus.pipeline.run.configuration import diff_configurations
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import database
from nonocensus.solver.model.tables import PUZZLES

SLOWER, SECONDS = 2.0, 0.01
"""A puzzle counts as slower or faster if its time changed by at least this factor and these CPU seconds."""

EXAMPLES, SLOWEST, LISTED, NAMED = 3, 10, 60, 1000
"""Most puzzles named of a change of verdict, of those with another time, listed of a group and named of it."""

GROUPS = {
    "worse": "Several solutions, no solution, impossible clues or another picture; less or not at fault before.",
    "new and at fault": "Only in the second run: several solutions, no solution, impossible clues or another picture.",
    "fixed": "At fault in the first run, with one solution in the second.",
    "fixed but a duplicate": "Fixed, and in the second run the same as another puzzle, perhaps turned or recoloured.",
    "still at fault": "In both runs, and not worse in the second.",
    "new": "Only in the second run, without a fault.",
    "removed": "Only in the first run: no longer in the store, or without a result yet.",
    "removed as duplicate": "Only in the first run, where a puzzle in both is the same, perhaps turned or recoloured.",
    "another verdict": "Neither fixed nor worse.",
    "other clues": "Changed clues with the same verdict.",
    "other title": "Changed titles of the same clues and verdict.",
}
"""Groups of changes and their meanings, in order: a puzzle is at fault if its author has to change something."""

COLUMNS = ("clues", "title", "label", "solutions", "technique", "cells", "seconds", "fault", "error")
COUNTERS = ("line_solves", "probes", "nodes", "conflicts")
"""Counters of a puzzle, which do not depend on the machine."""


class SettingDifference(NamedTuple):
    """A difference of configuration or versions; None where a run lacks it."""

    name: str
    old: Any
    new: Any


class SharedPuzzles(NamedTuple):
    """Puzzles with a result in both runs, in one only, or in both with equal id but different clues."""

    both: int
    only_old: int
    only_new: int
    other_clues: int


class FaultCounts(NamedTuple):
    """Puzzles at fault in both runs: with several solutions, none, impossible clues or another picture."""

    old: int
    new: int


class VerdictChange(NamedTuple):
    """A change of verdict: both labels (or statuses), number of puzzles, and example ids."""

    old: str
    new: str
    puzzles: int
    examples: list[str]


class ChangedVerdict(NamedTuple):
    """A puzzle with its verdicts in both runs, and why clues are impossible; None where a run lacks it.

    repeats   the unchanged puzzle, else for a new or changed one the first of these, that it is the same as, perhaps
              turned or recoloured
    """

    puzzle_id: str
    old: str | None
    new: str | None
    old_error: str | None
    new_error: str | None
    repeats: str | None = None


class Changed(NamedTuple):
    """The number of puzzles in one of GROUPS, the first of them by id, and the ids of those that follow."""

    name: str
    puzzles: int
    listed: list[ChangedVerdict]
    others: list[str]


class ContradictingProofs(NamedTuple):
    """A puzzle whose proofs in the two runs contradict each other.

    what       "answer" (unique, multiple, none), "solution" (both unique, with other cells) or "technique"
    old, new   the answers, or the techniques
    """

    puzzle_id: str
    what: str
    old: str
    new: str


class TimeChange(NamedTuple):
    """CPU seconds of the puzzles with known times in both runs, and quantiles of the ratios new / old.

    label   that of the first run, None for all puzzles together
    """

    label: str | None
    puzzles: int
    old: float
    new: float
    geometric_mean: float
    p10: float
    median: float
    p90: float


class CounterChange(NamedTuple):
    """Sums of a counter over the puzzles where both runs know it, and the number of puzzles where it differs."""

    counter: str
    old: int
    new: int
    differ: int


class TimedPuzzle(NamedTuple):
    """Labels and CPU seconds of a puzzle in both runs."""

    puzzle_id: str
    old_label: str
    new_label: str
    old: float
    new: float


class Comparison(NamedTuple):
    """Result of `compare`; lists are sorted by importance.

    changed           groups of changes that have puzzles
    changes           of verdicts, of puzzles with equal clues or other ones
    gained, lost      puzzles whose answer changed from unknown to a proof, and the reverse
    times             of all puzzles, then by label; empty if no time is known
    slower, faster    numbers of puzzles that changed by SLOWER and SECONDS, the shorter time being that of an answer
    slowed, sped_up   those with the largest changes in seconds
    """

    configuration: list[SettingDifference]
    versions: list[SettingDifference]
    puzzles: SharedPuzzles
    faults: FaultCounts
    changed: list[Changed]
    alarms: list[ContradictingProofs]
    gained: int
    lost: int
    changes: list[VerdictChange]
    times: list[TimeChange]
    work: list[CounterChange]
    slower: int
    faster: int
    slowed: list[TimedPuzzle]
    sped_up: list[TimedPuzzle]


def compare(old: Run, new: Run) -> Comparison:
    """Compare the results that two runs have so far.

    Techniques are compared only if both runs have the same look-ahead depth, on which their definition depends. Raises
    UserError if the runs share no puzzle, or if shared ids are not unique.
    """
    settings = old.manifest["config"], new.manifest["config"]
    versions = [
        {name: version for name, version in run.manifest["versions"].items() if name != "nonocensus"}  # in the settings
        for run in (old, new)
    ]
    with database() as connection:
        for name, run in (("old", old), ("new", new)):
            connection.register(f"{name}_results", results_table(run))
            connection.register(f"{name}_puzzles", PUZZLES.empty_table())
            with suppress(UserError):  # its store is gone, or has changed
                connection.register(f"{name}_puzzles", puzzles_table(run))
            connection.execute(_RUN.format(name))
        connection.execute(_JOINED)
        connection.execute(_PAIRS.format(settings[0].get("depth") == settings[1].get("depth")))
        _refuse_repeated(connection)
        shared = _records(connection, SharedPuzzles, _SHARED)[0]
        if not shared.both and not shared.other_clues:
            raise UserError(
                f"{old.folder.name} and {new.folder.name} have no puzzle in common that both have tried; "
                "compare two runs of one store, or of two versions of it"
            )
        return Comparison(
            [SettingDifference(*values) for values in diff_configurations(*settings)],
            [SettingDifference(*values) for values in diff_configurations(*versions)],
            shared,
            FaultCounts(*(_count(connection, f"{run}_fault > 0", "joined") for run in ("old", "new"))),
            _changed_groups(connection),
            _records(connection, ContradictingProofs, _ALARMS),
            _count(connection, "new_proof and not old_proof"),
            _count(connection, "old_proof and not new_proof"),
            _records(connection, VerdictChange, _CHANGES),
            _records(connection, TimeChange, _TIMES),
            [_records(connection, CounterChange, _WORK.format(name))[0] for name in COUNTERS],
            _count(connection, _SLOWER.format("new", "old")),
            _count(connection, _SLOWER.format("old", "new")),
            _records(connection, TimedPuzzle, _MOVED.format("new", "old")),
            _records(connection, TimedPuzzle, _MOVED.format("old", "new")),
        )


def _refuse_repeated(connection: duckdb.DuckDBPyConnection) -> None:
    """Raise UserError if an id shared by both runs is not unique, as a join would multiply its rows."""
    for name, other in (("old", "new"), ("new", "old")):
        query = f"select count(*) filter (found <> 'only_{other}') > (select count(*) from {name}) from joined"
        if connection.execute(query).fetchone() == (True,):
            repeated = connection.execute("select puzzle_id from joined group by all having count(*) > 1").fetchone()
            raise UserError(f"several puzzles have the id {repeated and repeated[0]}; runs are compared by their ids")


def _changed_groups(connection: duckdb.DuckDBPyConnection) -> list[Changed]:
    """Return the groups of changes that have puzzles."""
    connection.execute(_CHANGED)
    counts = dict(connection.execute("select what, count(*) from changed group by what").fetchall())
    listed: dict[str, list[ChangedVerdict]] = {name: [] for name in GROUPS}
    for what, *verdicts in connection.execute(_LISTED).fetchall():
        listed[what].append(ChangedVerdict(*verdicts))
    return [
        Changed(name, counts[name], those[:LISTED], [one.puzzle_id for one in those[LISTED:]])
        for name, those in listed.items()
        if those
    ]


def _records(connection: duckdb.DuckDBPyConnection, record: type[Any], query: str) -> list[Any]:
    """Return the rows of a query as records."""
    return [record(*row) for row in connection.execute(query).fetchall()]


def _count(connection: duckdb.DuckDBPyConnection, condition: str, rows: str = "pairs") -> int:
    """Count the pairs that meet a condition."""
    return int(_records(connection, int, f"select count(*) from {rows} where {condition}")[0])


_BY_ID = "regexp_replace(puzzle_id, '[0-9]+$', ''), length(puzzle_id), puzzle_id"
"""SQL of the order of ids: those that end in a number by that number."""

_RUN = f"""
    create view {{0}} as
    select
        puzzle_id, true as there,
        hash(clue_hash) as clues,
        coalesce(canonical_hash, clue_hash) as shape,
        title,
        coalesce(label, status) as label,
        coalesce(solutions, 'unknown') as solutions,
        technique,
        case when solutions = 'unique' then hash(solution) end as cells,
        cpu_seconds as seconds,
        case
            when solutions = 'none' or status = 'invalid' then 2
            when solutions = 'multiple' or not goal_matches then 1
            else 0
        end as fault,
        error,
        {", ".join(f"case when line_solves is not null then coalesce({name}, 0) end as {name}" for name in COUNTERS)}
    from {{0}}_results left join (
        select puzzle_id, any_value(canonical_hash) as canonical_hash, any_value(title) as title
        from {{0}}_puzzles group by puzzle_id
    ) using (puzzle_id)
"""
"""Return SQL for the compared columns. Counters of rungs not tried are 0; those of a killed puzzle are null.

fault    0 without, 1 with a solution, 2 without any
"""

_JOINED = f"""
    create table joined as
    select
        puzzle_id,
        case
            when new.there is null then 'only_old'
            when old.there is null then 'only_new'
            when old.clues = new.clues then 'both'
            else 'other_clues'
        end as found,
        nullif(coalesce(kept.puzzle_id, min(new.puzzle_id) over (partition by new.shape)), new.puzzle_id) as twin,
        if(found = 'both', null, twin) as repeats,
        {", ".join(f"{run}.{name} as {run}_{name}" for name in (*COLUMNS[1:], *COUNTERS) for run in ("old", "new"))}
    from old full join new using (puzzle_id)
    left join (
        select shape, min(puzzle_id) as puzzle_id from (
            select puzzle_id, unnest([old.shape, new.shape]) as shape from old join new using (puzzle_id, clues)
        ) group by shape
    ) as kept on kept.shape = coalesce(new.shape, old.shape)
"""

_PAIRS = """
    create view pairs as
    select *,
        old_solutions <> 'unknown' as old_proof,
        new_solutions <> 'unknown' as new_proof,
        case
            when not (old_proof and new_proof) then null
            when old_solutions <> new_solutions then 'answer'
            when old_cells <> new_cells then 'solution'
            when {0} and old_solutions = 'unique' and old_technique <> new_technique then 'technique'
        end as alarm
    from joined where found = 'both'
"""

_CHANGED = """
    create table changed as
    select * from (
        select
            puzzle_id,
            case
                when found = 'only_new' then if(new_fault > 0, 'new and at fault', 'new')
                when found = 'only_old' then if(repeats is null, 'removed', 'removed as duplicate')
                when old_fault > 0 and new_fault = 0 and new_solutions = 'unique'
                    then if(repeats is null, 'fixed', 'fixed but a duplicate')
                when new_fault > old_fault then 'worse'
                when least(old_fault, new_fault) > 0 then 'still at fault'
                when old_label <> new_label or old_fault <> new_fault then 'another verdict'
                when found = 'other_clues' then 'other clues'
                when old_title <> new_title then 'other title'
            end as what,
            old_label, new_label, old_error, new_error, repeats
        from joined where puzzle_id is not null
    )
    where what is not null
"""

_LISTED = f"""
    select what, puzzle_id, old_label, new_label, old_error, new_error, repeats from changed
    qualify row_number() over (partition by what order by {_BY_ID}) <= {NAMED} order by {_BY_ID}
"""

_SHARED = f"""
    select {", ".join(f"count(*) filter (found = '{name}')" for name in SharedPuzzles._fields)} from joined
"""

_ALARMS = f"""
    select
        puzzle_id, alarm,
        case alarm when 'technique' then old_technique else old_solutions end,
        case alarm when 'technique' then new_technique else new_solutions end
    from pairs where alarm is not null order by alarm, {_BY_ID}
"""

_CHANGES = f"""
    select
        old_label, new_label, count(*) as puzzles,
        list(puzzle_id order by {_BY_ID}) filter (puzzle_id is not null and place <= {EXAMPLES})
    from (
        select *, row_number() over (partition by old_label, new_label order by {_BY_ID}) as place
        from joined where old_label <> new_label
    )
    group by all order by puzzles desc, old_label, new_label
"""

_TIMES = """
    select * exclude (quantiles), quantiles[1], quantiles[2], quantiles[3] from (
        select
            old_label, count(*) as puzzles, sum(old_seconds), sum(new_seconds), exp(avg(ln(ratio))),
            quantile_cont(ratio, [0.1, 0.5, 0.9]) as quantiles
        from (select *, new_seconds / old_seconds as ratio from pairs where old_seconds > 0 and new_seconds > 0)
        group by grouping sets ((), (old_label)) having puzzles > 0
    )
    order by old_label nulls first
"""

_WORK = """
    select '{0}', coalesce(sum(old_{0}), 0), coalesce(sum(new_{0}), 0), count(*) filter (old_{0} <> new_{0})
    from pairs where old_{0} is not null and new_{0} is not null
"""

_SLOWER = f"{{1}}_proof and {{0}}_seconds >= {SLOWER} * {{1}}_seconds and {{0}}_seconds - {{1}}_seconds >= {SECONDS}"
"""Return SQL; the shorter time must belong to an answer, as giving up sooner is not faster."""

_MOVED = f"""
    select puzzle_id, old_label, new_label, old_seconds, new_seconds
    from pairs where {_SLOWER} order by {{0}}_seconds - {{1}}_seconds desc, puzzle_id limit {SLOWEST}
"""
