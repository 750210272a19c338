"""Puzzles and pictures drawn as SVG: every number and cell where it belongs, read back from the drawing."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

from nonocensus.reports.drawings import geometry as places
from nonocensus.reports.drawings.geometry import CAPTION_WIDTH, CELL, MARGIN, clue_numbers, geometry
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState, empty
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.drawings.sheet_colors import halo, ink
from nonocensus.reports.drawings.svg import EDGE, add_line_numbers, drawing, possible_marks
from nonocensus.solver.model.puzzle import BLACK, WHITE, Block, Color, Puzzle, from_picture

HATCHES = "m0 .5l.5-.5m.5.5l-.5.5"
SVG = "{http://www.w3.org/2000/svg}"
HEART = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], np.uint8)
RED = Color("red", "r", "ff0000")


def root_of(puzzle: Puzzle, state: GridState | None = None) -> ET.Element:
    return ET.fromstring(drawing(puzzle, state).svg)


def path(root: ET.Element, name: str) -> ET.Element:
    (found,) = [p for p in root.iter(f"{SVG}path") if p.get("class") == name]
    return found


def clues_in(root: ET.Element, puzzle: Puzzle) -> tuple[list[list[str]], list[list[str]]]:
    """Return the numbers that are drawn, by the places at which they stand, the innermost last."""
    place = geometry(puzzle)
    rows, columns = defaultdict[int, dict[int, str]](dict), defaultdict[int, dict[int, str]](dict)
    (group,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "clues"]
    for text in group.iter(f"{SVG}text"):
        x, y = float(text.attrib["x"]), float(text.attrib["y"]) - 0.36 * float(text.attrib["font-size"])
        across, down = (x - place.left) / CELL - 0.5, (y - place.top) / CELL - 0.5
        assert (across, down) == (pytest.approx(round(across)), pytest.approx(round(down)))
        side, line, back = (rows, down, across) if across < 0 else (columns, across, down)
        assert round(back) < 0 <= round(line), "outside of the grid, and at one of its lines"
        assert round(back) not in side[round(line)], "no two at one place"
        side[round(line)][round(back)] = text.text or ""
    return tuple(  # type: ignore[return-value]
        [[side[line][back] for back in range(-len(side[line]), 0)] for line in range(count)]
        for side, count in ((rows, puzzle.height), (columns, puzzle.width))
    )


def cells_in(root: ET.Element, puzzle: Puzzle) -> np.ndarray:
    """Return the colour of each cell, painted from the drawing's rectangles on the paper's."""
    (group,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "cells"]
    place = geometry(puzzle)
    assert group.attrib["transform"] == f"translate({place.left} {place.top}) scale({CELL})"
    paper = np.full((puzzle.height, puzzle.width), path(root, "paper").attrib["fill"], object)
    open_ = [part for part in root.iter(f"{SVG}path") if part.get("class") == "open"]
    assert all(part.attrib["transform"] == group.attrib["transform"] for part in open_)
    return painted(paper, [*open_, *(part for part in group if part.get("class") is None)])


def painted(cells: np.ndarray, paths: Iterable[ET.Element]) -> np.ndarray:
    """Fill the rectangles of paths with their colours, in their order; hatches are no rectangles."""
    for part in paths:
        plain = part.attrib["d"].replace(HATCHES, "")
        rectangles = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", plain)
        assert "".join("M{} {}h{}v{}h-{}z".format(*found) for found in rectangles) == plain
        for x, y, width, height, back in (map(int, found) for found in rectangles):
            assert width == back
            cells[y : y + height, x : x + width] = part.attrib["fill"]
    return cells


def places_in(element: ET.Element, offset: float, origin: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the cells (row, column) at which the parts of a path begin."""
    begins = re.findall(r"M([\d.]+) ([\d.]+)", element.attrib["d"])
    return {(round((float(y) - origin[1]) / offset), round((float(x) - origin[0]) / offset)) for x, y in begins}


