"""JSON lines read into columns: the rows and errors of scrapers.formats.jsonl in a fraction of its time.

A line is regular if it begins with `rows` and `columns`, like those of `jsonl.write`, and is a puzzle. A kernel parses
its clues, msgspec the rest. `jsonl` reads all other lines.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from nonocensus.scrapers.formats.jsonl import ABOUT, DIGITS, METADATA, is_picture, lines_with_records, read_line
from nonocensus.scrapers.formats.parsing import PartErrors
from nonocensus.scrapers.formats.site_properties import CHECKED, drop_implausible
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.model.identity import renumber_colors
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, MAX_CELLS, MAX_COLORS
from nonocensus.solver.model.tables import PALETTE, PUZZLES, clue_batch, puzzle_batch
from nonocensus.solver.model.views import Clues

LINES_PER_BATCH = 1 << 12

OPEN, CLOSE, COMMA, QUOTE, BRACE_OPEN, BRACE_CLOSE, BLANK, ZERO, NINE = b'[],"{} 09'
ROWS, COLUMNS = (np.frombuffer(key, np.uint8) for key in (b'"rows":', b'"columns":'))
SMALLEST_BLOCK, SMALLEST_CLUE = len("[1,1]"), len("[],")
"""Bytes of a text per block and per clue, at least."""

About: Any = msgspec.defstruct("About", ABOUT, forbid_unknown_fields=True)
"""A line without its clues."""

ABOUTS = msgspec.json.Decoder(About)


def read_batches(data: bytes, before: int = 0) -> Iterator[pa.RecordBatch]:
    """Yield the puzzles of a file, or of a chunk after `before` lines, as batches of the puzzles table.

    Raises FormatError as `jsonl.read` does, after the last batch.
    """
    lines, errors = lines_with_records(data, before), PartErrors("line")
    while part := list(islice(lines, LINES_PER_BATCH)):
        batch = _batch(part, errors)
        if len(batch):
            yield batch
    errors.raise_first()


def _batch(lines: list[tuple[int, bytes]], errors: PartErrors) -> pa.RecordBatch:
    """Return the puzzles of numbered lines, in order."""
    parsed = _parse([line for _, line in lines])
    abouts = {
        place: about
        for place, (_, line) in enumerate(lines)
        if parsed.tails[place] and (about := _metadata(line, parsed, place)) is not None
    }
    if len(abouts) < len(lines):
        parsed = _parse([lines[place][1] for place in abouts])
    batch = _regular_batch(parsed, list(abouts.values()))
    errors.count += len(abouts)
    others = (place for place in range(len(lines)) if place not in abouts)
    read = ((place, errors.attempt(*lines[place], read_line)) for place in others)
    irregular = {place: puzzle for place, puzzle in read if puzzle is not None}
    if irregular:
        batch = pa.concat_batches([batch, puzzle_batch(list(irregular.values()))])
        batch = batch.take(pa.array(np.argsort([*abouts, *irregular])))
    return batch


class _Parsed(NamedTuple):
    """The clues of lines of a file; those of irregular lines are empty.

    tails   int64[lines]: where a line continues after its clues; 0 if it is irregular
    colors  uint8[lines]: its highest colour
    """

    rows: Clues
    columns: Clues
    tails: np.ndarray
    colors: np.ndarray


def _parse(lines: list[bytes]) -> _Parsed:
    """Parse the clues of lines."""
    text = np.frombuffer(b"".join([*lines, b"\n"]), np.uint8)
    starts = np.cumsum([0, *map(len, lines)])
    rows, columns = _room(len(lines), len(text)), _room(len(lines), len(text))
    parsed = _Parsed(rows, columns, np.zeros(len(lines), np.int64), np.zeros(len(lines), np.uint8))
    _parse_lines(text, starts, parsed)
    return parsed._replace(rows=_trim(rows), columns=_trim(columns))


def _room(lines: int, size: int) -> Clues:
    """Return empty clues with room for those of a text of `size` bytes."""
    blocks = size // SMALLEST_BLOCK
    ends = np.zeros(lines + 1, np.int32), np.zeros(size // SMALLEST_CLUE + 1, np.int32)
    return Clues(*ends, np.empty(blocks, np.uint16), np.empty(blocks, np.uint8))


def _trim(clues: Clues) -> Clues:
    """Return the used part of clues."""
    blocks = clues.blocks[: clues.lines[-1] + 1]
    return Clues(clues.lines, blocks, clues.length[: blocks[-1]], clues.color[: blocks[-1]])


def _metadata(line: bytes, parsed: _Parsed, place: int) -> Any:
    """Return what a line holds besides its clues; None if it is irregular."""
    try:
        about = ABOUTS.decode(b"{" + line[parsed.tails[place] :])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    width, height = (int(side.lines[place + 1] - side.lines[place]) for side in (parsed.columns, parsed.rows))
    about.palette = about.palette or BLACK_ON_WHITE
    colors = len(about.palette)
    if (about.width or width, about.height or height) != (width, height):
        return None
    if not parsed.colors[place] < colors <= MAX_COLORS + 1:
        return None
    if about.goal is not None and not is_picture(about.goal, width * height, colors):
        return None
    for name, value in drop_implausible({name: getattr(about, name) for name in CHECKED}).items():
        setattr(about, name, value)
    return about


def _regular_batch(parsed: _Parsed, abouts: list[Any]) -> pa.RecordBatch:
    """Return the puzzles of regular lines."""
    if not abouts:
        return puzzle_batch([])
    columns = {
        field.name: pa.array([getattr(about, field.name) for about in abouts], PUZZLES.field(field.name).type)
        for field in METADATA
    }
    palettes = [about.palette for about in abouts]
    ends = np.cumsum([0, *map(len, palettes)])
    order = renumber_colors(parsed.rows, parsed.columns, ends)
    texts = [pa.array(text, pa.string()) for text in zip(*chain.from_iterable(palettes), strict=True)]
    entries = pa.StructArray.from_arrays(texts, fields=list(PALETTE.value_type))
    entries = entries.take(pa.array(order + np.repeat(ends[:-1], np.diff(ends))))
    columns["palette"] = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), entries, type=PALETTE)
    goals = [
        about.goal and about.goal.encode().translate(_recoding(order[start:end]))
        for about, start, end in zip(abouts, ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    columns["goal"] = pa.array(goals, pa.binary())
    return clue_batch(parsed.rows, parsed.columns, columns)


def _recoding(order: np.ndarray) -> bytes:
    """Return the table from a goal's characters to palette indices, given the old index of each new one."""
    return bytes.maketrans("".join([DIGITS[old] for old in order]).encode(), bytes(range(len(order))))


