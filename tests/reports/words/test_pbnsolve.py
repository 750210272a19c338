"""pbnsolve's words and XML. They were held against pbnsolve 1.10 itself by hand; here are its words as it has them."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from nonocensus.reports.words.pbnsolve import brief, failure, xml
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import Block, Color, Puzzle, from_picture

LINE = from_picture([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
TRIVIAL = from_picture([[1, 1, 1], [1, 1, 1]])
SWITCH = from_picture([[1, 0], [0, 1]])
NO_PICTURE = Puzzle(((Block(1), Block(1)), (), (Block(1), Block(1))), ((Block(2),), (), (Block(2),)))
TOO_WIDE = Puzzle(((Block(3),),), ((Block(1),), (Block(1),)))


def depth_2() -> Puzzle:
    """Return the first puzzle of random pictures that needs depth-2."""
    rng = np.random.default_rng(5)
    while True:
        puzzle = from_picture((rng.random((10, 10)) < 0.5).astype(np.uint8))
        if solve(puzzle)["technique"] == "depth-2":
            return puzzle


def test_words_of_what_is_decided() -> None:
    assert brief(solve(LINE)) == "unique logical"
    assert brief(solve(TRIVIAL)) == "trivial unique logical"
    assert brief(solve(depth_2())) == "unique depth-2"
    assert brief(solve(depth_2(), rung="probe", depth=1)) in ("unique", "unique depth-1")
    assert brief(solve(SWITCH)) == "multiple"
    assert brief(solve(NO_PICTURE)) == "contradiction"


def test_words_of_what_is_not() -> None:
    assert brief(solve(LINE, cpu_limit=0.0)) == "timeout"
    assert brief(solve(SWITCH, rung="line")) == "stalled"
    assert brief(solve(SWITCH, rung="line", check_goal=True)) == "solvable"
    assert brief(solve(TOO_WIDE)) == "contradiction"
    with pytest.raises(ValueError, match="a bug"):
        brief(solve(LINE) | {"status": "error", "label": None, "error": "a bug"})


def test_documents_as_pbnsolve_writes_them() -> None:
    row = solve(SWITCH, check_goal=True) | {"score": 250.9}
    alternative = "<alt>\n.X\nX.\n</alt>"
    expected = f"<data>\n<status>OK</status>\n<unique>0</unique>\n{alternative}\n<difficulty>250</difficulty>\n</data>"
    assert xml(SWITCH, row) == expected
    one = "<data>\n<status>OK</status>\n<unique>1</unique>\n<logic>1</logic>\n<difficulty>100</difficulty>\n</data>"
    assert xml(LINE, solve(LINE) | {"score": 100.0}) == one
    assert "<logic>2</logic>" in xml(depth_2(), solve(depth_2()))
    assert "<logic>" not in xml(depth_2(), solve(depth_2(), depth=2) | {"technique": "probe"})
    assert xml(LINE, solve(LINE, cpu_limit=0.0)) == "<data>\n<status>TIMEOUT</status>\n</data>"
    none = xml(NO_PICTURE, solve(NO_PICTURE) | {"score": 1.0})
    assert none == "<data>\n<status>FAIL: Puzzle has no solution</status>\n<difficulty>1</difficulty>\n</data>"
    assert "<status>FAIL: Puzzle is not solved to its end<" in xml(SWITCH, solve(SWITCH, rung="line"))
    assert "<status>FAIL: Puzzle has no solution (row 1:" in xml(TOO_WIDE, solve(TOO_WIDE))


def test_the_alternative_is_never_the_goal() -> None:
    """Whichever of two solutions is found first, and whatever the goal."""
    row = solve(SWITCH)
    for goal, other in (([[1, 0], [0, 1]], ".X\nX."), ([[0, 1], [1, 0]], "X.\n.X")):
        puzzle = replace(SWITCH, goal=np.array(goal, np.uint8))
        assert f"<alt>\n{other}\n</alt>" in xml(puzzle, row)


@pytest.mark.parametrize("symbol", ["<", "&", "\x00", "\n", "]", "\ufffe", "\u202e", "é", "😀", ""])
def test_hostile_symbols(symbol: str) -> None:
    """Any palette gives a document that can be read, with a picture of the puzzle's size and two different symbols."""
    puzzle = replace(SWITCH, palette=(Color("white", symbol, "ffffff"), Color("black", symbol, "000000")))
    text = xml(puzzle, solve(puzzle))
    assert text.isascii()
    lines = (ElementTree.fromstring(text).findtext("alt") or "").strip("\n").split("\n")
    assert [len(line) for line in lines] == [2, 2]
    assert len(set("".join(lines))) == 2


@pytest.mark.parametrize("reason", ["a < b & c > d", "two\nlines", "]]>", "\x00\x1b", "\ud800", "</status>"])
def test_hostile_reasons(reason: str) -> None:
    status = ElementTree.fromstring(failure(reason)).findtext("status") or ""
    assert status.startswith("FAIL: ")
    assert "\n" not in status