@given(strategies.puzzles())
def test_every_number_and_every_cell_is_where_it_belongs(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    root = root_of(puzzle, GridState(puzzle.goal))
    wanted = [
        [[number.text for number in clue_numbers(clue)] for clue in side] for side in (puzzle.rows, puzzle.columns)
    ]
    assert list(clues_in(root, puzzle)) == wanted
    colors = [f"#{color.rgb}" for color in puzzle.palette]
    assert cells_in(root, puzzle).tolist() == [[colors[cell] for cell in row] for row in puzzle.goal]
    _, _, width, height = map(int, root.attrib["viewBox"].split())
    place = geometry(puzzle)
    assert (place.right + MARGIN, place.bottom + MARGIN) == (width, height)
    assert (place.clue_left, place.clue_top) == (MARGIN, MARGIN)


@given(strategies.pictures(3), st.integers(0, 1000), st.sampled_from(["ffffff", "ffff33"]))
def test_known_background_has_a_cross_in_a_partly_solved_grid(cells: np.ndarray, seed: int, background: str) -> None:
    """Unknown cells are white whatever the background's colour."""
    puzzle = from_picture(cells, (Color("background", ".", background), *strategies.PALETTE[1:]))
    assert puzzle.goal is not None
    state = np.where(np.random.default_rng(seed).random(cells.shape) < 0.4, UNKNOWN, puzzle.goal).astype(np.uint8)
    root = root_of(puzzle, GridState(state))
    crosses = [p for p in root.iter(f"{SVG}path") if p.get("class") == "crosses"]
    wanted = set(map(tuple, np.argwhere(state == 0).tolist())) if (state == UNKNOWN).any() else set()
    assert (places_in(crosses[0], 1, (0, 0)) if crosses else set()) == wanted
    colors = {entry: f"#{color.rgb}" for entry, color in enumerate(puzzle.palette)} | {UNKNOWN: "#ffffff"}
    assert cells_in(root, puzzle).tolist() == [[colors[cell] for cell in row] for row in state.tolist()]


def test_highlights_are_at_their_cells_and_lines() -> None:
    puzzle = from_picture(HEART)
    place = geometry(puzzle)
    marked = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], bool)
    root = root_of(puzzle, empty(puzzle)._replace(marked=marked, rows=(1,), columns=(2,)))
    for name in ("marks", "rims"):
        assert places_in(path(root, name), CELL, (place.left + 3, place.top + 3)) == {(0, 1), (2, 0)}
    assert path(root, "lines").attrib["d"] == (
        f"M{place.clue_left} {place.top + CELL}H{place.right}v{CELL}H{place.clue_left}z"
        f"M{place.left + 2 * CELL} {place.clue_top}V{place.bottom}h{CELL}V{place.clue_top}z"
    )
    fills = [[p.get("fill") for p in each.iter(f"{SVG}path")] for each in (root, root_of(puzzle, empty(puzzle)))]
    assert [fill for fill in fills[0] if fill != "none"] == [fill for fill in fills[1] if fill != "none"]
    plain = {p.get("class") for p in root_of(puzzle).iter(f"{SVG}path")}
    assert not plain & {"marks", "rims", "lines", "crosses"}


