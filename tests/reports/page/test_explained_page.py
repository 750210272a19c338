"""The page of an explanation in headless Chromium: its steps paint the grid, and everyone can use it."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from chromium import NEEDED, PHONE, emulated
from selenium.webdriver.common.keys import Keys
from strategies import dominoes
from tabs import Tab

from nonocensus.reports.page.explanation_page import STEPS_A_GRID, page
from nonocensus.reports.words.line_reasons import RULES, find_reasons
from nonocensus.reports.words.reading_order import line_of, places_of, reading_order
from nonocensus.reports.words.step_words import MOST_SENTENCES, describe_merged
from nonocensus.solver.model.puzzle import Color, from_picture
from nonocensus.solver.model.techniques import CLUE, COUNTING, LINE, MERCURY, TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, Step, check, explain
from nonocensus.solver.people.hints import hint
from nonocensus.solver.proofs import checker
from nonocensus.solver.proofs.record import colors_of, exclude

pytestmark = NEEDED

PAINTED = """
const path = document.querySelector('.under [fill="#000000"]')?.getAttribute('d') ?? '';
return Array.from(path.matchAll(/h(\\d+)v/g), ([, width]) => width / 20).reduce((sum, cells) => sum + cells, 0);
"""
"""The count of black cells."""


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain(dominoes(7))


@pytest.fixture
def explained(tab: Tab, explanation: Explanation, tmp_path: Path) -> Tab:
    path = tmp_path / "page.html"
    path.write_text(page(explanation))
    tab.driver.get(path.as_uri())
    return tab


def click(tab: Tab, name: str) -> None:
    tab.run("document.getElementById(arguments[0]).click()", name)


def shown(tab: Tab) -> tuple[int, str]:
    """Return the step that is shown, and its words."""
    return int(tab.one("#number").text), tab.one("#words").text


def test_steps_go_forward_and_back(explained: Tab, explanation: Explanation) -> None:
    words = [f"{step.what} {TECHNIQUES[step.technique].name}" for step in describe_merged(explanation)]
    black = sum(colors == 2 for colors in explanation.cells)
    click(explained, "last")
    assert shown(explained) == (len(words), words[-1])
    assert explained.run(PAINTED) == black
    fill = "return getComputedStyle(document.querySelector('.sheet .band')).fill"
    assert explained.run(fill) == "none", "cells and clues keep their colours"
    click(explained, "back")
    assert shown(explained) == (len(words) - 1, words[-2])
    click(explained, "first")
    assert shown(explained) == (0, "")
    assert explained.run(PAINTED) == 0
    click(explained, "on")
    assert shown(explained) == (1, words[0])
    explained.one("body").send_keys(Keys.ARROW_RIGHT)
    assert shown(explained) == (2, words[1])
    explained.run("document.querySelectorAll('.step')[6].click()")
    assert shown(explained) == (7, words[6])
    assert explained.one("li.now").text.split() == words[6].split()
    slider = explained.one("#at")
    slider.send_keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert shown(explained)[0] == 2
    slider.send_keys(Keys.END)
    assert shown(explained)[0] == len(words)
    assert explained.errors() == []


def flower() -> Explanation:
    """A puzzle of 15x15 in three colours, whose rows only exclude colours at first."""
    y, x = np.mgrid[:15, :15]
    cells = np.zeros((15, 15), np.uint8)
    for top, left in ((2, 7), (4, 4), (4, 10), (7, 5), (7, 9)):
        cells[(x - left) ** 2 + (y - top) ** 2 <= 5] = 1
    cells[(x - 7) ** 2 + (y - 5) ** 2 <= 3] = 2
    cells[9:, 7] = cells[12, 4:7] = cells[11, 3:5] = cells[13, 8:11] = cells[12, 10:12] = 3
    names = ("white", "ffffff"), ("red", "d02020"), ("yellow", "f0c020"), ("green", "208040")
    return explain(from_picture(cells, tuple(Color(name, name[0], rgb) for name, rgb in names)))


def test_colours_that_clues_lack_are_one_step() -> None:
    explanation = flower()
    first, *others = describe_merged(explanation)
    assert first.technique == CLUE
    assert first.what == (
        "A cell can only have a colour that stands both in the clue of its row and in the clue of its column. Where "
        "these share none, it is white: rows 1 to 4, 8 and 9 (red) in columns 1, 2, 14 and 15; rows 5 to 7 (red or "
        "yellow) in columns 1, 2, 14 and 15; row 10 (red or green) in columns 1, 2, 14 and 15; rows 11 to 15 (green) "
        "in columns 1 to 3 and 13 to 15."
    )
    ruled = [pair for step in (first, *others) for pair in step.ruled]
    assert sorted(ruled) == sorted(pair for step in explanation.steps for pair in step.ruled)
    assert [step.number for step in (first, *others)] == list(range(1, len(others) + 2))
    assert not any("the clue has no" in step.what for step in others), "wherever they are found, whatever they decide"
    y, x = np.divmod([cell for cell in range(225) if explanation.start[cell] > 1], 15)
    decided = {cell for cell, _ in first.ruled} - {cell for step in others for cell, _ in step.ruled}
    puzzle = explanation.puzzle
    shared = [
        {b.color for b in puzzle.rows[r]} & {b.color for b in puzzle.columns[c]} for r, c in zip(y, x, strict=True)
    ]
    assert decided == {cell for cell, colors in enumerate(shared) if not colors}


def test_merged_steps_are_checked_too() -> None:
    """The certificate checker agrees with every step as it is told: without needless ones, alike ones together."""
    boxes = np.zeros((20, 20), np.uint8)
    boxes[3:8, 2:14] = boxes[10:17, 5:18] = boxes[12:15, 8:12] = 1
    for explanation in (flower(), explain(dominoes(7)), explain(from_picture(boxes))):
        groups, is_lacking = reading_order(explanation)
        assert is_lacking == (explanation.puzzle.colors > 1)
        check(explanation._replace(steps=[step for steps in groups for step in steps]))
        puzzle, cells = explanation.puzzle, list(explanation.start)
        for told in describe_merged(explanation):
            shown = set[tuple[int, int]]()
            for line in told.lines:
                clue, known = line_of(puzzle, line, cells)
                possible = checker.Clue(clue).possible(list(known))
                for place, colors in zip(places_of(puzzle, line), possible or (), strict=True):
                    shown |= {(place, color) for color in colors_of(cells[place] & ~colors)}
            assert told.assumption or shown.issuperset(told.ruled), told
            exclude(cells, told.ruled)
        assert cells == explanation.cells


def test_colours_that_no_later_step_needs_are_not_ruled_out_before() -> None:
    """In a coloured puzzle, most early steps only exclude colours from cells that are then painted anyway."""
    explanation = flower()
    told = list(describe_merged(explanation))
    looks = 1 + sum(step[:2] != before[:2] for before, step in pairwise(explanation.steps))
    assert len(told) < 0.35 * looks
    assert any(min(step.lines) < 15 <= max(step.lines) for step in told), "rows and columns at once"
    assert any("Columns 6 and 7, clues 9 red, 1 green; 4 red, 3 yellow, 3 red, 1 green: " in step.what for step in told)
    assert max(step.technique for step in told) == max(step.technique for step in explanation.steps)
    assert all(step.what.count("\n") < MOST_SENTENCES or len(step.lines) == 1 for step in told)


def test_no_sentence_chains_four_conditions() -> None:
    """What limits a block and what belongs to it is said in a sentence of its own."""
    picture = np.random.default_rng(5).random((20, 20)) < 0.65
    for explanation in (flower(), explain(from_picture(picture))):
        for sentence in ". ".join(step.what.replace("\n", " ") for step in describe_merged(explanation)).split(". "):
            assert len(re.findall(r"\b([Aa]s|[Ww]ith|[Ii]f|at the latest|at the earliest)\b", sentence)) < 5, sentence


def test_line_of_a_hint_is_told_last_after_its_premises() -> None:
    whole = flower()
    for cells in [whole.start, *whole.grids()][:60:5]:
        known = [colors if colors & (colors - 1) == 0 else 0b1111 for colors in cells]
        start = (np.array(known)[:, None] >> np.arange(4) & 1 == 1).reshape(15, 15, 4)
        found = hint(whole.puzzle, start).next
        assert found is not None
        *_, told = describe_merged(found, is_hint=True)
        assert told.lines == (found.steps[-1].line,), "no other lines, even of the clues' colours"
        premises = found._replace(steps=[step for steps in reading_order(found, is_hint=True)[0] for step in steps])
        check(premises._replace(cells=list(premises.grids())[-1]))


def test_no_step_is_argued_by_the_rule_of_another_technique() -> None:
    picture = np.random.default_rng(5).random((20, 20)) < 0.65
    for explanation in (flower(), explain(from_picture(picture))):
        grids = [explanation.start, *explanation.grids()]
        for step, cells in zip(explanation.steps, grids, strict=False):
            if step.line is None or step.technique == LINE:
                continue
            line, places = line_of(explanation.puzzle, step.line, cells), places_of(explanation.puzzle, step.line)
            ruled = frozenset((places.index(place), color) for place, color in step.ruled)
            own = {(each.kind, pair) for rule in RULES[step.technique] for each in rule(line) for pair in each.ruled}
            found = find_reasons(line, ruled, step.technique)
            assert {(reason.kind, pair) for reason in found for pair in reason.ruled} <= own


def test_file_that_has_no_address_is_named_by_its_title_alone() -> None:
    explanation = explain(replace(dominoes(7), puzzle_id="local/dog", title="A dog"))
    assert "local/" not in page(explanation)


def test_sentence_on_a_beamer_is_read_from_the_last_row(explained: Tab) -> None:
    with emulated(explained.driver, "light", 1920, 1080):
        explained.run("scrollTo(0, 0)")
        click(explained, "on")
        assert explained.run("return parseFloat(getComputedStyle(document.getElementById('words')).fontSize)") >= 28
        assert explained.one(".sheet svg").size["height"] > 1000


def test_steps_of_a_line_are_one_by_one_sentence_by_its_simplest_reason() -> None:
    cells = [0b11, 0b11, 0b01, *[0b10] * 3, *[0b11] * 4, *[0b10] * 3, *[0b11] * 3]
    puzzle = replace(from_picture([[0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 1, 0, 0, 0]]), columns=((),) * 8)
    steps = [Step(MERCURY, 0, ((0, 1),)), Step(MERCURY, 0, ((1, 1),)), Step(MERCURY, 1, ((9, 1),))]
    grid = [colors & ~(place in (0, 1, 9)) << 1 for place, colors in enumerate(cells)]
    whole, told = describe_merged(Explanation(puzzle, cells, steps, grid, "open"))
    assert whole.what == (
        "Row 1, clue 4: if one of columns 1 and 2 were black, the 4 would need column 3, which is white, so columns 1 "
        "and 2 are white."
    )
    assert told.technique == COUNTING
    assert told.what == "Row 2, clue 3: the 3 is found, in columns 3 to 5, so columns 1, 2 and 6 to 8 are white."


def test_lines_of_which_the_same_is_said_are_one_step() -> None:
    picture = np.zeros((6, 5), np.uint8)
    picture[[1, 3, 4], 1:] = picture[2] = 1
    explanation = explain(from_picture(picture))
    told = list(describe_merged(explanation))
    assert "\n".join(step.what for step in told) == (
        "Rows 1 and 6, clue 0: there is no block, so columns 1 to 5 are white.\n"
        "Row 3, clue 5: the 5 fills the 5 cells of the row, so columns 1 to 5 are black.\n"
        "Column 1, clue 1: the 1 is found, in row 3, so rows 2, 4 and 5 are white.\n"
        "Rows 2, 4 and 5, clue 4: only columns 2 to 5 can be black, and 4 black cells are needed, so columns 2 to 5 "
        "are black."
    )
    assert [step.lines for step in told] == [(0, 5, 2), (6,), (1, 3, 4)]
    assert sorted(pair for step in told for pair in step.ruled) == sorted(
        pair for step in explanation.steps for pair in step.ruled
    )


def test_technique_of_a_step_is_explained_on_the_page_with_a_picture(explained: Tab) -> None:
    for link in {each.get_attribute("hash") for each in explained.all(".steps .technique")}:
        assert explained.one(f"article{link} img").size["width"] > 0
    click(explained, "first")
    explained.run("document.querySelector('.steps .technique').click()")
    assert shown(explained)[0] != 1, "the link does not jump to its step"


def printed(tab: Tab, path: Path, explanation: Explanation) -> list[str]:
    """Return the text of the pages of an explanation on paper."""
    path.write_text(page(explanation))
    tab.driver.get(path.as_uri())
    return tab.printed()


def test_coloured_explanation_is_printed_with_captions(explained: Tab, tmp_path: Path) -> None:
    explanation = flower()
    palette = (Color("", "", "f0e0c0"), *explanation.puzzle.palette[1:])
    explanation = explanation._replace(puzzle=replace(explanation.puzzle, title="A daisy", palette=palette))
    pages = printed(explained, tmp_path / "flower.html", explanation)
    assert len(pages) <= 5
    text = " ".join(pages)
    steps = list(describe_merged(explanation))
    for step in steps:
        assert f"{step.number}. {' '.join(step.what.split())} ({TECHNIQUES[step.technique].name})" in text
    assert "Play" not in text
    assert "After" not in pages[0], "the empty grid alone"
    after = [0, *map(int, re.findall("After step ([0-9]+); new cells have a frame", text))]
    assert after[-1] == len(steps)
    assert max(np.diff(after)) <= STEPS_A_GRID
    assert "</figcaption><svg" in (tmp_path / "flower.html").read_text(), "the number above its board"
    assert text.count("daisy") == 1, "the title gives the picture away"
    assert text.rindex("Title: A daisy") > text.rindex("After step")
    assert "beige: leave unpainted r is red y is yellow g is green" in text
    assert "Between two blocks of one colour there is at least one white cell." in text, "how nonograms work"
    assert {"4r", "3y", "6g"} <= set(text.split()), "colours are told apart by letters too"


def test_grids_of_many_columns_are_as_wide_as_the_paper(explained: Tab, tmp_path: Path) -> None:
    driver, path = explained.driver, tmp_path / "wide.html"
    path.write_text(page(explain(from_picture(np.tri(12, 40, 9, dtype=np.uint8)))))
    driver.get(path.as_uri())
    with emulated(driver, "light", 700, 1000):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert explained.one(".printed svg").size["width"] > 600, "not half of it, a column of the steps"


def test_numbers_from_100_on_are_printed_whole(explained: Tab, tmp_path: Path) -> None:
    explanation = explain(from_picture(np.random.default_rng(5).random((25, 25)) < 0.65))
    text = " ".join(printed(explained, tmp_path / "long.html", explanation))
    steps = list(describe_merged(explanation))
    assert len(steps) > 100
    assert all(f" {step.number}. {' '.join(step.what.split())}" in text for step in steps)


IN_VIEW = """
return [".sheet svg", "#at", "#words"].map((name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  const isCovered = !at || !document.querySelector(name).closest(".sheet, section").contains(at);
  return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth && !isCovered;
});
"""


IS_MEASURED = """
const height = document.querySelector("section.now").offsetHeight;
return document.body.style.getPropertyValue("--now") === `${height}px`;
"""

BELOW = """
const heading = document.querySelector(`${location.hash} h3`).getBoundingClientRect();
return heading.top - document.querySelector("section.now").getBoundingClientRect().bottom;
"""
"""How far the heading of the technique that is linked to is below the step."""


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720), (800, 1000), (844, 390), (PHONE, 844)])
@pytest.mark.parametrize("is_scrolled", [False, True])
def test_grid_slider_and_words_are_in_view_together(
    explained: Tab, width: int, height: int, *, is_scrolled: bool
) -> None:
    script = "document.getElementById('steps').lastElementChild.scrollIntoView()" if is_scrolled else "scrollTo(0, 0)"
    with emulated(explained.driver, "light", width, height):
        explained.run(script)
        explained.until(lambda: explained.run(IN_VIEW) == [True, True, True])


def test_board_is_in_view_at_every_step_on_a_phone(explained: Tab, tmp_path: Path) -> None:
    path = tmp_path / "phone.html"
    explanation = flower()
    titled = explanation._replace(puzzle=replace(explanation.puzzle, title="A flower in a pot", author="A. N. Other"))
    path.write_text(page(titled, "about 12 minutes (8 to 20), 3 stars of 5, grade 2: mercury"))
    with emulated(explained.driver, "light", PHONE):
        explained.driver.get(path.as_uri())
        assert explained.one("section.now").size["height"] < 110, "nothing is said before the first step"
        for number in range(1, len(list(describe_merged(explanation))) + 1):
            click(explained, "on")
            assert shown(explained)[0] == number
            assert explained.run(IN_VIEW) == [True, True, True], number
        assert "Title: A flower in a pot" in shown(explained)[1]
        letters = explained.run("return document.querySelector('.over').textContent")
        assert letters.count("y") == sum(colors == 4 for colors in explanation.cells), "not by colour alone"
        for number in range(2, len(list(describe_merged(explanation))), 3):
            explained.run(f"document.querySelectorAll('.step')[{number}].click()")
            explained.until(lambda: explained.run(IS_MEASURED))
            explained.run("document.querySelector('#words a').click()")
            assert explained.run(IN_VIEW) == [True, True, True], "the technique below them"
            assert explained.run(BELOW) > 0
        explained.run("const step = document.querySelectorAll('.step')[3]; step.scrollIntoView(); step.click()")
        assert explained.run(IN_VIEW) == [True, True, True], "after a tap on a step"
