"""Issues of puzzles that the owner of their site would want to look at: duplicates, and what an author has to fix.

What to fix is worded in sentences, and listed for each author as text for a mail.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.clean import clean
from nonocensus.reports.numbers.row_classes import FAILED
from nonocensus.reports.words.formatting import natural

ISSUES = {
    "ambiguous": "several solutions",
    "unmarked ambiguous": "several solutions, which its site does not say",
    "marked ambiguous": "several solutions, as its site says",
    "contradictory": "no solution",
    "undecided": "no proof either way",
    "invalid or failed": "no verdict: impossible as it stands, or an error",
    "picture does not fit": "the author’s picture does not solve the clues",
    "duplicate": "identical to another puzzle, perhaps mirrored or recoloured",
    "near duplicate": "differs from another puzzle in a few of its cells",
    "original": "another puzzle repeats it",
    "site disagrees": "its site says another verdict",
    "to fix": "a fault that its author can remove, other than an ambiguity that the site marks",
}
"""Issues and their meanings."""


LEAST_CELLS = 64
"""Cells of the smallest puzzle whose likeness to another is no coincidence: many authors draw the same 5x5."""


def issues(rows: pa.Table, duplicates: pa.Table) -> np.ndarray:
    """Return the issues of each puzzle, uint16[rows]: one bit for each of ISSUES, the lowest for the first.

    rows        columns puzzle_id, status, width, height, solutions, goal_matches, disputed, unmarked and marked, as
                `reports.numbers.census.Census.shown`
    duplicates  of the schema DUPLICATES
    """
    solutions = pc.fill_null(rows["solutions"], "unknown")
    failed = pc.is_in(rows["status"], pa.array(FAILED))
    near = pc.equal(duplicates["likeness"], "near")
    ambiguous, contradictory = pc.equal(solutions, "multiple"), pc.equal(solutions, "none")
    unlike = pc.fill_null(pc.invert(rows["goal_matches"]), False)
    copies = _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(pc.invert(near)))
    impossible = pc.fill_null(pc.equal(rows["status"], "invalid"), False)
    cells = pc.multiply(rows["width"].cast(pa.int64()), rows["height"].cast(pa.int64()))
    chance = pc.fill_null(pc.less(cells, LEAST_CELLS), True)
    to_fix = (pc.and_not(ambiguous, rows["marked"]), contradictory, impossible, unlike, pc.and_not(copies, chance))
    found = (
        ambiguous,
        rows["unmarked"],
        rows["marked"],
        contradictory,
        pc.and_(pc.equal(solutions, "unknown"), pc.invert(failed)),
        failed,
        unlike,
        copies,
        _among(rows["puzzle_id"], duplicates["puzzle_id"].filter(near)),
        _among(rows["puzzle_id"], duplicates["original"]),
        rows["disputed"],
        reduce(pc.or_, to_fix),
    )
    bits = np.zeros(len(rows), np.uint16)
    for place, which in enumerate(found):
        bits |= which.to_numpy().astype(np.uint16) << place
    return bits


def has_issue(bits: np.ndarray, name: str) -> np.ndarray:
    """Return which puzzles have an issue, bool[rows]; `bits` are what `issues` returned."""
    which: np.ndarray = bits >> list(ISSUES).index(name) & 1 == 1
    return which


def _among(ids: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(ids, value_set=names.combine_chunks(), skip_nulls=True)


def differing(rows: pa.Table) -> pa.Array:
    """Count the cells in which the two solutions of each puzzle differ, int64[rows]; null without two of equal length.

    rows  columns solution and second_solution
    """
    both = pc.equal(pc.binary_length(rows["solution"]), pc.binary_length(rows["second_solution"]))
    counts = np.zeros(len(rows), np.int64)
    there = both.fill_null(False).to_numpy()
    places = np.flatnonzero(there)
    pictures = rows.select(["solution", "second_solution"]).take(pa.array(places))
    for place, one, other in zip(places.tolist(), *(column.to_pylist() for column in pictures.columns), strict=True):
        counts[place] = np.count_nonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))
    return pa.array(counts, mask=~there)


DUPLICATES = pa.schema(
    [
        ("original", pa.string()),
        ("puzzle_id", pa.string()),
        ("likeness", pa.string()),  # equal, turned or near
        ("cells", pa.int64()),  # in which near pictures differ, else null
        ("share", pa.float64()),  # of all cells, likewise
    ]
)
"""One row per duplicate, grouped by original."""


def repeated(shown: pa.Table) -> pa.Table:
    """Find duplicates by canonical hash, as rows of DUPLICATES; the lowest id is the original.

    shown  columns puzzle_id, clue_hash and canonical_hash; null hashes equal nothing
    """
    hashes = shown["canonical_hash"].combine_chunks()
    counted = hashes.value_counts()
    often = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
    twice = pc.and_(pc.is_in(hashes, often), pc.and_(hashes.is_valid(), shown["puzzle_id"].is_valid()))
    rows = shown.select(["canonical_hash", "puzzle_id", "clue_hash"]).filter(twice)
    rows = rows.sort_by([(name, "ascending") for name in rows.column_names])
    made, first = [], None
    for row in rows.to_pylist():
        if first is None or row["canonical_hash"] != first["canonical_hash"]:
            first = row
            continue
        likeness = "equal" if row["clue_hash"] == first["clue_hash"] else "turned"
        made.append({"original": first["puzzle_id"], "puzzle_id": row["puzzle_id"], "likeness": likeness})
    return pa.Table.from_pylist(made, DUPLICATES).sort_by([("original", "ascending"), ("puzzle_id", "ascending")])


NO_AUTHOR = "No author"

FACTS = ("puzzle_id", "solutions", "unmarked", "marked", "status", "error", "goal_matches", "width", "height", "change")


def fixes(rows: pa.Table, duplicates: pa.Table) -> pa.Array:
    """Return what to fix of each puzzle, a sentence a line, string[rows]; null where the issue "to fix" is absent.

    rows        as `reports.numbers.census.Census.shown`
    duplicates  of the schema reports.numbers.issues.DUPLICATES
    """
    places = np.flatnonzero(has_issue(issues(rows, duplicates), "to fix"))
    names = dict(zip(*(rows[name].to_pylist() for name in ("puzzle_id", "title")), strict=True))
    authors = dict(zip(*(rows[name].to_pylist() for name in ("puzzle_id", "author")), strict=True))
    copies = {}
    for original, puzzle_id, likeness, *_ in zip(*duplicates.to_pydict().values(), strict=True):
        if likeness != "near":
            by = f" by {authors[original]}" if authors.get(original) else ""
            turned = ", turned, mirrored or recoloured" if likeness == "turned" else ""
            copies[puzzle_id] = f"The same as {puzzle_name(original, names.get(original))}{by}{turned}."
    facts = rows.select(FACTS).append_column("differing", differing(rows)).take(pa.array(places))
    texts: list[str | None] = [None] * len(rows)
    for place, row in zip(places.tolist(), facts.to_pylist(), strict=True):
        texts[place] = "\n".join(map(one_line, _sentences(row, copies.get(row["puzzle_id"]))))
    return pa.array(texts, pa.string())


def _sentences(row: dict[str, Any], copy: str | None) -> Iterator[str]:
    cells = (row["width"] or 0) * (row["height"] or 0)
    if row["solutions"] == "multiple" and not row["marked"]:
        unsaid = ", which the site does not say" if row["unmarked"] else ""
        apart = f": two of them differ in {row['differing']:,} of {cells:,} cells" if row["differing"] else ""
        yield f"Several solutions{unsaid}{apart}."
        if row["change"]:
            yield f"For one solution: {row['change']}."
    if row["solutions"] == "none":
        yield "No solution: the clues contradict each other."
    elif row["goal_matches"] is False:
        yield "The author’s picture does not solve the clues."
    if row["status"] == "invalid":
        yield f"Impossible clues: {row['error'] or 'no reason given'}."
    if copy and cells >= LEAST_CELLS:
        yield copy


def author_lists(rows: pa.Table, fixed: pa.Array) -> str:
    """Return a list of what to fix for each author, those with the most puzzles first, as plain text.

    rows   as `reports.numbers.census.Census.shown`
    fixed  what `fixes` returned for them
    """
    names = ["puzzle_id", "title", "author", "url", "width", "height"]
    wanted = rows.select(names).append_column("fixes", fixed).filter(fixed.is_valid()).to_pylist()
    lists = defaultdict(list)
    for row in sorted(wanted, key=lambda row: natural(row["puzzle_id"] or "")):
        lists[row["author"]].append(row)
    most = sorted(lists.items(), key=lambda item: (item[0] is None, -len(item[1]), natural(item[0] or "")))
    return "\n\n".join(_author_list(author, those) for author, those in most)


def _author_list(author: str | None, rows: list[dict[str, Any]]) -> str:
    count = f"{len(rows):,} puzzle{'' if len(rows) == 1 else 's'}"
    return f"{one_line(author or NO_AUTHOR)}: {count}\n\n" + "\n".join(map(_entry, rows))


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
