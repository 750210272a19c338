"""Puzzles drawn and animated in the terminal: clues, colours, marks, frames."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
import strategies
from hypothesis import given
from rich.segment import Segment
from rich.text import Text

from nonocensus.pipeline.commands import terminal_drawing
from nonocensus.pipeline.commands.output import Terminal
from nonocensus.pipeline.commands.solve.verdict_output import SolvedPuzzle, describe
from nonocensus.pipeline.commands.terminal_drawing import (
    PAPER,
    UNKNOWNS,
    UPPER_HALF,
    animate,
    clue_lines,
    difference_text,
    differing_cells,
    draw,
    half_blocks,
    half_blocks_size,
    symbol_names,
)
from nonocensus.reports.drawings.geometry import clue_numbers
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState, empty
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import BLACK, WHITE, Block, Color, Puzzle, from_picture

RED = Color("red", "r", "ff0000")
HEART = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], np.uint8)
PUZZLE = from_picture(HEART)
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"

Look = tuple[str, str | None, str | None]


def console(monkeypatch: pytest.MonkeyPatch, width: int, height: int, **about: object) -> Terminal:
    """Standard output, taken for a terminal in true colour of that size."""
    wanted = {"force_terminal": True, "color_system": "truecolor", "no_color": False} | about
    made = Terminal(width=width, height=height, file=io.StringIO(), highlight=False, soft_wrap=True, **wanted)
    monkeypatch.setattr(terminal_drawing, "out", made)
    return made


def looks(text: Text) -> list[list[Look]]:
    """Return the characters of each line: itself, ink, paper."""
    out = Terminal(file=io.StringIO(), width=5000, color_system="truecolor", force_terminal=True, soft_wrap=True)
    lines: list[list[Look]] = [[]]
    for segment in out.render(text, out.options):
        for number, part in enumerate(segment.text.removesuffix("\n").split("\n")):
            lines.extend([[]] * (number > 0))
            lines[-1] = lines[-1] + [(letter, *colors(segment)) for letter in part]
        if segment.text == "\n":
            lines.append([])
    return lines if lines[-1] else lines[:-1]


def colors(segment: Segment) -> tuple[str | None, str | None]:
    style = segment.style
    return tuple(  # type: ignore[return-value]
        color.get_truecolor().hex.removeprefix("#") if color is not None and color.triplet else None
        for color in ((style.color, style.bgcolor) if style else (None, None))
    )


def lines_of(text: str | Text) -> list[str]:
    return str(text).split("\n")


def papers(puzzle: Puzzle, state: GridState) -> list[list[str | None]]:
    """Return the colour of each cell, drawn without clues."""
    lines = looks(half_blocks(puzzle, state, clues=False))
    rows = [[look[half] for look in line] for line in lines for half in (1, 2)]
    return rows[: puzzle.height]


@given(strategies.puzzles())
def test_pictures_have_the_size_they_declare(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    for clues in (True, False):
        lines = lines_of(half_blocks(puzzle, GridState(puzzle.goal), clues))
        assert (max(map(len, lines)), len(lines)) == half_blocks_size(puzzle, clues)


@given(strategies.puzzles())
def test_cells_have_their_colours_and_fives_are_shaded(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    for y, row in enumerate(papers(puzzle, GridState(puzzle.goal))):
        for x, (paper, entry) in enumerate(zip(row, puzzle.goal[y].tolist(), strict=True)):
            shaded = (x // 5 + y // 5) % 2
            assert paper == (puzzle.palette[entry].rgb if entry else ["ffffff", "ededed"][shaded])


@given(strategies.puzzles(most=14))
def test_clues_are_on_both_sides_and_above(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    lines = lines_of(half_blocks(puzzle, GridState(puzzle.goal), clues=True))
    top = len(lines) - (puzzle.height + 1) // 2
    texts = [[number.text for number in clue_numbers(clue)] for clue in puzzle.rows]
    for y, line in enumerate(lines[top:]):
        left, right = line.split(UPPER_HALF * puzzle.width)
        assert left.split() == texts[2 * y]
        assert right.split() == (texts[2 * y + 1] if 2 * y + 1 < puzzle.height else [])
    before = lines[top].index(UPPER_HALF)
    for x, clue in enumerate(puzzle.columns):
        stack = "".join(line.ljust(before + puzzle.width)[before + x] for line in lines[:top])
        assert stack.strip() == "".join(number.text for number in clue_numbers(clue))
        assert not stack.endswith(" ")


def test_numbers_of_two_digits_are_shaded_alike() -> None:
    puzzle = from_picture(np.r_[np.ones((12, 1)), [[0], [1], [0], [1]]].astype(np.uint8))
    lines = looks(half_blocks(puzzle, GridState(np.zeros((16, 1), np.uint8)), clues=True))
    stack = [next(look for look in line if look[0] != " ") for line in lines[:4]]
    assert [letter for letter, _, _ in stack] == ["1", "2", "1", "1"]
    first, second, *others = [paper for _, _, paper in stack]
    assert first == second != others[0] != others[1]
    assert PAPER in others


def test_clues_have_chips_of_their_colour_and_empty_lines_a_plain_zero() -> None:
    puzzle = from_picture(np.array([[1, 2, 2], [0, 0, 0]], np.uint8), (WHITE, RED, BLACK))
    line = looks(half_blocks(puzzle, empty(puzzle), clues=True))[-1]
    assert [look for look in line if look[0] in "12"] == [("1", "ffffff", "ff0000"), ("2", "ffffff", "000000")]
    assert next(look for look in line if look[0] == "0")[2] is None


def test_unknown_cells_background_and_lines_have_different_colours() -> None:
    puzzle = from_picture(HEART)
    cells = np.array([[1, 0, UNKNOWN], [1, 0, UNKNOWN], [0, 1, 0]], np.uint8)
    grid = papers(puzzle, GridState(cells, rows=(1,)))
    assert grid[0] == ["000000", "ffffff", grid[0][2]]
    assert grid[0][2] in UNKNOWNS
    assert grid[1][0] == "000000", "a cell keeps its colour"
    assert len({*grid[0], *grid[1]}) == 5, "and the others of the line are tinted"


def test_marked_cells_have_a_tint() -> None:
    colored = from_picture(np.array([[1, 2, 3]], np.uint8), (WHITE, RED, Color("orange", "o", "e8590c"), BLACK))
    puzzle = from_picture(HEART)
    marked = np.eye(3, dtype=bool)
    plain, pointed = (np.array(papers(puzzle, GridState(HEART, mask))) for mask in (None, marked))
    assert ((plain != pointed) == marked).all()
    assert pointed[0, 0] != pointed[2, 2], "their colours stay distinguishable"
    (row,) = papers(colored, GridState(np.array([[1, 2, 3]], np.uint8), np.ones((1, 3), bool)))
    for paper, own in zip(row, (RED.rgb, "e8590c", BLACK.rgb), strict=True):
        pairs = zip(bytes.fromhex(str(paper)), bytes.fromhex(own), strict=True)
        assert max(abs(a - b) for a, b in pairs) > 100, "no mark near the palette"


def test_unknown_cells_of_a_grey_picture_have_a_distinct_grey() -> None:
    for grey in UNKNOWNS:
        puzzle = from_picture(np.array([[1]], np.uint8), (WHITE, Color("grey", "g", grey)))
        ((paper,),) = papers(puzzle, empty(puzzle))
        assert paper in {*UNKNOWNS} - {grey}


@pytest.mark.parametrize(("width", "clues"), [(130, True), (129, False), (60, False), (59, None)])
def test_clues_are_drawn_if_there_is_room(monkeypatch: pytest.MonkeyPatch, width: int, clues: bool | None) -> None:
    puzzle = from_picture((np.random.default_rng(3).random((60, 60)) < 0.6).astype(np.uint8))
    assert puzzle.goal is not None
    state = GridState(puzzle.goal)
    console(monkeypatch, width, 50)
    text = draw(puzzle, state)
    if clues is None:
        assert f"60 cells are wider than the terminal's {width} columns" in str(text)
    else:
        assert str(text) == str(half_blocks(puzzle, state, clues))
        assert len(lines_of(text)) <= 50


def test_numbers_of_three_digits_fit() -> None:
    puzzle = from_picture(np.ones((100, 1), np.uint8))
    assert lines_of(half_blocks(puzzle, empty(puzzle), clues=True))[:3] == ["  1", "  0", "  0"]


def test_without_colours_symbols_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with NO_COLOR, where Rich keeps a colour system."""
    puzzle = Puzzle(((Block(2),), (Block(0),), ()), ((Block(1), Block(1)), (Block(1),)))
    cells = np.array([[1, 1], [UNKNOWN, 0], [0, 0]], np.uint8)
    marked = np.array([[0, 1], [0, 0], [0, 0]], bool)
    for about in ({"color_system": None}, {"no_color": True}):
        console(monkeypatch, 6, 24, **about)
        assert lines_of(draw(puzzle, GridState(cells, marked))) == ["XX   *", "?.", ".."]
    console(monkeypatch, 5, 24, no_color=True)
    assert "2 cells are wider than" in str(draw(puzzle, GridState(cells, marked)))


