"""Puzzles that need attention: counts by issue, and those that a report names."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.issues import ISSUES, are_to_fix, differing, fault_counts, has_issue, issues, ways_alike
from nonocensus.reports.words.formatting import natural
from nonocensus.reports.words.step_words import describe_contradiction
from nonocensus.solver.model.tables import PUZZLES, puzzles_of
from nonocensus.solver.people.explanation import explain

AMBIGUOUS, CONTRADICTORY, TWINS, AUTHORS = 8, 1000, 8, 50
"""Most of each that a report names; of duplicates this many near ones, recoloured ones and others.

The letters to authors give the reasons of as many contradictory ones, each of which takes some 15 ms to find.
"""

COPIES = 2
"""Most duplicates that it names of one original."""

FEW_CELLS = 4
"""Solutions that differ in at most this many cells are easy to mend."""


class Issue(NamedTuple):
    """Numbers of puzzles with one of `reports.numbers.issues.ISSUES`."""

    name: str
    meaning: str
    puzzles: int
    listed: int  # of the puzzles shown one by one


class AuthorIssues(NamedTuple):
    """Number of puzzles shown that an author has to fix."""

    author: str | None
    puzzles: int


class AmbiguousPuzzle(NamedTuple):
    """A puzzle with several solutions."""

    puzzle_id: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    cells: int | None  # in which the two solutions that were found differ
    changed: int | None  # cells that the change changes
    change: str | None  # in words, that leaves one solution; empty if none was found, None if none was looked for
    marked: bool  # as ambiguous by its site


class ContradictoryPuzzle(NamedTuple):
    """A puzzle without a solution."""

    puzzle_id: str | None
    title: str | None
    width: int | None
    height: int | None
    why: str | None  # None if its clues are not known


class DuplicatePuzzle(NamedTuple):
    """A puzzle that repeats another, and the original."""

    original: str
    original_title: str | None
    original_author: str | None
    puzzle_id: str
    title: str | None
    author: str | None
    likeness: str  # equal, turned, recoloured or near
    cells: int | None  # in which near pictures differ
    share: float | None  # of the rarer cells, likewise
    plain: bool | None  # too plain to be to fix
    how: str  # it repeats the original, in words


class Attention(NamedTuple):
    """Puzzles that need attention; issues without puzzles are left out."""

    issues: tuple[Issue, ...]
    few_cells: int  # ambiguous puzzles shown whose solutions differ in at most FEW_CELLS cells
    unrepaired: int  # ambiguous puzzles shown of which no change that leaves one solution was found
    ambiguous: tuple[AmbiguousPuzzle, ...]  # not marked by their site, then of the smallest change, difference first
    contradictory: tuple[ContradictoryPuzzle, ...]
    twins: tuple[DuplicatePuzzle, ...]  # those to fix first, then others, recoloured ones, near ones
    authors: tuple[AuthorIssues, ...]  # those with the most puzzles to fix
    all_authors: int  # with any puzzle to fix
    faults: dict[str, int]  # numbers of puzzles to fix by their faults; some have several


def attention(shown: pa.Table, counted: Mapping[str, int], duplicates: pa.Table) -> Attention:
    """Find the puzzles of a run that need attention.

    shown       the puzzles that a report shows, as `reports.numbers.census.Census.shown`
    counted     puzzles of the whole run by issue; other issues are counted among those shown
    duplicates  of the schema reports.numbers.duplicates.DUPLICATES
    """
    bits = issues(shown, duplicates)
    found = []
    for place, (name, rule) in enumerate(ISSUES.items()):
        listed = int(np.count_nonzero(bits >> place & 1))
        if puzzles := max(listed, counted.get(name, 0)):
            found.append(Issue(name, rule.meaning, puzzles, listed))
    cells = pc.if_else(pa.array(has_issue(bits, "ambiguous")), differing(shown), None)
    return Attention(
        tuple(found),
        pc.sum(pc.less_equal(cells, FEW_CELLS)).as_py() or 0,
        pc.sum(pc.equal(shown["change"], "")).as_py() or 0,
        _ambiguous(shown, cells),
        _contradictory(shown.filter(pa.array(has_issue(bits, "contradictory")))),
        _twins(shown, duplicates),
        *_by_author(shown["author"].filter(pa.array(has_issue(bits, "to fix")))),
        fault_counts(shown, duplicates),
    )


def _by_author(authors: pa.ChunkedArray) -> tuple[tuple[AuthorIssues, ...], int]:
    """Count puzzles to fix by author; return those of the most, and the number of all authors."""
    counted = Counter(authors.to_pylist())
    most = sorted(counted.items(), key=lambda item: (item[0] is None, -item[1], natural(item[0] or "")))
    return tuple(AuthorIssues(*item) for item in most[:AUTHORS]), sum(author is not None for author in counted)


def _ambiguous(shown: pa.Table, cells: pa.Array) -> tuple[AmbiguousPuzzle, ...]:
    names = [name for name in AmbiguousPuzzle._fields if name != "cells"]
    rows = shown.select(names).append_column("cells", cells)
    order = [(name, "ascending") for name in ("marked", "changed", "cells", "share", "natural")]
    area = pc.multiply(pc.cast(shown["width"], pa.int64()), shown["height"])
    shares = pc.divide(pc.cast(pc.coalesce(shown["changed"], cells), pa.float64()), area)
    ids = pa.array([natural(each or "") for each in rows["puzzle_id"].to_pylist()], pa.string())
    rows = rows.append_column("share", shares).append_column("natural", ids)
    rows = rows.filter(cells.is_valid()).sort_by(order).select([*names, "cells"]).slice(0, AMBIGUOUS)
    return tuple(AmbiguousPuzzle(**row) for row in rows.to_pylist())


def _contradictory(rows: pa.Table) -> tuple[ContradictoryPuzzle, ...]:
    names = list(dict.fromkeys(["puzzle_id", "title", "technique", *CLUES]))
    listed = rows.select(names).slice(0, CONTRADICTORY).to_pylist()
    whys = (explain_contradiction(row, row["technique"]) for row in listed)
    facts = ("puzzle_id", "title", "width", "height")
    return tuple(ContradictoryPuzzle._make([*map(row.get, facts), why]) for row, why in zip(listed, whys, strict=True))


def _twins(shown: pa.Table, duplicates: pa.Table) -> tuple[DuplicatePuzzle, ...]:
    copies = Counter[str]()
    exact: list[dict[str, Any]] = []
    recolored: list[dict[str, Any]] = []
    near: list[dict[str, Any]] = []
    found = zip(duplicates.to_pylist(), are_to_fix(shown, duplicates), strict=True)
    for row, _ in sorted(found, key=lambda each: (not each[1], each[0]["share"] or 0)):
        some = {"near": near, "recoloured": recolored}.get(row["likeness"], exact)
        if len(some) < TWINS and copies[row["original"]] < COPIES:
            copies[row["original"]] += 1
            some.append(row)
    rows = exact + recolored + near
    how = ways_alike(shown, pa.Table.from_pylist(rows, duplicates.schema))
    ids = pa.array([row[name] for row in rows for name in ("original", "puzzle_id")], pa.string())
    there = shown.select(["puzzle_id", "title", "author"]).filter(pc.is_in(shown["puzzle_id"], ids))
    titles, authors = (
        dict(zip(there["puzzle_id"].to_pylist(), there[name].to_pylist(), strict=True)) for name in ("title", "author")
    )
    return tuple(
        DuplicatePuzzle(
            **row,
            how=words,
            title=titles.get(row["puzzle_id"]),
            author=authors.get(row["puzzle_id"]),
            original_title=titles.get(row["original"]),
            original_author=authors.get(row["original"]),
        )
        for row, words in zip(rows, how, strict=True)
    )


CPU_LIMIT = 1.0
"""CPU limit, in seconds, of the search for the line without an arrangement."""

CLUES = ("width", "height", "kind", "blotted", "palette", "rows", "columns")


def explain_contradiction(row: dict[str, Any], technique: str | None) -> str | None:
    """Explain in a sentence why a puzzle has no solution, None if its clues are unknown.

    row        of the puzzles table, with at least the columns CLUES
    technique  that refuted it
    """
    if any(row[name] is None for name in CLUES):
        return None
    known = {name: row[name] for name in CLUES} | {"clue_hash": None, "canonical_hash": None, "goal": None}
    schema = pa.schema([PUZZLES.field(name) for name in known])
    (puzzle,) = puzzles_of(pa.RecordBatch.from_pylist([known], schema))
    if technique != "line":
        return "Each line has an arrangement; only assumptions show that they don't go together."
    found = explain(puzzle, cpu_limit=CPU_LIMIT)
    if found.end is None:
        return "Line logic contradicts itself."
    why = describe_contradiction(puzzle, found.end, found.cells)
    return f"Once other lines are used, {why[0].lower()}{why[1:]}"
