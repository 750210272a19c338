"""Sudoku as exact cover: all ways to write a puzzle, and verdicts against backtracking in plain Python."""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonocensus.solver.exact_cover import sudoku
from nonocensus.solver.exact_cover.cover_search import LAYOUTS
from nonocensus.solver.exact_cover.sudoku import (
    SIZES,
    SudokuPuzzle,
    UnreadableSudoku,
    box_of,
    draw_sudoku,
    is_solution,
    line_of,
    read_sudokus,
    solve_sudoku,
)

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
ROWS = [LINE[k : k + 9] for k in range(0, 81, 9)]

MANY = 300
"""Solutions at which plain backtracking stops; 4x4 has fewer."""


def read(text: str) -> list[Any]:
    return list(read_sudokus(text))


def puzzle_of(cells: np.ndarray, width: int, height: int) -> SudokuPuzzle:
    return SudokuPuzzle(1, cells, width, height)


def slow_solutions(puzzle: SudokuPuzzle, place: int = 0) -> Iterator[str]:
    """Yield all solutions: backtracking cell by cell, in place, each digit compared with all that its cell sees."""
    cells, size = puzzle.cells, len(puzzle.cells)
    if place == size * size:
        yield line_of(cells)
        return
    y, x = divmod(place, size)
    top, left = y - y % puzzle.box_height, x - x % puzzle.box_width
    box = cells[top : top + puzzle.box_height, left : left + puzzle.box_width]
    given = int(cells[y, x])
    for digit in [given] if given else range(1, size + 1):
        cells[y, x] = 0
        if all(digit not in unit for unit in (cells[y], cells[:, x], box)):
            cells[y, x] = digit
            yield from slow_solutions(puzzle, place + 1)
    cells[y, x] = given


def drawn(width: int, height: int, count: int) -> Iterator[SudokuPuzzle]:
    """Yield puzzles with some digits of a random grid, one of them wrong in every third."""
    size, draw = width * height, random.Random(width * 10 + height)
    grid = solve_sudoku(puzzle_of(np.zeros((size, size), np.int64), width, height)).solutions[0]
    for k in range(count):
        names = np.array(draw.sample(range(1, size + 1), size))
        share = draw.uniform(0.2, 0.6)
        cells = np.where([[draw.random() < share for _ in range(size)] for _ in range(size)], names[grid - 1], 0)
        if k % 3 == 0:
            cells[draw.randrange(size), draw.randrange(size)] = draw.randint(1, size)
        yield puzzle_of(cells, width, height)


@pytest.mark.parametrize(("width", "height", "count"), [(2, 2, 60), (3, 2, 30), (2, 3, 30)])
def test_verdicts_are_those_of_plain_backtracking(width: int, height: int, count: int) -> None:
    seen = set()
    for puzzle in drawn(width, height, count):
        every = list(islice(slow_solutions(puzzle._replace(cells=puzzle.cells.copy())), MANY))
        verdict = ("none", "unique", "multiple")[min(2, len(every))]
        for layout in LAYOUTS:
            answer = solve_sudoku(puzzle, layout=layout)
            found = {line_of(each) for each in answer.solutions}
            assert (answer.verdict, len(found)) == (verdict, min(2, len(every))), layout
            assert len(every) == MANY or found <= set(every), layout
        seen.add(verdict)
    assert seen == {"none", "unique", "multiple"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("text", "verdict", "first"),
    [
        pytest.param("1.....3..4.....2", "unique", "1324423124133142", marks=pytest.mark.plain_python),
        (SOLVED, "unique", SOLVED),
        ("55" + LINE[2:], "none", None),
        *(("." * size * size, "multiple", None) for size in (4, 6, 8, 9, 12, 16)),
    ],
)
def test_verdicts(text: str, verdict: str, first: str | None, layout: Any) -> None:
    answer = solve_sudoku(read(text)[0], layout=layout)
    assert (answer.verdict, len(answer.solutions)) == (verdict, ("none", "unique", "multiple").index(verdict))
    assert first is None or line_of(answer.solutions[0]) == first