def test_pipe_gets_the_picture_followed_by_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    console(monkeypatch, 2, 2, force_terminal=False, color_system=None)
    puzzle = from_picture(HEART)
    assert lines_of(draw(puzzle, GridState(HEART))) == ["X.X", "XXX", ".X."]
    marked = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], bool)
    assert lines_of(draw(puzzle, GridState(HEART, marked))) == ["X.X", "XXX   **", ".X."]
    assert lines_of(draw(puzzle, GridState(HEART, ~marked & False))) == ["X.X", "XXX", ".X."]


def test_symbols_of_several_colours_have_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = from_picture(np.array([[1, 0, 2]], np.uint8), (WHITE, BLACK, RED))
    assert symbol_names(puzzle) == ". is white, b is black, r is red", "the letters of paper"
    assert symbol_names(PUZZLE) == ""
    assert [str(line) for line in clue_lines(puzzle)] == ["Row 1: 1b 1r", "Column 1: 1b", "Column 2: 0", "Column 3: 1r"]
    for color_system, keys in ((None, 1), ("truecolor", 0)):
        console(monkeypatch, 80, 24, color_system=color_system, force_terminal=False)
        told = list(map(str, describe(SolvedPuzzle(puzzle, solve(puzzle), 2), stats=False, explains=False)))
        assert told.count(symbol_names(puzzle)) == keys, "none where cells are coloured"