def test_every_fifth_line_and_the_border_are_thick() -> None:
    puzzle = from_picture(np.ones((7, 12), np.uint8))
    place = geometry(puzzle)
    ways = {name: path(root_of(puzzle), name).attrib["d"] for name in ("thin", "thick")}
    down = {name: [(int(x) - place.left) // CELL for x in re.findall(r"M(\d+) \d+V", d)] for name, d in ways.items()}
    along = {name: [(int(y) - place.top) // CELL for y in re.findall(r"M\d+ (\d+)H", d)] for name, d in ways.items()}
    assert down == {"thick": [0, 5, 10, 12], "thin": [1, 2, 3, 4, 6, 7, 8, 9, 11]}
    assert along == {"thick": [0, 5, 7], "thin": [1, 2, 3, 4, 6]}


def test_numbers_have_chips_where_they_are_not_all_black() -> None:
    colored = from_picture(np.array([[1, 2]], np.uint8), (WHITE, BLACK, RED))
    chips = [chip.attrib["fill"] for chip in root_of(colored).iter(f"{SVG}rect")]
    assert sorted(chips) == ["#000000", "#000000", "#ff0000", "#ff0000"]
    assert not list(root_of(from_picture(HEART)).iter(f"{SVG}rect"))


def test_an_empty_line_has_a_zero_and_a_blot_a_question_mark() -> None:
    puzzle = Puzzle(((), (Block(0),)), ((Block(1),), ()))
    assert clues_in(root_of(puzzle), puzzle) == ([["0"], ["?"]], [["1"], ["0"]])


@pytest.mark.parametrize("text", ['"><script>&', "\0\x1b[31m\ud800\ufffe\uffff", "]]><!--", "字" * 2000, "a\nb\tc"])
def test_untrusted_text_is_escaped(text: str) -> None:
    palette = (Color(text, ".", 'fff" onload="x'), Color(text, "X", "000000"))
    puzzle = replace(from_picture(HEART, palette), puzzle_id=text, title=text)
    root = root_of(puzzle, GridState(HEART, words=text))
    drawn = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert drawn <= {"svg", "path", "g", "text", "rect"}
    assert not any("onload" in element.attrib for element in root.iter())
    assert path(root, "paper").attrib["fill"] == "#888888", "what is no colour is grey"
    (words,) = [t for t in root.iter(f"{SVG}text") if t.get("class") == "words"]
    assert 0 < len(words.text or "") <= CAPTION_WIDTH / 8


def test_long_captions_are_truncated() -> None:
    puzzle = from_picture(HEART)
    for words in ("row 3: line logic finds 2 cells", "w" * 400):
        (text,) = [t for t in root_of(puzzle, GridState(HEART, words=words)).iter(f"{SVG}text") if t.get("class")]
        assert text.text == words if len(words) < 40 else (text.text or "").endswith("w…")


def test_more_numbers_than_can_be_drawn_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = from_picture(HEART)
    monkeypatch.setattr(places, "MOST_NUMBERS", 7)
    assert list(root_of(puzzle).iter(f"{SVG}text")), "three rows and three columns have seven numbers"
    monkeypatch.setattr(places, "MOST_NUMBERS", 6)
    root = root_of(puzzle, GridState(HEART))
    assert not list(root.iter(f"{SVG}text"))
    assert (geometry(puzzle).left, geometry(puzzle).top) == (MARGIN, MARGIN)
    assert (cells_in(root, puzzle) == "#000000").sum() == 6


def test_a_state_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="a state of 3x1 cells for a puzzle of 3x3"):
        drawing(from_picture(HEART), GridState(HEART[:1]))


def test_letters_stand_on_numbers_and_cells_of_their_colour() -> None:
    palette = (Color("white", ".", "ffffff"), Color("black", "X", "000000"), Color("red", "r", "ff0000"))
    puzzle = from_picture(np.array([[1] + 10 * [2], 10 * [0] + [1]], np.uint8), palette)
    found = ET.fromstring(drawing(puzzle, GridState(puzzle.goal), " br").svg)
    written = {str(each.text): each.get("font-size") for each in found.iter("{http://www.w3.org/2000/svg}text")}
    assert written == {"10r": "10", "1b": "10", "1r": "10", "bb": None, "rrrrrrrrrr": None}, "numbers of one size"


def test_open_cells_are_hatched_on_a_begun_grid_whose_background_is_not_white() -> None:
    for background, begun, hatched in (("ffff00", 1, 8), ("ffff00", 0, 0), ("ffffff", 1, 0)):
        puzzle = from_picture(HEART, (Color("background", ".", background), BLACK))
        state = np.full((3, 3), UNKNOWN, np.uint8)
        state.flat[:begun] = 1
        assert drawing(puzzle, GridState(state)).svg.count(HATCHES) == hatched


# Pictures alone

COLORS = ("ffffff", "000000", "ff0000", "00ff00")


def picture(cells: np.ndarray, palette: Sequence[str | None] = COLORS) -> list[list[str]]:
    """Return the colours of a picture's cells as they are drawn."""
    return painted(np.full(cells.shape, "", object), ET.fromstring(svg(cells, palette))).tolist()


@given(strategies.pictures(3))
def test_every_cell_of_a_picture_has_its_colour(cells: np.ndarray) -> None:
    assert picture(cells) == [[f"#{COLORS[cell]}" for cell in row] for row in cells]


@pytest.mark.parametrize("palette", [("ffffff",), ("ffffff", None), ("ffffff", 'red" onload="x'), ("ffffff", "fff")])
def test_what_is_no_colour_is_grey(palette: tuple[str | None, ...]) -> None:
    assert picture(np.ones((1, 1), np.uint8), palette) == [["#888888"]]


def test_text_is_escaped_and_without_it_the_picture_is_hidden() -> None:
    cells = np.zeros((1, 1), np.uint8)
    text = '<script>"alert"</script>'
    root = ET.fromstring(svg(cells, COLORS, text))
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", text)
    assert ET.fromstring(svg(cells, COLORS)).attrib["aria-hidden"] == "true"


def test_equal_runs_of_consecutive_rows_are_one_rectangle() -> None:
    rows, columns = np.mgrid[:60, :60]
    disc = ((rows - 30) ** 2 + (columns - 30) ** 2 < 700).astype(np.uint8)
    assert len(svg(disc, COLORS)) < 700


@pytest.mark.parametrize(("size", "shown"), [((2, 3), 5), ((21, 25), 5 + 6)])
def test_lines_are_numbered_beside_the_grid(size: tuple[int, int], shown: int) -> None:
    puzzle = from_picture(np.ones(size, np.uint8))
    place, plain = geometry(puzzle), drawing(puzzle)
    drawn = add_line_numbers(puzzle, plain)
    root = ET.fromstring(drawn.svg)
    assert (drawn.width, drawn.height) == (plain.width + EDGE, plain.height + EDGE)
    (group,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "places"]
    assert len(group) == shown
    for text in group:
        x, y, number = float(text.attrib["x"]), float(text.attrib["y"]), int(text.text or "")
        is_row = x > place.right
        assert is_row != (y > place.bottom)
        line = (y - place.top) // CELL if is_row else (x - place.left) // CELL
        assert line == number - 1


def test_colours_that_a_cell_may_still_have_are_squares_in_it() -> None:
    puzzle = from_picture(np.array([[1, 2, 0, 1]], np.uint8), (WHITE, BLACK, Color("red", "r", "ff0000")))
    root = ET.fromstring(
        f'<svg xmlns="http://www.w3.org/2000/svg">{possible_marks(puzzle, [0b111, 0b110, 0b101, 0b010])}</svg>'
    )
    found = {part.attrib["fill"]: re.findall(r"M(\d)", part.attrib["d"]) for part in root.iter(f"{SVG}path")}
    assert found == {"#ffffff": ["2"], "#000000": ["1"], "#ff0000": ["1", "2"]}


@given(st.integers(0, 0xFFFFFF))
@example(0xFF0000)
def test_digits_are_legible_on_every_colour_and_its_shade_in_colour_and_in_grey(number: int) -> None:
    color = f"{number:06x}"
    around = halo(color) or color
    red, green, blue = (part / 255 for part in bytes.fromhex(around))
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    for light in (0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2, grey**2.2):
        contrast = 1.05 / (light + 0.05) if ink(color) == "ffffff" else (light + 0.05) / 0.05
        assert contrast >= 4.5
    assert (around in ("000000", "ffffff")) <= (color == around), "a shade"
