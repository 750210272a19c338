"""The embedded archive is what it says: varied, deterministic, its goals true, its contradictory puzzles impossible."""

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

import oracle
import pytest

from nonocensus.scrapers import demo
from nonocensus.scrapers.demo import parse_picture
from nonocensus.solver import api
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import Clue, Puzzle, normalize_palette
from nonocensus.solver.model.tables import puzzle_batch

HEART = "title: Heart\ncolors: #=black 000000, .=white ffffff\n\n.#.#.\n#####\n.###.\n..#..\n"


@pytest.fixture(scope="module")
def puzzles() -> list[Puzzle]:
    return demo.demo_puzzles()


def of_title(puzzles: list[Puzzle], end: str) -> list[Puzzle]:
    return [puzzle for puzzle in puzzles if (puzzle.title or "").endswith(end)]


def test_archive_has_enough_of_every_verdict(puzzles: list[Puzzle]) -> None:
    assert len(puzzles) >= 350
    assert len(list(demo.drawn_pictures())) >= 115
    kinds = Counter((puzzle.kind, puzzle.blotted) for puzzle in puzzles)
    assert kinds["mono", False] >= 220
    assert kinds["color", False] >= 90
    assert kinds["mono", True] >= 5
    assert kinds["color", True] >= 3
    assert [puzzle for puzzle in puzzles if puzzle.goal is None] == of_title(puzzles, "contradictory")


def test_archive_has_many_sizes_and_extreme_shapes(puzzles: list[Puzzle]) -> None:
    sizes = {(puzzle.width, puzzle.height) for puzzle in puzzles}
    assert (60, 60) in sizes
    assert all(1 <= side <= 60 for size in sizes for side in size)
    assert any(width == 1 < height for width, height in sizes)
    assert any(height == 1 < width for width, height in sizes)
    assert all(5 <= side <= 36 for picture in demo.drawn_pictures() for side in picture.cells.shape)
    assert any(() in puzzle.rows and () in puzzle.columns and puzzle.colors for puzzle in puzzles)
    assert any(puzzle.goal is not None and puzzle.goal.all() and puzzle.goal.size > 1 for puzzle in puzzles)
    assert any(not puzzle.colors for puzzle in puzzles)


def test_every_puzzle_has_origin(puzzles: list[Puzzle]) -> None:
    assert [puzzle.puzzle_id for puzzle in puzzles] == [f"demo/{number}" for number in range(1, len(puzzles) + 1)]
    assert [f"demo/{puzzle.source_id}" for puzzle in puzzles] == [puzzle.puzzle_id for puzzle in puzzles]
    signatures = {(puzzle.source, puzzle.author, puzzle.copyright, puzzle.license) for puzzle in puzzles}
    assert signatures == {("demo", "nonocensus", "Copyright 2026 the nonocensus authors", "Apache-2.0")}
    assert all(puzzle.title for puzzle in puzzles)
    assert len({puzzle.title for puzzle in puzzles}) == len(puzzles)


def test_duplicates_are_copied_or_recoloured(puzzles: list[Puzzle]) -> None:
    first: dict[object, str | None] = {}
    duplicates = [
        puzzle for puzzle in puzzles if first.setdefault((puzzle.rows, puzzle.columns), puzzle.title) != puzzle.title
    ]
    assert duplicates == [*of_title(puzzles, "copied"), *of_title(puzzles, "recoloured")]
    assert len(duplicates) >= 5


def test_archive_is_deterministic(puzzles: list[Puzzle]) -> None:
    assert puzzle_batch(demo.demo_puzzles()).equals(puzzle_batch(puzzles))


def test_goals_fit_clues(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        if puzzle.goal is not None:
            lines = [*zip(puzzle.rows, puzzle.goal, strict=True), *zip(puzzle.columns, puzzle.goal.T, strict=True)]
            assert all(oracle.fits(clue, cells.tolist()) for clue, cells in lines), puzzle.title


def test_puzzles_and_palettes_are_valid(puzzles: list[Puzzle]) -> None:
    assert not faults_of(puzzle_batch(puzzles))
    for puzzle in puzzles:
        assert puzzle.colors in (len(puzzle.palette) - 1, 0), f"{puzzle.title}: an unused colour"
        assert len({color.symbol for color in puzzle.palette}) == len(puzzle.palette), puzzle.title
        assert len({color.rgb for color in puzzle.palette}) == len(puzzle.palette), puzzle.title
        assert puzzle.palette[0].symbol == "."
        assert normalize_palette(puzzle) is puzzle, f"{puzzle.title}: its colours are not in order of first use"
        if puzzle.goal is not None:
            assert puzzle.goal.max() < len(puzzle.palette)
        if puzzle.kind == "mono":
            assert [color.rgb for color in puzzle.palette] == ["ffffff", "000000"], puzzle.title


def test_every_drawn_text_is_a_picture() -> None:
    texts = [file for file in files(demo).joinpath("drawn").iterdir() if file.name.endswith(".txt")]
    assert len(texts) == len(list(demo.drawn_pictures()))


def test_contradictory_puzzles_have_no_solution(puzzles: list[Puzzle]) -> None:
    contradictory = of_title(puzzles, "contradictory")
    assert len(contradictory) >= 8
    for puzzle in contradictory:
        assert totals(puzzle.rows) == totals(puzzle.columns), puzzle.title
    results = api.classify(puzzle_batch(contradictory))
    assert set(results["solutions"].to_pylist()) == {"none"}
    assert len(set(results["technique"].to_pylist())) > 1


def totals(lines: Sequence[Clue]) -> Counter[int]:
    """Return cells painted, by colour."""
    cells: Counter[int] = Counter()
    for clue in lines:
        for block in clue:
            cells[block.color] += block.length
    return cells


def test_text_is_parsed_as_picture() -> None:
    title, cells, palette = parse_picture(HEART)
    assert title == "Heart"
    assert [color.name for color in palette] == ["white", "black"]
    assert cells.tolist() == [[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]]
