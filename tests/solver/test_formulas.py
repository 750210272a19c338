"""The encodings that are only measured (benchmarks.formulas) against enumeration."""

from collections import Counter
from collections.abc import Iterator

import fuzz
import numpy as np
import oracle
import pytest

from benchmarks.formulas import (
    Question,
    ground_of,
    renamed,
    symmetries,
    with_cover,
    with_equal_cells,
    with_leaders,
    with_probes,
)
from solver.puzzle import Puzzle, from_picture
from solver.tail import CADICAL, GLUCOSE, Learner

pytestmark = pytest.mark.unchecked  # it is not the kernels that are tried here


def pictures(question: Question, engine: str = GLUCOSE) -> set[bytes]:
    """All pictures of a question."""
    found = set()
    with Learner(question.formula, question.phases.__getitem__, lambda: question.leads) as learner:
        while learner.next_solution(learner.now() + 60.0, ((engine, 1 << 60),)):
            picture = learner.picture()
            found.add(picture.tobytes())
            learner.exclude(picture)
    return found


def all_pictures(puzzle: Puzzle) -> set[bytes]:
    return {np.array(picture, np.uint8).tobytes() for picture in oracle.solutions(puzzle)}


def tiny_puzzles() -> Iterator[Puzzle]:
    """Puzzles with colours and blots among them."""
    return (fuzz.drawn(seed, most=4, colors=1 + seed % 3) for seed in range(700))


def symmetric_puzzles() -> Iterator[Puzzle]:
    """Those of pictures that look the same from all sides, or in a mirror."""
    rng = np.random.default_rng(1)
    for number in range(120):
        quarter = rng.integers(2, size=(3, 3), dtype=np.uint8)
        if number % 2:
            quarter |= quarter.T
        half = np.vstack([quarter, quarter[-2::-1]])
        yield from_picture(np.hstack([half, half[:, -2::-1]]))


def test_cover_variables_and_probes_leave_all_pictures() -> None:
    tried = Counter[str]()
    for number, puzzle in enumerate(tiny_puzzles()):
        ground = ground_of(puzzle)
        if ground is None:
            continue
        expected = all_pictures(puzzle)
        for question in (ground.question, with_cover(ground), with_probes(ground)):
            assert pictures(renamed(question, number), (GLUCOSE, CADICAL)[number % 2]) == expected, fuzz.text(puzzle)
        tried[puzzle.kind] += 1
    assert min(tried["mono"], tried["color"]) >= 10, tried


def test_symmetry_leaves_a_picture_of_those_that_are_images_of_each_other() -> None:
    tried = 0
    for number, puzzle in enumerate(symmetric_puzzles()):
        ground = ground_of(puzzle)
        if ground is None:
            continue
        there, moves = all_pictures(puzzle), symmetries(puzzle)

        def images(picture: bytes, moves: list[np.ndarray] = moves) -> frozenset[bytes]:
            return frozenset([picture, *(np.frombuffer(picture, np.uint8)[cells].tobytes() for cells in moves)])

        assert len(moves) in (3, 7)
        assert all(images(picture) <= there for picture in there)
        alike = {picture for picture in there if images(picture) == {picture}}
        assert pictures(renamed(with_equal_cells(ground), number)) == alike
        leaders = pictures(renamed(with_leaders(ground), number))
        assert Counter(map(images, leaders)) == Counter(set(map(images, there)))
        tried += 1
    assert tried >= 10


def test_clues_that_are_no_images_have_no_symmetry() -> None:
    assert symmetries(from_picture([[1, 0, 0], [1, 1, 0]])) == []
    (turned,) = symmetries(from_picture([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]]))
    assert turned.tolist() == list(range(9, -1, -1))
