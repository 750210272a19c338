"""Rows for the puzzle browser: puzzles of every kind made by code, their results as a run would have them."""

import base64
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from census_figures import Pairs, failed

from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.joined_columns import NO_GRADES
from nonocensus.reports.page.browser import Browser
from nonocensus.scrapers.pictures.rules import random_pictures
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, BLOT, Block, Clue, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import GRADES, MENDINGS, PUZZLES, RESULTS, puzzle_batch
from nonocensus.solver.model.techniques import TECHNIQUES

EVIL = "<img src=x onerror=\"document.title='evil'\"><script>document.title='evil'</script>"
COLORS = (
    *BLACK_ON_WHITE,
    Color("red", "r", "d02020"),
    Color("pale yellow", "y", "ffff99"),
    Color("sky", "s", "3399FF"),
)

HEART = np.array([[int(cell) for cell in row] for row in ("01010", "11111", "11111", "01110", "00100")], np.uint8)
FLAG = np.array([[2, 2, 2, 0, 3, 3], [2, 0, 1, 1, 0, 3], [4, 4, 4, 4, 4, 0]], np.uint8)
SWITCH = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], np.uint8)
OTHER = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1]], np.uint8)
"""Not a solution of the clues of SWITCH; the page draws what the table says."""

FIXED = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 2]], np.uint8)
CHANGE = "2 cells of the picture changed: row 3 column 1 white, row 3 column 3 <b>red"
"""Nearer to OTHER than to SWITCH, in a colour that neither has."""


def browsable(fillers: int = 400) -> Pairs:
    """Return a pair of tables: the puzzles of `special`, and random ones with ids random/0 and up."""
    made = [*special(), *(filler(k) for k in range(fillers))]
    results = pa.Table.from_pylist([result for result, _ in made], schema=RESULTS)
    puzzles = [
        pa.Table.from_pylist([{}], schema=PUZZLES) if puzzle is None else pa.table(puzzle_batch([puzzle]))
        for _, puzzle in made
    ]
    return [(results, pa.concat_tables(puzzles))]


def special() -> list[tuple[dict[str, Any], Puzzle | None]]:
    """Return one of each: its result, and the puzzle if it is known."""
    heart = from_picture(HEART, puzzle_id="made/heart", source="made", title="Heart", author="Zoë")
    flag = from_picture(FLAG, COLORS, puzzle_id="made/flag", source="made", title="Flag", url="https://example.org/1")
    blots = replace(blotted(flag), puzzle_id="made/blots", title="Blots", url="javascript:alert(1)")
    open_ = replace(heart, puzzle_id="made/open", title="Open", goal=None, author=None)
    drawn = replace(heart, puzzle_id="made/drawn", title="Drawn only")
    two = from_picture(SWITCH, puzzle_id="made/two", source="made", title="Two")
    bad = replace(heart, puzzle_id="made/bad", title="Bad", rows=((Block(9),), *heart.rows[1:]), goal=None)
    evil = replace(heart, puzzle_id=f"made/{EVIL}", title=EVIL, author=EVIL, site_note=EVIL)
    return [
        (solved(heart, 2.0), heart),
        (solved(flag, 3.0), flag),
        (solved(blots, 4.0), blots),
        (late(open_, 60.0), open_),
        (late(drawn, 59.0), drawn),
        (
            solved(two, 5.0, "multiple", second_solution=OTHER.tobytes(), solutions="multiple", technique=None)
            | {"goal_matches": False, "clue_hash": hash_of(two)},
            two,
        ),
        (failed(bad.puzzle_id, "invalid", "row 1: too long"), bad),
        (solved(evil, 6.0, error=EVIL), evil),
        (failed("lost/1", "killed", "out of memory"), None),
    ]


def hash_of(puzzle: Puzzle) -> str:
    """Its clue hash."""
    return str(puzzle_batch([puzzle])["clue_hash"][0].as_py())


def mendings() -> pa.Table:
    """Return mendings of the puzzle with two solutions, preceded by one of its id with other clues."""
    found = from_picture(SWITCH, puzzle_id="made/two")
    row = {"puzzle_id": found.puzzle_id, "change": CHANGE, "cells": 2, "mended": FIXED.tobytes()}
    others = row | {"clue_hash": hash_of(from_picture(HEART)), "change": "of other clues", "mended": bytes(9)}
    return pa.Table.from_pylist([others, row | {"clue_hash": hash_of(found)}], schema=MENDINGS)


