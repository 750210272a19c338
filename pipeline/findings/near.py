"""Pictures that are equal but for some cells: locality-sensitive hashing in bands, each candidate counted cell by cell.

The cells are dealt into d + 1 bands at random. Two pictures that differ in at most d cells are equal in one band at
least, so whatever is like a picture shares a band with it, and has as many coloured cells up to d more or fewer. Sorted
by the band's hash and by that number, the candidates of a picture stand together. Of more than BANDS bands some are
taken. This is bit sampling (Indyk and Motwani, Approximate nearest neighbors, STOC 1998), whose bands have no cell in
common here, so that nothing is missed while there are d + 1 of them (Manku, Jain and Das Sarma, Detecting
near-duplicates for web crawling, WWW 2007).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

BANDS = 32
"""Most bands. With fewer than d + 1 a pair is missed by a chance of (1 - 1 / e) ** 32, about 4 in 10 million, at most:
the bands don't depend on the pictures, and each has a d + 1-th of the cells."""

WINDOW = 64
"""Most candidates that a picture is compared with in a band, the earliest of those with as many coloured cells first.

So many plain pictures, which share their bands, take a time that grows with their number and not with its square.
"""

COUNT_BITS = 22
"""Bits of a key that hold the number of coloured cells and what is added to it: both are below 2 ** 20."""

CELL_BITS = 20
"""Bits for a number of cells."""

WORDS = 1 << 22
"""Words of 64 bits that are worked on at a time."""


class PictureColumn(NamedTuple):
    """Pictures of one size, none higher than wide, a bit a cell for each bit of a palette entry.

    bits            uint64[pictures, planes, words]: cell y * width + x of plane k is whether its entry has bit k
    width, height   in cells
    """

    bits: np.ndarray
    width: int
    height: int


class Likes(NamedTuple):
    """For each picture the earliest one that it is like.

    first     int64[pictures]: its index; the picture's own if there is none
    cells     int64[pictures]: in how many cells they differ
    crowded   bool[pictures]: whether more than WINDOW candidates shared a band with it, so that one may be missed
    """

    first: np.ndarray
    cells: np.ndarray
    crowded: np.ndarray


