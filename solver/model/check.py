"""Validation of a batch's clues before solving.

Puzzles with faults get the status `invalid`. The memory safety of kernels depends on these checks.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.puzzle import BLOT, MAX_CELLS, MAX_COLORS, InvalidPuzzle, Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import Clues, Views, highest_colors, views


def faults_of(batch: pa.RecordBatch) -> dict[int, str]:
    """Return the faults of a readable batch (solver.model.tables.check_readable), nulls included."""
    seen = views(batch)
    return faults(seen) | _first_texts(_nulls(batch, seen))


def faults(batch: Views) -> dict[int, str]:
    """Return by index why puzzles can have no solution, one line of text each."""
    rows = _side("row", batch.rows, batch.height, batch.width)
    columns = _side("column", batch.columns, batch.width, batch.height)
    palette = 1 + min(MAX_COLORS, max(int(side.color.max(initial=0)) for side in (rows, columns)))
    row_sums, column_sums = (_sums(side, palette) for side in (rows, columns))
    checks = [check(side) for check in (_shape_faults, _color_faults) for side in (rows, columns)]
    fits = [_fit_faults(rows, row_sums), _fit_faults(columns, column_sums)]
    return _first_texts(*checks, *fits, _total_faults(row_sums, column_sums))


def malformed(batch: pa.RecordBatch) -> dict[int, str]:
    """Return by index why rows of a readable batch are not a `Puzzle`, one line of text each.

    Reasons are nulls, and sizes, clues, palette and goal that disagree or exceed the limits. Whether a picture can have
    the clues is not checked, nor the palette if the batch has none.
    """
    if not len(batch):
        return {}
    seen = views(batch)
    rows = _side("row", seen.rows, seen.height, seen.width)
    columns = _side("column", seen.columns, seen.width, seen.height)
    no_ids = ((p, "it has no id") for p in _null_places(batch["puzzle_id"]).tolist())
    checks: list[Faults] = [no_ids, _nulls(batch, seen)]
    checks += [check(side) for check in (_shape_faults, _number_faults, _color_faults) for side in (rows, columns)]
    if "palette" in batch.schema.names:
        checks.append(_palette_faults(batch["palette"], highest_colors(seen, np.arange(len(batch)))))
    return _first_texts(*checks, _goal_faults(batch["goal"], seen))


def validate(puzzle: Puzzle) -> None:
    """Raise InvalidPuzzle, which names line and reason, if arithmetic shows that no picture has these clues."""
    for text in faults(views(puzzle_batch([puzzle]))).values():
        raise InvalidPuzzle(text)


Faults = Iterator[tuple[int, str]]
"""Indexes of puzzles with the reason for each."""


def _first_texts(*several: Faults) -> dict[int, str]:
    found: dict[int, str] = {}
    for puzzle, text in chain(*several):
        found.setdefault(puzzle, text)
    return found


class _Side(NamedTuple):
    """The rows, or the columns, of a batch. Lines and blocks are counted from its first, also in a slice of a table.

    name              row or column
    number, cells     lines that each puzzle should have, and cells of each line
    lines, blocks     int64: lines of puzzle p are lines[p] .. lines[p + 1]; blocks of line i blocks[i] .. blocks[i + 1]
    length, color     of each block
    """

    name: str
    number: np.ndarray
    cells: np.ndarray
    lines: np.ndarray
    blocks: np.ndarray
    length: np.ndarray
    color: np.ndarray

    def where(self, line: int) -> str:
        """Return the name of a line in messages: row 3."""
        return f"{self.name} {line - self.lines[_owners(line, self.lines)] + 1}"

    def first(self, lines: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield (line, puzzle) for the first line of each puzzle, from lines in ascending order."""
        puzzles, places = np.unique(_owners(lines, self.lines), return_index=True)
        return zip(lines[places].tolist(), puzzles.tolist(), strict=True)


