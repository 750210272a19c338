"""Pictures as SVG, painted again from their paths."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonocensus.reports.picture_svg import svg

COLORS = ("ffffff", "000000", "ff0000", "00ff00")


def painted(drawing: str) -> list[list[str]]:
    """Return the colour of each cell, by filling the drawing's rectangles in their order."""
    root = ET.fromstring(drawing)
    _, _, width, height = map(int, root.attrib["viewBox"].split())
    cells = [[""] * width for _ in range(height)]
    for path in root:
        rectangles = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", path.attrib["d"])
        assert "".join("M{} {}h{}v{}h-{}z".format(*found) for found in rectangles) == path.attrib["d"]
        for x, y, w, h, back in (map(int, found) for found in rectangles):
            assert w == back
            for row in range(y, y + h):
                cells[row][x : x + w] = [path.attrib["fill"]] * w
    return cells


@given(arrays(np.uint8, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(0, 3)))
def test_every_cell_has_its_colour(cells: np.ndarray) -> None:
    assert painted(svg(cells, COLORS)) == [[f"#{COLORS[cell]}" for cell in row] for row in cells]


def test_equal_runs_become_one_rectangle() -> None:
    drawing = svg(np.ones((50, 40), np.uint8), COLORS)
    assert '<path fill="#000000" d="M0 0h40v50h-40z"/>' in drawing


def test_runs_of_rows_apart_stay_apart() -> None:
    drawing = svg(np.array([[1, 1], [0, 0], [1, 1]], np.uint8), COLORS)
    assert '<path fill="#000000" d="M0 0h2v1h-2zM0 2h2v1h-2z"/>' in drawing


def test_an_empty_picture_is_its_background() -> None:
    assert painted(svg(np.zeros((1, 2), np.uint8), ("abcdef", "000000"))) == [["#abcdef"] * 2]


@pytest.mark.parametrize("palette", [("ffffff",), ("ffffff", None), ("ffffff", 'red" onload="x'), ("ffffff", "fff")])
def test_what_is_no_colour_is_grey(palette: tuple[str | None, ...]) -> None:
    assert painted(svg(np.ones((1, 1), np.uint8), palette)) == [["#888888"]]


def test_text_is_escaped_and_without_it_the_picture_is_hidden() -> None:
    cells = np.zeros((1, 1), np.uint8)
    text = '<script>"alert"</script>'
    root = ET.fromstring(svg(cells, COLORS, text))
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", text)
    assert ET.fromstring(svg(cells, COLORS)).attrib["aria-hidden"] == "true"


def test_it_is_small() -> None:
    rows, columns = np.mgrid[:60, :60]
    disc = ((rows - 30) ** 2 + (columns - 30) ** 2 < 700).astype(np.uint8)
    assert len(svg(disc, COLORS)) < 1200
