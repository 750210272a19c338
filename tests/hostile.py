"""Rows of the puzzles table as untrusted files may contain them: some valid, the rest invalid in every way.

Everything is drawn from a NumPy generator, batch-wise, so that a million is soon drawn. `sound` says by plain Python
which rows a solver may be given.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa

from nonocensus.scrapers.pictures.recipe import views_of
from nonocensus.solver.model.puzzle import Block, Color, Puzzle
from nonocensus.solver.model.tables import LINES, PUZZLES
from nonocensus.solver.model.views import Clues

EVIL_SIDES = (0, 1, 2, 3, 5, 63, 64, 1023, 1024, 65535)
EVIL_LENGTHS = (0, 1, 2, 3, 4, 6, 1023, 1024, 65535)
EVIL_COLORS = (0, 1, 2, 3, 4, 30, 31, 32, 128, 255)

NESTED = ("rows", "columns", "goal", "clue_hash", "puzzle_id")
"""Decisive columns that have offsets."""

PALETTE = tuple(Color(f"color {k}", chr(ord("A") + k), "000000") for k in range(32))


class Ragged(NamedTuple):
    """The clues of one side: lines of each puzzle, blocks of each line, length and colour of each block."""

    lines: np.ndarray
    blocks: np.ndarray
    length: np.ndarray
    color: np.ndarray


def hostile_batch(rng: np.random.Generator, count: int, most: int = 6) -> pa.RecordBatch:
    """Return a batch of `rows` rows, valid ones with sides of up to `most` cells; possibly a slice of a longer batch.

    It is readable (solver.model.tables.check_readable), whatever its numbers are.
    """
    before, after = rng.integers(0, 4, 2).tolist()
    total = max(1, before + count + after)
    groups = np.bincount(rng.integers(0, 1 + total // 64, total))
    drawn = [_group(rng, int(size), most) for size in groups if size]
    width, height = (np.concatenate([group.sides[k] for group in drawn]) for k in (0, 1))
    rows, columns = _joined([group.rows for group in drawn]), _joined([group.columns for group in drawn])
    pictures = [picture for group in drawn for picture in group.pictures]
    harm = rng.choice([0.0, 0.05, 0.4])
    if rng.random() < 0.5:
        width, height = (_struck(rng, side, EVIL_SIDES, harm / 4) for side in (width, height))
    rows, columns = _harmed(rng, rows, harm), _harmed(rng, columns, harm)
    arrays = {
        "puzzle_id": pa.array([f"evil/{k}" if k % 99 else None for k in range(total)]),
        "clue_hash": _hashes(rng, pictures),
        "width": _array(rng, width, pa.uint16(), harm),
        "height": _array(rng, height, pa.uint16(), harm),
        "rows": _column(rng, rows, harm),
        "columns": _column(rng, columns, harm),
        "goal": _goals(rng, pictures),
    }
    columns_of_all = [arrays.get(field.name, pa.nulls(total, field.type)) for field in PUZZLES]
    return pa.RecordBatch.from_arrays(columns_of_all, schema=PUZZLES).slice(before, count)


class Group(NamedTuple):
    """Puzzles of one size: widths and heights, clues, pictures."""

    sides: tuple[np.ndarray, np.ndarray]
    rows: Ragged
    columns: Ragged
    pictures: list[np.ndarray]


def _group(rng: np.random.Generator, count: int, most: int) -> Group:
    """Return the columns may be those of other pictures, with equal totals."""
    height, width = rng.integers(1, most + 1, 2).tolist()
    colors = rng.choice([1, 1, 2, 3, 31])
    weights = np.full(colors + 1, rng.random() / colors)
    weights[0] = 1 - weights[1:].sum()
    pictures = rng.choice(colors + 1, (count, height, width), p=weights).astype(np.uint8)
    others = pictures
    if rng.random() < 0.3:
        others = rng.permuted(pictures.reshape(count, -1), axis=1).reshape(pictures.shape)
    hidden = rng.choice([0.0, 0.0, 0.2, 1.0])
    rows, columns = (
        _hidden(rng, _ragged(clues), hidden) for clues in (views_of(pictures).rows, views_of(others).columns)
    )
    return Group((np.full(count, width), np.full(count, height)), rows, columns, list(pictures))


def _ragged(clues: Clues) -> Ragged:
    return Ragged(np.diff(clues.lines), np.diff(clues.blocks), clues.length.astype(np.int64), clues.color)


def _hidden(rng: np.random.Generator, side: Ragged, share: float) -> Ragged:
    return side._replace(length=np.where(rng.random(len(side.length)) < share, 0, side.length))


def _joined(parts: Sequence[Ragged]) -> Ragged:
    return Ragged(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _harmed(rng: np.random.Generator, side: Ragged, harm: float) -> Ragged:
    """Return the clues with some numbers exchanged, and lines and blocks moved to a neighbour."""
    kind = rng.integers(0, 5)
    if kind == 0:
        return side._replace(length=_struck(rng, side.length, EVIL_LENGTHS, harm / 4))
    if kind == 1:
        return side._replace(color=_struck(rng, side.color, EVIL_COLORS, harm / 4))
    if kind == 2:
        return side._replace(lines=_moved(rng, side.lines, harm))
    if kind == 3:
        return side._replace(blocks=_moved(rng, side.blocks, harm / 4))
    return side


def _struck(rng: np.random.Generator, values: np.ndarray, evil: Sequence[int], share: float) -> np.ndarray:
    return np.where(rng.random(len(values)) < share, rng.choice(evil, len(values)), values)


def _moved(rng: np.random.Generator, counts: np.ndarray, share: float) -> np.ndarray:
    """Counts of which some have given one, or all, to the next."""
    counts = counts.copy()
    for k in np.flatnonzero(rng.random(len(counts) - 1) < share).tolist() if len(counts) > 1 else ():
        given = counts[k] if rng.random() < 0.1 else min(counts[k], 1)
        counts[k] -= given
        counts[k + 1] += given
    return counts


def _hashes(rng: np.random.Generator, pictures: list[np.ndarray]) -> pa.Array:
    """Clue hashes: those that pictures deserve, or a few that say nothing, or nulls."""
    kind = rng.integers(0, 4)
    if kind == 0:
        return pa.nulls(len(pictures), pa.string())
    if kind == 1:
        return pa.array(rng.choice(["same", "other", ""], len(pictures)).tolist(), pa.string())
    right = [f"{picture.shape} {crc32(picture.tobytes())}" for picture in pictures]
    return pa.array([text if rng.random() < 0.9 else None for text in right], pa.string())


def _goals(rng: np.random.Generator, pictures: list[np.ndarray]) -> pa.Array:
    """Return the pictures, or other ones, or pieces of them, or more than them, or none."""
    kinds, cut = rng.integers(0, 8, len(pictures)).tolist(), rng.random(len(pictures)).tolist()
    goals: list[bytes | None] = []
    for picture, kind, share in zip(pictures, kinds, cut, strict=True):
        cells = picture.tobytes()
        other = bytes([1, 200, 255] * len(cells))[: len(cells)]
        wrong = {0: None, 1: cells[: int(share * len(cells))], 2: cells + b"\0", 3: other}
        goals.append(wrong.get(kind, cells))
    return pa.array(goals, pa.binary())


def _valid(rng: np.random.Generator, count: int, share: float) -> pa.Buffer | None:
    """Return a bitmap with a share of nulls, or none."""
    if rng.random() < 0.7:
        return None
    return pa.py_buffer(np.packbits(rng.random(count) >= share, bitorder="little"))


def _array(rng: np.random.Generator, values: np.ndarray, kind: pa.DataType, harm: float) -> pa.Array:
    """Return numbers, under some of them a null."""
    buffer = pa.py_buffer(values.astype(kind.to_pandas_dtype()))
    return pa.Array.from_buffers(kind, len(values), [_valid(rng, len(values), harm / 8), buffer])


def _column(rng: np.random.Generator, side: Ragged, harm: float) -> pa.ListArray:
    """Return a column of clues, with nulls at any depth, and perhaps with something before and behind its lines and
    blocks.
    """
    front, back = rng.integers(0, 4, (2, 2)).tolist() if rng.random() < 0.5 else ([0, 0], [0, 0])
    length = np.concatenate([rng.choice(EVIL_LENGTHS, front[0]), side.length, rng.choice(EVIL_LENGTHS, back[0])])
    color = np.concatenate([rng.choice(EVIL_COLORS, front[0]), side.color, rng.choice(EVIL_COLORS, back[0])])
    numbers = [_array(rng, length, pa.uint16(), harm / 8), _array(rng, color, pa.uint8(), harm / 8)]
    kind = LINES.value_type.value_type
    blocks = pa.Array.from_buffers(kind, len(length), [_valid(rng, len(length), harm / 8)], children=numbers)
    counts = np.concatenate([np.zeros(front[1], np.int64), side.blocks, np.zeros(back[1], np.int64)])
    lines = _lists(rng, LINES.value_type, counts, front[0], blocks, harm / 8)
    return _lists(rng, LINES, side.lines, front[1], lines, harm / 8)


def _lists(
    rng: np.random.Generator, kind: pa.DataType, counts: np.ndarray, first: int, values: pa.Array, harm: float
) -> pa.ListArray:
    offsets = pa.py_buffer((first + np.concatenate([[0], np.cumsum(counts)])).astype(np.int32))
    return pa.Array.from_buffers(kind, len(counts), [_valid(rng, len(counts), harm), offsets], children=[values])


def damaged_batch(rng: np.random.Generator, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch as it comes out of an IPC stream in which one offset of one column is negative, too high or too
    low.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data = bytearray(sink.getvalue())
    stream = pa.py_buffer(data)
    column = pa.ipc.open_stream(stream).read_next_batch()[str(rng.choice(NESTED))]
    while pa.types.is_list(column.type) and pa.types.is_list(column.type.value_type) and rng.random() < 0.5:
        column = column.values
    address = column.buffers()[1].address - stream.address
    offsets = np.frombuffer(data, np.int32, len(column) + 1, address)
    place = int(rng.integers(0, len(offsets)))
    evil = [-1, -(1 << 31), int(offsets[place:].max()) + 1, (1 << 31) - 1]
    # the last offset may be lower than the length of what it leads into, but not lower than the one before
    offsets[place] = rng.choice(evil[2:] if place + 1 < len(offsets) else [evil[0], evil[1], evil[3]])
    return pa.ipc.open_stream(stream).read_next_batch()


def sound(row: dict[str, Any]) -> bool:
    """Return whether a row of the table, as a dictionary, is a puzzle whose clue sums are consistent."""
    width, height, rows, columns = (row[name] for name in ("width", "height", "rows", "columns"))
    if None in (width, height, rows, columns) or not (1 <= width <= 1023 and 1 <= height <= 1023):
        return False
    if len(rows) != height or len(columns) != width or None in rows or None in columns:
        return False
    least: list[dict[int, int]] = []
    blotted: list[set[int]] = []
    for lines, cells in ((rows, width), (columns, height)):
        painted: dict[int, int] = {}
        open_colors = set()
        for line in lines:
            if any(block is None or None in block.values() for block in line):
                return False
            needed, last = 0, None
            for length, color in (block.values() for block in line):
                if not 1 <= color <= 31:
                    return False
                needed += max(length, 1) + (color == last)
                painted[color] = painted.get(color, 0) + max(length, 1)
                last = color
                if length == 0:
                    open_colors.add(color)
            if needed > cells:
                return False
        least.append(painted)
        blotted.append(open_colors)
    for color in least[0].keys() | least[1].keys():
        ours, theirs = (painted.get(color, 0) for painted in least)
        if (ours < theirs and color not in blotted[0]) or (theirs < ours and color not in blotted[1]):
            return False
    return True


def puzzle_of(row: dict[str, Any]) -> Puzzle:
    """Return a sound row as a Puzzle."""
    sides = (tuple(tuple(Block(**block) for block in line) for line in row[name]) for name in ("rows", "columns"))
    return Puzzle(*sides, PALETTE)


def table(**columns: Any) -> pa.RecordBatch:
    """Return rows of the puzzles table; what is not given is null."""
    count = len(next(iter(columns.values())))
    arrays = [
        columns[field.name] if isinstance(columns.get(field.name), pa.Array) else
        pa.array(columns.get(field.name, [None] * count), field.type)
        for field in PUZZLES
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=PUZZLES)