def test_hard_puzzles_are_unique_in_each_layout(shared_data: Path) -> None:
    puzzles = read((shared_data / "sudoku" / "sudoku-top95.txt").read_text())
    assert len(puzzles) == 95
    answers = [[solve_sudoku(each, layout=layout) for each in puzzles] for layout in ("links16", "links32", "pointers")]  # type: ignore[arg-type]
    assert {each.verdict for several in answers for each in several} == {"unique"}
    assert len({tuple((line_of(each.solutions[0]), each.covers.nodes) for each in several) for several in answers}) == 1


def test_a_wrong_solution_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = read(LINE)[0]
    right = [[int(digit) for digit in SOLVED[k : k + 9]] for k in range(0, 81, 9)]
    assert is_solution(puzzle, right)
    swapped = [right[1], right[0], *right[2:]]
    assert not is_solution(puzzle, swapped)
    assert is_solution(puzzle._replace(cells=np.zeros((9, 9), np.int64)), swapped)
    for y in range(9):
        assert not is_solution(puzzle, [*right[:y], [10 - digit for digit in right[y]], *right[y + 1 :]])
    assert not is_solution(puzzle._replace(cells=np.zeros((9, 9), np.int64)), [row[1:] + row[:1] for row in right])
    monkeypatch.setattr(sudoku, "is_solution", lambda *_: False)
    with pytest.raises(RuntimeError, match="a wrong solution of the Sudoku in line 1"):
        solve_sudoku(puzzle)


def drawn_in_frame(rows: list[str], cell: str, open_cell: str) -> str:
    """Draw 9x9 in a frame, the cells joined by `cell`."""
    lines = []
    for y, row in enumerate(rows):
        parts = [cell.join(row[x : x + 3]).replace(".", open_cell) for x in (0, 3, 6)]
        lines += ["+-------+-------+-------+"] if y % 3 == 0 else []
        lines.append("| " + " | ".join(parts) + " |" if cell else "|" + "|".join(parts) + "|")
    return "\n".join([*lines, "+-------+-------+-------+"])


WRITTEN = {
    "a line": LINE,
    "a line with 0": LINE.replace(".", "0"),
    "other open cells": LINE.replace(".", "*", 9).replace(".", "_", 9).replace(".", "?", 9),
    "text after it": f"{LINE} 9.2 a comment",
    "a solution after it": f"{LINE},{SOLVED}",
    "numbered": f"17: \n17 {LINE}",
    "nine lines": "\n".join(ROWS),
    "nine lines with 0": "\n".join(ROWS).replace(".", "0"),
    "separated": "\n".join(" ".join(row) for row in ROWS),
    "in groups": "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in ROWS),
    "blanks": "\n".join(ROWS).replace(".", " "),
    "blanks, cut": "\n".join(row.replace(".", " ").rstrip() for row in ROWS),
    "a frame": drawn_in_frame(ROWS, " ", "."),
    "a frame with blanks": drawn_in_frame(ROWS, " ", " "),
    "a narrow frame": drawn_in_frame(ROWS, "", "."),
    "a narrow frame with blanks": drawn_in_frame(ROWS, "", " "),
    "bars inside": "\n".join(line.strip("+| ") for line in drawn_in_frame(ROWS, " ", ".").splitlines()[1:-1]),
    "a comment and a title": f"# 99\nGrid 01\n{chr(10).join(ROWS)}\n",
    "line ends of Windows": "\r\n".join(ROWS),
}


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", WRITTEN)
def test_every_way_to_write_a_puzzle(kind: str) -> None:
    for text, count in ((WRITTEN[kind], 1), (f"{WRITTEN[kind]}\n\n{WRITTEN[kind]}\n", 2)):
        found = read(text)
        assert [line_of(each.cells) for each in found] == [LINE] * count
        assert {(each.box_width, each.box_height) for each in found} == {(3, 3)}


