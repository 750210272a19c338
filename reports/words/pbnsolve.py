"""Verdicts as Jan Wolter's pbnsolve 1.10 prints them: the words of its option -b, and the XML of -h and pbnsolve.cgi.

They answer as `pbnsolve -u -aLHEGPC` would: uniqueness is always checked. Where pbnsolve's manual and its program
differ, the words are the program's (`unique logical`), but for one: at the CPU limit the program says `timeout` even if
it has found a solution, where the manual has `solvable`, which says more. What else may differ is what the words mean:

- `depth-N` does not depend here on the order in which cells are tried (solver.ladder.lookahead);
- `trivial` and <difficulty> count line solves, which each program counts of its own solver;
- <logic> is left out unless it is known of the whole puzzle, and <alt> is there for every puzzle of several solutions;
- for what is not solved to the end <status> is FAIL, where pbnsolve says that it has more than one solution.
"""

from typing import Any

import numpy as np

from nonocensus.scrapers.formats import webpbn_xml
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import picture

NO_SOLUTION = "Puzzle has no solution"
UNDECIDED = "Puzzle is not solved to its end"


def brief(row: dict[str, Any]) -> str:
    """Return the verdict of a row of the results table in pbnsolve's words, on one line.

    [trivial ]unique logical, unique depth-N, unique, multiple, contradiction, solvable (a solution is known, and not
    whether there are others), timeout, stalled. Clues that no picture can have are a contradiction. Raises ValueError
    for a row without a verdict (status error or killed).
    """
    if row["status"] == "invalid":
        return "contradiction"
    if row["label"] is None:
        raise ValueError(f"{row['puzzle_id']}: {row['error']}")
    if row["solutions"] == "unknown" and row["solution"] is not None:
        return "solvable"
    return str(row["label"]).replace("unique line", "unique logical")


def xml(puzzle: Puzzle, row: dict[str, Any]) -> str:
    """A puzzle's row of the results table as a `<data>` document in ASCII: well-formed whatever the puzzle's texts are.

    status       OK; TIMEOUT; FAIL: and why there is no answer
    unique       1 or 0
    alt          of several solutions one that is not the goal, one line per row, in the palette's symbols
    logic        1 if line logic solves it, 2 if depth-N is needed; absent if more is, or nothing is known
    difficulty   the measure `score` as a whole number; absent where nothing was solved
    """
    if row["status"] == "timeout":
        return _document("TIMEOUT")
    if row["status"] == "invalid":
        return failure(f"{NO_SOLUTION} ({row['error']})")
    if row["status"] != "ok":
        return failure(row["error"] or row["status"])
    difficulty = f"<difficulty>{int(row['score'])}</difficulty>"
    if row["solutions"] in ("none", "unknown"):
        return failure(NO_SOLUTION if row["solutions"] == "none" else UNDECIDED, difficulty)
    unique = row["solutions"] == "unique"
    technique = row["technique"] or ""
    logic = 1 if technique == "line" else 2 if technique.startswith("depth-") else None
    return _document(
        "OK",
        f"<unique>{int(unique)}</unique>",
        *([] if unique else ["<alt>", *_alternative(puzzle, row), "</alt>"]),
        *([] if logic is None else [f"<logic>{logic}</logic>"]),
        difficulty,
    )


def failure(reason: str, *elements: str) -> str:
    """Return the document for what could not be solved, or not even read."""
    return _document(f"FAIL: {' '.join(reason.split())}", *elements)


def _document(status: str, *elements: str) -> str:
    """Return a `<data>` document with a status, which is escaped, and further lines of XML."""
    lines = ["<data>", f"<status>{webpbn_xml.content(status)}</status>", *elements, "</data>"]
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode()


def _alternative(puzzle: Puzzle, row: dict[str, Any]) -> list[str]:
    """Return the lines of a solution that is not the goal."""
    found = [picture(row[name], puzzle.width, puzzle.height) for name in ("second_solution", "solution")]
    other = found[0] if puzzle.goal is None or not np.array_equal(found[0], puzzle.goal) else found[1]
    symbols = [color.symbol for color in webpbn_xml.writable_palette(puzzle.palette)]
    return [webpbn_xml.content("".join(symbols[cell] for cell in line)) for line in other.tolist()]
