"""Identity of puzzles: hashes of their clues.

A puzzle is serialized as numbers (its text): width and height, then for each line, rows first, the number of its blocks
and each block's length and colour. `clue_hash` is a hash of the text. `canonical_hash` is a hash of the least text of
the puzzle's 8 symmetries, each with its colours renumbered in order of first use. So two puzzles have equal canonical
hashes exactly if one is a rotation, reflection or recolouring of the other.

Palettes are renumbered in order of first use as well (solver.model.puzzle.normalize_palette), so that equal puzzles of
two sources have equal clue hashes.
"""

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.model.puzzle import MAX_COLORS
from nonocensus.solver.model.views import Clues, Views

HASH_BYTES = 16
SYMMETRIES = 8


def clue_hashes(views: Views) -> tuple[bytes, bytes]:
    """Return the clue hashes and the canonical hashes of a batch, 32 hex digits each, concatenated."""
    puzzles = len(views.width)
    if not puzzles:
        return b"", b""
    ends = np.zeros(puzzles + 1, np.int64)
    np.cumsum(_text_sizes(views), out=ends[1:])
    plain, canonical = np.empty(ends[-1], np.uint16), np.empty(ends[-1], np.uint16)
    colors = max(int(clues.color.max(initial=0)) for clues in (views.rows, views.columns))
    candidate, names = np.empty(np.diff(ends).max(), np.uint16), np.zeros(colors + 1, np.uint16)
    _write_texts(views, ends, plain, canonical, candidate, names)
    return _text_hashes(plain, ends), _text_hashes(canonical, ends)


def _text_hashes(texts: np.ndarray, ends: np.ndarray) -> bytes:
    """Return the hash of each text, texts[ends[p]:ends[p + 1]], in hex, concatenated."""
    data = texts.astype("<u2", copy=False).tobytes()
    digests, new = [], hashlib.sha256().copy  # a copy is faster than a new one, which looks up its algorithm
    for start, end in pairwise((2 * ends).tolist()):
        text = new()
        text.update(data[start:end])
        digests.append(text.digest()[:HASH_BYTES])
    return b"".join(digests).hex().encode()


def first_occurrences(hashes: pa.Array, seen: Views, which: np.ndarray) -> np.ndarray:
    """Return for each puzzle the index of the first one with equal clues, int64.

    hashes    the puzzles' clue hashes; a null equals none. Equal hashes may be wrong, so clues are compared
    which     bool[puzzles]: puzzles without faults (solver.model.check); the others equal none
    """
    codes = hashes.dictionary_encode().indices
    known = which & codes.is_valid().to_numpy(zero_copy_only=False)
    places = np.arange(len(hashes))
    codes = codes.fill_null(0).to_numpy()
    first = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    first[codes[known][::-1]] = places[known][::-1]  # written in reverse order, so the first occurrence wins
    found: np.ndarray = np.where(known, first[codes], places)
    others = np.flatnonzero(found != places)
    if len(others):
        different = others[~_have_equal_clues(seen, others, found[others])]
        found[different] = different
    return found


