"""Payload of the report's puzzle browser: a run's rows, compact enough for a single offline page.

The page embeds a block with the columns of the list, and a block with the pictures, inflated when one is needed. A
block (`block`) is a JSON head and the arrays that it names, deflated, in base64.

Integer arrays, and indices into lists of words, store null as 0 and k as k + 1; other arrays store null as NaN. Words
are listed in sort order, so that sorting rows by words is sorting numbers.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from nonocensus.reports.drawings.picture_svg import UNKNOWN_COLOR
from nonocensus.reports.numbers.aggregate import KINDS, LABELS, SOLUTIONS, TECHNIQUES
from nonocensus.reports.numbers.duplicates import find_repeated
from nonocensus.reports.numbers.issues import ISSUES, are_to_fix, differing, fixes, issues, ways_alike
from nonocensus.reports.numbers.row_classes import (
    COLOR_NAMES,
    DIFFICULTY_NAMES,
    FAILED,
    MANY_COLORS,
    MINUTES_NAMES,
    SIZE_NAMES,
    Rows,
    difficulty_class,
    minutes_class,
    size_class,
)
from nonocensus.reports.words.formatting import natural
from nonocensus.solver.model.measures import Computed, Place, computed_by, names, shown_in
from nonocensus.solver.model.techniques import TECHNIQUES as LADDER

SLICE = 128
"""Rows whose pictures are read at once."""

PICTURE_BYTES = 60_000_000
"""Size limit of the pictures before they are deflated, which halves them; rows beyond it have none."""

TEXTS = (
    "puzzle_id", "url", "title", "author", "copyright", "license", "source", "status", "engine", "error", "site_note",
)  # fmt: skip
LISTED_MEASURES = tuple(
    measure for measure in shown_in(Place.browser) if measure.name not in ("cells", "colors", "grade")
)
"""Measures stored as numbers; cells are completed, colours and grades stored as words."""

COUNTS = (
    *("width", "height", "goal_matches", "free", "changed"),
    *(measure.name for measure in LISTED_MEASURES if pa.types.is_integer(measure.dtype)),
)
GRADED = names(computed_by(Computed.graded))
DECIMALS = tuple(measure.name for measure in LISTED_MEASURES if pa.types.is_floating(measure.dtype))

SOLUTION, SECOND, GOAL, CLUES, MENDED, PLAIN = 1, 2, 4, 8, 16, 32
"""Bits of what the page has of a row: pictures of its cells in this order, clues that don't follow from them, whether
all entries of its pictures are 0 or 1."""


class Browser(NamedTuple):
    """The payload of the page: two blocks as `block` writes them."""

    puzzles: int  # rows of the list
    graded: bool  # whether any of them has a grade
    table: str
    pictures: str  # of the first rows only if PICTURE_BYTES are exceeded


class WordColumn(NamedTuple):
    """A column of words: its distinct words in sort order, and the index of each row."""

    words: list[str]
    places: np.ndarray  # unsigned[rows]: 0 is null, k + 1 is words[k]


def payload(
    rows: pa.Table,
    duplicates: pa.Table | None = None,
    picture_bytes: int = PICTURE_BYTES,
) -> Browser:
    """Pack rows for the page, in the initial order of the list.

    rows        as `reports.numbers.census.Census.shown`; any value but those of JUDGED may be null
    duplicates  of the schema reports.numbers.duplicates.DUPLICATES (default: those that `find_repeated` finds)
    """
    contents, pictured, drawn = _pictures(rows, picture_bytes)
    words = {name: _words(rows[name]) for name in TEXTS}
    words["label"] = _words(rows["label"], (*LABELS, *FAILED))
    words["solutions"] = _words(rows["solutions"], SOLUTIONS)
    words["technique"] = _words(rows["technique"], TECHNIQUES)
    words["kind"] = _words(_kind(rows), KINDS)
    words["size"] = _words(_classes(size_class(rows), SIZE_NAMES), SIZE_NAMES)
    words["level"] = _words(_classes(difficulty_class(rows), DIFFICULTY_NAMES), DIFFICULTY_NAMES)
    words["colors"] = _words(_colors(rows), COLOR_NAMES)
    repeats = find_repeated(rows) if duplicates is None else duplicates
    originals = _originals(rows, repeats)
    words |= {name: _words(originals[name]) for name in ("original", "how")}
    groups = _groups(repeats)
    faulty = repeats["puzzle_id"].filter(pa.array(are_to_fix(rows, repeats), pa.bool_())).to_pylist()
    to_fix = sorted({groups[name] for name in faulty}, key=natural)
    grouped = pa.array([groups.get(name) for name in rows["puzzle_id"].to_pylist()], pa.string())
    words["group"] = _words(pa.chunked_array([grouped]), to_fix)  # which come first
    words["fixes"] = _words(pa.chunked_array([fixes(rows, repeats)]))
    words["palette"] = _words(_palette(rows))
    graded = rows["grade"].null_count < len(rows)
    if graded:
        words["grade"] = _words(rows["grade"].cast(pa.string()))
        words["duration"] = _words(pa.chunked_array([minutes_class(rows)]), MINUTES_NAMES)
        stars = pc.round(rows["stars"], round_mode="half_towards_infinity").cast(pa.int8())
        words["star_count"] = _words(stars.cast(pa.string()))
        words["hardest"] = _words(rows["hardest"], tuple(technique.name for technique in LADDER))
    head = {
        "rows": len(rows),
        "pictured": pictured,
        "words": {name: column.words for name, column in words.items()},
        "issues": [[name, rule.meaning] for name, rule in ISSUES.items()],
    }
    arrays = {name: column.places for name, column in words.items()}
    absent = () if graded else GRADED
    arrays |= {name: _counts(rows[name]) for name in COUNTS if name not in absent}
    arrays["cells"] = _counts(pc.coalesce(rows["cells"].cast(pa.int64()), _area(rows)))  # of a result, or of its sides
    arrays["differing"] = _counts(pa.chunked_array([differing(rows)]))
    arrays["apart"] = _counts(originals["cells"])
    arrays["issues"] = issues(rows, repeats)
    decimals = rows.select([name for name in DECIMALS if name not in absent])
    arrays |= {name: decimals[name].to_numpy().astype(np.float32) for name in decimals.column_names}
    arrays["contents"] = contents
    return Browser(len(rows), graded, block(head, arrays), drawn)


def block(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray], strategy: int = zlib.Z_DEFAULT_STRATEGY) -> Markup:
    """Pack a head and arrays into one block of the page.

    The head's JSON on one line, whose `arrays` are a list of [name, dtype, length], then these arrays, little-endian;
    those of uint32 as four arrays, the lowest bytes first: they deflate to three quarters.
    """
    named = [[name, array.dtype.name, len(array)] for name, array in arrays.items()]
    text = json.dumps({**head, "arrays": named}, ensure_ascii=False, separators=(",", ":")).encode()
    return deflate(b"".join([text, b"\n", *map(_bytes, arrays.values())]), strategy)


def _bytes(array: np.ndarray) -> bytes:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return little.view(np.uint8).reshape(-1, 4).T.tobytes() if array.dtype == np.uint32 else little.tobytes()


def deflate(data: bytes, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> Markup:
    """Return bytes as the page embeds them: deflated, in base64."""
    compressor = zlib.compressobj(5, strategy=strategy)  # half the time of 6, for a thousandth more bytes
    return Markup(base64.b64encode(compressor.compress(data) + compressor.flush()).decode())


# Columns of the list


def _words(column: pa.ChunkedArray, order: Sequence[str] = ()) -> WordColumn:
    """Encode a column of words, sorted by `order`, then naturally."""
    encoded = column.combine_chunks().dictionary_encode()
    found = encoded.dictionary.to_pylist()
    places = {word: place for place, word in enumerate(order)}
    keys = [(places.get(word, len(places)), natural(word), word) for word in found]
    ranked = sorted(range(len(found)), key=keys.__getitem__)
    place_of = np.zeros(len(found) + 1, np.int64)  # the last one for nulls
    place_of[ranked] = np.arange(1, len(found) + 1)
    codes = encoded.indices.fill_null(len(found)).to_numpy()
    return WordColumn([found[k] for k in ranked], _narrow(place_of[codes]))


def _counts(column: pa.ChunkedArray) -> np.ndarray:
    """Encode integers or booleans: null as 0, k as k + 1."""
    known = column.cast(pa.int64())
    return _narrow(pc.fill_null(pc.add(known, 1), 0).to_numpy())


def _narrow(numbers: np.ndarray) -> np.ndarray:
    """Cast to the narrowest sufficient type; JavaScript has no arrays of plain 64-bit integers."""
    most = numbers.max(initial=0)
    fitting = (kind for kind in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(kind).max)
    return numbers.astype(next(fitting, np.float64))


def _kind(rows: pa.Table) -> pa.ChunkedArray:
    """Return the kind: mono, color, blotted mono, blotted color."""
    blotted = pc.binary_join_element_wise("blotted", rows["kind"], " ")
    return pc.if_else(pc.fill_null(rows["blotted"], False), blotted, rows["kind"])


def _area(rows: Rows) -> pa.Array | pa.ChunkedArray:
    return pc.multiply(rows["width"].cast(pa.int64()), rows["height"].cast(pa.int64()))


def _classes(places: pa.Array, names: Sequence[str]) -> pa.ChunkedArray:
    """Return names by their indices; null for len(names), an unknown class."""
    return pa.chunked_array([pa.array([*names, None]).take(places)])


def _colors(rows: pa.Table) -> pa.ChunkedArray:
    """Return the class of the number of colours, of COLOR_NAMES, null if unknown."""
    classes = pc.min_element_wise(rows["colors"], MANY_COLORS, skip_nulls=False)
    return pa.chunked_array([pa.array(COLOR_NAMES)]).take(classes)


def _originals(rows: pa.Table, duplicates: pa.Table) -> pa.Table:
    """Return the columns original, how and cells of duplicates, null for other rows; how is also said of originals."""
    ids, firsts = (duplicates[name].combine_chunks() for name in ("puzzle_id", "original"))
    found = duplicates.append_column("how", pa.array(ways_alike(rows, duplicates), pa.string()))
    found = found.select(["original", "how", "cells"]).take(pc.index_in(rows["puzzle_id"], ids, skip_nulls=True))
    is_first = pc.is_in(rows["puzzle_id"], firsts, skip_nulls=True)
    return found.set_column(1, "how", pc.coalesce(found["how"], pc.if_else(is_first, "original", None)))


def _groups(duplicates: pa.Table) -> dict[str, str]:
    """Return the original's id for duplicates, their originals, and duplicates of duplicates."""
    original = dict(zip(*(duplicates[name].to_pylist() for name in ("puzzle_id", "original")), strict=True))
    groups = {first: first for first in original.values()} | original
    for _ in range(2):  # a puzzle may be equal to a recoloured one of a near one
        groups = {name: original.get(first, first) for name, first in groups.items()}
    return groups


