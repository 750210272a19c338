"""Near-duplicate pictures by locality-sensitive hashing in bands; candidates are compared cell by cell.

Cells are distributed randomly over d + 1 bands. Two pictures that differ in at most d cells are equal in at least one
band, and their numbers of coloured cells differ by at most d. Sorted by band hash and number of coloured cells, the
candidates of a picture are adjacent. At most BANDS bands are used. This is bit sampling (Indyk and Motwani, Approximate
nearest neighbors, STOC 1998) with disjoint bands, which misses nothing with d + 1 of them (Manku, Jain and Das Sarma,
Detecting near-duplicates for web crawling, WWW 2007).

How many cells near pictures may differ in follows from their rarer cells: the commonest entry of a picture or all other
cells, whichever are fewer. So nearly empty and nearly solid pictures are near only if they share what they show.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nonocensus.pipeline.callbacks import ProgressCallbacks

CHANCE = 40
"""Bits by which choosing a picture's rarer cells says more than choosing the cells that differ.

Unrelated pictures are as near as that with a probability of 2 ** -40, and 500,000 of a size have 2 ** 40 pairs, turned.
"""

BANDS = 24
"""Most bands. With fewer than d + 1 bands a pair is missed with a probability of at most (1 - 1 / e) ** 24, about 2 in
100,000, as bands do not depend on the pictures and each has 1 / (d + 1) of the cells."""

WINDOW = 64
"""Most candidates per picture and band, the earliest of those with equal numbers of coloured cells first.

