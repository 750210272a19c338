"""Puzzles drawn and animated in the terminal: layouts, colours, marks, frames."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from rich.segment import Segment
from rich.text import Text

from nonocensus.pipeline.commands import terminal_drawing
from nonocensus.pipeline.commands.output import Terminal
from nonocensus.pipeline.commands.terminal_drawing import animate, difference_text, differing_cells, draw
from nonocensus.pipeline.commands.terminal_layouts import PAPER, UNKNOWNS, UPPER_HALF, color_layouts, symbol_layouts
from nonocensus.reports.sheet.geometry import clue_numbers
from nonocensus.reports.sheet.grid_state import UNKNOWN, GridState, empty
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.puzzles())
def test_layouts_have_the_size_they_declare(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    for layout in color_layouts(puzzle, GridState(puzzle.goal)) + symbol_layouts(puzzle, GridState(puzzle.goal)):
        lines = lines_of(layout.text())
        assert len(lines) == layout.height
        assert max(map(len, lines)) == layout.width


@given(strategies.puzzles())
def test_square_cells_have_clues_and_colours(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    squares = color_layouts(puzzle, GridState(puzzle.goal))[0]
    lines = looks(squares.text())
    left, top = squares.width - 2 * puzzle.width, squares.height - puzzle.height
    for y, clue in enumerate(puzzle.rows):
        beside = "".join(letter for letter, _, _ in lines[top + y][:left])
        assert beside.split() == [number.text for number in clue_numbers(clue)]
        assert not beside.endswith(" "), "numbers end at the grid"
        for x, entry in enumerate(puzzle.goal[y].tolist()):
            pair = lines[top + y][left + 2 * x : left + 2 * x + 2]
            if entry:
                assert pair == [(" ", None, puzzle.palette[entry].rgb)] * 2
            else:
                assert pair in ([(" ", None, "ffffff")] * 2, [(" ", None, "ededed")] * 2), (
                    "fives are shaded alternately"
                )
    for x, clue in enumerate(puzzle.columns):
        stack = ["".join(letter for letter, _, _ in line[left + 2 * x : left + 2 * x + 2]) for line in lines[:top]]
        texts = [number.text for number in clue_numbers(clue)]
        assert [text.strip() for text in stack] == [""] * (top - len(texts)) + texts


@given(strategies.puzzles(most=14))
def test_half_height_cells_have_clues_on_both_sides(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    wide, close = (
        layout
        for layout in color_layouts(puzzle, GridState(puzzle.goal))
        if not layout.square and layout.width > puzzle.width
    )
    lines = lines_of(wide.text())
    top = wide.height - (puzzle.height + 1) // 2
    texts = [[number.text for number in clue_numbers(clue)] for clue in puzzle.rows]
    for y, line in enumerate(lines[top:]):
        left, right = line.split(UPPER_HALF * puzzle.width)
        assert left.split() == texts[2 * y]
        assert right.split() == (texts[2 * y + 1] if 2 * y + 1 < puzzle.height else [])
    for y, line in enumerate(lines_of(close.text())[top:]):
        left, right = line.split(UPPER_HALF * puzzle.width)
        assert [left.strip(), right] == [
            "".join(texts[row]) if row < puzzle.height else "" for row in (2 * y, 2 * y + 1)
        ]
    before = lines[top].index(UPPER_HALF)
    for x, clue in enumerate(puzzle.columns):
        stack = "".join(line.ljust(wide.width)[before + x] for line in lines[:top])
        assert stack.strip() == "".join(number.text for number in clue_numbers(clue))
        assert not stack.endswith(" ")


def test_numbers_of_two_digits_are_shaded_alike() -> None:
    puzzle = from_picture(np.r_[np.ones((12, 1)), [[0], [1], [0], [1]]].astype(np.uint8))
    lines = looks(color_layouts(puzzle, GridState(np.zeros((16, 1), np.uint8)))[1].text())
    stack = [next(look for look in line if look[0] != " ") for line in lines[:4]]
    assert [letter for letter, _, _ in stack] == ["1", "2", "1", "1"]
    papers = [paper for _, _, paper in stack]
    assert papers[0] == papers[1] != papers[2] != papers[3]
    assert PAPER in papers


def test_clues_have_chips_of_their_colour_and_empty_lines_a_plain_zero() -> None:
    puzzle = from_picture(np.array([[1, 2, 2], [0, 0, 0]], np.uint8), (WHITE, RED, BLACK))
    lines = looks(color_layouts(puzzle, empty(puzzle))[0].text())
    assert [look for look in lines[1] if look[0].isdigit()] == [("1", "000000", "ff0000"), ("2", "ffffff", "000000")]
    zero = next(look for look in lines[2] if look[0] == "0")
    assert zero[2] is None


def test_unknown_cells_background_and_lines_have_different_colours() -> None:
    puzzle = from_picture(HEART)
    cells = np.array([[1, 0, UNKNOWN], [1, 0, UNKNOWN], [0, 1, 0]], np.uint8)
    text = color_layouts(puzzle, GridState(cells, rows=(1,)))[0].text()
    grid = [[paper for _, _, paper in line[-6::2]] for line in looks(text)[-3:]]
    assert grid[0] == ["000000", "ffffff", grid[0][2]]
    assert grid[0][2] in UNKNOWNS
    assert grid[1][0] == "000000", "a cell keeps its colour"
    assert len({*grid[0], *grid[1]}) == 5, "and the others of the line are tinted"


def test_marked_cells_have_brackets_or_a_tint() -> None:
    colored = from_picture(np.array([[1, 2, 3]], np.uint8), (WHITE, RED, Color("orange", "o", "e8590c"), BLACK))
    puzzle = from_picture(HEART)
    marked = np.eye(3, dtype=bool)
    squares = color_layouts(puzzle, GridState(HEART, marked))[0]
    letters = ["".join(letter for letter, _, _ in line[-6:]) for line in looks(squares.text())[-3:]]
    assert letters == ["[]    ", "  []  ", "    []"]
    plain, pointed = (looks(color_layouts(puzzle, GridState(HEART, mask))[-1].text()) for mask in (None, marked))
    differ = [[a != b for a, b in zip(*lines, strict=True)] for lines in zip(plain, pointed, strict=True)]
    assert differ[1] == [False, False, True]
    assert differ[0] == [True, True, False]
    assert pointed[0][0][1] != pointed[1][2][1], "their colours stay distinguishable"
    alone = color_layouts(colored, GridState(np.array([[1, 2, 3]], np.uint8), np.ones((1, 3), bool)))[-1]
    papers = [bytes.fromhex(str(ink)) for _, ink, _ in looks(alone.text())[0]]
    for paper, own in zip(papers, (RED.rgb, "e8590c", BLACK.rgb), strict=True):
        assert max(abs(a - b) for a, b in zip(paper, bytes.fromhex(own), strict=True)) > 100, "no mark near the palette"


def test_unknown_cells_of_a_grey_picture_have_a_distinct_grey() -> None:
    for grey in UNKNOWNS:
        puzzle = from_picture(np.array([[1]], np.uint8), (WHITE, Color("grey", "g", grey)))
        ((_, _, paper),) = {
            look
            for look in looks(color_layouts(puzzle, empty(puzzle))[0].text())[-1]
            if look[0] == " " and look[2] in UNKNOWNS and look[2] != grey
        }
        assert paper != grey


@pytest.mark.parametrize(
    ("width", "height", "wanted"),
    [(160, 100, "squares"), (160, 40, "small"), (105, 40, "close"), (80, 24, "alone"), (59, 24, "none")],
)
def test_best_fitting_layout_is_used(monkeypatch: pytest.MonkeyPatch, width: int, height: int, wanted: str) -> None:
    puzzle = from_picture((np.random.default_rng(3).random((60, 60)) < 0.6).astype(np.uint8))
    assert puzzle.goal is not None
    ways = dict(zip(("squares", "small", "close", "alone"), color_layouts(puzzle, GridState(puzzle.goal)), strict=True))
    console(monkeypatch, width, height)
    text = draw(puzzle, GridState(puzzle.goal))
    if wanted == "none":
        assert f"60 cells are wider than the terminal's {width} columns" in str(text)
    else:
        assert str(text) == str(ways[wanted].text())


def test_sixty_by_sixty_fits_into_120_columns_and_50_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = from_picture((np.random.default_rng(3).random((60, 60)) < 0.6).astype(np.uint8))
    assert puzzle.goal is not None
    console(monkeypatch, 120, 50)
    lines = lines_of(draw(puzzle, GridState(puzzle.goal)))
    assert len(lines) <= 50
    assert UPPER_HALF * 60 in lines[-1]
    assert lines[-1].replace(UPPER_HALF, "").strip().isdigit(), "with clues"


def test_numbers_of_three_digits_exclude_square_cells() -> None:
    puzzle = from_picture(np.ones((100, 1), np.uint8))
    assert not any(layout.square for layout in color_layouts(puzzle, empty(puzzle)))
    assert lines_of(color_layouts(puzzle, empty(puzzle))[0].text())[:3] == ["  1", "  0", "  0"]


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (5, 1), (2, 3)])
def test_smallest_puzzles_fit_every_layout(size: tuple[int, int]) -> None:
    for cells in (np.ones(size, np.uint8), np.zeros(size, np.uint8)):
        puzzle = from_picture(cells)
        for layout in color_layouts(puzzle, GridState(cells)) + symbol_layouts(puzzle, GridState(cells)):
            assert len(lines_of(layout.text())) == layout.height


def test_without_colours_symbols_and_asterisks_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with NO_COLOR, where Rich keeps a colour system."""
    puzzle = Puzzle(((Block(2),), (Block(0),), ()), ((Block(1), Block(1)), (Block(1),)))
    cells = np.array([[1, 1], [UNKNOWN, 0], [0, 0]], np.uint8)
    marked = np.array([[0, 1], [0, 0], [0, 0]], bool)
    for about in ({"color_system": None}, {"no_color": True}):
        console(monkeypatch, 80, 24, **about)
        assert lines_of(draw(puzzle, GridState(cells, marked))) == ["   1  ", "   1 1", " 2 X*X", " ? ? .", " 0 . ."]
    console(monkeypatch, 5, 24, no_color=True)
    assert lines_of(draw(puzzle, GridState(cells))) == ["XX", "?.", ".."]


