"""A run's rows, packed for the report's puzzle browser: small enough for one page that needs no network.

The page gets a block of bytes with the columns of the list, and one for the pictures of each CHUNK puzzles, which it
inflates when one of them is opened. A block is `packed`: a JSON head, and the arrays that the head names.

In arrays of whole numbers, and of places in a list of words, 0 is null and k + 1 is k; in others NaN is null. Words are
listed in the order in which people would sort them, so that sorting rows by words is sorting numbers.
"""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.aggregate import COLOR_NAMES, KINDS, LABELS, SOLUTIONS, TECHNIQUES
from reports.browser_columns import columns_script
from reports.family_words import NONOGRAMS, SUDOKU_WORDS, FamilyWords
from reports.formatting import label_color
from reports.issues import DUPLICATES, ISSUES, differing, issues, repeated
from reports.picture_svg import UNKNOWN_COLOR
from reports.row_classes import DIFFICULTY_NAMES, FAILED, MANY_COLORS, SIZE_NAMES, difficulty_class, size_class
from reports.sudoku_svg import givens_counts
from reports.templating import source
from solver.model.families import FAMILIES
from solver.model.measures import Place, shown_in

CHUNK = 256
"""Puzzles whose pictures are inflated together."""

PICTURE_BYTES = 30_000_000
"""What the deflated pictures may take; rows after that come without. In base64 it is a third more."""

TEXTS = (
    "puzzle_id", "url", "title", "author", "copyright", "license", "source", "status", "engine", "error", "site_note",
)  # fmt: skip
LISTED_MEASURES = tuple(
    measure for measure in shown_in(Place.browser) if measure.name not in ("cells", "colors", "grade")
)
"""Measures that the table has as their numbers; cells, colours and grades are completed or put into words."""

COUNTS = (
    *("width", "height", "goal_matches", "free"),
    *(measure.name for measure in LISTED_MEASURES if pa.types.is_integer(measure.dtype)),
)
DECIMALS = tuple(measure.name for measure in LISTED_MEASURES if pa.types.is_floating(measure.dtype))

SOLUTION, SECOND, GOAL, CLUES, MENDED = 1, 2, 4, 8, 16
"""Bits that say what a row's chunk has of it."""

ALIGNMENT = 8
"""Arrays begin at multiples of this many bytes, as JavaScript's typed arrays need it."""

NUMBERS = re.compile(r"(\d{1,18})")

PARTS = (
    *("words", "elements", "data", "facets", "state", "selection", "clues", "drawing", "facts", "nonogram", "sudoku"),
    *(
        "puzzle",
        "picked",
        "box",
        "list",
        "columns",
        "gallery",
        "filters",
        "explorer",
        "exporting",
        "non",
        "xml",
        "section",
    ),
)
"""The parts of the script, in templates/browser."""


class Browser(NamedTuple):
    """What the page embeds: deflated bytes in base64."""

    puzzles: int  # rows of the list
    graded: bool  # whether any of them has a grade
    table: str
    pictures: tuple[str, ...]  # the first of CHUNK rows each; fewer than the rows if PICTURE_BYTES are used up


class WordColumn(NamedTuple):
    """A column of words: those that occur, in their order, and each row's place among them."""

    words: list[str]
    places: np.ndarray  # unsigned[rows]: 0 is null, k + 1 is words[k]