It keeps the time linear for many plain pictures that share their bands.
"""

COUNT_BITS = 22
"""Bits of a key for the number of coloured cells and an addend, both below 2 ** 20."""

BAND_BITS = 5
"""Bits of a key for the band, below BANDS."""

CELL_BITS = 20
"""Bits for a number of cells."""

WORDS = 1 << 22
"""64-bit words processed at a time."""

KEYS = 1 << 16
"""Keys compared at a time, of one band at least."""


class PictureColumn(NamedTuple):
    """Pictures of one size, none higher than wide, as bit planes of palette entries.

    bits            uint64[pictures, planes, words]: cell y * width + x of plane k is bit k of its entry
    width, height   in cells
    """

    bits: np.ndarray
    width: int
    height: int


class NearPictures(NamedTuple):
    """The earliest near picture of each picture.

    first     int64[pictures]: its index, or the picture's own
    cells     int64[pictures]: number of cells in which they differ
    share     float64[pictures]: the same as a share of the rarer cells of the one that has fewer
    crowded   bool[pictures]: more than WINDOW candidates shared a band, so that one may be missed
    """

    first: np.ndarray
    cells: np.ndarray
    share: np.ndarray
    crowded: np.ndarray


def pack(cells: np.ndarray) -> PictureColumn:
    """Pack cells, uint8[pictures, height, width] of palette entries, into bit planes."""
    pictures, height, width = cells.shape
    planes = np.arange(max(1, int(cells.max(initial=0)).bit_length()), dtype=np.uint8)
    bits = np.packbits(cells.reshape(pictures, 1, -1) >> planes[:, None] & 1, axis=2, bitorder="little")
    whole = np.zeros((pictures, len(planes), -(-bits.shape[2] // 8) * 8), np.uint8)
    whole[:, :, : bits.shape[2]] = bits
    return PictureColumn(whole.view(np.uint64), width, height)


def concatenate(several: Sequence[PictureColumn]) -> PictureColumn:
    """Concatenate pictures of one size."""
    planes = max(some.bits.shape[1] for some in several)
    bits = np.zeros((sum(len(some.bits) for some in several), planes, several[0].bits.shape[2]), np.uint64)
    first = 0
    for some in several:
        bits[first : first + len(some.bits), : some.bits.shape[1]] = some.bits
        first += len(some.bits)
    return several[0]._replace(bits=bits)


class _Bands(NamedTuple):
    """Pictures by their keys for several bands; `_bands_of` makes it.

    masks   uint64[bands, words]: the cells of each band
    order   int64[bands * pictures]: the pictures, the lowest key first
    keys    uint64[bands * pictures], ascending
    """

    masks: np.ndarray
    order: np.ndarray
    keys: np.ndarray


def allowed_cells(cells: int, share: float) -> np.ndarray:
    """Return the most cells in which near pictures differ by their rarer cells, int64[cells // 2 + 1].

    At most `share` of the rarer cells, fewer where pictures are alike by chance; -1 if none is near. It never falls.
    """
    factorials = np.cumsum(np.log2(np.maximum(np.arange(cells + 1), 1)))
    rarer = np.arange(cells // 2 + 1)
    bits = factorials[-1] - factorials[rarer] - factorials[cells - rarer]  # log2 of the ways to choose them
    by_chance = np.searchsorted(bits, bits - CHANCE, "right") - 1
    limits: np.ndarray = np.minimum(by_chance, (share * rarer + 1e-9).astype(np.int64))  # 29 for 0.29 of 100
    return limits


def passes(width: int, height: int, pictures: int, most: int) -> int:
    """Return how often `find_near` passes over this number of pictures."""
    return len(_symmetries(width, height)) * _band_count(pictures, most)


def find_near(pictures: PictureColumn, allowed: np.ndarray, progress: ProgressCallbacks) -> NearPictures:
    """Find the earliest picture that is near each, up to rotation and mirroring.

    allowed   as returned by `allowed_cells`, of at least 0 at its end

    Progress counts each picture `passes` times. Memory: twice that of the pictures, about
    100 bytes per picture, 16 more per picture and band, and some hundred megabytes of buffers.
    """
    rarer = _count_rarer(pictures)
    first, cells, crowded = _find_first(pictures, allowed[rarer], int(allowed[-1]), progress)
    return NearPictures(first, cells, cells / np.maximum(np.minimum(rarer, rarer[first]), 1), crowded)


def _count_rarer(pictures: PictureColumn) -> np.ndarray:
    """Count the cells of each picture's commonest entry, or all others if they are fewer, int64[pictures]."""
    cells, bits = pictures.width * pictures.height, pictures.bits
    commonest = np.empty(len(bits), np.int64)
    for some in _slices(bits, 1 << bits.shape[1]):
        entries = ~np.zeros((1, 1, 1), np.uint64)  # then the cells of each entry
        for plane in bits[some].transpose(1, 0, 2):
            entries = np.concatenate([entries & ~plane, entries & plane])
        counts = np.bitwise_count(entries).sum(2, dtype=np.int64)
        counts[0] -= 64 * bits.shape[2] - cells  # padding is 0
        commonest[some] = counts.max(0)
    return np.minimum(commonest, cells - commonest)


def _find_first(
    pictures: PictureColumn, limits: np.ndarray, most: int, progress: ProgressCallbacks
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `first`, `cells` and `crowded` of NearPictures.

    limits   int64[pictures]: the most cells in which a near picture may differ; both limits of a pair hold
    most     at least the highest of them
    """
    count = len(pictures.bits)
    if count <= WINDOW:
        return _nearest_of_few(pictures, limits, progress)
    best = np.arange(count) << CELL_BITS  # the earliest index, and its number of cells
    crowded = np.zeros(count, np.bool_)
    colored = _count_colored(pictures.bits)
    masks = _masks(pictures.width * pictures.height, count, most)
    step = max(1, KEYS // count)
    groups = [_bands_of(pictures.bits, masks[k : k + step], colored) for k in range(0, len(masks), step)]
    for symmetry in _symmetries(pictures.width, pictures.height):
        turned = _transform(pictures, *symmetry)
        for bands in groups:
            keys = _keys(turned, bands.masks, colored)
            _compare_in_bands(pictures.bits, turned, bands, keys, limits, most, best, crowded)
            progress.on_progress(count * len(bands.masks), "")
    return best >> CELL_BITS, best & (1 << CELL_BITS) - 1, crowded


def _nearest_of_few(
    pictures: PictureColumn, limits: np.ndarray, progress: ProgressCallbacks
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compare all pairs, as `_find_first` does for up to WINDOW pictures: most sizes have few."""
    bits, own = pictures.bits, np.arange(len(pictures.bits))
    least = np.full((len(bits), len(bits)), pictures.width * pictures.height)
    for symmetry in _symmetries(pictures.width, pictures.height):
        differing = bits[:, None] ^ _transform(pictures, *symmetry)
        cells = _count_colored(differing.reshape(-1, *bits.shape[1:])).astype(np.int64)
        np.minimum(least, cells.reshape(least.shape), out=least)
        progress.on_progress(len(bits), "")
    near = np.tril(least <= np.minimum.outer(limits, limits), -1)
    first = np.where(near.any(1), near.argmax(1), own)
    return first, np.where(first < own, least[own, first], 0), np.zeros(len(bits), np.bool_)


def _symmetries(width: int, height: int) -> list[tuple[int, int, int]]:
    """Return the symmetries that keep the size: whether to transpose, flip vertically and flip horizontally."""
    transposing = (0, 1) if width == height else (0,)
    return [(t, upside_down, mirrored) for t in transposing for upside_down in (0, 1) for mirrored in (0, 1)]


def _band_count(pictures: int, most: int) -> int:
    """Return the number of bands, 1 if all pairs are compared."""
    return 1 if pictures <= WINDOW else min(most + 1, BANDS)


def _masks(cells: int, pictures: int, most: int) -> np.ndarray:
    """Return the cells of each band as bits, uint64[bands, words]."""
    band_of = np.empty(cells, np.int64)
    band_of[np.random.default_rng(cells).permutation(cells)] = np.arange(cells) % (most + 1)
    bands = np.arange(_band_count(pictures, most))
    return pack((band_of == bands[:, None]).astype(np.uint8)[:, None]).bits[:, 0]


def _transform(pictures: PictureColumn, transposed: int, upside_down: int, mirrored: int) -> np.ndarray:
    """Return the bits of all pictures under a symmetry that keeps their size."""
    turned = np.empty_like(pictures.bits)
    size = pictures.height, pictures.width
    for some in _slices(pictures.bits, 8):  # one byte per cell temporarily
        bits = pictures.bits[some]
        cells = np.unpackbits(bits.view(np.uint8), axis=2, count=size[0] * size[1], bitorder="little")
        grid = cells.reshape(-1, *size)
        grid = grid.transpose(0, 2, 1) if transposed else grid
        turned[some] = pack(grid[:, :: 1 - 2 * upside_down, :: 1 - 2 * mirrored]).bits.reshape(bits.shape)
    return turned


def _slices(bits: np.ndarray, times: int = 1) -> Iterator[slice]:
    """Yield slices of pictures, each of WORDS words or one picture, counting `times` the words of a picture."""
    step = max(1, WORDS // (times * bits[:1].size))
    return (slice(first, first + step) for first in range(0, len(bits), step))


def _count_colored(bits: np.ndarray) -> np.ndarray:
    """Count the cells of each picture with a bit in any plane, uint64[pictures]."""
    cells: np.ndarray = np.bitwise_count(np.bitwise_or.reduce(bits, axis=1)).sum(1, dtype=np.uint64)
    return cells


def _keys(bits: np.ndarray, masks: np.ndarray, colored: np.ndarray) -> np.ndarray:
    """Return a key per band and picture, uint64[bands * pictures].

    From the upper bits: the band, a multiply-shift hash of its cells, the number of coloured cells.
    """
    factors = np.random.default_rng(0).integers(1 << 63, size=bits.shape[1:], dtype=np.uint64) << np.uint64(1)
    hashes = np.zeros((len(masks), len(bits)), np.uint64)
    with np.errstate(over="ignore"):  # hashes are modulo 2 ** 64
        for plane, word in np.ndindex(factors.shape):
            cells = np.ascontiguousarray(bits[:, plane, word])
            for band in np.flatnonzero(masks[:, word]):
                hashes[band] += (cells & masks[band, word]) * (factors[plane, word] | np.uint64(1))
    hashes >>= np.uint64(BAND_BITS + COUNT_BITS)
    bands = np.arange(len(masks), dtype=np.uint64)[:, None] << np.uint64(64 - BAND_BITS)
    keys: np.ndarray = (bands | hashes << np.uint64(COUNT_BITS) | colored).ravel()
    return keys


def _bands_of(bits: np.ndarray, masks: np.ndarray, colored: np.ndarray) -> _Bands:
    keys = _keys(bits, masks, colored)
    order = np.argsort(keys)
    return _Bands(masks, order % len(bits), keys[order])


def _compare_in_bands(
    bits: np.ndarray,
    turned: np.ndarray,
    bands: _Bands,
    turned_keys: np.ndarray,
    limits: np.ndarray,
    most: int,
    best: np.ndarray,
    crowded: np.ndarray,
) -> None:
    """Compare each transformed picture with those of equal band and at least as many coloured cells.

    One picture of each pair has at most as many coloured cells as the other, and inverses of symmetries are
    symmetries, so every pair is compared. Updates `best` and `crowded`.
    """
    order, turned_order = bands.order, np.argsort(turned_keys)
    wanted = turned_keys[turned_order]
    turned_order %= len(bits)
    starts = np.searchsorted(bands.keys, wanted)
    lengths = np.searchsorted(bands.keys, wanted + np.uint64(most), "right") - starts
    crowded[turned_order[lengths > WINDOW + 1]] = True
    lengths = np.minimum(lengths, WINDOW + 1)  # one of them may be the picture itself
    word, turned_word = bits[order, 0, 0], turned[turned_order, 0, 0]
    step = max(1, WORDS // ((WINDOW + 1) * bits[:1].size))
    for some in (slice(first, first + step) for first in range(0, len(wanted), step)):
        length = lengths[some]
        places = np.repeat(starts[some] - np.cumsum(length) + length, length) + np.arange(length.sum())
        # most pairs already differ too much in the first word, and sequential reads are fast
        alike = np.bitwise_count(word[places] ^ np.repeat(turned_word[some], length)) <= most
        ones, others = order[places[alike]], np.repeat(turned_order[some], length)[alike]
        earlier, later = np.minimum(ones, others), np.maximum(ones, others)
        worth = (earlier < later) & (earlier <= best[later] >> CELL_BITS)
        earlier, later = earlier[worth], later[worth]
        cells = _count_colored(bits[ones[worth]] ^ turned[others[worth]]).astype(np.int64)
        near = cells <= np.minimum(limits[earlier], limits[later])
        np.minimum.at(best, later[near], earlier[near] << CELL_BITS | cells[near])
