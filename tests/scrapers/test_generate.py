"""Puzzles from arrays against those made one by one."""

import numpy as np
from strategies import PALETTE

from scrapers.generate import every_picture, picture_batch, random_pictures, views_of
from solver.puzzle import Puzzle, clues_of, from_picture
from solver.tables import puzzle_batch
from solver.views import views


def test_a_batch_of_pictures_is_that_of_their_puzzles() -> None:
    pictures = random_pictures(50, 7, 4, 0.4, seed=3)
    pictures[0], pictures[1] = 0, 1
    ids = [f"made/{k}" for k in range(50)]
    one_by_one = [
        from_picture(picture, puzzle_id=name, source="made", source_id=name.removeprefix("made/"))
        for picture, name in zip(pictures, ids, strict=True)
    ]
    assert picture_batch(pictures, ids).equals(puzzle_batch(one_by_one))


def test_clues_of_coloured_pictures() -> None:
    """Runs of different colours touch; the numbers of the colours stay as they are."""
    pictures = np.random.default_rng(0).integers(0, 3, (40, 5, 6)).astype(np.uint8)
    sides = [clues_of(picture) for picture in pictures]
    expected = views(puzzle_batch([Puzzle(rows, columns, PALETTE[:3]) for rows, columns in sides]))
    made = views_of(pictures)
    for one, other in ((made.rows, expected.rows), (made.columns, expected.columns)):
        assert [array.tolist() for array in one] == [array.tolist() for array in other]


def test_random_pictures_repeat_and_are_as_dense_as_asked() -> None:
    pictures = random_pictures(20, 30, 20, 0.3, seed=9)
    assert pictures.shape == (20, 20, 30)
    assert (pictures == random_pictures(20, 30, 20, 0.3, seed=9)).all()
    assert (pictures != random_pictures(20, 30, 20, 0.3, seed=10)).any()
    assert abs(pictures.mean() - 0.3) < 0.02


def test_every_picture_once() -> None:
    pictures = np.concatenate([every_picture(3, 2, 0, 40), every_picture(3, 2, 40, 64)])
    assert pictures.shape == (64, 2, 3)
    assert len({picture.tobytes() for picture in pictures}) == 64