def _side(name: str, clues: Clues, number: np.ndarray, cells: np.ndarray) -> _Side:
    lines = clues.lines.astype(np.int64)
    blocks = clues.blocks[lines[0] : lines[-1] + 1].astype(np.int64)
    own = slice(blocks[0], blocks[-1])
    lines, blocks = lines - lines[0], blocks - blocks[0]
    return _Side(name, number, cells, lines, blocks, clues.length[own], clues.color[own])


def _owners(items: ArrayLike, offsets: np.ndarray) -> np.ndarray:
    """Return the group of each item; group g has the items from offsets[g] on."""
    owners: np.ndarray = np.searchsorted(offsets, items, "right") - 1
    return owners


class _Sums(NamedTuple):
    """Sums of the clues of a side; a blot counts as one cell.

    need    int64[lines]: cells that a line's blocks need, with gaps between blocks of one colour
    least   int64[puzzles, palette]: least number of cells of each colour
    blots   int64[puzzles, palette]: blots of each colour
    """

    need: np.ndarray
    least: np.ndarray
    blots: np.ndarray


def _sums(side: _Side, palette: int) -> _Sums:
    """Return the sums of a side; colours beyond the palette count as its last one."""
    puzzles, lines = len(side.lines) - 1, len(side.blocks) - 1
    least, blots = np.zeros((2, puzzles, palette), np.int64)
    sums = _Sums(np.zeros(lines, np.int64), least, blots)
    _add_up(side.lines, side.blocks, side.length, side.color, sums)
    return sums


@kernel
def _add_up(lines: np.ndarray, blocks: np.ndarray, length: np.ndarray, color: np.ndarray, sums: _Sums) -> None:
    """Add up the sums of a side; the arrays are the fields of `_Side`."""
    last = sums.least.shape[1] - 1
    for p in range(len(lines) - 1):
        for line in range(lines[p], lines[p + 1]):
            for block in range(blocks[line], blocks[line + 1]):
                cells = max(length[block], 1)
                parted = block > blocks[line] and color[block] == color[block - 1]
                sums.need[line] += cells
                sums.need[line] += parted
                sums.least[p, min(color[block], last)] += cells
                sums.blots[p, min(color[block], last)] += length[block] == BLOT


def _shape_faults(side: _Side) -> Faults:
    given = np.diff(side.lines)
    unfit = (side.number == 0) | (side.number > MAX_CELLS)
    for p in np.flatnonzero(unfit | (given != side.number)).tolist():
        if unfit[p]:
            yield p, f"it has {side.number[p]} {side.name}s; there may be 1 to {MAX_CELLS}"
        else:
            yield p, f"it has clues for {given[p]} {side.name}s but {side.number[p]} {side.name}s"


def _number_faults(side: _Side) -> Faults:
    """Find lines with too many numbers or too large ones."""
    too_large = _owners(np.flatnonzero(side.length > MAX_CELLS), side.blocks)
    too_many = np.flatnonzero(np.diff(side.blocks) > MAX_CELLS)
    for line, puzzle in side.first(np.unique(np.concatenate([too_large, too_many]))):
        yield puzzle, f"{side.where(line)}: more than {MAX_CELLS} numbers, or one larger than that"


def _palette_faults(palette: pa.ListArray, most: np.ndarray) -> Faults:
    """Find palettes that lack the highest colour `most` of the clues, have too many colours, or contain nulls."""
    colors = pc.list_value_length(palette).fill_null(0).to_numpy()
    for p in np.flatnonzero((colors <= most) | (colors > MAX_COLORS + 1)).tolist():
        yield p, f"its palette has {colors[p]} colours, its clues have colour {most[p]}"
    entries, offsets = palette.values, palette.offsets.to_numpy()
    nulls = [_null_places(entries), *(_null_places(entries.field(k)) for k in range(entries.type.num_fields))]
    places = np.unique(np.concatenate(nulls))
    for p in np.unique(_owners(places[(places >= offsets[0]) & (places < offsets[-1])], offsets)).tolist():
        yield p, "a colour of its palette is null"


