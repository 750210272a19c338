"""What an author has to fix of each puzzle, in sentences; and a list for each author, as text for a mail."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.reports.clean import clean
from nonocensus.reports.formatting import natural
from nonocensus.reports.issues import LEAST_CELLS, differing, has_issue, issues

NO_AUTHOR = "No author"

FACTS = ("puzzle_id", "solutions", "unmarked", "marked", "status", "error", "goal_matches", "width", "height", "change")


def fixes(rows: pa.Table, duplicates: pa.Table) -> pa.Array:
    """Return what to fix of each puzzle, a sentence a line, string[rows]; null where the issue "to fix" is absent.

    rows        as `reports.census.Census.shown`
    duplicates  of the schema reports.issues.DUPLICATES
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

    rows   as `reports.census.Census.shown`
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