@pytest.mark.plain_python
@pytest.mark.parametrize("size", SIZES)
def test_what_is_drawn_and_written_is_read(size: int) -> None:
    width, height = box_of(size)
    assert width >= height > 1
    rng = np.random.default_rng(size)
    cells = rng.integers(0, size + 1, (size, size))
    cells[0, 0], cells[0, 1] = size, 1
    for shape in {(width, height), (height, width)}:
        puzzle = puzzle_of(cells, *shape)
        (found,) = read(draw_sudoku(puzzle, cells))
        assert np.array_equal(found.cells, cells)
        assert (found.box_width, found.box_height) == shape
    if size <= 35:
        (found,) = read(line_of(cells))
        assert np.array_equal(found.cells, cells)


def test_digits_above_9() -> None:
    rows = [[(4 * (y % 4) + y // 4 + x) % 16 + 1 for x in range(16)] for y in range(16)]
    numbers = "\n".join(" ".join(map(str, row)) for row in rows)
    padded = "\n".join(" ".join(f"{digit:02}" for digit in row) for row in rows)
    after_9 = "\n".join("".join("0123456789ABCDEFG"[digit] for digit in row) for row in rows)
    letters = "\n".join("".join(" ABCDEFGHIJKLMNOP"[digit] for digit in row) for row in rows)
    hexadecimal = "\n".join("".join(f"{digit - 1:X}" for digit in row) for row in rows).replace("3", ".", 1)
    for text in (numbers, padded, after_9, after_9.lower(), letters, letters.replace("\n", ""), hexadecimal):
        (puzzle,) = read(text)
        assert np.count_nonzero(puzzle.cells) >= 255
        assert all(digit in (0, rows[y][x]) for (y, x), digit in np.ndenumerate(puzzle.cells))
        assert solve_sudoku(puzzle).verdict == "unique"


def test_puzzles_of_several_sizes_in_one_text() -> None:
    text = "\n".join(
        ["1...............", "", LINE, "12..34..", "", "." * 36, "1234", "3412", "2143", "4321", "", "." * 256]
    )
    assert [(each.line, len(each.cells)) for each in read(text)] == [(1, 4), (3, 9), (6, 6), (7, 4), (12, 16)]
    assert [len(each.cells) for each in read("." * 16 + "\n" + "1" + "." * 15)] == [4, 4]
    assert [len(each.cells) for each in read("\n".join(["A" + "." * 15] * 16))] == [16]


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f"# 80\n{LINE[:80]}", 2, "80 characters are not a grid; one of 9x9 has 81"),
        (LINE.replace("6", "x", 1), 1, "'x' in row 2, column 1 is not a digit of 9x9"),
        ("\n".join(ROWS[:8]), 1, "a grid of 9x9 has only 8 of 9 rows"),
        ("\n".join(ROWS).replace("6", "x", 1), 1, "'x' in row 2, column 1 is not a digit of 9x9"),
        (f"{LINE}\n\n{chr(10).join(ROWS[1:])}\n", 3, "a grid of 9x9 has only 8 of 9 rows"),
    ],
)
def test_unreadable_puzzles(text: str, line: int, reason: str) -> None:
    assert [each for each in read(text) if isinstance(each, UnreadableSudoku)] == [(line, reason)]


@pytest.mark.plain_python
@pytest.mark.parametrize(
    "text",
    ["", "\n \n", "Lorem ipsum dolor sit amet\n" * 20, "width 5\nheight 5\n\nrows\n1,1\n5\n3\n1 1\n", "+---+\n" * 9],
)
def test_other_text_is_no_puzzle(text: str) -> None:
    assert read(text) == []


def test_any_text_is_read_without_an_exception() -> None:
    draw = random.Random(7)
    for _ in range(500):
        text = "".join(draw.choice("1234567890.. ||-+\n\nAz#,\t") for _ in range(draw.randrange(400)))
        for found in read(text):
            assert isinstance(found, UnreadableSudoku) or found.cells.shape == (found.box_width * found.box_height,) * 2