@kernel
def _parse_lines(text: np.ndarray, starts: np.ndarray, parsed: _Parsed) -> None:
    """Parse the clues of the lines text[starts[p] : starts[p + 1]], each of which ends with a line end or `text`."""
    rows, columns = parsed.rows, parsed.columns
    for p in range(len(starts) - 1):
        place = _after_key(text, _skip(text, starts[p], BRACE_OPEN), ROWS)
        place = _parse_side(text, place, p, rows, parsed.colors)
        place = _after_key(text, _skip(text, place, COMMA), COLUMNS)
        place = _parse_side(text, place, p, columns, parsed.colors)
        if place >= 0 and text[place] == COMMA:
            place = _skip(text, place, COMMA)
            regular = text[place] == QUOTE
        else:
            regular = place >= 0 and text[place] == BRACE_CLOSE
        if regular:
            parsed.tails[p] = place - starts[p]
        else:
            rows.lines[p + 1], columns.lines[p + 1] = rows.lines[p], columns.lines[p]


@kernel
def _parse_side(text: np.ndarray, place: int, p: int, side: Clues, colors: np.ndarray) -> int:
    """Parse the rows, or the columns, of line p from a place; returns the place after them, -1 if irregular."""
    place = _skip(text, place, OPEN)
    first = line = side.lines[p]
    block = side.blocks[line]
    while True:
        place = _skip(text, place, OPEN)
        start = block
        while place >= 0 and (block > start or text[place] != CLOSE):
            place = _skip(text, place, OPEN)
            length, place = _number(text, place, MAX_CELLS)
            place = _skip(text, place, COMMA)
            color, place = _number(text, place, MAX_COLORS)
            place = _skip(text, place, CLOSE)
            if place < 0 or color == 0 or block - start == MAX_CELLS:
                return -1
            side.length[block], side.color[block] = length, color
            colors[p] = max(colors[p], color)
            block += 1
            if text[place] != COMMA:
                break
            place = _skip(text, place, COMMA)
        place = _skip(text, place, CLOSE)
        if place < 0 or line - first == MAX_CELLS:
            return -1
        line += 1
        side.blocks[line] = block
        if text[place] != COMMA:
            break
        place = _skip(text, place, COMMA)
    side.lines[p + 1] = line
    return _skip(text, place, CLOSE)


@inlined
def _skip(text: np.ndarray, place: int, char: int) -> int:
    """Return the place after a character and blanks; -1 if another one is there, or `place` is -1."""
    return -1 if place < 0 or text[place] != char else _after_blanks(text, place + 1)


@inlined
def _after_key(text: np.ndarray, place: int, key: np.ndarray) -> int:
    """Return the place after a key and blanks; -1 if another one is there, or `place` is -1."""
    for char in key:
        if place < 0 or text[place] != char:
            return -1
        place += 1
    return _after_blanks(text, place)


@inlined
def _after_blanks(text: np.ndarray, place: int) -> int:
    """Return the place after blanks."""
    while text[place] == BLANK:
        place += 1
    return place


@inlined
def _number(text: np.ndarray, place: int, most: int) -> tuple[int, int]:
    """Return a number and the place after it and blanks; -1 if it is more than `most`, or `place` is -1."""
    value: Any = np.int64(0)
    if place < 0 or text[place] < ZERO or text[place] > NINE or (text[place] == ZERO and text[place + 1] >= ZERO):
        return value, -1
    while ZERO <= text[place] <= NINE and value <= most:
        value = 10 * value + np.int64(text[place]) - ZERO
        place += 1
    return value, _after_blanks(text, place) if value <= most else -1
