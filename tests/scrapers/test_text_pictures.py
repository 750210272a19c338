"""Pictures as text in any usual signs, and what `solve` and `picture` print."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import pictures
from typer.testing import CliRunner

import nonocensus as nc
from nonocensus.pipeline.commands.app import app
from nonocensus.pipeline.commands.terminal_drawing import plain_text, symbol_names
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.scrapers.formats import FormatError, detect, matrix
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, from_picture

PICTURE = [[0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 1, 0]]


def drawn(painted: str, empty: str, between: str = "", end: str = "\n") -> str:
    return "".join(between.join((empty, painted)[cell] for cell in row) + end for row in PICTURE)


TEXTS = {
    "# and .": drawn("#", "."),
    "# and -": drawn("#", "-"),
    "X and blank": drawn("X", " "),
    "blanks cut off": "  X\nXXXX\n  X\n",
    "X and O": drawn("X", "O"),
    "x and .": drawn("x", "."),
    "o and .": drawn("o", "."),
    "# and o": drawn("#", "o"),
    "* and _": drawn("*", "_"),
    "blocks": drawn("█", "·"),
    "squares": drawn("■", "□"),
    "emoji": drawn("⬛️", "⬜️"),
    "blue emoji": drawn("🟦", "⬜"),
    "0 and 1": drawn("1", "0"),
    "commas": drawn("1", "0", ","),
    "commas and blanks": drawn("1", "0", ", "),
    "comma at the end": drawn("1", "0", ",", ",\n"),
    "empty between commas": drawn("X", "", ","),
    "semicolons": drawn("1", "0", ";"),
    "tabs": drawn("1", "0", "\t"),
    "blanks": drawn("1", "0", " "),
    "blanks between signs": drawn("#", ".", " "),
    "bars": drawn("#", ".", "|"),
    "bars and blanks": "| | |#| |\n|#|#|#|#|\n| | |#| |\n",
    "frame": "+----+\n|  # |\n|####|\n|  # |\n+----+\n",
    "drawn frame": "┌────┐\n│  # │\n│####│\n│  # │\n└────┘\n",
    "quotation marks": '"..#.",\n"####",\n"..#."\n',
    "fence": f"```text\n{drawn('#', '.')}```\n",
    "line ends": drawn("#", ".", end="\r\n"),
    "byte order mark": "\ufeff" + drawn("#", "."),
    "blank lines around": f"\n\n{drawn('#', '.')}\n\n",
    "indentation": "".join(f"  {line}\n" for line in drawn("#", ".").splitlines()),
    "braces": "{0,0,1,0},\n{1,1,1,1},\n{0,0,1,0}\n",
    "list of texts": '["..#.", "####", "..#."]',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_signs_and_separators(text: str) -> None:
    data = text.encode()
    (puzzle,) = detect("x.txt", data).read(data)
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == PICTURE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("..#\n##.\n\n#..\n.#.\n", "a blank line in it: two pictures, or an empty row?"),
        ("X X X\nX X X\n", "its blanks could be empty cells, or separate the cells: write . for empty ones"),
        ("  X\n  X\n", "its blanks could be empty cells, or indentation: write . for empty ones"),
        (".-#\n.#-\n", "'-' and '.' could both be empty cells: write # and ."),
        ("#x.\n#..\n", "'#' and 'x' could both be painted cells: write # and ."),
        ("#.\n#\n", "row 2 has 1 cells, the first one 2"),
        ("#.\n#a\n", "row 2: 'a' is not a cell, as # and . are"),
        ("\n" * 5000 + "#", "a picture must have 1 to 1023 rows and columns"),
    ],
)
def test_what_could_be_two_pictures_is_refused(text: str, reason: str) -> None:
    assert not matrix.recognizes(text.encode())
    with pytest.raises(FormatError) as caught:
        list(matrix.read(text.encode()))
    assert str(caught.value) == reason


@pytest.mark.parametrize("text", ["cat\ndog\n", "-----\n", "...\n...\n", "1\n", "1 1\n1 1\n", "x y\n", "a 3x3: b\n"])
def test_other_texts_are_no_pictures(text: str) -> None:
    assert not matrix.recognizes(text.encode())


def test_clues_of_0_and_1_stay_clues() -> None:
    assert detect("", b"1 1\n\n1\n0\n1\n").NAME == "keen"
    assert detect("", b"#\n0\n\n0\n").NAME == "syro"


PALETTE = (*BLACK_ON_WHITE, Color("red", "r", "ff0000"), Color("blue", "b", "0000ff"))


@given(pictures(3, 8))
@settings(max_examples=60, deadline=None)
def test_printed_pictures_are_read(picture: np.ndarray) -> None:
    puzzle = from_picture(picture, PALETTE)
    assert puzzle.goal is not None
    shown = f"{puzzle.width}x{puzzle.height}: unique line\n{plain_text(puzzle, GridState(puzzle.goal)).plain}\n"
    text = f'a {shown}{symbol_names(puzzle)}\n9 of 9 cells by line logic\nb/c "d" {shown}'
    for back in matrix.read(text.encode()):
        assert [[block.length for block in clue] for clue in back.rows] == [
            [block.length for block in clue] for clue in puzzle.rows
        ]
        assert back.goal is not None
        assert (back.goal == 0).tolist() == (puzzle.goal == 0).tolist()
    assert len(list(matrix.read(text.encode()))) == 2


def test_what_solve_prints_is_read_by_every_command(tmp_path: Path) -> None:
    clues, printed, text = tmp_path / "a.json", tmp_path / "printed.txt", tmp_path / "b.txt"
    clues.write_text('{"rows": [[1], [4], [1]], "columns": [[1], [1], [3], [1]]}')
    text.write_text(drawn("#", "."))
    command = [sys.executable, "-m", "nonocensus", "solve", str(clues)]
    printed.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    run = CliRunner().invoke
    for file in (printed, text):
        assert "unique line" in run(app, ["solve", str(file)]).output
        assert "unique line" in run(app, ["picture", str(file)]).output
        assert run(app, ["import", str(file), "--out", str(tmp_path / f"store-{file.stem}")]).exit_code == 0
        out = tmp_path / f"{file.stem}.non"
        assert run(app, ["convert", str(file), str(out), "--lossy"]).exit_code == 0
        assert 'goal "001011110010"' in out.read_text().replace("\n", "")
    printed.write_bytes(printed.read_bytes() * 2)
    result = run(app, ["picture", str(printed)])
    assert result.exit_code == 1
    assert "it holds 2 pictures" in result.output


def test_unfinished_grids_are_not_read_as_pictures() -> None:
    text = "a 2x1: timeout \n?#\n1 of 2 cells are decided (? is open); 1 solution found\nA solution:\n.#\n"
    (puzzle,) = matrix.read(text.encode())
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[0, 1]]
    assert not matrix.recognizes(text[: text.index("A solution")].encode())


def test_signs_mean_the_same_in_answers() -> None:
    puzzle = from_picture([[1, 0], [1, 1]])
    for painted, empty in [*((sign, ".") for sign in "#@█■⬛◼▓●1"), *(("#", sign) for sign in ".-_·0□░⬜◻○×")]:
        text = f"{painted}{empty}\n{painted * 2}"
        assert nc.check(puzzle, text), text
        (read,) = matrix.read(text.encode())
        assert read.rows == puzzle.rows