def _have_equal_clues(seen: Views, ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return for each k whether puzzles ones[k] and others[k] have equal clues."""
    equal: np.ndarray = (seen.width[ones] == seen.width[others]) & (seen.height[ones] == seen.height[others])
    for clues in (seen.rows, seen.columns):
        pairs = np.flatnonzero(equal)  # with equal numbers of lines
        first, second, pair = pair_items(clues.lines, ones[pairs], others[pairs])
        one, other = (clues.blocks[lines + 1] - clues.blocks[lines] for lines in (first, second))
        equal[pairs[pair[one != other]]] = False
        pairs = np.flatnonzero(equal)  # whose lines have equal numbers of blocks
        first, second, pair = pair_items(clues.blocks[clues.lines], ones[pairs], others[pairs])
        differ = (clues.length[first] != clues.length[second]) | (clues.color[first] != clues.color[second])
        equal[pairs[pair[differ]]] = False
    return equal


def pair_items(offsets: np.ndarray, ones: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of the groups `ones`, the corresponding items of `others`, and the index of their pair.

    Group g has the items offsets[g] .. offsets[g + 1]; both groups of a pair have the same size.
    """
    sizes = np.diff(offsets)[ones]
    pair = np.repeat(np.arange(len(ones)), sizes)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return offsets[ones][pair] + within, offsets[others][pair] + within, pair


def _text_sizes(views: Views) -> np.ndarray:
    """Return the length of each puzzle's text, in uint16 numbers."""
    sizes = np.full(len(views.width), 2, np.int64)
    for clues in (views.rows, views.columns):  # width and height may disagree with the clues
        sizes += np.diff(clues.lines)
        sizes += 2 * np.diff(clues.blocks[clues.lines])
    return sizes


@kernel
def _write_texts(
    views: Views,
    ends: np.ndarray,
    plain: np.ndarray,
    canonical: np.ndarray,
    candidate: np.ndarray,
    names: np.ndarray,
) -> None:
    """Write each puzzle's text, and the least text of its symmetries, to ends[p] .. ends[p + 1].

    candidate, names    scratch: uint16[longest text], uint16[highest colour + 1]
    """
    for p in range(len(views.width)):
        best = canonical[ends[p] : ends[p + 1]]
        for turn in range(SYMMETRIES + 1):  # the plain text, then the symmetries; one call, so that it is inlined
            rename = turn > 0
            text = candidate if turn > 1 else best if rename else plain[ends[p] : ends[p + 1]]
            other = best if turn > 1 else best[:0]
            if _write_text(views, p, max(turn - 1, 0), rename, names, other, text) and turn > 1:
                for i in range(len(best)):
                    best[i] = text[i]


@inlined
def _write_text(
    views: Views, p: int, symmetry: int, rename: bool, names: np.ndarray, best: np.ndarray, text: np.ndarray
) -> bool:
    """Write the text of puzzle p under a symmetry: bit 0 transposes, bits 1 and 2 mirror the new rows and columns.

    Returns whether the text is less than `best`; if it is not, writing stops at the first difference.

    names   scratch, uint16[highest colour + 1]: the new number of each colour, 0 until its first use
    best    another text of this puzzle, or an empty array, which is greater than all texts
    """
    transposed = symmetry & 1 != 0
    upside_down, left_right = symmetry & 2 != 0, symmetry & 4 != 0
    text[0] = views.height[p] if transposed else views.width[p]
    text[1] = views.width[p] if transposed else views.height[p]
    names[:] = 0
    here: Any = np.int64(2)
    colors: Any = np.int64(0)
    compared: Any = np.int64(0)
    before = len(best) == 0
    for side in range(2):
        clues = views.rows if (side == 0) != transposed else views.columns
        lines_back = upside_down if side == 0 else left_right
        blocks_back = left_right if side == 0 else upside_down
        first, last = clues.lines[p], clues.lines[p + 1]
        for i in range(first, last):
            line = first + last - 1 - i if lines_back else i
            here, colors = _write_line(clues, line, blocks_back, rename, names, colors, text, here)
            if not before:
                order = _order(text, best, compared, here)
                if order > 0:
                    return False
                before, compared = order < 0, here
    return before


@inlined
def _order(text: np.ndarray, other: np.ndarray, start: int, end: int) -> int:
    """Compare text[start:end] with other[start:end]; returns -1, 0 or 1."""
    for i in range(start, end):
        if text[i] != other[i]:
            return -1 if text[i] < other[i] else 1
    return 0


@inlined
def _write_line(
    clues: Clues, line: int, back: bool, rename: bool, names: np.ndarray, colors: int, text: np.ndarray, here: int
) -> tuple[int, int]:
    """Write a line, with its blocks reversed if `back`; returns its end and the number of colours so far."""
    start, stop = clues.blocks[line], clues.blocks[line + 1]
    text[here] = stop - start
    here += 1
    for j in range(start, stop):
        block = start + stop - 1 - j if back else j
        color = clues.color[block]
        if rename:
            if names[color] == 0:
                colors += 1
                names[color] = colors
            color = names[color]
        text[here] = clues.length[block]
        text[here + 1] = color
        here += 2
    return here, colors


def renumber_colors(rows: Clues, columns: Clues, ends: np.ndarray) -> np.ndarray:
    """Renumber the colours of each puzzle in order of first use, rows before columns, in place.

    rows, columns   writable; their colours are in the palettes
    ends            int64[puzzles + 1]: puzzle p has the palette entries ends[p] .. ends[p + 1], MAX_COLORS + 1 at most

    Returns the old number of each entry of the new palettes, uint8[all entries]. Unused colours come last, in their old
    order.
    """
    order = np.zeros(ends[-1], np.uint8)
    _renumber(rows, columns, ends, order, np.zeros(MAX_COLORS + 1, np.uint8))
    return order


@kernel
def _renumber(rows: Clues, columns: Clues, ends: np.ndarray, order: np.ndarray, numbers: np.ndarray) -> None:
    """Renumber colours; `numbers` is scratch: the new number of each colour, 0 until its first use."""
    for p in range(len(ends) - 1):
        start, colors = ends[p], 1  # entry 0, the background, stays
        numbers[:] = 0
        for side in range(2):
            clues = rows if side == 0 else columns
            for block in range(clues.blocks[clues.lines[p]], clues.blocks[clues.lines[p + 1]]):
                color = clues.color[block]
                if numbers[color] == 0:
                    numbers[color] = colors
                    order[start + colors] = color
                    colors += 1
                clues.color[block] = numbers[color]
        for color in range(1, ends[p + 1] - start):
            if numbers[color] == 0:
                order[start + colors] = color
                colors += 1