def payload(rows: pa.Table, family: FamilyWords = NONOGRAMS, duplicates: pa.Table | None = None) -> Browser:
    """Pack rows for the page, in the order in which the list first shows them.

    rows        as `reports.census.Census.shown`: the columns TEXTS, COUNTS, DECIMALS, cells, label, technique, kind,
                blotted, colors and palette; for the pictures rows, columns, goal, solution, second_solution, mended
                and change; for the issues solutions, clue_hash, canonical_hash, disputed and unmarked; grade, hardest
                and work, which the list has if any row has a grade. Any value may be null, but for `free`, `disputed`
                and `unmarked`
    family      what the puzzles are: columns that mean nothing for them are left out; Sudokus have their number of
                givens
    duplicates  of the schema reports.duplicates.DUPLICATES; without them those that `repeated` finds
    """

    def meant(names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in family.left_out]

    pictures, contents = _pictures(rows)
    words = {name: _words(rows[name]) for name in meant(TEXTS)}
    words["label"] = _words(rows["label"], (*LABELS, *FAILED))
    words["solutions"] = _words(rows["solutions"], SOLUTIONS)
    words["technique"] = _words(rows["technique"], TECHNIQUES)
    words["kind"] = _words(_kind(rows), KINDS)
    words["size"] = _words(_size(rows), SIZE_NAMES)
    words["dimensions"] = _words(_dimensions(rows))
    words["level"] = _words(_level(rows), DIFFICULTY_NAMES)
    if "colors" in meant(["colors"]):
        words["colors"] = _words(_colors(rows), COLOR_NAMES)
    repeats = repeated(rows) if duplicates is None else duplicates
    originals = _originals(rows, repeats)
    words |= {name: _words(originals[name]) for name in ("original", "likeness")}
    if "palette" in meant(["palette"]):
        words["palette"] = _words(_palette(rows))
    graded = rows["grade"].null_count < len(rows)
    if graded:
        words["grade"] = _words(rows["grade"].cast(pa.string()))
        ladder = FAMILIES[family.name].techniques
        words["hardest"] = _words(rows["hardest"], tuple(technique.name for technique in ladder))
    head = {
        "family": family.name,
        "rows": len(rows),
        "chunk": CHUNK,
        "words": {name: column.words for name, column in words.items()},
        "issues": [[name, meaning] for name, meaning in ISSUES.items()],
        "labels": [[label_color(label), family.meanings.get(label, "")] for label in words["label"].words],
    }
    arrays = {name: column.places for name, column in words.items()}
    arrays |= {name: _counts(rows[name]) for name in meant(COUNTS)}
    arrays["cells"] = _counts(_cells(rows))
    arrays["differing"] = _counts(pa.chunked_array([differing(rows)]))
    arrays["apart"] = _counts(originals["cells"])
    arrays["issues"] = issues(rows, repeats)
    if family is SUDOKU_WORDS:
        arrays["givens"] = _counts(pa.chunked_array([givens_counts(rows)]))
    arrays |= {name: _decimals(rows[name]) for name in meant(DECIMALS) if graded or name != "work"}
    arrays["contents"] = contents
    table = zlib.compress(packed(head, arrays))
    return Browser(len(rows), graded, _text(table), tuple(_text(picture) for picture in pictures))


