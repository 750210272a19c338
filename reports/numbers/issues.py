"""Issues of puzzles for the owner of their site to look at: duplicates, and what an author has to fix.

What to fix is worded in sentences, and listed for each author as text for a mail.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.clean import clean
from nonocensus.reports.numbers.duplicates import COPIES, IS_COPY, LEAST_CELLS
from nonocensus.reports.numbers.row_classes import FAILED, select, sql_words
from nonocensus.reports.numbers.row_pictures import (
    PICTURES,
    cells_of,
    changed_cells,
    describe_nearness,
    known_pictures,
    nearest_picture,
)
from nonocensus.reports.words.formatting import by_number, clue_text, count_text, natural
from nonocensus.solver.model.puzzle import clues_of


class IssueRule(NamedTuple):
    """What an issue means, and the SQL of the classes that have it; None if it follows from other puzzles."""

    meaning: str
    condition: str | None = None


ISSUES = {
    "ambiguous": IssueRule("several solutions", "solutions = 'multiple'"),
    "unmarked ambiguous": IssueRule("several solutions, which its site does not say", "unmarked"),
    "marked ambiguous": IssueRule("several solutions, as its site says", "marked"),
    "contradictory": IssueRule("no solution", "solutions = 'none'"),
    "undecided": IssueRule(
        "no proof either way",
        f"coalesce(solutions not in ('unique', 'multiple', 'none'), true) and status not in {sql_words(FAILED)}",
    ),
    "invalid or failed": IssueRule(
        "no verdict: impossible as it stands, or an error", f"status in {sql_words(FAILED)}"
    ),
    "picture does not fit": IssueRule("the author’s picture does not solve the clues", "goal_matches = false"),
    "duplicate": IssueRule("identical to another puzzle, perhaps turned or mirrored"),
    "recoloured": IssueRule("identical to another puzzle but for its colours: not to fix, in no letter"),
    "near duplicate": IssueRule("has another’s picture but for a share of its cells: not to fix, in no letter"),
    "original": IssueRule("another puzzle repeats it"),
    "site disagrees": IssueRule("its site says another verdict", "disputed"),
    "to fix": IssueRule("a fault that its author can remove, other than an ambiguity that the site marks"),
}
"""Issues by name."""


ALIKE = "puzzle_id in (select puzzle_id from duplicates where {})"
"""SQL of whether a puzzle repeats another, by a condition on rows of DUPLICATES."""

COPY_TO_FIX = f"{IS_COPY} and not plain and width::bigint * height >= {LEAST_CELLS}"
"""SQL of whether a puzzle's row of DUPLICATES, given its size, is a fault."""

FAULTS = {
    "ambiguous": "solutions = 'multiple' and not marked",
    "contradictory": "solutions = 'none'",
    "with impossible clues": "status = 'invalid'",
    "whose author’s picture does not fit": "goal_matches = false and solutions is distinct from 'none'",
    "duplicate": ALIKE.format(COPY_TO_FIX),
}
"""SQL of the faults of puzzles that are "to fix", by their names; the last needs duplicates."""

JUDGED_BY = [
    "puzzle_id", "status", "width", "height", "solutions", "goal_matches", "disputed", "unmarked", "marked",
]  # fmt: skip
"""Columns from which the issues of a puzzle follow."""


def issues(rows: pa.Table, duplicates: pa.Table) -> np.ndarray:
    """Return the issues of each puzzle, uint16[rows]: one bit for each of ISSUES, the lowest for the first.

    rows        columns JUDGED_BY, as `reports.numbers.census.Census.shown`
    duplicates  of the schema reports.numbers.duplicates.DUPLICATES
    """
    conditions = {name: rule.condition for name, rule in ISSUES.items()} | {
        "duplicate": ALIKE.format(IS_COPY),
        "recoloured": ALIKE.format("likeness = 'recoloured'"),
        "near duplicate": ALIKE.format("likeness = 'near'"),
        "original": "puzzle_id in (select original from duplicates)",
        "to fix": " or ".join(map("({})".format, FAULTS.values())),
    }
    every = " | ".join(f"(coalesce({one}, false)::integer << {place})" for place, one in enumerate(conditions.values()))
    numbered = rows.select(JUDGED_BY).append_column("place", pa.array(np.arange(len(rows))))
    found = select(
        f"select ({every})::usmallint as bits from numbered order by place", numbered=numbered, duplicates=duplicates
    )
    bits: np.ndarray = found["bits"].to_numpy()
    return bits


