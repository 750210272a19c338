"""Small hand-made results and puzzles, paired."""

from typing import Any

import pyarrow as pa

from nonocensus.solver.model.tables import PUZZLES, RESULTS

Pairs = list[tuple[pa.Table, pa.Table]]
Row = dict[str, Any]

BLACK_ON_WHITE = [{"name": "white", "symbol": ".", "rgb": "ffffff"}, {"name": "black", "symbol": "X", "rgb": "000000"}]


def pairs(*rows: tuple[Row, Row] | Row) -> Pairs:
    """Return one pair of tables of these rows, each a result and its puzzle, or a result whose puzzle is not known.

    Columns that they leave out are null.
    """
    both = [row if isinstance(row, tuple) else (row, {}) for row in rows]
    results = pa.Table.from_pylist([result for result, _ in both], schema=RESULTS)
    return [(results, pa.Table.from_pylist([puzzle for _, puzzle in both], schema=PUZZLES))]


def solved(puzzle_id: str, cpu_seconds: float, label: str = "unique line", **more: Any) -> dict[str, Any]:
    """Return the result of a puzzle of 4 cells that line logic solves, or another one by `label` and `more`."""
    row = {"puzzle_id": puzzle_id, "status": "ok", "solutions": "unique", "technique": "line", "trivial": False}
    counted = {"line_solves": round(1e6 * cpu_seconds), "cells": 4, "cells_after_line": 4}
    return row | {"label": label, "cpu_seconds": cpu_seconds} | counted | more


def failed(puzzle_id: str, status: str, error: str) -> dict[str, Any]:
    """Return the result of a puzzle without a verdict."""
    return {"puzzle_id": puzzle_id, "status": status, "solutions": "unknown", "error": error}


def known(puzzle_id: str, width: int = 2, height: int = 2, **more: Any) -> dict[str, Any]:
    """Return a row of the puzzles table."""
    row = {"puzzle_id": puzzle_id, "source": puzzle_id.split("/")[0], "kind": "mono", "blotted": False}
    return row | {"width": width, "height": height, "palette": BLACK_ON_WHITE} | more


PAIRS = pairs(
    (solved("webpbn/1", 0.001, "trivial unique line", trivial=True, goal_matches=True), known("webpbn/1")),
    (solved("webpbn/2", 0.002, goal_matches=True), known("webpbn/2")),
    (
        solved("webpbn/3", 0.01, "unique depth-2", technique="depth-2", cells_after_line=1, goal_matches=False),
        known("webpbn/3", 10, 10, kind="color", blotted=True),
    ),
    (
        solved("webpbn/4", 0.1, "multiple", solutions="multiple", technique=None, cells_after_line=3),
        known("webpbn/4", 11, 15),
    ),
    (
        solved("local/5", 0.02, "contradiction", solutions="none", cells_after_line=2),
        known("local/5", 15, 10, blotted=True),
    ),
    (
        solved("local/6", 60.0, "timeout", status="timeout", solutions="unknown", technique=None, cells_after_line=2),
        known("local/6", 30, 31, kind="color", title="Knot", author="Jan"),
    ),
    (failed("local/7", "invalid", "row 1: too long"), known("local/7", 300, 2)),
    failed("lost/8", "killed", "out of memory"),
)
