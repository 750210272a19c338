"""Puzzles in the terminal: with clues where there is room, in colours and without; what several solutions differ in."""

import io

import numpy as np
import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from rich.segment import Segment
from rich.text import Text

from pipeline.commands import terminal_drawing
from pipeline.commands.output import Terminal
from pipeline.commands.terminal_drawing import difference_text, differing_cells, draw
from pipeline.commands.terminal_layouts import PAPER, UNKNOWNS, UPPER_HALF, color_layouts, symbol_layouts
from reports.sheet.geometry import clue_numbers
from reports.sheet.grid_state import UNKNOWN, GridState, empty
from solver.model.puzzle import BLACK, WHITE, Block, Color, Puzzle, from_picture

RED = Color("red", "r", "ff0000")
HEART = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], np.uint8)

Look = tuple[str, str | None, str | None]


def console(monkeypatch: pytest.MonkeyPatch, width: int, height: int, **about: object) -> Terminal:
    """Standard output, taken for a terminal in true colour of that size."""
    wanted = {"force_terminal": True, "color_system": "truecolor", "no_color": False} | about
    made = Terminal(width=width, height=height, file=io.StringIO(), highlight=False, soft_wrap=True, **wanted)
    monkeypatch.setattr(terminal_drawing, "out", made)
    return made


def looks(text: Text) -> list[list[Look]]:
    """The characters of each line: itself, ink, paper."""
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
def test_every_way_is_as_large_as_it_says(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    for layout in color_layouts(puzzle, GridState(puzzle.goal)) + symbol_layouts(puzzle, GridState(puzzle.goal)):
        lines = lines_of(layout.text())
        assert len(lines) == layout.height
        assert max(map(len, lines)) == layout.width


@given(strategies.puzzles())
def test_squares_have_their_numbers_and_colours(puzzle: Puzzle) -> None:
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
                assert pair in ([(" ", None, "ffffff")] * 2, [(" ", None, "ededed")] * 2), "fives are told apart"
    for x, clue in enumerate(puzzle.columns):
        stack = ["".join(letter for letter, _, _ in line[left + 2 * x : left + 2 * x + 2]) for line in lines[:top]]
        texts = [number.text for number in clue_numbers(clue)]
        assert [text.strip() for text in stack] == [""] * (top - len(texts)) + texts


@given(strategies.puzzles(most=14))
def test_small_cells_have_upper_rows_at_the_left_and_lower_ones_at_the_right(puzzle: Puzzle) -> None:
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


def test_digits_of_a_number_are_told_from_numbers_by_their_shade() -> None:
    puzzle = from_picture(np.r_[np.ones((12, 1)), [[0], [1], [0], [1]]].astype(np.uint8))
    lines = looks(color_layouts(puzzle, GridState(np.zeros((16, 1), np.uint8)))[1].text())
    stack = [next(look for look in line if look[0] != " ") for line in lines[:4]]
    assert [letter for letter, _, _ in stack] == ["1", "2", "1", "1"]
    papers = [paper for _, _, paper in stack]
    assert papers[0] == papers[1] != papers[2] != papers[3]
    assert PAPER in papers


def test_numbers_stand_on_their_colours_and_an_empty_line_has_a_plain_zero() -> None:
    puzzle = from_picture(np.array([[1, 2, 2], [0, 0, 0]], np.uint8), (WHITE, RED, BLACK))
    lines = looks(color_layouts(puzzle, empty(puzzle))[0].text())
    assert [look for look in lines[1] if look[0].isdigit()] == [("1", "000000", "ff0000"), ("2", "ffffff", "000000")]
    zero = next(look for look in lines[2] if look[0] == "0")
    assert zero[2] is None


def test_unknown_cells_background_and_lines_are_told_apart() -> None:
    puzzle = from_picture(HEART)
    cells = np.array([[1, 0, UNKNOWN], [1, 0, UNKNOWN], [0, 1, 0]], np.uint8)
    text = color_layouts(puzzle, GridState(cells, rows=(1,)))[0].text()
    grid = [[paper for _, _, paper in line[-6::2]] for line in looks(text)[-3:]]
    assert grid[0] == ["000000", "ffffff", grid[0][2]]
    assert grid[0][2] in UNKNOWNS
    assert grid[1][0] == "000000", "a cell keeps its colour"
    assert len({*grid[0], *grid[1]}) == 5, "and the others of the line are tinted"


def test_marked_cells_have_brackets_or_another_colour() -> None:
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
    assert pointed[0][0][1] != pointed[1][2][1], "what they are can still be told"
    alone = color_layouts(colored, GridState(np.array([[1, 2, 3]], np.uint8), np.ones((1, 3), bool)))[-1]
    papers = [bytes.fromhex(str(ink)) for _, ink, _ in looks(alone.text())[0]]
    for paper, own in zip(papers, (RED.rgb, "e8590c", BLACK.rgb), strict=True):
        assert max(abs(a - b) for a, b in zip(paper, bytes.fromhex(own), strict=True)) > 100, "no mark near the palette"


def test_a_grey_picture_has_another_grey_for_what_is_unknown() -> None:
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
def test_the_best_way_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch, width: int, height: int, wanted: str) -> None:
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


