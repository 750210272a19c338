"""Small hand-made results and puzzles tables."""

from typing import Any

import pyarrow as pa

from solver.tables import PUZZLES, RESULTS

BLACK_ON_WHITE = [{"name": "white", "symbol": ".", "rgb": "ffffff"}, {"name": "black", "symbol": "X", "rgb": "000000"}]


def results(*rows: dict[str, Any]) -> pa.Table:
    """A results table of these rows; columns that they leave out are null."""
    return pa.Table.from_pylist(list(rows), schema=RESULTS)


def puzzles(*rows: dict[str, Any]) -> pa.Table:
    """A puzzles table of these rows; columns that they leave out are null."""
    return pa.Table.from_pylist(list(rows), schema=PUZZLES)


def solved(puzzle_id: str, cpu_seconds: float, label: str = "unique line", **more: Any) -> dict[str, Any]:
    """The result of a puzzle of 4 cells that line logic solves, or another one by `label` and `more`."""
    row = {"puzzle_id": puzzle_id, "status": "ok", "solutions": "unique", "technique": "line", "trivial": False}
    return row | {"label": label, "cpu_seconds": cpu_seconds, "cells": 4, "cells_after_line": 4} | more


def failed(puzzle_id: str, status: str, error: str) -> dict[str, Any]:
    """The result of a puzzle without a verdict."""
    return {"puzzle_id": puzzle_id, "status": status, "solutions": "unknown", "error": error}


def known(puzzle_id: str, width: int = 2, height: int = 2, **more: Any) -> dict[str, Any]:
    """A row of the puzzles table."""
    row = {"puzzle_id": puzzle_id, "source": puzzle_id.split("/")[0], "kind": "mono", "blotted": False}
    return row | {"width": width, "height": height, "palette": BLACK_ON_WHITE} | more


RESULTS_TABLE = results(
    solved("webpbn/1", 0.001, "trivial unique line", trivial=True, goal_matches=True),
    solved("webpbn/2", 0.002, goal_matches=True),
    solved("webpbn/3", 0.01, "unique depth-2", technique="depth-2", cells_after_line=1, goal_matches=False),
    solved("webpbn/4", 0.1, "multiple", solutions="multiple", technique=None, cells_after_line=3),
    solved("local/5", 0.02, "contradiction", solutions="none", cells_after_line=2),
    solved("local/6", 60.0, "timeout", status="timeout", solutions="unknown", technique=None, cells_after_line=2),
    failed("local/7", "invalid", "row 1: too long"),
    failed("lost/8", "killed", "out of memory"),
)

PUZZLES_TABLE = puzzles(
    known("local/7", 300, 2),
    known("local/6", 30, 31, kind="color", title="Knot", author="Jan"),
    known("local/5", 15, 10, blotted=True),
    known("webpbn/4", 11, 15),
    known("webpbn/3", 10, 10, kind="color", blotted=True),
    known("webpbn/2", 2, 2),
    known("webpbn/1", 2, 2),
    known("webpbn/1", 99, 99, source="twice"),
    known("webpbn/99", 50, 50, source="without a result"),
)