def fault_counts(rows: pa.Table, duplicates: pa.Table) -> dict[str, int]:
    """Count the puzzles with each of FAULTS, those without puzzles left out; arguments as of `issues`."""
    counts = ", ".join(f'count(*) filter ({condition}) as "{name}"' for name, condition in FAULTS.items())
    (found,) = select(f"select {counts} from facts", facts=rows.select(JUDGED_BY), duplicates=duplicates).to_pylist()
    return {name: count for name, count in found.items() if count}


def has_issue(bits: np.ndarray, name: str) -> np.ndarray:
    """Return which puzzles have an issue, bool[rows]; `bits` are what `issues` returned."""
    which: np.ndarray = bits >> list(ISSUES).index(name) & 1 == 1
    return which


def differing(rows: pa.Table) -> pa.Array:
    """Count the cells in which two solutions of each puzzle differ, int64[rows]; null without two of equal length."""
    pictures = rows.select(["solution", "second_solution"])
    both = pc.equal(*map(pc.binary_length, pictures.columns))
    counts = np.zeros(len(rows), np.int64)
    there = both.fill_null(False).to_numpy()
    places = np.flatnonzero(there)
    taken = (column.to_pylist() for column in pictures.take(pa.array(places)).columns)
    for place, one, other in zip(places.tolist(), *taken, strict=True):
        counts[place] = np.count_nonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))
    return pa.array(counts, mask=~there)


def are_to_fix(rows: pa.Table, duplicates: pa.Table) -> list[bool]:
    """Return which duplicates their authors have to fix: neither recoloured, near, small nor plain ones.

    rows   columns puzzle_id, width, height
    """
    numbered = duplicates.append_column("place", pa.array(np.arange(len(duplicates))))
    sizes = rows.select(["puzzle_id", "width", "height"])
    query = f"""
        select coalesce(bool_or({COPY_TO_FIX}), false) as fault from numbered left join sizes using (puzzle_id)
        group by place order by place
    """
    return list(select(query, numbered=numbered, sizes=sizes)["fault"].to_pylist())


def ways_alike(rows: pa.Table, duplicates: pa.Table) -> list[str]:
    """Say how each duplicate repeats its original: "turned or mirrored", or of near ones "mirrored, 3 cells differ".

    Small and plain ones that are equal, turned or mirrored are said not to be to fix.

    rows   with the columns puzzle_id and PICTURES
    """
    near = duplicates.filter(pc.equal(duplicates["likeness"], "near"))
    ids = pa.concat_arrays([near[name].combine_chunks() for name in ("puzzle_id", "original")])
    drawn = rows.select(["puzzle_id", *PICTURES]).filter(pc.is_in(rows["puzzle_id"], ids, skip_nulls=True))
    known = {row["puzzle_id"]: row for row in drawn.to_pylist()}
    names = {"turned": "turned or mirrored"}
    return [
        describe_nearness(known.get(row["puzzle_id"]), known.get(row["original"]), row["cells"])
        if row["likeness"] == "near"
        else names.get(row["likeness"], row["likeness"]) + ", not to fix" * (row["likeness"] in COPIES and not fault)
        for row, fault in zip(duplicates.to_pylist(), are_to_fix(rows, duplicates), strict=True)
    ]


NO_AUTHOR = "No author"