def test_numbers_of_three_digits_have_no_squares() -> None:
    puzzle = from_picture(np.ones((100, 1), np.uint8))
    assert not any(layout.square for layout in color_layouts(puzzle, empty(puzzle)))
    assert lines_of(color_layouts(puzzle, empty(puzzle))[0].text())[:3] == ["  1", "  0", "  0"]


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (5, 1), (2, 3)])
def test_the_smallest_ones_in_every_way(size: tuple[int, int]) -> None:
    for cells in (np.ones(size, np.uint8), np.zeros(size, np.uint8)):
        puzzle = from_picture(cells)
        for layout in color_layouts(puzzle, GridState(cells)) + symbol_layouts(puzzle, GridState(cells)):
            assert len(lines_of(layout.text())) == layout.height


def test_without_colours_there_are_symbols_clues_and_asterisks(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR too: Rich keeps a colour system then."""
    puzzle = Puzzle(((Block(2),), (Block(0),), ()), ((Block(1), Block(1)), (Block(1),)))
    cells = np.array([[1, 1], [UNKNOWN, 0], [0, 0]], np.uint8)
    marked = np.array([[0, 1], [0, 0], [0, 0]], bool)
    for about in ({"color_system": None}, {"no_color": True}):
        console(monkeypatch, 80, 24, **about)
        assert lines_of(draw(puzzle, GridState(cells, marked))) == ["   1  ", "   1 1", " 2 X*X", " ? ? .", " 0 . ."]
    console(monkeypatch, 5, 24, no_color=True)
    assert lines_of(draw(puzzle, GridState(cells))) == ["XX", "?.", ".."]


def test_a_pipe_gets_the_picture_alone_and_marks_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    console(monkeypatch, 2, 2, force_terminal=False, color_system=None)
    puzzle = from_picture(HEART)
    assert lines_of(draw(puzzle, GridState(HEART))) == ["X.X", "XXX", ".X."]
    marked = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], bool)
    assert lines_of(draw(puzzle, GridState(HEART, marked))) == ["X.X", "XXX   **", ".X."]
    assert lines_of(draw(puzzle, GridState(HEART, ~marked & False))) == ["X.X", "XXX", ".X."]


def test_what_is_unknown_has_a_symbol_of_its_own() -> None:
    palette = (Color("white", "?", "ffffff"), Color("black", "0", "000000"))
    puzzle = from_picture(np.array([[1, 0]], np.uint8), palette)
    (line,) = lines_of(symbol_layouts(puzzle, GridState(np.array([[1, UNKNOWN]], np.uint8)))[-1].text())
    assert line[0] == "0"
    assert line[1] not in "?0"


def test_what_solutions_differ_in() -> None:
    first, second = np.eye(4, dtype=np.uint8), np.eye(4, dtype=np.uint8)
    second[0, 1], second[3] = 2, [1, 0, 0, 0]
    marked = differing_cells([first, second, first])
    assert np.argwhere(marked).tolist() == [[0, 1], [3, 0], [3, 3]]
    assert difference_text(marked) == "differ in 3 cells: row 1 column 2, row 4 column 1, row 4 column 4"
    assert not differing_cells([first]).any()
    assert difference_text(np.ones((5, 5), bool)).endswith("row 4 column 5 and 5 more")
    assert difference_text(np.eye(1, dtype=bool)) == "differ in 1 cell: row 1 column 1"
