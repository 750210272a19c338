"""A grid that fills as one watches: what is shown, how fast, and what is left on the terminal."""

import io
from collections.abc import Iterator

import numpy as np
import pytest

from pipeline.commands import terminal_drawing
from pipeline.commands.output import Terminal
from pipeline.commands.terminal_drawing import animate
from reports.sheet.grid_state import UNKNOWN, GridState
from solver.model.puzzle import from_picture

HEART = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], np.uint8)
PUZZLE = from_picture(HEART)
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal of 40 columns gets."""
    return terminal(monkeypatch)


def terminal(monkeypatch: pytest.MonkeyPatch, terminal: bool = True, height: int = 20) -> io.StringIO:
    file = io.StringIO()
    out = Terminal(file=file, width=40, height=height, force_terminal=terminal, color_system=None, soft_wrap=True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(terminal_drawing, "out", out)
    return file


def states() -> Iterator[GridState]:
    """Three rows, one after the other."""
    cells = np.full((3, 3), UNKNOWN, np.uint8)
    for y in range(3):
        cells[y] = HEART[y]
        yield GridState(cells.copy(), rows=(y,), words=f"row {y + 1}: line logic\nfinds " + "many " * 20)


def test_each_state_is_shown_with_its_words_and_how_much_is_known(shown: io.StringIO) -> None:
    pauses: list[float] = []
    last = animate(PUZZLE, states(), 4, pauses.append)
    assert last is not None
    assert (last.cells == HEART).all()
    text = shown.getvalue()
    for y in range(3):
        assert f"row {y + 1}: line logic finds many" in text
        assert f"{3 * (y + 1)} of 9 cells" in text
    assert text.count("many …\n") == text.count("of 9 cells"), "words are cut, so that no line breaks"
    assert len(pauses) == 4
    assert pauses[0] == 0
    assert all(0 <= pause <= 0.25 for pause in pauses)
    assert pauses[-1] == 0.25
    assert text.count(HIDE) == text.count(SHOW) == 1
    assert text.endswith("\x1b[2K"), "nothing stays"


def test_ctrl_c_leaves_a_clean_terminal(shown: io.StringIO) -> None:
    def interrupted() -> Iterator[GridState]:
        yield from states()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(PUZZLE, interrupted(), 4, lambda _: None)
    assert SHOW in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")


def test_what_is_no_terminal_is_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: float) -> None:
        raise AssertionError("nobody watches, so nobody waits")

    file = terminal(monkeypatch, terminal=False)
    last = animate(PUZZLE, states(), 4, never)
    assert last is not None
    assert (last.cells == HEART).all()
    assert file.getvalue() == ""
    assert animate(PUZZLE, iter(()), 4, never) is None


def test_a_terminal_that_is_too_small_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    file = terminal(monkeypatch, height=5)
    animate(PUZZLE, states(), 4, lambda _: None)
    assert "the terminal is too small for the grid" in file.getvalue()
    assert "3 of 9 cells" in file.getvalue()
    assert "the terminal is too small for the grid" not in terminal_of(monkeypatch, 6)


def terminal_of(monkeypatch: pytest.MonkeyPatch, height: int) -> str:
    file = terminal(monkeypatch, height=height)
    animate(PUZZLE, states(), 4, lambda _: None)
    return file.getvalue()