def _goal_faults(goal: pa.BinaryArray, seen: Views) -> Faults:
    """Find goals without one byte per cell."""
    cells = seen.width.astype(np.int64) * seen.height
    given = pc.binary_length(goal).fill_null(-1).to_numpy()
    for p in np.flatnonzero((given >= 0) & (given != cells)).tolist():
        yield p, f"its goal has {given[p]} cells, not {cells[p]}"


def _color_faults(side: _Side) -> Faults:
    blocks = np.flatnonzero((side.color == 0) | (side.color > MAX_COLORS))
    lines, places = np.unique(_owners(blocks, side.blocks), return_index=True)
    colors = dict(zip(lines.tolist(), side.color[blocks[places]].tolist(), strict=True))
    for line, puzzle in side.first(lines):
        yield puzzle, f"{side.where(line)}: colour {colors[line]} is not one of 1 to {MAX_COLORS}"


def _fit_faults(side: _Side, sums: _Sums) -> Faults:
    """Find lines whose blocks, with gaps between blocks of one colour, need too many cells."""
    for line, puzzle in side.first(np.flatnonzero(sums.need > np.repeat(side.cells, np.diff(side.lines)))):
        cells = side.cells[puzzle]
        yield puzzle, f"{side.where(line)}: its blocks need {sums.need[line]} cells, the line has {cells}"


def _total_faults(rows: _Sums, columns: _Sums) -> Faults:
    """Find puzzles whose rows and columns can't paint the same number of cells of a colour.

    `least` is a side's lower bound, a blot counting as one cell; without blots of the colour it is exact.
    """
    row_least, column_least = rows.least, columns.least
    row_exact, column_exact = rows.blots == 0, columns.blots == 0
    differ = (row_exact & (row_least < column_least)) | (column_exact & (column_least < row_least))
    for p in np.flatnonzero(differ.any(axis=1)).tolist():
        color = int(np.flatnonzero(differ[p])[0])
        painted = [
            f"{'' if exact[p, color] else 'at least '}{least[p, color]}"
            for least, exact in ((row_least, row_exact), (column_least, column_exact))
        ]
        several = np.count_nonzero(row_least[p] + column_least[p]) > 1
        unit = f"cells of colour {color}" if several else "cells"
        yield p, f"its rows paint {painted[0]} {unit}, its columns {painted[1]}"


def _nulls(batch: pa.RecordBatch, seen: Views) -> Faults:
    """Find puzzles with nulls in width, height or clues."""
    for name in ("width", "height", "rows", "columns"):
        for p in _null_places(batch[name]).tolist():
            yield p, f"its {name} {'are' if name.endswith('s') else 'is'} null"
    for name, clues in (("row", seen.rows), ("column", seen.columns)):
        lines = batch[f"{name}s"].values
        blocks = lines.values
        parts = (blocks, blocks.field("length"), blocks.field("color"))
        if not lines.null_count and not any(part.null_count for part in parts):
            continue
        side = _side(name, clues, seen.height, seen.width)
        null_lines = _within(_null_places(lines) - clues.lines[0], len(side.blocks) - 1)
        null_blocks = np.concatenate([*map(_null_places, parts)]) - clues.blocks[clues.lines[0]]
        null_blocks = _within(null_blocks, len(side.length))
        for line, puzzle in side.first(null_lines):
            yield puzzle, f"{side.where(line)} is null"
        for line, puzzle in side.first(np.unique(_owners(null_blocks, side.blocks))):
            yield puzzle, f"{side.where(line)}: a number or its colour is null"


def _null_places(column: pa.Array) -> np.ndarray:
    """Return the indexes of a column's nulls."""
    if not column.null_count:
        return np.zeros(0, np.int64)
    return np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))


def _within(places: np.ndarray, items: int) -> np.ndarray:
    """Return the indexes inside a slice that has `items` of its table's lines or blocks."""
    return places[(places >= 0) & (places < items)]
