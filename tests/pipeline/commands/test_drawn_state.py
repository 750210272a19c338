"""Drawn grids that `solve --state` starts from."""

import json
from pathlib import Path

import numpy as np
import pytest
from stores import Nonocensus

from nonocensus.pipeline.commands.solve.drawn_state import parse_state
from nonocensus.scrapers.formats import FormatError, named
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

PLUS = from_picture(np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8), puzzle_id="local/plus")
PALETTE = (Color("white", ".", "ffffff"), Color("red", "r", "ff0000"), Color("blue", "x", "0000ff"))
COLORED = from_picture(np.array([[1, 1, 2], [0, 2, 2]], np.uint8), PALETTE)


def known(text: str, puzzle: Puzzle = PLUS) -> str:
    """Return what a text says of the cells, row by row: entries, and ? for open ones."""
    grid = parse_state(text, puzzle)
    entries = ["?" if cell.all() else str(int(cell.argmax())) for cell in grid.reshape(-1, grid.shape[2])]
    return "".join(entries)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (".X.\nXXX\n.X.\n", "?1?111?1?"),
        (".X.\r\nX?X\r\n.X.\r\n\r\n", "0101?1010"),
        ("x#x\n?#?\n_#-", "010?1??10"),
        (" X \nXXX\n X ", "?1?111?1?"),
        ("0 1 0\n? ? ?\n1,1,0", "010???110"),
        ("?10?1???0", "?10?1???0"),
        ("xX.\n...\n...", "01???????"),
        ("█■×\n???\n???", "110??????"),
        ("\n?X?  \n???\n???  *\n".replace("  *", "   "), "?1???????"),
    ],
)
def test_usual_signs_are_read(text: str, cells: str) -> None:
    assert known(text) == cells


def test_signs_of_the_palette_precede_the_usual_ones() -> None:
    assert known("rrx\n?0-", COLORED) == "112?00"
    assert known("112\n0??", COLORED) == "1120??"
    assert known("rr?\n.xx", COLORED) == "11?022"
    assert known("rr?\n.uu", COLORED) == "11?022", "the letters that solve and paper have"


@pytest.mark.parametrize(
    ("text", "puzzle", "reason"),
    [
        ("x?x\n???\n???", PLUS, "x could be painted or empty: write # or 0"),
        (".X?\n0??\n???", PLUS, ". could be empty or open: write 0 or ?"),
        ("X?\n???\n???", PLUS, "row 1 has 2 cells, not 3"),
        ("???\n???", PLUS, "its height is 2, the puzzle's 3"),
        ("???\n???\n???\n???", PLUS, "its height is 4, the puzzle's 3"),
        (
            "???\n?%?\n???",
            PLUS,
            "row 2, column 2: '%' is not a sign of a cell; write X (black), 0 for empty, ? for open",
        ),
        ("?#?\n???", COLORED, "row 1, column 2: '#' is not a sign of a cell; write r (red) u (blue), 0 for empty"),
        ("", PLUS, "its height is 1, the puzzle's 3"),
    ],
)
def test_ambiguous_and_unknown_signs_are_refused(text: str, puzzle: Puzzle, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_state(text, puzzle)
    assert str(error.value).startswith(reason)


def test_hint_starts_from_a_drawn_grid(nonocensus: Nonocensus, tmp_path: Path) -> None:
    link = "3x3:1/3/1/1/3/1"
    (tmp_path / "begun.txt").write_text("?#?\n###\n???\n")
    (tmp_path / "wrong.txt").write_text("##?\n???\n???\n")
    (tmp_path / "done.txt").write_text(".#.\n###\n.#.\n")
    told = json.loads(nonocensus("solve", link, "--hint", "--state", "begun.txt", "--json").out)
    assert (told["hint"], told["before"]) == ("step", [])
    wrong = nonocensus("solve", link, "--hint", "--state", "wrong.txt")
    assert (wrong.code, wrong.out.splitlines()[-1]) == (1, "1 cell is wrong: row 1, column 1")
    assert "The grid is solved" in nonocensus("solve", link, "--hint", "--state", "done.txt").out
    shared = named("share").write(PLUS).decode().strip()
    assert "The grid is solved" in nonocensus("solve", shared, "--hint", "--state", "done.txt").out
    assert "contradiction" in nonocensus("solve", shared, "--state", "wrong.txt").out
