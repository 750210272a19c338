"""Near pictures against a twin that compares all pairs under all symmetries."""

from collections.abc import Iterator
from math import comb

import numpy as np
import pytest
from stores import sampled

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.findings import near
from nonocensus.pipeline.findings.near import BANDS, CHANCE, WINDOW, allowed_cells, concatenate, find_near, pack, passes


def turns(picture: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a picture under the symmetries that keep its size."""
    for sides in (picture, picture.T) if picture.shape[0] == picture.shape[1] else (picture,):
        for quarter in (sides, sides[::-1]):
            yield from (quarter, quarter[:, ::-1])


def rarer(picture: np.ndarray) -> int:
    """Count the cells of the commonest entry or all others, whichever are fewer."""
    commonest = np.unique(picture, return_counts=True)[1].max()
    return int(min(commonest, picture.size - commonest))


def slowly(cells: np.ndarray, limits: np.ndarray) -> tuple[list[int], list[int]]:
    """For each picture the earliest that it is like, and the number of cells, all pairs compared."""
    first, differing = [], []
    for k, picture in enumerate(cells):
        found = (k, 0)
        for earlier in range(k):
            least = min(int((turned != cells[earlier]).sum()) for turned in turns(picture))
            if least <= min(limits[k], limits[earlier]):
                found = (earlier, least)
                break
        first.append(found[0])
        differing.append(found[1])
    return first, differing


def planted(rng: np.random.Generator, shape: tuple[int, int, int], most: int, colors: int) -> np.ndarray:
    """Random pictures; a third of them are another, turned, with up to `most` + 1 other cells."""
    cells = rng.integers(0, colors + 1, shape, dtype=np.uint8)
    for k in range(2, len(cells), 3):
        several = list(turns(cells[rng.integers(k)]))
        flat = several[rng.integers(len(several))].copy().ravel()
        others = rng.choice(flat.size, rng.integers(most + 2), replace=False)
        flat[others] = (flat[others] + rng.integers(1, colors + 1, len(others))) % (colors + 1)
        cells[k] = flat.reshape(shape[1:])
    return cells


def any_of(cells: np.ndarray, most: int) -> np.ndarray:
    """Let pictures differ in `most` cells whatever their rarer cells."""
    return np.full(cells[0].size // 2 + 1, most)


def check(cells: np.ndarray, most: int, share: float | None = None) -> None:
    """Compare with `slowly`: all limits are `most`, or those of a share, at most `most`."""
    calls: list[int] = []
    _, height, width = cells.shape
    allowed = any_of(cells, most) if share is None else allowed_cells(height * width, share)
    assert allowed[-1] == most
    found = find_near(pack(cells), allowed, SILENT._replace(on_progress=lambda count, _: calls.append(count)))
    limits = allowed[[rarer(picture) for picture in cells]]
    assert (found.first.tolist(), found.cells.tolist()) == slowly(cells, limits)
    fewer = [min(rarer(cells[k]), rarer(cells[first])) for k, first in enumerate(found.first)]
    assert found.share.tolist() == [count / max(few, 1) for count, few in zip(found.cells, fewer, strict=True)]
    assert not found.crowded.any()
    assert sum(calls) == len(cells) * passes(width, height, len(cells), most)


@pytest.mark.parametrize("colors", [1, 2, 5])
@pytest.mark.parametrize(("height", "width", "most"), [(5, 5, 1), (1, 23, 1), (7, 12, 4), (9, 9, 0), (8, 8, 3)])
def test_few_pictures_are_all_compared(height: int, width: int, most: int, colors: int) -> None:
    rng = np.random.default_rng(height * width + colors)
    for pictures in (1, 2, WINDOW):
        check(planted(rng, (pictures, height, width), most, colors), most)


@pytest.mark.parametrize("colors", [1, 3])
@pytest.mark.parametrize(("height", "width", "most"), sampled([(7, 13, 3), (10, 10, 4), (8, 17, 5)], 3))
def test_bands_miss_nothing(height: int, width: int, most: int, colors: int) -> None:
    rng = np.random.default_rng(height + colors)
    cells = planted(rng, (5 * WINDOW, height, width), most, colors)
    assert passes(width, height, len(cells), most) % (most + 1) == 0
    check(cells, most)


@pytest.mark.parametrize("colors", [1, 2, 5])
@pytest.mark.parametrize(("height", "width"), [(8, 8), (8, 13), (10, 10)])
def test_limits_follow_the_rarer_cells(height: int, width: int, colors: int) -> None:
    """Pictures from nearly empty to nearly solid, few of a size and many."""
    rng = np.random.default_rng(height * width + colors)
    most = int(allowed_cells(height * width, 0.2)[-1])
    for pictures in (WINDOW, 3 * WINDOW):
        cells = planted(rng, (pictures, height, width), most, colors)
        for picture in cells[::3]:
            picture[rng.random(picture.shape) < rng.random()] = rng.integers(colors + 1)
        check(np.concatenate([cells, cells[::-1, :, ::-1]]), most, 0.2)


def test_unrelated_pictures_are_not_near() -> None:
    """Empty and solid ones, a dot and a patch of 400 cells (webpbn 1272 and 15997), two dots more or less."""
    cells = np.zeros((7, 20, 20), np.uint8)
    cells[1] = 1
    cells[2, 3, 9] = cells[3, 12:16, 8:12] = 1
    cells[4:, 5] = 1
    cells[5, 5, :2] = 0
    cells[6, 5, :4] = 0
    found = find_near(pack(cells), allowed_cells(400, 0.15), SILENT)
    assert found.first.tolist() == [0, 1, 2, 3, 4, 4, 5]
    assert found.share.tolist() == [0, 0, 0, 0, 0, 2 / 18, 2 / 16]


def test_pictures_are_not_near_by_chance() -> None:
    """The rarer cells say CHANCE bits more than those that differ: log2 of the ways to choose them."""
    assert allowed_cells(25, 0.2).max() == -1
    for cells in (64, 100, 9801):
        allowed = allowed_cells(cells, 0.2)
        assert (np.diff(allowed) >= 0).all()
        for few in (1, 2, 5, 8, 12, 20, 32):
            assert allowed[few] <= few // 5
            unlikely = [k for k in range(few // 5 + 1) if comb(cells, few) >= 2**CHANCE * comb(cells, k)]
            assert allowed[few] == max(unlikely, default=-1)


def test_of_more_bands_some_are_enough() -> None:
    """Pairs that differ in as many cells as they may, in a size that would have 81 bands."""
    rng = np.random.default_rng(3)
    cells = np.repeat(rng.integers(0, 2, (2 * WINDOW, 40, 40), dtype=np.uint8), 2, axis=0)
    for picture in cells[1::2]:
        picture.reshape(-1)[rng.choice(1600, 80, replace=False)] ^= 1
    assert passes(40, 40, len(cells), 80) == 8 * BANDS
    found = find_near(pack(cells), any_of(cells, 80), SILENT)
    assert found.first.tolist() == [k // 2 * 2 for k in range(len(cells))]
    assert found.cells.tolist() == [0, 80] * (2 * WINDOW)
    assert not find_near(pack(cells), any_of(cells, 79), SILENT).cells.any()


def test_pieces_of_different_depth_are_joined() -> None:
    rng = np.random.default_rng(5)
    pieces = [rng.integers(0, colors, (3, 6, 11), dtype=np.uint8) for colors in (2, 32, 1, 4)]
    whole = pack(np.concatenate(pieces))
    pictures = concatenate([pack(piece) for piece in pieces])
    assert pictures[1:] == whole[1:] == (11, 6)
    assert np.array_equal(pictures.bits, whole.bits)


def test_plain_pictures_take_a_time_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """All share their bands and are near: each is compared with WINDOW others in a band, and it is said."""
    rng = np.random.default_rng(6)
    cells = (rng.random((3000, 10, 10)) < 0.02).astype(np.uint8)
    compared = 0
    count = near._count_colored

    def counting(bits: np.ndarray) -> np.ndarray:
        nonlocal compared
        compared += len(bits)
        return count(bits)

    monkeypatch.setattr(near, "_count_colored", counting)
    found = find_near(pack(cells), any_of(cells, 5), SILENT)
    assert compared <= len(cells) * (1 + (WINDOW + 1) * passes(10, 10, len(cells), 5))
    assert found.crowded.sum() > 2900
    assert (found.first != np.arange(3000)).sum() > 2900
    for k in np.flatnonzero(found.first != np.arange(3000))[::50]:
        least = min(int((turned != cells[found.first[k]]).sum()) for turned in turns(cells[k]))
        assert found.first[k] < k
        assert least == found.cells[k] <= 5