def _palette(rows: pa.Table) -> pa.ChunkedArray:
    """Return each palette as text, one line per entry: six hex digits, a space, the name."""
    return pa.chunked_array([_palette_text(batch["palette"]) for batch in rows.to_batches()], pa.string())


def _palette_text(palettes: pa.ListArray) -> pa.Array:
    entries = palettes.flatten()
    rgb, names = (pc.fill_null(pc.struct_field(entries, field), "") for field in ("rgb", "name"))
    rgb = pc.if_else(pc.match_substring_regex(rgb, r"\A[0-9a-fA-F]{6}\z"), pc.ascii_lower(rgb), UNKNOWN_COLOR)
    lines = pc.binary_join_element_wise(rgb, pc.replace_substring_regex(names, r"\s+", " "), " ")
    lengths = pc.fill_null(pc.list_value_length(palettes), 0).to_numpy()
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), lines), "\n")
    return pc.if_else(palettes.is_valid(), joined, None)


# Pictures


def _pictures(rows: pa.Table, most_bytes: int) -> tuple[np.ndarray, int, Markup]:
    """Return the contents of all rows, the number of the first ones that have room, and the block of these.

    Room is limited by the block's bytes before they are deflated. Its head has the changes that made the mended
    pictures, in words.
    """
    contents = np.zeros(len(rows), np.uint8)
    changes: list[str] = []
    parts = [_slice(pa.RecordBatch.from_pylist([], rows.schema))[1]]
    pictured = taken = 0
    for batch in rows.to_batches(SLICE):
        content, arrays = _slice(batch)
        taken += sum(array.nbytes for array in arrays.values())
        if taken > most_bytes:
            break
        contents[pictured : pictured + len(batch)] = content
        pictured += len(batch)
        changes += batch["change"].filter(pa.array(content & MENDED != 0)).to_pylist()
        parts.append(arrays)
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return contents, pictured, block({"changes": changes}, whole, zlib.Z_FILTERED)  # of bits: few strings repeat


