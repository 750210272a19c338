"""Explanations in words, as states and as a page; and difficulty for people in words."""

import colorsys
import json
import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from strategies import PALETTE, dominoes

from nonocensus.reports.drawings.grid_state import UNKNOWN
from nonocensus.reports.drawings.sheet_colors import COMMON, LETTERS, color_letters, color_names
from nonocensus.reports.page.explanation_page import MOST_CELLS, TooLarge, page
from nonocensus.reports.words.step_words import NO_STEP, describe_ending, describe_steps, grid_states, known_grid
from nonocensus.solver.model.puzzle import WHITE, Block, Color, Puzzle, from_picture
from nonocensus.solver.people.explanation import explain


def test_line_is_described() -> None:
    puzzle = from_picture(np.array([[1, 1, 0, 1]], np.uint8), puzzle_id="test/1")
    (told,) = describe_steps(explain(puzzle))
    assert told.number == 1
    assert told.what == (
        "Row 1, clue 2 1: 2 + 1 and 1 gap fill the 4 cells of the row, so "
        "columns 1, 2 and 4 are black and column 3 is white."
    )
    assert told.brief == "Row 1, clue 2 1: columns 1, 2 and 4 are black and column 3 is white."
    assert describe_ending(explain(puzzle)) == (
        "Every cell is known, and there is no other solution. The hardest technique was clue, of grade 1 of 9."
    )


def test_colours_and_hidden_lengths_are_described() -> None:
    puzzle = from_picture(np.array([[1, 2, 2, 0, 2]], np.uint8), PALETTE[:3])
    puzzle = replace(puzzle, rows=((Block(1), Block(0, 2), Block(1, 2)),))
    told = [told.what for told in describe_steps(explain(puzzle))]
    assert told[0] == "Column 1, clue 1 black: the black 1 fills the 1 cell of the column, so row 1 is black."


def test_colours_without_a_word_are_named_by_their_rgb() -> None:
    palette = tuple(Color(f"color{k}", ".abcde"[k], rgb) for k, rgb in enumerate(("ffffff", "e02020", "0a5a20")))
    puzzle = from_picture(np.array([[1, 2, 2, 0, 2]], np.uint8), palette)
    (told,) = describe_steps(explain(puzzle))
    assert told.what.startswith("Row 1, clue 1 red, 2 dark green, 1 dark green: 1 + 2 + 1 and 1 gap fill the 5 cells")
    assert told.what.endswith("so column 1 is red, columns 2, 3 and 5 are dark green and column 4 is white.")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((("white", "fff0d0"), ("r", "ff0000"), ("facade", "808080")), ("beige", "red", "grey")),
        ((("white", "ffffff"), ("c1", "ff0000"), ("2", "d01010")), ("white", "lighter red", "darker red")),
        (
            (("", "ffffff"), ("", "dd6239"), ("", "749e70"), ("", "6b5a3c"), ("", "7b7f84")),
            ("white", "orange", "green", "brown", "grey"),
        ),
        (
            (("", "ffffff"), ("", "000080"), ("", "00008a"), ("", "000070")),
            ("white", "middle dark blue", "lightest dark blue", "darkest dark blue"),
        ),
        (
            (("", "ffffff"), *(("", f"0000{blue}") for blue in ("70", "74", "78", "7c", "80", "84"))),
            ("white", *(f"dark blue {number}" for number in range(1, 7))),
        ),
        (
            (("", "ffffff"), ("", "cc9900"), ("", "cf3f0f"), ("", "f74e16"), ("", "993300"), ("", "ffcc66")),
            ("white", "ochre", "dark orange", "orange", "brown", "light yellow"),
        ),
        ((("", "fffffe"), ("", "ccffff"), ("", "f4f4f4")), ("white", "light blue", "darker white")),
        (
            (("weiß", "ffffff"), ("赤", "ff0000"), ("dark_red", "00ff00"), ("<b>", "#")),
            ("weiß", "赤", "dark_red", "grey"),
        ),
    ],
)
def test_word_of_the_source_wins_over_the_nearest_common_name(given: tuple[Any, ...], named: tuple[str, ...]) -> None:
    found = color_names(tuple(Color(name, "x", rgb) for name, rgb in given))
    assert found == named