def packed(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """A head and arrays as one block of bytes.

    First the length of the head's JSON (uint32), then the JSON, whose `arrays` are a list of [name, dtype, length],
    then these arrays, little-endian; each begins at a multiple of ALIGNMENT.
    """
    named = [[name, array.dtype.name, len(array)] for name, array in arrays.items()]
    text = json.dumps({**head, "arrays": named}, ensure_ascii=False, separators=(",", ":")).encode()
    parts = [len(text).to_bytes(4, "little") + text]
    parts += [array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes() for array in arrays.values()]
    return b"".join(part + bytes(-len(part) % ALIGNMENT) for part in parts)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


# Columns of the list


def _words(column: pa.ChunkedArray, order: Sequence[str] = ()) -> WordColumn:
    """A column of words: those of `order` first, then the others by alphabet, numbers in them by value."""
    encoded = column.combine_chunks().dictionary_encode()
    found = encoded.dictionary.to_pylist()
    places = {word: place for place, word in enumerate(order)}
    ranked = sorted(range(len(found)), key=lambda k: (places.get(found[k], len(places)), _natural(found[k])))
    place_of = np.zeros(len(found) + 1, np.int64)  # the last one for nulls
    place_of[ranked] = np.arange(1, len(found) + 1)
    codes = encoded.indices.fill_null(len(found)).to_numpy()
    return WordColumn([found[k] for k in ranked], _smallest(place_of[codes]))


def _natural(word: str) -> tuple[list[str | int], str]:
    """A key that sorts "a 9" before "A 10": texts and numbers by turns; the word itself decides between equals."""
    pieces: list[str | int] = list(NUMBERS.split(word.casefold()))
    pieces[1::2] = map(int, pieces[1::2])
    return pieces, word


def _counts(column: pa.ChunkedArray) -> np.ndarray:
    """Whole numbers or truth values: 0 is null, k + 1 is k."""
    known = column.cast(pa.int64())
    return _smallest(pc.fill_null(pc.add(known, 1), 0).to_numpy())


def _smallest(numbers: np.ndarray) -> np.ndarray:
    """The numbers in the narrowest type that holds them all; JavaScript has no arrays of plain 64-bit integers."""
    most = numbers.max(initial=0)
    fitting = (kind for kind in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(kind).max)
    return numbers.astype(next(fitting, np.float64))


def _decimals(column: pa.ChunkedArray) -> np.ndarray:
    """Other numbers, NaN for null."""
    decimals: np.ndarray = column.cast(pa.float64()).to_numpy().astype(np.float32)
    return decimals


def _kind(rows: pa.Table) -> pa.ChunkedArray:
    """The words mono, color, blotted mono, blotted color."""
    blotted = pc.binary_join_element_wise("blotted", rows["kind"], " ")
    return pc.if_else(pc.fill_null(rows["blotted"], False), blotted, rows["kind"])


def _cells(rows: pa.Table) -> pa.ChunkedArray:
    """The cells of each puzzle, as its result or its sides have them."""
    return pc.coalesce(rows["cells"].cast(pa.int64()), _area(rows))


def _area(rows: pa.Table) -> pa.ChunkedArray:
    return pc.multiply(rows["width"].cast(pa.int64()), rows["height"].cast(pa.int64()))


def _size(rows: pa.Table) -> pa.ChunkedArray:
    """The size class of each puzzle, of SIZE_NAMES; null if it is not known."""
    return pa.chunked_array([pa.array([*SIZE_NAMES, None]).take(size_class(rows))])


def _dimensions(rows: pa.Table) -> pa.ChunkedArray:
    """Columns and rows of each puzzle: "15×10"; null if they are not known."""
    sides = (rows[name].cast(pa.string()) for name in ("width", "height"))
    return pc.binary_join_element_wise(*sides, "×")


def _level(rows: pa.Table) -> pa.ChunkedArray:
    """The class of each puzzle's difficulty, of DIFFICULTY_NAMES; null if it is not known."""
    return pa.chunked_array([pa.array([*DIFFICULTY_NAMES, None]).take(difficulty_class(rows))])


def _colors(rows: pa.Table) -> pa.ChunkedArray:
    """The class of each puzzle's number of colours, of COLOR_NAMES; null if it is not known."""
    classes = pc.min_element_wise(rows["colors"], MANY_COLORS, skip_nulls=False)
    return pa.chunked_array([pa.array(COLOR_NAMES)]).take(classes)


def _originals(rows: pa.Table, duplicates: pa.Table) -> pa.Table:
    """For each row the columns original, likeness and cells of its duplicate; nulls for a puzzle that is none."""
    places = pc.index_in(rows["puzzle_id"], value_set=duplicates["puzzle_id"].combine_chunks(), skip_nulls=True)
    return duplicates.select([name for name in DUPLICATES.names if name != "puzzle_id"]).take(places)


def _palette(rows: pa.Table) -> pa.ChunkedArray:
    """Each palette as text, a line an entry: six hex digits, a space, the entry's name."""
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


def _pictures(rows: pa.Table) -> tuple[list[bytes], np.ndarray]:
    """The deflated chunks, and what is in them of each row (uint8[rows], bits SOLUTION and so on)."""
    chunks: list[bytes] = []
    contents = np.zeros(len(rows), np.uint8)
    taken = 0
    for start in range(0, len(rows), CHUNK):
        piece = rows.slice(start, CHUNK).combine_chunks()
        content, arrays = _chunk(piece)
        data = zlib.compress(packed(_changes(piece, content), arrays))
        taken += len(data)
        if taken > PICTURE_BYTES:
            break
        chunks.append(data)
        contents[start : start + CHUNK] = content
    return chunks, contents


def _chunk(rows: pa.Table) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What these rows have to be drawn, and the arrays that hold it.

    Clues are left out where they can be read off a solution, the author's picture where it is the solution. Of a second
    solution, and of a mended picture, the entries XOR the solution's are kept, which are mostly 0.
    """
    names = ("solution", "second_solution", "goal", "rows", "columns", "mended")
    column = {name: _only(rows[name]) for name in names}
    cells = _only(_area(rows))

    def whole(name: str) -> np.ndarray:
        return _true(pc.equal(pc.binary_length(column[name]), cells))

    solved = whole("solution")
    second = whole("second_solution") & solved
    mended = whole("mended") & second & _true(_only(rows["change"]).is_valid())
    goal = whole("goal") & ~_true(pc.equal(column["goal"], column["solution"]))
    readable = _true(pc.invert(_only(rows["blotted"]))) & solved
    lines = pc.list_value_length(column["rows"]), pc.list_value_length(column["columns"])
    clues = _true(pc.equal(lines[0], _only(rows["height"]))) & _true(pc.equal(lines[1], _only(rows["width"])))
    clues &= ~readable

    def differing(name: str, which: np.ndarray) -> np.ndarray:
        return _planes(_entries(column[name], which) ^ _entries(column["solution"], which))

    arrays = {
        "solution": _planes(_entries(column["solution"], solved)),
        "second": differing("second_solution", second),
        "goal": _planes(_entries(column["goal"], goal)),
        **_clues("row", column["rows"], clues),
        **_clues("column", column["columns"], clues),
        "mended": differing("mended", mended),
    }
    content = SOLUTION * solved + SECOND * second + GOAL * goal + CLUES * clues + MENDED * mended
    return content.astype(np.uint8), {name: array for name, array in arrays.items() if len(array)}


def _changes(rows: pa.Table, content: np.ndarray) -> dict[str, list[str]]:
    """What a chunk's head says: of each row with a mended picture the change in words; nothing if there is none."""
    changes = _only(rows["change"]).filter(pa.array(content & MENDED != 0)).to_pylist()
    return {"changes": changes} if changes else {}


def _only(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    return column.combine_chunks()


def _true(mask: pa.Array) -> np.ndarray:
    """Where a mask is true, neither false nor null."""
    known: np.ndarray = mask.fill_null(False).to_numpy(zero_copy_only=False)
    return known


def _entries(pictures: pa.BinaryArray, which: np.ndarray) -> np.ndarray:
    """The palette entries of these rows' pictures, one after the other, uint8."""
    return np.frombuffer(b"".join(pictures.filter(pa.array(which)).to_pylist()), np.uint8)


def _planes(entries: np.ndarray) -> np.ndarray:
    """Palette entries as bits, the least significant ones of all first, then the next; each plane ends with its byte.

    There are as many planes as the largest entry has bits. Where most entries are small, the higher planes are zeros,
    which deflate to almost nothing.
    """
    planes = range(int(entries.max(initial=0)).bit_length() or 1)
    return np.concatenate([np.packbits(entries >> plane & 1, bitorder="little") for plane in planes])


def _clues(side: str, lines: pa.ListArray, which: np.ndarray) -> dict[str, np.ndarray]:
    """The clues of these rows on one side: blocks of each line, and each block's length and colour; 0 for a null."""
    clues = lines.filter(pa.array(which)).flatten()
    blocks = clues.flatten()
    return {
        f"{side}_blocks": pc.list_value_length(clues).fill_null(0).to_numpy().astype(np.uint16),
        f"{side}_lengths": pc.struct_field(blocks, "length").fill_null(0).to_numpy(),
        f"{side}_colors": pc.struct_field(blocks, "color").fill_null(0).to_numpy(),
    }


# What the page has besides the data


def script() -> str:
    """The browser's script: its parts, one after the other, with names of their own."""
    parts = "\n".join(source(f"browser/{part}.js") for part in PARTS)
    return f'(() => {{\n"use strict";\n{columns_script()}{parts}}})();\n'


def style() -> str:
    """Its style sheet, which uses the colours of report.css."""
    return source("browser.css")