def test_pipe_gets_picture_without_clues_followed_by_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    console(monkeypatch, 2, 2, force_terminal=False, color_system=None)
    puzzle = from_picture(HEART)
    assert lines_of(draw(puzzle, GridState(HEART))) == ["X.X", "XXX", ".X."]
    marked = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], bool)
    assert lines_of(draw(puzzle, GridState(HEART, marked))) == ["X.X", "XXX   **", ".X."]
    assert lines_of(draw(puzzle, GridState(HEART, ~marked & False))) == ["X.X", "XXX", ".X."]


def test_unknown_cells_have_an_unused_symbol() -> None:
    palette = (Color("white", "?", "ffffff"), Color("black", "0", "000000"))
    puzzle = from_picture(np.array([[1, 0]], np.uint8), palette)
    (line,) = lines_of(symbol_layouts(puzzle, GridState(np.array([[1, UNKNOWN]], np.uint8)))[-1].text())
    assert line[0] == "0"
    assert line[1] not in "?0"


def test_differing_cells_are_counted_and_located() -> None:
    first, second = np.eye(4, dtype=np.uint8), np.eye(4, dtype=np.uint8)
    second[0, 1], second[3] = 2, [1, 0, 0, 0]
    marked = differing_cells([first, second, first])
    assert np.argwhere(marked).tolist() == [[0, 1], [3, 0], [3, 3]]
    assert difference_text(marked) == "differ in 3 cells: row 1 column 2, row 4 column 1, row 4 column 4"
    assert not differing_cells([first]).any()
    assert difference_text(np.ones((5, 5), bool)).endswith("row 4 column 5 and 5 more")
    assert difference_text(np.eye(1, dtype=bool)) == "differ in 1 cell: row 1 column 1"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return the output of a terminal of 40 columns."""
    return terminal(monkeypatch)


def terminal(monkeypatch: pytest.MonkeyPatch, terminal: bool = True, height: int = 20) -> io.StringIO:
    file = io.StringIO()
    out = Terminal(file=file, width=40, height=height, force_terminal=terminal, color_system=None, soft_wrap=True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(terminal_drawing, "out", out)
    return file


def states() -> Iterator[GridState]:
    """Yield three states, each with one more row."""
    cells = np.full((3, 3), UNKNOWN, np.uint8)
    for y in range(3):
        cells[y] = HEART[y]
        yield GridState(cells.copy(), rows=(y,), words=f"row {y + 1}: line logic\nfinds " + "many " * 20)


def test_animation_shows_each_state_with_words_and_progress(shown: io.StringIO) -> None:
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


def test_ctrl_c_erases_the_animation(shown: io.StringIO) -> None:
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

    file = terminal(monkeypatch, terminal=False)
    last = animate(PUZZLE, states(), 4, never)
    assert last is not None
    assert (last.cells == HEART).all()
    assert file.getvalue() == ""
    assert animate(PUZZLE, iter(()), 4, never) is None


def test_animation_in_a_small_terminal_shows_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    file = terminal(monkeypatch, height=5)
    animate(PUZZLE, states(), 4, lambda _: None)
    assert "the terminal is too small for the grid" in file.getvalue()
    assert "3 of 9 cells" in file.getvalue()
    assert "the terminal is too small for the grid" not in terminal_of(monkeypatch, 6)


def terminal_of(monkeypatch: pytest.MonkeyPatch, height: int) -> str:
    file = terminal(monkeypatch, height=height)
    animate(PUZZLE, states(), 4, lambda _: None)
    return file.getvalue()
