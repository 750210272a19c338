"""Answers in the notations of people, programs and language models."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import fits
from strategies import PALETTE, pictures

from nonocensus.reports.words.answer_verdict import check_answer
from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats.answer_text import MAX_PROSE, read_answer
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

HEART = np.array([[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]], np.uint8)
PUZZLE = from_picture(HEART, (Color("white", ".", "ffffff"), Color("black", "#", "000000")))
ROWS = [".#.#.", "#####", "#####", ".###.", "..#.."]
LINES = "\n".join(ROWS)
COLORED = from_picture(np.array([[1, 1, 2], [0, 2, 2], [3, 0, 3]], np.uint8), PALETTE)


def labelled(label: str, rows: list[str] = ROWS) -> str:
    return "\n".join(label.format(y) + row for y, row in enumerate(rows, 1))


def signs(painted: str, empty: str) -> str:
    return LINES.translate(str.maketrans({"#": painted, ".": empty}))


ANSWERS = {
    "lines": LINES,
    "line ends of Windows": LINES.replace("\n", "\r\n") + "\r\n",
    "bytes": LINES.encode(),
    "a fence": f"Sure! Here it is:\n\n```text\n{LINES}\n```\nEach row fits its clue.",
    "an open fence": f"```\n{LINES}",
    "prose": f"Row 2 is full, 5 of 5.\nSo the grid is:\n{LINES}\nThat is all.",
    "thoughts": f"<think>Perhaps\n{signs('.', '#')}\n</think>\n{LINES}",
    "thoughts whose opening tag the prompt had": f"Perhaps\n{signs('.', '#')}\n</think>\n{LINES}",
    "a tag": f"Perhaps\n{signs('.', '#')}\nNo:\n<answer>\n{LINES}\n</answer>",
    "the same grid twice": f"{LINES}\n\nIn digits:\n\n{signs('1', '0')}",
    "an empty grid first": f"We begin with\n{signs('?', '?')}\n\nand end with\n{LINES}",
    "blank lines": "\n\n".join(ROWS),
    "blanks between cells": "\n".join(map(" ".join, ROWS)),
    "commas": "\n".join(map(",".join, ROWS)),
    "groups": "\n".join(f"{row[:2]} {row[2:]}" for row in ROWS),
    "a frame": "\n".join(f"|{row}|" for row in ROWS),
    "Markdown's table": "| a | b | c | d | e |\n|---|---|---|---|---|\n"
    + "\n".join(f"| {' | '.join(row)} |" for row in ROWS),
    "bars and blanks": "\n".join(f"|{'|'.join(row)}|" for row in ROWS).replace(".", " "),
    "row labels": labelled("Row {}: "),
    "bold row labels": labelled("**Row {}:** `", [f"{row}`" for row in ROWS]),
    "numbered rows": labelled("{}. "),
    "numbers before rows": labelled("{} ", list(map(" ".join, ROWS))),
    "clues before rows": labelled(" 1 {} | ", list(map(" ".join, ROWS))),
    "arrows": labelled("R{} -> "),
    "one line": LINES.replace("\n", ""),
    "one line of digits": signs("1", "0").replace("\n", ""),
    "X and .": signs("X", "."),
    "x and _": signs("x", "_"),
    "X and O": signs("X", "O"),
    "# and O": signs("#", "O"),
    "O and .": signs("O", "."),
    "# and x": signs("#", "x"),
    "# and -": signs("#", "-"),
    "1 and 0": signs("1", "0"),
    "squares": signs("■", "□"),
    "circles": signs("●", "○"),
    "emoji": signs("⬛\N{VARIATION SELECTOR-16}", "⬜"),
    "blocks": signs("█", "░"),
    "wide blocks": signs("██", "░░"),
    "blanks": signs("█", " "),
    "wide blanks": signs("██", "  "),
    "blanks without those at ends": "\n".join(row.replace(".", " ").rstrip() for row in ROWS),
    "JSON": json.dumps(HEART.tolist()),
    "JSON of texts": json.dumps(ROWS),
    "JSON of signs": json.dumps([list(row) for row in ROWS]),
    "JSON of booleans": json.dumps((HEART > 0).tolist()),
    "a JSON text": json.dumps(LINES),
    "an object": json.dumps({"id": 7, "solution": ROWS}),
    "an object of a text": json.dumps({"answer": LINES}),
    "objects": json.dumps({"answer": {"grid": HEART.tolist()}}),
    "an object in prose": f"The answer is {json.dumps({'solution': ROWS})}, I think.",
    "JSON in a fence": f"```json\n{json.dumps(HEART.tolist(), indent=1)}\n```",
    "Python": f"grid = {[tuple(row) for row in ROWS]}",
    "Python over lines": "grid = [\n" + "".join(f"    '{row}',\n" for row in ROWS) + "]",
    "NumPy": str(HEART),
    "NumPy's repr": repr(HEART),
    "a list in one": str(HEART.ravel().tolist()),
    "an array": HEART,
    "an array of booleans": HEART > 0,
    "lists": HEART.tolist(),
    "texts": ROWS,
    "a dictionary": {"solution": ROWS},
    "a dictionary of any key": {"id": 7, "reply": LINES},
    "two grids, of which the last counts": f"{signs('.', '#')}\n\nNo:\n\n{LINES}",
    "one row with a label": f"1. {LINES}",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_usual_notations_are_read(answer: Any) -> None:
    assert np.array_equal(read_answer(answer, PUZZLE), HEART)


@pytest.mark.parametrize(
    "answer",
    [
        "112\n022\n303",
        "XXr\n.rr\ng.g",
        "x x R\n_ R R\nG _ G",
        "[[1, 1, 2], [0, 2, 2], [3, 0, 3]]",
        ["XXr", " rr", "g g"],
    ],
)
def test_colors_are_read_as_symbols_or_numbers(answer: Any) -> None:
    assert np.array_equal(read_answer(answer, COLORED), [[1, 1, 2], [0, 2, 2], [3, 0, 3]])


def test_open_cells() -> None:
    for answer in (LINES.replace(".", "?"), [[1 if sign == "#" else None for sign in row] for row in ROWS]):
        assert np.array_equal(read_answer(answer, PUZZLE), np.where(HEART, 1, 255))
    assert np.array_equal(read_answer(np.where(HEART, 1, -1).tolist(), PUZZLE), np.where(HEART, 1, 255))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no grid of 5 rows of 5 cells in it"),
        ("I can't solve this one.", "no grid of 5 rows of 5 cells in it"),
        ("\n".join(ROWS[:4]), "its height is 4, the puzzle's 5"),
        (f"{LINES}\n.....", "its height is 6, the puzzle's 5"),
        ("\n".join([*ROWS[:4], "..#."]), "row 5 has 4 cells, not 5"),
        ("\n".join(["Row 1: .#.#..", *ROWS[1:]]), "row 1 has 6 cells, not 5"),
        ([[1], [1, 2], [1], [1], [1]], "row 1 has 1 cell, not 5"),
        (HEART[:, :4], "row 1 has 4 cells, not 5"),
        (HEART + 1, "row 1, column 2: '2' is not a sign of a cell"),
        (signs("%", "."), "row 1, column 2: '%' is not a sign of a cell"),
        (signs("▒", "░"), "row 1, column 2: '▒' is not a sign of a cell"),
        ({"draft": ROWS, "last": signs(".", "#")}, "it holds 2 different grids: write one as 'solution'"),
        (f"{LINES}\n{LINES.replace('#', '.')}", "its height is 10, the puzzle's 5"),
        (LINES.replace("\n", "")[1:], "it has 24 cells, not 25"),
        (f"{LINES}\n\nIn one: {''.join(ROWS)[1:]}", "it has 24 cells, not 25"),
        (LINES.replace(".", "x", 1), "'x' could be painted or empty: write # and ."),
        (LINES.replace(".", "-", 1), "'-' and '.' both mean empty: write ? for open cells"),
        (LINES.replace("#", "1", 1), "'1' and '#' both mean colour 1: write ? for open cells"),
        (signs("O", "O"), "'O' could be painted or empty: write # and ."),
        ("a" * 10_000_000, f"it has more than {MAX_PROSE + 32 * 25:,} characters"),
        (b"a" * 10_000_000, f"it has more than {MAX_PROSE + 32 * 25:,} characters"),
        (("⬛" * 3_000_000).encode(), f"it has more than {MAX_PROSE + 32 * 25:,} characters"),
        ("\n" * 1_000_000, "it has more than 65,536 lines"),
        ("[" * 100_000, "no grid of 5 rows of 5 cells in it"),
        (None, "not a grid: write a text, a list of rows, or an object with 'solution'"),
        ({"reply": 7}, "no grid of 5 rows of 5 cells in it"),
        ("[" * 300 + "]" * 300, "it has more than 16 lists and objects in each other"),
        ("[[" + '{"a":' * 400 + "1" + "}" * 400 + "]]", "it has more than 16 lists and objects in each other"),
        (f"[[{'9' * 5000}]]", "no grid of 5 rows of 5 cells in it"),
    ],
)
def test_other_answers_are_refused_in_a_line(answer: Any, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        read_answer(answer, PUZZLE)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[",
            "```\n",
            "1",
            " ",
            "<think>",
            "<answer>",
            "['",
            "1:",
            "[1,",
            "1\n",
            "`",
            "|",
            "(1)",
            "(",
            "<a ",
            "\\",
            "\t",
        ),
        *(
            "Row 1: ",
            "- - 0\n",
            "**ab",
            "a = filled, ",
            "x\n",
            "\n",
            "-----\n",
            "|---|\n",
            "0010 ",
            "1. ",
            "-",
            "=",
            "* ",
            "10 ",
        ),
    ],
)
def test_repeated_pieces_take_linear_time(text: str) -> None:
    with pytest.raises(FormatError):  # a quadratic pattern would take minutes
        read_answer(text * (200_000 // len(text)), PUZZLE)


def rendered(rows: list[list[str]]) -> str:
    return "\n".join(map("".join, rows))


DIALECTS: dict[str, Callable[[list[list[str]]], Any]] = {
    "lines": rendered,
    "a fence": lambda rows: f"Here:\n```\n{rendered(rows)}\n```",
    "prose": lambda rows: f"Here it is:\n{rendered(rows)}\nDone!",
    "blanks": lambda rows: "\n".join(map(" ".join, rows)),
    "labels": lambda rows: "\n".join(f"Row {y}: {''.join(row)}" for y, row in enumerate(rows, 1)),
    "JSON": json.dumps,
    "JSON of texts": lambda rows: json.dumps(["".join(row) for row in rows]),
    "an object": lambda rows: json.dumps({"solution": ["".join(row) for row in rows]}),
    "Python": repr,
    "values": lambda rows: rows,
}
SIGNS = ("#.", "10", "■□", "█░", "X.", "#-")


@st.composite
def answers(draw: st.DrawFn) -> tuple[Puzzle, np.ndarray, Callable[[np.ndarray], Any]]:
    """Return a puzzle, its picture, and a notation for pictures."""
    colors = draw(st.integers(1, 3))
    picture = draw(pictures(colors, 7))
    puzzle = from_picture(picture, PALETTE[: colors + 1])
    assert puzzle.goal is not None
    palette = draw(st.sampled_from(SIGNS)) if puzzle.colors < 2 else draw(st.sampled_from([".Xrg", "0123", "-XRG"]))
    if puzzle.colors < 2:
        palette = f"{palette[1]}{palette[0]}"
    else:
        symbols = {"X": ".Xrg", "R": "-XRG"}
        order = [0, *(PALETTE.index(color) for color in puzzle.palette[1:])]
        palette = palette if palette == "0123" else "".join([symbols["R" if "R" in palette else "X"][k] for k in order])
    dialect = DIALECTS[draw(st.sampled_from(sorted(DIALECTS)))]
    return puzzle, puzzle.goal, lambda cells: dialect([[palette[cell] for cell in row] for row in cells.tolist()])


@given(answers(), st.data())
def test_any_notation_of_a_valid_grid_is_accepted_and_no_other_grid(drawn: Any, data: st.DataObject) -> None:
    puzzle, picture, notation = drawn
    assert check_answer(puzzle, notation(picture)), notation(picture)
    changed = picture.copy()
    y, x = (data.draw(st.integers(0, side - 1)) for side in picture.shape)
    changed[y, x] = data.draw(st.sampled_from([c for c in range(max(puzzle.colors, 1) + 1) if c != picture[y, x]]))
    lines = [*zip(puzzle.rows, changed, strict=True), *zip(puzzle.columns, changed.T, strict=True)]
    assert bool(check_answer(puzzle, notation(changed))) == all(fits(clue, line.tolist()) for clue, line in lines)