def graded(fillers: int = 400) -> tuple[Pairs, pa.Table]:
    """Return rows of `browsable`, and grades of the random ones: each technique in turn; of each 17th puzzle none."""
    ((results, puzzles),) = browsable(fillers)
    results = results.set_column(results.schema.get_field_index("clue_hash"), "clue_hash", puzzles["clue_hash"])
    rows = []
    for k in range(fillers):
        technique, place = TECHNIQUES[k % 17 % len(TECHNIQUES)], len(special()) + k
        if k % 17 < len(TECHNIQUES):
            row = {"puzzle_id": f"random/{k}", "clue_hash": results["clue_hash"][place].as_py(), "status": "ok"}
            row |= {"grade": technique.grade, "hardest": technique.name, "looks": 5 * k, "work": k / 8}
            rows.append(row | ({} if technique.grade == 9 else {"minutes": (1 + k) / 8, "stars": 1 + k % 33 / 8}))
    return [(results, puzzles)], pa.Table.from_pylist(rows, schema=GRADES)


def blotted(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle with the first number of each clue hidden."""

    def hidden(clues: Sequence[Clue]) -> tuple[Clue, ...]:
        return tuple((Block(BLOT, clue[0].color), *clue[1:]) if clue else clue for clue in clues)

    return replace(puzzle, rows=hidden(puzzle.rows), columns=hidden(puzzle.columns))


def filler(k: int) -> tuple[dict[str, Any], Puzzle]:
    """Random puzzle number k with its result; times differ from puzzle to puzzle."""
    width, height = 5 + k % 30, 4 + k % 7
    picture = random_pictures(width, height, 0.5, 1, k, k + 1)[0]
    about = {"puzzle_id": f"random/{k}", "source": "random", "author": f"Author {k % 10}" if k % 3 else None}
    puzzle = from_picture(picture, title=f"Picture {k}" if k % 5 else None, **about)
    label, technique = (("unique line", "line"), ("unique depth-2", "depth-2"), ("unique", "probe"))[k % 3]
    return solved(puzzle, 0.001 * (1 + k * 37 % 401), label, technique=technique, nodes=k), puzzle


def solved(puzzle: Puzzle, cpu_seconds: float, label: str = "unique line", **more: Any) -> dict[str, Any]:
    """Return the result of a puzzle whose goal is a solution."""
    assert puzzle.goal is not None
    row = {"puzzle_id": puzzle.puzzle_id, "status": "ok", "solutions": "unique", "technique": "line", "label": label}
    row |= {"solution": puzzle.goal.tobytes(), "goal_matches": True, "cells": puzzle.goal.size, "line_solves": 1234}
    return row | {"cpu_seconds": cpu_seconds, "cells_after_line": puzzle.goal.size} | more


def late(puzzle: Puzzle, cpu_seconds: float) -> dict[str, Any]:
    """Return the result of a puzzle that the time did not suffice for."""
    row = {"puzzle_id": puzzle.puzzle_id, "status": "timeout", "solutions": "unknown", "label": "timeout"}
    return row | {"cpu_seconds": cpu_seconds, "cells": puzzle.width * puzzle.height}


def rows_of(pairs: Pairs, grades: pa.Table = NO_GRADES) -> pa.Table:
    """Return the rows that a report of these tables shows one by one, with `mendings`."""
    return take_census(pairs, mendings=mendings(), grades=grades).shown


def unpacked(text: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return a block's head and arrays."""
    line, data = zlib.decompress(base64.b64decode(text)).split(b"\n", 1)
    head, arrays, place = json.loads(line), {}, 0
    for name, dtype, length in head["arrays"]:
        array = np.frombuffer(data, np.dtype(dtype).newbyteorder("<"), length, place)
        place += array.nbytes
        planes = array.view(np.uint8).reshape(4, -1) if dtype == "uint32" else None
        arrays[name] = array if planes is None else np.ascontiguousarray(planes.T).view("<u4").ravel()
    return head, arrays


def columns_of(made: Browser) -> dict[str, list[Any]]:
    """Return the columns of the list, null for null."""
    head, arrays = unpacked(made.table)
    columns: dict[str, list[Any]] = {}
    for name, array in arrays.items():
        words = head["words"].get(name)
        if array.dtype == np.float32:
            columns[name] = [None if math.isnan(value) else value for value in array.tolist()]
        elif words is not None:
            columns[name] = [words[code - 1] if code else None for code in array.tolist()]
        else:
            columns[name] = [int(code) - 1 if code else None for code in array.tolist()]
    columns["contents"] = arrays["contents"].tolist()
    return columns
