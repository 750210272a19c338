"""Puzzle files with random mutations, to fuzz the readers."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache

import numpy as np
import pyarrow as pa

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, in_batches, read_in_bulk
from nonocensus.scrapers.formats import Format, FormatError, jsonl, netpbm, png, taai
from nonocensus.scrapers.formats.writing import REQUIRED_FEATURES, missing_features
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, WHITE, Block, Color, InvalidPuzzle, Puzzle, from_picture
from nonocensus.solver.model.tables import PUZZLES

USUAL = (
    *BLACK_ON_WHITE,
    Color("red", "r", "ff0000"),
    Color("dark green", "%", "00b000"),
)


def can_hold(puzzle: Puzzle, known: Format) -> bool:
    """Return whether a format can hold all that is part of a puzzle."""
    if known is taai and puzzle.width != puzzle.height:
        return False
    only_black = puzzle.colors <= 1 and puzzle.palette[1].rgb == BLACK_ON_WHITE[1].rgb
    if (
        known in (netpbm, png)
        and not (only_black and known is netpbm)
        and puzzle.goal is not None
        and puzzle.goal.all()
    ):
        return False  # its background is nowhere to be seen
    return not any(word in REQUIRED_FEATURES for word in missing_features(puzzle, known.HOLDS))


def drawn() -> list[Puzzle]:
    """Return some small puzzles, a third of them black on white."""
    cells = np.random.default_rng(3).integers(0, 4, (6, 5, 5)).astype(np.uint8)
    return [from_picture(picture * (picture <= k % 3 + 1), USUAL) for k, picture in enumerate(cells)]


def samples(known: Format) -> list[bytes]:
    """Return some sound files of a format."""
    return [known.write(puzzle) for puzzle in drawn() if can_hold(puzzle, known)]


def refusal(known: Format, data: bytes) -> str | None:
    """Return what a reader says is wrong with a file."""
    try:
        for puzzle in known.read(data):
            assert puzzle.width * puzzle.height > 0
    except (FormatError, InvalidPuzzle) as error:
        return str(error)
    return None


JSON_TOKENS = rb"""
"rows":[[[1,1]]], "columns":[], "\u0072ows":[[[1,1]]], "title":"\ud83d\ude00", "title":"\ud800", "license":"\xe4",
"x":1, "width":5, "width":5.0, "width":null, "width":99999999999999999999, "goal":"0", "site_steps":4294967296,
"url":null, "site_difficulty":210, "site_difficulty":1e400, "site_quality":NaN, "site_seconds":1e9, "site_seconds":-5,
"source":null, "source":"griddlers", "source":"webpbn", "puzzle_id":"a/b", "puzzle_id":null,
"palette":[["white",".","ffffff"]], "palette":[], "palette":null, "site_date":"2024-02-30",
"fetched_at":"9999-12-31T23:59:59-23:59",
[0,1], [1023,31] [1024,1] [1,32] [1,4] [1,0] [-0,1] [01,1] [1.0,1] [1e0,1] ["1",1] [true,1] [1] [1,1,1] [[1,1],]
[[1,1]], [] , { } }, : " \ null
""".split()

BLANKS = (b"\xef\xbb\xbf", b"\r\n", b"\r", b" ", b"\t", b"\n \n", b"}\n{", b"\0")

LINE_TOKENS = [*JSON_TOKENS, b"[" * 2000, b"[[1,1]]," * 1100, b"[1,1]," * 1100, *BLANKS]
"""What the reader of large files of JSON lines might read differently."""


@cache
def lines_of_json() -> list[bytes]:
    """Return sound lines: with all fields or none, colours in any order, blanks or none, clues first or last."""
    about = {"title": 'B\u00e4r "x"', "site_date": date(2020, 2, 29), "fetched_at": datetime(2024, 8, 1, tzinfo=UTC)}
    rated = {"source": "griddlers", "site_difficulty": 210.0, "site_quality": 61.4, "site_steps": 7}
    full = [replace(puzzle, puzzle_id="griddlers/1", **about, **rated) for puzzle in drawn()]  # type: ignore[arg-type]
    plain = [replace(puzzle, goal=None) for puzzle in map(recolored, drawn())]
    lines = [*map(jsonl.write, [*map(recolored, drawn()), *full, *plain])]
    spaced = [json.dumps(json.loads(line)).encode() + b"\n" for line in lines[-3:]]
    return [*lines, *spaced, b'{"title":"last",' + lines[-1][1:]]


def recolored(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with its colours, the background aside, in reverse order."""
    count = len(puzzle.palette)
    rows, columns = (
        tuple(tuple(Block(block.length, count - block.color) for block in clue) for clue in side)
        for side in (puzzle.rows, puzzle.columns)
    )
    goal = None if puzzle.goal is None else np.where(puzzle.goal == 0, 0, count - puzzle.goal).astype(np.uint8)
    return replace(puzzle, rows=rows, columns=columns, palette=(WHITE, *puzzle.palette[:0:-1]), goal=goal)


def mutated_lines(source: random.Random) -> bytes:
    """Return a file of several JSON lines, mutated or not."""
    parts = source.choices(lines_of_json(), k=source.randint(1, 4))
    return b"".join(mutated(part, source, LINE_TOKENS) if source.random() < 0.6 else part for part in parts)


def rows_and_problems(data: bytes, bulk_bytes: int) -> tuple[pa.Table, list[Problem]]:
    """Return what is imported from JSON lines, and why not the rest, by the quick reader from `bulk_bytes` on."""
    read = read_in_bulk([SourceFile("x.jsonl", data)], jsonl, bulk_bytes)
    items = list(in_batches(read, max_rows=100))
    batches = [item for item in items if isinstance(item, pa.RecordBatch)]
    return pa.Table.from_batches(batches, PUZZLES), [item for item in items if isinstance(item, Problem)]


def mutated(data: bytes, source: random.Random, tokens: Sequence[bytes] = ()) -> bytes:
    """Return a file with some of its bytes changed, lost, moved or repeated, or with tokens inserted."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        place = source.randrange(len(changed) + 1)
        match source.randrange(9 if tokens else 5):
            case 0:
                changed[place : place + 1] = bytes([source.randrange(256)])
            case 1:
                del changed[place : place + source.randint(1, 9)]
            case 2:
                changed[place:place] = changed[source.randrange(len(changed) + 1) :][: source.randint(1, 30)]
            case 3:
                changed[place:place] = source.choice(
                    [b"0", b"99999999999", b"-1", b"\n", b"\n\n", b"{", b"[", b'"', b"\xff"]
                )
            case 4:
                changed[place:place] = b"1 " * source.choice([1, 3, 2000])
            case _:
                borders = [place for place, byte in enumerate(changed) if byte in b"{[,:]}"] or [place]
                place = source.choice(borders) + source.randrange(2)
                changed[place:place] = source.choice(tokens)
    return bytes(changed)
