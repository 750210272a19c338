"""Explanations in words, as states and as a page; and difficulty for people in words."""

import json
import re
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from nonocensus.reports.drawings.grid_state import UNKNOWN
from nonocensus.reports.drawings.sheet_colors import color_letters, color_names
from nonocensus.reports.page.explanation_page import MOST_CELLS, TooLarge, page
from nonocensus.reports.words.step_words import describe_ending, describe_steps, grid_states, known_grid, line_of
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import Block, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.explanation import Step, explain

RED = (Color("white", ".", "ffffff"), Color("black", "X", "000000"), Color("red", "r", "ff0000"))


def dominoes(side: int) -> Puzzle:
    (puzzle,) = puzzles_of(recipe_batch(Recipe("dominoes", side, side, None, None, 1), 0, 1))
    return puzzle


def test_line_is_described() -> None:
    puzzle = from_picture(np.array([[1, 1, 0, 1]], np.uint8), puzzle_id="test/1")
    (told,) = describe_steps(explain(puzzle))
    assert told.number == 1
    assert told.what == "Row 1 (2 1), clue: columns 1 to 2 black, column 3 white, column 4 black."
    assert told.why == "2+1 and 1 gap are 4: the line is full."
    assert describe_ending(explain(puzzle)) == (
        "Every cell is known, and there is no other solution. The hardest technique was clue, of grade 1 of 9."
    )


def test_colours_and_hidden_lengths_are_described() -> None:
    puzzle = from_picture(np.array([[1, 2, 2, 0, 2]], np.uint8), RED)
    puzzle = replace(puzzle, rows=((Block(1), Block(0, 2), Block(1, 2)),))
    told = [told.what for told in describe_steps(explain(puzzle))]
    assert any(text.startswith(("Row 1 (1 black, ? red, 1 red), ", "Column ")) for text in told)
    assert any("red" in text for text in told)


def test_colours_without_a_word_are_named_by_their_rgb() -> None:
    palette = tuple(Color(f"color{k}", ".abcde"[k], rgb) for k, rgb in enumerate(("ffffff", "e02020", "0a5a20")))
    puzzle = from_picture(np.array([[1, 2, 2, 0, 2]], np.uint8), palette)
    (told,) = describe_steps(explain(puzzle))
    assert told.what.startswith("Row 1 (1 red, 2 dark green, 1 dark green), clue: column 1 red, columns 2 to 3")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((("white", "fff0d0"), ("r", "ff0000"), ("facade", "808080")), ("beige", "red", "grey")),
        ((("white", "ffffff"), ("c1", "ff0000"), ("2", "d01010")), ("white", "lighter red", "darker red")),
        ((("", "ffffff"), ("", "000080"), ("", "00008a"), ("", "000070")), ("white", *"231")),
        (
            (("weiß", "ffffff"), ("赤", "ff0000"), ("dark_red", "00ff00"), ("<b>", "#")),
            ("weiß", "赤", "dark_red", "grey"),
        ),
    ],
)
def test_word_of_the_source_wins_over_the_nearest_common_name(given: tuple[Any, ...], named: tuple[str, ...]) -> None:
    found = color_names(tuple(Color(name, "x", rgb) for name, rgb in given))
    assert tuple(name.removeprefix("dark blue ") for name in found) == named


def test_letters_of_colours_differ_and_look_like_no_digit() -> None:
    palette = tuple(Color(f"color{k}", "x", f"{8 * k:02x}{255 - 8 * k:02x}00") for k in range(32))
    letters = color_letters(palette)
    assert len(set(letters)) == 32
    assert not set(letters) & set("ilo0123456789")


def test_reason_says_the_case_that_applies() -> None:
    picture = np.array([[1, 0, 2, 2], [1, 1, 2, 2], [0, 0, 0, 0], [1, 1, 1, 1]], np.uint8)
    reasons = {told.what.split(":")[0]: told.why for told in describe_steps(explain(from_picture(picture, RED)))}
    assert reasons["Row 2 (2 black, 2 red), clue"] == "2+2 are 4: the line is full."
    assert reasons["Row 3 (0), clue"] == "The clue is 0: the line stays empty."
    assert reasons["Row 4 (4 black), clue"] == "The block is as long as the line."
    assert reasons["Column 1 (2 black, 1 black), clue"] == "2+1 and 1 gap are 4: the line is full."
    assert reasons["Row 1 (1 black, 2 red), counting"] == (
        "The black cell is found. Only 2 cells can be red, as many as are needed."
    )


def test_counting_reasons_are_true_and_cover_all_that_is_ruled_out() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        puzzle = from_picture(rng.integers(0, 3, (8, 8)).astype(np.uint8), RED)
        cells = list((explanation := explain(puzzle)).start)
        for told in describe_steps(explanation):
            if TECHNIQUES[told.step.technique].name == "counting":
                assert counted(puzzle, told.step, told.why, cells) == set(told.step.ruled)
            for place, color in told.step.ruled:
                cells[place] &= ~(1 << color)


def counted(puzzle: Puzzle, step: Step, why: str, cells: list[int]) -> set[tuple[int, int]]:
    """Return what the sentences of a counting step rule out, after recounting the cells of each."""
    clue, places = line_of(puzzle, cast(int, step.line))
    found: set[tuple[int, int]] = set()
    for sentence in why.split(". "):
        color = next(k for k, each in enumerate(puzzle.palette) if each.name in sentence)
        blocks = sum(block.length for block in clue if block.color == color)
        count = blocks if color else len(places) - sum(block.length for block in clue)
        known, possible = [p for p in places if cells[p] == 1 << color], [p for p in places if cells[p] >> color & 1]
        if "found" in sentence:
            assert len(known) == count
            found |= {(p, color) for p in possible if p not in known}
        else:
            assert len(possible) == count
            found |= {(p, other) for p in possible for other in range(3) if other != color and cells[p] >> other & 1}
    return found & set(step.ruled)


def test_assumption_is_described() -> None:
    explanation = explain(dominoes(7))
    told = next(told for told in describe_steps(explanation) if told.step.assumption)
    assert re.fullmatch(
        r"Suppose row \d+, column \d+ were (black|white) \(edge\)\. ((Row|Column) \d+ \([\d ]+\): [^.]+\. )+"
        r"Then (row|column) \d+ \([\d ]+\) would have no arrangement\. So row \d+, column \d+ is (black|white)\.",
        told.what,
    ), told.what


def test_endings_are_described() -> None:
    switch = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2)
    assert describe_ending(explain(switch)) == "4 cells are left open: only assumptions inside assumptions lead on."
    none = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)))
    assert describe_ending(explain(none)).endswith("has no arrangement left: the puzzle has no solution.")
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
    wicked = replace(dominoes(7), title="<script>alert(1)</script>", author="</script><b>")
    palette = tuple(color._replace(name=f"<i>{color.name}") for color in wicked.palette)
    text = page(explain(replace(wicked, palette=palette)))
    assert "<script>alert" not in text
    assert "<b>" not in text
    assert "<i>" not in text
    assert text.count("<script") == 2
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    cells = list(data["start"])
    for _, ruled in data["steps"]:
        for place, color in ruled:
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