def _slice(rows: pa.RecordBatch) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the contents of rows, uint8 of bits SOLUTION and so on, and the block's arrays by name.

    cells    a bit for each cell of each row's pictures: whether its entry is not that of its left neighbour, or 0 at
             the border. A byte has eight cells of a column, the upper one in its lowest bit, as that deflates better
             than eight of a row
    entries  XOR of these entries, row by row; of rows with PLAIN they are all 1, and left out
    others   of rows with CLUES, as `_clues` returns them

    Clues that follow from a solution, and goals equal to it, are left out. A second solution or mended picture is
    stored as XOR with the solution, which is mostly 0.
    """
    cells = _area(rows)

    def whole(name: str) -> np.ndarray:
        return _true(pc.equal(pc.binary_length(rows[name]), cells))

    solved = whole("solution")
    second = whole("second_solution") & solved
    mended = whole("mended") & second & _true(rows["change"].is_valid())
    goal = whole("goal") & ~_true(pc.equal(rows["goal"], rows["solution"]))
    readable = _true(pc.invert(rows["blotted"])) & solved
    clues = ~readable
    for side, lines in (("height", "rows"), ("width", "columns")):
        clues &= _true(pc.equal(pc.list_value_length(rows[lines]), rows[side]))
    content = SOLUTION * solved + SECOND * second + GOAL * goal + CLUES * clues + MENDED * mended
    steps = [_steps(pictures) for pictures in _drawn(rows, content)]
    content += PLAIN * np.array([step.max(initial=0) == 1 for step in steps], bool)
    nothing = np.zeros(0, np.uint8)
    entries = [step[step != 0] for step, bits in zip(steps, content, strict=True) if not bits & PLAIN]
    return content.astype(np.uint8), {
        "cells": np.concatenate(
            [nothing, *(np.packbits(step != 0, axis=1, bitorder="little").ravel() for step in steps)]
        ),
        "entries": np.concatenate([nothing, *entries]),
        **_clues("row", rows["rows"], clues),
        **_clues("column", rows["columns"], clues),
    }


def _drawn(rows: pa.RecordBatch, content: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the pictures of each row as they are stored, uint8[pictures, height, width]."""
    names = {SOLUTION: "solution", SECOND: "second_solution", GOAL: "goal", MENDED: "mended"}
    pictures = {bit: rows[name].to_pylist() for bit, name in names.items()}
    sides = zip(*(rows[side].to_pylist() for side in ("height", "width")), strict=True)
    for k, (bits, (height, width)) in enumerate(zip(content.tolist(), sides, strict=True)):
        drawn = {bit: np.frombuffer(pictures[bit][k], np.uint8) for bit in names if bits & bit}
        drawn |= {bit: drawn[bit] ^ drawn[SOLUTION] for bit in (SECOND, MENDED) if bits & bit}
        yield np.array([*drawn.values()], np.uint8).reshape(len(drawn), height or 0, width or 0)


def _steps(pictures: np.ndarray) -> np.ndarray:
    """Return the XOR of each cell with its left neighbour: uint8[pictures, height, width]."""
    steps = pictures.copy()
    steps[:, :, 1:] ^= pictures[:, :, :-1]
    return steps


def _true(mask: pa.Array) -> np.ndarray:
    """Return where a mask is true, not false or null."""
    known: np.ndarray = mask.fill_null(False).to_numpy(zero_copy_only=False)
    return known


def _clues(side: str, lines: pa.ListArray, which: np.ndarray) -> dict[str, np.ndarray]:
    """Return one side's clues: blocks per line, and length and colour of each block; 0 for null."""
    clues = lines.filter(pa.array(which)).flatten()
    blocks = clues.flatten()
    return {
        f"{side}_blocks": pc.list_value_length(clues).fill_null(0).to_numpy().astype(np.uint16),
        f"{side}_lengths": pc.struct_field(blocks, "length").fill_null(0).to_numpy(),
        f"{side}_colors": pc.struct_field(blocks, "color").fill_null(0).to_numpy(),
    }