LARGE_CHANGE = 10
"""Cells of the largest change whose clues are listed."""

FACTS = (
    *("puzzle_id", "author", "solutions", "unmarked", "marked", "status", "error", "goal_matches"),
    *("width", "height", "change", "goal", "solution", "second_solution", "mended", "palette"),
)


def fixes(
    rows: pa.Table,
    duplicates: pa.Table,
    to_author: bool = False,
    reasons: Mapping[str | None, str | None] | None = None,
) -> pa.Array:
    """Return what to fix of each puzzle, a sentence a line, string[rows]; null where the issue "to fix" is absent.

    rows        as `reports.numbers.census.Census.shown`
    duplicates  of the schema reports.numbers.duplicates.DUPLICATES
    to_author   whether an author's picture is "your picture"
    reasons     why puzzles have no solution, in a sentence, by their ids
    """
    places = np.flatnonzero(has_issue(issues(rows, duplicates), "to fix"))
    ids = rows["puzzle_id"].to_pylist()
    names, authors, sources = (
        dict(zip(ids, rows[name].to_pylist(), strict=True)) for name in ("title", "author", "source")
    )
    copies = {}
    faulty = duplicates.filter(pa.array(are_to_fix(rows, duplicates), pa.bool_()))
    for original, puzzle_id, likeness, *_ in zip(*faulty.to_pydict().values(), strict=True):
        by = f" by {authors[original]}" if authors.get(original) else ""
        turned = ", turned or mirrored" if likeness == "turned" else ""
        source = sources.get(original)
        elsewhere = f", which is from {source}" if source and source != sources.get(puzzle_id) else ""
        copies[puzzle_id] = f"The same as {puzzle_name(original, names.get(original))}{by}{turned}{elsewhere}."
    facts = rows.select(FACTS).take(pa.array(places))
    texts: list[str | None] = [None] * len(rows)
    for place, row in zip(places.tolist(), facts.to_pylist(), strict=True):
        whose = "your picture" if to_author and row["author"] else "the author’s picture"
        texts[place] = "\n".join(
            map(one_line, _sentences(row, copies.get(row["puzzle_id"]), (reasons or {}).get(row["puzzle_id"]), whose))
        )
    return pa.array(texts, pa.string())


def _sentences(row: dict[str, Any], copy: str | None, reason: str | None, whose: str) -> Iterator[str]:
    if row["solutions"] == "multiple" and not row["marked"]:
        unsaid = ", which the site does not say" if row["unmarked"] else ""
        yield f"Several solutions{unsaid}{_difference(row)}."
        if row["change"]:
            yield from _change(row, whose)
        elif row["change"] is not None:
            yield "No small change found: try a larger one near the cells where the solutions differ."
    if row["solutions"] == "none":
        yield "No solution: the clues contradict each other."
        if reason:
            yield reason
    elif row["goal_matches"] is False:
        yield f"{whose[0].upper()}{whose[1:]} does not solve the clues{_misfit(row)}."
    if row["status"] == "invalid":
        yield f"Impossible clues: {row['error'] or 'no reason given'}."
    if copy:
        yield copy


def _misfit(row: dict[str, Any]) -> str:
    """Say in which cells, if few, the author's picture differs from the only solution."""
    drawn, right = cells_of(row, "goal"), cells_of(row, "solution")
    colors = [color["name"] for color in row["palette"] or ()]
    if row["solutions"] != "unique" or drawn is None or right is None or right.max() >= len(colors):
        return ""
    count = int(np.count_nonzero(drawn != right))
    named = f": {changed_cells(drawn, right, colors)}" if count <= LARGE_CHANGE else ""
    return f"; their only solution differs from it in {count_text(count, 'cell')}{named}"


