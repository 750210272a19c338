"""Near pictures against a twin that compares all pairs under all symmetries."""

from collections.abc import Iterator

import numpy as np
import pytest
from stores import sampled

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.findings import near
from nonocensus.pipeline.findings.near import BANDS, WINDOW, find_near, joined, packed, passes


def turns(picture: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a picture under the symmetries that keep its size."""
    for sides in (picture, picture.T) if picture.shape[0] == picture.shape[1] else (picture,):
        for quarter in (sides, sides[::-1]):
            yield from (quarter, quarter[:, ::-1])


def slowly(cells: np.ndarray, most: int) -> tuple[list[int], list[int]]:
    """For each picture the earliest that it is like, and the number of cells, all pairs compared."""
    first, differing = [], []
    for k, picture in enumerate(cells):
        found = (k, 0)
        for earlier in range(k):
            least = min(int((turned != cells[earlier]).sum()) for turned in turns(picture))
            if least <= most:
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


def check(cells: np.ndarray, most: int) -> None:
    calls: list[int] = []
    found = find_near(packed(cells), most, SILENT._replace(on_progress=lambda count, _: calls.append(count)))
    assert (found.first.tolist(), found.cells.tolist()) == slowly(cells, most)
    assert not found.crowded.any()
    _, height, width = cells.shape
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


def test_of_more_bands_some_are_enough() -> None:
    """Pairs that differ in as many cells as they may, in a size that would have 81 bands."""
    rng = np.random.default_rng(3)
    cells = np.repeat(rng.integers(0, 2, (2 * WINDOW, 40, 40), dtype=np.uint8), 2, axis=0)
    for picture in cells[1::2]:
        picture.reshape(-1)[rng.choice(1600, 80, replace=False)] ^= 1
    assert passes(40, 40, len(cells), 80) == 8 * BANDS
    found = find_near(packed(cells), 80, SILENT)
    assert found.first.tolist() == [k // 2 * 2 for k in range(len(cells))]
    assert found.cells.tolist() == [0, 80] * (2 * WINDOW)
    assert not find_near(packed(cells), 79, SILENT).cells.any()


def test_pieces_of_different_depth_are_joined() -> None:
    rng = np.random.default_rng(5)
    pieces = [rng.integers(0, colors, (3, 6, 11), dtype=np.uint8) for colors in (2, 32, 1, 4)]
    whole = packed(np.concatenate(pieces))
    pictures = joined([packed(piece) for piece in pieces])
    assert pictures[1:] == whole[1:] == (11, 6)
    assert np.array_equal(pictures.bits, whole.bits)


def test_plain_pictures_take_a_time_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """All share their bands and are near: each is compared with WINDOW others in a band, and it is said."""
    rng = np.random.default_rng(6)
    cells = (rng.random((3000, 10, 10)) < 0.02).astype(np.uint8)
    compared = 0
    count = near._colored

    def counting(bits: np.ndarray) -> np.ndarray:
        nonlocal compared
        compared += len(bits)
        return count(bits)

    monkeypatch.setattr(near, "_colored", counting)
    found = find_near(packed(cells), 5, SILENT)
    assert compared <= len(cells) * (1 + (WINDOW + 1) * passes(10, 10, len(cells), 5))
    assert found.crowded.sum() > 2900
    assert (found.first != np.arange(3000)).sum() > 2900
    for k in np.flatnonzero(found.first != np.arange(3000))[::50]:
        least = min(int((turned != cells[found.first[k]]).sum()) for turned in turns(cells[k]))
        assert found.first[k] < k
        assert least == found.cells[k] <= 5