def test_differing_cells_are_counted_and_located() -> None:
    first, second = np.eye(4, dtype=np.uint8), np.eye(4, dtype=np.uint8)
    second[0, 1], second[3] = 2, [1, 0, 0, 0]
    marked = differing_cells([first, second, first])
    assert np.argwhere(marked).tolist() == [[0, 1], [3, 0], [3, 3]]
    assert difference_text(marked) == "differ in 3 cells: row 1 column 2, row 4 column 1, row 4 column 4"
    assert not differing_cells([first]).any()
    assert difference_text(np.ones((5, 5), bool)).endswith("row 4 column 5 and 5 more")
    assert difference_text(np.eye(1, dtype=bool)) == "differ in 1 cell: row 1 column 1"


def output(monkeypatch: pytest.MonkeyPatch, height: int = 20, **about: object) -> io.StringIO:
    """Return the output of a terminal of 40 columns."""
    monkeypatch.setenv("TERM", "xterm")
    made = console(monkeypatch, 40, height, color_system=None, **about)
    assert isinstance(made.file, io.StringIO)
    return made.file


def states() -> Iterator[GridState]:
    """Yield three states, each with one more row."""
    cells = np.full((3, 3), UNKNOWN, np.uint8)
    for y in range(3):
        cells[y] = HEART[y]
        yield GridState(cells.copy(), rows=(y,), words=f"row {y + 1}: line logic\nfinds " + "many " * 20)


def test_animation_shows_each_state_with_words_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, pauses = output(monkeypatch), list[float]()
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


def test_ctrl_c_erases_the_animation(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = output(monkeypatch)

    def interrupted() -> Iterator[GridState]:
        yield from states()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(PUZZLE, interrupted(), 4, lambda _: None)
    assert SHOW in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")


def test_animation_without_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: float) -> None:
        raise AssertionError("no terminal, so no pause")

    file = output(monkeypatch, force_terminal=False)
    last = animate(PUZZLE, states(), 4, never)
    assert last is not None
    assert (last.cells == HEART).all()
    assert file.getvalue() == ""
    assert animate(PUZZLE, iter(()), 4, never) is None


@pytest.mark.parametrize(("height", "small"), [(5, True), (6, False)])
def test_animation_in_a_small_terminal_shows_a_message(
    monkeypatch: pytest.MonkeyPatch, height: int, small: bool
) -> None:
    file = output(monkeypatch, height)
    animate(PUZZLE, states(), 4, lambda _: None)
    assert ("the terminal is too small for the grid" in file.getvalue()) is small
    assert "3 of 9 cells" in file.getvalue()