def _difference(row: dict[str, Any]) -> str:
    """Say in how many cells two solutions differ, and in which lines; empty if two are not known."""
    one, other = cells_of(row, "solution"), cells_of(row, "second_solution")
    if one is None or other is None or not (apart := one != other).any():
        return ""
    rows, columns = (
        by_number(side, (np.flatnonzero(apart.any(axis=axis)) + 1).tolist())
        for side, axis in (("row", 1), ("column", 0))
    )
    return f": two of them differ in {np.count_nonzero(apart):,} of {apart.size:,} cells: {rows}; {columns}"


def _change(row: dict[str, Any], whose: str) -> Iterator[str]:
    """Yield the change that leaves one solution: its cells, and if it is small each clue, Row 4: 3 1 becomes 2 1 1."""
    known, after = known_pictures(row) if row["solution"] else [], cells_of(row, "mended")
    colors = [color["name"] for color in row["palette"] or ()]
    if after is None or not known or max(picture.max() for picture in (after, *known)) >= len(colors):
        yield f"For one solution: {row['change']}."
        return
    before = nearest_picture(known, after)
    kept = whose if row["goal_matches"] else "one of those two"
    count = int(np.count_nonzero(before != after))
    large = ", a large change" if count > LARGE_CHANGE else ""
    cells = f"{count_text(count, 'cell')}{large}"
    yield f"For one solution, keep {kept} but for {cells}: {changed_cells(before, after, colors)}."
    if large:
        return
    for side, clues, others in zip(("Row", "Column"), clues_of(before), clues_of(after), strict=True):
        for number, (old, new) in enumerate(zip(clues, others, strict=True), 1):
            if old != new:
                yield f"{side} {number}: {clue_text(old, colors)} becomes {clue_text(new, colors)}"


PURPOSE = "A puzzle should have exactly one solution, and be in the archive once."

NAME_LENGTH = 60
"""Characters of an author's name in a file name."""


def letters(rows: pa.Table, fixed: pa.Array) -> dict[str, str]:
    """Return a letter on what to fix for each author, those with the most puzzles first: plain text by file name.

    rows   as `reports.numbers.census.Census.shown`
    fixed  what `fixes` returned for them, to their authors
    """
    names = ["puzzle_id", "title", "author", "url", "width", "height"]
    wanted = rows.select(names).append_column("fixes", fixed).filter(fixed.is_valid()).to_pylist()
    lists = defaultdict(list)
    for row in sorted(wanted, key=lambda row: natural(row["puzzle_id"] or "")):
        lists[row["author"]].append(row)
    most = sorted(lists.items(), key=lambda item: (item[0] is None, -len(item[1]), natural(item[0] or "")))
    names_of = (re.sub(r"[^\w.()-]+", " ", author or NO_AUTHOR)[:NAME_LENGTH].strip() for author, _ in most)
    return {f"{k:04} {name}.txt": _letter(*each) for k, (name, each) in enumerate(zip(names_of, most, strict=True), 1)}


def _letter(author: str | None, rows: list[dict[str, Any]]) -> str:
    entries = "\n".join(map(_entry, rows))
    if not author:
        return entries
    some = "one" if len(rows) == 1 else f"{len(rows):,}"
    greeting = f"Dear {one_line(author)},\n\nPlease look at {some} of your puzzles. {PURPOSE}"
    return f"{greeting}\n\n{entries}\nThank you, and kind regards\n"


def _entry(row: dict[str, Any]) -> str:
    size = f", {row['width']}×{row['height']}" if row["width"] and row["height"] else ""
    link = f"{one_line(row['url'])}\n" if row["url"] else ""
    return f"{puzzle_name(row['puzzle_id'], row['title'])}{size}\n{link}{row['fixes']}\n"


def puzzle_name(puzzle_id: str | None, title: str | None) -> str:
    """Return id and title on one line: webpbn/1 “Heart”."""
    return one_line(f"{puzzle_id or 'no id'}" + (f" “{title}”" if title else ""))


def one_line(text: str) -> str:
    """Return text without line breaks and control characters."""
    return clean(" ".join(text.split()))
