"""The command solve with Sudokus."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sudokus import full, opened

from nonocensus.pipeline.commands.solve.solve_sudokus import FOUND, GIVEN, MARKED, draw_sudoku
from nonocensus.scrapers.formats import non
from nonocensus.scrapers.sudokus import sudoku_reading
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

Command = Callable[..., Any]

SIGNS = ".123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def line(grid: np.ndarray) -> str:
    return "".join(SIGNS[digit] for digit in grid.ravel()) + "\n"


def grids_in(text: str) -> list[np.ndarray]:
    """Return the printed grids, parsed as by an import."""
    frames = "\n".join(part for part in text.splitlines() if part.startswith(("|", "+")))
    return [grid for grids in sudoku_reading.read(frames.encode()) for grid in grids.givens]


@pytest.fixture
def files(tmp_path: Path) -> None:
    wrong = full(9)
    wrong[0, 0] = wrong[0, 1]
    grids = {"one": opened(full(9), 5), "two": opened(full(9), 1, 2), "wrong": wrong, "large": opened(full(25), 20)}
    for name, grid in grids.items():
        (tmp_path / f"{name}.sdm").write_text(line(grid))
    (tmp_path / "eye.non").write_bytes(non.write(from_picture(np.eye(3, dtype=np.uint8))))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("name", "size"), [("one", 9), ("large", 25)])
def test_printed_solution_can_be_parsed(nonocensus: Command, name: str, size: int) -> None:
    done = nonocensus("solve", f"{name}.sdm")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"local/{name} {size}x{size}: ")
    assert "unique line" in done.out
    (printed,) = grids_in(done.out)
    assert np.array_equal(printed.reshape(size, size), full(size))


@pytest.mark.usefixtures("files")
def test_two_solutions_are_drawn_with_their_difference(nonocensus: Command) -> None:
    done = nonocensus("solve", "two.sdm")
    first, second = grids_in(done.out)
    assert "multiple" in done.out.splitlines()[0]
    assert f"the two differ in {(first != second).sum()} cells: row 1 column 1" in done.out


@pytest.mark.usefixtures("files")
def test_exit_status_and_json(nonocensus: Command) -> None:
    wrong = nonocensus("solve", "wrong.sdm")
    assert (wrong.code, "invalid row 1, columns 1 and 2: 2 twice" in wrong.out) == (2, True)
    both = nonocensus("solve", "wrong.sdm", "eye.non", "one.sdm", "--json")
    rows = [json.loads(text) for text in both.out.splitlines()]
    assert both.code == 1
    assert [row["puzzle_id"] for row in rows] == ["local/wrong", "local/eye", "local/one"]
    assert rows[2]["solution"] == full(9).ravel().tolist()
    assert nonocensus("solve", "one.sdm", "--rung", "line", "-n", "1").code == 0
    assert "no puzzle" in nonocensus("solve", "one.sdm", "-n", "2").err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "options",
    [
        ["--watch"],
        ["--save", "x.gif"],
        ["--all", "2"],
        ["-b"],
        ["--xml"],
        ["--save", "x.png"],
        ["--depth", "3"],
        ["--stats"],
        ["-s", "1"],
    ],
    ids=lambda options: options[-1],
)
def test_options_for_nonograms_are_refused(nonocensus: Command, options: list[str], tmp_path: Path) -> None:
    refused = nonocensus("solve", "one.sdm", *options)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "for nonograms only, and local/one is a Sudoku" in refused.err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.usefixtures("files")
def test_explanation_as_text_and_json(nonocensus: Command) -> None:
    done = nonocensus("solve", "one.sdm", "--explain")
    assert (done.code, done.err) == (0, "")
    steps = [text for text in done.out.splitlines() if "." in text[:6]]
    said = json.loads(nonocensus("solve", "one.sdm", "--explain", "--json").out)["explanation"]
    assert [step["words"] in text for step, text in zip(said["steps"], steps, strict=True)] == [True] * 9
    assert (said["state"], said["hardest"], said["grade"], said["open"]) == ("solved", "last-cell", 1, 0)
    first, solution = said["steps"][0], full(9)
    row, column, digit = first["is"]
    assert first["words"] == f"Row {row}, last-cell: r{row}c{column} is {digit}."
    assert digit == solution[row - 1, column - 1]
    end = "there is no other solution. The hardest technique was last-cell, of grade 1 of 9."
    assert done.out.splitlines()[-1] == f"Every cell has its digit, and {end}"
    assert len(nonocensus("solve", "wrong.sdm", "--explain").out.splitlines()) == 14, "the verdict and the grid"


@pytest.mark.usefixtures("files")
def test_hint_shows_next_step_or_wrong_cells(nonocensus: Command) -> None:
    done = nonocensus("solve", "one.sdm", "--hint")
    assert (done.code, done.err, "last-cell: r" in done.out.splitlines()[-1]) == (0, "", True)
    said = json.loads(nonocensus("solve", "one.sdm", "--hint", "--json").out)
    assert (said["hint"], said["wrong"], said["step"]["grade"]) == ("step", [], 1)
    twice = json.loads(nonocensus("solve", "wrong.sdm", "--hint", "--json").out)
    assert (twice["hint"], [1, 1] in twice["wrong"], twice["step"]) == ("twice", True, None)
    assert nonocensus("solve", "wrong.sdm", "--hint").code == 1
    assert (
        nonocensus("solve", "two.sdm", "--hint").out.splitlines()[-1]
        == "No technique finds more: there are several solutions."
    )
    refused = nonocensus("solve", "one.sdm", "--hint", "--from-saved", "1")
    assert (refused.code, refused.err.count("\n"), "--from-saved: for nonograms only" in refused.err) == (2, 1, True)


def test_given_found_and_differing_digits_have_different_styles() -> None:
    marked = np.zeros((9, 9), np.bool_)
    marked[8, 8] = True
    text = draw_sudoku(Sudoku(opened(full(9), 1)), full(9), marked)
    assert not isinstance(text, str)
    looks = [span.style for span in text.spans]
    solution = full(9)
    assert looks == [
        MARKED if (y, x) == (8, 8) else FOUND if solution[y, x] == 1 else GIVEN for y in range(9) for x in range(9)
    ]


@pytest.mark.parametrize("box", [(9, 9), (2, 2), (0, 0)])
def test_irregular_boxes_are_not_framed(box: tuple[int, int]) -> None:
    text = draw_sudoku(Sudoku(full(9), *box), full(9))
    assert str(text).count("+") == 4