def test_no_red_is_more_orange_than_an_orange() -> None:
    palette = tuple(Color("", "", f"{r:02x}{g:02x}{b:02x}") for r, g, b in product(range(0, 256, 17), repeat=3))
    hues: dict[str, list[float]] = {"red": [], "orange": []}
    for color, name in zip(palette, color_names(palette), strict=True):
        hue = colorsys.rgb_to_hsv(*bytes.fromhex(color.rgb))[0]
        for word in hues.keys() & name.split():
            hues[word].append((hue + 0.5) % 1)
    assert 0.5 < max(hues["red"]) < min(hues["orange"])


def test_letters_of_colours_differ_and_look_like_no_digit() -> None:
    palette = tuple(Color(f"color{k}", "x", f"{8 * k:02x}{255 - 8 * k:02x}00") for k in range(32))
    letters = color_letters(palette)
    assert len(set(letters)) == 32
    assert not set(letters) & set("ilo0123456789")


def test_letters_of_colours_are_those_of_every_palette() -> None:
    assert {name for name, _ in COMMON} == LETTERS.keys()
    assert len(set(LETTERS.values()) - set("ilo0123456789")) == len(LETTERS)
    black, blue = Color("", "", "000000"), Color("", "", "2060e0")
    assert color_letters((WHITE, black, blue)) == " bu"
    assert color_letters((WHITE, blue, black, blue, Color("Crimson", "", "dd1122"))) == " ubgr", (
        "another blue has no l, as it looks like 1"
    )


def test_assumption_is_described() -> None:
    explanation = explain(dominoes(7))
    told = next(told for told in describe_steps(explanation) if told.assumption)
    line = r"(Row|Column) \d+, clue [\d ]+"
    assert re.fullmatch(
        rf"Assume row \d+, column \d+ is (black|white)\.\n({line}: [^.]+, so [^.]+ (is|are) (black|white)\.\n)+"
        rf"Then {line.lower()}, has no arrangement: [^.]+\.\nSo row \d+, column \d+ is (black|white)\.",
        told.what,
    ), told.what
    assert re.fullmatch(r"Row \d+, column \d+ is (black|white)\.", told.brief)


def test_endings_are_described() -> None:
    switch = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2)
    assert describe_ending(explain(switch)) == f"4 cells are left open. {NO_STEP['multiple']}"
    assert describe_ending(explain(dominoes(11))).endswith(f" cells are left open. {NO_STEP['open']}")
    none = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)))
    assert describe_ending(explain(none)) == (
        "Row 1, clue 2, has no arrangement: as column 2 is white, the 2 would have no room. The puzzle has no solution."
    )
    assert "The time ran out with" in describe_ending(explain(dominoes(9), cpu_limit=0.0))


def test_states_lead_from_the_empty_grid_to_the_end() -> None:
    explanation = explain(dominoes(7))
    shown = list(grid_states(explanation))
    assert len(shown) == len(explanation.steps) + 1
    assert shown[0].decided == 0
    assert (shown[-1].cells == known_grid(explanation.cells, 7)).all()
    assert UNKNOWN not in shown[-1].cells
    for before, state, step in zip(shown, shown[1:], explanation.steps, strict=False):
        assert state.marked is not None
        assert (state.marked >= (before.cells != state.cells)).all()
        assert len(state.rows) + len(state.columns) == (step.line is not None)
        assert state.words


def test_page_is_complete_and_escaped() -> None:
    wicked = replace(dominoes(7), title="<script>alert(1)</script>", author="</script><u>")
    palette = tuple(color._replace(name=f"<i>{color.name}") for color in wicked.palette)
    text = page(explain(replace(wicked, palette=palette)))
    assert "<script>alert" not in text
    assert "<u>" not in text
    assert "<i>" not in text
    assert text.count("<script") == 2
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    cells = list(data["start"])
    for step in data["steps"]:
        for place, color in step["ruled"]:
            assert cells[place] >> color & 1
            cells[place] &= ~(1 << color)
    assert cells == explain(wicked).cells
    assert text.count('class="step"') == len(data["steps"])


@pytest.mark.slow
def test_page_of_too_many_cells_is_refused() -> None:
    side = int(MOST_CELLS**0.5) + 1
    puzzle = from_picture(np.ones((side, side), np.uint8))
    with pytest.raises(TooLarge, match="201x201 is too large"):
        page(explain(puzzle))