def packed(cells: np.ndarray) -> PictureColumn:
    """Pictures from their cells, uint8[pictures, height, width] of palette entries."""
    pictures, height, width = cells.shape
    planes = np.arange(max(1, int(cells.max(initial=0)).bit_length()), dtype=np.uint8)
    bits = np.packbits(cells.reshape(pictures, 1, -1) >> planes[:, None] & 1, axis=2, bitorder="little")
    whole = np.zeros((pictures, len(planes), -(-bits.shape[2] // 8) * 8), np.uint8)
    whole[:, :, : bits.shape[2]] = bits
    return PictureColumn(whole.view(np.uint64), width, height)


def joined(several: Sequence[PictureColumn]) -> PictureColumn:
    """Pictures of one size, one after the other."""
    planes = max(some.bits.shape[1] for some in several)
    bits = np.zeros((sum(len(some.bits) for some in several), planes, several[0].bits.shape[2]), np.uint64)
    first = 0
    for some in several:
        bits[first : first + len(some.bits), : some.bits.shape[1]] = some.bits
        first += len(some.bits)
    return several[0]._replace(bits=bits)


class _Band(NamedTuple):
    """The keys of pictures and of turned ones for a band, uint64, and the most cells in which they may differ."""

    keys: np.ndarray
    turned: np.ndarray
    most: int


def passes(width: int, height: int, pictures: int, most: int) -> int:
    """How often `like_earlier` goes through so many pictures."""
    return len(_symmetries(width, height)) * _band_count(pictures, most)


def like_earlier(pictures: PictureColumn, most: int, seen: Callable[[int], object]) -> Likes:
    """For each picture the earliest that it equals, perhaps turned or mirrored, but for `most` cells.

    `seen` is told of the pictures gone through, each `passes` times. Memory: twice that of the pictures, about 100
    bytes a picture, and some hundred megabytes for what is compared at a time.
    """
    count = len(pictures.bits)
    best = np.arange(count) << CELL_BITS  # the earliest index, and its number of cells
    crowded = np.zeros(count, np.bool_)
    colored = _colored(pictures.bits)
    masks = _bands(pictures.width * pictures.height, count, most)
    for symmetry in _symmetries(pictures.width, pictures.height):
        turned = _turned(pictures, *symmetry)
        for mask in masks:
            keys, turned_keys = _keys(pictures.bits, mask, colored), _keys(turned, mask, colored)
            _compare_in_band(pictures.bits, turned, _Band(keys, turned_keys, most), best, crowded)
            seen(count)
    return Likes(best >> CELL_BITS, best & (1 << CELL_BITS) - 1, crowded)


def _symmetries(width: int, height: int) -> list[tuple[int, int, int]]:
    """The symmetries that keep the size: whether to transpose, to turn upside down and to mirror left to right."""
    transposing = (0, 1) if width == height else (0,)
    return [(t, upside_down, mirrored) for t in transposing for upside_down in (0, 1) for mirrored in (0, 1)]


def _band_count(pictures: int, most: int) -> int:
    """How many bands so many pictures are compared in: one, without cells, where each can be compared with all."""
    return 1 if pictures <= WINDOW else min(most + 1, BANDS)


def _bands(cells: int, pictures: int, most: int) -> np.ndarray:
    """The cells of each band as bits, uint64[bands, words]."""
    band_of = np.full(cells, -1)
    if pictures > WINDOW:
        band_of[np.random.default_rng(cells).permutation(cells)] = np.arange(cells) % (most + 1)
    bands = np.arange(_band_count(pictures, most))
    return packed((band_of == bands[:, None]).astype(np.uint8)[:, None]).bits[:, 0]


def _turned(pictures: PictureColumn, transposed: int, upside_down: int, mirrored: int) -> np.ndarray:
    """The bits of all pictures under a symmetry that keeps their size."""
    turned = np.empty_like(pictures.bits)
    size = pictures.height, pictures.width
    for some in _slices(pictures.bits, 8):  # a byte a cell on the way
        bits = pictures.bits[some]
        cells = np.unpackbits(bits.view(np.uint8), axis=2, count=size[0] * size[1], bitorder="little")
        grid = cells.reshape(-1, *size)
        grid = grid.transpose(0, 2, 1) if transposed else grid
        turned[some] = packed(grid[:, :: 1 - 2 * upside_down, :: 1 - 2 * mirrored]).bits.reshape(bits.shape)
    return turned


def _slices(bits: np.ndarray, times: int = 1) -> Iterator[slice]:
    """Slices of an array of pictures, each of WORDS words or one picture, where a picture takes `times` its words."""
    step = max(1, WORDS // (times * bits[:1].size))
    return (slice(first, first + step) for first in range(0, len(bits), step))


def _colored(bits: np.ndarray) -> np.ndarray:
    """How many cells of each picture have a bit in any plane, uint64[pictures]."""
    cells: np.ndarray = np.bitwise_count(np.bitwise_or.reduce(bits, axis=1)).sum(1, dtype=np.uint64)
    return cells


def _keys(bits: np.ndarray, mask: np.ndarray, colored: np.ndarray) -> np.ndarray:
    """A key for each picture, uint64: a hash of a band's cells (multiply-shift), then the number of coloured cells."""
    factors = np.random.default_rng(0).integers(1 << 63, size=bits.shape[1:], dtype=np.uint64) << np.uint64(1)
    hashes = np.empty(len(bits), np.uint64)
    for some in _slices(bits):
        hashes[some] = ((bits[some] & mask) * (factors | np.uint64(1))).sum((1, 2), dtype=np.uint64)
    keys: np.ndarray = hashes >> np.uint64(COUNT_BITS) << np.uint64(COUNT_BITS) | colored
    return keys


def _compare_in_band(bits: np.ndarray, turned: np.ndarray, band: _Band, best: np.ndarray, crowded: np.ndarray) -> None:
    """Compare each turned picture with those that share the band with it and have as many coloured cells, or more.

    Of two pictures one has no more coloured cells than the other, and the reverse of a symmetry is one too: so each
    pair is met. What is found goes into `best` and `crowded`.
    """
    order, turned_order = np.argsort(band.keys), np.argsort(band.turned)
    keys, wanted = band.keys[order], band.turned[turned_order]
    starts = np.searchsorted(keys, wanted)
    lengths = np.searchsorted(keys, wanted + np.uint64(band.most), "right") - starts
    crowded[turned_order[lengths > WINDOW + 1]] = True
    lengths = np.minimum(lengths, WINDOW + 1)  # one may be the picture itself
    word, turned_word = bits[order, 0, 0], turned[turned_order, 0, 0]
    for some in _slices(turned, WINDOW + 1):
        length = lengths[some]
        places = np.repeat(starts[some] - np.cumsum(length) + length, length) + np.arange(length.sum())
        # most pairs differ in too many cells of the first word already, and words in order are read quickly
        alike = np.bitwise_count(word[places] ^ np.repeat(turned_word[some], length)) <= band.most
        ones, others = order[places[alike]], np.repeat(turned_order[some], length)[alike]
        earlier, later = np.minimum(ones, others), np.maximum(ones, others)
        worth = (earlier < later) & (earlier <= best[later] >> CELL_BITS)
        earlier, later = earlier[worth], later[worth]
        cells = _colored(bits[ones[worth]] ^ turned[others[worth]]).astype(np.int64)
        near = cells <= band.most
        np.minimum.at(best, later[near], earlier[near] << CELL_BITS | cells[near])
